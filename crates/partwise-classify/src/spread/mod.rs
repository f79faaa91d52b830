//! Spreading: what the classifier derives from labels becomes guidance on the samples without one, so that a
//! guided factorization learns from few labels.
//!
//! ```text
//! posteriors   those of the classifier for the samples without a label
//! weights      each sample starts with a cost of 0.1 for what lies outside of its most likely topic; short
//!              fits, each from the last one; where another topic has more than 0.8 times the membership of
//!              its own, the cost is multiplied by 3, up to that of a firm label; then a few whole fits,
//!              after which what is still elsewhere costs 9 times as much
//! scorer       ridge regression of the posteriors, linear or by a kernel as held-out samples decide, for
//!              samples that the fit has not seen
//! ```
//!
//! So a sample that the parts put into its topic anyway is hardly touched, and the parts stay close to those
//! of the data.

mod components;
mod new_samples;
mod scorer;
mod weights;

use partwise::guidance::{ComponentsPerClass, Spread};
use partwise::recipes::at_scale;
use partwise::{
    Advice, DataMatrix, Error, Guidance, Labels, Loss, Matrix, Model, Notice, Real, Result, Settings,
    Strength, fit, once,
};

use crate::result::Classification;
use crate::settings::ClassifySettings;
use crate::{Phase, classify_observed};

pub use components::COMPONENTS_PER_CLASS;
pub use new_samples::{encode_by_classes, encode_by_scorer};

/// When labels are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Spreading {
    /// Where samples of at least two classes are labelled, others are not, every entry is known, and the
    /// classifier predicts held-out labels better than by chance (asked from 30 of them on); where no class
    /// has two labels, so that none can be held out, from 50 samples on.
    #[default]
    Auto,
    /// Always; what makes it impossible is an error.
    On,
    /// Never.
    Off,
}

impl Spreading {
    /// Every choice, the default first.
    pub const ALL: [Spreading; 3] = [Spreading::Auto, Spreading::On, Spreading::Off];

    /// `"auto"`, `"on"` or `"off"`.
    pub fn name(self) -> &'static str {
        match self {
            Spreading::Auto => "auto",
            Spreading::On => "on",
            Spreading::Off => "off",
        }
    }

    /// What it means, in a few words.
    pub fn summary(self) -> &'static str {
        match self {
            Spreading::Auto => {
                "if two or more classes have labels, some samples have none, all entries are known, and \
                held-out labels (from 30 on) are predicted better than by chance; with one label per class \
                from 50 samples on"
            }
            Spreading::On => "always; it is an error where that is not possible",
            Spreading::Off => "never",
        }
    }

    /// The choice with this name.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the valid names.
    pub fn from_name(name: &str) -> Result<Self> {
        let valid = || Spreading::ALL.iter().map(|choice| choice.name().to_string()).collect();
        Spreading::ALL.into_iter().find(|choice| choice.name() == name).ok_or_else(|| Error::UnknownName {
            kind: "spreading of labels".into(),
            name: name.into(),
            valid: valid(),
        })
    }
}

/// What is derived from labels before a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SpreadSettings {
    /// When labels are spread.
    pub spreading: Spreading,
    /// With [`ComponentsPerClass::Auto`], classes whose topic has one component get as many as their samples
    /// need. A number changes nothing here: topics state their components.
    pub components_per_class: ComponentsPerClass,
}

impl From<Spreading> for SpreadSettings {
    fn from(spreading: Spreading) -> Self {
        SpreadSettings { spreading, ..SpreadSettings::default() }
    }
}

/// Guidance with what was derived from its labels.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SpreadLabels {
    /// The guidance as it was given, and where labels were spread two further items, [`Advice::Spread`] and
    /// [`Advice::Scorer`].
    pub guidance: Guidance,
    /// The rank for the fit: that of the settings, and the components that were added.
    pub rank: usize,
    /// What the classifier found; none where labels were not spread.
    pub classification: Option<Classification>,
    /// What was done or not done, and why, in a sentence each.
    pub notices: Vec<Notice>,
}

/// The code of notices on spreading.
pub const SPREAD: &str = "spread";

/// Adds to `guidance` what the classifier derives from its labels; what was derived before is replaced.
/// `settings` are those of the fit to come, whose rank may exceed the topics' components.
///
/// # Errors
/// With [`Spreading::On`]: [`Error::Guidance`] where there is nothing to spread, and the faults of
/// [`classify`](crate::classify()) and of the fits. [`Spreading::Auto`] leaves the guidance as it is then,
/// and says why.
pub fn spread<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: &Guidance,
    loss: Loss,
    settings: &Settings,
    how: impl Into<SpreadSettings>,
) -> Result<SpreadLabels> {
    spread_observed(data, guidance, loss, settings, how.into(), &mut |_| ())
}

once! {
    /// As [`spread`]; calls `observe` as each phase of the classifier begins.
    ///
    /// # Errors
    /// As [`spread`].
    pub fn spread_observed<'a, T>(
        data: &'a dyn DataMatrix<T>,
        guidance: &'a Guidance,
        loss: Loss,
        settings: &'a Settings,
        how: SpreadSettings,
        observe: &'a mut dyn FnMut(Phase),
    ) -> Result<SpreadLabels> = spread_labels;
}

/// The body of [`spread_observed`].
fn spread_labels<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: &Guidance,
    loss: Loss,
    settings: &Settings,
    how: SpreadSettings,
    observe: &mut dyn FnMut(Phase),
) -> Result<SpreadLabels> {
    let plain = without_derived(guidance);
    let unchanged = |notice: Option<Notice>| {
        let guidance = if how.spreading == Spreading::Off { &plain } else { guidance };
        let (guidance, rank) = (guidance.clone(), settings.rank);
        let done = SpreadLabels { guidance, rank, classification: None, notices: Vec::from_iter(notice) };
        with_components_of_labels(data, done, settings, how)
    };
    if how.spreading == Spreading::Off {
        return unchanged(None);
    }
    let labels = match spreadable(&plain, data.n_samples()) {
        Ok(labels) => labels,
        Err(_) if how.spreading == Spreading::Auto => return unchanged(None),
        Err(reason) => return Err(Error::Guidance(format!("labels cannot be spread: {reason}"))),
    };
    if data.blocks().is_some() {
        let message = "the few-label classifier needs all of the data in memory, but they are read in blocks";
        if how.spreading == Spreading::On {
            return Err(Error::Guidance(format!("labels cannot be spread: {message}")));
        }
        let message = format!("labels guide only the samples that have one: {message}");
        return unchanged(Some(Notice { code: SPREAD, message }));
    }
    if how.spreading == Spreading::Auto && cannot_judge(&labels) {
        let message = format!(
            "labels were not spread: no class has two labels, so none can be held out to judge the few-label \
            classifier, and of {} samples (fewer than {LEAST_SAMPLES}) it learns too little; two labels per \
            class, or spread on, spread them",
            data.n_samples()
        );
        return unchanged(Some(Notice { code: SPREAD, message }));
    }
    match derived(data, &plain, &labels, (loss, settings), how, observe) {
        Ok(done) => Ok(done),
        // What is wrong with the data or settings is for the fit to say.
        Err(error @ (Error::Memory { .. } | Error::Labels(_))) if how.spreading == Spreading::Auto => {
            unchanged(Some(Notice { code: SPREAD, message: format!("labels were not spread: {error}") }))
        }
        Err(_) if how.spreading == Spreading::Auto => unchanged(None),
        Err(error) => Err(error),
    }
}

/// With components per class from labelled samples alone, where they are asked for.
fn with_components_of_labels<T: Real>(
    data: &dyn DataMatrix<T>,
    mut done: SpreadLabels,
    settings: &Settings,
    how: SpreadSettings,
) -> Result<SpreadLabels> {
    if how.components_per_class != ComponentsPerClass::Auto {
        return Ok(done);
    }
    let Some(labels) = labels_of(&done.guidance, data.n_samples()) else {
        let message = "components per class \"auto\" need labels, one for each labelled sample";
        return Err(Error::Guidance(message.into()));
    };
    let (guidance, added, notice) = components::chosen(data, &done.guidance, &labels, None, settings.seed);
    (done.guidance, done.rank) = (guidance, done.rank + added);
    done.notices.push(notice);
    Ok(done)
}

fn derived<T: Real>(
    data: &dyn DataMatrix<T>,
    plain: &Guidance,
    labels: &Labels,
    (loss, settings): (Loss, &Settings),
    how: SpreadSettings,
    observe: &mut dyn FnMut(Phase),
) -> Result<SpreadLabels> {
    // What is wrong with the data or the settings is found before the classifier takes its time.
    let model = Model::guided(for_short_fits(plain)).with_loss(loss)?;
    fit(data, &model, &Settings { max_iterations: 0, ..settings.clone() })?;
    let classify_settings = ClassifySettings {
        seed: settings.seed,
        threads: settings.threads,
        memory_limit: settings.memory_limit,
        ..ClassifySettings::default()
    };
    let found = classify_observed(data, labels, &classify_settings, observe)?;
    let mut done = SpreadLabels {
        guidance: plain.clone(),
        rank: settings.rank,
        classification: None,
        notices: Vec::new(),
    };
    if how.spreading == Spreading::Auto && !better_than_chance(&found, labels.n_classes()) {
        let message = "labels were not spread: held-out labels are predicted no better than by chance";
        done.notices.push(Notice { code: SPREAD, message: message.into() });
        done.classification = Some(found);
        return with_components_of_labels(data, done, settings, how);
    }
    if how.components_per_class == ComponentsPerClass::Auto {
        let (guidance, added, notice) =
            components::chosen(data, plain, labels, Some(&found.posteriors), settings.seed);
        (done.guidance, done.rank) = (guidance, done.rank + added);
        done.notices.push(notice);
    }
    let settings = Settings { rank: done.rank, ..settings.clone() };
    done.guidance = spread_found(data, &done.guidance, labels, &found, loss, &settings)?;
    let count = data.n_samples() - labels.n_labelled();
    let message = format!(
        "{} labels were spread to the {count} samples without one by the few-label classifier{}; \
        spread off fits without it",
        labels.n_labelled(),
        match found.held_out_score() {
            Some(score) => format!(" (held-out score {score:.2})"),
            None => String::new(),
        }
    );
    done.notices.insert(0, Notice { code: SPREAD, message });
    done.classification = Some(found);
    Ok(done)
}

once! {
    /// Adds to `guidance` what the classification `found` of the `labels` derived. `settings` are those of
    /// the fit to come.
    ///
    /// # Errors
    /// The faults of the fits.
    pub fn spread_found<'a, T>(
        data: &'a dyn DataMatrix<T>,
        guidance: &'a Guidance,
        labels: &'a Labels,
        found: &'a Classification,
        loss: Loss,
        settings: &'a Settings,
    ) -> Result<Guidance> = with_found;
}

/// The body of [`spread_found`].
fn with_found<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: &Guidance,
    labels: &Labels,
    found: &Classification,
    loss: Loss,
    settings: &Settings,
) -> Result<Guidance> {
    let plain = without_derived(guidance);
    let scorer = scorer::learned(data, labels.names(), &found.posteriors, settings.seed);
    let (n, classes) = found.posteriors.shape();
    if labels.n_labelled() == n {
        return Ok(plain.with(Advice::Scorer(scorer)));
    }
    let posterior = |i: usize, c: usize| match labels.class(i) {
        Some(_) => f64::NAN,
        None => found.posteriors.get(i, c),
    };
    let mut item = Spread {
        names: labels.names().to_vec(),
        posteriors: Matrix::from_fn(n, classes, posterior),
        weights: vec![0.0; n],
        strength: Strength::FIRM,
    };
    item.weights = weights::least_that_follow(data, &plain, &item, loss, settings)?;
    Ok(plain.with(Advice::Spread(item)).with(Advice::Scorer(scorer)))
}

/// The guidance without what was derived.
fn without_derived(guidance: &Guidance) -> Guidance {
    let mut plain = guidance.clone();
    plain.advice_mut().retain(|item| !matches!(item, Advice::Spread(_) | Advice::Scorer(_)));
    plain
}

/// The labels to spread, of the classes that have some; or why there are none.
fn spreadable(guidance: &Guidance, n: usize) -> std::result::Result<Labels, String> {
    let unknown = |item: &&Advice| {
        matches!(item, Advice::KnownEntries(_) | Advice::KnownFeatures(_) | Advice::EntryWeights(_))
    };
    if let Some(item) = guidance.advice().into_iter().find(unknown) {
        return Err(format!("the classifier needs all entries, but the guidance has {}", item.kind()));
    }
    let Some(labels) = labels_of(guidance, n).filter(|labels| labels.n_classes() >= 2) else {
        return Err("that needs labelled samples of at least two classes".into());
    };
    if labels.n_labelled() == n {
        return Err("every sample has a label".into());
    }
    Ok(labels)
}

/// The class of each sample by all labels of the guidance, with the names of the classes that have some.
fn labels_of(guidance: &Guidance, n: usize) -> Option<Labels> {
    let mut classes: Vec<Option<&str>> = vec![None; n];
    for item in guidance.advice() {
        let Advice::Labels { labels, strength, .. } = item else { continue };
        if labels.n_samples() != n || *strength == Strength::Relative(0.0) {
            continue;
        }
        for (i, class) in classes.iter_mut().enumerate() {
            *class = class.or_else(|| labels.class(i).map(|c| labels.names()[c].as_str()));
        }
    }
    let mut names: Vec<String> = Vec::new();
    // In the order of the topics, so that columns and components are in the same order.
    for (name, _) in guidance.all_topics() {
        if classes.contains(&Some(name.as_str())) {
            names.push(name);
        }
    }
    let number = |class: &Option<&str>| match class {
        Some(class) => names.iter().position(|name| name == class).map_or(-1, |at| at as i32),
        None => -1,
    };
    let numbers: Vec<i32> = classes.iter().map(number).collect();
    if names.is_empty() {
        return None;
    }
    Labels::with_names(&numbers, &names).ok()
}

/// Fewer held-out labels cannot tell.
const ENOUGH_HELD_OUT: usize = 30;
/// Where no label can be held out, so many samples are needed. Of fewer, the neighbours of a sample are a
/// large part of all, and where classes lie depends on the one label of each more than on other samples.
const LEAST_SAMPLES: usize = 50;

/// Whether nothing can be held out to judge the classifier, and the samples are too few to trust it unjudged.
fn cannot_judge(labels: &Labels) -> bool {
    labels.n_samples() < LEAST_SAMPLES && labels.counts().iter().all(|count| *count < 2)
}

fn better_than_chance(found: &Classification, classes: usize) -> bool {
    let chance = 1.0 / classes as f64;
    // Two standard errors of guessing: random labels must not pass.
    let least = chance + 2.0 * (chance * (1.0 - chance) / found.held_out.max(1) as f64).sqrt();
    found.held_out < ENOUGH_HELD_OUT || found.held_out_score().is_none_or(|score| score > least)
}

/// The guidance for short fits: defaults in place of strengths to search, and without links, of which exact
/// ones need fits of their own.
fn for_short_fits(guidance: &Guidance) -> Guidance {
    let mut short = at_scale(guidance, 1.0);
    short.advice_mut().retain(|item| !matches!(item, Advice::Links { .. }));
    short
}
