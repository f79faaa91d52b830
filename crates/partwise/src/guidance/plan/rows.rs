//! [`Rows`]: the one mapping from samples to the rows that the loop works on. All guidance on samples uses
//! it.
//!
//! ```text
//! sample i is in row q(i);  w_i = z_q·u_i,   u = n_q^-½ where samples share a row,
//!                           c_i^-½ where each has a weight,  1 otherwise
//! ```
//!
//! (with the Frobenius loss). Guidance on a sample has the weight c_i, guidance on a pair √(c_i·c_l).

use std::collections::BTreeMap;

use crate::engine::Slot;
use crate::foundation::Matrix;
use crate::guidance::rules::RowRules;
use crate::terms::{AnchorScale, LabelView, RowAnchor};

/// See the module.
pub(super) struct Rows {
    samples: usize,
    /// The row of each sample, and the samples of each row, where some share one.
    ties: Option<(Vec<u32>, Vec<f64>)>,
    /// c, where samples have weights.
    weights: Option<Vec<f64>>,
}

impl Rows {
    pub(super) fn new(samples: usize, ties: Option<&[u32]>, weights: Option<Vec<f64>>) -> Self {
        let ties = ties.map(|group| (group.to_vec(), counts(group)));
        Rows { samples, ties, weights }
    }

    /// Whether samples share rows.
    pub(super) fn are_shared(&self) -> bool {
        self.ties.is_some()
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.ties.as_ref().map_or(self.samples, |(_, count)| count.len())
    }

    /// The row of a sample.
    pub(super) fn row(&self, sample: usize) -> usize {
        self.ties.as_ref().map_or(sample, |(group, _)| group[sample] as usize)
    }

    /// The first sample of a row.
    pub(super) fn first(&self, row: usize) -> usize {
        let first = |(group, _): &(Vec<u32>, _)| group.iter().position(|q| *q as usize == row);
        self.ties.as_ref().and_then(first).unwrap_or(row)
    }

    /// What one of the samples has of its row: n_q^-½ where samples share it.
    pub(super) fn share(&self, row: usize) -> f64 {
        self.ties.as_ref().map_or(1.0, |(_, count)| 1.0 / count[row].sqrt())
    }

    /// Whether samples have weights.
    pub(super) fn are_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// √(c_i·c_l)·u_i² and √(c_i·c_l)·u_i·u_l: what a cost of the pair puts on the diagonal at sample i and
    /// off it, for samples with weights; 0 where one of the two counts nothing.
    pub(super) fn pair(&self, i: usize, l: usize) -> (f64, f64) {
        match &self.weights {
            None => (1.0, 1.0),
            Some(c) if c[i] > 0.0 && c[l] > 0.0 => ((c[l] / c[i]).sqrt(), 1.0),
            Some(_) => (0.0, 0.0),
        }
    }

    /// Costs of single samples as costs of rows. (Those of a sample with a weight count as the sample does by
    /// themselves.)
    pub(super) fn rules(&self, rules: &RowRules) -> RowRules {
        self.ties.as_ref().map_or_else(|| rules.clone(), |(group, count)| rules.tied(group, count))
    }

    /// ½·Σᵢ mᵢ‖wᵢ − dᵢrᵢ‖² with free dᵢ: as many anchors of rows as the most different directions that the
    /// samples of one row have.
    pub(super) fn anchors(&self, reference: Matrix<f64>, weight: Vec<f64>) -> Vec<RowAnchor<f64>> {
        let anchor = |reference, weight| RowAnchor::new(Slot::Codes, reference, weight, AnchorScale::Joint);
        if self.ties.is_none() {
            return vec![anchor(reference, weight)];
        }
        let k = reference.columns();
        let mut directions: Vec<BTreeMap<Vec<u64>, (usize, f64)>> = vec![BTreeMap::new(); self.len()];
        for i in (0..self.samples).filter(|i| weight[*i] > 0.0) {
            let length = reference.row(i).iter().map(|r| r * r).sum::<f64>().sqrt();
            let key =
                reference.row(i).iter().map(|r| (r / length.max(f64::MIN_POSITIVE)).to_bits()).collect();
            let row = self.row(i);
            directions[row].entry(key).or_insert((i, 0.0)).1 += weight[i] * self.share(row).powi(2);
        }
        let layers = directions.iter().map(BTreeMap::len).max().unwrap_or(0);
        let layer = |at: usize| {
            let known: Vec<Option<(usize, f64)>> =
                directions.iter().map(|known| known.values().nth(at).copied()).collect();
            let value = |q: usize, j: usize| known[q].map_or(0.0, |(i, _)| reference.get(i, j));
            let weight = known.iter().map(|known| known.map_or(0.0, |(_, weight)| weight)).collect();
            anchor(Matrix::from_fn(self.len(), k, value), weight)
        };
        (0..layers).map(layer).collect()
    }

    /// (λ/2)·Σ (y − W·B)² over the samples with a class, of which they have 1 and of all others 0.
    pub(super) fn view(&self, classes: &[Option<usize>], n_classes: usize, weight: f64) -> LabelView<f64> {
        let counts = |i: usize| self.weights.as_ref().map_or(1.0, |c| c[i]);
        let known = |i: &usize| classes[*i].is_some() && counts(*i) > 0.0;
        // Of each row: how much its samples with a class count, and how much those of each class do.
        let mut total = vec![0.0; self.len()];
        let mut of_class = Matrix::<f64>::zeros(self.len(), n_classes);
        for i in (0..self.samples).filter(known) {
            let row = self.row(i);
            total[row] += counts(i);
            if let Some(class) = classes[i] {
                of_class.set(row, class, of_class.get(row, class) + counts(i));
            }
        }
        // Σ c(y − w·b)² = N‖ȳ − w·b‖² + Σ_l N_l·(1 − N_l/N) = ‖√N·ȳ − ρ·z·b‖² + …, with N = Σ c and ρ = √N·u.
        let target =
            |q: usize, l: usize| if total[q] > 0.0 { of_class.get(q, l) / total[q].sqrt() } else { 0.0 };
        let marks = Matrix::from_fn(self.len(), n_classes, |q, _| f64::from(total[q] > 0.0));
        let targets = Matrix::from_fn(self.len(), n_classes, target);
        let view = LabelView::new(&targets, &marks, weight);
        if self.ties.is_none() {
            return view;
        }
        let mut unexplained = 0.0;
        for (q, total) in total.iter().enumerate().filter(|(_, total)| **total > 0.0) {
            unexplained += of_class.row(q).iter().map(|n| n * (1.0 - n / total)).sum::<f64>();
        }
        let rho = total.iter().enumerate().map(|(q, total)| {
            // A row whose samples all have a class is seen as it is.
            let rho = total.sqrt() * self.share(q);
            if (rho - 1.0).abs() < 1e-14 { 1.0 } else { rho }
        });
        view.with_rows(rho.collect(), unexplained)
    }
}

fn counts(group: &[u32]) -> Vec<f64> {
    let rows = group.iter().max().map_or(0, |q| *q as usize + 1);
    let mut count = vec![0.0; rows];
    group.iter().for_each(|q| count[*q as usize] += 1.0);
    count
}
