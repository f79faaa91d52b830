//! The smoothing link of nsNMF and NMF-DC: X ≈ W·S·H.
//!
//! ```text
//! S = (1 − θ)·I + (θ/k)·11ᵀ,   θ ∈ [0, 1]
//! ```
//!
//! A factor meets the other one only through S, so the subproblem of either is that of plain NMF with the
//! other factor V replaced by V·S.

use std::ops::Range;

use crate::foundation::{Matrix, Real};

/// S, by its θ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Smoothing {
    /// θ: 0 = no smoothing (S = I), 1 = all components alike.
    pub(crate) theta: f64,
}

impl Smoothing {
    /// `out = row·S` for one row of a factor (k).
    pub(crate) fn smooth_row<T: Real>(self, row: &mut [T]) {
        let (own, share) = (T::from_f64(1.0 - self.theta), T::from_f64(self.theta / row.len() as f64));
        let sum: T = row.iter().copied().sum();
        row.iter_mut().for_each(|v| *v = own * *v + share * sum);
    }

    /// V·S for a factor V (rows × k).
    pub(crate) fn smooth<T: Real>(self, factor: &Matrix<T>) -> Matrix<T> {
        self.smooth_rows(factor, 0..factor.rows())
    }

    /// Some rows of V·S; the others are 0.
    pub(crate) fn smooth_rows<T: Real>(self, factor: &Matrix<T>, rows: Range<usize>) -> Matrix<T> {
        let mut out = Matrix::zeros(factor.rows(), factor.columns());
        for i in rows {
            out.row_mut(i).copy_from_slice(factor.row(i));
            self.smooth_row(out.row_mut(i));
        }
        out
    }

    /// S·G·S for a Gram (k × k).
    pub(crate) fn smooth_gram<T: Real>(self, gram: &Matrix<T>) -> Matrix<T> {
        let half = self.smooth(gram).transposed();
        let mut out = self.smooth(&half);
        // Rounding must not make it asymmetric.
        for a in 0..out.rows() {
            for b in a + 1..out.rows() {
                let value = out.get(a, b);
                out.set(b, a, value);
            }
        }
        out
    }
}
