//! Guidance on samples: labels, closed sets, memberships.

use std::ops::Range;

use super::{Compiler, Rows, Samples};
use crate::engine::term::ModelTerm;
use crate::foundation::{Error, Matrix, Result};
use crate::guidance::{LabelRule, LabelTargets, Labels, Spread, Strength};

impl Compiler<'_> {
    pub(super) fn add_labels(
        &mut self,
        labels: &Labels,
        rule: LabelRule,
        strength: Strength,
        rows: &Rows,
    ) -> Result<()> {
        let (n, k) = (labels.n_samples(), self.shape.rank);
        let class = |i: usize| labels.class(i).map(|c| &labels.names()[c]);
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
                self.anchor_rows(reference, weight.collect(), rows);
                Ok(())
            }
            LabelRule::View => {
                self.check_one_view()?;
                let weight = match strength {
                    Strength::Raw(lambda) => lambda,
                    _ => strength.weight() * self.shape.squared_norm / labels.n_labelled().max(1) as f64,
                };
                if labels.n_classes() == 0 {
                    return Ok(());
                }
                self.viewed = labels.names().iter().map(|name| self.components(name)).collect();
                let classes: Vec<Option<usize>> = (0..n).map(|i| labels.class(i)).collect();
                let view = rows.view(&classes, labels.n_classes(), weight);
                self.contributions.push(Box::new(view));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Refuses labels that the codes explain beside others of the kind.
    fn check_one_view(&self) -> Result<()> {
        if self.contributions.iter().any(|term| term.facts().own_slot == Some(crate::engine::Slot::Labels)) {
            return Err(Error::Guidance(
                "labels with the rule \"view\" are given twice; give one of the two the rule \"components\""
                    .into(),
            ));
        }
        Ok(())
    }

    pub(super) fn add_targets(
        &mut self,
        targets: &LabelTargets,
        strength: Strength,
        rows: &Rows,
    ) -> Result<()> {
        self.check_one_view()?;
        targets.check(self.shape)?;
        if rows.are_shared() || rows.are_weighted() {
            let beside =
                if rows.are_shared() { "samples that share one row of codes" } else { "sample weights" };
            return Err(Error::incompatible(
                format!("label targets together with {beside}"),
                "they are in the unit of single rows",
                ["labels with the rule \"view\"", "label sets"],
            ));
        }
        let view = targets.view(strength, self.shape);
        self.contributions.extend(view.map(|view| Box::new(view) as Box<dyn ModelTerm>));
        Ok(())
    }

    /// A raw anchor of the codes, as WS-NMF has it.
    pub(super) fn anchor_rows(&mut self, reference: Matrix<f64>, weight: Vec<f64>, rows: &Rows) {
        let anchors = rows.anchors(reference, weight);
        self.contributions.extend(anchors.into_iter().map(|anchor| Box::new(anchor) as Box<dyn ModelTerm>));
    }

    /// A sample shows what its topic looks like. All samples of a topic are kept with its first component
    /// until they are divided.
    fn show(&mut self, sample: usize, range: Range<usize>, weight: f64) {
        self.evidence[range.start].samples.push((sample, weight));
    }

    /// Divides the samples of a topic with several components among these, so that they start apart: groups
    /// of samples that look alike.
    pub(super) fn divide(&mut self, data: &dyn Samples) {
        for (_, range) in self.topics.iter().filter(|(_, range)| range.len() > 1) {
            let shown = std::mem::take(&mut self.evidence[range.start].samples);
            let mut samples: Vec<usize> = shown.iter().map(|(sample, _)| *sample).collect();
            samples.sort_unstable();
            samples.dedup();
            let groups = data.groups(&samples, range.len());
            for (sample, weight) in shown {
                let at = samples.binary_search(&sample).expect("every sample is in its own list");
                self.evidence[range.start + groups[at]].samples.push((sample, weight));
            }
        }
    }

    pub(super) fn add_sets(
        &mut self,
        names: &[String],
        sets: &[Option<Vec<u32>>],
        strength: Strength,
    ) -> Result<()> {
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

    pub(super) fn add_memberships(
        &mut self,
        names: &[String],
        shares: &Matrix<f64>,
        strength: Strength,
        rows: &Rows,
    ) -> Result<()> {
        let k = self.shape.rank;
        let value = |i: usize, c: usize| Some(shares.get(i, c)).filter(|s| !s.is_nan());
        for i in 0..shares.rows() {
            for (c, name) in names.iter().enumerate() {
                if value(i, c).is_some_and(|s| !(s >= 0.0 && s.is_finite())) {
                    let what = format!("the membership of sample {i} in \"{name}\"");
                    return Err(Error::out_of_range(
                        &what,
                        shares.get(i, c),
                        "0 or more, or NaN if it is unknown",
                    ));
                }
            }
        }
        let ranges: Vec<Range<usize>> = names.iter().map(|name| self.components(name)).collect();
        if let Some((at, _)) = ranges.iter().enumerate().find(|(_, range)| range.len() > 1) {
            return Err(Error::incompatible(
                format!("memberships in \"{}\", which has several components", names[at]),
                "the split between its components is undefined",
                ["topics of one component", "sets"],
            ));
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
                return Err(Error::incompatible(
                    format!("a raw strength for the memberships of sample {i}, which are partly unknown"),
                    "the published anchor is on whole rows",
                    ["a strength from 0 to 1"],
                ));
            }
        }
        if strength.is_raw() {
            self.anchor_rows(reference, weight, rows);
        }
        Ok(())
    }

    /// Samples that a classifier draws to a topic. They show it as far as they are sure to be of it.
    pub(super) fn add_spread(&mut self, spread: &Spread) -> Result<()> {
        spread.check(self.shape.samples)?;
        for i in 0..self.shape.samples {
            let Some((topic, posterior)) = spread.topic(i) else { continue };
            let name = &spread.names[topic];
            let allowed = self.allowed(std::iter::once(name));
            self.rules("spread").keep_within(i, &allowed, spread.cost(i));
            self.show(i, self.components(name), posterior);
        }
        Ok(())
    }
}
