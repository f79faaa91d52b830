//! How the processor's cores improve a slot: chunks of rows by the solver, groups of rows with a Gram of
//! their own, and the extrapolation around it.

use std::ops::Range;

use super::cpu::CpuBackend;
use super::extrapolation::Extrapolation;
use crate::engine::Slot;
use crate::engine::quadratic::{KlMajorizer, Quadratic, RowGroup, Subproblem};
use crate::engine::solvers::{Hals, KlRows, NnlsSolver, Rows, SolverChoice, Swept, improve_kl_rows};
use crate::foundation::pool::fixed_chunks;
use crate::foundation::{Matrix, Real};

/// Rows that a solver gets at once.
const SOLVE_ROWS: usize = 512;
/// Chunks of gathered rows at work at once: bounds the copies that row groups need.
const GATHERED_TASKS: usize = 32;

impl<T: Real> CpuBackend<'_, '_, T> {
    /// The sweeps of a slot, where its updates may be taken back.
    pub(super) fn valued(&self, slot: Slot) -> Option<Hals> {
        let swept = self.extrapolation.is_some() && self.problem.solver.choice == SolverChoice::Hals;
        // A closed form is one sweep.
        let sweeps = self.problem.accelerated.filter(|_| swept && slot.is_main())?;
        Some(Hals::new(sweeps[slot.index()]))
    }

    /// Improves the slot that was restricted last.
    pub(super) fn improve_once(&mut self) -> Swept {
        let (slot, mut subproblem) = self.current.take().expect("a slot was restricted");
        // One unknown a row: a coordinate step is the closed form.
        let solver =
            (slot == Slot::Scales).then(|| std::mem::replace(&mut self.solver, Box::new(Hals::new(1))));
        let mut swept = match &mut subproblem {
            Subproblem::Quadratic(q) if q.groups.is_empty() && self.pending => {
                self.improve_in_one_pass(slot, q)
            }
            Subproblem::Quadratic(q) if q.groups.is_empty() => self.improve_shared(slot, q),
            Subproblem::Quadratic(q) => {
                self.complete(slot, q);
                self.improve_grouped(slot, q)
            }
            Subproblem::KullbackLeibler(m) if self.takes_steps() => self.improve_by_steps(slot, m),
            Subproblem::KullbackLeibler(m) => self.improve_kl(slot, m),
        };
        if let Subproblem::Quadratic(q) = &subproblem {
            swept.value += q.constant;
        }
        if let Some(solver) = solver {
            self.solver = solver;
        }
        self.current = Some((slot, subproblem));
        if slot == Slot::Codes && self.needs_all_codes {
            self.gather_codes();
        }
        swept
    }

    /// As [`CpuBackend::improve_once`], between taking back what was extrapolated too far and extrapolating
    /// anew.
    pub(super) fn improve_extrapolated(&mut self, mut extrapolation: Extrapolation<T>) -> f64 {
        let (slot, _) = self.current.as_ref().expect("a slot was restricted");
        let slot = *slot;
        extrapolation.begin(slot, &self.factors);
        self.extrapolation = Some(extrapolation);
        let mut swept = self.improve_once();
        let taken_back =
            self.extrapolation.as_mut().is_some_and(|e| e.takes_back(slot, swept.value, &mut self.factors));
        if taken_back {
            self.form(slot);
            swept = self.improve_once();
        }
        if let (Some(extrapolation), Some((_, subproblem))) = (&mut self.extrapolation, &self.current) {
            extrapolation.advance(slot, swept.value, || masses(subproblem), &mut self.factors);
        }
        swept.squared_gradient
    }

    /// The rows that use the shared Gram, as chunks of one solve each.
    fn improve_shared(&mut self, slot: Slot, quadratic: &Quadratic<T>) -> Swept {
        let (rows, k) = quadratic.cross.shape();
        let solver = Solving::of(self.valued(slot), self.solver.as_ref());
        let prepared = solver.prepare(&quadratic.gram);
        let width = solver.state_per_row(k);
        let row_steps = if slot == Slot::Codes { self.problem.row_steps.as_deref() } else { None };
        let (ranges, mut swept) = (self.row_ranges(slot), Vec::new());
        let (state, calls) = &mut self.states[slot.index()];
        state.resize(rows * width, T::ZERO);
        let factor = self.factors.get_mut(slot).as_mut_slice();
        for rows in ranges {
            let factor = &mut factor[rows.start * k..rows.end * k];
            let state = &mut state[rows.start * width..rows.end * width];
            let chunks = fixed_chunks(rows.len(), SOLVE_ROWS);
            swept.push(self.pool.map_rows_with(
                &chunks,
                (factor, k),
                (state, width),
                |range, factor, state| {
                    let range = rows.start + range.start..rows.start + range.end;
                    let row_steps = row_steps.map(|steps| &steps[range.clone()]);
                    let view = view(quadratic, &prepared, range);
                    solver.improve(&Rows { row_steps, calls: *calls, ..view }, factor, state)
                },
            ));
        }
        *calls += 1;
        self.total_swept(slot, &swept)
    }

    fn improve_grouped(&mut self, slot: Slot, quadratic: &Quadratic<T>) -> Swept {
        let ranges = self.row_ranges(slot);
        let swept: Vec<_> =
            ranges.into_iter().map(|rows| self.improve_groups(slot, quadratic, rows)).collect();
        self.total_swept(slot, &swept)
    }

    /// Of some rows: groups with a Gram of their own, gathered, solved and put back, a batch at a time so
    /// that the copies stay small; then the rows in no group, with the shared Gram, chunk by chunk where they
    /// are.
    fn improve_groups(&mut self, slot: Slot, quadratic: &Quadratic<T>, rows: Range<usize>) -> Vec<Swept> {
        let k = quadratic.cross.columns();
        let mut grouped = vec![false; rows.len()];
        let mut tasks: Vec<(&RowGroup<T>, &[u32])> = Vec::new();
        for group in quadratic.groups.iter() {
            let members = group.within(&rows);
            members.iter().for_each(|&row| grouped[row as usize - rows.start] = true);
            tasks.extend(members.chunks(SOLVE_ROWS).map(|rows| (group, rows)));
        }
        let solver = Solving::of(self.valued(slot), self.solver.as_ref());
        let mut parts = Vec::with_capacity(tasks.len());
        for batch in tasks.chunks(GATHERED_TASKS) {
            let factor = self.factors.get(slot);
            let solved = self.pool.map(batch.to_vec(), |(group, rows)| {
                let gram = group.gram(&quadratic.gram, quadratic.group_metric.as_deref());
                let mut values = factor.gathered(rows).into_vec();
                let part = solve_copies(&solver, quadratic, &gram, rows, &mut values);
                (values, part)
            });
            let factor = self.factors.get_mut(slot);
            for ((_, rows), (values, part)) in batch.iter().zip(solved) {
                parts.push(part);
                for (&row, value) in rows.iter().zip(values.chunks_exact(k)) {
                    factor.row_mut(row as usize).copy_from_slice(value);
                }
            }
        }
        let shared = solver.prepare(&quadratic.gram);
        let chunks = fixed_chunks(rows.len(), SOLVE_ROWS);
        let factor = &mut self.factors.get_mut(slot).as_mut_slice()[rows.start * k..rows.end * k];
        parts.extend(self.pool.map_rows(&chunks, factor, k, |range, factor| {
            let free: Vec<u32> = (0u32..)
                .zip(&grouped[range.clone()])
                .filter(|(_, grouped)| !**grouped)
                .map(|(at, _)| at)
                .collect();
            let places = (free.len() < range.len()).then_some(&free[..]);
            let range = rows.start + range.start..rows.start + range.end;
            solver.improve(&Rows { places, ..view(quadratic, &shared, range) }, factor, &mut [])
        }));
        parts
    }

    fn improve_kl(&mut self, slot: Slot, majorizer: &KlMajorizer<T>) -> Swept {
        let k = majorizer.numerator.columns();
        let (ranges, penalties) = (self.row_ranges(slot), &majorizer.penalties);
        let factor = self.factors.get_mut(slot).as_mut_slice();
        let mut swept = Vec::new();
        for rows in ranges {
            let chunks = fixed_chunks(rows.len(), SOLVE_ROWS);
            let factor = &mut factor[rows.start * k..rows.end * k];
            swept.push(self.pool.map_rows(&chunks, factor, k, |range, factor| {
                let range = rows.start + range.start..rows.start + range.end;
                let entries = range.start * k..range.end * k;
                let view = KlRows {
                    numerator: &majorizer.numerator.as_slice()[entries.clone()],
                    base: &majorizer.base,
                    base_rows: majorizer.base_rows.as_ref().map(|v| &v[range.clone()]),
                    ridge: &majorizer.ridge,
                    linear: &penalties.linear,
                    linear_rows: penalties.linear_rows.as_ref().map(|v| &v[range.clone()]),
                    shift: penalties.shift.as_ref().map(|v| &v[range.clone()]),
                    entries: majorizer.entries.as_ref().map(|m| &m.as_slice()[entries]),
                };
                Swept { squared_gradient: improve_kl_rows(&view, factor), value: 0.0 }
            }));
        }
        self.total_swept(slot, &swept)
    }
}

/// How much a unit of each component of a slot stands for: the sum of its partner (Kullback–Leibler), or its
/// length, with what penalties add.
fn masses<T: Real>(subproblem: &Subproblem<T>) -> Vec<T> {
    match subproblem {
        Subproblem::KullbackLeibler(m) => m.base.clone(),
        Subproblem::Quadratic(q) => {
            (0..q.gram.columns()).map(|j| Real::sqrt(Real::max(q.gram.get(j, j), T::ZERO))).collect()
        }
    }
}

/// What improves rows: the problem's solver, or sweeps whose value is known after them.
pub(super) enum Solving<'s, T> {
    Solver(&'s dyn NnlsSolver<T>),
    Valued(Hals),
}

impl<'s, T: Real> Solving<'s, T> {
    pub(super) fn of(valued: Option<Hals>, solver: &'s dyn NnlsSolver<T>) -> Self {
        valued.map_or(Solving::Solver(solver), Solving::Valued)
    }

    pub(super) fn prepare(&self, gram: &Matrix<T>) -> Vec<T> {
        match self {
            Solving::Solver(solver) => solver.prepare(gram),
            Solving::Valued(hals) => hals.prepare(gram),
        }
    }

    pub(super) fn state_per_row(&self, rank: usize) -> usize {
        match self {
            Solving::Solver(solver) => solver.state_per_row(rank),
            Solving::Valued(_) => 0,
        }
    }

    pub(super) fn improve(&self, rows: &Rows<'_, T>, factor: &mut [T], state: &mut [T]) -> Swept {
        match self {
            Solving::Solver(solver) => {
                Swept { squared_gradient: solver.improve_rows(rows, factor, state), value: 0.0 }
            }
            Solving::Valued(hals) => hals.improve_and_value(rows, factor),
        }
    }
}

/// The sums over chunks, in chunk order.
pub(super) fn total(parts: &[Swept]) -> Swept {
    Swept {
        squared_gradient: parts.iter().map(|part| part.squared_gradient).sum(),
        value: parts.iter().map(|part| part.value).sum(),
    }
}

/// Improves `values`, copies of some rows, with a Gram of their own.
fn solve_copies<T: Real>(
    solver: &Solving<'_, T>,
    quadratic: &Quadratic<T>,
    gram: &Matrix<T>,
    rows: &[u32],
    values: &mut [T],
) -> Swept {
    let pick =
        |v: &Option<Vec<T>>| v.as_ref().map(|v| rows.iter().map(|&r| v[r as usize]).collect::<Vec<T>>());
    let (scale, shift) = (pick(&quadratic.penalties.linear_rows), pick(&quadratic.penalties.shift));
    let cross = quadratic.cross.gathered(rows);
    let view = Rows {
        gram,
        prepared: &solver.prepare(gram),
        cross: cross.as_slice(),
        linear: &quadratic.penalties.linear,
        linear_rows: scale.as_deref(),
        shift: shift.as_deref(),
        row_steps: None,
        calls: 0,
        places: None,
    };
    solver.improve(&view, values, &mut [])
}

/// The rows of a range with the shared Gram and what the solver prepared of it.
pub(super) fn view<'v, T: Real>(
    quadratic: &'v Quadratic<T>,
    prepared: &'v [T],
    range: Range<usize>,
) -> Rows<'v, T> {
    let (penalties, k) = (&quadratic.penalties, quadratic.cross.columns());
    Rows {
        gram: &quadratic.gram,
        prepared,
        cross: &quadratic.cross.as_slice()[range.start * k..range.end * k],
        linear: &penalties.linear,
        linear_rows: penalties.linear_rows.as_ref().map(|v| &v[range.clone()]),
        shift: penalties.shift.as_ref().map(|v| &v[range]),
        row_steps: None,
        calls: 0,
        places: None,
    }
}
