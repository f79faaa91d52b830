//! HALS: hierarchical alternating least squares, exact coordinate steps.
//!
//! ```text
//! for j = 0..k:  u_j ← max(0, u_j − g_j/(G_jj + δ)),   g = (G + δI)u − c + sλ kept current
//! ```
//!
//! One Gauss–Seidel sweep (or `inner_steps` of them) over the components of each row. A component with zero
//! curvature is left as it is, so that it can come back to life when the other factor changes. Reference:
//! Cichocki & Phan 2009, doi:10.1587/transfun.E92.A.708. No epsilon is added anywhere.
//!
//! Rows are swept in tiles, one row a lane; a few rows that don't fill a tile are swept one by one along the
//! components, by the same operations in the same order, so a row gets the same bits either way.

use super::tile::{Tile, subtract};
use super::{NnlsSolver, Rows};
use crate::foundation::{Matrix, Real};
use crate::kernels::lanes::{
    LANES, Lanes, gram_times, padded, padded_gram, plus_multiple, squared_projected,
};
use crate::kernels::simd::{Kernel, dispatch, multiply_add};

/// Up to so many rows are cheaper one by one than as a tile of [`LANES`].
const FEW_ROWS: usize = 4;

/// Exact coordinate steps; `inner_steps` sweeps per call.
#[derive(Clone, Copy, Debug)]
pub struct Hals {
    inner_steps: usize,
}

/// What a call has done to its rows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Swept {
    /// The squared norm of the projected gradient on entry.
    pub(crate) squared_gradient: f64,
    /// Σ ½u(G + δI)uᵀ − (c − sλ)uᵀ of the new rows; 0 where it was not asked for.
    pub(crate) value: f64,
}

impl Hals {
    /// `inner_steps` sweeps per call, at least 1.
    pub fn new(inner_steps: usize) -> Self {
        Hals { inner_steps: inner_steps.max(1) }
    }

    /// As [`NnlsSolver::improve_rows`], and the value of the new rows, which costs little beside the sweep.
    pub(crate) fn improve_and_value<T: Real>(&self, rows: &Rows<'_, T>, factor: &mut [T]) -> Swept {
        dispatch(Sweeps::<T, true> { rows, factor, inner_steps: self.inner_steps })
    }
}

impl<T: Real> NnlsSolver<T> for Hals {
    /// The padded Gram, then 1/G_jj (0 where G_jj vanishes).
    fn prepare(&self, gram: &Matrix<T>) -> Vec<T> {
        let mut out = padded_gram(gram);
        out.extend((0..gram.columns()).map(|j| reciprocal(gram.get(j, j))));
        out
    }

    fn improve_rows(&self, rows: &Rows<'_, T>, factor: &mut [T], _: &mut [T]) -> f64 {
        dispatch(Sweeps::<T, false> { rows, factor, inner_steps: self.inner_steps }).squared_gradient
    }
}

struct Sweeps<'a, 'b, T, const VALUED: bool> {
    rows: &'a Rows<'b, T>,
    factor: &'a mut [T],
    inner_steps: usize,
}

impl<T: Real, const VALUED: bool> Kernel for Sweeps<'_, '_, T, VALUED> {
    type Output = Swept;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> Swept {
        let k = self.rows.rank();
        let p = padded(k);
        let (gram, reciprocals) = self.rows.prepared.split_at(p * p);
        let m = self.rows.count();
        let mut swept = Swept::default();
        // A few rows at the end are no tile.
        let tiled = if m % LANES <= FEW_ROWS { m - m % LANES } else { m };
        if tiled > 0 {
            let mut tile = Tile::new(k);
            let mut gradient = vec![[T::ZERO; LANES]; p];
            for first in (0..tiled).step_by(LANES) {
                let count = LANES.min(m - first);
                tile.load(self.rows, self.factor, first, count);
                tile.fold_linear(self.rows.linear);
                gram_times::<T, FMA>(gram, &tile.rows, &tile.shift, &mut gradient);
                subtract(k, &mut gradient, &tile);
                swept.squared_gradient += squared_projected(k, &tile.rows, &gradient, &[T::ZERO; LANES]);
                if VALUED {
                    swept.value += value_on_entry(k, &tile, &gradient);
                }
                let shift = self.rows.shift.map(|_| tile.shift);
                let prepared = (gram, reciprocals);
                for _ in 1..self.inner_steps {
                    let tile = (&mut tile.rows[..], &mut gradient[..]);
                    swept.value += sweep_tile::<T, VALUED, false, FMA>(prepared, tile, shift.as_ref());
                }
                let last = (&mut tile.rows[..], &mut gradient[..]);
                swept.value += sweep_tile::<T, VALUED, true, FMA>(prepared, last, shift.as_ref());
                tile.store(self.rows, self.factor, first, count);
            }
        }
        let mut gradient = vec![T::ZERO; if tiled < m { p } else { 0 }];
        for i in (tiled..m).map(|at| self.rows.place(at)) {
            let u = &mut self.factor[i * k..(i + 1) * k];
            let row = sweep_row::<T, VALUED, FMA>(self.rows, i, u, &mut gradient, self.inner_steps);
            swept.squared_gradient += row.squared_gradient;
            swept.value += row.value;
        }
        swept
    }
}

/// Components that are swept before their changes are carried to the gradients of all others, at once: these
/// are then loaded and stored once for so many components. Each gradient gets the changes in the order of the
/// components either way.
const BLOCK: usize = 4;

/// One sweep over the components of a tile; `LAST` says that no other follows. Returns the change of the
/// value.
#[inline(always)]
fn sweep_tile<T: Real, const VALUED: bool, const LAST: bool, const FMA: bool>(
    (gram, reciprocals): (&[T], &[T]),
    (rows, gradient): (&mut [Lanes<T>], &mut [Lanes<T>]),
    shift: Option<&Lanes<T>>,
) -> f64 {
    let (k, p) = (reciprocals.len(), rows.len());
    let mut gained = [T::ZERO; LANES];
    let blocks = k / BLOCK * BLOCK;
    let at = |first| Sweeping { gram, p, reciprocals, shift, first };
    for first in (0..blocks).step_by(BLOCK) {
        sweep_block::<T, BLOCK, VALUED, LAST, FMA>(at(first), (rows, gradient), &mut gained);
    }
    for first in blocks..k {
        sweep_block::<T, 1, VALUED, LAST, FMA>(at(first), (rows, gradient), &mut gained);
    }
    if VALUED { gained.iter().map(|g| g.to_f64()).sum() } else { 0.0 }
}

/// What a block of components is swept with.
#[derive(Clone, Copy)]
struct Sweeping<'a, T> {
    /// The padded Gram, p × p.
    gram: &'a [T],
    p: usize,
    /// 1/G_jj.
    reciprocals: &'a [T],
    /// δ of each lane.
    shift: Option<&'a Lanes<T>>,
    /// The first component of the block.
    first: usize,
}

/// The components `first .. first + B` of a sweep, B ≤ 4.
#[inline(always)]
fn sweep_block<T: Real, const B: usize, const VALUED: bool, const LAST: bool, const FMA: bool>(
    sweeping: Sweeping<'_, T>,
    (rows, gradient): (&mut [Lanes<T>], &mut [Lanes<T>]),
    gained: &mut Lanes<T>,
) {
    let Sweeping { gram, p, reciprocals, first, .. } = sweeping;
    let mut own = [[T::ZERO; LANES]; B];
    own.copy_from_slice(&gradient[first..first + B]);
    // Step by step with constant places: so the block stays in registers. The conditions are constants, so
    // that no other step is compiled.
    let mut changes = [[T::ZERO; LANES]; B];
    changes[0] = step::<T, B, 0, VALUED, LAST, FMA>(sweeping, &mut rows[first], &mut own, gained);
    if const { B > 1 } {
        changes[1] = step::<T, B, 1, VALUED, LAST, FMA>(sweeping, &mut rows[first + 1], &mut own, gained);
    }
    if const { B > 2 } {
        changes[2] = step::<T, B, 2, VALUED, LAST, FMA>(sweeping, &mut rows[first + 2], &mut own, gained);
    }
    if const { B > 3 } {
        changes[3] = step::<T, B, 3, VALUED, LAST, FMA>(sweeping, &mut rows[first + 3], &mut own, gained);
    }
    if !LAST {
        gradient[first..first + B].copy_from_slice(&own);
        follow_all::<T, B, FMA>(gram, p, (gradient, 0..first), first, &changes);
    }
    follow_all::<T, B, FMA>(gram, p, (gradient, first + B..reciprocals.len()), first, &changes);
}

/// The coordinate step of the component `AT` of a block: its row u, the gradients of the block. Returns the
/// change of u.
#[inline(always)]
fn step<T: Real, const B: usize, const AT: usize, const VALUED: bool, const LAST: bool, const FMA: bool>(
    Sweeping { gram, p, reciprocals, shift, first }: Sweeping<'_, T>,
    u: &mut Lanes<T>,
    own: &mut [Lanes<T>; B],
    gained: &mut Lanes<T>,
) -> Lanes<T> {
    let j = first + AT;
    let weights = &gram[j * p + first..j * p + first + B];
    let (mut inverse, mut curvature) = ([reciprocals[j]; LANES], [weights[AT]; LANES]);
    if let Some(shift) = shift {
        for lane in 0..LANES {
            curvature[lane] += shift[lane];
            inverse[lane] = reciprocal(curvature[lane]);
        }
    }
    let (old, slope) = (*u, own[AT]);
    let (mut new, mut change) = ([T::ZERO; LANES], [T::ZERO; LANES]);
    for lane in 0..LANES {
        new[lane] = Real::max(old[lane] - slope[lane] * inverse[lane], T::ZERO);
        change[lane] = new[lane] - old[lane];
    }
    *u = new;
    if VALUED {
        let (half, mut sum) = (T::from_f64(0.5), *gained);
        for lane in 0..LANES {
            let slope = multiply_add::<T, FMA>(half * curvature[lane], change[lane], slope[lane]);
            sum[lane] = multiply_add::<T, FMA>(slope, change[lane], sum[lane]);
        }
        *gained = sum;
    }
    for b in 0..B {
        // In the last sweep only the components still to come need their gradient.
        if !LAST || b > AT {
            own[b] = plus_multiple::<T, FMA>(own[b], weights[b], &change);
        }
    }
    if !LAST && let Some(shift) = shift {
        for lane in 0..LANES {
            own[AT][lane] += shift[lane] * change[lane];
        }
    }
    change
}

/// Carries the changes of B components to the gradients of others.
#[inline(always)]
fn follow_all<T: Real, const B: usize, const FMA: bool>(
    gram: &[T],
    p: usize,
    (gradient, range): (&mut [Lanes<T>], std::ops::Range<usize>),
    first: usize,
    changes: &[Lanes<T>; B],
) {
    for l in range {
        // Row l for column l, whose weights lie side by side.
        let weights = &gram[l * p + first..l * p + first + B];
        let mut followed_by = gradient[l];
        for b in 0..B {
            followed_by = plus_multiple::<T, FMA>(followed_by, weights[b], &changes[b]);
        }
        gradient[l] = followed_by;
    }
}

/// Σ ½u·(g − c) over a tile: the value, since g = (G + δI)u − c.
#[inline(always)]
fn value_on_entry<T: Real>(rank: usize, tile: &Tile<T>, gradient: &[Lanes<T>]) -> f64 {
    let mut sums = [0.0f64; LANES];
    for j in 0..rank {
        let (u, g, c) = (tile.rows[j], gradient[j], tile.cross[j]);
        for lane in 0..LANES {
            sums[lane] += (u[lane] * (g[lane] - c[lane])).to_f64();
        }
    }
    0.5 * sums.iter().sum::<f64>()
}

/// All sweeps over row `i`; `gradient` is scratch of the padded width.
#[inline(always)]
fn sweep_row<T: Real, const VALUED: bool, const FMA: bool>(
    rows: &Rows<'_, T>,
    i: usize,
    u: &mut [T],
    gradient: &mut [T],
    inner_steps: usize,
) -> Swept {
    let (k, p) = (u.len(), gradient.len());
    let (gram, reciprocals) = rows.prepared.split_at(p * p);
    let shift = rows.shift.map(|shift| shift[i]);
    let scale = rows.linear_rows.map_or(T::ONE, |s| s[i]);
    let linear = |j: usize| {
        let (c, l) = (rows.cross[i * k + j], rows.linear[j]);
        if l != T::ZERO { c - l * scale } else { c }
    };
    let mut swept = Swept::default();
    gradient.fill(T::ZERO);
    // The Gram is symmetric to the last bit, so its rows stand for its columns and each sum runs in the order
    // of the tile's.
    for (l, u) in u.iter().enumerate() {
        follow_row::<T, FMA>(gradient, &gram[l * p..(l + 1) * p], *u);
    }
    for j in 0..k {
        let (own, c) = (u[j], linear(j));
        gradient[j] = multiply_add::<T, FMA>(shift.unwrap_or(T::ZERO), own, gradient[j]) - c;
        let g = gradient[j];
        let squared = if own > T::ZERO || g < T::ZERO { g.to_f64() * g.to_f64() } else { 0.0 };
        swept.squared_gradient += squared;
        if VALUED {
            swept.value += 0.5 * (own * (g - c)).to_f64();
        }
    }
    let half = T::from_f64(0.5);
    for step in 0..inner_steps {
        let last = step + 1 == inner_steps;
        for j in 0..k {
            let curvature = gram[j * p + j] + shift.unwrap_or(T::ZERO);
            let inverse = if shift.is_some() { reciprocal(curvature) } else { reciprocals[j] };
            let g = gradient[j];
            let new = Real::max(u[j] - g * inverse, T::ZERO);
            let change = new - u[j];
            u[j] = new;
            if change == T::ZERO {
                continue;
            }
            if VALUED {
                let slope = multiply_add::<T, FMA>(half * curvature, change, g);
                swept.value += (slope * change).to_f64();
            }
            let from = if last { j + 1 } else { 0 };
            follow_row::<T, FMA>(&mut gradient[from..k], &gram[j * p + from..j * p + k], change);
            if !last && let Some(shift) = shift {
                gradient[j] += shift * change;
            }
        }
    }
    swept
}

/// g_l += G_lj·change for the given components of one row.
#[inline(always)]
fn follow_row<T: Real, const FMA: bool>(gradient: &mut [T], gram_row: &[T], change: T) {
    for (g, weight) in gradient.iter_mut().zip(gram_row) {
        *g = multiply_add::<T, FMA>(*weight, change, *g);
    }
}

#[inline(always)]
fn reciprocal<T: Real>(curvature: T) -> T {
    if curvature >= T::MIN_POSITIVE { T::ONE / curvature } else { T::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::simd::{Level, dispatch_at};

    /// A chunk of `m` rows with shifts and linear penalties, some of them swept as a tile, some one by one.
    fn swept<const VALUED: bool>(level: Level, m: usize, k: usize, sweeps: usize) -> (Vec<f64>, Swept, f64) {
        let v = Matrix::from_fn(k + 3, k, |i, j| ((i * 7 + j * 3 + i * j) % 11) as f64 / 11.0);
        let gram = v.gram();
        let number = |i: usize, step: usize| ((i * step) % 23) as f64 / 23.0;
        let cross: Vec<f64> = (0..m * k).map(|i| 2.0 * number(i, 5)).collect();
        let linear: Vec<f64> = (0..k).map(|j| number(j, 3)).collect();
        let shift: Vec<f64> = (0..m).map(|i| number(i, 11)).collect();
        let prepared = Hals::new(sweeps).prepare(&gram);
        let rows = Rows {
            gram: &gram,
            prepared: &prepared,
            cross: &cross,
            linear: &linear,
            linear_rows: Some(&shift),
            shift: Some(&shift),
            row_steps: None,
            calls: 0,
            places: None,
        };
        let mut factor: Vec<f64> = (0..m * k).map(|i| number(i, 13)).collect();
        let swept =
            dispatch_at(level, Sweeps::<_, VALUED> { rows: &rows, factor: &mut factor, inner_steps: sweeps });
        let value = |i: usize| -> f64 {
            let u = &factor[i * k..(i + 1) * k];
            (0..k)
                .map(|j| {
                    let along: f64 = (0..k).map(|l| gram.get(j, l) * u[l]).sum();
                    u[j] * (0.5 * (along + shift[i] * u[j]) - cross[i * k + j] + shift[i] * linear[j])
                })
                .sum()
        };
        let expected = (0..m).map(value).sum();
        (factor, swept, expected)
    }

    #[test]
    fn rows_of_a_tile_and_single_rows_get_the_same_bits() {
        for level in Level::available() {
            for (k, sweeps) in [(1, 1), (3, 2), (8, 3), (21, 1), (40, 2)] {
                let (all, _, _) = swept::<false>(level, 16, k, sweeps);
                for m in [1, 2, 4, 5, 15] {
                    let (some, _, _) = swept::<false>(level, m, k, sweeps);
                    assert_eq!(some, all[..m * k], "{level:?}, {m} rows, k = {k}, {sweeps} sweeps");
                }
            }
        }
    }

    #[test]
    fn the_value_is_that_of_the_new_rows() {
        for level in Level::available() {
            for (m, k, sweeps) in [(1, 1, 1), (3, 5, 2), (16, 20, 1), (37, 9, 4)] {
                let (plain, _, _) = swept::<false>(level, m, k, sweeps);
                let (factor, swept, expected) = swept::<true>(level, m, k, sweeps);
                assert_eq!(factor, plain);
                let close = 1e-12 * (1.0 + expected.abs());
                assert!((swept.value - expected).abs() <= close, "{level:?}: {} for {expected}", swept.value);
            }
        }
    }
}
