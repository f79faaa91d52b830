//! Products of the transpose of sparse rows with a dense factor, row by row, without storing the columns.
//!
//! ```text
//! out[j, :] += x_e · U[i, :]   over the stored entries e = (i, j) with j in a range of columns
//! ```
//!
//! Each row of `out` is summed in the order of the rows, one fused multiply-add after the other, as a gather
//! from stored columns does ([`gather`](super::gather)): both give the same bits.

use std::ops::Range;

use crate::foundation::{Real, once};
use crate::kernels::gather::{Rows, WIDEST, add_multiple, with_few_widths, with_width};
use crate::kernels::simd::{Kernel, dispatch, multiply_add, prefetch};

/// How many entries ahead of its use a row of the output is asked for.
const AHEAD: usize = 12;

once! {
    /// Runs [`TransposeTimes`] at the best level of the processor.
    pub(crate) Scatter<'a, T>(times: TransposeTimes<'a, T>) -> () {
        dispatch(times);
    }
}

/// `out` (columns.len() × k) += X[:, columns]ᵀ · factor (rows × k, row-major). The indices of each row
/// ascend.
pub(crate) struct TransposeTimes<'a, T> {
    pub(crate) rows: Rows<'a, T>,
    pub(crate) columns: Range<usize>,
    pub(crate) factor: &'a [T],
    pub(crate) k: usize,
    pub(crate) out: &'a mut [T],
}

impl<T: Real> Kernel for TransposeTimes<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(mut self) {
        if self.k <= WIDEST {
            let width = self.k;
            with_width!(width, scatter(&mut self));
            return;
        }
        let (k, mut shares) = (self.k, [0.0, 1.0]);
        for i in 0..self.rows.offsets.len() - 1 {
            let row = &self.factor[i * k..(i + 1) * k];
            let (indices, values) = self.entries(i, &mut shares);
            for (j, x) in indices.iter().zip(values) {
                let at = (*j as usize - self.columns.start) * k;
                for (out, u) in self.out[at..at + k].iter_mut().zip(row) {
                    *out = multiply_add::<T, FMA>(*x, *u, *out);
                }
            }
        }
    }
}

impl<'a, T: Real> TransposeTimes<'a, T> {
    /// The entries of row `i` in the columns. The searches begin where those of the last row ended (as shares
    /// of its length): columns are alike from row to row, and each step of a search waits for memory.
    #[inline(always)]
    fn entries(&self, i: usize, shares: &mut [f64; 2]) -> (&'a [u32], &'a [T]) {
        let entries = self.rows.offsets[i]..self.rows.offsets[i + 1];
        let (indices, values) = (&self.rows.indices[entries.clone()], &self.rows.values[entries]);
        let length = indices.len() as f64;
        let first = first_from(indices, self.columns.start, (shares[0] * length) as usize);
        let end = first_from(indices, self.columns.end, (shares[1] * length) as usize);
        if !indices.is_empty() {
            *shares = [first as f64 / length, end as f64 / length];
        }
        (&indices[first..end], &values[first..end])
    }
}

/// The place of the first index that is `least` or more, sought from `guess` in steps that double.
#[inline(always)]
fn first_from(indices: &[u32], least: usize, guess: usize) -> usize {
    let is_below = |at: usize| (indices[at] as usize) < least;
    let (count, guess) = (indices.len(), guess.min(indices.len()));
    let (mut low, mut high, mut step) = (guess, guess, 1);
    if guess < count && is_below(guess) {
        while low + step < count && is_below(low + step) {
            low += step;
            step *= 2;
        }
        high = (low + step).min(count);
    } else {
        while high >= step && !is_below(high - step) {
            high -= step;
            step *= 2;
        }
        low = high.saturating_sub(step);
    }
    low + indices[low..high].partition_point(|j| (*j as usize) < least)
}

/// The product for k ≤ B · L. Full vectors are added: beyond k there are zeros, which change nothing of the
/// next rows of the output.
#[inline(always)]
fn scatter<T: Real, const B: usize, const L: usize, const FMA: bool>(times: &mut TransposeTimes<'_, T>) {
    let (k, start) = (times.k, times.columns.start);
    let mut row = [[T::ZERO; L]; B];
    let mut shares = [0.0, 1.0];
    for i in 0..times.rows.offsets.len() - 1 {
        row.as_flattened_mut()[..k].copy_from_slice(&times.factor[i * k..(i + 1) * k]);
        let (indices, values) = times.entries(i, &mut shares);
        for (at, (j, x)) in indices.iter().zip(values).enumerate() {
            if let Some(ahead) = indices.get(at + AHEAD) {
                prefetch(times.out, (*ahead as usize - start) * k, B * L);
            }
            let place = (*j as usize - start) * k;
            if let Some(out) = times.out[place..].first_chunk_mut_of::<B, L>() {
                let mut sums = *out;
                add_multiple::<T, B, L, FMA>(&mut sums, *x, &row);
                *out = sums;
                continue;
            }
            for (out, u) in times.out[place..place + k].iter_mut().zip(row.as_flattened()) {
                *out = multiply_add::<T, FMA>(*x, *u, *out);
            }
        }
    }
}

/// The first B · L values of a slice as vectors.
trait FirstChunk<T> {
    fn first_chunk_mut_of<const B: usize, const L: usize>(&mut self) -> Option<&mut [[T; L]; B]>;
}

impl<T> FirstChunk<T> for [T] {
    #[inline(always)]
    fn first_chunk_mut_of<const B: usize, const L: usize>(&mut self) -> Option<&mut [[T; L]; B]> {
        self.as_chunks_mut::<L>().0.first_chunk_mut::<B>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_finds_the_same_place_from_every_guess() {
        for indices in [vec![], vec![4], vec![0, 1, 5, 6, 7, 20, 21, 22, 23, 40]] {
            for least in 0..45 {
                let expected = indices.partition_point(|j| (*j as usize) < least);
                for guess in 0..15 {
                    assert_eq!(
                        first_from(&indices, least, guess),
                        expected,
                        "{least} in {indices:?}, {guess}"
                    );
                }
            }
        }
    }
}
