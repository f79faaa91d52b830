//! [`Summary`]: what one pass over the data finds.

mod pass;
mod rows;

pub(super) use pass::Pass;

/// Sums, extremes and faults of a data matrix, from one pass over its stored values.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// Σ x over the finite entries.
    pub sum: f64,
    /// Σ x² over the finite entries (‖X‖²).
    pub squared_norm: f64,
    /// The largest finite entry; entries that are not stored count as 0 (0 for a matrix without finite
    /// entries).
    pub max: f64,
    /// How many entries are below zero (−∞ counts as infinite, not here).
    pub negative: usize,
    /// Row, column and value of the first negative entry (in row order).
    pub first_negative: Option<(usize, usize, f64)>,
    /// How many entries are not zero.
    pub non_zeros: usize,
    /// How many entries are NaN.
    pub nan: usize,
    /// How many entries are infinite.
    pub infinite: usize,
    /// Row and column of the first NaN or infinite entry (in row order).
    pub first_not_finite: Option<(usize, usize)>,
    /// Row sums over the finite entries (n).
    pub row_sums: Vec<f64>,
    /// Column sums over the finite entries (d).
    pub column_sums: Vec<f64>,
    /// Rows without a non-zero entry, ascending.
    pub zero_rows: Vec<usize>,
    /// Columns without a non-zero entry, ascending.
    pub zero_columns: Vec<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::gather::Rows;

    fn of_dense(rows: &[&[f64]]) -> Summary {
        Summary::of_dense(rows.len(), rows[0].len(), &rows.concat())
    }

    #[test]
    fn faults_are_counted_and_placed() {
        let summary = of_dense(&[
            &[0.0, 1.0, f64::NAN, 0.0],
            &[0.0, 0.0, 0.0, 0.0],
            &[0.0, -2.0, f64::INFINITY, 3.0],
            &[0.0, -1.0, f64::NEG_INFINITY, 0.0],
        ]);
        assert_eq!((summary.nan, summary.infinite, summary.negative, summary.non_zeros), (1, 2, 2, 7));
        assert_eq!(summary.first_not_finite, Some((0, 2)));
        assert_eq!(summary.first_negative, Some((2, 1, -2.0)));
        assert_eq!(summary.zero_rows, [1]);
        assert_eq!(summary.zero_columns, [0]);
        assert_eq!(summary.row_sums, [1.0, 0.0, 1.0, -1.0]);
        assert_eq!(summary.column_sums, [0.0, -2.0, 0.0, 3.0]);
        assert_eq!((summary.sum, summary.squared_norm, summary.max), (1.0, 15.0, 3.0));
    }

    #[test]
    fn the_maximum_counts_entries_that_are_not_stored() {
        assert_eq!(of_dense(&[&[-2.0, -1.0]]).max, -1.0);
        assert_eq!(of_dense(&[&[f64::NAN]]).max, 0.0);
        let rows = Rows { offsets: &[0, 1], indices: &[1], values: &[-1.0f64] };
        let sparse = Summary::of_sparse(1, 3, rows);
        assert_eq!(sparse.max, 0.0);
        assert_eq!(sparse.zero_columns, [0, 2]);
    }
}
