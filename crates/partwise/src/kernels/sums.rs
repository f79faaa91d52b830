//! Sums over the rows of a factor, in `f64`.

use std::ops::Range;

use crate::foundation::{Matrix, Real};
use crate::kernels::gemm;
use crate::kernels::simd::{Kernel, dispatch};

/// Column sums (k) of a factor, each row times its weight (1 without weights), in `f64`. They depend on the
/// order of the rows alone.
pub(crate) fn column_sums<T: Real>(factor: &Matrix<T>, weights: Option<&[T]>) -> Vec<f64> {
    column_sums_of(factor, 0..factor.rows(), weights)
}

/// As [`column_sums`] of some rows; the weights are those of all rows.
pub(crate) fn column_sums_of<T: Real>(
    factor: &Matrix<T>,
    rows: Range<usize>,
    weights: Option<&[T]>,
) -> Vec<f64> {
    let k = factor.columns();
    let weights = weights.map(|weights| &weights[rows.clone()]);
    dispatch(ColumnSums { factor: &factor.as_slice()[rows.start * k..rows.end * k], k, weights })
}

/// Rows whose Gram is taken at once.
const GRAM_ROWS: usize = 2048;

/// VᵀV (k × k) of some rows of a factor, products and sums in `f64`.
pub(crate) fn wide_gram<T: Real>(factor: &Matrix<T>, rows: Range<usize>) -> Matrix<f64> {
    let k = factor.columns();
    let (mut sum, mut part) = (Matrix::<f64>::zeros(k, k), vec![0.0; k * k]);
    let mut wide = Vec::with_capacity(GRAM_ROWS.min(rows.len()) * k);
    for rows in factor.as_slice()[rows.start * k..rows.end * k].chunks(GRAM_ROWS * k) {
        wide.clear();
        wide.extend(rows.iter().map(|v| v.to_f64()));
        gemm::gram(&wide, rows.len() / k, k, &mut part);
        sum.as_mut_slice().iter_mut().zip(&part).for_each(|(s, p)| *s += p);
    }
    sum
}

struct ColumnSums<'a, T> {
    factor: &'a [T],
    k: usize,
    weights: Option<&'a [T]>,
}

/// Rows that are added to each other before the sums, which are then loaded and stored less often.
const ROWS: usize = 4;

impl<T: Real> Kernel for ColumnSums<'_, T> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> Vec<f64> {
        let k = self.k;
        let mut sums = vec![0.0; k];
        let groups = self.factor.chunks_exact(ROWS * k);
        let rest = groups.remainder();
        match self.weights {
            None => {
                for rows in groups {
                    let (a, rows) = rows.split_at(k);
                    let (b, rows) = rows.split_at(k);
                    let (c, d) = rows.split_at(k);
                    for j in 0..k {
                        sums[j] += (a[j].to_f64() + b[j].to_f64()) + (c[j].to_f64() + d[j].to_f64());
                    }
                }
                rest.chunks_exact(k).for_each(|row| add_multiple(&mut sums, 1.0, row));
            }
            Some(weights) => {
                let rows = self.factor.chunks_exact(k);
                rows.zip(weights).for_each(|(row, weight)| add_multiple(&mut sums, weight.to_f64(), row));
            }
        }
        sums
    }
}

/// `sums += weight · row`.
#[inline(always)]
fn add_multiple<T: Real>(sums: &mut [f64], weight: f64, row: &[T]) {
    for (sum, v) in sums.iter_mut().zip(row) {
        *sum += weight * v.to_f64();
    }
}

/// ‖uⱼ‖² of each column.
pub(crate) fn column_squares<T: Real>(factor: &Matrix<T>) -> Vec<f64> {
    dispatch(ColumnSquares { factor })
}

/// Models with a penalty ask for these twice an iteration, so they get the processor's wide instructions.
struct ColumnSquares<'a, T> {
    factor: &'a Matrix<T>,
}

impl<T: Real> Kernel for ColumnSquares<'_, T> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> Vec<f64> {
        let mut sums = vec![0.0; self.factor.columns()];
        for i in 0..self.factor.rows() {
            for (sum, u) in sums.iter_mut().zip(self.factor.row(i)) {
                *sum += u.to_f64() * u.to_f64();
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::simd::{Level, dispatch_at};

    #[test]
    fn every_level_and_shape_gives_the_sums_of_the_plain_loop() {
        for level in Level::available() {
            for (rows, k) in [(1, 1), (3, 5), (4, 8), (7, 20), (13, 33)] {
                let factor = Matrix::from_fn(rows, k, |i, j| ((i * 7 + j * 3) % 11) as f32 / 8.0);
                let weights: Vec<f32> = (0..rows).map(|i| i as f32 / 4.0).collect();
                for weights in [None, Some(&weights[..])] {
                    let found = dispatch_at(level, ColumnSums { factor: factor.as_slice(), k, weights });
                    let weight = |i: usize| weights.map_or(1.0, |w| f64::from(w[i]));
                    for (j, found) in found.iter().enumerate() {
                        let expected: f64 = (0..rows).map(|i| weight(i) * f64::from(factor.get(i, j))).sum();
                        assert_eq!(*found, expected, "{level:?}, {rows} x {k}, column {j}");
                    }
                }
            }
        }
    }
}
