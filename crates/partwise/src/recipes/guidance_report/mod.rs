//! The report on the guidance. It asks two questions of every item: did the fit follow it, and do the data
//! agree with it? And it says of every topic how well it is what its guidance describes ([`TopicVerdict`]).
//!
//! ```text
//! share of topic t in sample i:   Σ_{j in t} wᵢⱼ‖hⱼ‖ / Σⱼ wᵢⱼ‖hⱼ‖
//! free share:                     the same with codes from the data of the sample alone
//! margin:                         free share of the sample's own topic less the largest free share of
//!                                 another
//! kept of a seed f of topic t:    (hⱼ_f/‖hⱼ‖) / (r_f/‖r‖), the best j in t;
//!                                 r: the samples that hold the topic's seeds
//! quality of topic t:             5·R·P / (4·P + R) over its expected members E and its samples C:
//!                                 R = |E ∩ C| / |E|, P = |E ∩ C| / |C|
//! ```

mod expected;
mod items;
mod likeness;
mod pairs;
mod placed;
mod seeds;
mod spread;
mod topics;

use super::memberships::{Owners, ShareOf, shares};
use crate::data::DataMatrix;
use crate::engine::losses::Loss;
use crate::engine::solvers::SolverChoice;
use crate::engine::{Settings, silent};
use crate::fit::{Encoding, Fit, encode};
use crate::foundation::{Matrix, Real, Result, names, once};
use crate::guidance::{Advice, Guidance, Plan};
use crate::problem::{SamplesOf, check_feature_weights, feature_scale, scaled_data, scaled_rows, shape};

pub use likeness::{GuidanceCost, Likeness, likeness};
pub use topics::{Level, TopicVerdict};

/// Did the fit do what was asked?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Verdict {
    /// Yes.
    Followed,
    /// No: a good fit of the data outweighed it.
    NotFollowed,
    /// There is nothing in the data that it could act on.
    NoSupport,
}

names! {
    #[doc(hidden)] Verdict, { Followed = "followed", NotFollowed = "not followed", NoSupport = "no support" }
}

/// Do the data agree, without the guidance?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Plausibility {
    /// The data alone would say the same.
    Fits,
    /// The data alone, or another item, say something else. It may be followed all the same.
    Surprising,
    /// The data cannot tell.
    Unknown,
}

names! {
    #[doc(hidden)] Plausibility, { Fits = "fits the data", Surprising = "surprising", Unknown = "unknown" }
}

/// One item, or one entry of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// `"label"`, `"set"`, `"membership"`, `"seed"`, `"forbidden"`, `"reference"`, `"must-link"`,
    /// `"cannot-link"`, `"graph"`, `"spread"`.
    pub kind: &'static str,
    /// The samples that it is about.
    pub samples: Vec<usize>,
    /// The topic that it is about.
    pub topic: Option<String>,
    /// Whether the fit follows it.
    pub verdict: Verdict,
    /// Whether the data agree.
    pub plausibility: Plausibility,
    /// A sentence.
    pub message: String,
    /// Numbers by name: `"share"`, `"free share"`, `"margin"`, `"cosine"`, `"overlap"`, `"kept"`, `"rank"`,
    /// `"distinct rank"`.
    pub numbers: Vec<(&'static str, f64)>,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct GuidanceReport {
    /// Every topic with guidance of its own, in the order of the components.
    pub topics: Vec<TopicVerdict>,
    /// Everything that the user said, in the canonical order of the items.
    pub findings: Vec<Finding>,
    /// What became of what a classifier derived ([`Advice::Spread`](crate::guidance::Advice::Spread)): one
    /// finding a topic. It counts in nothing else.
    pub derived: Vec<Finding>,
    /// How much the components of classes look like the samples of their class.
    pub likeness: Vec<Likeness>,
    /// How the classes of these samples are known, in words.
    pub likeness_of: &'static str,
    /// What the guidance costs in error; `None` where the fit without it was not made.
    pub cost: Option<GuidanceCost>,
}

impl GuidanceReport {
    /// How many have this verdict.
    #[doc(hidden)]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.findings.iter().filter(|finding| finding.verdict == verdict).count()
    }

    /// How many topics have this level.
    #[doc(hidden)]
    pub fn count_topics(&self, level: Level) -> usize {
        self.topics.iter().filter(|topic| topic.level == level).count()
    }

    /// What the data, or another item, disagree with.
    #[doc(hidden)]
    pub fn surprising(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.plausibility == Plausibility::Surprising)
    }

    /// What the fit does not follow, or could not.
    #[doc(hidden)]
    pub fn not_followed(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.verdict != Verdict::Followed)
    }

    /// The fraction of the items with support in the data that the result follows; 1 if there are none. What
    /// is surprising counts by the result alone. Forbidden features do not count: they are always kept out.
    pub fn agreement(&self) -> f64 {
        let supported: Vec<&Finding> = self
            .findings
            .iter()
            .filter(|f| f.verdict != Verdict::NoSupport && f.kind != "forbidden")
            .collect();
        let followed = supported.iter().filter(|f| f.verdict == Verdict::Followed).count();
        if supported.is_empty() { 1.0 } else { followed as f64 / supported.len() as f64 }
    }
}

/// What the findings are made of.
struct Reporter<'r> {
    topics: Vec<String>,
    /// The names of the topics, and then of the free components.
    places: Vec<String>,
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
    let plain = super::cannot_links::without_exact_cannot_links(guidance);
    let plan = Plan::new(&plain, shape, &SamplesOf(data))?;
    let counts: Vec<(String, usize)> =
        plan.topics.iter().map(|(name, range)| (name.clone(), range.len())).collect();
    let owners = Owners::new(&counts, &fit.component_names);
    let of = ShareOf::of_loss(fit.loss);
    let topics: Vec<String> = plan.topics.iter().map(|(name, _)| name.clone()).collect();
    let mut report = GuidanceReport::default();
    let guided_shares = shares(&fit.codes, &fit.components, of);
    let classes = known_classes(guidance, shape.samples, owners.names());
    report.likeness_of = match guidance.advice().iter().any(|item| matches!(item, Advice::Spread(_))) {
        true => "by its labels, and by what was derived from them",
        false => "by its labels",
    };
    report.likeness =
        likeness(data, &fit.components, &guided_shares, &fit.component_names, &owners, &classes);
    let mut reporter = Reporter {
        topics,
        places: owners.names().to_vec(),
        guided: owners.memberships(&guided_shares),
        free: owners.memberships(&shares(&free_codes(data, fit, settings)?, &fit.components, of)),
        labelled: vec![Vec::new(); shape.samples],
        report: &mut report,
    };
    reporter.seeds(data, guidance, fit, &plan, &owner_of_each(&owners));
    reporter.forbidden(guidance, fit, &plan);
    for item in guidance.advice() {
        if item.strength().is_some_and(|s| s.weight() == 0.0) {
            continue;
        }
        reporter.add(item, fit, &plan);
    }
    reporter.judge_topics(data, guidance, fit, &plan);
    Ok(report)
}

/// The topic of each sample (n) by its label, or else by what was derived, as a number of the `owners`.
fn known_classes(guidance: &Guidance, n: usize, owners: &[String]) -> Vec<Option<usize>> {
    let place = |name: &String| owners.iter().position(|owner| owner == name);
    let mut classes = vec![None; n];
    for item in guidance.advice() {
        let of = |i: usize| match item {
            Advice::Labels { labels, .. } => labels.class(i).map(|class| &labels.names()[class]),
            Advice::Spread(spread) => spread.topic(i).map(|(topic, _)| &spread.names[topic]),
            _ => None,
        };
        classes.iter_mut().enumerate().for_each(|(i, class)| *class = class.or_else(|| place(of(i)?)));
    }
    classes
}

/// The owner of each component (k).
fn owner_of_each(owners: &Owners) -> Vec<usize> {
    let of = |(owner, range): (usize, &std::ops::Range<usize>)| std::iter::repeat_n(owner, range.len());
    owners.components().iter().enumerate().flat_map(of).collect()
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

    /// The name of the topic or of the free component at a place, in quotes.
    fn place(&self, at: usize) -> String {
        format!("\"{}\"", self.places[at])
    }

    fn push(&mut self, finding: Finding) {
        self.report.findings.push(finding);
    }
}

/// A feature in messages: its name in quotes, or its number.
fn feature_label(guidance: &Guidance, feature: usize) -> String {
    guidance
        .feature_names()
        .map_or_else(|| format!("feature {feature}"), |names| format!("\"{}\"", names[feature]))
}

/// A fraction in messages.
fn percent(fraction: f64) -> String {
    format!("{:.0} %", 100.0 * fraction)
}

/// The verdict on something that has support.
fn followed(yes: bool) -> Verdict {
    if yes { Verdict::Followed } else { Verdict::NotFollowed }
}
