//! The report on the guidance: for each item whether it was honoured, overruled, contradicted by the data or
//! by another item, or had no support in the data, with the numbers.
//!
//! ```text
//! share of topic t in sample i:   Σ_{j in t} wᵢⱼ‖hⱼ‖ / Σⱼ wᵢⱼ‖hⱼ‖
//! free share:                     the same with codes from the data of the sample alone
//! margin:                         free share of the sample's own topic less the largest free share of
//!                                 another
//! kept of a seed f of topic t:    (hⱼ_f/‖hⱼ‖) / (r_f/‖r‖), the best j in t;
//!                                 r: the samples that hold the topic's seeds
//! ```

mod seeds;
mod spread;

use super::memberships::{ShareOf, largest, shares};
use crate::data::DataMatrix;
use crate::engine::losses::Loss;
use crate::engine::solvers::SolverChoice;
use crate::engine::{Settings, silent};
use crate::fit::{Encoding, Fit, encode};
use crate::foundation::{Matrix, Real, Result, names, once};
use crate::guidance::{Advice, Guidance, LabelRule, Plan};
use crate::problem::{check_feature_weights, feature_scale, scaled_data, scaled_rows, seeded, shape};

/// The verdict on an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Verdict {
    /// The result follows it.
    Honoured,
    /// The result does not follow it: the fit weighed more.
    Overruled,
    /// The data, or another item, disagree.
    Contradicted,
    /// There is nothing in the data that it could act on.
    NoSupport,
}

names! {
    Verdict, {
        Honoured = "honoured", Overruled = "overruled", Contradicted = "contradicted", NoSupport = "no support",
    }
}

/// One item, or one entry of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// `"label"`, `"set"`, `"membership"`, `"seed"`, `"reference"`, `"must-link"`, `"cannot-link"`,
    /// `"graph"`, `"spread"`.
    pub kind: &'static str,
    /// The samples that it is about.
    pub samples: Vec<usize>,
    /// The topic that it is about.
    pub topic: Option<String>,
    /// The verdict on it.
    pub verdict: Verdict,
    /// A sentence.
    pub message: String,
    /// Numbers by name: `"share"`, `"free share"`, `"margin"`, `"cosine"`, `"overlap"`, `"kept"`, `"rank"`.
    pub numbers: Vec<(&'static str, f64)>,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct GuidanceReport {
    /// Everything that the user said, in the canonical order of the items.
    pub findings: Vec<Finding>,
    /// What became of what a classifier derived ([`Advice::Spread`]): one finding a topic. It counts in
    /// nothing else.
    pub derived: Vec<Finding>,
}

impl GuidanceReport {
    /// How many have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.findings.iter().filter(|finding| finding.verdict == verdict).count()
    }

    /// The fraction of the items with support in the data that the result follows; 1 if there are none. What
    /// the data contradict may be followed all the same: it counts by the result alone.
    pub fn agreement(&self) -> f64 {
        let supported: Vec<&Finding> =
            self.findings.iter().filter(|f| f.verdict != Verdict::NoSupport).collect();
        let followed = supported.iter().filter(|f| f.numbers.contains(&("followed", 1.0))).count();
        if supported.is_empty() { 1.0 } else { followed as f64 / supported.len() as f64 }
    }
}

/// Shares of the topics (n × topics) and then of each free component, from shares of the components.
fn of_topics(shares: &Matrix<f64>, owner: &[usize], parts: usize) -> Matrix<f64> {
    let mut out = Matrix::<f64>::zeros(shares.rows(), parts);
    for i in 0..shares.rows() {
        let row = out.row_mut(i);
        shares.row(i).iter().zip(owner).for_each(|(share, owner)| row[*owner] += share);
    }
    out
}

struct Reporter<'r> {
    topics: Vec<String>,
    /// Shares of the guided codes, and of the free ones.
    guided: Matrix<f64>,
    free: Matrix<f64>,
    /// The topics that labels gave each sample so far.
    labelled: Vec<Vec<usize>>,
    report: &'r mut GuidanceReport,
}

once! {
    /// Compares a fit with the guidance that it was made by.
    ///
    /// # Errors
    /// Faults of the guidance for these data, as in [`fit`](crate::fit()).
    pub fn guidance_report<'a, T>(
        data: &'a dyn DataMatrix<T>,
        guidance: &'a Guidance,
        fit: &'a Fit<T>,
        settings: &'a Settings,
    ) -> Result<GuidanceReport> = compared;
}

/// The body of [`guidance_report`].
fn compared<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: &Guidance,
    fit: &Fit<T>,
    settings: &Settings,
) -> Result<GuidanceReport> {
    let Some(weights) = guidance.feature_weights()? else { return report(data, guidance, fit, settings) };
    // Everything is compared where features count as the fit had them.
    check_feature_weights(weights, data.n_features())?;
    let scale = feature_scale(weights, fit.loss);
    let mut scaled = fit.clone();
    scaled.components = scaled_rows(&fit.components.transposed(), &scale).transposed();
    report(scaled_data(data, &scale).as_ref(), &guidance.with_scaled_references(&scale), &scaled, settings)
}

/// The report where every feature counts as it is.
fn report<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: &Guidance,
    fit: &Fit<T>,
    settings: &Settings,
) -> Result<GuidanceReport> {
    let shape = shape(data, fit.components.rows());
    let plan = Plan::new(&super::cannot_links::without_exact_cannot_links(guidance), shape, &|seeds| {
        seeded(data, seeds)
    })?;
    let parts = plan.topics.len() + shape.rank - plan.topics.last().map_or(0, |(_, range)| range.end);
    let mut owner = Vec::with_capacity(shape.rank);
    for (topic, (_, range)) in plan.topics.iter().enumerate() {
        owner.extend(range.clone().map(|_| topic));
    }
    (owner.len()..shape.rank).enumerate().for_each(|(at, _)| owner.push(plan.topics.len() + at));
    let of = ShareOf::of_loss(fit.loss);
    let mut report = GuidanceReport::default();
    let mut reporter = Reporter {
        topics: plan.topics.iter().map(|(name, _)| name.clone()).collect(),
        guided: of_topics(&shares(&fit.codes, &fit.components, of), &owner, parts),
        free: of_topics(&shares(&free_codes(data, fit, settings)?, &fit.components, of), &owner, parts),
        labelled: vec![Vec::new(); shape.samples],
        report: &mut report,
    };
    reporter.seeds(data, guidance, fit, &plan, &owner);
    for item in guidance.advice() {
        if item.strength().is_some_and(|s| s.weight() == 0.0) {
            continue;
        }
        reporter.add(item, fit, &plan);
    }
    Ok(report)
}

/// The codes that each sample gets from its data alone: exact least squares, or multiplicative updates.
fn free_codes<T: Real>(data: &dyn DataMatrix<T>, fit: &Fit<T>, settings: &Settings) -> Result<Matrix<T>> {
    let exact = Settings {
        solver: SolverChoice::Bpp,
        max_iterations: 1,
        time_limit: None,
        ..Settings::new(fit.components.rows())
    };
    let plain = Settings { solver: SolverChoice::Auto, l1: (0.0, 0.0), l2: (0.0, 0.0), ..settings.clone() };
    let how =
        Settings { threads: settings.threads, ..if fit.loss == Loss::Frobenius { exact } else { plain } };
    let encoding = Encoding::plain(fit.components.rows());
    Ok(encode(data, &fit.components, &encoding, fit.loss, &how, &mut silent)?.codes)
}

impl Reporter<'_> {
    fn topic(&self, name: &str) -> usize {
        self.topics.iter().position(|t| t == name).expect("every name that an item mentions is a topic")
    }

    fn push(
        &mut self,
        kind: &'static str,
        samples: Vec<usize>,
        topic: Option<String>,
        (verdict, followed): (Verdict, bool),
        message: String,
        mut numbers: Vec<(&'static str, f64)>,
    ) {
        numbers.push(("followed", f64::from(followed)));
        self.report.findings.push(Finding { kind, samples, topic, verdict, message, numbers });
    }

    fn add<T: Real>(&mut self, item: &Advice, fit: &Fit<T>, plan: &Plan) {
        match item {
            Advice::Labels { labels, rule, .. } => {
                for i in 0..labels.n_samples() {
                    if let Some(class) = labels.class(i) {
                        let topic = self.topic(&labels.names()[class]);
                        self.placement("label", i, &[topic], *rule != LabelRule::Components);
                    }
                }
            }
            Advice::Sets { names, sets, .. } => {
                for (i, set) in sets.iter().enumerate() {
                    if let Some(set) = set {
                        let topics: Vec<usize> =
                            set.iter().map(|at| self.topic(&names[*at as usize])).collect();
                        self.placement("set", i, &topics, false);
                    }
                }
            }
            Advice::Memberships { names, shares, .. } => self.memberships(names, shares),
            Advice::References { names, profiles, .. } => self.references(names, profiles, fit, plan),
            Advice::Links { must, cannot, .. } => {
                must.iter().for_each(|&pair| self.link(pair, true));
                cannot.iter().for_each(|&pair| self.link(pair, false));
            }
            Advice::Graph { graph, .. } => self.graph(graph),
            Advice::Spread(spread) => self.spread(spread),
            _ => {}
        }
    }

    /// A sample that belongs to some topics.
    fn placement(&mut self, kind: &'static str, i: usize, topics: &[usize], loose: bool) {
        let guided = self.guided.row(i);
        let free = self.free.row(i);
        let inside = |row: &[f64]| topics.iter().map(|t| row[*t]).sum::<f64>();
        let other = |row: &[f64]| {
            (0..row.len()).filter(|t| !topics.contains(t)).map(|t| row[t]).fold(0.0f64, f64::max)
        };
        let best = topics.iter().map(|t| free[*t]).fold(0.0f64, f64::max);
        let (share, free_share, margin) = (inside(guided), inside(free), best - other(free));
        let followed = topics.contains(&largest(guided));
        let names: Vec<String> = topics.iter().map(|t| format!("\"{}\"", self.topics[*t])).collect();
        let subject = format!("{kind} {} of sample {i}", names.join(" or "));
        let empty = guided.iter().all(|s| *s == 0.0);
        let against = self.labelled[i].iter().find(|t| kind == "label" && !topics.contains(t)).copied();
        let place = |row: &[f64], topics: &[String]| {
            let at = largest(row);
            topics.get(at).map_or_else(|| "a free component".to_string(), |t| format!("\"{t}\""))
        };
        let (verdict, message) = if empty {
            (
                Verdict::NoSupport,
                format!(
                    "{subject}: the sample has zero codes, because its data are empty or \
                zero"
                ),
            )
        } else if let Some(against) = against {
            (
                Verdict::Contradicted,
                format!("{subject}: another item gives it the label \"{}\"", self.topics[against]),
            )
        } else if margin < 0.0 {
            (
                Verdict::Contradicted,
                format!(
                    "{subject}: the data alone put it into {} (membership in its own topic {free_share:.2}, \
                    margin {margin:.2})",
                    place(free, &self.topics)
                ),
            )
        } else if !followed && !loose {
            (
                Verdict::Overruled,
                format!(
                    "{subject}: the fit put it into {} (membership in its own topic {share:.2})",
                    place(guided, &self.topics)
                ),
            )
        } else {
            (Verdict::Honoured, format!("{subject}: membership {share:.2}, margin {margin:.2}"))
        };
        if kind == "label" {
            self.labelled[i].push(topics[0]);
        }
        let topic = (topics.len() == 1).then(|| self.topics[topics[0]].clone());
        let numbers = vec![("share", share), ("free share", free_share), ("margin", margin)];
        self.push(kind, vec![i], topic, (verdict, followed), message, numbers);
    }

    fn memberships(&mut self, names: &[String], shares: &Matrix<f64>) {
        for i in 0..shares.rows() {
            let known: Vec<(usize, f64)> = names
                .iter()
                .enumerate()
                .filter(|(c, _)| !shares.get(i, *c).is_nan())
                .map(|(c, name)| (self.topic(name), shares.get(i, c)))
                .collect();
            let total: f64 = known.iter().map(|(_, s)| s).sum();
            if known.is_empty() || total == 0.0 {
                continue;
            }
            let row = self.guided.row(i);
            let held: f64 = known.iter().map(|(t, _)| row[*t]).sum();
            let distance: f64 = known
                .iter()
                .map(|(t, s)| (s / total - if held > 0.0 { row[*t] / held } else { 0.0 }).abs())
                .sum::<f64>()
                / 2.0;
            let followed = distance <= 0.1;
            let verdict = if held == 0.0 && row.iter().all(|s| *s == 0.0) {
                Verdict::NoSupport
            } else if followed {
                Verdict::Honoured
            } else {
                Verdict::Overruled
            };
            let message = format!(
                "membership of sample {i}: {:.0} % of it differs from the given membership",
                100.0 * distance
            );
            let numbers = vec![("distance", distance), ("share", held)];
            self.push("membership", vec![i], None, (verdict, followed), message, numbers);
        }
    }

    fn references<T: Real>(&mut self, names: &[String], profiles: &Matrix<f64>, fit: &Fit<T>, plan: &Plan) {
        let cosine = |r: &[f64], h: &[T]| {
            let product: f64 = r.iter().zip(h).map(|(r, h)| r * h.to_f64()).sum();
            let squares = |v: &mut dyn Iterator<Item = f64>| v.map(|v| v * v).sum::<f64>();
            let size = (squares(&mut r.iter().copied()) * squares(&mut h.iter().map(|h| h.to_f64()))).sqrt();
            if size > 0.0 { product / size } else { 0.0 }
        };
        for (row, name) in names.iter().enumerate() {
            let earlier = names[..row].iter().filter(|other| *other == name).count();
            let topic = self.topic(name);
            let Some(j) = plan.topics[topic].1.clone().nth(earlier) else { continue };
            let profile = profiles.row(row);
            let all: Vec<f64> =
                (0..fit.components.rows()).map(|c| cosine(profile, fit.components.row(c))).collect();
            let (own, nearest) = (all[j], largest(&all));
            let followed = own >= 0.9 && own >= all[nearest] - 1e-9;
            let verdict = match (profile.iter().all(|v| *v == 0.0), followed) {
                (true, _) => Verdict::NoSupport,
                (false, true) => Verdict::Honoured,
                (false, false) => Verdict::Overruled,
            };
            let elsewhere = if nearest == j {
                String::new()
            } else {
                format!("; \"{}\" is closer ({:.2})", fit.component_names[nearest], all[nearest])
            };
            let message =
                format!("reference of \"{name}\": its component has the cosine {own:.2} to it{elsewhere}");
            let numbers = vec![("cosine", own)];
            self.push("reference", Vec::new(), Some(name.clone()), (verdict, followed), message, numbers);
        }
    }

    fn link(&mut self, (i, l): (usize, usize), together: bool) {
        let (a, b) = (self.guided.row(i), self.guided.row(l));
        let overlap: f64 = a.iter().zip(b).map(|(a, b)| a.min(*b)).sum();
        let same = largest(a) == largest(b);
        let followed = same == together;
        let kind = if together { "must-link" } else { "cannot-link" };
        let label = |i: usize| self.labelled[i].first().copied();
        let labels = label(i).zip(label(l)).filter(|(a, b)| (a == b) != together);
        let (verdict, message) = match labels {
            Some((a, b)) => (
                Verdict::Contradicted,
                format!(
                    "{kind} of samples {i} and {l}: their labels are \"{}\" and \"{}\"",
                    self.topics[a], self.topics[b]
                ),
            ),
            None => {
                let (ta, tb) = (self.free.row(i), self.free.row(l));
                let free = (largest(ta) == largest(tb)) == together;
                let message = format!(
                    "{kind} of samples {i} and {l}: they are in {}, and {:.0} % of their memberships \
                    overlaps{}",
                    if same { "the same component" } else { "different components" },
                    100.0 * overlap,
                    if free { "" } else { "; the data alone disagree" }
                );
                let verdict = match (followed, free) {
                    (true, true) => Verdict::Honoured,
                    (true, false) => Verdict::Contradicted,
                    (false, _) => Verdict::Overruled,
                };
                (verdict, message)
            }
        };
        self.push(kind, vec![i, l], None, (verdict, followed), message, vec![("overlap", overlap)]);
    }

    fn graph(&mut self, graph: &crate::graphs::Graph) {
        let (mut agree, mut all) = (0.0, 0.0);
        for (i, l, weight) in graph.entries().into_iter().filter(|(i, l, _)| i != l) {
            all += weight;
            if largest(self.guided.row(i)) == largest(self.guided.row(l)) {
                agree += weight;
            }
        }
        let share = if all > 0.0 { agree / all } else { 0.0 };
        let followed = share >= 0.5;
        let verdict = match (all > 0.0, followed) {
            (false, _) => Verdict::NoSupport,
            (true, true) => Verdict::Honoured,
            (true, false) => Verdict::Overruled,
        };
        let message =
            format!("graph: {:.0} % of its weight connects samples of the same component", 100.0 * share);
        self.push("graph", Vec::new(), None, (verdict, followed), message, vec![("share", share)]);
    }
}
