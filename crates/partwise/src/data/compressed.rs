//! Compressed rows: the storage of sparse data, and of its transpose.

use std::borrow::Cow;
use std::ops::{Deref, Range};

use bytemuck::Pod;

use super::pages::Pages;
use crate::foundation::{Error, Real, Result};
use crate::kernels::ascending::is_ascending;
use crate::kernels::gather::Rows;
use crate::kernels::simd::prefetch;

/// Stored values in a chunk of rows, and the most rows it may have: enough work for a thread to be worth
/// calling.
const CHUNK_VALUES: usize = 1 << 15;
const CHUNK_ROWS: usize = 2048;
/// How many entries ahead of its use the place of an entry in the transpose is asked for.
const PLACES_AHEAD: usize = 24;
/// Columns that the transpose fills at a time, and the entries of a row that a block should have on average.
const COLUMNS_IN_BLOCK: usize = 512;
const LEAST_RUN: usize = 8;
/// How many rows ahead of its use the next entry of a row is asked for.
const ROWS_AHEAD: usize = 12;

/// Rows of (index, value): row `i` has the entries `offsets[i]..offsets[i + 1]`, indices ascending once
/// [`Compressed::in_order`] has been called.
#[derive(Clone)]
pub(super) struct Compressed<'a, T: Real> {
    pub(super) offsets: Cow<'a, [usize]>,
    pub(super) indices: Stored<'a, u32>,
    pub(super) values: Stored<'a, T>,
}

/// Numbers in a slice of the caller's or a vector, or in pages of their own.
pub(super) enum Stored<'a, N: Pod> {
    Given(Cow<'a, [N]>),
    Own(Pages<N>),
}

impl<N: Pod> Deref for Stored<'_, N> {
    type Target = [N];

    fn deref(&self) -> &[N] {
        match self {
            Stored::Given(values) => values,
            Stored::Own(pages) => pages,
        }
    }
}

impl<N: Pod> Clone for Stored<'_, N> {
    fn clone(&self) -> Self {
        match self {
            Stored::Given(values) => Stored::Given(values.clone()),
            Stored::Own(pages) => Stored::Given(Cow::Owned(pages.to_vec())),
        }
    }
}

impl<N: Pod> Stored<'_, N> {
    fn owned_bytes(&self) -> usize {
        if matches!(self, Stored::Given(Cow::Borrowed(_))) { 0 } else { size_of_val(&**self) }
    }
}

impl<'a, T: Real> Compressed<'a, T> {
    /// Of vectors of our own, without the room that they grew with.
    pub(super) fn of_vectors(offsets: Vec<usize>, mut indices: Vec<u32>, mut values: Vec<T>) -> Self {
        indices.shrink_to_fit();
        values.shrink_to_fit();
        let (indices, values) = (Stored::Given(Cow::Owned(indices)), Stored::Given(Cow::Owned(values)));
        Compressed { offsets: Cow::Owned(offsets), indices, values }
    }

    /// Number of rows.
    fn n_rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The indices and values of row `i`.
    pub(super) fn row(&self, i: usize) -> (&[u32], &[T]) {
        let entries = self.offsets[i]..self.offsets[i + 1];
        (&self.indices[entries.clone()], &self.values[entries])
    }

    /// The rows as the kernels take them.
    pub(super) fn view(&self) -> Rows<'_, T> {
        Rows { offsets: &self.offsets, indices: &self.indices, values: &self.values }
    }

    /// Checks that these are `rows` rows with indices below `columns`; returns whether they ascend strictly.
    ///
    /// # Errors
    /// [`Error::MalformedSparse`], which names the array and the row.
    pub(super) fn check(&self, rows: usize, columns: usize) -> Result<bool> {
        let malformed = |message: String| Err(Error::MalformedSparse(message));
        let (offsets, stored) = (&self.offsets, self.values.len());
        if offsets.len() != rows + 1 {
            return malformed(format!(
                "indptr has {} entries, but {rows} rows need {}",
                offsets.len(),
                rows + 1
            ));
        }
        if self.indices.len() != stored {
            return malformed(format!(
                "there are {} column indices, but {stored} values",
                self.indices.len()
            ));
        }
        if offsets[0] != 0 {
            return malformed(format!("indptr starts with {}, but must start with 0", offsets[0]));
        }
        if let Some(i) = (0..rows).find(|i| offsets[*i] > offsets[*i + 1]) {
            return malformed(format!(
                "indptr falls from {} to {} at row {i}, but must not fall",
                offsets[i],
                offsets[i + 1]
            ));
        }
        if offsets[rows] != stored {
            return malformed(format!(
                "indptr ends with {}, but there are {stored} stored values",
                offsets[rows]
            ));
        }
        // Of indices that ascend, the last of each row tells.
        if is_ascending(offsets, &self.indices) {
            let below = |i: usize| self.row(i).0.last().is_none_or(|last| (*last as usize) < columns);
            if (0..rows).all(below) {
                return Ok(true);
            }
        }
        // The largest first: looking for the place of a fault entry by entry is slow, and there hardly ever
        // is one.
        let largest = self.indices.iter().fold(0, |largest, j| largest.max(*j));
        if largest as usize >= columns && stored > 0 {
            let at = self.indices.iter().position(|j| *j as usize >= columns).expect("the largest is one");
            let (j, i) = (self.indices[at], offsets.partition_point(|offset| *offset <= at) - 1);
            return malformed(format!(
                "row {i} has an entry in column {j} (counted from 0), but there are {columns} columns"
            ));
        }
        Ok(false)
    }

    /// The same rows with strictly ascending indices, entries of equal index summed in their order; and how
    /// many entries were added to another. Nothing is copied when the rows are so already.
    pub(super) fn in_order(self) -> (Self, usize) {
        if is_ascending(&self.offsets, &self.indices) {
            return (self, 0);
        }
        let mut ordered = Building::with_capacity(self.n_rows(), self.values.len());
        let mut entries: Vec<(u32, T)> = Vec::new();
        for i in 0..self.n_rows() {
            let (indices, values) = self.row(i);
            entries.clear();
            entries.extend(indices.iter().copied().zip(values.iter().copied()));
            // A stable sort: equal indices keep the order in which they are summed.
            entries.sort_by_key(|(j, _)| *j);
            for group in entries.chunk_by(|a, b| a.0 == b.0) {
                let value = match group {
                    [(_, only)] => *only,
                    _ => T::from_f64(group.iter().map(|(_, x)| x.to_f64()).sum()),
                };
                ordered.push(group[0].0, value);
            }
            ordered.end_row();
        }
        let duplicates = self.values.len() - ordered.values.len();
        (ordered.finish(), duplicates)
    }

    /// Rows from (row, index, value); equal rows keep their order.
    pub(super) fn from_triplets(rows: usize, triplets: &[(u32, u32, T)]) -> Self {
        let mut sort = CountingSort::new(rows, triplets.iter().map(|(i, _, _)| *i));
        let mut places = sort.places();
        for (i, j, x) in triplets {
            places.fill(*i, *j, *x);
        }
        sort.finish()
    }

    /// The transpose, `columns` rows with ascending indices; the indices of each row must ascend.
    ///
    /// Outside of large pages block by block of columns, each row going on where it stood: so the places that
    /// are written to in a block are few enough for their pages and lines to stay near, where all columns at
    /// once are a miss for every entry.
    pub(super) fn transposed(&self, columns: usize) -> Compressed<'static, T> {
        let (rows, stored) = (self.n_rows(), self.values.len());
        let mut sort = CountingSort::new(columns, self.indices.iter().copied());
        let blocks = columns.div_ceil(COLUMNS_IN_BLOCK).min(stored / (LEAST_RUN * rows.max(1))).max(1);
        // In large pages all places are near.
        let blocks = if sort.values.are_large() { 1 } else { blocks };
        let mut next: Vec<usize> = self.offsets[..rows].to_vec();
        let mut places = sort.places();
        let (all_indices, all_values) = (&*self.indices, &*self.values);
        for block in 1..=blocks {
            let end = (columns as u64 * block as u64 / blocks as u64) as u32;
            for i in 0..rows {
                if let Some(ahead) = next.get(i + ROWS_AHEAD) {
                    prefetch(all_indices, *ahead, LEAST_RUN);
                    prefetch(all_values, *ahead, LEAST_RUN);
                }
                let (indices, values) =
                    (&all_indices[..self.offsets[i + 1]], &all_values[..self.offsets[i + 1]]);
                let mut at = next[i];
                while at < indices.len() && indices[at] < end {
                    // The places of a block still lie scattered: asked for early, many of them are on their
                    // way at a time.
                    if blocks == 1
                        && let Some(ahead) = all_indices.get(at + PLACES_AHEAD)
                    {
                        places.look_ahead(*ahead);
                    }
                    places.fill(indices[at], i as u32, values[at]);
                    at += 1;
                }
                next[i] = at;
            }
        }
        sort.finish()
    }

    /// Chunks of about [`CHUNK_VALUES`] stored values and at most [`CHUNK_ROWS`] rows, in order, covering all
    /// rows.
    pub(super) fn chunks(&self) -> Vec<Range<usize>> {
        let mut chunks = Vec::new();
        let mut start = 0;
        for i in 0..self.n_rows() {
            let full = self.offsets[i + 1] - self.offsets[start] >= CHUNK_VALUES;
            if full || i + 1 - start == CHUNK_ROWS || i + 1 == self.n_rows() {
                chunks.push(start..i + 1);
                start = i + 1;
            }
        }
        chunks
    }

    /// Row `q` = `scale[q]` · the sum of the rows `members[q]`, in `f64` in their order; indices are below
    /// `columns`.
    pub(super) fn grouped(
        &self,
        columns: usize,
        members: &[Vec<usize>],
        scale: &[f64],
    ) -> Compressed<'static, T> {
        let mut merged = Building::with_capacity(members.len(), self.values.len());
        let mut sums = vec![0.0; columns];
        let mut is_set = vec![false; columns];
        let mut set: Vec<u32> = Vec::new();
        for (members, scale) in members.iter().zip(scale) {
            for i in members {
                let (indices, values) = self.row(*i);
                for (j, x) in indices.iter().zip(values) {
                    let at = *j as usize;
                    // The first value is copied, not added to zero: so a row that is alone keeps its bits.
                    if is_set[at] {
                        sums[at] += x.to_f64();
                    } else {
                        sums[at] = x.to_f64();
                        is_set[at] = true;
                        set.push(*j);
                    }
                }
            }
            set.sort_unstable();
            for j in set.drain(..) {
                merged.push(j, T::from_f64(sums[j as usize] * scale));
                is_set[j as usize] = false;
            }
            merged.end_row();
        }
        merged.finish()
    }

    /// Bytes of the arrays that are owned.
    pub(super) fn owned_bytes(&self) -> usize {
        let owned = matches!(self.offsets, Cow::Owned(_));
        let offsets = if owned { size_of_val(&*self.offsets) } else { 0 };
        offsets + self.indices.owned_bytes() + self.values.owned_bytes()
    }
}

/// Rows that are appended one by one.
struct Building<T> {
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
}

impl<T: Real> Building<T> {
    fn with_capacity(rows: usize, stored: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        Building { offsets, indices: Vec::with_capacity(stored), values: Vec::with_capacity(stored) }
    }

    fn push(&mut self, index: u32, value: T) {
        self.indices.push(index);
        self.values.push(value);
    }

    fn end_row(&mut self) {
        self.offsets.push(self.values.len());
    }

    fn finish(mut self) -> Compressed<'static, T> {
        // Merging leaves far fewer entries than there was room for.
        self.indices.shrink_to_fit();
        self.values.shrink_to_fit();
        Compressed::of_vectors(self.offsets, self.indices, self.values)
    }
}

/// Entries put into rows in two passes: count, then place. Entries of a row keep the order in which they
/// come.
struct CountingSort<T> {
    /// Where the next entry of each row goes.
    next: Vec<usize>,
    offsets: Vec<usize>,
    indices: Pages<u32>,
    values: Pages<T>,
}

impl<T: Real> CountingSort<T> {
    fn new(rows: usize, row_of_entries: impl ExactSizeIterator<Item = u32>) -> Self {
        let stored = row_of_entries.len();
        let mut offsets = vec![0; rows + 1];
        for i in row_of_entries {
            offsets[i as usize + 1] += 1;
        }
        for i in 0..rows {
            offsets[i + 1] += offsets[i];
        }
        CountingSort {
            next: offsets[..rows].to_vec(),
            offsets,
            indices: Pages::zeroed(stored),
            values: Pages::zeroed(stored),
        }
    }

    fn places(&mut self) -> Places<'_, T> {
        Places { next: &mut self.next, indices: &mut self.indices, values: &mut self.values }
    }

    fn finish(self) -> Compressed<'static, T> {
        Compressed {
            offsets: Cow::Owned(self.offsets),
            indices: Stored::Own(self.indices),
            values: Stored::Own(self.values),
        }
    }
}

/// Where entries go.
struct Places<'a, T> {
    next: &'a mut [usize],
    indices: &'a mut [u32],
    values: &'a mut [T],
}

impl<T: Real> Places<'_, T> {
    fn fill(&mut self, row: u32, index: u32, value: T) {
        let at = self.next[row as usize];
        self.indices[at] = index;
        self.values[at] = value;
        self.next[row as usize] += 1;
    }

    /// Asks for the place where the next entry of a row goes.
    fn look_ahead(&self, row: u32) {
        let at = self.next[row as usize];
        prefetch(self.indices, at, 1);
        prefetch(self.values, at, 1);
    }
}

/// The columns in `count` ranges of about equally many entries.
pub(super) fn shared_columns(indices: &[u32], features: usize, count: usize) -> Vec<Range<usize>> {
    let count = count.clamp(1, features);
    let mut entries = vec![0_usize; features];
    if count > 1 {
        indices.iter().for_each(|j| entries[*j as usize] += 1);
    }
    let (mut ranges, mut start, mut seen) = (Vec::with_capacity(count), 0, 0);
    for (j, n) in entries.iter().enumerate() {
        seen += n;
        let left = count - ranges.len();
        if left > 1 && seen * count >= indices.len() * (ranges.len() + 1) && features - j > left - 1 {
            ranges.push(start..j + 1);
            start = j + 1;
        }
    }
    if start < features {
        ranges.push(start..features);
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of every `step`-th column or so; each tenth row is empty.
    fn rows(n: usize, columns: usize, step: usize) -> Compressed<'static, f64> {
        let mut building = Building::with_capacity(n, 0);
        for i in 0..n {
            for j in (i % step..columns).step_by(step).filter(|_| i % 10 != 9) {
                building.push(j as u32, (i * columns + j) as f64);
            }
            building.end_row();
        }
        building.finish()
    }

    #[test]
    fn the_transpose_has_every_entry_in_its_place_in_one_block_of_columns_and_in_several() {
        // The last one is large enough for pages of its own.
        let shapes =
            [(5, 7, 2), (40, 2000, 17), (40, 2000, 400), (3, 513, 1), (300, 1025, 3), (600, 2000, 1)];
        for (n, columns, step) in shapes {
            let rows = rows(n, columns, step);
            let turned = rows.transposed(columns);
            let mut expected = vec![Vec::new(); columns];
            for i in 0..n {
                let (indices, values) = rows.row(i);
                indices.iter().zip(values).for_each(|(j, x)| expected[*j as usize].push((i as u32, *x)));
            }
            for (j, expected) in expected.iter().enumerate() {
                let (indices, values) = turned.row(j);
                let found: Vec<(u32, f64)> = indices.iter().copied().zip(values.iter().copied()).collect();
                assert_eq!(&found, expected, "column {j} of {columns}");
            }
            assert_eq!(turned.values.len(), rows.values.len());
        }
    }
}
