//! From codes to who belongs where: what recipes read off a fit.

use crate::linalg::Matrix;
use crate::real::Real;

/// ‖h_j‖ of each component (k × d), by which a code is measured so that rescaling a component against its codes changes nothing.
pub(super) fn component_lengths<T: Real>(components: &Matrix<T>) -> Vec<f64> {
    let length = |j: usize| components.row(j).iter().map(|h| h.to_f64().powi(2)).sum::<f64>().sqrt();
    (0..components.rows()).map(length).collect()
}

/// The place of the first largest entry.
pub(super) fn largest<T: Real>(row: &[T]) -> usize {
    (0..row.len()).fold(0, |best, j| if row[j] > row[best] { j } else { best })
}
