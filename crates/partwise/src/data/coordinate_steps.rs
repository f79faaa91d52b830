//! Coordinate steps of the Kullback–Leibler loss on some rows of a factor, for dense and sparse data. The
//! kernel ([`coordinates`](crate::kernels::coordinates)) takes sparse rows; dense data are listed without
//! their zeros, which have no part in the steps, some rows at a time.

use std::ops::Range;

use super::dense::pieces;
use super::sparse::check_factor;
use super::{DataMatrix, DenseMatrix, Side, SparseMatrix};
use crate::foundation::{Matrix, Real};
use crate::kernels::coordinates::{Coordinates, Costs, Stepped, Steps};
use crate::kernels::gather::Rows;

/// Rows or columns whose non-zeros are listed at a time.
const STEP_ROWS: usize = 16;

impl<T: Real> DenseMatrix<'_, T> {
    /// See [`DataMatrix::steps`].
    pub(super) fn coordinate_steps(
        &self,
        side: Side,
        own: &mut [T],
        other: &Matrix<T>,
        costs: Costs<'_, T>,
        sweeps: usize,
    ) -> Stepped {
        let (range, length) = match &side {
            Side::Samples(range) => (range.clone(), self.n_features()),
            Side::Features(range) => (range.clone(), self.n_samples()),
        };
        let (all, features) = (self.as_slice(), self.n_features());
        let (k, mut total) = (other.columns(), Stepped::default());
        for (piece, own) in pieces(range, STEP_ROWS).zip(own.chunks_mut(STEP_ROWS * k)) {
            let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
            for i in piece.clone() {
                for j in 0..length {
                    let x = match side {
                        Side::Samples(_) => all[i * features + j],
                        Side::Features(_) => all[j * features + i],
                    };
                    if x > T::ZERO {
                        indices.push(j as u32);
                        values.push(x);
                    }
                }
                offsets.push(values.len());
            }
            let rows = Rows { offsets: &offsets, indices: &indices, values: &values };
            total += stepped(rows, (0..piece.len(), piece.start), own, other, costs, sweeps);
        }
        total
    }
}

impl<T: Real> SparseMatrix<'_, T> {
    /// See [`DataMatrix::steps`].
    pub(super) fn coordinate_steps(
        &self,
        side: Side,
        own: &mut [T],
        other: &Matrix<T>,
        costs: Costs<'_, T>,
        sweeps: usize,
    ) -> Stepped {
        let (rows, of, range) = match side {
            Side::Samples(range) => (self.stored_rows().view(), self.n_features(), range),
            Side::Features(range) => (self.columns().view(), self.n_samples(), range),
        };
        check_factor(other, of, &range, own.len());
        let first = range.start;
        stepped(rows, (range, first), own, other, costs, sweeps)
    }
}

/// The steps of the rows of a range, whose first has the number `first` in the factor.
fn stepped<T: Real>(
    rows: Rows<'_, T>,
    (range, first): (Range<usize>, usize),
    own: &mut [T],
    other: &Matrix<T>,
    costs: Costs<'_, T>,
    sweeps: usize,
) -> Stepped {
    let (k, other) = (other.columns(), other.as_slice());
    T::once::<Coordinates>(Steps { rows, range, first, own, other, k, costs, sweeps })
}
