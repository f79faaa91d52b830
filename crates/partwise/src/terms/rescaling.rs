//! SCNMF's rescaling: after each iteration every component is scaled so that the labelled samples of its class have codes near 1.
//!
//! ```text
//! d_j = Σ_{i labelled, class(i) = j} w_ij / Σ_{i labelled} w_ij²,   W ← W·D, H ← D⁻¹·H
//! ```
//!
//! W·H does not change. d_j is 1 where the numerator or denominator is not above 0, or where d_j·max_i w_ij leaves [1e-8, 1e8].

use crate::factors::{Factors, Slot};
use crate::real::Real;

/// The class (0..k) of each labelled row of codes.
#[derive(Clone, Debug, PartialEq)]
pub struct Rescaling {
    classes: Vec<Option<usize>>,
}

impl Rescaling {
    /// One entry a row of codes.
    pub fn new(classes: Vec<Option<usize>>) -> Self {
        Rescaling { classes }
    }

    /// Rescales both factors and returns d (k).
    pub(crate) fn apply<T: Real>(&self, factors: &mut Factors<T>) -> Vec<f64> {
        let codes = factors.get(Slot::Codes);
        let k = codes.columns();
        let (mut numerator, mut denominator, mut largest) = (vec![0.0; k], vec![0.0; k], vec![0.0f64; k]);
        for i in 0..codes.rows() {
            let row = codes.row(i);
            for j in 0..k {
                let w = row[j].to_f64();
                largest[j] = largest[j].max(w);
                if let Some(class) = self.classes[i] {
                    denominator[j] += w * w;
                    numerator[j] += if class == j { w } else { 0.0 };
                }
            }
        }
        let d: Vec<f64> = (0..k)
            .map(|j| {
                let d = numerator[j] / denominator[j];
                let usable = numerator[j] > 0.0 && denominator[j] > 0.0;
                if usable && (1e-8..=1e8).contains(&(d * largest[j])) { d } else { 1.0 }
            })
            .collect();
        for (slot, inverse) in [(Slot::Codes, false), (Slot::Components, true)] {
            let factor = factors.get_mut(slot);
            for i in 0..factor.rows() {
                for (v, d) in factor.row_mut(i).iter_mut().zip(&d) {
                    *v = T::from_f64(if inverse { v.to_f64() / d } else { v.to_f64() * d });
                }
            }
        }
        d
    }
}
