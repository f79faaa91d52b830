//! Entries of X that are not known and so don't count.
//!
//! ```text
//! −½·Σ_{(i, j) unknown} (wᵢ·hⱼ)²,   which with 0 in place of the unknown entries makes ½‖X − WH‖² the loss of the known ones
//! ```
//!
//! Exactly quadratic in either factor: the Gram of a row loses Σ vⱼvⱼᵀ over what is unknown in it, so rows with the same unknown
//! entries form a group.

use super::label_view::{Pattern, patterns};
use crate::factors::{Factors, Slot};
use crate::linalg::Matrix;
use crate::quadratic::{RowGroup, Subproblem, dot};
use crate::real::Real;

/// See the module.
#[derive(Clone, Debug)]
pub struct Missing {
    /// Samples by their unknown features.
    samples: Vec<Pattern>,
    /// Features by the samples that don't know them.
    features: Vec<Pattern>,
}

impl Missing {
    /// `known` is P (n × d): an entry above 0 is known.
    pub fn new(known: &Matrix<f64>) -> Self {
        let (n, d) = known.shape();
        let unknown = |i: usize, j: usize| known.get(i, j) <= 0.0;
        Missing { samples: patterns(n, d, unknown), features: patterns(d, n, |j, i| unknown(i, j)) }
    }

    pub(super) fn value<T: Real>(&self, factors: &Factors<T>) -> f64 {
        let (codes, components) = (factors.get(Slot::Codes), factors.get(Slot::Components));
        let mut sum = 0.0;
        for pattern in &self.samples {
            for &i in &pattern.rows {
                let product = |j: &u32| dot(codes.row(i as usize), components.row(*j as usize));
                sum += pattern.known.iter().map(|j| product(j).powi(2)).sum::<f64>();
            }
        }
        -0.5 * sum
    }

    /// To the subproblem of the codes or of the components.
    pub(super) fn add_to<T: Real>(&self, slot: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        let Subproblem::Quadratic(q) = subproblem else {
            panic!("a problem with unknown entries has the Frobenius loss")
        };
        let other = factors.get(slot.other());
        let patterns = if slot == Slot::Codes { &self.samples } else { &self.features };
        let groups = patterns.iter().map(|pattern| {
            let mut lost = pattern.gram(other);
            lost.as_mut_slice().iter_mut().for_each(|g| *g = -*g);
            RowGroup::with_gram(pattern.rows.clone(), lost)
        });
        q.add_groups(groups.collect());
    }
}
