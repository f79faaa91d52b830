//! A tile of rows turned on its side: `LANES` rows of a factor become the lanes of vectors, one vector per component.
//! Coordinate steps are sequential in the components of a row but independent between rows, so lanes keep the
//! processor's vectors full for any rank, without horizontal sums.

use super::Rows;
use crate::linalg::simd::multiply_add;
use crate::real::Real;

/// Rows in a tile.
pub(super) const LANES: usize = 16;
/// Components are padded to a multiple of this, so that the Gram product has no remainder loop.
const BLOCK: usize = 4;

pub(super) type Lanes<T> = [T; LANES];

/// k rounded up to whole blocks.
pub(super) fn padded(rank: usize) -> usize {
    rank.div_ceil(BLOCK) * BLOCK
}

/// The Gram padded with zeros to `padded(k)` rows and columns.
pub(super) fn padded_gram<T: Real>(gram: &crate::linalg::Matrix<T>) -> Vec<T> {
    let (k, p) = (gram.columns(), padded(gram.columns()));
    let mut out = vec![T::ZERO; p * p];
    for i in 0..k {
        out[i * p..i * p + k].copy_from_slice(gram.row(i));
    }
    out
}

/// One tile: the rows and their linear part c − sλ, and the shift of each lane.
pub(super) struct Tile<T> {
    /// u, one vector per (padded) component.
    pub(super) rows: Vec<Lanes<T>>,
    /// c (the numerator part, without the penalty).
    pub(super) cross: Vec<Lanes<T>>,
    /// δ.
    pub(super) shift: Lanes<T>,
    /// s, the multiplier of the linear penalty.
    pub(super) linear_rows: Lanes<T>,
}

impl<T: Real> Tile<T> {
    pub(super) fn new(rank: usize) -> Self {
        let p = padded(rank);
        Tile {
            rows: vec![[T::ZERO; LANES]; p],
            cross: vec![[T::ZERO; LANES]; p],
            shift: [T::ZERO; LANES],
            linear_rows: [T::ZERO; LANES],
        }
    }

    /// Loads rows `first..first + count` (`count ≤ LANES`); the lanes beyond hold zeros.
    #[inline(always)]
    pub(super) fn load(&mut self, rows: &Rows<'_, T>, factor: &[T], first: usize, count: usize) {
        let k = rows.rank();
        if count < LANES {
            for j in 0..k {
                self.rows[j] = [T::ZERO; LANES];
                self.cross[j] = [T::ZERO; LANES];
            }
        }
        for lane in 0..count {
            let at = (first + lane) * k;
            let (u, c) = (&factor[at..at + k], &rows.cross[at..at + k]);
            for j in 0..k {
                self.rows[j][lane] = u[j];
                self.cross[j][lane] = c[j];
            }
        }
        self.shift = [T::ZERO; LANES];
        if let Some(shift) = rows.shift {
            self.shift[..count].copy_from_slice(&shift[first..first + count]);
        }
        self.linear_rows = [T::ONE; LANES];
        if let Some(scale) = rows.linear_rows {
            self.linear_rows[..count].copy_from_slice(&scale[first..first + count]);
        }
    }

    /// Subtracts sλ from c. For solvers that don't need the parts apart.
    #[inline(always)]
    pub(super) fn fold_linear(&mut self, linear: &[T]) {
        for (j, l) in linear.iter().enumerate() {
            if *l != T::ZERO {
                for lane in 0..LANES {
                    self.cross[j][lane] -= *l * self.linear_rows[lane];
                }
            }
        }
    }

    /// Writes the rows back.
    #[inline(always)]
    pub(super) fn store(&self, rank: usize, factor: &mut [T], first: usize, count: usize) {
        for lane in 0..count {
            let at = (first + lane) * rank;
            let u = &mut factor[at..at + rank];
            for j in 0..rank {
                u[j] = self.rows[j][lane];
            }
        }
    }
}

/// `out[j] = Σ_l G[j][l]·u[l] + δ·u[j]`, with the Gram padded to p × p.
#[inline(always)]
pub(super) fn gram_times<T: Real, const FMA: bool>(
    gram: &[T],
    u: &[Lanes<T>],
    shift: &Lanes<T>,
    out: &mut [Lanes<T>],
) {
    let p = u.len();
    for j in (0..p).step_by(BLOCK) {
        let mut sums = [[T::ZERO; LANES]; BLOCK];
        let rows: [&[T]; BLOCK] = std::array::from_fn(|b| &gram[(j + b) * p..(j + b + 1) * p]);
        for l in 0..p {
            let v = &u[l];
            for b in 0..BLOCK {
                let g = rows[b][l];
                for lane in 0..LANES {
                    sums[b][lane] = multiply_add::<T, FMA>(g, v[lane], sums[b][lane]);
                }
            }
        }
        for b in 0..BLOCK {
            for lane in 0..LANES {
                out[j + b][lane] = multiply_add::<T, FMA>(shift[lane], u[j + b][lane], sums[b][lane]);
            }
        }
    }
}

/// Σ of squares of the projected gradient: g where u > 0, min(g, 0) where u = 0.
#[inline(always)]
pub(super) fn squared_projected<T: Real>(rank: usize, u: &[Lanes<T>], gradient: &[Lanes<T>]) -> f64 {
    // In f64: the square of a gradient leaves the range of f32 long before the data do.
    let mut sums = [0.0f64; LANES];
    for j in 0..rank {
        for lane in 0..LANES {
            let g = gradient[j][lane];
            let free = u[j][lane] > T::ZERO || g < T::ZERO;
            let g = if free { g.to_f64() } else { 0.0 };
            sums[lane] += g * g;
        }
    }
    sums.iter().sum()
}
