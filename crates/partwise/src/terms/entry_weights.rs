//! Entries of X that count more or less than others, or not at all: those that are not known.
//!
//! ```text
//! ½·Σᵢⱼ (cᵢⱼ − 1)·(wᵢ·hⱼ)²,   which with c∘x in place of x makes ½‖X − WH‖², but for a constant, ½·Σᵢⱼ cᵢⱼ·(xᵢⱼ − wᵢ·hⱼ)²
//! ```
//!
//! Exactly quadratic in either factor: the Gram of a row gains Σ (c − 1)·vⱼvⱼᵀ over the entries whose weight is not 1, so rows with the
//! same weights form a group.

use std::collections::BTreeMap;

use crate::factors::{Factors, Slot};
use crate::linalg::Matrix;
use crate::quadratic::{RowGroup, Subproblem, dot};
use crate::real::Real;

/// Rows of one factor with the same weights: those entries (rows of the other factor) that are listed, and what they gain.
#[derive(Clone, Debug)]
struct Listed {
    rows: Vec<u32>,
    entries: Vec<(u32, f64)>,
}

impl Listed {
    /// Σ gain·v vᵀ (k × k).
    fn gram<T: Real>(&self, other: &Matrix<T>) -> Matrix<T> {
        let (k, mut sum) = (other.columns(), Matrix::<T>::zeros(other.columns(), other.columns()));
        for sign in [1.0, -1.0] {
            let part: Vec<(u32, f64)> = self
                .entries
                .iter()
                .map(|(row, gain)| (*row, sign * gain))
                .filter(|(_, gain)| *gain > 0.0)
                .collect();
            if part.is_empty() {
                continue;
            }
            let scaled = |(row, gain): &(u32, f64)| {
                let root = T::from_f64(gain.sqrt());
                other.row(*row as usize).iter().map(move |v| *v * root)
            };
            let values = part.iter().flat_map(scaled).collect();
            let gathered = Matrix::from_vec(part.len(), k, values).expect("k values for each listed row");
            let sign = T::from_f64(sign);
            for (s, g) in sum.as_mut_slice().iter_mut().zip(gathered.gram().as_slice()) {
                *s += sign * *g;
            }
        }
        sum
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub struct EntryWeights {
    samples: Vec<Listed>,
    features: Vec<Listed>,
    /// What is not listed has weight 0 instead of 1; a listed gain is then the weight itself.
    only_listed: bool,
}

impl EntryWeights {
    /// `weights` is C ≥ 0 (n × d): 0 for what is not known.
    pub fn new(weights: &Matrix<f64>) -> Self {
        let (n, d) = weights.shape();
        let gains = |row: &mut dyn Iterator<Item = f64>| {
            row.enumerate().filter(|(_, c)| *c != 1.0).map(|(at, c)| (at as u32, c - 1.0)).collect()
        };
        let samples = (0..n).map(|i| gains(&mut weights.row(i).iter().copied()));
        let features = (0..d).map(|j| gains(&mut (0..n).map(|i| weights.get(i, j))));
        EntryWeights {
            samples: grouped(samples, false),
            features: grouped(features, false),
            only_listed: false,
        }
    }

    /// `known` lists the known features of each sample, each at most once and below `features`; all else is not known.
    pub fn listed(known: &[Vec<u32>], features: usize) -> Self {
        let mut by_feature = vec![Vec::new(); features];
        for (i, row) in known.iter().enumerate() {
            row.iter().for_each(|j| by_feature[*j as usize].push((i as u32, 1.0)));
        }
        let samples = known.iter().map(|row| row.iter().map(|j| (*j, 1.0)).collect());
        EntryWeights {
            samples: grouped(samples, true),
            features: grouped(by_feature, true),
            only_listed: true,
        }
    }

    /// What it is called where all that it does is to leave entries out, and otherwise.
    pub(super) fn name(&self) -> &'static str {
        let left_out = |listed: &Listed| listed.entries.iter().all(|(_, gain)| *gain == -1.0);
        if self.only_listed || self.samples.iter().all(left_out) {
            "unknown entries"
        } else {
            "weights of entries"
        }
    }

    pub(super) fn value<T: Real>(&self, factors: &Factors<T>) -> f64 {
        let (codes, components) = (factors.get(Slot::Codes), factors.get(Slot::Components));
        let mut sum = 0.0;
        for listed in &self.samples {
            for &i in &listed.rows {
                let square = |j: u32| dot(codes.row(i as usize), components.row(j as usize)).powi(2);
                sum += listed.entries.iter().map(|(j, gain)| gain * square(*j)).sum::<f64>();
            }
        }
        if self.only_listed {
            let (w, h) = (codes.cast::<f64>().gram(), components.cast::<f64>().gram());
            sum -= dot(w.as_slice(), h.as_slice());
        }
        0.5 * sum
    }

    /// To the subproblem of the codes or of the components.
    pub(super) fn add_to<T: Real>(&self, slot: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        let Subproblem::Quadratic(q) = subproblem else {
            panic!("a problem with weights of entries has the Frobenius loss")
        };
        let other = factors.get(slot.other());
        let all = self.only_listed.then(|| other.gram());
        let listed = if slot == Slot::Codes { &self.samples } else { &self.features };
        let groups = listed.iter().map(|listed| {
            let mut gain = listed.gram(other);
            if let Some(all) = &all {
                gain.as_mut_slice().iter_mut().zip(all.as_slice()).for_each(|(g, all)| *g -= *all);
            }
            RowGroup::with_gram(listed.rows.clone(), gain)
        });
        q.add_groups(groups.collect());
    }
}

/// Rows with the same list together, in the order of their first row; those of which nothing is listed only if that `means` something.
fn grouped(rows: impl IntoIterator<Item = Vec<(u32, f64)>>, means: bool) -> Vec<Listed> {
    let mut groups: Vec<Listed> = Vec::new();
    let mut place: BTreeMap<Vec<(u32, u64)>, usize> = BTreeMap::new();
    for (row, entries) in rows.into_iter().enumerate() {
        if entries.is_empty() && !means {
            continue;
        }
        let key = entries.iter().map(|(at, gain)| (*at, gain.to_bits())).collect();
        let at = *place.entry(key).or_insert_with(|| {
            groups.push(Listed { rows: Vec::new(), entries });
            groups.len() - 1
        });
        groups[at].rows.push(row as u32);
    }
    groups
}
