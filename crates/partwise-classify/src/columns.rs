//! The columns of a table, each between its extremes, beside what they lack.
//!
//! ```text
//! x̂_ij = (x_ij − min_j)/(max_j − min_j), between 0 and 1;   the row of a sample: (x̂, 1 − x̂), 2d numbers
//! ```
//!
//! Distances between the directions of such rows are nearly the Euclidean distances between the scaled
//! columns: the length of a row counts, and so does a low value. For counts of many words that would be
//! wrong, because a word that is missing says little.

use partwise::{DataMatrix, DenseMatrix, Matrix, Real, Result};

use crate::graphs::unit_rows;

/// Features at most, unless rows are few and nearly parallel.
pub(crate) const FEW_FEATURES: usize = 100;
/// Rows at most where features are many: a second view of large data would cost too much.
const FEW_ROWS: usize = 300;
/// The mean cosine of two rows from which they are nearly parallel: directions hardly differ.
const PARALLEL: f64 = 0.9;

/// The extremes of each column (d).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Columns {
    pub(crate) least: Vec<f64>,
    pub(crate) most: Vec<f64>,
}

impl Columns {
    /// Those of `data` (n × d), where columns are worth a view of their own: there are few of them, or the
    /// rows are few and nearly parallel. None where no column varies.
    pub(crate) fn of<T: Real>(data: &dyn DataMatrix<T>) -> Option<Self> {
        let (n, d) = (data.n_samples(), data.n_features());
        if d > FEW_FEATURES && (n > FEW_ROWS || mean_cosine(data) < PARALLEL) {
            return None;
        }
        let mut columns = Columns { least: vec![f64::INFINITY; d], most: vec![f64::NEG_INFINITY; d] };
        let mut row = vec![0.0; d];
        for i in 0..n {
            row.fill(0.0);
            data.add_row(i, 1.0, &mut row);
            for (j, value) in row.iter().enumerate() {
                columns.least[j] = columns.least[j].min(*value);
                columns.most[j] = columns.most[j].max(*value);
            }
        }
        let varies = columns.least.iter().zip(&columns.most).any(|(least, most)| most > least);
        varies.then_some(columns)
    }

    /// (x̂, 1 − x̂) for each row of `data` (n × d); values beyond the extremes count as these, and columns
    /// that do not vary as 0.
    pub(crate) fn view<T: Real>(&self, data: &dyn DataMatrix<T>) -> Result<DenseMatrix<'static, T>> {
        let (n, d) = (data.n_samples(), data.n_features());
        let (mut out, mut row) = (Matrix::<T>::zeros(n, 2 * d), vec![0.0; d]);
        for i in 0..n {
            row.fill(0.0);
            data.add_row(i, 1.0, &mut row);
            for (j, value) in row.iter().enumerate() {
                let range = self.most[j] - self.least[j];
                if range > 0.0 {
                    let part = ((value - self.least[j]) / range).clamp(0.0, 1.0);
                    out.set(i, j, T::from_f64(part));
                    out.set(i, d + j, T::from_f64(1.0 - part));
                }
            }
        }
        DenseMatrix::from_matrix(out)
    }
}

/// The mean cosine of two different rows: with s the sum of the unit rows, (‖s‖² − n)/(n² − n).
fn mean_cosine<T: Real>(data: &dyn DataMatrix<T>) -> f64 {
    let (rows, n) = (unit_rows(data), data.n_samples() as f64);
    let mut sum = vec![0.0; data.n_features()];
    (0..data.n_samples()).for_each(|i| rows.add_row(i, 1.0, &mut sum));
    (sum.iter().map(|v| v * v).sum::<f64>() - n) / (n * n - n)
}
