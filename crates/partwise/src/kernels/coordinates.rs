//! Coordinate steps for the Kullback–Leibler divergence of sparse rows: each lowers, one entry of u after
//! another,
//!
//! ```text
//! f(u) = Σ_r (c_r·u_r + ½·ρ_r·u_r²) − Σ_e x_e·ln p_e,   p_e = u · V[j_e, :]   over the stored entries e
//! ```
//!
//! With R = Σ x·h/p and F = Σ x·h²/p² over the entries, h their value in column r of V, the slope of f in
//! u_r is g = c + ρ·u_r − R, and its curvature F + ρ. Every step stays on the near side of the minimum, so f
//! never rises:
//!
//! - The slope is a concave function of u_r. Where it is negative, the root of its tangent (Newton's step)
//!   comes before its own. Without ρ, so does that of the tangent of 1/c − 1/R, which is concave too, and
//!   farther.
//! - Where it is positive, R at u_r = 0 says whether the minimum is there. If not, the slope falls no faster
//!   than with p ≥ u_r·h, which gives u_r·K·u_r / (K·u_r + g) with the curvature K, and the chord between
//!   the slopes at 0 and u_r lies below it; the smaller of their roots is taken.
//!
//! What one row needs of V is put side by side by column first, and only for entries of u that are not 0 or
//! want to grow. The order of the steps is that of Hsieh & Dhillon 2011, "Fast coordinate descent methods
//! with variable selection for non-negative matrix factorization", doi:10.1145/2020408.2020577, whose plain
//! Newton steps may raise f.

use std::ops::Range;

use super::gather::{Rows, Vectors, WIDEST, add_multiple, dot, fold, piece_of, with_few_widths};
use super::logarithm::LogSum;
use super::simd::{Kernel, dispatch, multiply_add, prefetch};
use crate::foundation::{Real, once};

/// The part of f that is not in the data.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Costs<'a, T> {
    /// c: k numbers for all rows, or as many for each row of the factor.
    pub linear: &'a [T],
    /// ρ (k).
    pub ridge: &'a [T],
    /// What is added to ρ in each row of the factor; 0 when absent.
    pub shift: Option<&'a [T]>,
}

/// Some rows of sparse data, and the factors beside them: `own` has one row per row of the range, `other`
/// one per column, both row-major with k columns.
pub(crate) struct Steps<'a, T> {
    pub(crate) rows: Rows<'a, T>,
    pub(crate) range: Range<usize>,
    /// The number of the first row of the range in `costs`.
    pub(crate) first: usize,
    pub(crate) own: &'a mut [T],
    pub(crate) other: &'a [T],
    pub(crate) k: usize,
    pub(crate) costs: Costs<'a, T>,
    pub(crate) sweeps: usize,
}

/// What steps found and left.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Stepped {
    /// Of the projected gradient before the first step.
    pub squared_gradient: f64,
    /// Σ f + Σ x·ln x over the rows after the last step.
    pub value: f64,
}

impl std::ops::AddAssign for Stepped {
    fn add_assign(&mut self, more: Stepped) {
        self.squared_gradient += more.squared_gradient;
        self.value += more.value;
    }
}

once! {
    /// Runs [`Steps`] at the best level of the processor.
    pub(crate) Coordinates<'a, T>(steps: Steps<'a, T>) -> Stepped {
        dispatch(steps)
    }
}

/// Entries that are next to each other.
const LANES: usize = 16;
/// Entries whose rows of V stay near between the products and the sums.
const BLOCK: usize = 32;
/// The most that a growing step is lengthened.
const LONGEST: f64 = 1e6;

/// Of one row: entries in groups of [`LANES`], the last one filled up with entries of value 0.
struct Work<T> {
    values: Vec<[T; LANES]>,
    products: Vec<[T; LANES]>,
    /// For each group the columns of V that are used, one after the other.
    columns: Vec<[T; LANES]>,
    /// Which columns those are.
    used: Vec<usize>,
    gradient: Vec<T>,
}

impl<T: Real> Kernel for Steps<'_, T> {
    type Output = Stepped;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> Stepped {
        let Steps { rows, range, first, own, other, k, costs, sweeps } = self;
        let mut work = Work {
            values: Vec::new(),
            products: Vec::new(),
            columns: Vec::new(),
            used: Vec::with_capacity(k),
            gradient: vec![T::ZERO; k],
        };
        let (mut squared_gradient, mut value, mut logarithms) = (0.0f64, 0.0f64, LogSum::new());
        for ((at, i), u) in range.enumerate().zip(own.chunks_exact_mut(k)) {
            let at = first + at;
            let mut entries = rows.offsets[i]..rows.offsets[i + 1];
            // Zeros that are stored would change the order in which the others are added up.
            let others = without_zeros(&rows, entries.clone());
            let rows = match &others {
                None => rows,
                Some((indices, values)) => {
                    entries = 0..values.len();
                    Rows { offsets: rows.offsets, indices, values }
                }
            };
            let (stored, count) = (&rows.values[entries.clone()], entries.len());
            let linear =
                if costs.linear.len() == k { costs.linear } else { &costs.linear[at * k..(at + 1) * k] };
            let shift = costs.shift.map_or(T::ZERO, |shift| shift[at]);
            work.take(stored);
            for (r, gradient) in work.gradient.iter_mut().enumerate() {
                *gradient = linear[r] + (costs.ridge[r] + shift) * u[r];
            }
            if k > WIDEST {
                products_wide::<T, FMA>(&rows, entries.clone(), other, u, &mut work);
            } else {
                with_few_widths!(k, products(&rows, entries.clone(), other, u, &mut work));
            }
            work.used.clear();
            for (r, (gradient, u)) in work.gradient.iter().zip(&*u).enumerate() {
                if *u > T::ZERO || *gradient < T::ZERO {
                    squared_gradient += gradient.to_f64() * gradient.to_f64();
                    work.used.push(r);
                }
            }
            work.gather(&rows.indices[entries], other, k);
            for _ in 0..sweeps {
                for place in 0..work.used.len() {
                    let r = work.used[place];
                    u[r] = work.step::<FMA>(place, u[r], linear[r], costs.ridge[r] + shift);
                }
            }
            logarithms.extend(stored, &work.products.as_flattened()[..count]);
            for (r, u) in u.iter().enumerate() {
                let (u, ridge) = (u.to_f64(), (costs.ridge[r] + shift).to_f64());
                value += (linear[r].to_f64() + 0.5 * ridge * u) * u;
            }
        }
        Stepped { squared_gradient, value: value + logarithms.finish() }
    }
}

/// Indices and values of the entries that are not 0, if some are.
#[inline(always)]
fn without_zeros<T: Real>(rows: &Rows<'_, T>, entries: Range<usize>) -> Option<(Vec<u32>, Vec<T>)> {
    let (indices, values) = (&rows.indices[entries.clone()], &rows.values[entries]);
    if values.iter().fold(true, |so_far, x| so_far & (*x > T::ZERO)) {
        return None;
    }
    Some(indices.iter().zip(values).filter(|(_, x)| **x > T::ZERO).map(|(j, x)| (*j, *x)).unzip())
}

impl<T: Real> Work<T> {
    /// Makes room for the entries of a row.
    #[inline(always)]
    fn take(&mut self, stored: &[T]) {
        let groups = stored.len().div_ceil(LANES);
        self.values.clear();
        self.values.resize(groups, [T::ZERO; LANES]);
        self.values.as_flattened_mut()[..stored.len()].copy_from_slice(stored);
        self.products.clear();
        self.products.resize(groups, [T::ONE; LANES]);
    }

    /// Puts the columns of V that are used side by side.
    #[inline(always)]
    fn gather(&mut self, indices: &[u32], other: &[T], k: usize) {
        let used = self.used.len();
        self.columns.clear();
        self.columns.resize(self.values.len() * used, [T::ZERO; LANES]);
        if used == 0 {
            return;
        }
        for (indices, columns) in indices.chunks(LANES).zip(self.columns.chunks_exact_mut(used)) {
            for (lane, j) in indices.iter().enumerate() {
                let row = &other[*j as usize * k..(*j as usize + 1) * k];
                for (column, r) in columns.iter_mut().zip(&self.used) {
                    column[lane] = row[*r];
                }
            }
        }
    }

    /// One step from `u` in the used column at `place`; the products follow.
    #[inline(always)]
    fn step<const FMA: bool>(&mut self, place: usize, u: T, linear: T, ridge: T) -> T {
        let used = self.used.len();
        let columns = || self.columns.get(place..).unwrap_or_default().iter().step_by(used);
        let (mut first, mut second) = ([T::ZERO; LANES], [T::ZERO; LANES]);
        for ((h, p), x) in columns().zip(&self.products).zip(&self.values) {
            for l in 0..LANES {
                let quotient = h[l] / p[l];
                let part = x[l] * quotient;
                first[l] += part;
                second[l] = multiply_add::<T, FMA>(part, quotient, second[l]);
            }
        }
        let (sum, squares) = (fold(first), fold(second));
        let (slope, curvature) = (linear + ridge * u - sum, squares + ridge);
        let new = if squares <= T::ZERO {
            // Nothing in the data wants it.
            T::ZERO
        } else if slope <= T::ZERO {
            let farther = if ridge <= T::ZERO && linear > T::ZERO { sum / linear } else { T::ONE };
            let farther = if farther < T::from_f64(LONGEST) { farther } else { T::from_f64(LONGEST) };
            u - slope / curvature * farther
        } else if u <= T::ZERO {
            u
        } else {
            let mut at_zero = [T::ZERO; LANES];
            for ((h, p), x) in columns().zip(&self.products).zip(&self.values) {
                for l in 0..LANES {
                    let rest = larger(p[l] - u * h[l], T::EPSILON * p[l]);
                    at_zero[l] = multiply_add::<T, FMA>(x[l], h[l] / rest, at_zero[l]);
                }
            }
            let rises = linear - fold(at_zero);
            let damped = u * (curvature * u / (curvature * u + slope));
            let chord = u * (-rises / (slope - rises));
            match rises >= T::ZERO {
                true => T::ZERO,
                false if chord < damped => chord,
                false => damped,
            }
        };
        let change = new - u;
        if !(change.is_finite() && change != T::ZERO) {
            return u;
        }
        let columns = self.columns.get(place..).unwrap_or_default().iter().step_by(used);
        for (h, p) in columns.zip(&mut self.products) {
            // In an array of its own, so that it becomes vector instructions.
            let mut moved = [T::ZERO; LANES];
            for l in 0..LANES {
                moved[l] = larger(multiply_add::<T, FMA>(change, h[l], p[l]), T::EPSILON * p[l]);
            }
            *p = moved;
        }
        new
    }
}

/// The larger of two numbers, neither of them NaN.
#[inline(always)]
fn larger<T: Real>(one: T, other: T) -> T {
    if one > other { one } else { other }
}

/// The products p of a row, and its gradient less Σ x/p · V[j, :], for k ≤ B · L.
#[inline(always)]
fn products<T: Real, const B: usize, const L: usize, const FMA: bool>(
    rows: &Rows<'_, T>,
    entries: Range<usize>,
    other: &[T],
    u: &[T],
    work: &mut Work<T>,
) {
    let k = u.len();
    let (mut own, mut sums, mut spare): (Vectors<T, B, L>, Vectors<T, B, L>, Vectors<T, B, L>) =
        ([[T::ZERO; L]; B], [[T::ZERO; L]; B], [[T::ZERO; L]; B]);
    own.as_flattened_mut()[..k].copy_from_slice(u);
    // Added up for many entries at a time: see `ratio`.
    let mut lanes = [[T::ZERO; L]; BLOCK];
    let mut quotients = [T::ZERO; BLOCK];
    let all = work.products.as_flattened_mut()[..entries.len()].chunks_mut(BLOCK);
    for (start, products) in entries.clone().step_by(BLOCK).zip(all) {
        let block = start..start + products.len();
        let ahead = rows.ahead(block.clone(), size_of_val(&sums));
        for ((lanes, j), ahead) in lanes.iter_mut().zip(&rows.indices[block.clone()]).zip(ahead) {
            prefetch(other, *ahead as usize * k, B * L);
            let v = piece_of::<T, B, L>(other, *j as usize * k, &mut spare);
            let mut sums = [T::ZERO; L];
            for b in 0..B {
                for l in 0..L {
                    sums[l] = multiply_add::<T, FMA>(own[b][l], v[b][l], sums[l]);
                }
            }
            *lanes = sums;
        }
        for ((p, lanes), (q, x)) in
            products.iter_mut().zip(&lanes).zip(quotients.iter_mut().zip(&rows.values[block.clone()]))
        {
            *p = Real::max(fold(*lanes), T::MIN_POSITIVE);
            *q = *x / *p;
        }
        for (q, j) in quotients.iter().zip(&rows.indices[block]) {
            let v = piece_of::<T, B, L>(other, *j as usize * k, &mut spare);
            add_multiple::<T, B, L, FMA>(&mut sums, *q, v);
        }
    }
    for (gradient, sum) in work.gradient.iter_mut().zip(sums.as_flattened()) {
        *gradient -= *sum;
    }
}

/// [`products`] for any k.
#[inline(always)]
fn products_wide<T: Real, const FMA: bool>(
    rows: &Rows<'_, T>,
    entries: Range<usize>,
    other: &[T],
    u: &[T],
    work: &mut Work<T>,
) {
    let k = u.len();
    let ahead = rows.ahead(entries.clone(), size_of_val(u));
    let stored = rows.indices[entries.clone()].iter().zip(&rows.values[entries.clone()]);
    for (((j, x), ahead), p) in stored.zip(ahead).zip(work.products.as_flattened_mut()) {
        prefetch(other, *ahead as usize * k, k);
        let v = &other[*j as usize * k..(*j as usize + 1) * k];
        *p = Real::max(dot::<T, FMA>(u, v), T::MIN_POSITIVE);
        let quotient = *x / *p;
        for (gradient, v) in work.gradient.iter_mut().zip(v) {
            *gradient = multiply_add::<T, FMA>(-quotient, *v, *gradient);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::gather::tests::{COLUMNS, Example, factor};
    use crate::kernels::simd::{Level, dispatch_at};

    /// f of every row, in plain loops.
    fn values<T: Real>(
        example: &Example<T>,
        own: &[T],
        other: &[T],
        k: usize,
        costs: &Costs<'_, T>,
    ) -> Vec<f64> {
        let rows = example.rows();
        (0..25)
            .map(|i| {
                let u = |r: usize| own[i * k + r].to_f64();
                let shift = costs.shift.map_or(0.0, |shift| shift[i].to_f64());
                let linear =
                    |r: usize| costs.linear[if costs.linear.len() == k { r } else { i * k + r }].to_f64();
                let cost = |r: usize| (linear(r) + 0.5 * (costs.ridge[r].to_f64() + shift) * u(r)) * u(r);
                let entry = |e: usize| {
                    let (j, x) = (rows.indices[e] as usize, rows.values[e].to_f64());
                    let p: f64 = (0..k).map(|r| u(r) * other[j * k + r].to_f64()).sum();
                    if x > 0.0 { x * (x / p).ln() } else { 0.0 }
                };
                (0..k).map(cost).sum::<f64>() + (rows.offsets[i]..rows.offsets[i + 1]).map(entry).sum::<f64>()
            })
            .collect()
    }

    /// Steps again and again, and checks each time that no row rises and that the value is the one reported.
    /// Returns the last squared gradient as a share of the first.
    fn descend<T: Real>(level: Level, k: usize, (ridge, shifted): (f64, bool), sweeps: usize) -> f64 {
        let example = Example::<T>::new();
        let (mut own, other) = (factor::<T>(25, k, 7), factor::<T>(COLUMNS, k, 11));
        let linear: Vec<T> = (0..if shifted { 25 * k } else { k })
            .map(|at| T::from_f64(3.0 + ((at * 5) % 7) as f64))
            .collect();
        let ridge = vec![T::from_f64(ridge); k];
        let shift: Vec<T> = (0..25).map(|i| T::from_f64((i % 3) as f64)).collect();
        let costs = Costs { linear: &linear, ridge: &ridge, shift: shifted.then_some(&shift[..]) };
        let mut before = values(&example, &own, &other, k, &costs);
        let (mut first, mut last) = (None, 0.0);
        let tolerance = if size_of::<T>() == 4 { 2e-5 } else { 1e-12 };
        for _ in 0..60 {
            let rows = example.rows();
            let steps =
                Steps { rows, range: 0..25, first: 0, own: &mut own, other: &other, k, costs, sweeps };
            let stepped = dispatch_at(level, steps);
            let after = values(&example, &own, &other, k, &costs);
            let total: f64 = after.iter().sum();
            for (i, (before, after)) in before.iter().zip(&after).enumerate() {
                assert!(*after <= before + tolerance * (1.0 + before.abs()), "{level:?}, k = {k}, row {i}");
            }
            assert!(
                (stepped.value - total).abs() <= 20.0 * tolerance * (1.0 + total.abs()),
                "{level:?}, k = {k}"
            );
            last = stepped.squared_gradient / *first.get_or_insert(stepped.squared_gradient);
            before = after;
        }
        last
    }

    #[test]
    fn no_row_rises_and_the_minimum_is_reached_at_every_level_and_width() {
        for level in Level::available() {
            for k in [1, 3, 8, 20, 33, 70] {
                for costs in [(0.0, false), (0.7, true)] {
                    let double = descend::<f64>(level, k, costs, 2);
                    assert!(double <= 1e-6, "{level:?}, k = {k}, {costs:?}: {double}");
                    descend::<f32>(level, k, costs, 1);
                }
            }
        }
    }

    #[test]
    fn a_row_without_entries_becomes_zero_and_zeros_are_left() {
        let rows = Rows { offsets: &[0, 0, 2], indices: &[0, 1], values: &[2.0, 1.0] };
        let (mut own, other) = ([1.0_f64, 2.0, 0.0, 1e-3], [1.0, 0.5, 0.0, 1.0]);
        let costs = Costs { linear: &[1.0, 1.5], ridge: &[0.0, 0.0], shift: None };
        for _ in 0..200 {
            let steps =
                Steps { rows, range: 0..2, first: 0, own: &mut own, other: &other, k: 2, costs, sweeps: 1 };
            dispatch_at(Level::Portable, steps);
        }
        assert_eq!(own[..2], [0.0, 0.0]);
        // 2·u₁ of the first entry and 1 of the second, at slopes of 0.
        let (p, q) = (own[2] + 0.5 * own[3], own[3]);
        assert!((1.0 - 2.0 / p).abs() < 1e-9 && (1.5 - 1.0 / p - 1.0 / q).abs() < 1e-9, "{own:?}");
    }
}
