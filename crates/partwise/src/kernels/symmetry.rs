//! What counts as a symmetric matrix, wherever one is needed: similarities, graphs, Grams.
//!
//! The entries of a pair (i, j) and (j, i) may differ by what single precision leaves of products of many
//! terms, whatever the type that they are given in now: similarities that were computed in `f32` are often
//! kept as `f64` or written to text.

use crate::foundation::{Error, Matrix, Result};

/// The difference that a pair of entries may have where the largest entry is `largest`: 64 roundings of an
/// `f32`, 7.6e-6 of it.
pub(crate) fn asymmetry_allowed(largest: f64) -> f64 {
    64.0 * f64::from(f32::EPSILON) * largest
}

/// The matrix (n × n) with both entries of each pair at their mean; `what` it is, for the message.
///
/// # Errors
/// [`Error::Shape`] when it is not square; [`Error::NotSymmetric`] with the first pair that differs by more
/// than 7.6e-6 of the largest entry, and both values.
pub fn symmetric_mean(what: &str, matrix: &Matrix<f64>) -> Result<Matrix<f64>> {
    let (n, columns) = matrix.shape();
    if n != columns {
        return Err(Error::shape(what, "as many columns as rows", format!("{n} x {columns}")));
    }
    let allowed = asymmetry_allowed(matrix.as_slice().iter().fold(0.0, |largest, v| v.abs().max(largest)));
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let values = |(i, j): (usize, usize)| (matrix.get(i, j), matrix.get(j, i));
    for pair in pairs {
        let (a, b) = values(pair);
        if (a - b).abs() > allowed {
            return Err(Error::NotSymmetric { what: what.into(), pair, values: (a, b) });
        }
    }
    // Halves are exact, so that equal entries stay as they are.
    Ok(Matrix::from_fn(n, n, |i, j| 0.5 * matrix.get(i, j) + 0.5 * matrix.get(j, i)))
}
