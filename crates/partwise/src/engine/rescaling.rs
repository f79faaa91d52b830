//! What scales both factors after each iteration; W·H does not change.
//!
//! SCNMF: every component is scaled so that the labelled samples of its class have codes near 1.
//!
//! ```text
//! d_j = Σ_{i labelled, class(i) = j} w_ij / Σ_{i labelled} w_ij²,   W ← W·D, H ← D⁻¹·H
//! ```
//!
//! d_j is 1 where the numerator or denominator is not above 0, or where d_j·max_i w_ij leaves [1e-8, 1e8].
//!
//! WS-NMF with a graph: d_j = ‖h_j‖. Nothing in its objective depends on how a component shares its size with
//! its codes, but the majorizer of a relative graph term (`terms/graph.rs`) is tight for all components only
//! when they are of equal length: else short ones hardly move. d_j is 1 for a component of zeros.

use super::{Factors, Slot};
use crate::engine::column_squares;
use crate::foundation::{Matrix, Real};

/// Which rescaling.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rescaling {
    /// SCNMF's, by the class (0..k) of each labelled row of codes.
    Labels(Vec<Option<usize>>),
    /// Components of unit length.
    UnitComponents,
}

impl Rescaling {
    /// Rescales both factors and returns SCNMF's d (k).
    pub(crate) fn apply<T: Real>(&self, factors: &mut Factors<T>) -> Option<Vec<f64>> {
        let d = match self {
            Rescaling::Labels(classes) => by_labels(classes, factors.get(Slot::Codes)),
            Rescaling::UnitComponents => {
                let usable =
                    |square: f64| if square > 0.0 && square.is_finite() { square.sqrt() } else { 1.0 };
                column_squares(factors, Slot::Components).into_iter().map(usable).collect()
            }
        };
        for (slot, inverse) in [(Slot::Codes, false), (Slot::Components, true)] {
            let scales: Vec<f64> = d.iter().map(|d| if inverse { 1.0 / d } else { *d }).collect();
            let factor = factors.get_mut(slot);
            for i in 0..factor.rows() {
                for (v, scale) in factor.row_mut(i).iter_mut().zip(&scales) {
                    *v = T::from_f64(v.to_f64() * scale);
                }
            }
        }
        matches!(self, Rescaling::Labels(_)).then_some(d)
    }
}

/// SCNMF's d (k).
fn by_labels<T: Real>(classes: &[Option<usize>], codes: &Matrix<T>) -> Vec<f64> {
    let k = codes.columns();
    let (mut numerator, mut denominator, mut largest) = (vec![0.0; k], vec![0.0; k], vec![0.0f64; k]);
    for i in 0..codes.rows() {
        let row = codes.row(i);
        for (largest, w) in largest.iter_mut().zip(row) {
            let w = w.to_f64();
            *largest = if w > *largest { w } else { *largest };
        }
        if let Some(class) = classes[i] {
            numerator[class] += row[class].to_f64();
            for (sum, w) in denominator.iter_mut().zip(row) {
                *sum += w.to_f64() * w.to_f64();
            }
        }
    }
    (0..k)
        .map(|j| {
            let d = numerator[j] / denominator[j];
            let usable = numerator[j] > 0.0 && denominator[j] > 0.0;
            if usable && (1e-8..=1e8).contains(&(d * largest[j])) { d } else { 1.0 }
        })
        .collect()
}
