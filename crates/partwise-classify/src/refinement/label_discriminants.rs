//! The linear discriminants of the labels, as they are: a member that self-training cannot mislead.

use partwise::{Matrix, Real, Result};

use super::{Refinement, Start};
use crate::base::linear_discriminants::discriminants;
use crate::linear_scores::LinearScores;

pub(super) struct LabelDiscriminants;

impl<T: Real> Refinement<T> for LabelDiscriminants {
    fn name(&self) -> &'static str {
        "discriminants of the labels"
    }

    fn posteriors(&self, start: &Start<'_, T>) -> Result<Matrix<f64>> {
        Ok(learned(start).0)
    }
}

/// The posteriors, and the discriminants with their sharpness.
pub(super) fn learned<T: Real>(start: &Start<'_, T>) -> (Matrix<f64>, (LinearScores, f64)) {
    let rows = start.prepared.rows.as_ref();
    let found = discriminants(rows, &start.fold.labels);
    let scores = found.of(rows);
    let g = start.sharpness(&scores);
    (start.sharpened(&scores, g), (found, g))
}
