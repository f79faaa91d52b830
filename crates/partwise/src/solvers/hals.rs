//! HALS: hierarchical alternating least squares, exact coordinate steps.
//!
//! ```text
//! for j = 0..k:  u_j ← max(0, u_j − g_j/(G_jj + δ)),   g = (G + δI)u − c + sλ kept current
//! ```
//!
//! One Gauss–Seidel sweep (or `inner_steps` of them) over the components of each row. A component with zero curvature is
//! left as it is, so that it can come back to life when the other factor changes.
//! Reference: Cichocki & Phan 2009, doi:10.1587/transfun.E92.A.708. No epsilon is added anywhere.

use super::tile::{LANES, Lanes, Tile, gram_times, padded, padded_gram, squared_projected};
use super::{NnlsSolver, Rows};
use crate::linalg::Matrix;
use crate::linalg::simd::{Kernel, dispatch, multiply_add};
use crate::real::Real;

/// Exact coordinate steps; `inner_steps` sweeps per call.
#[derive(Clone, Copy, Debug)]
pub struct Hals {
    inner_steps: usize,
}

impl Hals {
    /// `inner_steps` sweeps per call, at least 1.
    pub fn new(inner_steps: usize) -> Self {
        Hals { inner_steps: inner_steps.max(1) }
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
        dispatch(Sweeps { rows, factor, inner_steps: self.inner_steps })
    }
}

struct Sweeps<'a, 'b, T> {
    rows: &'a Rows<'b, T>,
    factor: &'a mut [T],
    inner_steps: usize,
}

impl<T: Real> Kernel for Sweeps<'_, '_, T> {
    type Output = f64;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> f64 {
        let k = self.rows.rank();
        let p = padded(k);
        let (gram, reciprocals) = self.rows.prepared.split_at(p * p);
        let mut tile = Tile::new(k);
        let mut gradient = vec![[T::ZERO; LANES]; p];
        let mut squared = 0.0;
        let m = self.factor.len() / k;
        for first in (0..m).step_by(LANES) {
            let count = LANES.min(m - first);
            tile.load(self.rows, self.factor, first, count);
            tile.fold_linear(self.rows.linear);
            gram_times::<T, FMA>(gram, &tile.rows, &tile.shift, &mut gradient);
            for j in 0..k {
                for lane in 0..LANES {
                    gradient[j][lane] -= tile.cross[j][lane];
                }
            }
            squared += squared_projected(k, &tile.rows, &gradient, &[T::ZERO; LANES]);
            let shift = self.rows.shift.map(|_| tile.shift);
            for step in 0..self.inner_steps {
                let last = step + 1 == self.inner_steps;
                for j in 0..k {
                    let inverse = match &shift {
                        None => [reciprocals[j]; LANES],
                        Some(shift) => std::array::from_fn(|lane| reciprocal(gram[j * p + j] + shift[lane])),
                    };
                    let (u, g) = (&mut tile.rows[j], gradient[j]);
                    let mut change = [T::ZERO; LANES];
                    for lane in 0..LANES {
                        let new = Real::max(u[lane] - g[lane] * inverse[lane], T::ZERO);
                        change[lane] = new - u[lane];
                        u[lane] = new;
                    }
                    // In the last sweep only the components still to come need their gradient.
                    let from = if last { j + 1 } else { 0 };
                    follow::<T, FMA>(&mut gradient[from..k], &gram[j * p + from..j * p + k], &change);
                    if !last && let Some(shift) = &shift {
                        for lane in 0..LANES {
                            gradient[j][lane] += shift[lane] * change[lane];
                        }
                    }
                }
            }
            tile.store(k, self.factor, first, count);
        }
        squared
    }
}

/// g_l += G_lj·change for the given components.
#[inline(always)]
fn follow<T: Real, const FMA: bool>(gradient: &mut [Lanes<T>], gram_row: &[T], change: &Lanes<T>) {
    for (g, weight) in gradient.iter_mut().zip(gram_row) {
        for lane in 0..LANES {
            g[lane] = multiply_add::<T, FMA>(*weight, change[lane], g[lane]);
        }
    }
}

#[inline(always)]
fn reciprocal<T: Real>(curvature: T) -> T {
    if curvature >= T::MIN_POSITIVE { T::ONE / curvature } else { T::ZERO }
}
