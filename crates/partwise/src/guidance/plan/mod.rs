//! [`Plan`]: guidance compiled for data of a shape: which rows are one unknown, which terms stand beside the
//! loss, where to start.

mod features;
mod pairs;
mod rows;
mod samples;
mod seeds;

use std::collections::BTreeMap;
use std::ops::Range;

pub(crate) use pairs::{check_graph, raw_graph, ties};
use rows::Rows;

use super::everything::component_names;
use super::rules::RowRules;
use super::{Advice, Guidance};
use crate::engine::term::ModelTerms;
use crate::engine::{Shape, Slot};
use crate::foundation::checks::{check_shape, check_weights};
use crate::foundation::{Error, Matrix, Notice, Result};
use crate::terms::{EntryWeights, FixedEntries, Placement};

/// Where a component may start from.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Evidence {
    /// Samples that show it, with a weight.
    pub samples: Vec<(usize, f64)>,
    /// The mean profile of the samples that contain its seeds.
    pub seeded: Option<Vec<f64>>,
    /// Its profile.
    pub profile: Option<Vec<f64>>,
}

/// What a plan asks of the data.
pub(crate) trait Samples {
    /// The profile (d) that the samples with these seeds, a weight each, have together; `None` where none of
    /// them occurs.
    fn seeded(&self, seeds: &[(usize, f64)]) -> Option<Vec<f64>>;

    /// Divides these samples into at most `count` groups that look alike: the group of each.
    fn groups(&self, samples: &[usize], count: usize) -> Vec<usize>;
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The topics and their components.
    pub topics: Vec<(String, Range<usize>)>,
    /// Working row of each sample, where some share one.
    pub ties: Option<Vec<u32>>,
    /// What each sample counts.
    pub sample_weights: Option<Vec<f64>>,
    /// The terms; exact items come last.
    pub contributions: ModelTerms,
    /// Of each component of a topic.
    pub evidence: Vec<Evidence>,
    /// What was left out, and why.
    pub notices: Vec<Notice>,
    /// The seeds of each topic that exist.
    pub seeds: Vec<Vec<(usize, f64)>>,
    /// The components of each label that the codes explain as a view.
    pub viewed: Vec<Range<usize>>,
    /// The features that are forbidden in each topic.
    pub forbidden: Vec<Vec<usize>>,
}

impl Plan {
    /// The name of each component of a topic.
    pub(crate) fn component_names(&self) -> Vec<String> {
        self.topics.iter().flat_map(|(topic, range)| component_names(topic, range.len())).collect()
    }

    /// Checks every item against the shape and compiles it.
    pub(crate) fn new(guidance: &Guidance, shape: Shape, data: &dyn Samples) -> Result<Self> {
        let topics = topics(guidance, shape)?;
        let mut compiler = Compiler {
            guidance,
            shape,
            evidence: vec![Evidence::default(); topics.last().map_or(0, |(_, range)| range.end)],
            topics,
            notices: guidance.unknown_features(),
            contributions: Vec::new(),
            samples: BTreeMap::new(),
            fixed: Vec::new(),
            taken: BTreeMap::new(),
            forbidden: Vec::new(),
            viewed: Vec::new(),
        };
        let ties = ties(guidance, shape.samples)?;
        let weights = sample_weights(guidance, shape.samples)?;
        if weights.is_some() && ties.is_some() {
            return Err(Error::incompatible(
                "sample weights together with samples that share one row of codes",
                "the merged row would need one weight",
                ["labels below strength 1", "must-links below strength 1"],
            ));
        }
        let rows = Rows::new(shape.samples, ties.as_deref(), weights.clone());
        let seeds = compiler.seeds()?;
        for (at, found) in seeds.iter().enumerate() {
            let seeded = data.seeded(found);
            let components = compiler.topics[at].1.clone();
            components.for_each(|j| compiler.evidence[j].seeded.clone_from(&seeded));
        }
        compiler.forbidden = compiler.forbidden(&seeds)?;
        for item in guidance.advice() {
            if item.strength().is_some_and(|s| s.weight() == 0.0)
                && !matches!(item, Advice::References { .. })
            {
                check_strength(item)?;
                continue;
            }
            compiler.add(item, &rows)?;
        }
        compiler.divide(data);
        compiler.seed_shares(&seeds);
        compiler.finish(&seeds, &rows)?;
        Ok(Plan {
            topics: compiler.topics,
            ties,
            sample_weights: weights,
            contributions: compiler.contributions,
            evidence: compiler.evidence,
            notices: compiler.notices,
            viewed: compiler.viewed,
            seeds,
            forbidden: compiler.forbidden,
        })
    }
}

struct Compiler<'g> {
    guidance: &'g Guidance,
    shape: Shape,
    topics: Vec<(String, Range<usize>)>,
    evidence: Vec<Evidence>,
    notices: Vec<Notice>,
    contributions: ModelTerms,
    /// Guidance on the samples, by the name of the term.
    samples: BTreeMap<&'static str, RowRules>,
    /// Fixed components and their profiles.
    fixed: Vec<(usize, Vec<f64>)>,
    /// How many profiles a topic has got.
    taken: BTreeMap<usize, usize>,
    /// The features that are forbidden in each topic.
    forbidden: Vec<Vec<usize>>,
    /// The components of each label of the view.
    viewed: Vec<Range<usize>>,
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
            return Err(Error::out_of_range(
                format!("the components of topic \"{}\"", topic.name),
                0.0,
                "1 or more",
            ));
        }
        topic.strength.check(&format!("the strength of topic \"{}\"", topic.name))?;
        topic.check_strength()?;
    }
    let mut out: Vec<(String, Range<usize>)> = Vec::new();
    for (name, components) in guidance.all_topics() {
        let begin = out.last().map_or(0, |(_, range)| range.end);
        out.push((name, begin..begin + components));
    }
    let needed = out.last().map_or(0, |(_, range)| range.end);
    if needed > shape.rank {
        let names: Vec<&str> = out.iter().map(|(name, _)| name.as_str()).collect();
        return Err(Error::out_of_range(
            "rank k",
            shape.rank as f64,
            format!("at least {needed}, the components of the topics ({})", names.join(", ")),
        ));
    }
    Ok(out)
}

fn check_strength(item: &Advice) -> Result<()> {
    item.strength_in_fit(&format!("the strength of the {}", item.kind())).map(|_| ())
}

fn check_length(what: &str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(Error::shape(what, format!("one for each of the {expected} samples"), found))
}

/// What each sample counts, where that is given.
fn sample_weights(guidance: &Guidance, n: usize) -> Result<Option<Vec<f64>>> {
    let mut found = None;
    for item in guidance.advice() {
        let Advice::SampleWeights(given) = item else { continue };
        check_length("the sample weights", given.len(), n)?;
        check_weights(given, |at| format!("the weight of sample {at}"))?;
        if found.replace(given.clone()).is_some() {
            return Err(Error::Guidance("sample weights are given twice".into()));
        }
    }
    Ok(found)
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

    fn add(&mut self, item: &Advice, rows: &Rows) -> Result<()> {
        check_strength(item)?;
        let n = self.shape.samples;
        match item {
            Advice::Labels { labels, rule, strength } => {
                check_length("the labels", labels.n_samples(), n)?;
                self.add_labels(labels, *rule, *strength, rows)
            }
            Advice::Sets { names, sets, strength } => {
                check_length("the sets", sets.len(), n)?;
                self.add_sets(names, sets, *strength)
            }
            Advice::Memberships { names, shares, strength } => {
                check_shape("the memberships (samples x topics)", (n, names.len()), shares.shape())?;
                self.add_memberships(names, shares, *strength, rows)
            }
            Advice::References { names, profiles, strength } => {
                self.add_references(names, profiles, *strength)
            }
            Advice::Links { must, cannot, strength } => self.add_links(must, cannot, *strength, rows),
            Advice::Graph { graph, strength } => self.add_graph(graph, *strength, rows),
            Advice::CodeReference(reference) => {
                self.anchor_rows(reference.reference.clone(), reference.squared_weights(), rows);
                Ok(())
            }
            Advice::ComponentReference(reference) => {
                let anchor = reference.anchor(self.shape);
                self.contributions.push(Box::new(anchor));
                Ok(())
            }
            Advice::Targets { targets, strength } => self.add_targets(targets, *strength, rows),
            // Changes of variables on the rows and the columns of X, and what is for new samples.
            Advice::SampleWeights(_) | Advice::FeatureWeights(_) | Advice::Scorer(_) => Ok(()),
            Advice::Spread(spread) => self.add_spread(spread),
            Advice::KnownEntries(_) | Advice::KnownFeatures(_) | Advice::EntryWeights(_) => {
                if self.contributions.iter().any(|c| c.facts().weights_entries) {
                    return Err(Error::Guidance(
                        "the weights of entries, or the known entries, are given twice".into(),
                    ));
                }
                if rows.are_shared() {
                    return Err(Error::incompatible(
                        format!("{} together with samples that share one row of codes", item.kind()),
                        "the merged rows would need a weight for each entry",
                        ["labels below strength 1", "must-links below strength 1"],
                    ));
                }
                self.contributions.push(Box::new(self.entry_weights(item)?));
                Ok(())
            }
        }
    }

    fn entry_weights(&self, item: &Advice) -> Result<EntryWeights> {
        let (n, d) = (self.shape.samples, self.shape.features);
        match item {
            Advice::KnownFeatures(known) => {
                check_length("the known features", known.n_samples(), n)?;
                for (i, row) in known.rows().enumerate() {
                    if let Some(j) = row.iter().find(|j| **j as usize >= d) {
                        let what = format!("a known feature of sample {i}");
                        return Err(Error::out_of_range(
                            &what,
                            f64::from(*j),
                            format!("below {d}, the number of features"),
                        ));
                    }
                    if !row.is_sorted_by(|a, b| a < b) {
                        return Err(Error::Guidance(format!(
                            "the known features of sample {i} must be in ascending order, each once"
                        )));
                    }
                }
                Ok(EntryWeights::listed(known, d))
            }
            Advice::KnownEntries(weights) | Advice::EntryWeights(weights) => {
                check_shape(&format!("the {} (samples x features)", item.kind()), (n, d), weights.shape())?;
                check_weights(weights.as_slice(), |at| {
                    format!("the weight of the entry in row {}, column {}", at / d, at % d)
                })?;
                Ok(EntryWeights::new(weights))
            }
            _ => unreachable!("the caller has an item about entries"),
        }
    }

    /// Guidance on the features, fixed entries, and the checks that need everything.
    fn finish(&mut self, seeds: &[Vec<(usize, f64)>], rows: &Rows) -> Result<()> {
        let features = self.feature_rules(seeds)?;
        let mut held = RowRules::new(self.shape.rank);
        for (term, rules) in std::mem::take(&mut self.samples) {
            let rules = rows.rules(&rules);
            let placements = rules.placements();
            if !placements.is_empty() {
                let placement = Placement::new(Slot::Codes, term, &placements);
                self.contributions.push(Box::new(placement));
            }
            for (at, zeros) in rules.zeros() {
                let allowed: Vec<bool> = zeros.iter().map(|zero| !zero).collect();
                at.iter().for_each(|&row| held.keep_within(row as usize, &allowed, f64::INFINITY));
            }
        }
        if let Some(row) = held.first_impossible() {
            return Err(Error::Guidance(format!(
                "sample {} may not use any component: exact items contradict each other",
                rows.first(row)
            )));
        }
        let zeros = held.zeros();
        let nothing = |slot| Matrix::zeros(if slot == Slot::Codes { 1 } else { self.shape.features }, 0);
        if !zeros.is_empty() {
            let held = FixedEntries::new(Slot::Codes, Vec::new(), &nothing(Slot::Codes), &zeros);
            self.contributions.push(Box::new(held));
        }
        let placements = features.placements();
        if !placements.is_empty() {
            let placement = Placement::new(Slot::Components, "seeds", &placements);
            self.contributions.push(Box::new(placement));
        }
        self.fixed.sort_by_key(|(j, _)| *j);
        let zeros = features.zeros();
        if !zeros.is_empty() || !self.fixed.is_empty() {
            let columns: Vec<usize> = self.fixed.iter().map(|(j, _)| *j).collect();
            let values = Matrix::from_fn(self.shape.features, columns.len(), |f, at| self.fixed[at].1[f]);
            let held = FixedEntries::new(Slot::Components, columns, &values, &zeros);
            self.contributions.push(Box::new(held));
        }
        self.contributions.sort_by_key(|c| c.facts().fixes_entries);
        Ok(())
    }
}
