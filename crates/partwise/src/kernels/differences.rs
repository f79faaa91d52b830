//! Squared differences of dense data and a product of factors, in `f64`.

use std::ops::Range;

use crate::foundation::Real;
use crate::kernels::simd::Kernel;

/// (x − p)² of a tile of P, row by row added to a total. The sum of a row is that of eight running sums, and
/// of what is left of it.
pub(crate) struct SquaredDifferences<'a, T> {
    /// Rows of X, all of their columns.
    pub(crate) values: &'a [T],
    pub(crate) features: usize,
    /// Those of the tile.
    pub(crate) columns: Range<usize>,
    pub(crate) tile: &'a [f64],
    pub(crate) total: &'a mut f64,
}

/// Rows whose sums are added up over the lanes at once.
const ROWS_TOTALLED: usize = 8;
const LANES: usize = 8;

impl<T: Real> Kernel for SquaredDifferences<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let SquaredDifferences { values, features, columns, tile, total } = self;
        let width = columns.len();
        let whole = width / LANES * LANES;
        let (mut lanes, mut rest) = ([[0.0; LANES]; ROWS_TOTALLED], [[0.0; LANES]; ROWS_TOTALLED]);
        let rows = values.len() / features;
        for start in (0..rows).step_by(ROWS_TOTALLED) {
            let end = (start + ROWS_TOTALLED).min(rows);
            let mut row = start;
            while row < end {
                // With what comes after the last column, which is not added below.
                let (x, p) = (row * features + columns.start, row * width);
                let (x, p) = (values.get(x..x + whole + LANES), tile.get(p..p + whole + LANES));
                let (Some(x), Some(p)) = (x, p) else { break };
                row_squares(x, p, &mut lanes[row - start], &mut rest[row - start]);
                row += 1;
            }
            // After the last rows there is too little.
            for row in row..end {
                let (mut x, mut p) = (vec![T::ZERO; whole + LANES], vec![0.0; whole + LANES]);
                x[..width].copy_from_slice(&values[row * features..][columns.clone()]);
                p[..width].copy_from_slice(&tile[row * width..(row + 1) * width]);
                row_squares(&x, &p, &mut lanes[row - start], &mut rest[row - start]);
            }
            // Over the lanes of several rows at once: the additions of one row wait for each other.
            let mut sums = [0.0; ROWS_TOTALLED];
            for l in 0..LANES {
                for r in 0..ROWS_TOTALLED {
                    sums[r] += lanes[r][l];
                }
            }
            let mut of_rest = [0.0; ROWS_TOTALLED];
            for l in 0..width - whole {
                for r in 0..ROWS_TOTALLED {
                    of_rest[r] += rest[r][l];
                }
            }
            for r in 0..end - start {
                *total += sums[r] + of_rest[r];
            }
        }
    }
}

/// The sums of a row over its blocks, and the squares of one more block.
#[inline(always)]
fn row_squares<T: Real>(x: &[T], p: &[f64], sums: &mut [f64; LANES], last: &mut [f64; LANES]) {
    let (x, p) = (x.as_chunks::<LANES>().0, p.as_chunks::<LANES>().0);
    let whole = x.len().min(p.len()) - 1;
    let mut of_row = [0.0; LANES];
    for (x, p) in x[..whole].iter().zip(&p[..whole]) {
        add_squares(x, p, &mut of_row);
    }
    *sums = of_row;
    let mut of_last = [0.0; LANES];
    add_squares(&x[whole], &p[whole], &mut of_last);
    *last = of_last;
}

#[inline(always)]
fn add_squares<T: Real>(x: &[T; LANES], p: &[f64; LANES], sums: &mut [f64; LANES]) {
    for l in 0..LANES {
        let difference = x[l].to_f64() - p[l];
        sums[l] += difference * difference;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::simd::{Level, dispatch_at};

    #[test]
    fn squared_differences_of_every_width_are_those_of_the_plain_loop() {
        for features in [1, 3, 7, 8, 9, 20, 64, 70] {
            for columns in [0..features, features / 2..features] {
                for rows in [1, 7, 8, 19] {
                    // Numbers of few digits: the order of the sum does not matter.
                    let values: Vec<f32> = (0..rows * features).map(|e| (e * 7 % 13) as f32 / 4.0).collect();
                    let width = columns.len();
                    let tile: Vec<f64> = (0..rows * width).map(|e| (e * 5 % 11) as f64 / 8.0).collect();
                    let expected: f64 = (0..rows * width)
                        .map(|e| {
                            f64::from(values[e / width * features + columns.start + e % width]) - tile[e]
                        })
                        .map(|difference| difference * difference)
                        .sum();
                    for level in Level::available() {
                        let mut total = 1.0;
                        let columns = columns.clone();
                        let differences = SquaredDifferences {
                            values: &values,
                            features,
                            columns,
                            tile: &tile,
                            total: &mut total,
                        };
                        dispatch_at(level, differences);
                        assert_eq!(total, 1.0 + expected, "{level:?}, {rows} rows, {width} of {features}");
                    }
                }
            }
        }
    }
}
