//! The verdict on a topic: is it what its guidance describes?

use super::expected::expected;
use super::seeds::unimportant_from;
use super::{Finding, Plausibility, Reporter, Verdict, feature_label, followed, percent};
use crate::data::{DataMatrix, of_each_sample};
use crate::fit::Fit;
use crate::foundation::{Real, names};
use crate::guidance::{Guidance, Plan};
use crate::recipes::memberships::clusters;

/// From this quality on a topic is good, and below that one it is weak.
const GOOD: f64 = 0.65;
const WEAK: f64 = 0.4;

/// How well a topic is what its guidance describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// It has most of the samples that its guidance describes, and few others.
    Good,
    /// It has some of them, or many others.
    Fair,
    /// It has few of them, or another component has more.
    Weak,
}

names! { #[doc(hidden)] Level, { Good = "good", Fair = "fair", Weak = "weak" } }

/// What became of a topic.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TopicVerdict {
    /// Its name.
    pub topic: String,
    /// How well it is what its guidance describes.
    pub level: Level,
    /// Whether the fit follows most of what was said about it.
    pub verdict: Verdict,
    /// Whether the data alone would put the samples that its guidance describes into it.
    pub plausibility: Plausibility,
    /// The topic or free component that has the most of these samples beside it.
    pub taken_by: Option<String>,
    /// A sentence.
    pub message: String,
    /// Numbers by name. `"quality"`: the F2 score of the topic's samples for those that its guidance
    /// describes. `"found"`: the fraction of these that are in the topic; `"taken"`: that in `taken_by`.
    /// `"purity"`: the fraction of the topic's samples that its guidance describes. `"separation"`: the mean
    /// membership of its samples in it. `"samples"`: how many it has. `"seed share"`: the fraction of its
    /// seeds' weight in the samples that is in its samples. `"worst rank"`, `"worst distinct rank"`: the
    /// largest ranks of its seeds.
    pub numbers: Vec<(&'static str, f64)>,
}

impl TopicVerdict {
    /// A number by its name.
    #[doc(hidden)]
    pub fn number(&self, name: &str) -> Option<f64> {
        self.numbers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

/// How the samples that a topic's guidance describes lie.
struct Lying {
    expected: usize,
    found: usize,
    /// The other place with the most of them, and how many.
    other: Option<(usize, usize)>,
    samples: usize,
}

impl Lying {
    fn of(topic: usize, places: usize, expected: &[Option<usize>], cluster: &[Option<usize>]) -> Self {
        let mut counts = vec![0usize; places];
        let members = expected.iter().zip(cluster).filter(|(e, _)| **e == Some(topic));
        let mut all = 0;
        for (_, place) in members {
            all += 1;
            place.iter().for_each(|place| counts[*place] += 1);
        }
        let found = counts[topic];
        let samples = cluster.iter().filter(|place| **place == Some(topic)).count();
        counts[topic] = 0;
        let other = (0..places).fold(0, |best, at| if counts[at] > counts[best] { at } else { best });
        Lying { expected: all, found, other: Some((other, counts[other])).filter(|(_, n)| *n > 0), samples }
    }

    fn fraction(part: usize, of: usize) -> f64 {
        if of > 0 { part as f64 / of as f64 } else { 0.0 }
    }

    fn found_fraction(&self) -> f64 {
        Self::fraction(self.found, self.expected)
    }

    fn purity(&self) -> f64 {
        Self::fraction(self.found, self.samples)
    }

    fn taken_fraction(&self) -> f64 {
        self.other.map_or(0.0, |(_, n)| Self::fraction(n, self.expected))
    }

    fn is_outdone(&self) -> bool {
        self.other.is_some_and(|(_, n)| n > self.found)
    }

    /// The F2 score: what is missing counts more than what is too much.
    fn quality(&self) -> f64 {
        let (found, purity) = (self.found_fraction(), self.purity());
        if found + purity > 0.0 { 5.0 * found * purity / (4.0 * purity + found) } else { 0.0 }
    }

    fn level(&self) -> Level {
        match self.quality() {
            quality if self.is_outdone() || quality < WEAK => Level::Weak,
            quality if quality < GOOD => Level::Fair,
            _ => Level::Good,
        }
    }
}

impl Reporter<'_> {
    /// A verdict on each topic of which something is known. Comes after the findings on the items.
    pub(super) fn judge_topics<T: Real>(
        &mut self,
        data: &dyn DataMatrix<T>,
        guidance: &Guidance,
        fit: &Fit<T>,
        plan: &Plan,
    ) {
        let judged: Vec<usize> = (0..self.topics.len()).filter(|t| self.has_guidance(*t)).collect();
        if judged.is_empty() {
            return;
        }
        let labelled: Vec<Option<usize>> = self.labelled.iter().map(|l| l.first().copied()).collect();
        let expected = expected(data, plan, &labelled);
        let (cluster, free) = (clusters(&self.guided), clusters(&self.free));
        let places = self.places.len();
        for topic in judged {
            let lying = Lying::of(topic, places, &expected, &cluster);
            let alone = Lying::of(topic, places, &expected, &free);
            let mut verdict = self.judged(topic, &lying, &alone);
            let mine = |i: &usize| cluster[*i] == Some(topic);
            let shares: Vec<f64> =
                (0..cluster.len()).filter(mine).map(|i| self.guided.get(i, topic)).collect();
            let separation =
                if shares.is_empty() { 0.0 } else { shares.iter().sum::<f64>() / shares.len() as f64 };
            verdict.numbers.push(("separation", separation));
            verdict.numbers.push(("samples", lying.samples as f64));
            if let Some(share) = seed_share(data, &plan.seeds[topic], |i| cluster[i] == Some(topic)) {
                verdict.numbers.push(("seed share", share));
            }
            let worst = self.worst_seed(topic, guidance, plan, fit.components.columns());
            if let Some((ranks, _)) = &worst {
                verdict.numbers.push(("worst rank", ranks.0));
                verdict.numbers.push(("worst distinct rank", ranks.1));
            }
            let like = self.described_by(topic);
            verdict.message = self.sentence(&verdict, &lying, worst.and_then(|(_, label)| label), like);
            self.report.topics.push(verdict);
        }
    }

    /// The findings on a topic that can be followed or not.
    fn findings_on(&self, topic: usize) -> impl Iterator<Item = &Finding> {
        let name = &self.topics[topic];
        self.report.findings.iter().filter(move |f| f.topic.as_ref() == Some(name) && f.kind != "forbidden")
    }

    fn has_guidance(&self, topic: usize) -> bool {
        self.findings_on(topic).next().is_some()
    }

    fn judged(&self, topic: usize, lying: &Lying, alone: &Lying) -> TopicVerdict {
        let supported = self.findings_on(topic).filter(|f| f.verdict != Verdict::NoSupport).count();
        let done = self.findings_on(topic).filter(|f| f.verdict == Verdict::Followed).count();
        let verdict = if supported == 0 { Verdict::NoSupport } else { followed(2 * done >= supported) };
        let plausibility = match alone.expected {
            0 => Plausibility::Unknown,
            _ if alone.found == 0 || alone.is_outdone() => Plausibility::Surprising,
            _ => Plausibility::Fits,
        };
        TopicVerdict {
            topic: self.topics[topic].clone(),
            level: lying.level(),
            verdict,
            plausibility,
            taken_by: lying.other.map(|(place, _)| self.places[place].clone()),
            message: String::new(),
            numbers: vec![
                ("quality", lying.quality()),
                ("found", lying.found_fraction()),
                ("taken", lying.taken_fraction()),
                ("purity", lying.purity()),
            ],
        }
    }

    /// The largest ranks of the topic's seeds, and the name of the seed that hardly matters, if one does.
    fn worst_seed(
        &self,
        topic: usize,
        guidance: &Guidance,
        plan: &Plan,
        features: usize,
    ) -> Option<((f64, f64), Option<String>)> {
        let number = |f: &Finding, wanted: &str| f.numbers.iter().find(|(n, _)| *n == wanted).map(|n| n.1);
        let supported = self
            .findings_on(topic)
            .zip(&plan.seeds[topic])
            .filter(|(f, _)| f.kind == "seed" && f.verdict != Verdict::NoSupport);
        let ranks: Vec<(f64, f64, usize)> = supported
            .filter_map(|(f, seed)| Some((number(f, "rank")?, number(f, "distinct rank")?, seed.0)))
            .collect();
        let worst = ranks.iter().copied().reduce(|a, b| if b.0 > a.0 { b } else { a })?;
        let distinct = ranks.iter().fold(0.0f64, |most, r| most.max(r.1));
        let unimportant = worst.0 >= unimportant_from(features) as f64;
        Some(((worst.0, distinct), unimportant.then(|| feature_label(guidance, worst.2))))
    }

    /// What the topic's samples are to be like.
    fn described_by(&self, topic: usize) -> &'static str {
        match self.findings_on(topic).next().map(|f| f.kind) {
            Some("seed") => "that hold its seeds or are like them",
            Some("label" | "set") => "that are labelled so or are like them",
            _ => "that are like its reference",
        }
    }

    fn sentence(&self, verdict: &TopicVerdict, lying: &Lying, seed: Option<String>, like: &str) -> String {
        let name = &verdict.topic;
        let level = verdict.level.name();
        if lying.expected == 0 {
            return format!("\"{name}\" is {level}: no sample is like what was said about it");
        }
        let mut reasons = Vec::new();
        if let Some(seed) = seed.filter(|_| verdict.level != Level::Good) {
            let rank = verdict.number("worst rank").unwrap_or_default();
            reasons.push(format!("{seed} is number {rank} of its features"));
        }
        let found = lying.found_fraction();
        match lying.other {
            Some((other, n)) if n > lying.found || (verdict.level != Level::Good && found < GOOD) => {
                let taken = percent(lying.taken_fraction());
                reasons.push(format!(
                    "{} has {taken} of the samples {like} (itself {})",
                    self.place(other),
                    percent(found)
                ));
            }
            _ => reasons.push(format!("it has {} of the samples {like}", percent(found))),
        }
        if lying.purity() < 0.5 && found >= WEAK {
            let only = if verdict.level == Level::Good { "" } else { "only " };
            reasons.push(format!("{only}{} of its own samples are such", percent(lying.purity())));
        }
        format!("\"{name}\" is {level}: {}", listed(&reasons))
    }
}

/// Reasons in one sentence.
fn listed(reasons: &[String]) -> String {
    match reasons {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{}, and {last}", first.join(", ")),
    }
}

/// The fraction of the seeds' weight in the samples that is in the topic's own; `None` without any.
fn seed_share<T: Real>(
    data: &dyn DataMatrix<T>,
    seeds: &[(usize, f64)],
    mine: impl Fn(usize) -> bool,
) -> Option<f64> {
    let columns = &data.summary().column_sums;
    let mut wanted = vec![0.0; data.n_features()];
    for &(feature, weight) in seeds.iter().filter(|(f, _)| columns[*f] > 0.0) {
        wanted[feature] = weight / columns[feature];
    }
    let (mut all, mut own) = (0.0, 0.0);
    for (i, weight) in of_each_sample(data, |data, row| data.row_dot(row, &wanted)).into_iter().enumerate() {
        all += weight;
        if mine(i) {
            own += weight;
        }
    }
    (all > 0.0).then(|| own / all)
}
