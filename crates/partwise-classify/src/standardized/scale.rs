//! The least value and the standard deviation of each column.

use partwise::{DataMatrix, Real};

use crate::columns::Columns;

/// What brings a row to standardized columns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scale {
    /// min_j (d).
    pub(crate) least: Vec<f64>,
    /// 1/σ_j (d), 0 for a column that does not vary.
    pub(crate) factors: Vec<f64>,
}

impl Scale {
    pub(super) fn new<T: Real>(data: &dyn DataMatrix<T>, columns: &Columns) -> Self {
        let (n, d) = (data.n_samples(), data.n_features());
        let (mut row, mut sums, mut squares) = (vec![0.0; d], vec![0.0; d], vec![0.0; d]);
        // Distances from the least value: of a column far from 0, squares would lose all digits.
        for i in 0..n {
            row.fill(0.0);
            data.add_row(i, 1.0, &mut row);
            for (j, value) in row.iter().enumerate() {
                let above = value - columns.least[j];
                sums[j] += above;
                squares[j] += above * above;
            }
        }
        let factor = |j: usize| {
            let mean = sums[j] / n as f64;
            let deviation = (squares[j] / n as f64 - mean * mean).max(0.0).sqrt();
            if deviation > 1e-9 * (columns.most[j] - columns.least[j]) { 1.0 / deviation } else { 0.0 }
        };
        Scale { least: columns.least.clone(), factors: (0..d).map(factor).collect() }
    }

    /// How many columns vary, 1 at least.
    pub(super) fn varying(&self) -> f64 {
        self.factors.iter().filter(|factor| **factor > 0.0).count().max(1) as f64
    }

    /// Row `i` of `data`, standardized, in place of what `row` (d) holds.
    pub(super) fn fill<T: Real>(&self, data: &dyn DataMatrix<T>, i: usize, row: &mut [f64]) {
        row.fill(0.0);
        data.add_row(i, 1.0, row);
        let scales = self.least.iter().zip(&self.factors);
        row.iter_mut().zip(scales).for_each(|(value, (least, factor))| *value = (*value - least) * factor);
    }
}
