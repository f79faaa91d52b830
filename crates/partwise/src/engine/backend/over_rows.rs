//! Sums over the rows of a factor: of all rows at once, or block by block where the codes come in row blocks.
//! Several processes that share the blocks add up what each has.

use std::ops::Range;

use super::cpu::CpuBackend;
use super::solving::total;
use crate::data::{BlockedMatrix, TreeSum, sum_over_chunks};
use crate::engine::Slot;
use crate::engine::losses::Loss;
use crate::engine::quadratic::Subproblem;
use crate::engine::solvers::Swept;
use crate::foundation::pool::chunks_of;
use crate::foundation::{Matrix, Real};
use crate::kernels::gemm;
use crate::kernels::sums::{column_sums, wide_gram};

/// Rows whose Gram is summed in the number type before it is added up in `f64`.
pub(super) const GRAM_ROWS: usize = 4096;

impl<'p, T: Real> CpuBackend<'p, '_, T> {
    /// The row blocks of a slot, where its rows come in blocks.
    fn blocks_of(&self, slot: Slot) -> Option<&'p BlockedMatrix<T>> {
        self.problem.data().blocks().filter(|_| slot == Slot::Codes)
    }

    /// The rows of a slot that are computed here, by the parts whose sums are added along the tree: the
    /// blocks of this process, or all rows as one.
    pub(super) fn row_ranges(&self, slot: Slot) -> Vec<Range<usize>> {
        match self.blocks_of(slot) {
            Some(blocks) => blocks.own_blocks(),
            None => std::iter::once(0..self.factors.get(slot).rows()).collect(),
        }
    }

    /// The sum over all rows of a slot, of which `part` gives that over some: `length` numbers.
    pub(super) fn total_over_rows(
        &self,
        slot: Slot,
        length: usize,
        mut part: impl FnMut(Range<usize>) -> Vec<f64>,
    ) -> Vec<f64> {
        let Some(blocks) = self.blocks_of(slot) else { return part(0..self.factors.get(slot).rows()) };
        let mut sum = TreeSum::default();
        blocks.own_blocks().into_iter().for_each(|rows| sum.add(part(rows)));
        blocks.total(sum, length)
    }

    /// `start` and the sum over all rows of a slot. `part` adds that of some rows to the number it gets: the
    /// first rows begin with `start`.
    pub(super) fn value_over_rows(
        &self,
        slot: Slot,
        start: f64,
        part: impl Fn(f64, Range<usize>) -> f64,
    ) -> f64 {
        let part = |rows: Range<usize>| part(if rows.start == 0 { start } else { 0.0 }, rows);
        self.total_over_rows(slot, 1, |rows| vec![part(rows)])[0]
    }

    /// The total of what the solver did to the rows of a slot, range by range.
    pub(super) fn total_swept(&self, slot: Slot, ranges: &[Vec<Swept>]) -> Swept {
        let Some(blocks) = self.blocks_of(slot) else {
            return total(ranges.first().map_or(&[], Vec::as_slice));
        };
        let mut sum = TreeSum::default();
        for parts in ranges {
            let Swept { squared_gradient, value } = total(parts);
            sum.add(vec![squared_gradient, value]);
        }
        let total = blocks.total(sum, 2);
        Swept { squared_gradient: total[0], value: total[1] }
    }

    /// Whether a factor is 0.
    pub(super) fn is_zero(&self, slot: Slot) -> bool {
        let factor = self.factors.get(slot);
        let k = factor.columns();
        let entries = |rows: Range<usize>| &factor.as_slice()[rows.start * k..rows.end * k];
        let count = |rows| entries(rows).iter().filter(|value| **value != T::ZERO).count() as f64;
        self.total_over_rows(slot, 1, |rows| vec![count(rows)])[0] == 0.0
    }

    /// Gives every process the codes of all rows, of which each has updated its own.
    pub(super) fn gather_codes(&mut self) {
        if let Some(blocks) = self.blocks_of(Slot::Codes) {
            let codes = self.factors.codes_to_complete();
            let k = codes.columns();
            blocks.gather_rows(codes.as_mut_slice(), k);
        }
    }

    /// Gives every process the products of all rows with the data, for terms that build on them.
    pub(super) fn gather_cross(&self, slot: Slot, subproblem: &mut Subproblem<T>) {
        if let Some(blocks) = self.blocks_of(slot) {
            let cross = match subproblem {
                Subproblem::Quadratic(q) => &mut q.cross,
                Subproblem::KullbackLeibler(m) => &mut m.numerator,
            };
            let k = cross.columns();
            blocks.gather_rows(cross.as_mut_slice(), k);
        }
    }

    /// Gives every process what the solver remembers of the codes of all rows.
    pub(super) fn gather_states(&mut self) {
        let (Some(blocks), rows) = (self.blocks_of(Slot::Codes), self.factors.get(Slot::Codes).rows()) else {
            return;
        };
        let (values, _) = &mut self.states[Slot::Codes.index()];
        let width = values.len() / rows;
        blocks.gather_rows(values, width);
    }

    /// UᵀU, kept until the factor changes.
    pub(super) fn gram(&mut self, slot: Slot) -> Matrix<T> {
        let equal = self.problem.has_equal_factors() && !self.apart;
        let slot = if equal && slot.is_main() { Slot::Codes } else { slot };
        let version = self.factors.version(slot);
        if let Some((made, gram)) = &self.grams[slot.index()]
            && *made == version
        {
            return gram.clone();
        }
        let factor = self.factors.get(slot);
        let k = factor.columns();
        let sums = self.total_over_rows(slot, k * k, |rows| {
            let parts = self.pool.map(chunks_of(&rows, GRAM_ROWS), |rows| {
                let mut part = vec![T::ZERO; k * k];
                gemm::gram(&factor.as_slice()[rows.start * k..rows.end * k], rows.len(), k, &mut part);
                part
            });
            let mut sums = vec![0.0f64; k * k];
            for part in &parts {
                sums.iter_mut().zip(part).for_each(|(s, p)| *s += p.to_f64());
            }
            sums
        });
        let values = sums.into_iter().map(T::from_f64).collect();
        let gram = Matrix::from_vec(k, k, values).expect("k × k sums");
        self.grams[slot.index()] = Some((version, gram.clone()));
        gram
    }

    /// The loss at the current factors in the half form, directly from X.
    pub(super) fn exact_loss(&mut self) -> f64 {
        self.smooth(Slot::Components);
        let problem = self.problem;
        // With merged labels the caller's data and the untied codes give the objective without any constant.
        let untied = problem.is_merged().then(|| problem.untie(self.factors.get(Slot::Codes)));
        let (data, codes, constant) = match &untied {
            Some(codes) => (problem.original(), codes, 0.0),
            None => (problem.data(), self.factors.get(Slot::Codes), problem.merge_constant),
        };
        let components = self.seen(Slot::Components);
        let sum: f64 = match problem.loss {
            Loss::Frobenius => {
                let gram = wide_gram(components, 0..components.rows());
                let sum = sum_over_chunks(&self.pool, data, codes, |data, rows, codes| {
                    data.squared_residual_beside(rows, codes, components, &gram)
                });
                0.5 * sum
            }
            Loss::KullbackLeibler => {
                let sum = sum_over_chunks(&self.pool, data, codes, |data, rows, codes| {
                    data.log_divergence(rows, codes, components)
                });
                let sums = column_sums(codes, None);
                let total: f64 = sums.iter().zip(column_sums(components, None)).map(|(a, b)| a * b).sum();
                sum - data.summary().sum + total
            }
        };
        sum + constant
    }
}
