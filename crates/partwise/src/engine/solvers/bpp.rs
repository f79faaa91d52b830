//! Exact non-negative least squares by block principal pivoting.
//!
//! ```text
//! find u ≥ 0, y = (G + δI)u − c + sλ ≥ 0, u·y = 0
//! ```
//!
//! Starts from the support that a row has on entry; where that is all components, as in a fresh start, from
//! the support that a few coordinate steps give: near the solution's, so that few exchanges, each a
//! factorization, are left. Rows with the same passive set share one Cholesky factorization. Full exchanges
//! while they help, three more when they don't, then only the largest infeasible index (Murty's rule, which
//! terminates). A column that depends on the passive ones before it is left out with value 0, so a singular
//! Gram is solved too: any minimizer is right there. A row that still has not finished within the bound, or
//! whose value would rise by rounding, is improved by coordinate steps instead, so every call terminates and
//! never raises a row. Computes in `f64` whatever the data are.
//!
//! Reference: Kim & Park 2011, doi:10.1137/110821172, which starts from an empty or the last support.

use super::{NnlsSolver, Rows};
use crate::foundation::{Matrix, Real};
use crate::kernels::simd::{Kernel, dispatch, multiply_add};

/// Block principal pivoting.
#[derive(Clone, Copy, Debug)]
pub struct Bpp {
    /// Exchanges after which a row is given to coordinate steps, per component.
    exchanges_per_component: usize,
}

impl Default for Bpp {
    fn default() -> Self {
        Bpp { exchanges_per_component: 5 }
    }
}

/// Coordinate sweeps that look for a support where there is none, at most; they end when a sweep leaves it as
/// it is.
const FIRST_SWEEPS: usize = 6;
/// Full exchanges that may fail to lower the number of infeasible entries before the backup rule.
const PATIENCE: u32 = 3;
/// An entry of y counts as negative below −this × the size of its terms.
const DUAL_TOLERANCE: f64 = 1e-13;
/// A pivot counts as zero below this × its diagonal × k.
const PIVOT_TOLERANCE: f64 = 4.0 * f64::EPSILON;
/// Coordinate sweeps of the fallback.
const FALLBACK_SWEEPS: usize = 500;

impl<T: Real> NnlsSolver<T> for Bpp {
    fn prepare(&self, _gram: &Matrix<T>) -> Vec<T> {
        Vec::new()
    }

    fn improve_rows(&self, rows: &Rows<'_, T>, factor: &mut [T], _: &mut [T]) -> f64 {
        let exchanges = self.exchanges_per_component * rows.rank() + 20;
        dispatch(Pivoting { rows, factor, exchanges })
    }
}

/// [`Bpp`] of some rows.
struct Pivoting<'a, 'r, T: Real> {
    rows: &'a Rows<'r, T>,
    factor: &'a mut [T],
    exchanges: usize,
}

impl<T: Real> Kernel for Pivoting<'_, '_, T> {
    type Output = f64;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> f64 {
        let Pivoting { rows, factor, exchanges } = self;
        let k = rows.rank();
        let gram = rows.gram.cast::<f64>();
        // One allocation for all rows, not several for each.
        let count = rows.count();
        let (mut numbers, mut passive) = (vec![0.0; 3 * k * count], vec![false; k * count]);
        let parts = numbers.chunks_exact_mut(3 * k).zip(passive.chunks_exact_mut(k));
        let mut states: Vec<RowState<'_>> = Vec::with_capacity(count);
        for (at, parts) in parts.enumerate() {
            let i = rows.place(at);
            states.push(RowState::new(rows, i, &factor[i * k..(i + 1) * k], parts));
        }
        // Loops, no closures: those are functions of their own, without this one's instructions.
        let (mut squared, mut scratch) = (0.0, Scratch::new(k));
        for state in &mut states {
            squared += state.begin::<FMA>(&gram, &mut scratch);
        }
        let mut open: Vec<usize> = (0..states.len()).collect();
        let mut factorization = Cholesky::default();
        for _ in 0..exchanges {
            solve_groups::<FMA>(&gram, &mut states, &mut open, &mut factorization);
            let mut kept = 0;
            for at in 0..open.len() {
                if states[open[at]].exchange::<FMA>(&gram, &mut scratch) {
                    open[kept] = open[at];
                    kept += 1;
                }
            }
            open.truncate(kept);
            if open.is_empty() {
                break;
            }
        }
        for (at, state) in states.iter().enumerate() {
            let (i, solution) = (rows.place(at), state.finish::<FMA>(&gram, &mut scratch));
            for (u, x) in factor[i * k..(i + 1) * k].iter_mut().zip(solution) {
                *u = T::from_f64(*x);
            }
        }
        squared
    }
}

/// sum ← sum + factor·values.
#[inline(always)]
fn add_scaled<const FMA: bool>(sum: &mut [f64], factor: f64, values: &[f64]) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum = multiply_add::<f64, FMA>(factor, *value, *sum);
    }
}

/// What one row at a time needs.
struct Scratch {
    x: Vec<f64>,
    /// (G + δI)x − c.
    dual: Vec<f64>,
    infeasible: Vec<bool>,
}

impl Scratch {
    fn new(k: usize) -> Self {
        Scratch { x: vec![0.0; k], dual: vec![0.0; k], infeasible: vec![false; k] }
    }

    /// `dual` at x; always by the same operations, so that equal rows have equal values.
    #[inline(always)]
    fn form_dual<const FMA: bool>(&mut self, gram: &Matrix<f64>, x: &[f64], shift: f64, cross: &[f64]) {
        for ((y, x), c) in self.dual.iter_mut().zip(x).zip(cross) {
            *y = multiply_add::<f64, FMA>(shift, *x, -c);
        }
        for (l, x) in x.iter().enumerate() {
            if *x != 0.0 {
                add_scaled::<FMA>(&mut self.dual, *x, gram.row(l));
            }
        }
    }
}

/// ½x(G + δI)xᵀ − cxᵀ, given (G + δI)x − c.
#[inline(always)]
fn value_of(x: &[f64], dual: &[f64], cross: &[f64]) -> f64 {
    x.iter().zip(dual).zip(cross).map(|((x, y), c)| 0.5 * x * (y - c)).sum()
}

struct RowState<'s> {
    entry: &'s mut [f64],
    value_on_entry: f64,
    /// c − sλ.
    cross: &'s mut [f64],
    shift: f64,
    passive: &'s mut [bool],
    solution: &'s mut [f64],
    /// The value of the solution, once it is feasible.
    value: Option<f64>,
    fewest: usize,
    patience: u32,
}

impl<'s> RowState<'s> {
    /// Of row `i`, which is `u` on entry, in 3k numbers that are 0 and k signs.
    fn new<T: Real>(
        rows: &Rows<'_, T>,
        i: usize,
        u: &[T],
        (numbers, passive): (&'s mut [f64], &'s mut [bool]),
    ) -> Self {
        let k = u.len();
        let (entry, rest) = numbers.split_at_mut(k);
        let (cross, solution) = rest.split_at_mut(k);
        let scale = rows.linear_rows.map_or(1.0, |s| s[i].to_f64());
        for j in 0..k {
            entry[j] = u[j].to_f64();
            cross[j] = rows.cross[i * k + j].to_f64() - scale * rows.linear[j].to_f64();
            passive[j] = u[j] > T::ZERO;
        }
        RowState {
            entry,
            value_on_entry: 0.0,
            cross,
            shift: rows.shift.map_or(0.0, |s| s[i].to_f64()),
            passive,
            solution,
            value: None,
            fewest: k + 1,
            patience: PATIENCE,
        }
    }

    /// The first support. Gives the squared projected gradient on entry.
    #[inline(always)]
    fn begin<const FMA: bool>(&mut self, gram: &Matrix<f64>, scratch: &mut Scratch) -> f64 {
        scratch.form_dual::<FMA>(gram, self.entry, self.shift, self.cross);
        self.value_on_entry = value_of(self.entry, &scratch.dual, self.cross);
        let mut squared = 0.0;
        for (x, g) in self.entry.iter().zip(&scratch.dual) {
            squared += if *x > 0.0 || *g < 0.0 { g * g } else { 0.0 };
        }
        // A support that the row has already is kept: where the minimizer is not the only one, that stays
        // near the one before.
        if !self.passive.iter().all(|passive| *passive) {
            return squared;
        }
        let Scratch { x, dual, .. } = scratch;
        x.copy_from_slice(self.entry);
        for _ in 0..FIRST_SWEEPS {
            let mut support_changed = false;
            for j in 0..x.len() {
                let curvature = gram.get(j, j) + self.shift;
                if curvature <= 0.0 {
                    continue;
                }
                let new = (x[j] - dual[j] / curvature).max(0.0);
                let change = new - x[j];
                if change != 0.0 {
                    support_changed |= (new > 0.0) != (x[j] > 0.0);
                    x[j] = new;
                    add_scaled::<FMA>(dual, change, gram.row(j));
                    dual[j] += self.shift * change;
                }
            }
            if !support_changed {
                break;
            }
        }
        self.passive.iter_mut().zip(x).for_each(|(passive, x)| *passive = *x > 0.0);
        squared
    }

    /// Whether an entry of `dual` is negative beyond the rounding of its terms.
    #[inline(always)]
    fn is_negative(&self, j: usize, dual: f64, gram: &Matrix<f64>) -> bool {
        // Their size is asked for only here, for few.
        dual < 0.0 && {
            let terms: f64 = gram.row(j).iter().zip(&*self.solution).map(|(g, x)| g.abs() * x.abs()).sum();
            dual < -DUAL_TOLERANCE * (terms + self.cross[j].abs())
        }
    }

    /// Moves infeasible entries between the sets; false when there are none (the row is solved).
    #[inline(always)]
    fn exchange<const FMA: bool>(&mut self, gram: &Matrix<f64>, scratch: &mut Scratch) -> bool {
        let k = self.solution.len();
        let largest = self.solution.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        scratch.form_dual::<FMA>(gram, self.solution, self.shift, self.cross);
        let (mut count, mut last) = (0, 0);
        for j in 0..k {
            let infeasible = if self.passive[j] {
                self.solution[j] < -f64::EPSILON * largest
            } else {
                self.is_negative(j, scratch.dual[j], gram)
            };
            scratch.infeasible[j] = infeasible;
            if infeasible {
                (count, last) = (count + 1, j);
            }
        }
        if count == 0 {
            let clipped = self.solution.iter().any(|x| *x < 0.0);
            if clipped {
                self.solution.iter_mut().for_each(|x| *x = x.max(0.0));
                scratch.form_dual::<FMA>(gram, self.solution, self.shift, self.cross);
            }
            self.value = Some(value_of(self.solution, &scratch.dual, self.cross));
            return false;
        }
        if count < self.fewest {
            self.fewest = count;
            self.patience = PATIENCE;
        } else if self.patience > 0 {
            self.patience -= 1;
        } else {
            self.passive[last] = !self.passive[last];
            return true;
        }
        for (passive, flips) in self.passive.iter_mut().zip(&scratch.infeasible) {
            *passive ^= *flips;
        }
        true
    }

    /// The solution, or coordinate steps from the entry where pivoting failed.
    #[inline(always)]
    fn finish<'f, const FMA: bool>(&'f self, gram: &Matrix<f64>, scratch: &'f mut Scratch) -> &'f [f64] {
        if self.value.is_some_and(|value| value.is_finite() && value <= self.value_on_entry) {
            return self.solution;
        }
        let x = &mut scratch.x;
        x.copy_from_slice(self.entry);
        for _ in 0..FALLBACK_SWEEPS {
            let mut largest_change = 0.0f64;
            for j in 0..x.len() {
                let curvature = gram.get(j, j) + self.shift;
                if curvature > 0.0 {
                    let product: f64 = gram.row(j).iter().zip(&*x).map(|(g, x)| g * x).sum();
                    let dual = product + self.shift * x[j] - self.cross[j];
                    let new = (x[j] - dual / curvature).max(0.0);
                    largest_change =
                        largest_change.max((new - x[j]).abs() / (new.max(x[j]) + f64::MIN_POSITIVE));
                    x[j] = new;
                }
            }
            if largest_change < 1e-15 {
                break;
            }
        }
        x
    }
}

/// Solves the passive systems of the open rows, one factorization for all rows that share set and shift.
#[inline(always)]
fn solve_groups<const FMA: bool>(
    gram: &Matrix<f64>,
    states: &mut [RowState<'_>],
    open: &mut [usize],
    factorization: &mut Cholesky,
) {
    open.sort_by(|&a, &b| {
        let (a, b) = (&states[a], &states[b]);
        a.passive.cmp(&b.passive).then(a.shift.total_cmp(&b.shift))
    });
    for &i in open.iter() {
        let state = &mut states[i];
        if factorization.passive[..] != *state.passive || factorization.shift != state.shift {
            factorization.form::<FMA>(gram, state.passive, state.shift);
        }
        factorization.solve::<FMA>(state.cross, state.solution);
        // A column left out as dependent is active from now on.
        state.passive.copy_from_slice(&factorization.kept);
    }
}

/// L of (G + δI) restricted to a passive set, without the columns that depend on earlier ones. Its buffers
/// are reused from one set to the next.
#[derive(Default)]
struct Cholesky {
    passive: Vec<bool>,
    shift: f64,
    kept: Vec<bool>,
    columns: Vec<usize>,
    /// L by columns, each of as many numbers as there are columns; what is above the diagonal is not read.
    lower: Vec<f64>,
    stride: usize,
    /// All columns of the set, and the places of those that are kept among them.
    all: Vec<usize>,
    places: Vec<usize>,
    /// The column that is being made; a right-hand side.
    column: Vec<f64>,
}

impl Cholesky {
    #[inline(always)]
    fn form<const FMA: bool>(&mut self, gram: &Matrix<f64>, passive: &[bool], shift: f64) {
        let k = passive.len();
        let Cholesky { kept, columns, lower, all, places, column, .. } = self;
        self.passive.clear();
        self.passive.extend_from_slice(passive);
        self.shift = shift;
        all.clear();
        all.extend((0..k).filter(|j| passive[*j]));
        let r = all.len();
        kept.clear();
        kept.resize(k, false);
        column.clear();
        column.resize(r, 0.0);
        columns.clear();
        places.clear();
        lower.clear();
        // Column by column, over all passive rows; those of dependent columns are taken out at the end.
        for (at, &j) in all.iter().enumerate() {
            let row = gram.row(j);
            for (value, l) in column[at..].iter_mut().zip(&all[at..]) {
                *value = row[*l];
            }
            let diagonal = column[at] + shift;
            column[at] = diagonal;
            for c in 0..columns.len() {
                let earlier = &lower[c * r..(c + 1) * r];
                add_scaled::<FMA>(&mut column[at..], -earlier[at], &earlier[at..]);
            }
            let pivot = column[at];
            if pivot > PIVOT_TOLERANCE * k as f64 * diagonal && pivot.is_finite() {
                let root = pivot.sqrt();
                column[at] = root;
                for value in &mut column[at + 1..] {
                    *value /= root;
                }
                lower.extend_from_slice(column);
                columns.push(j);
                places.push(at);
                kept[j] = true;
            }
        }
        self.stride = columns.len();
        if self.stride < r {
            // Without the rows of dependent columns; a number never moves back.
            let mut to = 0;
            for c in 0..self.stride {
                for at in &*places {
                    lower[to] = lower[c * r + at];
                    to += 1;
                }
            }
            lower.truncate(to);
        }
    }

    #[inline(always)]
    fn solve<const FMA: bool>(&mut self, cross: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let (r, x) = (self.stride, &mut self.column);
        x.clear();
        x.extend(self.columns.iter().map(|column| cross[*column]));
        for c in 0..r {
            let column = &self.lower[c * r..(c + 1) * r];
            let solved = x[c] / column[c];
            x[c] = solved;
            add_scaled::<FMA>(&mut x[c + 1..], -solved, &column[c + 1..]);
        }
        for c in (0..r).rev() {
            let column = &self.lower[c * r..(c + 1) * r];
            let sum: f64 = column[c + 1..].iter().zip(&x[c + 1..]).map(|(l, x)| l * x).sum();
            x[c] = (x[c] - sum) / column[c];
        }
        for (column, value) in self.columns.iter().zip(&*x) {
            out[*column] = *value;
        }
    }
}
