//! Nesterov's accelerated projected gradient for each row, restarted in every call (NeNMF).
//!
//! ```text
//! β₀ = 1, Y = U;  repeat inner_steps times:
//!   U' = max(0, Y − ((G + δI)Y − c + sλ)/(λmax(G) + δ)),  β' = (1 + √(4β² + 1))/2,
//!       Y = U' + (β − 1)/β'·(U' − U)
//! ```
//!
//! The published scheme is not monotone. Here a row that ends above its entry takes the result of its first
//! step instead, a plain projected gradient step, which cannot be above; on all published examples this never
//! happens. Reference: Guan, Tao, Luo & Yuan 2012, doi:10.1109/TSP.2012.2190406.

use super::tile::{Tile, subtract};
use super::{NnlsSolver, Rows};
use crate::foundation::{Matrix, Real};
use crate::kernels::gemm::largest_eigenvalue;
use crate::kernels::lanes::{LANES, Lanes, gram_times, padded, padded_gram, squared_projected};
use crate::kernels::simd::{Kernel, dispatch, multiply_add};

/// Accelerated projected gradient; `inner_steps` steps per call.
#[derive(Clone, Copy, Debug)]
pub struct Nesterov {
    inner_steps: usize,
}

impl Nesterov {
    /// `inner_steps` steps per call, at least 1.
    pub fn new(inner_steps: usize) -> Self {
        Nesterov { inner_steps: inner_steps.max(1) }
    }
}

impl<T: Real> NnlsSolver<T> for Nesterov {
    /// The padded Gram, then its largest eigenvalue.
    fn prepare(&self, gram: &Matrix<T>) -> Vec<T> {
        let mut out = padded_gram(gram);
        out.push(T::from_f64(largest_eigenvalue(gram)));
        out
    }

    fn improve_rows(&self, rows: &Rows<'_, T>, factor: &mut [T], _: &mut [T]) -> f64 {
        dispatch(Steps { rows, factor, inner_steps: self.inner_steps })
    }
}

struct Steps<'a, 'b, T> {
    rows: &'a Rows<'b, T>,
    factor: &'a mut [T],
    inner_steps: usize,
}

impl<T: Real> Kernel for Steps<'_, '_, T> {
    type Output = f64;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> f64 {
        let k = self.rows.rank();
        let p = padded(k);
        let (gram, largest) = self.rows.prepared.split_at(p * p);
        let mut tile = Tile::new(k);
        let zeros = vec![[T::ZERO; LANES]; p];
        let (mut look, mut gradient, mut first_step) = (zeros.clone(), zeros.clone(), zeros.clone());
        let mut entry = zeros;
        let mut squared = 0.0;
        let m = self.rows.count();
        for first in (0..m).step_by(LANES) {
            let count = LANES.min(m - first);
            tile.load(self.rows, self.factor, first, count);
            tile.fold_linear(self.rows.linear);
            let step = steps(self.rows, largest[0], &tile, first, count);
            entry.copy_from_slice(&tile.rows);
            look.copy_from_slice(&tile.rows);
            let mut value_on_entry = [0.0; LANES];
            let mut beta = 1.0f64;
            for inner in 0..self.inner_steps {
                gram_times::<T, FMA>(gram, &look, &tile.shift, &mut gradient);
                if inner == 0 {
                    value_on_entry = values(k, &tile, &gradient);
                }
                subtract(k, &mut gradient, &tile);
                if inner == 0 {
                    squared += squared_projected(k, &tile.rows, &gradient, &[T::ZERO; LANES]);
                }
                let next_beta = (1.0 + (4.0 * beta * beta + 1.0).sqrt()) / 2.0;
                let momentum = T::from_f64((beta - 1.0) / next_beta);
                for j in 0..k {
                    let (mut ahead, mut u, g) = (look[j], tile.rows[j], gradient[j]);
                    for lane in 0..LANES {
                        let new = Real::max(ahead[lane] - step[lane] * g[lane], T::ZERO);
                        ahead[lane] = multiply_add::<T, FMA>(momentum, new - u[lane], new);
                        u[lane] = new;
                    }
                    (look[j], tile.rows[j]) = (ahead, u);
                }
                if inner == 0 {
                    first_step.copy_from_slice(&tile.rows);
                }
                beta = next_beta;
            }
            gram_times::<T, FMA>(gram, &tile.rows, &tile.shift, &mut gradient);
            let value = values(k, &tile, &gradient);
            for lane in 0..LANES {
                if value[lane] > value_on_entry[lane] {
                    for j in 0..k {
                        tile.rows[j][lane] = first_step[j][lane];
                    }
                }
            }
            tile.store(self.rows, self.factor, first, count);
        }
        squared
    }
}

/// The step of each lane: its share of 1/(λmax(G) + δ).
#[inline(always)]
pub(super) fn steps<T: Real>(
    rows: &Rows<'_, T>,
    largest: T,
    tile: &Tile<T>,
    first: usize,
    count: usize,
) -> Lanes<T> {
    std::array::from_fn(|lane| {
        let curvature = largest + tile.shift[lane];
        let share =
            rows.row_steps.filter(|_| lane < count).map_or(T::ONE, |steps| steps[rows.place(first + lane)]);
        if curvature >= T::MIN_POSITIVE { share / curvature } else { T::ZERO }
    })
}

/// ½u(G + δI)uᵀ − cuᵀ of each lane, given (G + δI)u.
#[inline(always)]
fn values<T: Real>(rank: usize, tile: &Tile<T>, gram_rows: &[Lanes<T>]) -> [f64; LANES] {
    let mut out = [0.0; LANES];
    for j in 0..rank {
        for lane in 0..LANES {
            let half = 0.5 * gram_rows[j][lane].to_f64() - tile.cross[j][lane].to_f64();
            out[lane] += tile.rows[j][lane].to_f64() * half;
        }
    }
    out
}
