//! What the comparison methods ask of data, dense or sparse: whole products, rows in full, means.

use partwise::{DataMatrix, Matrix};

pub(super) use partwise::internals::rows::*;
pub(super) use partwise::internals::{times, transpose_times};

/// A · Bᵀ (n × m) for A (n × k) and B (m × k), small enough for plain loops.
pub(super) fn times_transposed(a: &Matrix<f64>, b: &Matrix<f64>) -> Matrix<f64> {
    Matrix::from_fn(a.rows(), b.rows(), |i, j| dot(a.row(i), b.row(j)))
}

/// The mean of all samples (d).
pub(super) fn mean(data: &dyn DataMatrix<f64>) -> Vec<f64> {
    let n = data.n_samples() as f64;
    data.summary().column_sums.iter().map(|sum| sum / n).collect()
}
