//! What k-means and the methods compared with it ask of the rows of data, dense or sparse.

use crate::data::DataMatrix;
use crate::foundation::Matrix;
use crate::foundation::{Error, Result};

/// Σ aᵢbᵢ.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// ‖xᵢ‖² of each sample (n).
pub fn squared_norms(data: &dyn DataMatrix<f64>) -> Vec<f64> {
    let mut row = vec![0.0; data.n_features()];
    let mut norm = |i: usize| {
        data.add_row(i, 1.0, &mut row);
        let norm = data.row_dot(i, &row);
        // x − x is 0 exactly, so the buffer is clean again without touching all of it.
        data.add_row(i, -1.0, &mut row);
        norm
    };
    (0..data.n_samples()).map(&mut norm).collect()
}

/// The means of groups of samples (groups × d); `None` for a sample that is in no group. A group without a
/// sample keeps the row of `otherwise`.
pub fn means(
    data: &dyn DataMatrix<f64>,
    group: impl Fn(usize) -> Option<usize>,
    otherwise: &Matrix<f64>,
) -> Matrix<f64> {
    let (groups, d) = otherwise.shape();
    let mut sums = Matrix::zeros(groups, d);
    let mut counts = vec![0_usize; groups];
    for sample in 0..data.n_samples() {
        if let Some(group) = group(sample) {
            data.add_row(sample, 1.0, sums.row_mut(group));
            counts[group] += 1;
        }
    }
    for group in 0..groups {
        if counts[group] == 0 {
            sums.row_mut(group).copy_from_slice(otherwise.row(group));
        } else {
            sums.row_mut(group).iter_mut().for_each(|value| *value /= counts[group] as f64);
        }
    }
    sums
}

/// The row (from 0) of the largest value, ties to the first.
pub fn largest(values: impl IntoIterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (place, value) in values.into_iter().enumerate() {
        if value > best.1 {
            best = (place, value);
        }
    }
    best.0
}

/// The place (from 0) of the smallest value, ties to the first.
pub fn smallest(values: impl IntoIterator<Item = f64>) -> usize {
    largest(values.into_iter().map(|value| -value))
}

/// Refuses data with NaN or infinite entries.
pub fn check_finite(data: &dyn DataMatrix<f64>) -> Result<()> {
    let summary = data.summary();
    match summary.first_not_finite {
        None => Ok(()),
        Some(first) => Err(Error::NotFinite {
            what: "the data".into(),
            nan: summary.nan,
            infinite: summary.infinite,
            first,
        }),
    }
}

/// Refuses a number of clusters (or components) outside 1..=`most`.
pub fn check_count(name: &str, count: usize, most: usize) -> Result<()> {
    if (1..=most).contains(&count) {
        return Ok(());
    }
    Err(out_of_range(name, count, &format!("1 to {most}")))
}

/// The error of a value outside its range; `valid` says what is allowed.
pub fn out_of_range(name: &str, value: impl std::fmt::Display, valid: &str) -> Error {
    Error::out_of_range(name, value, valid)
}
