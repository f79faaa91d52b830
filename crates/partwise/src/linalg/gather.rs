//! Products of sparse rows with a dense factor, by gathering the rows of the factor.
//!
//! ```text
//! times:        out[i, :]  = Σ_e x_e · V[j_e, :]                       over the stored entries e of row i
//! ratio_times:  out[i, :]  = Σ_e x_e / (U[i, :] · V[j_e, :]) · V[j_e, :]
//! ```
//!
//! Two things make these fast. The accumulators of an output row stay in registers: k is cut into pieces whose
//! widths are known at compile time. And the factor's rows, which lie scattered in memory, are prefetched some
//! entries ahead. A piece is read in full multiples of four values; what lies beyond row j is the start of row j + 1
//! and lands in accumulators that are never stored, so k needs no padding.

use std::ops::Range;

use crate::linalg::logarithm::LogSum;
use crate::linalg::simd::{Kernel, multiply_add, prefetch};
use crate::real::Real;

/// How many entries ahead of its use a row of the factor is asked for.
const AHEAD: usize = 12;
/// The widest piece.
const WIDEST: usize = 64;

/// Sparse rows: row i has the entries `offsets[i] .. offsets[i + 1]` of the two other slices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows<'a, T> {
    /// One more than there are rows.
    pub(crate) offsets: &'a [usize],
    /// Column of each entry.
    pub(crate) indices: &'a [u32],
    /// Value of each entry.
    pub(crate) values: &'a [T],
}

impl<T: Real> Rows<'_, T> {
    #[inline(always)]
    fn entries(&self, row: usize) -> Range<usize> {
        self.offsets[row]..self.offsets[row + 1]
    }

    /// Asks for the part of the factor's row that the entry `AHEAD` after this one will need.
    #[inline(always)]
    fn look_ahead<const B: usize>(&self, entry: usize, factor: &[T], k: usize, first: usize) {
        if let Some(j) = self.indices.get(entry + AHEAD) {
            prefetch(factor, *j as usize * k + first, B);
        }
    }
}

/// Runs `$piece::<T, B, FMA>($arguments)` with the smallest width B that holds `$width` columns.
macro_rules! with_width {
    ($width:expr, $piece:ident($($argument:expr),*)) => {
        match $width {
            1..=4 => $piece::<T, 4, FMA>($($argument),*),
            5..=8 => $piece::<T, 8, FMA>($($argument),*),
            9..=12 => $piece::<T, 12, FMA>($($argument),*),
            13..=16 => $piece::<T, 16, FMA>($($argument),*),
            17..=20 => $piece::<T, 20, FMA>($($argument),*),
            21..=24 => $piece::<T, 24, FMA>($($argument),*),
            25..=32 => $piece::<T, 32, FMA>($($argument),*),
            33..=40 => $piece::<T, 40, FMA>($($argument),*),
            41..=48 => $piece::<T, 48, FMA>($($argument),*),
            49..=56 => $piece::<T, 56, FMA>($($argument),*),
            _ => $piece::<T, WIDEST, FMA>($($argument),*),
        }
    };
}

/// `B` values of the factor from `start` on. Where the factor ends earlier, `spare` is filled with the rest and zeros.
#[inline(always)]
fn piece_of<'a, T: Real, const B: usize>(factor: &'a [T], start: usize, spare: &'a mut [T; B]) -> &'a [T; B] {
    match factor.get(start..start + B).and_then(|values| values.try_into().ok()) {
        Some(values) => values,
        None => {
            copy_rest(&factor[start..], spare);
            spare
        }
    }
}

#[cold]
#[inline(never)]
fn copy_rest<T: Real>(rest: &[T], spare: &mut [T]) {
    let count = rest.len().min(spare.len());
    spare[..count].copy_from_slice(&rest[..count]);
    spare[count..].fill(T::ZERO);
}

/// `out` (range.len() × k) = rows of the range · factor (d × k, row-major).
pub(crate) struct Times<'a, T> {
    pub(crate) rows: Rows<'a, T>,
    pub(crate) range: Range<usize>,
    pub(crate) factor: &'a [T],
    pub(crate) k: usize,
    pub(crate) out: &'a mut [T],
}

impl<T: Real> Kernel for Times<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(mut self) {
        let mut first = 0;
        while first < self.k {
            let width = (self.k - first).min(WIDEST);
            with_width!(width, times_piece(&mut self, first, width));
            first += width;
        }
    }
}

/// The columns `first .. first + width` of [`Times`], width ≤ B.
#[inline(always)]
fn times_piece<T: Real, const B: usize, const FMA: bool>(
    times: &mut Times<'_, T>,
    first: usize,
    width: usize,
) {
    let Times { rows, range, factor, k, out } = times;
    let (factor, k) = (*factor, *k);
    for (i, out) in range.clone().zip(out.chunks_exact_mut(k)) {
        let entries = rows.entries(i);
        let (indices, values) = (&rows.indices[entries.clone()], &rows.values[entries.clone()]);
        let mut sums = [T::ZERO; B];
        for ((e, j), x) in entries.zip(indices).zip(values) {
            rows.look_ahead::<B>(e, factor, k, first);
            let mut spare = [T::ZERO; B];
            let v = piece_of::<T, B>(factor, *j as usize * k + first, &mut spare);
            for c in 0..B {
                sums[c] = multiply_add::<T, FMA>(*x, v[c], sums[c]);
            }
        }
        out[first..first + width].copy_from_slice(&sums[..width]);
    }
}

/// `out` (range.len() × k) = R · other with R = X / (own · otherᵀ) on the stored entries; returns the sum over them of
/// x·ln(x / (own · otherᵀ)). `own` has one row per sparse row, `other` one per column, both row-major with k columns.
/// Denominators below the smallest normal number are replaced by that.
pub(crate) struct RatioTimes<'a, T> {
    pub(crate) rows: Rows<'a, T>,
    pub(crate) range: Range<usize>,
    pub(crate) own: &'a [T],
    pub(crate) other: &'a [T],
    pub(crate) k: usize,
    pub(crate) out: &'a mut [T],
}

impl<T: Real> Kernel for RatioTimes<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> f64 {
        if self.k > WIDEST {
            return ratio_wide::<T, FMA>(self);
        }
        with_width!(self.k, ratio_piece(self))
    }
}

/// [`RatioTimes`] for k ≤ B.
#[inline(always)]
fn ratio_piece<T: Real, const B: usize, const FMA: bool>(ratio: RatioTimes<'_, T>) -> f64 {
    let RatioTimes { rows, range, own, other, k, out } = ratio;
    let mut logarithms = LogSum::new();
    for (i, out) in range.zip(out.chunks_exact_mut(k)) {
        // The zeros beyond k keep the next row of `other` out of the dot products.
        let mut u = [T::ZERO; B];
        u[..k].copy_from_slice(&own[i * k..(i + 1) * k]);
        let entries = rows.entries(i);
        let (indices, values) = (&rows.indices[entries.clone()], &rows.values[entries.clone()]);
        let mut sums = [T::ZERO; B];
        for ((e, j), x) in entries.zip(indices).zip(values) {
            rows.look_ahead::<B>(e, other, k, 0);
            let mut spare = [T::ZERO; B];
            let v = piece_of::<T, B>(other, *j as usize * k, &mut spare);
            let p = dot::<T, FMA>(&u, v).max(T::MIN_POSITIVE);
            let r = *x / p;
            for c in 0..B {
                sums[c] = multiply_add::<T, FMA>(r, v[c], sums[c]);
            }
            logarithms.push(x.to_f64(), p.to_f64());
        }
        out.copy_from_slice(&sums[..k]);
    }
    logarithms.finish()
}

/// [`RatioTimes`] for any k: the sums live in `out`, that is in the first-level cache.
#[inline(always)]
fn ratio_wide<T: Real, const FMA: bool>(ratio: RatioTimes<'_, T>) -> f64 {
    let RatioTimes { rows, range, own, other, k, out } = ratio;
    let mut logarithms = LogSum::new();
    out.fill(T::ZERO);
    for (i, out) in range.zip(out.chunks_exact_mut(k)) {
        let u = &own[i * k..(i + 1) * k];
        for e in rows.entries(i) {
            if let Some(j) = rows.indices.get(e + AHEAD) {
                prefetch(other, *j as usize * k, k);
            }
            let j = rows.indices[e] as usize;
            let x = rows.values[e];
            let v = &other[j * k..(j + 1) * k];
            let p = dot::<T, FMA>(u, v).max(T::MIN_POSITIVE);
            let r = x / p;
            for (sum, v) in out.iter_mut().zip(v) {
                *sum = multiply_add::<T, FMA>(r, *v, *sum);
            }
            logarithms.push(x.to_f64(), p.to_f64());
        }
    }
    logarithms.finish()
}

/// What a sparse row and the product of the factors have to do with each other, in `f64`.
pub(crate) struct Deviation {
    /// Σ (x − p)² over the stored entries.
    pub(crate) residual: f64,
    /// Σ p² over the stored entries.
    pub(crate) product: f64,
}

/// [`Deviation`] of one row: `own` is its row of the codes (k values), `other` the whole other factor.
pub(crate) struct RowDeviation<'a, T> {
    pub(crate) indices: &'a [u32],
    pub(crate) values: &'a [T],
    pub(crate) own: &'a [T],
    pub(crate) other: &'a [T],
}

impl<T: Real> Kernel for RowDeviation<'_, T> {
    type Output = Deviation;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> Deviation {
        let k = self.own.len();
        let mut sums = Deviation { residual: 0.0, product: 0.0 };
        for (j, x) in self.indices.iter().zip(self.values) {
            let j = *j as usize;
            let p = wide_dot::<T, FMA>(self.own, &self.other[j * k..(j + 1) * k]);
            let difference = x.to_f64() - p;
            sums.residual = multiply_add::<f64, FMA>(difference, difference, sums.residual);
            sums.product = multiply_add::<f64, FMA>(p, p, sums.product);
        }
        sums
    }
}

/// Adds the pairs (x, product of the factors in `f64`) of one sparse row to a sum of logarithms.
pub(crate) struct RowLogarithms<'a, T> {
    pub(crate) indices: &'a [u32],
    pub(crate) values: &'a [T],
    pub(crate) own: &'a [T],
    pub(crate) other: &'a [T],
    pub(crate) sum: &'a mut LogSum,
}

impl<T: Real> Kernel for RowLogarithms<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let k = self.own.len();
        for (j, x) in self.indices.iter().zip(self.values) {
            let j = *j as usize;
            let p = wide_dot::<T, FMA>(self.own, &self.other[j * k..(j + 1) * k]);
            self.sum.push(x.to_f64(), p);
        }
    }
}

const LANES: usize = 8;

/// a · b in eight interleaved sums.
#[inline(always)]
fn dot<T: Real, const FMA: bool>(a: &[T], b: &[T]) -> T {
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    let mut lanes = [T::ZERO; LANES];
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for l in 0..LANES {
            lanes[l] = multiply_add::<T, FMA>(a[l], b[l], lanes[l]);
        }
    }
    for (l, (a, b)) in a_rest.iter().zip(b_rest).enumerate() {
        lanes[l] = multiply_add::<T, FMA>(*a, *b, lanes[l]);
    }
    fold(lanes)
}

/// a · b in `f64`, in eight interleaved sums.
#[inline(always)]
fn wide_dot<T: Real, const FMA: bool>(a: &[T], b: &[T]) -> f64 {
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for l in 0..LANES {
            lanes[l] = multiply_add::<f64, FMA>(a[l].to_f64(), b[l].to_f64(), lanes[l]);
        }
    }
    for (l, (a, b)) in a_rest.iter().zip(b_rest).enumerate() {
        lanes[l] = multiply_add::<f64, FMA>(a.to_f64(), b.to_f64(), lanes[l]);
    }
    fold(lanes)
}

#[inline(always)]
fn fold<T: Real>(l: [T; LANES]) -> T {
    ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::simd::{Level, dispatch_at};

    /// Rows of lengths 0 to 40 over 37 columns, with the last column in many.
    fn example() -> (Vec<usize>, Vec<u32>, Vec<f64>) {
        let (mut offsets, mut indices, mut values) = (vec![0], vec![], vec![]);
        for i in 0..25usize {
            for j in (0..37usize).filter(|j| (j * 7 + i * 3) % 5 < i % 6 || (*j == 36 && i % 2 == 1)) {
                indices.push(j as u32);
                values.push(((i * 13 + j * 5) % 17) as f64 / 4.0);
            }
            offsets.push(indices.len());
        }
        (offsets, indices, values)
    }

    fn factor<T: Real>(rows: usize, k: usize, step: usize) -> Vec<T> {
        (0..rows * k).map(|i| T::from_f64(((i * step) % 29 + 1) as f64 / 31.0)).collect()
    }

    /// The largest difference of the two kernels from plain `f64` loops, relative to the largest output.
    fn worst_difference<T: Real>(level: Level, k: usize) -> f64 {
        let (offsets, indices, values) = example();
        let values: Vec<T> = values.iter().map(|x| T::from_f64(*x)).collect();
        let rows = Rows { offsets: &offsets, indices: &indices, values: &values };
        let (own, other) = (factor::<T>(25, k, 7), factor::<T>(37, k, 11));
        let range = 3..25;
        let (mut times, mut ratio) = (vec![T::ONE; 22 * k], vec![T::ONE; 22 * k]);
        dispatch_at(level, Times { rows, range: range.clone(), factor: &other, k, out: &mut times });
        let sum = dispatch_at(
            level,
            RatioTimes { rows, range: range.clone(), own: &own, other: &other, k, out: &mut ratio },
        );
        let (mut expected_times, mut expected_ratio) = (vec![0.0; 22 * k], vec![0.0; 22 * k]);
        let mut expected_sum = 0.0;
        for i in range {
            for e in offsets[i]..offsets[i + 1] {
                let (j, x) = (indices[e] as usize, values[e].to_f64());
                let p: f64 = (0..k).map(|c| own[i * k + c].to_f64() * other[j * k + c].to_f64()).sum();
                expected_sum += if x > 0.0 { x * (x / p).ln() } else { 0.0 };
                for c in 0..k {
                    expected_times[(i - 3) * k + c] += x * other[j * k + c].to_f64();
                    expected_ratio[(i - 3) * k + c] += x / p * other[j * k + c].to_f64();
                }
            }
        }
        let difference = |found: &[T], expected: &[f64]| {
            let scale = expected.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            found.iter().zip(expected).fold(0.0, |m: f64, (f, e)| m.max((f.to_f64() - e).abs())) / scale
        };
        difference(&times, &expected_times)
            .max(difference(&ratio, &expected_ratio))
            .max((sum - expected_sum).abs() / expected_sum.abs())
    }

    #[test]
    fn every_level_and_every_width_gives_the_product_of_the_plain_loop() {
        for level in Level::available() {
            for k in (1..=70).chain([128, 131]) {
                let double = worst_difference::<f64>(level, k);
                assert!(double <= 1e-13, "{level:?}, k = {k}, f64: {double}");
                let single = worst_difference::<f32>(level, k);
                assert!(single <= 2e-5, "{level:?}, k = {k}, f32: {single}");
            }
        }
    }

    #[test]
    fn a_denominator_of_zero_gives_finite_quotients() {
        let rows = Rows { offsets: &[0, 2], indices: &[0, 1], values: &[0.0, 1e-10] };
        let mut out = [0.0];
        let other = [0.0, 0.0];
        let ratio = RatioTimes { rows, range: 0..1, own: &[1.0], other: &other, k: 1, out: &mut out };
        let sum = dispatch_at(Level::Portable, ratio);
        assert_eq!(out, [0.0]);
        assert!((sum - 1e-10 * (1e-10 / f64::MIN_POSITIVE).ln()).abs() < 1e-20);
    }
}
