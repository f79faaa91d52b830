//! Products of dense data with a factor of few columns, which read X once.
//!
//! ```text
//! times:            out[i, :] = Σ_j X[i, j] · V[j, :]      X (m × d), V (d × k)
//! transpose_times:  out[:, j] = Σ_i U[i, :] · X[i, j]      U (n × k), written as k × columns
//! ```
//!
//! General matrix products pack and tile for square shapes; with few columns the packing costs more than the arithmetic. Here a tile
//! of the output stays in registers (or, for the transpose, in the first-level cache) while X streams by. Each output is one sum
//! in the order of its index, so it doesn't depend on how rows and columns are cut.

use crate::linalg::simd::{Kernel, Level, dispatch_at, multiply_add, prefetch};
use crate::real::Real;

/// The most columns that these products are made for; beyond, general products are faster.
pub(crate) const MOST_COLUMNS: usize = 48;

/// Rows of X in a tile of the transposed product.
const GROUP: usize = 8;
/// Bytes of a row of X in a tile of the transposed product: tile and output stay in the first-level cache.
const TILE_BYTES: usize = 1024;

/// The products in one number type, compiled here once (see [`DenseProducts`](super::gemm::DenseProducts)).
pub trait SkinnyProducts: Sized {
    /// Runs [`Times`] at the best level of the processor.
    fn skinny_times(times: Times<'_, Self>);
    /// Runs [`TransposeTimes`] at the best level of the processor.
    fn skinny_transpose_times(times: TransposeTimes<'_, Self>);
}

macro_rules! skinny_products {
    ($t:ident, $lanes:literal) => {
        impl SkinnyProducts for $t {
            #[inline(never)]
            fn skinny_times(times: Times<'_, Self>) {
                times_at::<$t, $lanes>(Level::detect(), times);
            }

            #[inline(never)]
            fn skinny_transpose_times(times: TransposeTimes<'_, Self>) {
                transpose_times_at::<$t, $lanes>(Level::detect(), times);
            }
        }
    };
}
skinny_products!(f32, 16);
skinny_products!(f64, 8);

/// `out` (m × k) = X · V.
pub struct Times<'a, T> {
    /// X (m × d, row-major).
    pub(crate) x: &'a [T],
    /// d.
    pub(crate) columns: usize,
    /// V (d × k, row-major).
    pub(crate) factor: &'a [T],
    /// k, at most [`MOST_COLUMNS`].
    pub(crate) k: usize,
    /// m × k, overwritten.
    pub(crate) out: &'a mut [T],
}

/// `L` values fill a vector register of the widest level; narrower ones take more registers for each, so fewer rows.
fn times_at<T: Real, const L: usize>(level: Level, times: Times<'_, T>) {
    let vectors = times.k.div_ceil(L);
    macro_rules! run {
        ($rows:literal, $vectors:literal) => {
            dispatch_at(level, TimesTile::<T, $rows, $vectors, L> { times })
        };
    }
    match (level.is_widest(), vectors) {
        (true, 1) => run!(8, 1),
        (true, 2) => run!(8, 2),
        (true, 3) => run!(8, 3),
        (true, 4) => run!(6, 4),
        (true, 5) => run!(4, 5),
        (true, _) => run!(4, 6),
        (false, 1) => run!(4, 1),
        (false, 2) => run!(2, 2),
        (false, 3) => run!(2, 3),
        (false, 4) => run!(1, 4),
        (false, 5) => run!(1, 5),
        (false, _) => run!(1, 6),
    }
}

/// [`Times`] in tiles of R rows × B vectors of L values.
struct TimesTile<'a, T, const R: usize, const B: usize, const L: usize> {
    times: Times<'a, T>,
}

impl<T: Real, const R: usize, const B: usize, const L: usize> Kernel for TimesTile<'_, T, R, B, L> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Times { x, columns: d, factor, k, out } = self.times;
        // The last rows of V can't be read beyond their end; they come padded.
        let spare_from = (factor.len().saturating_sub(B * L) / k).min(d.saturating_sub(1));
        let spare: Vec<[[T; L]; B]> =
            (spare_from..d).map(|j| padded_row(&factor[j * k..(j + 1) * k])).collect();
        let (tiles, rest) = x.as_chunks_of(R * d);
        let (out_tiles, out_rest) = out.split_at_mut(tiles.len() / d * k);
        for (x, out) in tiles.chunks_exact(R * d).zip(out_tiles.chunks_exact_mut(R * k)) {
            tile::<T, R, B, L, FMA>(x, d, (factor, &spare), k, out);
        }
        for (x, out) in rest.chunks_exact(d).zip(out_rest.chunks_exact_mut(k)) {
            tile::<T, 1, B, L, FMA>(x, d, (factor, &spare), k, out);
        }
    }
}

trait Chunks<T> {
    /// The longest start whose length is a multiple of `size`, and the rest.
    fn as_chunks_of(&self, size: usize) -> (&[T], &[T]);
}

impl<T> Chunks<T> for [T] {
    #[inline(always)]
    fn as_chunks_of(&self, size: usize) -> (&[T], &[T]) {
        self.split_at(self.len() / size * size)
    }
}

fn padded_row<T: Real, const B: usize, const L: usize>(row: &[T]) -> [[T; L]; B] {
    let mut padded = [[T::ZERO; L]; B];
    padded.as_flattened_mut()[..row.len()].copy_from_slice(row);
    padded
}

/// R rows of the product. Of V a row is read in whole vectors: what lies beyond its end is the next one's, and lands in sums that
/// are never stored.
#[inline(always)]
fn tile<T: Real, const R: usize, const B: usize, const L: usize, const FMA: bool>(
    x: &[T],
    d: usize,
    (factor, spare): (&[T], &[[[T; L]; B]]),
    k: usize,
    out: &mut [T],
) {
    let mut sums = [[[T::ZERO; L]; B]; R];
    let rows: [&[T]; R] = std::array::from_fn(|r| &x[r * d..(r + 1) * d]);
    let whole = d - spare.len();
    for j in 0..whole {
        let v: &[T] = &factor[j * k..j * k + B * L];
        let mut wide = [[T::ZERO; L]; B];
        for b in 0..B {
            wide[b].copy_from_slice(&v[b * L..(b + 1) * L]);
        }
        step::<T, R, B, L, FMA>(&rows, j, &wide, &mut sums);
    }
    for (j, wide) in (whole..d).zip(spare) {
        step::<T, R, B, L, FMA>(&rows, j, wide, &mut sums);
    }
    for r in 0..R {
        out[r * k..(r + 1) * k].copy_from_slice(&sums[r].as_flattened()[..k]);
    }
}

#[inline(always)]
fn step<T: Real, const R: usize, const B: usize, const L: usize, const FMA: bool>(
    rows: &[&[T]; R],
    j: usize,
    v: &[[T; L]; B],
    sums: &mut [[[T; L]; B]; R],
) {
    for r in 0..R {
        let x = rows[r][j];
        for b in 0..B {
            for l in 0..L {
                sums[r][b][l] = multiply_add::<T, FMA>(x, v[b][l], sums[r][b][l]);
            }
        }
    }
}

/// `out` (k × columns.len(), row-major) = Uᵀ · X[:, columns].
pub struct TransposeTimes<'a, T> {
    /// X (n × d, row-major).
    pub(crate) x: &'a [T],
    /// d.
    pub(crate) width: usize,
    /// The columns.
    pub(crate) columns: std::ops::Range<usize>,
    /// U (n × k, row-major).
    pub(crate) factor: &'a [T],
    /// k.
    pub(crate) k: usize,
    /// k × columns, overwritten.
    pub(crate) out: &'a mut [T],
}

fn transpose_times_at<T: Real, const L: usize>(level: Level, times: TransposeTimes<'_, T>) {
    if level.is_widest() {
        dispatch_at(level, TransposeTile::<T, GROUP, L> { times });
    } else {
        dispatch_at(level, TransposeTile::<T, 4, L> { times });
    }
}

/// [`TransposeTimes`] in groups of R rows of X.
struct TransposeTile<'a, T, const R: usize, const L: usize> {
    times: TransposeTimes<'a, T>,
}

impl<T: Real, const R: usize, const L: usize> Kernel for TransposeTile<'_, T, R, L> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let TransposeTimes { x, width, columns, factor, k, out } = self.times;
        let n = factor.len() / k;
        let tile = TILE_BYTES / size_of::<T>();
        out.fill(T::ZERO);
        let all = columns.len();
        for start in (0..all).step_by(tile) {
            let count = tile.min(all - start);
            let first = columns.start + start;
            let grouped = n / R * R;
            for i in (0..grouped).step_by(R) {
                let rows: [&[T]; R] = std::array::from_fn(|r| &x[(i + r) * width + first..][..count]);
                for r in 0..R {
                    prefetch(x, (i + R + r) * width + first, count);
                }
                let u = &factor[i * k..(i + R) * k];
                add_group::<T, R, L, FMA>(&rows, u, k, (&mut *out, all, start));
            }
            for i in grouped..n {
                let rows = [&x[i * width + first..][..count]];
                add_group::<T, 1, L, FMA>(&rows, &factor[i * k..(i + 1) * k], k, (&mut *out, all, start));
            }
        }
    }
}

/// Adds the products of R rows to the tile of the output that begins at column `start` of `stride`.
#[inline(always)]
fn add_group<T: Real, const R: usize, const L: usize, const FMA: bool>(
    rows: &[&[T]; R],
    u: &[T],
    k: usize,
    (out, stride, start): (&mut [T], usize, usize),
) {
    let count = rows[0].len();
    let mut c = 0;
    while c + 2 <= k {
        let (one, two) = out[c * stride..(c + 2) * stride].split_at_mut(stride);
        let (one, two) = (&mut one[start..start + count], &mut two[start..start + count]);
        let weights: [[T; 2]; R] = std::array::from_fn(|r| [u[r * k + c], u[r * k + c + 1]]);
        let mut j = 0;
        while j + L <= count {
            let (mut a, mut b) = ([T::ZERO; L], [T::ZERO; L]);
            a.copy_from_slice(&one[j..j + L]);
            b.copy_from_slice(&two[j..j + L]);
            for r in 0..R {
                let x = &rows[r][j..j + L];
                for l in 0..L {
                    a[l] = multiply_add::<T, FMA>(x[l], weights[r][0], a[l]);
                    b[l] = multiply_add::<T, FMA>(x[l], weights[r][1], b[l]);
                }
            }
            one[j..j + L].copy_from_slice(&a);
            two[j..j + L].copy_from_slice(&b);
            j += L;
        }
        for j in j..count {
            for r in 0..R {
                one[j] = multiply_add::<T, FMA>(rows[r][j], weights[r][0], one[j]);
                two[j] = multiply_add::<T, FMA>(rows[r][j], weights[r][1], two[j]);
            }
        }
        c += 2;
    }
    if c < k {
        let out = &mut out[c * stride + start..c * stride + start + count];
        for r in 0..R {
            let weight = u[r * k + c];
            for (out, x) in out.iter_mut().zip(rows[r]) {
                *out = multiply_add::<T, FMA>(*x, weight, *out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values<T: Real>(count: usize, step: usize) -> Vec<T> {
        (0..count).map(|i| T::from_f64(((i * step + i / 7) % 29) as f64 / 29.0)).collect()
    }

    /// The largest difference of both products from plain `f64` loops, relative to the largest output.
    fn worst_difference<T: Real, const L: usize>(level: Level, (n, d, k): (usize, usize, usize)) -> f64 {
        let (x, u, v) = (values::<T>(n * d, 7), values::<T>(n * k, 11), values::<T>(d * k, 5));
        let columns = d / 5..d;
        let c = columns.len();
        let (mut times, mut transposed) = (vec![T::ONE; n * k], vec![T::ONE; k * c]);
        times_at::<T, L>(level, Times { x: &x, columns: d, factor: &v, k, out: &mut times });
        let all =
            TransposeTimes { x: &x, width: d, columns: columns.clone(), factor: &u, k, out: &mut transposed };
        transpose_times_at::<T, L>(level, all);
        let mut worst = 0.0f64;
        let mut largest = 0.0f64;
        let mut compare = |found: T, expected: f64| {
            worst = worst.max((found.to_f64() - expected).abs());
            largest = largest.max(expected.abs());
        };
        for a in 0..k {
            for i in 0..n {
                let sum = (0..d).map(|j| x[i * d + j].to_f64() * v[j * k + a].to_f64()).sum();
                compare(times[i * k + a], sum);
            }
            for j in columns.clone() {
                let sum = (0..n).map(|i| x[i * d + j].to_f64() * u[i * k + a].to_f64()).sum();
                compare(transposed[a * c + j - columns.start], sum);
            }
        }
        worst / largest
    }

    #[test]
    fn every_level_and_every_width_gives_the_product_of_the_plain_loop() {
        for level in Level::available() {
            for k in 1..=MOST_COLUMNS {
                for (n, d) in [(1, 1), (3, 2), (9, 17), (21, 40)] {
                    let double = worst_difference::<f64, 8>(level, (n, d, k));
                    assert!(double <= 1e-14, "{level:?}, {n} x {d}, k = {k}, f64: {double}");
                    let single = worst_difference::<f32, 16>(level, (n, d, k));
                    assert!(single <= 5e-6, "{level:?}, {n} x {d}, k = {k}, f32: {single}");
                }
            }
            let wide = worst_difference::<f64, 8>(level, (11, 700, 6));
            assert!(wide <= 1e-14, "{level:?}: {wide}");
        }
    }

    #[test]
    fn a_row_of_the_product_does_not_depend_on_the_rows_beside_it() {
        let (d, k) = (33, 20);
        let (x, v) = (values::<f64>(9 * d, 7), values::<f64>(d * k, 5));
        for level in Level::available() {
            let mut all = vec![0.0; 9 * k];
            times_at::<f64, 8>(level, Times { x: &x, columns: d, factor: &v, k, out: &mut all });
            let mut one = vec![0.0; k];
            let x = &x[3 * d..4 * d];
            times_at::<f64, 8>(level, Times { x, columns: d, factor: &v, k, out: &mut one });
            assert_eq!(one, all[3 * k..4 * k], "{level:?}");
        }
    }
}
