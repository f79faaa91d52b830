//! Products of sparse rows with a dense factor, by gathering the rows of the factor.
//!
//! ```text
//! out[i, :] = Σ_e x_e · V[j_e, :]   over the stored entries e of row i
//! ```
//!
//! Two things make these fast. The accumulators of an output row stay in registers: k is cut into pieces
//! whose widths are known at compile time. And the factor's rows, which lie scattered in memory, are
//! prefetched some entries ahead. A piece is read in full multiples of four values; what lies beyond row j is
//! the start of row j + 1 and lands in accumulators that are never stored, so k needs no padding.

use std::ops::Range;

use crate::foundation::{Real, once};
use crate::kernels::simd::{Kernel, dispatch, multiply_add, prefetch};

/// How many entries ahead of its use a piece of the factor is asked for: far enough for memory to answer,
/// near enough for what was asked for to be in the first-level cache still.
const fn ahead(bytes: usize) -> usize {
    let fits = ASKED_BYTES / bytes;
    if fits < MOST_AHEAD { fits } else { MOST_AHEAD }
}

const MOST_AHEAD: usize = 32;
const ASKED_BYTES: usize = 8192;
/// The widest piece.
pub(super) const WIDEST: usize = 64;

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

    /// The entries, from the first of `entries` on, that belong to one row; `row` is moved on to that row.
    #[inline(always)]
    pub(super) fn part(&self, row: &mut usize, entries: Range<usize>) -> Range<usize> {
        while self.offsets[*row + 1] <= entries.start {
            *row += 1;
        }
        entries.start..self.offsets[*row + 1].min(entries.end)
    }

    /// The entries of some rows in blocks of `size`, the last one shorter.
    #[inline(always)]
    pub(super) fn blocks(
        &self,
        rows: Range<usize>,
        size: usize,
    ) -> impl Iterator<Item = Range<usize>> + use<T> {
        let end = self.offsets[rows.end];
        (self.offsets[rows.start]..end).step_by(size).map(move |start| start..(start + size).min(end))
    }

    /// For each of some entries the index of the one [`ahead`] of it, to ask for a piece of so many bytes
    /// (near the end, its own).
    #[inline(always)]
    pub(super) fn ahead(&self, entries: Range<usize>, bytes: usize) -> &[u32] {
        let distance = ahead(bytes);
        let ahead = self.indices.get(entries.start + distance..entries.end + distance);
        ahead.unwrap_or(&self.indices[entries])
    }
}

/// `B` vectors of `L` values. Nested, because the compiler keeps these in vector registers at every size,
/// which it does not do for one long array.
pub(super) type Vectors<T, const B: usize, const L: usize> = [[T; L]; B];

/// Runs `$piece::<T, B, L, FMA>($arguments)` with the smallest width B · L that holds `$width` columns. For
/// processors without fused multiply-add, which are old, few widths do.
macro_rules! with_width {
    ($width:expr, $piece:ident($($argument:expr),*)) => {
        if FMA {
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
        } else {
            with_few_widths!($width, $piece($($argument),*))
        }
    };
}

/// As [`with_width`] with fewer widths, for what takes little of the time of a fit. The lanes L, which decide
/// the order of sums, are those of `with_width`.
macro_rules! with_few_widths {
    ($width:expr, $piece:ident($($argument:expr),*)) => {
        match $width {
            1..=4 | 9..=12 | 17..=20 => $piece::<T, 5, 4, FMA>($($argument),*),
            5..=8 | 13..=16 => $piece::<T, 2, 8, FMA>($($argument),*),
            21..=32 => $piece::<T, 4, 8, FMA>($($argument),*),
            _ => $piece::<T, 8, 8, FMA>($($argument),*),
        }
    };
}

pub(super) use {with_few_widths, with_width};

/// `B` · `L` values of the factor from `start` on. Where the factor ends earlier, `spare` is filled with the
/// rest and zeros.
#[inline(always)]
pub(super) fn piece_of<'a, T: Real, const B: usize, const L: usize>(
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

once! {
    /// Runs [`Times`] at the best level of the processor.
    pub(crate) Gather<'a, T>(times: Times<'a, T>) -> () {
        dispatch(times);
    }
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

/// The columns `first .. first + width` of [`Times`], width ≤ B · L.
#[inline(always)]
fn times_piece<T: Real, const B: usize, const L: usize, const FMA: bool>(
    times: &mut Times<'_, T>,
    first: usize,
    width: usize,
) {
    if times.k == B * L {
        times_whole::<T, B, L, FMA>(times);
        return;
    }
    let Times { rows, range, factor, k, out } = times;
    let (factor, k) = (*factor, *k);
    let mut spare = [[T::ZERO; L]; B];
    for (i, out) in range.clone().zip(out.chunks_exact_mut(k)) {
        let entries = rows.entries(i);
        let (indices, values) = (&rows.indices[entries.clone()], &rows.values[entries.clone()]);
        let mut sums = [[T::ZERO; L]; B];
        for ((j, x), ahead) in indices.iter().zip(values).zip(rows.ahead(entries, size_of_val(&sums))) {
            prefetch(factor, *ahead as usize * k + first, B * L);
            let v = piece_of::<T, B, L>(factor, *j as usize * k + first, &mut spare);
            add_multiple::<T, B, L, FMA>(&mut sums, *x, v);
        }
        store(&sums, &mut out[first..first + width]);
    }
}

/// [`Times`] for k = B · L: the factor is a list of pieces.
#[inline(always)]
fn times_whole<T: Real, const B: usize, const L: usize, const FMA: bool>(times: &mut Times<'_, T>) {
    let Times { rows, range, factor, out, .. } = times;
    let pieces = factor.as_chunks::<L>().0.as_chunks::<B>().0;
    for (i, out) in range.clone().zip(out.as_chunks_mut::<L>().0.as_chunks_mut::<B>().0) {
        let entries = rows.entries(i);
        let (indices, values) = (&rows.indices[entries.clone()], &rows.values[entries.clone()]);
        let mut sums = [[T::ZERO; L]; B];
        for ((j, x), ahead) in indices.iter().zip(values).zip(rows.ahead(entries, size_of_val(&sums))) {
            prefetch(pieces, *ahead as usize, 1);
            add_multiple::<T, B, L, FMA>(&mut sums, *x, &pieces[*j as usize]);
        }
        *out = sums;
    }
}

/// The first values of `sums`, as many as `out` has room for. Whole vectors are stored as such: a copy of a
/// length that is known only at run time is a call.
#[inline(always)]
fn store<T: Real, const B: usize, const L: usize>(sums: &Vectors<T, B, L>, out: &mut [T]) {
    let (whole, rest) = out.as_chunks_mut::<L>();
    for b in 0..B {
        if let Some(out) = whole.get_mut(b) {
            *out = sums[b];
        }
    }
    if !rest.is_empty() {
        let last = &sums[whole.len()];
        rest.iter_mut().zip(last).for_each(|(out, sum)| *out = *sum);
    }
}

/// `sums += x · v`.
#[inline(always)]
pub(super) fn add_multiple<T: Real, const B: usize, const L: usize, const FMA: bool>(
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

const LANES: usize = 8;

/// a · b in eight interleaved sums.
#[inline(always)]
pub(super) fn dot<T: Real, const FMA: bool>(a: &[T], b: &[T]) -> T {
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

/// a · b in `f64`, in `L` interleaved sums.
#[inline(always)]
pub(super) fn wide_dot<T: Real, const L: usize, const FMA: bool>(a: &[T], b: &[T]) -> f64 {
    let (a_blocks, a_rest) = a.as_chunks::<L>();
    let (b_blocks, b_rest) = b.as_chunks::<L>();
    let mut lanes = [0.0; L];
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for l in 0..L {
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
pub(super) fn fold<T: Real, const L: usize>(mut lanes: [T; L]) -> T {
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
pub(super) mod tests {
    use super::*;
    use crate::kernels::simd::{Level, dispatch_at};

    /// 25 rows over [`COLUMNS`] columns, every sixth of them empty and every seventh nearly full.
    pub(in crate::kernels) struct Example<T> {
        pub(in crate::kernels) offsets: Vec<usize>,
        pub(in crate::kernels) indices: Vec<u32>,
        pub(in crate::kernels) values: Vec<T>,
    }

    pub(in crate::kernels) const COLUMNS: usize = 151;

    impl<T: Real> Example<T> {
        pub(in crate::kernels) fn new() -> Self {
            let mut example = Example { offsets: vec![0], indices: vec![], values: vec![] };
            for i in 0..25usize {
                let last = |j: usize| j == COLUMNS - 1 && i % 2 == 1;
                let filled = |j: usize| i % 6 > 0 && (i % 7 == 4 && j > 2 || (j * 7 + i * 3) % 23 < i % 6);
                for j in (0..COLUMNS).filter(|j| filled(*j) || last(*j)) {
                    example.indices.push(j as u32);
                    example.values.push(T::from_f64(((i * 13 + j * 5) % 17) as f64 / 4.0));
                }
                example.offsets.push(example.indices.len());
            }
            example
        }

        pub(in crate::kernels) fn rows(&self) -> Rows<'_, T> {
            Rows { offsets: &self.offsets, indices: &self.indices, values: &self.values }
        }
    }

    pub(in crate::kernels) fn factor<T: Real>(rows: usize, k: usize, step: usize) -> Vec<T> {
        (0..rows * k).map(|i| T::from_f64(((i * step) % 29 + 1) as f64 / 31.0)).collect()
    }

    /// The largest difference, relative to the largest number that was expected.
    pub(in crate::kernels) fn difference<T: Real>(found: &[T], expected: &[f64]) -> f64 {
        let scale = expected.iter().fold(1e-300, |m: f64, v| m.max(v.abs()));
        found.iter().zip(expected).fold(0.0, |m: f64, (f, e)| m.max((f.to_f64() - e).abs())) / scale
    }

    /// The largest difference of the kernel from plain `f64` loops.
    fn worst_difference<T: Real>(level: Level, k: usize) -> f64 {
        let example = Example::<T>::new();
        let other = factor::<T>(COLUMNS, k, 11);
        let range = 3..25;
        let mut times = vec![T::ONE; 22 * k];
        let rows = example.rows();
        dispatch_at(level, Times { rows, range: range.clone(), factor: &other, k, out: &mut times });
        let mut expected = vec![0.0; 22 * k];
        for i in range {
            for e in rows.entries(i) {
                let (j, x) = (rows.indices[e] as usize, rows.values[e].to_f64());
                for c in 0..k {
                    expected[(i - 3) * k + c] += x * other[j * k + c].to_f64();
                }
            }
        }
        difference(&times, &expected)
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
}
