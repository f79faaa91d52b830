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

use crate::linalg::logarithm::{BLOCK, LogSum};
use crate::linalg::simd::{Kernel, dispatch, multiply_add, prefetch};
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

    /// Asks for `count` values, from `first` on, of the factor's row that the entry `AHEAD` after this one will need.
    #[inline(always)]
    fn look_ahead(&self, entry: usize, factor: &[T], k: usize, first: usize, count: usize) {
        if let Some(j) = self.indices.get(entry + AHEAD) {
            prefetch(factor, *j as usize * k + first, count);
        }
    }
}

/// `B` vectors of `L` values. Nested, because the compiler keeps these in vector registers at every size, which it
/// does not do for one long array.
type Vectors<T, const B: usize, const L: usize> = [[T; L]; B];

/// Runs `$piece::<T, B, L, FMA>($arguments)` with the smallest width B · L that holds `$width` columns.
macro_rules! with_width {
    ($width:expr, $piece:ident($($argument:expr),*)) => {
        match $width {
            1..=4 => $piece::<T, 1, 4, FMA>($($argument),*),
            5..=8 => $piece::<T, 1, 8, FMA>($($argument),*),
            9..=12 => $piece::<T, 3, 4, FMA>($($argument),*),
            13..=16 => $piece::<T, 2, 8, FMA>($($argument),*),
            17..=20 => $piece::<T, 5, 4, FMA>($($argument),*),
            21..=24 => $piece::<T, 3, 8, FMA>($($argument),*),
            25..=32 => $piece::<T, 4, 8, FMA>($($argument),*),
            33..=40 => $piece::<T, 5, 8, FMA>($($argument),*),
            41..=48 => $piece::<T, 6, 8, FMA>($($argument),*),
            49..=56 => $piece::<T, 7, 8, FMA>($($argument),*),
            _ => $piece::<T, 8, 8, FMA>($($argument),*),
        }
    };
}

/// `B` · `L` values of the factor from `start` on. Where the factor ends earlier, `spare` is filled with the rest and
/// zeros.
#[inline(always)]
fn piece_of<'a, T: Real, const B: usize, const L: usize>(
    factor: &'a [T],
    start: usize,
    spare: &'a mut Vectors<T, B, L>,
) -> &'a Vectors<T, B, L> {
    match factor.get(start..start + B * L).and_then(|values| values.as_chunks::<L>().0.try_into().ok()) {
        Some(values) => values,
        None => {
            copy_rest(&factor[start..], spare.as_flattened_mut());
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

/// The products of sparse rows in one number type, compiled here once (see [`DenseProducts`](super::gemm::DenseProducts)).
pub trait SparseProducts: Sized {
    /// Runs [`Times`] at the best level of the processor.
    fn gather(times: Times<'_, Self>);
    /// Runs [`RatioTimes`] at the best level of the processor.
    fn gather_ratio(ratio: RatioTimes<'_, Self>) -> f64;
}

macro_rules! sparse_products {
    ($t:ident) => {
        impl SparseProducts for $t {
            #[inline(never)]
            fn gather(times: Times<'_, Self>) {
                dispatch(times);
            }

            #[inline(never)]
            fn gather_ratio(ratio: RatioTimes<'_, Self>) -> f64 {
                dispatch(ratio)
            }
        }
    };
}
sparse_products!(f32);
sparse_products!(f64);

/// `out` (range.len() × k) = rows of the range · factor (d × k, row-major).
pub struct Times<'a, T> {
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

/// The columns `first .. first + width` of [`Times`], width ≤ B · L.
#[inline(always)]
fn times_piece<T: Real, const B: usize, const L: usize, const FMA: bool>(
    times: &mut Times<'_, T>,
    first: usize,
    width: usize,
) {
    let Times { rows, range, factor, k, out } = times;
    let (factor, k) = (*factor, *k);
    let mut spare = [[T::ZERO; L]; B];
    for (i, out) in range.clone().zip(out.chunks_exact_mut(k)) {
        let entries = rows.entries(i);
        let (indices, values) = (&rows.indices[entries.clone()], &rows.values[entries.clone()]);
        let mut sums = [[T::ZERO; L]; B];
        for ((e, j), x) in entries.zip(indices).zip(values) {
            rows.look_ahead(e, factor, k, first, B * L);
            let v = piece_of::<T, B, L>(factor, *j as usize * k + first, &mut spare);
            add_multiple::<T, B, L, FMA>(&mut sums, *x, v);
        }
        out[first..first + width].copy_from_slice(&sums.as_flattened()[..width]);
    }
}

/// `sums += x · v`.
#[inline(always)]
fn add_multiple<T: Real, const B: usize, const L: usize, const FMA: bool>(
    sums: &mut Vectors<T, B, L>,
    x: T,
    v: &Vectors<T, B, L>,
) {
    for b in 0..B {
        for l in 0..L {
            sums[b][l] = multiply_add::<T, FMA>(x, v[b][l], sums[b][l]);
        }
    }
}

/// `out` (range.len() × k) = R · other with R = X / (own · otherᵀ) on the stored entries; returns the sum over them of
/// x·ln(x / (own · otherᵀ)). `own` has one row per sparse row, `other` one per column, both row-major with k columns.
/// Denominators below the smallest normal number are replaced by that.
pub struct RatioTimes<'a, T> {
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

/// [`RatioTimes`] for k ≤ B · L.
#[inline(always)]
fn ratio_piece<T: Real, const B: usize, const L: usize, const FMA: bool>(ratio: RatioTimes<'_, T>) -> f64 {
    let RatioTimes { rows, range, own, other, k, out } = ratio;
    let mut logarithms = LogSum::new();
    let (mut products, mut quotients) = ([T::ZERO; BLOCK], [T::ZERO; BLOCK]);
    // The lanes of each dot product, added up for many entries at a time: the compiler would otherwise spread the
    // additions of the lanes over the dot product itself.
    let mut lanes = [[T::ZERO; L]; BLOCK];
    let mut spare = [[T::ZERO; L]; B];
    for (i, out) in range.zip(out.chunks_exact_mut(k)) {
        // The zeros beyond k keep the next row of `other` out of the dot products.
        let mut u = [[T::ZERO; L]; B];
        u.as_flattened_mut()[..k].copy_from_slice(&own[i * k..(i + 1) * k]);
        let mut sums = [[T::ZERO; L]; B];
        for block in blocks(rows.entries(i)) {
            let (indices, values) = (&rows.indices[block.clone()], &rows.values[block.clone()]);
            for (lanes, (e, j)) in lanes.iter_mut().zip(block.zip(indices)) {
                rows.look_ahead(e, other, k, 0, B * L);
                let v = piece_of::<T, B, L>(other, *j as usize * k, &mut spare);
                let mut sums = [T::ZERO; L];
                for b in 0..B {
                    for l in 0..L {
                        sums[l] = multiply_add::<T, FMA>(u[b][l], v[b][l], sums[l]);
                    }
                }
                *lanes = sums;
            }
            for (p, lanes) in products.iter_mut().zip(&lanes[..values.len()]) {
                *p = fold(*lanes);
            }
            let (products, quotients) = (&mut products[..values.len()], &mut quotients[..values.len()]);
            for ((x, p), r) in values.iter().zip(products.iter_mut()).zip(&mut *quotients) {
                *p = p.max(T::MIN_POSITIVE);
                *r = *x / *p;
            }
            for (r, j) in quotients.iter().zip(indices) {
                let v = piece_of::<T, B, L>(other, *j as usize * k, &mut spare);
                add_multiple::<T, B, L, FMA>(&mut sums, *r, v);
            }
            logarithms.extend(values, products);
        }
        out.copy_from_slice(&sums.as_flattened()[..k]);
    }
    logarithms.finish()
}

/// [`RatioTimes`] for any k: the sums live in `out`, that is in the first-level cache.
#[inline(always)]
fn ratio_wide<T: Real, const FMA: bool>(ratio: RatioTimes<'_, T>) -> f64 {
    let RatioTimes { rows, range, own, other, k, out } = ratio;
    let mut logarithms = LogSum::new();
    let (mut products, mut quotients) = ([T::ZERO; BLOCK], [T::ZERO; BLOCK]);
    out.fill(T::ZERO);
    for (i, out) in range.zip(out.chunks_exact_mut(k)) {
        let u = &own[i * k..(i + 1) * k];
        for block in blocks(rows.entries(i)) {
            let (indices, values) = (&rows.indices[block.clone()], &rows.values[block.clone()]);
            for (p, (e, j)) in products.iter_mut().zip(block.zip(indices)) {
                rows.look_ahead(e, other, k, 0, k);
                *p = dot::<T, FMA>(u, &other[*j as usize * k..(*j as usize + 1) * k]);
            }
            let (products, quotients) = (&mut products[..values.len()], &mut quotients[..values.len()]);
            for ((x, p), r) in values.iter().zip(products.iter_mut()).zip(&mut *quotients) {
                *p = p.max(T::MIN_POSITIVE);
                *r = *x / *p;
            }
            for (r, j) in quotients.iter().zip(indices) {
                for (sum, v) in out.iter_mut().zip(&other[*j as usize * k..(*j as usize + 1) * k]) {
                    *sum = multiply_add::<T, FMA>(*r, *v, *sum);
                }
            }
            logarithms.extend(values, products);
        }
    }
    logarithms.finish()
}

/// The entries in blocks: the rows of the factor that a block uses stay in the first-level cache between the products
/// and the sums, and its divisions and logarithms are taken many at a time.
#[inline(always)]
fn blocks(entries: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = entries.end;
    entries.step_by(BLOCK).map(move |start| start..(start + BLOCK).min(end))
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
        for (e, (j, x)) in self.indices.iter().zip(self.values).enumerate() {
            if let Some(ahead) = self.indices.get(e + AHEAD) {
                prefetch(self.other, *ahead as usize * k, k);
            }
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
        let mut products = [0.0; BLOCK];
        for (indices, values) in self.indices.chunks(BLOCK).zip(self.values.chunks(BLOCK)) {
            for (p, j) in products.iter_mut().zip(indices) {
                *p = wide_dot::<T, FMA>(self.own, &self.other[*j as usize * k..(*j as usize + 1) * k]);
            }
            self.sum.extend(values, &products[..values.len()]);
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

/// The sum of the lanes, the halves added to each other again and again.
#[inline(always)]
fn fold<T: Real, const L: usize>(mut lanes: [T; L]) -> T {
    let mut half = L / 2;
    while half > 0 {
        for l in 0..half {
            lanes[l] += lanes[l + half];
        }
        half /= 2;
    }
    lanes[0]
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
