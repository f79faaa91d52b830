//! From codes to who belongs where: what recipes read off a fit.

use crate::linalg::Matrix;
use crate::real::Real;

/// ‖h_j‖ of each component (k × d), by which a code is measured so that rescaling a component against its codes changes nothing.
pub(super) fn component_lengths<T: Real>(components: &Matrix<T>) -> Vec<f64> {
    let largest = components.as_slice().iter().fold(0.0f64, |most, h| most.max(h.to_f64()));
    // Squares out of range: the lengths in units of the largest entry.
    let unit = if largest == 0.0 || (1e-100..=1e100).contains(&largest) { 1.0 } else { largest };
    let length = |j: usize| components.row(j).iter().map(|h| (h.to_f64() / unit).powi(2)).sum::<f64>().sqrt();
    (0..components.rows()).map(|j| length(j) * unit).collect()
}

/// The place of the first largest entry.
pub(super) fn largest<T: Real>(row: &[T]) -> usize {
    (0..row.len()).fold(0, |best, j| if row[j] > row[best] { j } else { best })
}
