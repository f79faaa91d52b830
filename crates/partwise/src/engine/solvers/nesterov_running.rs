//! One accelerated projected gradient step per call, the momentum running on from call to call (NMF-DC's
//! scheme).
//!
//! ```text
//! β₀ = 1, U₋₁ = U₀;  call t:
//!   Y = U_t + (β_{t−1} − 1)/β_t·(U_t − U_{t−1})  (Y = U₀ at first),
//!       U_{t+1} = max(0, Y − ρ·((G + δI)Y − c + sλ)/(λmax(G) + δ)),
//!   β_{t+1} = (1 + √(4β_t² + 1))/2
//! ```
//!
//! ρ is the row's share of the step (1, or n_q/max n_c with NMF-DC's published step; METHODS R3). Not
//! monotone: G and c change between the calls. Reference: Yang et al. 2018 (NMF-DC), eqs. 14–17.

use super::nesterov::steps;
use super::tile::{Tile, subtract};
use super::{NnlsSolver, Rows};
use crate::foundation::{Matrix, Real};
use crate::kernels::gemm::largest_eigenvalue;
use crate::kernels::lanes::{LANES, gram_times, padded, padded_gram, squared_projected};
use crate::kernels::simd::{Kernel, dispatch, multiply_add};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct NesterovRunning;

impl<T: Real> NnlsSolver<T> for NesterovRunning {
    /// The padded Gram, then its largest eigenvalue.
    fn prepare(&self, gram: &Matrix<T>) -> Vec<T> {
        let mut out = padded_gram(gram);
        out.push(T::from_f64(largest_eigenvalue(gram)));
        out
    }

    /// U_{t−1}.
    fn state_per_row(&self, rank: usize) -> usize {
        rank
    }

    fn improve_rows(&self, rows: &Rows<'_, T>, factor: &mut [T], state: &mut [T]) -> f64 {
        dispatch(Step { rows, factor, state, momentum: T::from_f64(momentum(rows.calls)) })
    }
}

/// (β_{t−1} − 1)/β_t at call t.
fn momentum(calls: usize) -> f64 {
    let (mut before, mut beta) = (1.0f64, 1.0f64);
    for _ in 0..calls {
        before = beta;
        beta = (1.0 + (4.0 * beta * beta + 1.0).sqrt()) / 2.0;
    }
    if calls == 0 { 0.0 } else { (before - 1.0) / beta }
}

struct Step<'a, 'b, T> {
    rows: &'a Rows<'b, T>,
    factor: &'a mut [T],
    state: &'a mut [T],
    momentum: T,
}

impl<T: Real> Kernel for Step<'_, '_, T> {
    type Output = f64;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> f64 {
        let k = self.rows.rank();
        let p = padded(k);
        let (gram, largest) = self.rows.prepared.split_at(p * p);
        let mut tile = Tile::new(k);
        let mut look = vec![[T::ZERO; LANES]; p];
        let mut gradient = look.clone();
        let mut squared = 0.0;
        let m = self.rows.count();
        for first in (0..m).step_by(LANES) {
            let count = LANES.min(m - first);
            tile.load(self.rows, self.factor, first, count);
            tile.fold_linear(self.rows.linear);
            let step = steps(self.rows, largest[0], &tile, first, count);
            gram_times::<T, FMA>(gram, &tile.rows, &tile.shift, &mut gradient);
            subtract(k, &mut gradient, &tile);
            squared += squared_projected(k, &tile.rows, &gradient, &[T::ZERO; LANES]);
            for j in 0..k {
                for lane in 0..count {
                    let old = &mut self.state[self.rows.place(first + lane) * k + j];
                    let u = tile.rows[j][lane];
                    look[j][lane] = multiply_add::<T, FMA>(self.momentum, u - *old, u);
                    *old = u;
                }
            }
            gram_times::<T, FMA>(gram, &look, &tile.shift, &mut gradient);
            subtract(k, &mut gradient, &tile);
            for j in 0..k {
                let (mut u, g) = (look[j], gradient[j]);
                for lane in 0..LANES {
                    u[lane] = Real::max(u[lane] - step[lane] * g[lane], T::ZERO);
                }
                tile.rows[j] = u;
            }
            tile.store(self.rows, self.factor, first, count);
        }
        squared
    }
}
