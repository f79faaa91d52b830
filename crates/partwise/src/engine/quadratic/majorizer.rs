//! The subproblem of the Kullback–Leibler loss.

use std::ops::Range;

use super::{Penalties, dot, penalty_value, squared_projected_row};
use crate::foundation::{Matrix, Real};
use crate::kernels::sums::column_sums_of;

/// The Kullback–Leibler twin of [`Quadratic`](super::Quadratic): a separable upper bound, equal at the factor
/// it was formed at.
#[derive(Clone, Debug)]
pub struct KlMajorizer<T> {
    /// N (rows × k): R·V with R = X/(UVᵀ) at the current factors.
    pub numerator: Matrix<T>,
    /// b (k): column sums of the other factor.
    pub base: Vec<T>,
    /// tᵢ (rows): multiplies b in this row; all 1 when absent.
    pub base_rows: Option<Vec<T>>,
    /// a (k): ridge of each component.
    pub ridge: Vec<T>,
    /// Λ (rows × k): a linear penalty of each entry, ≥ 0, beside that of its component; all 0 when absent.
    pub entries: Option<Matrix<T>>,
    /// Linear penalties and shifts.
    pub penalties: Penalties<T>,
    /// Everything that, added to the formula at U = Ũ, gives the objective there.
    pub constant: f64,
    /// Σ x·ln(x/(UVᵀ)) at the current factors.
    pub log_sum: f64,
}

impl<T: Real> KlMajorizer<T> {
    /// tᵢ.
    fn base_row(&self, row: usize) -> T {
        self.base_rows.as_ref().map_or(T::ONE, |t| t[row])
    }

    /// Adds `values` (rows × k) to the penalties of the entries.
    pub(crate) fn add_entries(&mut self, values: Matrix<T>) {
        match &mut self.entries {
            None => self.entries = Some(values),
            Some(entries) => {
                entries.as_mut_slice().iter_mut().zip(values.as_slice()).for_each(|(e, v)| *e += *v);
            }
        }
    }

    /// The objective at the current factor (at which the majorizer was formed).
    pub fn value_here(&self, factor: &Matrix<T>) -> f64 {
        self.value_from(self.log_sum + self.constant, factor, 0..factor.rows())
    }

    /// `start`, and what some rows add to the objective beside the logarithms and the constant.
    pub(crate) fn value_from(&self, start: f64, factor: &Matrix<T>, rows: Range<usize>) -> f64 {
        let mut value = start + penalty_value(&self.penalties, factor, rows.clone());
        let sums = column_sums_of(factor, rows.clone(), self.base_rows.as_deref());
        value += self.base.iter().zip(sums).map(|(base, sum)| base.to_f64() * sum).sum::<f64>();
        if self.ridge.iter().any(|ridge| *ridge != T::ZERO) {
            for i in rows.clone() {
                let terms = self.ridge.iter().zip(factor.row(i));
                value += terms.map(|(ridge, u)| 0.5 * ridge.to_f64() * u.to_f64() * u.to_f64()).sum::<f64>();
            }
        }
        if let Some(entries) = &self.entries {
            let range = rows.start * factor.columns()..rows.end * factor.columns();
            value += dot(&entries.as_slice()[range.clone()], &factor.as_slice()[range]);
        }
        value
    }

    /// The squared norm of the projected gradient of some rows. See
    /// [`Subproblem::squared_projected_gradient`](super::Subproblem::squared_projected_gradient).
    pub(crate) fn squared_projected_gradient(
        &self,
        factor: &Matrix<T>,
        rows: Range<usize>,
        zero_share: f64,
    ) -> f64 {
        let of_row = |i: usize| {
            let u = factor.row(i);
            squared_projected_row(&self.gradient_row(i, u), u, zero_share)
        };
        rows.map(of_row).sum()
    }

    /// The majorizer at `factor`, formed at `here`.
    pub fn value(&self, here: &Matrix<T>, factor: &Matrix<T>) -> f64 {
        let mut value = self.value_here(factor);
        for (i, n) in self.numerator.as_slice().iter().enumerate() {
            let (old, new) = (here.as_slice()[i].to_f64(), factor.as_slice()[i].to_f64());
            let weight = n.to_f64() * old;
            if weight > 0.0 {
                value -= weight * (new / old).ln();
            }
        }
        value
    }

    /// The gradient of one row at the current factor: tb + sλ + (a + δ)u − n, in `f64`.
    pub fn gradient_row(&self, row: usize, u: &[T]) -> Vec<f64> {
        let shift = self.penalties.shift_row(row).to_f64();
        let times = self.base_row(row).to_f64();
        let scale = self.penalties.linear_row(row).to_f64();
        (0..u.len())
            .map(|j| {
                times * self.base[j].to_f64()
                    + scale * self.penalties.linear[j].to_f64()
                    + self.entries.as_ref().map_or(0.0, |entries| entries.get(row, j).to_f64())
                    + (self.ridge[j].to_f64() + shift) * u[j].to_f64()
                    - self.numerator.get(row, j).to_f64()
            })
            .collect()
    }
}
