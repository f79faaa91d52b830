//! Coordinate steps of the Kullback–Leibler loss: unlike the solvers, which lower a subproblem that was
//! formed once, they follow the products of the factors from step to step, so they need the data.

use std::borrow::Cow;
use std::ops::Range;

use super::cpu::CpuBackend;
use crate::data::Side;
use crate::engine::Slot;
use crate::engine::quadratic::KlMajorizer;
use crate::engine::solvers::{SolverChoice, Swept};
use crate::foundation::Real;
use crate::kernels::coordinates::Costs;

impl<T: Real> CpuBackend<'_, '_, T> {
    /// Whether the problem is solved by coordinate steps.
    pub(super) fn takes_steps(&self) -> bool {
        self.problem.solver.choice == SolverChoice::Newton
    }

    /// Sweeps of steps over a slot whose subproblem gives what they cost beside the data.
    pub(super) fn improve_by_steps(&mut self, slot: Slot, majorizer: &KlMajorizer<T>) -> Swept {
        let sweeps = self.problem.inner_steps.unwrap_or(self.problem.solver.inner_steps);
        let linear = linear_costs(majorizer);
        let costs = costs(majorizer, &linear);
        // The other factor is read while this one is written.
        let mut own = self.factors.get(slot).clone();
        let (k, data, other) = (own.columns(), self.problem.data(), self.seen(slot.other()));
        let parts = self.pool.map_rows(self.chunks(slot), own.as_mut_slice(), k, |range, own| {
            data.steps(side(slot, range), own, other, costs, sweeps)
        });
        *self.factors.get_mut(slot) = own;
        // The square may be out of range where the gradient is not: it is only compared.
        let squared: f64 = parts.iter().map(|part| part.squared_gradient).sum();
        let squared_gradient = if squared.is_nan() { squared } else { squared.min(f64::MAX) };
        let value = majorizer.constant + parts.iter().map(|part| part.value).sum::<f64>();
        // Terms may depend on the factor in a way of their own.
        self.stepped = self.problem.contributions.is_empty().then_some(value);
        Swept { squared_gradient, value }
    }
}

/// Rows of a slot.
pub(super) fn side(slot: Slot, rows: Range<usize>) -> Side {
    if slot == Slot::Codes { Side::Samples(rows) } else { Side::Features(rows) }
}

/// What a subproblem costs beside the data, with its [`linear_costs`].
pub(super) fn costs<'m, T: Real>(majorizer: &'m KlMajorizer<T>, linear: &'m [T]) -> Costs<'m, T> {
    Costs { linear, ridge: &majorizer.ridge, shift: majorizer.penalties.shift.as_deref() }
}

/// tb + sλ and the penalties of the entries: k numbers, or as many for each row where rows differ.
pub(super) fn linear_costs<T: Real>(majorizer: &KlMajorizer<T>) -> Cow<'_, [T]> {
    let KlMajorizer { base, base_rows, entries, penalties, .. } = majorizer;
    let k = base.len();
    let same = base_rows.is_none() && penalties.linear_rows.is_none() && entries.is_none();
    if same && penalties.linear.iter().all(|linear| *linear == T::ZERO) {
        return Cow::Borrowed(base);
    }
    let cost = |row: usize, r: usize| {
        let times = base_rows.as_ref().map_or(T::ONE, |times| times[row]);
        let own = entries.as_ref().map_or(T::ZERO, |entries| entries.get(row, r));
        times * base[r] + penalties.linear_row(row) * penalties.linear[r] + own
    };
    let rows = if same { 1 } else { majorizer.numerator.rows() };
    Cow::Owned((0..rows * k).map(|at| cost(at / k, at % k)).collect())
}
