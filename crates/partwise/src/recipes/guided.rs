//! Guided fits: exact cannot-links, a strength for all, and the report on the guidance.

use std::collections::{BTreeMap, BTreeSet};

use super::cannot_links::without_exact_cannot_links;
use super::guidance_report::{GuidanceCost, GuidanceReport, guidance_report};
use super::memberships::component_lengths;
use super::strength::StrengthRule;
use crate::data::DataMatrix;
use crate::engine::losses::Loss;
use crate::engine::solvers::SolverChoice;
use crate::engine::{Init, Observer, Settings};
use crate::fit::{Fit, fit, fit_observed};
use crate::foundation::{Error, Matrix, Real, Result, StopReason, once};
use crate::guidance::{Advice, Guidance, LabelRule, Strength, Topic};
use crate::methods::Model;

/// Iterations without guidance, after those with it.
const MOST_UNGUIDED_ITERATIONS: usize = 100;

/// A fit with the report on its guidance.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GuidedFit<T> {
    /// The factorization.
    pub fit: Fit<T>,
    /// The verdict on each item.
    pub report: GuidanceReport,
}

once! {
    /// Factors `data` by guidance of any kind, including exact cannot-links, and reports on it.
    ///
    /// Cannot-links with strength 1: a first fit separates the pairs with strength 0.9; then each linked
    /// sample gets the component of which it has the largest share among those that its links leave (a
    /// colouring, with a bounded search); a second fit holds these samples there.
    ///
    /// # Errors
    /// As [`fit`](crate::fit()); [`Error::Guidance`] when no assignment to the k components keeps the
    /// cannot-links.
    pub fn fit_guided<'a, T>(
        data: &'a dyn DataMatrix<T>,
        guidance: &'a Guidance,
        loss: Loss,
        settings: &'a Settings,
        observer: &'a mut dyn Observer,
    ) -> Result<GuidedFit<T>> = guided;
}

/// The body of [`fit_guided`].
fn guided<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: &Guidance,
    loss: Loss,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<GuidedFit<T>> {
    let fit = fitted(data, guidance, loss, settings, observer)?;
    let mut report = guidance_report(data, guidance, &fit, settings)?;
    report.cost = cost(data, guidance, &fit, settings)?;
    Ok(GuidedFit { fit, report })
}

/// What the guidance costs; `None` where a fit without it would take long or say nothing.
fn cost<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: &Guidance,
    fit: &Fit<T>,
    settings: &Settings,
) -> Result<Option<GuidanceCost>> {
    let ended = matches!(fit.stop, StopReason::Observer | StopReason::TimeLimit);
    if ended || fit.iterations == 0 || data.blocks().is_some() || guidance.is_empty() {
        return Ok(None);
    }
    let mut plain = guidance.clone();
    plain.topics_mut().clear();
    plain.advice_mut().retain(|item| item.strength().is_none() && item.names().is_empty());
    let settings = Settings {
        solver: SolverChoice::Auto,
        max_iterations: settings.max_iterations.min(MOST_UNGUIDED_ITERATIONS),
        init: Init::Custom { codes: Some(off_zero(&fit.codes)), components: Some(off_zero(&fit.components)) },
        l1: (0.0, 0.0),
        l2: (0.0, 0.0),
        first: None,
        ..settings.clone()
    };
    let unguided = self::fit(data, &model(&plain, fit.loss)?, &settings)?;
    // Where it stops earlier than the guided fit did, it is no worse than that.
    let error = unguided.relative_error.min(fit.relative_error);
    Ok(Some(GuidanceCost { loss: fit.loss, guided: fit.relative_error, unguided: error }))
}

/// A factor as a start: entries that are 0 become small, so that multiplicative updates can move them.
fn off_zero<T: Real>(factor: &Matrix<T>) -> Matrix<f64> {
    let values = factor.as_slice();
    let mean = values.iter().map(|value| value.to_f64()).sum::<f64>() / values.len().max(1) as f64;
    let (rows, columns) = factor.shape();
    Matrix::from_fn(rows, columns, |i, j| factor.get(i, j).to_f64().max(1e-3 * mean))
}

/// The fit without the report.
pub(super) fn fitted<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: &Guidance,
    loss: Loss,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Fit<T>> {
    let resolved = resolved(data, guidance, loss, settings)?;
    fit_observed(data, &model(&resolved, loss)?, settings, observer)
}

/// The guidance with exact cannot-links as exact sets.
fn resolved<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: &Guidance,
    loss: Loss,
    settings: &Settings,
) -> Result<Guidance> {
    match exact_cannot_links(guidance) {
        pairs if pairs.is_empty() => Ok(guidance.clone()),
        pairs => assigned(data, guidance, loss, settings, &pairs),
    }
}

/// The model that guidance stands for.
pub(super) fn model(guidance: &Guidance, loss: Loss) -> Result<Model> {
    Model::guided(guidance.clone()).with_loss(loss)
}

fn exact_cannot_links(guidance: &Guidance) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for item in guidance.advice() {
        if let Advice::Links { cannot, strength, .. } = item
            && strength.is_held()
        {
            pairs.extend(cannot.iter().copied());
        }
    }
    pairs
}

fn assigned<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: &Guidance,
    loss: Loss,
    settings: &Settings,
    pairs: &[(usize, usize)],
) -> Result<Guidance> {
    // Refuses a cannot-link inside of what is held together.
    let n = data.n_samples();
    let group: Vec<usize> = match crate::guidance::ties(guidance, n)? {
        Some(group) => group.iter().map(|q| *q as usize).collect(),
        None => (0..n).collect(),
    };
    let soft = match loss {
        Loss::Frobenius => without_exact_cannot_links(guidance),
        Loss::KullbackLeibler => without_cannot_links(guidance),
    };
    let first = fit(data, &model(&soft, loss)?, settings)?;
    let k = settings.rank;
    let lengths = component_lengths(&first.components);
    let share = Matrix::from_fn(data.n_samples(), k, |i, j| first.codes.get(i, j).to_f64() * lengths[j]);
    let colours = colour(pairs, &group, &share).ok_or_else(|| {
        Error::Guidance(format!(
            "k = {k} components are too few for the {} exact cannot-links; raise k, or lower the strength of \
            the links",
            pairs.len()
        ))
    })?;
    // Every component needs a name to be spoken of; free ones keep theirs.
    let mut named = without_cannot_links(guidance);
    let known: Vec<(String, usize)> = named.all_topics();
    let mut names: Vec<String> = Vec::new();
    for (name, components) in &known {
        (0..*components).for_each(|_| names.push(name.clone()));
    }
    // Topics that only items mention are named too, so that the order stays.
    for (name, components) in known {
        if !named.topics().iter().any(|topic| topic.name == name) {
            named.topics_mut().push(Topic { components, ..Topic::new(name) });
        }
    }
    for j in names.len()..k {
        let name = format!("part {}", j + 1);
        names.push(name.clone());
        named.topics_mut().push(Topic::new(name));
    }
    let unique: Vec<String> = names.iter().cloned().collect::<BTreeSet<_>>().into_iter().collect();
    let place: BTreeMap<&String, u32> =
        unique.iter().enumerate().map(|(at, name)| (name, at as u32)).collect();
    let sets =
        (0..data.n_samples()).map(|i| colours.get(&group[i]).map(|j| vec![place[&names[*j]]])).collect();
    let sets = Advice::Sets { names: unique.clone(), sets, strength: Strength::HELD };
    Ok(named.with(sets))
}

fn without_cannot_links(guidance: &Guidance) -> Guidance {
    let mut out = guidance.clone();
    for item in out.advice_mut() {
        if let Advice::Links { cannot, strength, .. } = item
            && strength.is_held()
        {
            cannot.clear();
        }
    }
    out
}

/// A component for each linked group of samples, no two of a pair alike: those with the fewest choices first,
/// the largest share first.
fn colour(pairs: &[(usize, usize)], group: &[usize], share: &Matrix<f64>) -> Option<BTreeMap<usize, usize>> {
    /// Steps of the search at most.
    const STEPS: usize = 200_000;
    let k = share.columns();
    let mut apart: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for &(i, l) in pairs {
        apart.entry(group[i]).or_default().insert(group[l]);
        apart.entry(group[l]).or_default().insert(group[i]);
    }
    let mut wanted: BTreeMap<usize, Vec<f64>> = apart.keys().map(|g| (*g, vec![0.0; k])).collect();
    for (i, g) in group.iter().enumerate() {
        if let Some(sums) = wanted.get_mut(g) {
            sums.iter_mut().zip(share.row(i)).for_each(|(s, v)| *s += v);
        }
    }
    let mut steps = 0;
    let mut chosen = BTreeMap::new();
    fn search(
        apart: &BTreeMap<usize, BTreeSet<usize>>,
        wanted: &BTreeMap<usize, Vec<f64>>,
        chosen: &mut BTreeMap<usize, usize>,
        steps: &mut usize,
    ) -> bool {
        let taken = |g: &usize, chosen: &BTreeMap<usize, usize>| {
            apart[g].iter().filter_map(|other| chosen.get(other).copied()).collect::<BTreeSet<usize>>()
        };
        let open = apart.keys().filter(|g| !chosen.contains_key(g));
        let Some(next) = open.max_by_key(|g| (taken(g, chosen).len(), apart[g].len(), usize::MAX - **g))
        else {
            return true;
        };
        let next = *next;
        let taken = taken(&next, chosen);
        let mut order: Vec<usize> = (0..wanted[&next].len()).filter(|j| !taken.contains(j)).collect();
        order.sort_by(|a, b| wanted[&next][*b].total_cmp(&wanted[&next][*a]).then(a.cmp(b)));
        for j in order {
            *steps += 1;
            if *steps > STEPS {
                return false;
            }
            chosen.insert(next, j);
            if search(apart, wanted, chosen, steps) {
                return true;
            }
            chosen.remove(&next);
        }
        false
    }
    search(&apart, &wanted, &mut chosen, &mut steps).then_some(chosen)
}

/// One strength of a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SweepPoint {
    /// What every σ was multiplied by.
    pub scale: f64,
    /// How well the data are fitted ([`Fit::relative_error`]).
    pub relative_error: f64,
    /// The fraction of the guidance that the result follows ([`GuidanceReport::agreement`]).
    pub agreement: f64,
}

/// The same guidance with every σ that is neither exact nor raw multiplied by `scale`; what is to be searched
/// has its default.
#[doc(hidden)]
pub fn scaled(guidance: &Guidance, scale: f64) -> Guidance {
    with_strengths(guidance, |strength, _| strength.scaled(scale))
}

/// The guidance at one scale of a search: the default of each strength of [`Strength::Auto`] times `scale` as
/// σ, the others as they are.
pub fn at_scale(guidance: &Guidance, scale: f64) -> Guidance {
    with_strengths(guidance, |strength, auto| if auto { strength.scaled(scale) } else { strength })
}

/// The guidance with changed strengths. `change` is given each strength, the default where it is to be
/// searched, and whether it is.
fn with_strengths(guidance: &Guidance, change: impl Fn(Strength, bool) -> Strength) -> Guidance {
    let new = |stated: Strength, default: Strength| match stated {
        Strength::Auto => change(default, true),
        stated => change(stated, false),
    };
    let mut out = guidance.clone();
    for item in out.advice_mut() {
        let Some(stated) = item.strength() else { continue };
        let strength = match item {
            // Fixed or ignored, nothing between.
            Advice::Labels { rule: LabelRule::SameCodes, .. } if stated != Strength::Auto => stated,
            _ => new(stated, item.default_strength()),
        };
        item.set_strength(strength);
    }
    for topic in out.topics_mut() {
        topic.strength = new(topic.strength, Strength::FIRM);
    }
    out
}

once! {
    /// Fit against agreement over strengths: one fit for each scale, from the same start.
    ///
    /// # Errors
    /// As [`fit_guided`]; [`Error::OutOfRange`] for a scale that is not a finite number of 0 or more.
    pub fn sweep<'a, T>(
        data: &'a dyn DataMatrix<T>,
        guidance: &'a Guidance,
        loss: Loss,
        settings: &'a Settings,
        scales: &'a [f64],
    ) -> Result<Vec<SweepPoint>> = swept;
}

/// The body of [`sweep`].
fn swept<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: &Guidance,
    loss: Loss,
    settings: &Settings,
    scales: &[f64],
) -> Result<Vec<SweepPoint>> {
    let guidance = &at_scale(guidance, 1.0);
    let point = |&scale: &f64| {
        if !(scale >= 0.0 && scale.is_finite()) {
            return Err(Error::out_of_range(
                "a scale of the strengths",
                scale,
                "a finite number of 0 or more",
            ));
        }
        let changed = resolved(data, &scaled(guidance, scale), loss, settings)?;
        let fit = fit(data, &model(&changed, loss)?, settings)?;
        // Also what a scale of 0 ignores is judged.
        let report = guidance_report(data, guidance, &fit, settings)?;
        Ok(SweepPoint { scale, relative_error: fit.relative_error, agreement: report.agreement() })
    };
    scales.iter().map(point).collect()
}

/// The smallest strength at which the guidance is still followed: the 95 % rule of WS-NMF for guidance of any
/// kind. Starting from `rule.start` times every σ and going down by `rule.factor`, the last scale at which
/// the agreement is at least `rule.threshold`. Returns the guidance with these strengths and what was tried.
///
/// # Errors
/// As [`sweep`]; [`Error::OutOfRange`] for the rule's numbers.
pub fn auto_strength<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: &Guidance,
    loss: Loss,
    settings: &Settings,
    rule: &StrengthRule,
) -> Result<(Guidance, Vec<SweepPoint>)> {
    let (scale, trace) = auto_scale(data, &|scale| scaled(guidance, scale), loss, settings, rule)?;
    Ok((scaled(guidance, scale), trace))
}

/// [`auto_strength`] for a part of the guidance: `at` gives the guidance at a scale, with what is not
/// searched as it is. Returns the last scale that is followed (`rule.start` when even that is not) and what
/// was tried.
///
/// # Errors
/// As [`auto_strength`].
#[doc(hidden)]
pub fn auto_scale<T: Real>(
    data: &dyn DataMatrix<T>,
    at: &dyn Fn(f64) -> Guidance,
    loss: Loss,
    settings: &Settings,
    rule: &StrengthRule,
) -> Result<(f64, Vec<SweepPoint>)> {
    auto_scale_observed(data, at, loss, settings, rule, &mut |_| ())
}

/// As [`auto_scale`], calling `tell` for each scale as soon as its fit is done.
///
/// # Errors
/// As [`auto_scale`].
#[doc(hidden)]
pub fn auto_scale_observed<T: Real>(
    data: &dyn DataMatrix<T>,
    at: &dyn Fn(f64) -> Guidance,
    loss: Loss,
    settings: &Settings,
    rule: &StrengthRule,
    tell: &mut dyn FnMut(&SweepPoint),
) -> Result<(f64, Vec<SweepPoint>)> {
    rule.check()?;
    let mut trace = Vec::new();
    let mut best = rule.start;
    let mut scale = rule.start;
    for _ in 0..rule.max_steps {
        let point = SweepPoint { scale, ..sweep(data, &at(scale), loss, settings, &[1.0])?[0] };
        trace.push(point);
        tell(&point);
        if point.agreement < rule.threshold {
            break;
        }
        best = scale;
        scale *= rule.factor;
    }
    Ok((best, trace))
}
