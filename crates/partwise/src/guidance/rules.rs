//! [`RowRules`]: guidance on the rows of one factor, collected row by row and handed on as groups of equal
//! rows.

use std::collections::BTreeMap;

use crate::terms::PlacementRule;

/// Guidance on one row.
#[derive(Clone, Debug, PartialEq)]
struct Rule {
    penalty: Vec<f64>,
    pulls: Vec<Vec<f64>>,
    held: Vec<bool>,
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct RowRules {
    rank: usize,
    rules: BTreeMap<u32, Rule>,
}

/// Rows whose entries are fixed at zero, and which (rank).
pub(super) type Zeros = Vec<(Vec<u32>, Vec<bool>)>;

impl RowRules {
    pub(super) fn new(rank: usize) -> Self {
        RowRules { rank, rules: BTreeMap::new() }
    }

    fn at(&mut self, row: usize) -> &mut Rule {
        let rank = self.rank;
        self.rules.entry(row as u32).or_insert_with(|| Rule {
            penalty: vec![0.0; rank],
            pulls: Vec::new(),
            held: vec![false; rank],
        })
    }

    /// What is outside of `allowed` (rank) costs `weight`; is fixed at zero when that is infinite.
    pub(super) fn keep_within(&mut self, row: usize, allowed: &[bool], weight: f64) {
        if weight == 0.0 {
            return;
        }
        let rule = self.at(row);
        for (j, _) in allowed.iter().enumerate().filter(|(_, allowed)| !**allowed) {
            if weight.is_infinite() {
                rule.held[j] = true;
            } else {
                rule.penalty[j] += weight;
            }
        }
    }

    /// The known entries of the row are drawn to the shares; those known to be 0 are fixed there when the
    /// weight is infinite.
    pub(super) fn draw(&mut self, row: usize, shares: &[Option<f64>], weight: f64) {
        /// σ² that stands for infinity where fixing an entry cannot fix a direction exactly.
        const EXACT_DIRECTION: f64 = 1e6;
        if weight == 0.0 || shares.iter().all(Option::is_none) {
            return;
        }
        let finite = if weight.is_infinite() { EXACT_DIRECTION } else { weight };
        let length = shares.iter().flatten().map(|s| s * s).sum::<f64>().sqrt();
        let rule = self.at(row);
        let positive = shares.iter().flatten().filter(|s| **s > 0.0).count();
        for (j, share) in shares.iter().enumerate() {
            match share {
                None => {}
                Some(share) if *share == 0.0 && weight.is_infinite() => rule.held[j] = true,
                // A single share is a set of one: nothing of it costs.
                Some(share) if *share > 0.0 && positive == 1 => {}
                Some(_) => rule.penalty[j] += finite,
            }
        }
        if positive > 1 {
            let pull = |share: &Option<f64>| finite.sqrt() * share.unwrap_or(0.0) / length;
            rule.pulls.push(shares.iter().map(pull).collect());
        }
    }

    /// No penalty and no fixed entry in these components.
    pub(super) fn free_components(&mut self, components: &[usize]) {
        for rule in self.rules.values_mut() {
            for &j in components {
                rule.penalty[j] = 0.0;
                rule.held[j] = false;
            }
        }
    }

    /// A row whose entries are all fixed at zero.
    pub(super) fn first_impossible(&self) -> Option<usize> {
        self.rules.iter().find(|(_, rule)| rule.held.iter().all(|h| *h)).map(|(row, _)| *row as usize)
    }

    /// For rows that share one unknown: `group` says which row each becomes, `count` how many become it.
    pub(super) fn tied(&self, group: &[u32], count: &[f64]) -> Self {
        let mut tied = RowRules::new(self.rank);
        for (row, rule) in &self.rules {
            let to = group[*row as usize];
            let n = count[to as usize];
            let sum = tied.at(to as usize);
            for j in 0..rule.penalty.len() {
                sum.penalty[j] += rule.penalty[j] / n;
                sum.held[j] |= rule.held[j];
            }
            for pull in &rule.pulls {
                sum.pulls.push(pull.iter().map(|v| v / n.sqrt()).collect());
            }
        }
        tied
    }

    /// Rows with equal costs.
    pub(super) fn placements(&self) -> Vec<PlacementRule> {
        let mut groups: BTreeMap<Vec<u64>, PlacementRule> = BTreeMap::new();
        for (row, rule) in &self.rules {
            if rule.pulls.is_empty() && rule.penalty.iter().all(|p| *p == 0.0) {
                continue;
            }
            let key = rule.penalty.iter().chain(rule.pulls.iter().flatten()).map(|v| v.to_bits()).collect();
            let new = || PlacementRule {
                rows: Vec::new(),
                penalty: rule.penalty.clone(),
                pulls: rule.pulls.clone(),
            };
            groups.entry(key).or_insert_with(new).rows.push(*row);
        }
        groups.into_values().collect()
    }

    /// Rows with the same entries fixed at zero.
    pub(super) fn zeros(&self) -> Zeros {
        let mut groups: BTreeMap<Vec<bool>, Vec<u32>> = BTreeMap::new();
        for (row, rule) in self.rules.iter().filter(|(_, rule)| rule.held.contains(&true)) {
            groups.entry(rule.held.clone()).or_default().push(*row);
        }
        groups.into_iter().map(|(held, rows)| (rows, held)).collect()
    }
}
