//! Quotients of sparse rows and the product of two factors, times one of the factors: what the
//! Kullback–Leibler loss needs of sparse data.
//!
//! ```text
//! out[i, :] = Σ_e r_e · V[j_e, :],   r_e = x_e / (U[i, :] · V[j_e, :])   over the stored entries e of row i
//! ```
//!
//! The entries of all rows are taken in blocks, whatever row they belong to: the rows of V that a block uses
//! stay in the first-level cache between the dot products and the sums, and divisions and logarithms always
//! fill the vectors, however short the rows are.

use std::ops::Range;

use super::gather::{Rows, Vectors, WIDEST, add_multiple, dot, fold, piece_of, with_few_widths, with_width};
use super::logarithm::sum_of_logarithms;
use super::simd::{Kernel, dispatch, multiply_add, prefetch};
use crate::foundation::{Real, once};

/// `out` (range.len() × k) = R · other with R = X / (own · otherᵀ) on the stored entries; returns the sum
/// over them of x·ln(x / (own · otherᵀ)). `own` has one row per sparse row, `other` one per column, both
/// row-major with k columns. Denominators below the smallest normal number are replaced by that.
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

once! {
    /// Runs [`RatioTimes`] at the best level of the processor.
    pub(crate) GatherRatio<'a, T>(ratio: RatioTimes<'a, T>) -> f64 {
        dispatch(ratio)
    }
}

/// Entries of a block: so many rows of the factor stay in the first-level cache beside everything else, in
/// [`LONG_BLOCK`] where they are short.
const LONG_BLOCK: usize = 64;
const SHORT_BLOCK: usize = 32;
/// Bytes of a row that is short.
const SHORT_ROW: usize = 320;

/// [`RatioTimes`] for k ≤ B · L.
#[inline(always)]
fn ratio_piece<T: Real, const B: usize, const L: usize, const FMA: bool>(ratio: RatioTimes<'_, T>) -> f64 {
    // A constant, so that only one of them is compiled.
    if const { B * L * size_of::<T>() <= SHORT_ROW } {
        ratio_blocks::<T, B, L, LONG_BLOCK, FMA>(ratio)
    } else {
        ratio_blocks::<T, B, L, SHORT_BLOCK, FMA>(ratio)
    }
}

#[inline(always)]
fn ratio_blocks<T: Real, const B: usize, const L: usize, const N: usize, const FMA: bool>(
    ratio: RatioTimes<'_, T>,
) -> f64 {
    let RatioTimes { rows, range, own, other, k, out } = ratio;
    let mut quotients = Quotients::<T, N>::new();
    // The lanes of each dot product, added up for many entries at a time: the compiler would otherwise spread
    // the additions of the lanes over the dot product itself.
    let mut lanes = [[T::ZERO; L]; N];
    let mut spare = [[T::ZERO; L]; B];
    let mut sums = [[T::ZERO; L]; B];
    // Where the dot products and the sums are.
    let (mut dot_row, mut row) = (range.start, range.start);
    for block in rows.blocks(range.clone(), N) {
        let mut rest = &mut lanes[..block.len()];
        while !rest.is_empty() {
            let entries = rows.part(&mut dot_row, block.end - rest.len()..block.end);
            let u = own_piece::<T, B, L>(own, dot_row * k, k);
            let (part, tail) = rest.split_at_mut(entries.len());
            rest = tail;
            let ahead = rows.ahead(entries.clone(), size_of_val(&sums));
            for ((lanes, j), ahead) in part.iter_mut().zip(&rows.indices[entries]).zip(ahead) {
                prefetch(other, *ahead as usize * k, B * L);
                let v = piece_of::<T, B, L>(other, *j as usize * k, &mut spare);
                let mut sums = [T::ZERO; L];
                for b in 0..B {
                    for l in 0..L {
                        sums[l] = multiply_add::<T, FMA>(u[b][l], v[b][l], sums[l]);
                    }
                }
                *lanes = sums;
            }
        }
        for (p, lanes) in quotients.products.iter_mut().zip(&lanes) {
            *p = fold(*lanes);
        }
        quotients.divide::<FMA>(&rows.values[block.clone()]);
        let mut rest = &quotients.quotients[..block.len()];
        while !rest.is_empty() {
            let here = row;
            let entries = rows.part(&mut row, block.end - rest.len()..block.end);
            if row != here {
                store_sums(&sums, here..row, range.start, k, out);
                sums = [[T::ZERO; L]; B];
            }
            let (part, tail) = rest.split_at(entries.len());
            rest = tail;
            for (r, j) in part.iter().zip(&rows.indices[entries]) {
                let v = piece_of::<T, B, L>(other, *j as usize * k, &mut spare);
                add_multiple::<T, B, L, FMA>(&mut sums, *r, v);
            }
        }
    }
    store_sums(&sums, row..range.end, range.start, k, out);
    quotients.sum
}

/// Stores the sums of the first of some rows; the others have no entries.
#[inline(always)]
fn store_sums<T: Real, const B: usize, const L: usize>(
    sums: &Vectors<T, B, L>,
    rows: Range<usize>,
    first: usize,
    k: usize,
    out: &mut [T],
) {
    let out = &mut out[(rows.start - first) * k..(rows.end - first) * k];
    if let Some((sums_out, empty)) = out.split_at_mut_checked(k) {
        for (out, sum) in sums_out.iter_mut().zip(sums.as_flattened()) {
            *out = *sum;
        }
        empty.fill(T::ZERO);
    }
}

/// The row of a factor that starts at `start`. The zeros beyond k keep the next row out of dot products.
#[inline(always)]
fn own_piece<T: Real, const B: usize, const L: usize>(
    factor: &[T],
    start: usize,
    k: usize,
) -> Vectors<T, B, L> {
    let mut spare = [[T::ZERO; L]; B];
    let mut u = *piece_of::<T, B, L>(factor, start, &mut spare);
    for b in 0..B {
        for l in 0..L {
            u[b][l] = if b * L + l < k { u[b][l] } else { T::ZERO };
        }
    }
    u
}

/// [`RatioTimes`] for any k: the sums live in `out`, that is in the first-level cache.
#[inline(always)]
fn ratio_wide<T: Real, const FMA: bool>(ratio: RatioTimes<'_, T>) -> f64 {
    let RatioTimes { rows, range, own, other, k, out } = ratio;
    let mut quotients = Quotients::<T, SHORT_BLOCK>::new();
    out.fill(T::ZERO);
    let (mut dot_row, mut row) = (range.start, range.start);
    let row_of = |j: u32| &other[j as usize * k..(j as usize + 1) * k];
    for block in rows.blocks(range.clone(), SHORT_BLOCK) {
        let mut start = block.start;
        while start < block.end {
            let entries = rows.part(&mut dot_row, start..block.end);
            let u = &own[dot_row * k..(dot_row + 1) * k];
            let products = &mut quotients.products[start - block.start..];
            start = entries.end;
            let ahead = rows.ahead(entries.clone(), size_of_val(u));
            for ((p, j), ahead) in products.iter_mut().zip(&rows.indices[entries]).zip(ahead) {
                prefetch(other, *ahead as usize * k, k);
                *p = dot::<T, FMA>(u, row_of(*j));
            }
        }
        quotients.divide::<FMA>(&rows.values[block.clone()]);
        let mut start = block.start;
        while start < block.end {
            let entries = rows.part(&mut row, start..block.end);
            let part = &quotients.quotients[start - block.start..];
            start = entries.end;
            let out = &mut out[(row - range.start) * k..(row - range.start + 1) * k];
            for (r, j) in part.iter().zip(&rows.indices[entries]) {
                for (sum, v) in out.iter_mut().zip(row_of(*j)) {
                    *sum = multiply_add::<T, FMA>(*r, *v, *sum);
                }
            }
        }
    }
    quotients.sum
}

/// The products and quotients of a block of N entries, and the sum of x·ln(x / p) over all blocks.
struct Quotients<T, const N: usize> {
    products: [T; N],
    quotients: [T; N],
    sum: f64,
}

impl<T: Real, const N: usize> Quotients<T, N> {
    #[inline(always)]
    fn new() -> Self {
        Quotients { products: [T::ZERO; N], quotients: [T::ZERO; N], sum: 0.0 }
    }

    /// From the values and the products of a block, which may be shorter than N, to its quotients. What the
    /// products hold beyond the values does not matter.
    #[inline(always)]
    fn divide<const FMA: bool>(&mut self, values: &[T]) {
        let mut padded = [T::ZERO; N];
        let values: &[T; N] = match values.try_into() {
            Ok(values) => values,
            Err(_) => {
                padded[..values.len()].copy_from_slice(values);
                &padded
            }
        };
        for i in 0..N {
            self.products[i] = self.products[i].max(T::MIN_POSITIVE);
            self.quotients[i] = values[i] / self.products[i];
        }
        self.sum += sum_of_logarithms::<T, N, FMA>(values, &self.products, &self.quotients);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::gather::tests::{COLUMNS, Example, difference, factor};
    use crate::kernels::simd::{Level, dispatch_at};

    /// The largest difference of the kernel from plain `f64` loops, over some rows.
    fn worst_difference<T: Real>(level: Level, k: usize, range: Range<usize>) -> f64 {
        let example = Example::<T>::new();
        let rows = example.rows();
        let (own, other) = (factor::<T>(25, k, 7), factor::<T>(COLUMNS, k, 11));
        let mut out = vec![T::ONE; range.len() * k];
        let ratio = RatioTimes { rows, range: range.clone(), own: &own, other: &other, k, out: &mut out };
        let sum = dispatch_at(level, ratio);
        let (mut expected, mut expected_sum) = (vec![0.0; range.len() * k], 0.0);
        for i in range.clone() {
            for e in rows.offsets[i]..rows.offsets[i + 1] {
                let (j, x) = (rows.indices[e] as usize, rows.values[e].to_f64());
                let p: f64 = (0..k).map(|c| own[i * k + c].to_f64() * other[j * k + c].to_f64()).sum();
                expected_sum += if x > 0.0 { x * (x / p).ln() } else { 0.0 };
                for c in 0..k {
                    expected[(i - range.start) * k + c] += x / p * other[j * k + c].to_f64();
                }
            }
        }
        difference(&out, &expected).max(difference(&[T::from_f64(sum)], &[expected_sum]))
    }

    #[test]
    fn every_level_and_every_width_gives_the_quotients_of_the_plain_loop() {
        for level in Level::available() {
            for k in (1..=70).chain([128, 131]) {
                let double = worst_difference::<f64>(level, k, 3..25);
                assert!(double <= 1e-13, "{level:?}, k = {k}, f64: {double}");
                let single = worst_difference::<f32>(level, k, 3..25);
                assert!(single <= 2e-5, "{level:?}, k = {k}, f32: {single}");
            }
        }
    }

    #[test]
    fn rows_without_entries_get_zeros_wherever_they_are() {
        for level in Level::available() {
            for range in [0..25, 6..7, 5..7, 6..9, 0..1, 12..12, 4..25] {
                for k in [3, 20, 70] {
                    let found = worst_difference::<f64>(level, k, range.clone());
                    assert!(found <= 1e-13, "{level:?}, k = {k}, rows {range:?}: {found}");
                }
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
