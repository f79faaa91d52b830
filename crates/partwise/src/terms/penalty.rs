//! Penalties on the size of a factor: L2 ([`Ridge`]) and L1 ([`Sparsity`]), and their scale-free forms.
//!
//! A penalty on one factor alone is cancelled by shrinking it and growing the other: the product stays, and
//! the penalty vanishes. The scale-free forms measure each component of the penalized factor at unit length
//! of its partner, λΣⱼ‖wⱼ‖₁‖hⱼ‖₂ and (λ/2)Σⱼ‖wⱼ‖²‖hⱼ‖², which no rescaling changes.

use std::ops::Range;

use crate::engine::quadratic::{Subproblem, dot};
use crate::engine::term::{ComponentSize, Facts, NeedsCodes, Penalty, RowPenalty, Term};
use crate::engine::{Factors, Loss, Slot, column_squares};
use crate::foundation::{Matrix, Real};

/// (λ/2)·Σᵢ sᵢ‖uᵢ‖².
#[derive(Clone, Debug)]
pub struct Ridge<T> {
    /// The factor it is on.
    pub slot: Slot,
    /// λ ≥ 0.
    pub weight: T,
    /// sᵢ (rows); all 1 when absent.
    pub rows: Option<Vec<T>>,
}

impl<T: Real> Term<T> for Ridge<T> {
    fn name(&self) -> String {
        format!("L2 of {}", self.slot.name())
    }

    fn facts(&self) -> Facts {
        Facts { exact: true, ..Facts::default() }
    }

    fn penalty(&self) -> Option<Penalty> {
        Some(Penalty::Plain(self.slot))
    }

    fn value(&self, factors: &Factors<T>, _: Loss) -> f64 {
        self.value_of_rows(0..factors.get(self.slot).rows(), factors)
    }

    fn needs_codes(&self) -> NeedsCodes {
        NeedsCodes::of_rows(self.slot)
    }

    fn value_of_rows(&self, rows: Range<usize>, factors: &Factors<T>) -> f64 {
        let factor = factors.get(self.slot);
        let row = |i: usize| self.rows.as_ref().map_or(1.0, |s| s[i].to_f64());
        let sum: f64 = rows.map(|i| row(i) * dot(factor.row(i), factor.row(i))).sum();
        0.5 * self.weight.to_f64() * sum
    }

    fn depends_on(&self, slot: Slot) -> bool {
        slot == self.slot
    }

    fn add_to(&self, _: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        match &self.rows {
            None => add_ridge(subproblem, |_| self.weight.to_f64()),
            Some(rows) => {
                let n = factors.get(self.slot).rows();
                subproblem.penalties_mut().add_shift(n, rows.iter().map(|s| self.weight * *s));
            }
        }
    }

    fn for_new_rows(&self, factors: &Factors<T>, _: Loss) -> Option<RowPenalty> {
        // Row multipliers are 1 for unmerged rows, as new ones are.
        let k = factors.rank();
        let ridge = vec![self.weight.to_f64(); k];
        (self.slot == Slot::Codes).then(|| RowPenalty { ridge, linear: vec![0.0; k] })
    }
}

/// λ·Σᵢ sᵢ‖uᵢ‖₁.
#[derive(Clone, Debug)]
pub struct Sparsity<T> {
    /// The factor it is on.
    pub slot: Slot,
    /// λ ≥ 0.
    pub weight: T,
    /// sᵢ (rows); all 1 when absent.
    pub rows: Option<Vec<T>>,
}

impl<T: Real> Term<T> for Sparsity<T> {
    fn name(&self) -> String {
        format!("L1 of {}", self.slot.name())
    }

    fn facts(&self) -> Facts {
        Facts { exact: true, ..Facts::default() }
    }

    fn penalty(&self) -> Option<Penalty> {
        Some(Penalty::Plain(self.slot))
    }

    fn value(&self, factors: &Factors<T>, _: Loss) -> f64 {
        self.value_of_rows(0..factors.get(self.slot).rows(), factors)
    }

    fn needs_codes(&self) -> NeedsCodes {
        NeedsCodes::of_rows(self.slot)
    }

    fn value_of_rows(&self, rows: Range<usize>, factors: &Factors<T>) -> f64 {
        let norms = norms_1_of_rows(factors.get(self.slot), rows, self.rows.as_deref());
        self.weight.to_f64() * norms.iter().sum::<f64>()
    }

    fn depends_on(&self, slot: Slot) -> bool {
        slot == self.slot
    }

    fn add_to(&self, _: Slot, _: &Factors<T>, subproblem: &mut Subproblem<T>) {
        add_linear(subproblem, self.rows.as_deref(), |_| self.weight.to_f64());
    }

    fn for_new_rows(&self, factors: &Factors<T>, _: Loss) -> Option<RowPenalty> {
        (self.slot == Slot::Codes).then(|| RowPenalty::in_codes(self, factors))
    }
}

/// λ·Σⱼ ‖uⱼ‖₁‖vⱼ‖₂ with u the penalized factor and v its partner; ‖u‖₁ counts row i sᵢ times. Exact in u; in
/// v the norm is majorized by ‖v‖ ≤ ½(‖v‖²/‖ṽ‖ + ‖ṽ‖), or by ‖v‖ ≤ ‖v‖₁ where ṽ = 0; both are equal at the
/// current factor ṽ.
#[derive(Clone, Debug)]
pub struct ProductSparsity<T> {
    /// The penalized factor.
    pub slot: Slot,
    /// λ ≥ 0.
    pub weight: T,
    /// sᵢ (rows of the penalized factor); all 1 when absent.
    pub rows: Option<Vec<T>>,
}

impl<T: Real> ProductSparsity<T> {
    fn norms(&self, factors: &Factors<T>) -> (Vec<f64>, Vec<f64>) {
        let ones = column_norms_1(factors, self.slot, self.rows.as_deref());
        let twos = column_squares(factors, self.slot.other()).iter().map(|s| s.sqrt()).collect();
        (ones, twos)
    }
}

impl<T: Real> Term<T> for ProductSparsity<T> {
    fn name(&self) -> String {
        format!("L1 of {} (scale-free)", self.slot.name())
    }

    fn facts(&self) -> Facts {
        Facts { size: ComponentSize::Free, ..Facts::default() }
    }

    fn penalty(&self) -> Option<Penalty> {
        Some(Penalty::ScaleFree)
    }

    fn value(&self, factors: &Factors<T>, _: Loss) -> f64 {
        let (ones, twos) = self.norms(factors);
        self.weight.to_f64() * ones.iter().zip(&twos).map(|(a, b)| a * b).sum::<f64>()
    }

    fn add_to(&self, slot: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        let (ones, twos) = self.norms(factors);
        let weight = self.weight.to_f64();
        if slot == self.slot {
            add_linear(subproblem, self.rows.as_deref(), |j| weight * twos[j]);
            return;
        }
        add_ridge(subproblem, |j| if twos[j] > 0.0 { weight * ones[j] / twos[j] } else { 0.0 });
        if twos.contains(&0.0) {
            add_linear(subproblem, None, |j| if twos[j] > 0.0 { 0.0 } else { weight * ones[j] });
        }
        subproblem.add_constant(0.5 * weight * ones.iter().zip(&twos).map(|(a, b)| a * b).sum::<f64>());
        if let Subproblem::Quadratic(q) = subproblem {
            q.majorizer = true;
        }
    }

    fn for_new_rows(&self, factors: &Factors<T>, _: Loss) -> Option<RowPenalty> {
        Some(RowPenalty::in_codes(self, factors))
    }
}

/// (λ/2)·Σⱼ ‖uⱼ‖²‖vⱼ‖²: exact in either factor.
#[derive(Clone, Debug)]
pub struct ProductRidge<T> {
    /// The penalized factor.
    pub slot: Slot,
    /// λ ≥ 0.
    pub weight: T,
}

impl<T: Real> Term<T> for ProductRidge<T> {
    fn name(&self) -> String {
        format!("L2 of {} (scale-free)", self.slot.name())
    }

    fn facts(&self) -> Facts {
        Facts { exact: true, size: ComponentSize::Free, ..Facts::default() }
    }

    fn penalty(&self) -> Option<Penalty> {
        Some(Penalty::ScaleFree)
    }

    fn value(&self, factors: &Factors<T>, _: Loss) -> f64 {
        let (a, b) = (column_squares(factors, Slot::Codes), column_squares(factors, Slot::Components));
        0.5 * self.weight.to_f64() * a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>()
    }

    fn add_to(&self, slot: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        let squares = column_squares(factors, slot.other());
        add_ridge(subproblem, |j| self.weight.to_f64() * squares[j]);
    }

    fn for_new_rows(&self, factors: &Factors<T>, _: Loss) -> Option<RowPenalty> {
        Some(RowPenalty::in_codes(self, factors))
    }
}

/// ½·Σⱼ aⱼ‖uⱼ‖² + Σⱼ λⱼ‖uⱼ‖₁ with a weight for each component: the penalties that a finished fit leaves for
/// encoding new rows.
#[derive(Clone, Debug)]
pub struct ComponentPenalty<T> {
    /// The factor it is on.
    pub slot: Slot,
    /// aⱼ ≥ 0 (k).
    pub ridge: Vec<T>,
    /// λⱼ ≥ 0 (k).
    pub linear: Vec<T>,
}

impl<T: Real> Term<T> for ComponentPenalty<T> {
    fn name(&self) -> String {
        format!("penalties of {}", self.slot.name())
    }

    fn penalty(&self) -> Option<Penalty> {
        Some(Penalty::ByComponent)
    }

    fn value(&self, factors: &Factors<T>, _: Loss) -> f64 {
        let (ones, squares) = (column_norms_1(factors, self.slot, None), column_squares(factors, self.slot));
        (0..ones.len())
            .map(|j| self.linear[j].to_f64() * ones[j] + 0.5 * self.ridge[j].to_f64() * squares[j])
            .sum()
    }

    fn depends_on(&self, slot: Slot) -> bool {
        slot == self.slot
    }

    fn add_to(&self, _: Slot, _: &Factors<T>, subproblem: &mut Subproblem<T>) {
        add_ridge(subproblem, |j| self.ridge[j].to_f64());
        add_linear(subproblem, None, |j| self.linear[j].to_f64());
    }

    fn for_new_rows(&self, factors: &Factors<T>, _: Loss) -> Option<RowPenalty> {
        (self.slot == Slot::Codes).then(|| RowPenalty::in_codes(self, factors))
    }
}

/// Adds a ridge of each component: to the diagonal of the Gram, or to the KL ridge.
pub(super) fn add_ridge<T: Real>(subproblem: &mut Subproblem<T>, weight: impl Fn(usize) -> f64) {
    match subproblem {
        Subproblem::Quadratic(q) => {
            for j in 0..q.gram.columns() {
                let value = q.gram.get(j, j) + T::from_f64(weight(j));
                q.gram.set(j, j, value);
            }
        }
        Subproblem::KullbackLeibler(m) => {
            for (j, ridge) in m.ridge.iter_mut().enumerate() {
                *ridge += T::from_f64(weight(j));
            }
        }
    }
}

/// Adds a linear penalty of each component, times the number of each row (1 when absent).
fn add_linear<T: Real>(subproblem: &mut Subproblem<T>, rows: Option<&[T]>, weight: impl Fn(usize) -> f64) {
    let penalties = subproblem.penalties_mut();
    let first = penalties.linear.iter().all(|linear| *linear == T::ZERO);
    if first || penalties.linear_rows.as_deref() == rows {
        for (j, linear) in penalties.linear.iter_mut().enumerate() {
            *linear += T::from_f64(weight(j));
        }
        penalties.linear_rows = rows.map(<[T]>::to_vec);
        return;
    }
    // The rows of an earlier penalty count differently, so this one is added to each entry.
    let entry = |i: usize, j: usize| rows.map_or(T::ONE, |rows| rows[i]) * T::from_f64(weight(j));
    match subproblem {
        Subproblem::Quadratic(q) => {
            for i in 0..q.cross.rows() {
                for (j, cross) in q.cross.row_mut(i).iter_mut().enumerate() {
                    *cross += -entry(i, j);
                }
            }
        }
        Subproblem::KullbackLeibler(m) => {
            let (rows, k) = m.numerator.shape();
            m.add_entries(Matrix::from_fn(rows, k, entry));
        }
    }
}

/// Σᵢ sᵢ|uᵢⱼ| of each column.
pub(super) fn column_norms_1<T: Real>(factors: &Factors<T>, slot: Slot, rows: Option<&[T]>) -> Vec<f64> {
    norms_1_of_rows(factors.get(slot), 0..factors.get(slot).rows(), rows)
}

/// That of some rows; the multipliers are those of all.
fn norms_1_of_rows<T: Real>(factor: &Matrix<T>, rows: Range<usize>, scales: Option<&[T]>) -> Vec<f64> {
    let mut sums = vec![0.0; factor.columns()];
    for i in rows {
        let scale = scales.map_or(1.0, |s| s[i].to_f64());
        for (sum, u) in sums.iter_mut().zip(factor.row(i)) {
            *sum += scale * u.to_f64();
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Quadratic;

    #[test]
    fn linear_penalties_on_rows_that_count_differently_add_up() {
        let (n, k) = (4, 3);
        let codes = Matrix::from_fn(n, k, |i, j| 0.5 + (i * k + j) as f64);
        let factors = Factors::new(codes.clone(), Matrix::from_fn(5, k, |i, j| (i + j) as f64));
        let counted = |rows: Option<Vec<f64>>, weight| Sparsity { slot: Slot::Codes, weight, rows };
        let several = [
            counted(Some(vec![1.0, 2.0, 3.0, 4.0]), 0.5),
            counted(None, 2.0),
            counted(Some(vec![4.0, 3.0, 2.0, 0.0]), 1.5),
        ];
        for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0]] {
            let mut subproblem = Subproblem::Quadratic(Quadratic::of_terms((n, k)));
            order.iter().for_each(|at| several[*at].add_to(Slot::Codes, &factors, &mut subproblem));
            let Subproblem::Quadratic(quadratic) = &subproblem else { panic!("it is a quadratic") };
            let expected: f64 = several.iter().map(|term| term.value(&factors, Loss::Frobenius)).sum();
            let found = quadratic.value(&codes, None);
            assert!((found - expected).abs() < 1e-12 * expected, "{order:?}: {found} for {expected}");
        }
    }
}
