//! Data in row blocks: products block by block, and an iteration in one pass over them.
//!
//! ```text
//! for each block b:   C_b = X_b·H,   W_b ← improve(W_b),   P_b = X_bᵀ·W_b;   P = Σ_b P_b (a binary tree)
//! ```
//!
//! P is what the next update of the components needs, so X is read once an iteration. W_b enters P_b at its
//! extrapolated place, if there is one. When the update of the codes is taken back, the pass is repeated.

use std::ops::Range;

use super::cpu::CpuBackend;
use super::solving::{Solving, view};
use crate::data::{DataMatrix, TreeSum, rows_of};
use crate::engine::Slot;
use crate::engine::losses::{Loss, frobenius, kullback_leibler};
use crate::engine::quadratic::{Quadratic, Subproblem};
use crate::engine::solvers::{Rows, Swept};
use crate::foundation::pool::fixed_chunks;
use crate::foundation::{Matrix, Real};

/// Rows that a solver gets at once.
const SOLVE_ROWS: usize = 512;

impl<'p, T: Real> CpuBackend<'p, '_, T> {
    /// Whether the product of a slot with the data is left to its update, which then reads each block once.
    pub(super) fn waits_for_update(&self, slot: Slot) -> bool {
        let judged_before = self.extrapolation.as_ref().is_some_and(|e| e.is_judged_before());
        slot == Slot::Codes
            && self.problem.loss == Loss::Frobenius
            && self.problem.data().blocks().is_some()
            && self.problem.smoothing.is_none()
            && !judged_before
            && !self.at_end
            && !self.problem.contributions.iter().any(|c| c.changes_cross(slot) || c.facts().equal_factors)
    }

    /// `cross` = X · V (codes) or Xᵀ · V (components).
    pub(super) fn product(&self, slot: Slot, other: &Matrix<T>, cross: &mut Matrix<T>) {
        let (data, k) = (self.problem.data(), other.columns());
        let Some(blocks) = data.blocks() else {
            if slot == Slot::Components && self.few_products {
                let shared = data.shared_features(self.pool.threads());
                self.pool.map_rows(&shared, cross.as_mut_slice(), k, |range, out| {
                    data.transpose_times_once(range, other, out);
                });
                return;
            }
            self.pool.map_rows(self.chunks(slot), cross.as_mut_slice(), k, |range, out| {
                frobenius::cross_rows(data, slot, range, other, out);
            });
            return;
        };
        if slot == Slot::Codes {
            blocks.for_each(|rows, block, _| {
                let out = &mut cross.as_mut_slice()[rows.start * k..rows.end * k];
                self.pool
                    .map_rows(&block.sample_chunks(), out, k, |range, out| block.times(range, other, out));
            });
            return;
        }
        let mut sum = TreeSum::in_memory_of(Vec::new());
        blocks.for_each(|rows, block, kept| {
            let mut part = sum.vector(blocks.n_features() * k);
            blocks.transpose_times_block(&self.pool, (block, kept), &rows_of(other, rows), &mut part);
            sum.add(part);
        });
        cross.as_mut_slice().copy_from_slice(&blocks.total(sum, blocks.n_features() * k));
    }

    /// As [`CpuBackend::product`] with the quotients X/(WH); returns Σ x·ln(x/(WH)).
    pub(super) fn ratio_product(
        &self,
        slot: Slot,
        (own, other): (&Matrix<T>, &Matrix<T>),
        numerator: &mut Matrix<T>,
    ) -> f64 {
        let (data, k) = (self.problem.data(), other.columns());
        let Some(blocks) = data.blocks() else {
            let logs = self.pool.map_rows(self.chunks(slot), numerator.as_mut_slice(), k, |range, out| {
                kullback_leibler::numerator_rows(data, slot, range, own, other, out)
            });
            return logs.iter().sum();
        };
        let (mut sum, mut logs) = (TreeSum::default(), TreeSum::default());
        blocks.for_each(|rows, block, _| {
            let parts: Vec<f64> = if slot == Slot::Codes {
                let out = &mut numerator.as_mut_slice()[rows.start * k..rows.end * k];
                let codes = rows_of(own, rows);
                self.pool.map_rows(&block.sample_chunks(), out, k, |range, out| {
                    block.ratio_times(range, &codes, other, out)
                })
            } else {
                let (codes, mut part) = (rows_of(other, rows), vec![T::ZERO; block.n_features() * k]);
                let parts = self.pool.map_rows(&block.feature_chunks(), &mut part, k, |range, out| {
                    block.transpose_ratio_times(range, &codes, own, out)
                });
                sum.add(part);
                parts
            };
            logs.add(vec![parts.iter().sum::<f64>()]);
        });
        if slot != Slot::Codes {
            numerator.as_mut_slice().copy_from_slice(&blocks.total(sum, blocks.n_features() * k));
        }
        blocks.total(logs, 1)[0]
    }

    /// The half objective before a pass that the codes wait for: seen from the components, whose product with
    /// the data is at hand.
    pub(super) fn objective_before_pass(&mut self) -> f64 {
        let current = self.current.take();
        let pending = std::mem::take(&mut self.pending);
        self.form(Slot::Components);
        let objective = self.objective_here();
        self.release();
        (self.current, self.pending) = (current, pending);
        objective
    }

    /// The product that the subproblem of the codes waits for, where its update can't be done in the pass.
    pub(super) fn complete(&mut self, slot: Slot, quadratic: &mut Quadratic<T>) {
        if std::mem::take(&mut self.pending) {
            self.product(slot, self.seen(slot.other()), &mut quadratic.cross);
        }
    }

    /// Improves the codes in one pass over the blocks, which also gives the next product of the components.
    pub(super) fn improve_in_one_pass(&mut self, slot: Slot, quadratic: &mut Quadratic<T>) -> Swept {
        self.pending = false;
        let k = quadratic.cross.columns();
        // Both are put back below; whatever ends the pass early ends the fit.
        let mut codes = std::mem::replace(self.factors.get_mut(slot), Matrix::zeros(0, k));
        let mut solver_state = std::mem::take(&mut self.states[slot.index()]);
        let mut sum = TreeSum::in_memory_of(std::mem::take(&mut self.spare));
        let other = self.seen(slot.other());
        let solver = Solving::of(self.valued(slot), self.solver.as_ref());
        let prepared = solver.prepare(&quadratic.gram);
        let width = solver.state_per_row(k);
        let (state, calls) = &mut solver_state;
        state.resize(codes.rows() * width, T::ZERO);
        let moves = self.extrapolation.as_ref().and_then(|e| e.next_move(slot));
        let row_steps = self.problem.row_steps.as_deref();
        let blocks = self.problem.data().blocks().expect("a pass is over blocks");
        let (features, mut swept) = (blocks.n_features(), Vec::new());
        let mut moved = Vec::new();
        blocks.for_each(|rows, block, kept| {
            let out = &mut quadratic.cross.as_mut_slice()[rows.start * k..rows.end * k];
            self.pool.map_rows(&block.sample_chunks(), out, k, |range, out| block.times(range, other, out));
            let factor = &mut codes.as_mut_slice()[rows.start * k..rows.end * k];
            let state = &mut state[rows.start * width..rows.end * width];
            let chunks = fixed_chunks(rows.len(), SOLVE_ROWS);
            let quadratic = &*quadratic;
            swept.push(self.pool.map_rows_with(
                &chunks,
                (factor, k),
                (state, width),
                |range, factor, state| {
                    let range: Range<usize> = rows.start + range.start..rows.start + range.end;
                    let row_steps = row_steps.map(|steps| &steps[range.clone()]);
                    let view = view(quadratic, &prepared, range);
                    solver.improve(&Rows { row_steps, calls: *calls, ..view }, factor, state)
                },
            ));
            let range = rows.start * k..rows.end * k;
            moved.clear();
            moved.extend_from_slice(&codes.as_slice()[range.clone()]);
            if let Some((step, updated)) = moves {
                for (place, last) in moved.iter_mut().zip(&updated.as_slice()[range]) {
                    *place = super::extrapolation::moved_on(*place, *last, step);
                }
            }
            let block_codes =
                Matrix::from_vec(rows.len(), k, std::mem::take(&mut moved)).expect("rows × k codes");
            let mut part = sum.vector(features * k);
            blocks.transpose_times_block(&self.pool, (block, kept), &block_codes, &mut part);
            sum.add(part);
            moved = block_codes.into_vec();
        });
        *calls += 1;
        let (sum, spare) = sum.separate();
        let product = blocks.total(sum, features * k);
        self.spare = spare;
        self.next_product = Some(Matrix::from_vec(features, k, product).expect("d × k sums"));
        self.states[slot.index()] = solver_state;
        *self.factors.get_mut(slot) = codes;
        self.total_swept(slot, &swept)
    }

    /// Takes the product that the last pass left for the components, once the codes are where they stay.
    pub(super) fn keep_product(&mut self) {
        if let Some(product) = self.next_product.take() {
            let buffer = &mut self.buffers[Slot::Components.index()];
            let before = buffer.cross.replace(product);
            self.spare.extend(before.map(Matrix::into_vec));
            buffer.made_from = Some(self.factors.version(Slot::Codes));
        }
    }

    /// Puts the buffer of the slot that was current back.
    pub(super) fn release(&mut self) {
        self.pending = false;
        if let Some((slot, subproblem)) = self.current.take() {
            self.buffers[slot.index()].cross = Some(match subproblem {
                Subproblem::Quadratic(q) => q.cross,
                Subproblem::KullbackLeibler(m) => m.numerator,
            });
        }
    }
}
