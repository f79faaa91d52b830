//! Multiplicative updates for the Frobenius loss.
//!
//! ```text
//! u_j ← u_j · c_j / ((Gu)_j + δu_j + sλ_j),   0/0 := 0
//! ```
//!
//! An entry on its way to 0 never gets there, so in the projected gradient one below 1e-6 of the largest of
//! its row counts as 0. Below the smallest normal number it becomes 0: such an entry plays no part, and
//! processors are a hundred times slower on it, of which hundreds of updates make very many. Zeros stay zero.
//! Valid only where G and c have no negative entries. Reference: Lee & Seung 2001, "Algorithms for
//! non-negative matrix factorization". No epsilon is added.

use super::tile::Tile;
use super::{NnlsSolver, Rows};
use crate::engine::quadratic::NEAR_ZERO;
use crate::foundation::{Matrix, Real};
use crate::kernels::lanes::{LANES, gram_times, padded, padded_gram, squared_projected};
use crate::kernels::simd::{Kernel, dispatch};

/// Multiplicative updates, one per call.
#[derive(Clone, Copy, Debug)]
pub struct Mu;

impl<T: Real> NnlsSolver<T> for Mu {
    fn prepare(&self, gram: &Matrix<T>) -> Vec<T> {
        padded_gram(gram)
    }

    fn improve_rows(&self, rows: &Rows<'_, T>, factor: &mut [T], _: &mut [T]) -> f64 {
        dispatch(Update { rows, factor })
    }
}

/// What counts as 0 in a row whose largest entry is `largest`, for multiplicative updates.
#[inline(always)]
pub(super) fn counts_as_zero<T: Real>(largest: T) -> T {
    largest * T::from_f64(NEAR_ZERO)
}

struct Update<'a, 'b, T> {
    rows: &'a Rows<'b, T>,
    factor: &'a mut [T],
}

impl<T: Real> Kernel for Update<'_, '_, T> {
    type Output = f64;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> f64 {
        let k = self.rows.rank();
        let mut tile = Tile::new(k);
        let mut denominator = vec![[T::ZERO; LANES]; padded(k)];
        let mut gradient = vec![[T::ZERO; LANES]; padded(k)];
        let mut squared = 0.0;
        let m = self.rows.count();
        for first in (0..m).step_by(LANES) {
            let count = LANES.min(m - first);
            tile.load(self.rows, self.factor, first, count);
            gram_times::<T, FMA>(self.rows.prepared, &tile.rows, &tile.shift, &mut denominator);
            let (scale, mut zero) = (tile.linear_rows, [T::ZERO; LANES]);
            for j in 0..k {
                let (u, c, linear) = (tile.rows[j], tile.cross[j], self.rows.linear[j]);
                let (mut d, mut g) = (denominator[j], [T::ZERO; LANES]);
                for lane in 0..LANES {
                    d[lane] += linear * scale[lane];
                    g[lane] = d[lane] - c[lane];
                    zero[lane] = Real::max(zero[lane], u[lane]);
                }
                (denominator[j], gradient[j]) = (d, g);
            }
            let zero = zero.map(counts_as_zero);
            squared += squared_projected(k, &tile.rows, &gradient, &zero);
            for j in 0..k {
                let (mut u, c, d) = (tile.rows[j], tile.cross[j], denominator[j]);
                for lane in 0..LANES {
                    // c = 0 covers 0/0. A vanishing denominator beside c > 0 can only be an underflow: stay.
                    let new = if d[lane] > T::ZERO { u[lane] * (c[lane] / d[lane]) } else { u[lane] };
                    u[lane] = if c[lane] > T::ZERO && new >= T::MIN_POSITIVE { new } else { T::ZERO };
                }
                tile.rows[j] = u;
            }
            tile.store(self.rows, self.factor, first, count);
        }
        squared
    }
}
