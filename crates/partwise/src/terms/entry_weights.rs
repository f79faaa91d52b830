//! Entries of X that count more or less than others, or not at all: those that are not known.
//!
//! ```text
//! ½·Σᵢⱼ (cᵢⱼ − 1)·(wᵢ·hⱼ)²,   which with c∘x in place of x makes ½‖X − WH‖², but for a constant,
//!                             ½·Σᵢⱼ cᵢⱼ·(xᵢⱼ − wᵢ·hⱼ)²
//! ```
//!
//! Exactly quadratic in either factor: the Gram of a row gains Σ (c − 1)·vⱼvⱼᵀ over the entries whose weight
//! is not 1, so rows with the same weights form a group.

use super::FeatureLists;
use crate::engine::quadratic::{RowGroup, Subproblem, dot};
use crate::engine::term::{Cast, Facts, RowGrams, Term};
use crate::engine::{Factors, Loss, Slot};
use crate::foundation::{Matrix, Real};

/// Of each row of one factor the entries (rows of the other factor) that are listed, and what they gain.
#[derive(Clone, Debug)]
enum Gains {
    /// Each its own.
    Each(Vec<Vec<(u32, f64)>>),
    /// All 1.
    One(FeatureLists),
}

/// The rows of one factor.
#[derive(Clone, Debug)]
struct Listed {
    /// Rows with the same list, in the order of their first row.
    groups: Vec<Vec<u32>>,
    gains: Gains,
}

impl Listed {
    /// Rows with the same list together; those of which nothing is listed only if that means something.
    fn of(gains: Gains) -> Self {
        let (rows, empty) = match &gains {
            Gains::Each(lists) => (lists.len(), lists.iter().map(Vec::is_empty).collect()),
            Gains::One(lists) => (lists.n_samples(), vec![false; lists.n_samples()]),
        };
        let compared = |a: u32, b: u32| match &gains {
            Gains::Each(lists) => {
                let bits = |row: u32| lists[row as usize].iter().map(|(at, gain)| (*at, gain.to_bits()));
                bits(a).cmp(bits(b))
            }
            Gains::One(lists) => lists.row(a as usize).cmp(lists.row(b as usize)),
        };
        let mut order: Vec<u32> = (0..rows as u32).filter(|row| !empty[*row as usize]).collect();
        // Stable: equal lists keep the order of their rows.
        order.sort_by(|a, b| compared(*a, *b));
        let mut groups: Vec<Vec<u32>> =
            order.chunk_by(|a, b| compared(*a, *b).is_eq()).map(<[u32]>::to_vec).collect();
        groups.sort_by_key(|group| group[0]);
        Listed { groups, gains }
    }

    /// What the rows of a group list.
    fn entries(&self, group: &[u32]) -> Box<dyn Iterator<Item = (u32, f64)> + '_> {
        let row = group[0] as usize;
        match &self.gains {
            Gains::Each(lists) => Box::new(lists[row].iter().copied()),
            Gains::One(lists) => Box::new(lists.row(row).iter().map(|at| (*at, 1.0))),
        }
    }

    /// Σ gain·v vᵀ (k × k) of a group.
    fn gram<T: Real>(&self, group: &[u32], other: &Matrix<T>) -> Matrix<T> {
        let (k, mut sum) = (other.columns(), Matrix::<T>::zeros(other.columns(), other.columns()));
        for sign in [1.0, -1.0] {
            let (mut values, mut count) = (Vec::new(), 0);
            for (row, gain) in self.entries(group) {
                if sign * gain > 0.0 {
                    let root = T::from_f64((sign * gain).sqrt());
                    values.extend(other.row(row as usize).iter().map(|v| *v * root));
                    count += 1;
                }
            }
            if count == 0 {
                continue;
            }
            let gathered = Matrix::from_vec(count, k, values).expect("k values for each listed row");
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
    samples: Listed,
    features: Listed,
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
        let samples = (0..n).map(|i| gains(&mut weights.row(i).iter().copied())).collect();
        let features = (0..d).map(|j| gains(&mut (0..n).map(|i| weights.get(i, j)))).collect();
        EntryWeights {
            samples: Listed::of(Gains::Each(samples)),
            features: Listed::of(Gains::Each(features)),
            only_listed: false,
        }
    }

    /// `known` lists the known features of each sample, each at most once and below `features`; all else is
    /// not known.
    pub fn listed(known: &FeatureLists, features: usize) -> Self {
        EntryWeights {
            samples: Listed::of(Gains::One(known.clone())),
            features: Listed::of(Gains::One(known.transposed(features))),
            only_listed: true,
        }
    }
}

impl<T: Real> Term<T> for EntryWeights {
    fn name(&self) -> String {
        // What it is called where all that it does is to leave entries out, and otherwise.
        let left_out = |lists: &Vec<Vec<(u32, f64)>>| lists.iter().flatten().all(|(_, gain)| *gain == -1.0);
        if self.only_listed || matches!(&self.samples.gains, Gains::Each(lists) if left_out(lists)) {
            "unknown entries".into()
        } else {
            "weights of entries".into()
        }
    }

    fn facts(&self) -> Facts {
        Facts {
            squared_only: true,
            row_grams: RowGrams::NonNegative,
            weights_entries: true,
            ..Facts::default()
        }
    }

    fn value(&self, factors: &Factors<T>, _: Loss) -> f64 {
        let (codes, components) = (factors.get(Slot::Codes), factors.get(Slot::Components));
        let mut sum = 0.0;
        for group in &self.samples.groups {
            for &i in group {
                let square = |j: u32| dot(codes.row(i as usize), components.row(j as usize)).powi(2);
                sum += self.samples.entries(group).map(|(j, gain)| gain * square(j)).sum::<f64>();
            }
        }
        if self.only_listed {
            let (w, h) = (codes.cast::<f64>().gram(), components.cast::<f64>().gram());
            sum -= dot(w.as_slice(), h.as_slice());
        }
        0.5 * sum
    }

    fn add_to(&self, slot: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        let Subproblem::Quadratic(q) = subproblem else {
            panic!("a problem with weights of entries has the Frobenius loss")
        };
        let other = factors.get(slot.other());
        let all = self.only_listed.then(|| other.gram());
        let listed = if slot == Slot::Codes { &self.samples } else { &self.features };
        let groups = listed.groups.iter().map(|group| {
            let mut gain = listed.gram(group, other);
            if let Some(all) = &all {
                gain.as_mut_slice().iter_mut().zip(all.as_slice()).for_each(|(g, all)| *g -= *all);
            }
            RowGroup::with_gram(group.clone(), gain)
        });
        q.add_groups(groups.collect());
    }
}

impl Cast for EntryWeights {
    type In<T: Real> = EntryWeights;

    fn cast<T: Real>(&self, _: bool) -> EntryWeights {
        self.clone()
    }
}
