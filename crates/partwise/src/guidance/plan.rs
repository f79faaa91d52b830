//! [`Plan`]: guidance compiled for data of a shape: which rows are one unknown, which terms stand beside the loss, where to start.

use std::collections::BTreeMap;
use std::ops::Range;

use super::advice::{Advice, Feature, Guidance, LabelRule, Strength};
use super::rules::RowRules;
use crate::error::{Error, Result};
use crate::factors::Slot;
use crate::graphs::Graph;
use crate::linalg::Matrix;
use crate::models::Shape;
use crate::problem::Notice;
use crate::terms::AnchorScale;
use crate::terms::{
    ComponentAnchor, ComponentDirection, Contribution, GraphForm, GraphSmoothing, Held, LabelView, Missing,
    Placement, Relation, RowAnchor,
};

/// Where a component may start from.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Evidence {
    /// Samples that show it, with a weight.
    pub samples: Vec<(usize, f64)>,
    /// Features that belong to it, with a weight.
    pub seeds: Vec<(usize, f64)>,
    /// Its profile.
    pub profile: Option<Vec<f64>>,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The topics and their components.
    pub topics: Vec<(String, Range<usize>)>,
    /// Working row of each sample, where some share one.
    pub ties: Option<Vec<u32>>,
    /// What each sample counts.
    pub sample_weights: Option<Vec<f64>>,
    /// The terms; what is held comes last.
    pub contributions: Vec<Contribution<f64>>,
    /// Of each component of a topic.
    pub evidence: Vec<Evidence>,
    /// What was left out, and why.
    pub notices: Vec<Notice>,
    /// The seeds of each topic that exist.
    pub seeds: Vec<Vec<(usize, f64)>>,
}

impl Plan {
    /// The name of each component of a topic.
    pub(crate) fn component_names(&self) -> Vec<String> {
        let name = |(name, range): &(String, Range<usize>)| -> Vec<String> {
            match range.len() {
                1 => vec![name.clone()],
                several => (1..=several).map(|q| format!("{name}/{q}")).collect(),
            }
        };
        self.topics.iter().flat_map(name).collect()
    }

    /// Checks every item against the shape and compiles it.
    pub(crate) fn new(guidance: &Guidance, shape: Shape) -> Result<Self> {
        let topics = topics(guidance, shape)?;
        let mut compiler = Compiler {
            guidance,
            shape,
            evidence: vec![Evidence::default(); topics.last().map_or(0, |(_, range)| range.end)],
            topics,
            notices: Vec::new(),
            contributions: Vec::new(),
            samples: BTreeMap::new(),
            fixed: Vec::new(),
            taken: BTreeMap::new(),
            forbidden: Vec::new(),
        };
        let ties = ties(guidance, shape.samples)?;
        let counts = ties.as_ref().map(|group| counts(group));
        let tied = ties.as_deref().zip(counts.as_deref());
        let seeds = compiler.seeds()?;
        compiler.forbidden = compiler.forbidden(&seeds)?;
        let mut weights = None;
        for item in guidance.advice() {
            if item.strength().is_some_and(|s| s.weight() == 0.0)
                && !matches!(item, Advice::References { .. })
            {
                check_strength(item)?;
                continue;
            }
            compiler.add(item, tied, &mut weights)?;
        }
        compiler.finish(&seeds, tied)?;
        if weights.is_some() && ties.is_some() {
            return Err(Error::Incompatible {
                asked: "sample weights beside samples that share one row of codes".into(),
                reason: "the merged row would need one weight".into(),
                valid: vec!["labels below strength 1".into(), "must-links below strength 1".into()],
            });
        }
        Ok(Plan {
            topics: compiler.topics,
            ties,
            sample_weights: weights,
            contributions: compiler.contributions,
            evidence: compiler.evidence,
            notices: compiler.notices,
            seeds,
        })
    }
}

/// Samples and the working row of each, with the number of samples in each working row.
type Tied<'t> = Option<(&'t [u32], &'t [f64])>;

struct Compiler<'g> {
    guidance: &'g Guidance,
    shape: Shape,
    topics: Vec<(String, Range<usize>)>,
    evidence: Vec<Evidence>,
    notices: Vec<Notice>,
    contributions: Vec<Contribution<f64>>,
    /// What is known of the samples, by the name of the term.
    samples: BTreeMap<&'static str, RowRules>,
    /// Held components and their profiles.
    fixed: Vec<(usize, Vec<f64>)>,
    /// How many profiles a topic has got.
    taken: BTreeMap<usize, usize>,
    /// The features that are forbidden in each topic.
    forbidden: Vec<Vec<usize>>,
}

fn topics(guidance: &Guidance, shape: Shape) -> Result<Vec<(String, Range<usize>)>> {
    for (at, topic) in guidance.topics().iter().enumerate() {
        if topic.name.trim().is_empty() {
            return Err(Error::Guidance(format!("topic {at} has no name")));
        }
        if guidance.topics()[..at].iter().any(|other| other.name == topic.name) {
            return Err(Error::Guidance(format!("two topics are named \"{}\"", topic.name)));
        }
        if topic.components == 0 {
            return Err(out_of_range(
                &format!("the components of topic \"{}\"", topic.name),
                0.0,
                "1 or more",
            ));
        }
        check_one(topic.strength, &format!("the strength of topic \"{}\"", topic.name))?;
        if topic.strength.is_raw() {
            return Err(Error::Incompatible {
                asked: format!("a raw strength for the seeds of topic \"{}\"", topic.name),
                reason: "no paper has a weight for seeds".into(),
                valid: vec!["a strength from 0 to 1".into()],
            });
        }
    }
    let mut out: Vec<(String, Range<usize>)> = Vec::new();
    for (name, components) in guidance.all_topics() {
        let begin = out.last().map_or(0, |(_, range)| range.end);
        out.push((name, begin..begin + components));
    }
    let needed = out.last().map_or(0, |(_, range)| range.end);
    if needed > shape.rank {
        let names: Vec<&str> = out.iter().map(|(name, _)| name.as_str()).collect();
        return Err(out_of_range(
            "rank k",
            shape.rank as f64,
            &format!("at least {needed}, the components of the topics ({})", names.join(", ")),
        ));
    }
    Ok(out)
}

fn out_of_range(name: &str, value: f64, valid: &str) -> Error {
    Error::OutOfRange { name: name.into(), value: value.to_string(), valid: valid.into() }
}

fn check_one(strength: Strength, what: &str) -> Result<()> {
    match strength {
        Strength::Relative(s) if !(0.0..=1.0).contains(&s) => {
            Err(out_of_range(what, s, "from 0 (ignored) to 1 (held exactly)"))
        }
        Strength::Raw(m) if !(m >= 0.0 && m.is_finite()) => {
            Err(out_of_range(what, m, "a finite raw weight of 0 or more"))
        }
        _ => Ok(()),
    }
}

fn check_strength(item: &Advice) -> Result<()> {
    item.strength().map_or(Ok(()), |s| check_one(s, &format!("the strength of the {}", item.kind())))
}

fn check_length(what: &str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(Error::Shape {
        what: what.into(),
        expected: format!("one for each of the {expected} samples"),
        found: found.to_string(),
    })
}

fn counts(group: &[u32]) -> Vec<f64> {
    let rows = group.iter().max().map_or(0, |q| *q as usize + 1);
    let mut count = vec![0.0; rows];
    group.iter().for_each(|q| count[*q as usize] += 1.0);
    count
}

impl Compiler<'_> {
    /// The components of the topic with this name.
    fn components(&self, name: &str) -> Range<usize> {
        let topic = self.topics.iter().find(|(known, _)| known == name);
        topic.map(|(_, range)| range.clone()).expect("every name that an item mentions is a topic")
    }

    /// True at the components of these topics.
    fn allowed<'n>(&self, names: impl Iterator<Item = &'n String>) -> Vec<bool> {
        let mut allowed = vec![false; self.shape.rank];
        names.flat_map(|name| self.components(name)).for_each(|j| allowed[j] = true);
        allowed
    }

    fn rules(&mut self, term: &'static str) -> &mut RowRules {
        let rank = self.shape.rank;
        self.samples.entry(term).or_insert_with(|| RowRules::new(rank))
    }

    fn add(&mut self, item: &Advice, tied: Tied<'_>, weights: &mut Option<Vec<f64>>) -> Result<()> {
        check_strength(item)?;
        let n = self.shape.samples;
        match item {
            Advice::Labels { labels, rule, strength } => {
                check_length("the labels", labels.n_samples(), n)?;
                self.add_labels(labels, *rule, *strength)
            }
            Advice::Sets { names, sets, strength } => {
                check_length("the sets", sets.len(), n)?;
                self.add_sets(names, sets, *strength)
            }
            Advice::Memberships { names, shares, strength } => {
                if shares.shape() != (n, names.len()) {
                    return Err(Error::Shape {
                        what: "the memberships (samples x topics)".into(),
                        expected: format!("{n} x {}", names.len()),
                        found: format!("{} x {}", shares.rows(), shares.columns()),
                    });
                }
                self.add_memberships(names, shares, *strength)
            }
            Advice::References { names, profiles, strength } => {
                self.add_references(names, profiles, *strength)
            }
            Advice::Links { must, cannot, strength } => self.add_links(must, cannot, *strength, tied),
            Advice::Graph { graph, strength } => self.add_graph(graph, *strength, tied),
            Advice::SampleWeights(given) => {
                check_length("the sample weights", given.len(), n)?;
                if let Some(at) = given.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
                    let what = format!("the weight of sample {at}");
                    return Err(out_of_range(&what, given[at], "a finite number of 0 or more"));
                }
                if weights.replace(given.clone()).is_some() {
                    return Err(Error::Guidance("sample weights are given twice".into()));
                }
                Ok(())
            }
            Advice::KnownEntries(known) => {
                if tied.is_some() {
                    return Err(Error::Incompatible {
                        asked: "unknown entries beside samples that share one row of codes".into(),
                        reason: "the merged rows would need a weight for each entry".into(),
                        valid: vec!["labels below strength 1".into(), "must-links below strength 1".into()],
                    });
                }
                self.contributions.push(Contribution::Missing(Missing::new(known)));
                Ok(())
            }
        }
    }

    fn add_labels(&mut self, labels: &super::Labels, rule: LabelRule, strength: Strength) -> Result<()> {
        let (n, k) = (labels.n_samples(), self.shape.rank);
        let class = |i: usize| labels.class(i).map(|c| &labels.names()[c]);
        if rule == LabelRule::SameCodes && !strength.is_held() {
            return Err(Error::Incompatible {
                asked: "labels that say \"same codes\" below strength 1".into(),
                reason: "samples share one row of codes or they don't".into(),
                valid: vec!["strength 1".into(), "strength 0".into(), "labels as components".into()],
            });
        }
        for i in 0..n {
            let Some(name) = class(i) else { continue };
            let range = self.components(name);
            self.show(i, range.clone(), 1.0);
            if rule == LabelRule::Components && !strength.is_raw() {
                let mut allowed = vec![false; k];
                range.for_each(|j| allowed[j] = true);
                self.rules("labels").keep_within(i, &allowed, strength.weight());
            }
        }
        match rule {
            LabelRule::Components if strength.is_raw() => {
                let allowed: Vec<Option<Vec<bool>>> =
                    (0..n).map(|i| class(i).map(|name| self.allowed(std::iter::once(name)))).collect();
                let entry = |i: usize, j: usize| f64::from(allowed[i].as_ref().is_some_and(|a| a[j]));
                let weight = allowed.iter().map(|a| if a.is_some() { strength.weight() } else { 0.0 });
                let reference = Matrix::from_fn(n, k, entry);
                self.anchor_rows(reference, weight.collect());
                Ok(())
            }
            LabelRule::View => {
                if strength.is_held() {
                    return Err(Error::Incompatible {
                        asked: "labels as a view, held exactly".into(),
                        reason: "a linear view of the codes can't be held".into(),
                        valid: vec!["a strength below 1".into(), "labels as components".into()],
                    });
                }
                let c = labels.n_classes();
                let target = Matrix::from_fn(n, c, |i, l| f64::from(labels.class(i) == Some(l)));
                let known = Matrix::from_fn(n, c, |i, _| f64::from(labels.class(i).is_some()));
                let weight = match strength {
                    Strength::Raw(lambda) => lambda,
                    _ => strength.weight() * self.shape.squared_norm / labels.n_labelled().max(1) as f64,
                };
                self.contributions.push(Contribution::LabelView(LabelView::new(&target, &known, weight)));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A raw anchor of the codes, as WS-NMF has it.
    fn anchor_rows(&mut self, reference: Matrix<f64>, weight: Vec<f64>) {
        let anchor = RowAnchor::new(Slot::Codes, reference, weight, AnchorScale::Joint);
        self.contributions.push(Contribution::RowAnchor(anchor));
    }

    /// A sample shows what its topic looks like: the first of a topic's samples one component each, the further ones all of them.
    fn show(&mut self, sample: usize, range: Range<usize>, weight: f64) {
        let fresh = range.clone().find(|j| self.evidence[*j].samples.is_empty());
        match fresh {
            Some(j) if range.len() > 1 => self.evidence[j].samples.push((sample, weight)),
            _ => range.for_each(|j| self.evidence[j].samples.push((sample, weight))),
        }
    }

    fn add_sets(&mut self, names: &[String], sets: &[Option<Vec<u32>>], strength: Strength) -> Result<()> {
        if strength.is_raw() {
            return Err(no_raw("sets"));
        }
        for (sample, set) in sets.iter().enumerate() {
            let Some(set) = set else { continue };
            if let Some(at) = set.iter().find(|at| **at as usize >= names.len()) {
                return Err(Error::Guidance(format!(
                    "the set of sample {sample} has topic number {at}; there are {} topics, numbered from 0",
                    names.len()
                )));
            }
            if set.is_empty() {
                return Err(Error::Guidance(format!(
                    "the set of sample {sample} is empty; a sample needs a topic, or no set"
                )));
            }
            let allowed = self.allowed(set.iter().map(|at| &names[*at as usize]));
            self.rules("sets").keep_within(sample, &allowed, strength.weight());
            let share = 1.0 / set.len() as f64;
            for at in set {
                self.show(sample, self.components(&names[*at as usize]), share);
            }
        }
        Ok(())
    }

    fn add_memberships(&mut self, names: &[String], shares: &Matrix<f64>, strength: Strength) -> Result<()> {
        let k = self.shape.rank;
        let value = |i: usize, c: usize| Some(shares.get(i, c)).filter(|s| !s.is_nan());
        for i in 0..shares.rows() {
            for (c, name) in names.iter().enumerate() {
                if value(i, c).is_some_and(|s| !(s >= 0.0 && s.is_finite())) {
                    let what = format!("the membership of sample {i} in \"{name}\"");
                    return Err(out_of_range(
                        &what,
                        shares.get(i, c),
                        "0 or more, or NaN where it is not known",
                    ));
                }
            }
        }
        let ranges: Vec<Range<usize>> = names.iter().map(|name| self.components(name)).collect();
        if let Some((at, _)) = ranges.iter().enumerate().find(|(_, range)| range.len() > 1) {
            return Err(Error::Incompatible {
                asked: format!("memberships in \"{}\", which has several components", names[at]),
                reason: "how a share is split between them is not known".into(),
                valid: vec!["topics of one component".into(), "sets".into()],
            });
        }
        let (mut reference, mut weight) = (Matrix::zeros(shares.rows(), k), vec![0.0; shares.rows()]);
        for i in 0..shares.rows() {
            let mut known: Vec<Option<f64>> = vec![None; k];
            let sum: f64 = (0..names.len()).filter_map(|c| value(i, c)).sum();
            for (c, range) in ranges.iter().enumerate() {
                let Some(share) = value(i, c) else { continue };
                known[range.start] = Some(share);
                reference.set(i, range.start, share);
                if share > 0.0 {
                    self.show(i, range.clone(), share / sum);
                }
            }
            // A row that is known in full says that there is nothing of the other components either.
            let all = known.iter().any(Option::is_some) && (0..names.len()).all(|c| value(i, c).is_some());
            if all {
                known.iter_mut().for_each(|share| *share = share.or(Some(0.0)));
                weight[i] = strength.weight();
            }
            if !strength.is_raw() {
                self.rules("memberships").draw(i, &known, strength.weight());
            } else if !all && known.iter().any(Option::is_some) {
                return Err(Error::Incompatible {
                    asked: format!(
                        "a raw strength for the memberships of sample {i}, which are known in part"
                    ),
                    reason: "the published anchor is on whole rows".into(),
                    valid: vec!["a strength from 0 to 1".into()],
                });
            }
        }
        if strength.is_raw() {
            self.anchor_rows(reference, weight);
        }
        Ok(())
    }

    fn add_references(&mut self, names: &[String], profiles: &Matrix<f64>, strength: Strength) -> Result<()> {
        let (m, d) = profiles.shape();
        if m != names.len() || d != self.shape.features {
            return Err(Error::Shape {
                what: "the references (one row for each name, one column a feature)".into(),
                expected: format!("{} x {}", names.len(), self.shape.features),
                found: format!("{m} x {d}"),
            });
        }
        crate::problem::check_non_negative("the references", profiles)?;
        let (mut drawn, mut anchored) = (Vec::new(), Vec::new());
        for (row, name) in names.iter().enumerate() {
            let range = self.components(name);
            let taken = self.taken.entry(range.start).or_default();
            let Some(j) = range.clone().nth(*taken) else {
                return Err(Error::Guidance(format!(
                    "topic \"{name}\" has {} components, but more references",
                    range.len()
                )));
            };
            *taken += 1;
            let profile = self.permitted(name, profiles.row(row).to_vec(), strength)?;
            if profile.iter().all(|v| *v == 0.0) {
                self.notices.push(Notice {
                    code: "empty-reference",
                    message: format!("the reference of \"{name}\" is all zero; it is left out"),
                });
                continue;
            }
            self.evidence[j].profile = Some(profile.clone());
            match strength {
                Strength::Relative(s) if s >= 1.0 => self.fixed.push((j, profile)),
                Strength::Relative(s) if s > 0.0 => drawn.push((j, profile)),
                Strength::Relative(_) => {}
                Strength::Raw(_) => anchored.push((j, profile)),
            }
        }
        if !drawn.is_empty() {
            let components = drawn.iter().map(|(j, _)| *j).collect();
            let weights = vec![strength.weight(); drawn.len()];
            let mass = self.shape.sum / self.shape.rank as f64;
            let columns = Matrix::from_fn(d, drawn.len(), |f, c| drawn[c].1[f]);
            let term = ComponentDirection::new(components, columns, weights, mass);
            self.contributions.push(Contribution::ComponentDirection(term));
        }
        if !anchored.is_empty() {
            let (mut reference, mut weight) = (Matrix::zeros(d, self.shape.rank), vec![0.0; self.shape.rank]);
            for (j, profile) in &anchored {
                weight[*j] = strength.weight();
                (0..d).for_each(|f| reference.set(f, *j, profile[f]));
            }
            let anchor = ComponentAnchor::new(Slot::Components, reference, weight);
            self.contributions.push(Contribution::ComponentAnchor(anchor));
        }
        Ok(())
    }

    /// A profile without what is forbidden in its topic.
    fn permitted(&mut self, name: &str, mut profile: Vec<f64>, strength: Strength) -> Result<Vec<f64>> {
        let Some(at) = self.guidance.topics().iter().position(|topic| topic.name == name) else {
            return Ok(profile);
        };
        let against: Vec<usize> = self.forbidden[at].iter().copied().filter(|f| profile[*f] > 0.0).collect();
        let Some(first) = against.first() else { return Ok(profile) };
        if strength.is_held() {
            return Err(Error::Guidance(format!(
                "the reference of topic \"{name}\", held exactly, has feature {first}, which is forbidden in it"
            )));
        }
        self.notices.push(Notice {
            code: "forbidden-in-reference",
            message: format!(
                "{} features of the reference of topic \"{name}\" are forbidden in it and left out; the first is {first}",
                against.len()
            ),
        });
        against.iter().for_each(|f| profile[*f] = 0.0);
        Ok(profile)
    }

    fn add_links(
        &mut self,
        must: &[(usize, usize)],
        cannot: &[(usize, usize)],
        strength: Strength,
        tied: Tied<'_>,
    ) -> Result<()> {
        if strength.is_raw() {
            return Err(no_raw("links"));
        }
        check_pairs("must-link", must, self.shape.samples)?;
        check_pairs("cannot-link", cannot, self.shape.samples)?;
        let held = strength.is_held();
        if held && !cannot.is_empty() {
            return Err(Error::Incompatible {
                asked: "cannot-links held exactly, in a single fit".into(),
                reason: "which of the two samples goes where must be decided first".into(),
                valid: vec!["recipes::fit_guided, which decides it".into(), "a strength below 1".into()],
            });
        }
        let weight = strength.weight();
        if !held && !must.is_empty() {
            let mut pairs = Vec::new();
            for &(i, l) in must {
                pairs.extend([(i, i, weight), (l, l, weight), (i, l, -weight), (l, i, -weight)]);
            }
            self.relate("must-links", &pairs, tied, None);
        }
        if !cannot.is_empty() {
            let pairs: Vec<_> = cannot.iter().flat_map(|&(i, l)| [(i, l, weight), (l, i, weight)]).collect();
            self.relate("cannot-links", &pairs, tied, None);
        }
        Ok(())
    }

    fn add_graph(&mut self, graph: &Graph, strength: Strength, tied: Tied<'_>) -> Result<()> {
        check_length("the nodes of the graph", graph.n_samples(), self.shape.samples)?;
        if let Strength::Raw(lambda) = strength {
            if tied.is_some() {
                return Err(Error::Incompatible {
                    asked: "a graph with a raw strength beside samples that share one row of codes".into(),
                    reason: "its weight is in the unit of single rows".into(),
                    valid: vec!["a strength from 0 to 1 for the graph".into()],
                });
            }
            let term = GraphSmoothing::new(graph.clone(), lambda, GraphForm::Separable);
            self.contributions.push(Contribution::GraphSmoothing(term));
            return Ok(());
        }
        if strength.is_held() {
            return Err(Error::Incompatible {
                asked: "a graph held exactly".into(),
                reason: "joined samples would all be the same".into(),
                valid: vec!["a strength below 1".into(), "must-links".into()],
            });
        }
        let isolated = graph.isolated();
        if !isolated.is_empty() {
            self.notices.push(Notice {
                code: "isolated-samples",
                message: format!(
                    "{} samples have no edge in the graph, which says nothing of them; the first is {}",
                    isolated.len(),
                    isolated[0]
                ),
            });
        }
        let weight = strength.weight();
        let normalized = graph.normalized();
        let mut entries = Vec::new();
        let mut curvature = vec![0.0; graph.n_samples()];
        for (i, kappa) in curvature.iter_mut().enumerate() {
            let (neighbours, weights) = normalized.neighbours(i);
            if neighbours.is_empty() {
                continue;
            }
            // I − S ⪯ 2I.
            *kappa = 2.0 * weight;
            entries.push((i, i, weight));
            entries.extend(neighbours.iter().zip(weights).map(|(l, w)| (i, *l as usize, -weight * w)));
        }
        self.relate("graph", &entries, tied, Some(curvature));
        Ok(())
    }

    /// A relation by its entries, also those on the diagonal, in the working rows.
    fn relate(
        &mut self,
        name: &'static str,
        entries: &[(usize, usize, f64)],
        tied: Tied<'_>,
        curvature: Option<Vec<f64>>,
    ) {
        let n = self.shape.samples;
        let place = |i: usize| match tied {
            None => (i, 1.0),
            Some((group, count)) => (group[i] as usize, 1.0 / count[group[i] as usize].sqrt()),
        };
        let rows = tied.map_or(n, |(_, count)| count.len());
        let mut diagonal = vec![0.0; rows];
        let mut off = Vec::new();
        for &(i, l, value) in entries {
            let ((a, s), (b, t)) = (place(i), place(l));
            if a == b {
                diagonal[a] += value * s * t;
            } else {
                off.push((a as u32, b as u32, value * s * t));
            }
        }
        let curvature = curvature.map(|given| {
            let mut most = vec![0.0f64; rows];
            given.iter().enumerate().for_each(|(i, kappa)| most[place(i).0] = most[place(i).0].max(*kappa));
            most
        });
        self.contributions.push(Contribution::Relation(Relation::new(name, diagonal, &off, curvature)));
    }

    /// The topics' seeds that exist, reported where one does not.
    fn seeds(&mut self) -> Result<Vec<Vec<(usize, f64)>>> {
        let mut all = Vec::new();
        for (at, topic) in self.guidance.topics().iter().enumerate() {
            let mut found = Vec::new();
            for seed in &topic.seeds {
                if !(seed.weight > 0.0 && seed.weight.is_finite()) {
                    let what = format!("the weight of a seed of topic \"{}\"", topic.name);
                    return Err(out_of_range(&what, seed.weight, "a finite number above 0"));
                }
                if let Some(feature) = self.resolve(&seed.feature, &topic.name, "seed")? {
                    found.push((feature, seed.weight));
                }
            }
            if !topic.seeds.is_empty() && found.is_empty() {
                self.notices.push(Notice {
                    code: "seeds-without-match",
                    message: format!(
                        "none of the seeds of topic \"{}\" is a feature; it starts without them",
                        topic.name
                    ),
                });
            }
            let components = self.topics[at].1.clone();
            components.for_each(|j| self.evidence[j].seeds.clone_from(&found));
            all.push(found);
        }
        all.resize(self.topics.len(), Vec::new());
        Ok(all)
    }

    fn resolve(&mut self, feature: &Feature, topic: &str, role: &str) -> Result<Option<usize>> {
        let d = self.shape.features;
        match feature {
            Feature::Index(f) if *f < d => Ok(Some(*f)),
            Feature::Index(f) => Err(out_of_range(
                &format!("a {role} feature of topic \"{topic}\""),
                *f as f64,
                &format!("below {d}, the number of features"),
            )),
            Feature::Name(name) => {
                let Some(names) = self.guidance.feature_names() else {
                    return Err(Error::MissingGuidance {
                        model: format!("the {role} \"{name}\" of topic \"{topic}\""),
                        needs: "the names of the features".into(),
                    });
                };
                if names.len() != d {
                    return Err(Error::Shape {
                        what: "the names of the features".into(),
                        expected: format!("{d}, one a feature"),
                        found: names.len().to_string(),
                    });
                }
                let found = names.iter().position(|known| known == name);
                if found.is_none() {
                    self.notices.push(Notice {
                        code: "unknown-feature",
                        message: format!(
                            "the {role} \"{name}\" of topic \"{topic}\" is not a feature; it is left out"
                        ),
                    });
                }
                Ok(found)
            }
        }
    }

    /// What is known of the features, what is held, and the checks that need everything.
    fn finish(&mut self, seeds: &[Vec<(usize, f64)>], tied: Tied<'_>) -> Result<()> {
        let features = self.feature_rules(seeds)?;
        let mut held = RowRules::new(self.shape.rank);
        for (term, rules) in std::mem::take(&mut self.samples) {
            let rules = tied.map_or_else(|| rules.clone(), |(group, count)| rules.tied(group, count));
            let placements = rules.placements();
            if !placements.is_empty() {
                let placement = Placement::new(Slot::Codes, term, &placements);
                self.contributions.push(Contribution::Placement(placement));
            }
            for (rows, zeros) in rules.zeros() {
                let allowed: Vec<bool> = zeros.iter().map(|zero| !zero).collect();
                rows.iter().for_each(|&row| held.keep_within(row as usize, &allowed, f64::INFINITY));
            }
        }
        if let Some(row) = held.first_impossible() {
            let sample = tied.map_or(Some(row), |(group, _)| group.iter().position(|q| *q as usize == row));
            return Err(Error::Guidance(format!(
                "sample {} may use no component at all: items that are held exactly contradict each other",
                sample.unwrap_or(row)
            )));
        }
        let zeros = held.zeros();
        let nothing = |slot| Matrix::zeros(if slot == Slot::Codes { 1 } else { self.shape.features }, 0);
        if !zeros.is_empty() {
            let held = Held::new(Slot::Codes, Vec::new(), &nothing(Slot::Codes), &zeros);
            self.contributions.push(Contribution::Held(held));
        }
        let placements = features.placements();
        if !placements.is_empty() {
            let placement = Placement::new(Slot::Components, "seeds", &placements);
            self.contributions.push(Contribution::Placement(placement));
        }
        self.fixed.sort_by_key(|(j, _)| *j);
        let zeros = features.zeros();
        if !zeros.is_empty() || !self.fixed.is_empty() {
            let columns: Vec<usize> = self.fixed.iter().map(|(j, _)| *j).collect();
            let values = Matrix::from_fn(self.shape.features, columns.len(), |f, at| self.fixed[at].1[f]);
            let held = Held::new(Slot::Components, columns, &values, &zeros);
            self.contributions.push(Contribution::Held(held));
        }
        let is_held = |c: &Contribution<f64>| matches!(c, Contribution::Held(_));
        self.contributions.sort_by_key(is_held);
        Ok(())
    }

    /// The features that are forbidden in each topic.
    fn forbidden(&mut self, seeds: &[Vec<(usize, f64)>]) -> Result<Vec<Vec<usize>>> {
        let mut all = Vec::new();
        for (at, topic) in self.guidance.topics().iter().enumerate() {
            let mut found = Vec::new();
            for feature in &topic.forbidden {
                let Some(feature) = self.resolve(feature, &topic.name, "forbidden")? else { continue };
                if seeds[at].iter().any(|(seed, _)| *seed == feature) {
                    return Err(Error::Guidance(format!(
                        "feature {feature} is a seed of topic \"{}\" and forbidden in it",
                        topic.name
                    )));
                }
                found.push(feature);
            }
            all.push(found);
        }
        Ok(all)
    }

    fn feature_rules(&mut self, seeds: &[Vec<(usize, f64)>]) -> Result<RowRules> {
        let k = self.shape.rank;
        let mut rules = RowRules::new(k);
        let mut seeded: BTreeMap<usize, (Vec<bool>, f64)> = BTreeMap::new();
        let guidance = self.guidance;
        for (at, topic) in guidance.topics().iter().enumerate() {
            for &(feature, weight) in &seeds[at] {
                let entry = seeded.entry(feature).or_insert_with(|| (vec![false; k], 0.0));
                self.topics[at].1.clone().for_each(|j| entry.0[j] = true);
                let cost =
                    if topic.strength.weight() == 0.0 { 0.0 } else { topic.strength.weight() * weight };
                entry.1 = entry.1.max(cost);
            }
        }
        for (feature, (allowed, weight)) in &seeded {
            rules.keep_within(*feature, allowed, *weight);
        }
        for (at, features) in self.forbidden.iter().enumerate() {
            for &feature in features {
                let range = self.topics[at].1.clone();
                let allowed: Vec<bool> = (0..k).map(|j| !range.contains(&j)).collect();
                rules.keep_within(feature, &allowed, f64::INFINITY);
            }
        }
        let fixed: Vec<usize> = self.fixed.iter().map(|(j, _)| *j).collect();
        rules.free_components(&fixed);
        Ok(rules)
    }
}

/// The working row of each sample, where some share one: those with one label that says "same codes", and those that are must-linked, held.
pub(crate) fn ties(guidance: &Guidance, n: usize) -> Result<Option<Vec<u32>>> {
    let mut parent: Vec<usize> = (0..n).collect();
    let mut any = false;
    let items = guidance.advice();
    for item in &items {
        match item {
            Advice::Labels { labels, rule: LabelRule::SameCodes, strength } if strength.is_held() => {
                check_length("the labels", labels.n_samples(), n)?;
                let mut first = vec![None; labels.n_classes()];
                for i in 0..n {
                    let Some(class) = labels.class(i) else { continue };
                    match first[class] {
                        None => first[class] = Some(i),
                        Some(other) => any |= join(&mut parent, i, other),
                    }
                }
            }
            Advice::Links { must, strength, .. } if strength.is_held() => {
                check_pairs("must-link", must, n)?;
                must.iter().for_each(|&(i, l)| any |= join(&mut parent, i, l));
            }
            _ => {}
        }
    }
    for item in items {
        if let Advice::Links { cannot, strength, .. } = item
            && strength.is_held()
        {
            check_pairs("cannot-link", cannot, n)?;
            if let Some((i, l)) = cannot.iter().find(|(i, l)| root(&mut parent, *i) == root(&mut parent, *l))
            {
                return Err(Error::Guidance(format!(
                    "samples {i} and {l} must not be together (cannot-link), but what is held joins them (must-links or labels); leave one of the two out"
                )));
            }
        }
    }
    if !any {
        return Ok(None);
    }
    let mut number: BTreeMap<usize, u32> = BTreeMap::new();
    let group = (0..n)
        .map(|i| {
            let next = number.len() as u32;
            *number.entry(root(&mut parent, i)).or_insert(next)
        })
        .collect();
    Ok(Some(group))
}

fn no_raw(what: &str) -> Error {
    Error::Incompatible {
        asked: format!("a raw strength for {what}"),
        reason: "no paper has a weight for them".into(),
        valid: vec!["a strength from 0 to 1".into()],
    }
}

fn check_pairs(what: &str, pairs: &[(usize, usize)], n: usize) -> Result<()> {
    for &(i, l) in pairs {
        if i >= n || l >= n {
            let at = i.max(l);
            return Err(out_of_range(
                &format!("a sample of the {what} ({i}, {l})"),
                at as f64,
                &format!("below {n}, the number of samples"),
            ));
        }
        if i == l {
            return Err(Error::Guidance(format!("the {what} ({i}, {l}) joins a sample to itself")));
        }
    }
    Ok(())
}

fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

/// Joins two sets; the smaller number stays the root. Whether they were apart.
fn join(parent: &mut [usize], a: usize, b: usize) -> bool {
    let (a, b) = (root(parent, a), root(parent, b));
    parent[a.max(b)] = a.min(b);
    a != b
}
