//! [`Plan`]: guidance compiled for data of a shape: which rows are one unknown, which terms stand beside the
//! loss, where to start.

mod features;
mod pairs;
mod rows;
mod samples;
mod seeds;

use std::collections::BTreeMap;
use std::ops::Range;

pub(crate) use pairs::ties;
use rows::Rows;

use super::rules::RowRules;
use super::{Advice, Guidance};
use crate::engine::term::ModelTerms;
use crate::engine::{Shape, Slot};
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

/// The profile (d) that the samples with these seeds, a weight each, have together; `None` where none of them
/// occurs.
pub(crate) type Seeded<'s> = dyn Fn(&[(usize, f64)]) -> Option<Vec<f64>> + 's;

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
        let name = |(name, range): &(String, Range<usize>)| -> Vec<String> {
            match range.len() {
                1 => vec![name.clone()],
                several => (1..=several).map(|q| format!("{name}/{q}")).collect(),
            }
        };
        self.topics.iter().flat_map(name).collect()
    }

    /// Checks every item against the shape and compiles it; `seeded` gives the profile of the samples that
    /// contain some seeds.
    pub(crate) fn new(guidance: &Guidance, shape: Shape, seeded: &Seeded<'_>) -> Result<Self> {
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
            viewed: Vec::new(),
        };
        let ties = ties(guidance, shape.samples)?;
        let weights = sample_weights(guidance, shape.samples)?;
        if weights.is_some() && ties.is_some() {
            return Err(Error::Incompatible {
                asked: "sample weights together with samples that share one row of codes".into(),
                reason: "the merged row would need one weight".into(),
                valid: vec!["labels below strength 1".into(), "must-links below strength 1".into()],
            });
        }
        let rows = Rows::new(shape.samples, ties.as_deref(), weights.clone());
        let seeds = compiler.seeds()?;
        for (at, found) in seeds.iter().enumerate() {
            let seeded = seeded(found);
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
            return Err(out_of_range(
                &format!("the components of topic \"{}\"", topic.name),
                0.0,
                "1 or more",
            ));
        }
        topic.strength.check(&format!("the strength of topic \"{}\"", topic.name))?;
        if topic.strength.is_raw() {
            return Err(Error::Incompatible {
                asked: format!("a raw strength for the seeds of topic \"{}\"", topic.name),
                reason: "seeds have no published weight".into(),
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

fn check_strength(item: &Advice) -> Result<()> {
    item.strength().map_or(Ok(()), |s| s.check(&format!("the strength of the {}", item.kind())))
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

/// What each sample counts, where that is given.
fn sample_weights(guidance: &Guidance, n: usize) -> Result<Option<Vec<f64>>> {
    let mut found = None;
    for item in guidance.advice() {
        let Advice::SampleWeights(given) = item else { continue };
        check_length("the sample weights", given.len(), n)?;
        if let Some(at) = given.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
            let what = format!("the weight of sample {at}");
            return Err(out_of_range(&what, given[at], "a finite number of 0 or more"));
        }
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
                if shares.shape() != (n, names.len()) {
                    return Err(Error::Shape {
                        what: "the memberships (samples x topics)".into(),
                        expected: format!("{n} x {}", names.len()),
                        found: format!("{} x {}", shares.rows(), shares.columns()),
                    });
                }
                self.add_memberships(names, shares, *strength, rows)
            }
            Advice::References { names, profiles, strength } => {
                self.add_references(names, profiles, *strength)
            }
            Advice::Links { must, cannot, strength } => self.add_links(must, cannot, *strength, rows),
            Advice::Graph { graph, strength } => self.add_graph(graph, *strength, rows),
            Advice::CodeReference(reference) => {
                let weight = reference.weight.iter().map(|m| m * m).collect();
                self.anchor_rows(reference.reference.clone(), weight, rows);
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
                    return Err(Error::Incompatible {
                        asked: format!("{} together with samples that share one row of codes", item.kind()),
                        reason: "the merged rows would need a weight for each entry".into(),
                        valid: vec!["labels below strength 1".into(), "must-links below strength 1".into()],
                    });
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
                        return Err(out_of_range(
                            &what,
                            f64::from(*j),
                            &format!("below {d}, the number of features"),
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
                if weights.shape() != (n, d) {
                    return Err(Error::Shape {
                        what: format!("the {} (samples x features)", item.kind()),
                        expected: format!("{n} x {d}"),
                        found: format!("{} x {}", weights.rows(), weights.columns()),
                    });
                }
                if let Some(at) = weights.as_slice().iter().position(|c| !(*c >= 0.0 && c.is_finite())) {
                    let what = format!("the weight of the entry in row {}, column {}", at / d, at % d);
                    return Err(out_of_range(&what, weights.as_slice()[at], "a finite number of 0 or more"));
                }
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

fn no_raw(what: &str) -> Error {
    Error::Incompatible {
        asked: format!("a raw strength for {what}"),
        reason: "no paper has a weight for them".into(),
        valid: vec!["a strength from 0 to 1".into()],
    }
}
