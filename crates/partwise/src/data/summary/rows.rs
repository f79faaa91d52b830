//! Rows added to a summary: many at a time where none has a fault, as nearly all are.

use super::Summary;
use super::pass::{LANES, Pass, RowSums};
use crate::foundation::{Real, interrupt};
use crate::kernels::gather::Rows;
use crate::kernels::simd::{Kernel, dispatch};

impl Summary {
    /// Of rows that are stored one after the other, `features` values each.
    ///
    /// All sums run in row order in `f64`, those of a row by the place of its columns, so a zero adds
    /// nothing, and dense and sparse forms of one matrix have equal summaries.
    pub(in crate::data) fn of_dense<T: Real>(samples: usize, features: usize, values: &[T]) -> Self {
        let mut pass = Pass::new(samples, features);
        pass.dense_rows(0, values);
        pass.finish(samples, features)
    }

    /// Of sparse rows, columns ascending.
    pub(in crate::data) fn of_sparse<T: Real>(samples: usize, features: usize, rows: Rows<'_, T>) -> Self {
        let mut pass = Pass::new(samples, features);
        pass.sparse_rows(0, rows);
        pass.finish(samples, features)
    }
}

/// Up to so many rows or values are looked at for faults at once.
const GROUP_ROWS: usize = 64;
const GROUP_VALUES: usize = 4096;

/// Rows whose sums are added up over the lanes at once.
const ROWS_TOTALLED: usize = 8;

impl Pass {
    /// Adds rows that are stored one after the other; `first` is the number of the first.
    pub(in crate::data) fn dense_rows<T: Real>(&mut self, first: usize, values: &[T]) {
        dispatch(DenseRows { pass: self, first, values });
    }

    /// Adds sparse rows; `first` is the number of the first.
    pub(in crate::data) fn sparse_rows<T: Real>(&mut self, first: usize, rows: Rows<'_, T>) {
        dispatch(SparseRows { pass: self, first, rows });
    }
}

/// Rows that are stored one after the other, added to a summary.
struct DenseRows<'p, 'v, T> {
    pass: &'p mut Pass,
    first: usize,
    values: &'v [T],
}

impl<T: Real> Kernel for DenseRows<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let DenseRows { pass, first, values } = self;
        let features = pass.summary.column_sums.len();
        // The columns beyond the last stay 0.
        let mut columns = vec![0.0; features.next_multiple_of(LANES)];
        columns[..features].copy_from_slice(&pass.summary.column_sums);
        let group = (GROUP_VALUES / features).clamp(1, GROUP_ROWS);
        for (first, rows) in (first..).step_by(group).zip(values.chunks(group * features)) {
            interrupt::check();
            if let Some(seen) = Seen::of(rows) {
                pass.plain_values(rows.len(), seen.non_zeros, seen.max);
                plain_rows(pass, first, rows, &mut columns);
                continue;
            }
            pass.summary.column_sums.copy_from_slice(&columns[..features]);
            for (i, row) in (first..).zip(rows.chunks_exact(features)) {
                pass.any_row(i, row.iter().map(|x| x.to_f64()).enumerate());
            }
            columns[..features].copy_from_slice(&pass.summary.column_sums);
        }
        pass.summary.column_sums.copy_from_slice(&columns[..features]);
    }
}

/// Adds dense rows without a fault, and adds them to the sums of columns.
#[inline(always)]
fn plain_rows<T: Real>(pass: &mut Pass, first: usize, values: &[T], columns: &mut [f64]) {
    let features = pass.summary.column_sums.len();
    let (blocks, last) = (features / LANES * LANES, features % LANES);
    // What is read beyond the last column are finite values of the next row.
    let mask = std::array::from_fn(|l| if l < last { 1.0 } else { 0.0 });
    let width = if last > 0 { blocks + LANES } else { blocks };
    let mut lanes = [[[0.0; LANES]; 2]; ROWS_TOTALLED];
    let mut spare = vec![T::ZERO; width];
    let rows = values.len() / features;
    for start in (0..rows).step_by(ROWS_TOTALLED) {
        let end = (start + ROWS_TOTALLED).min(rows);
        let mut row = start;
        while row < end {
            let Some(values) = values.get(row * features..row * features + width) else { break };
            row_lanes(values, mask, &mut lanes[row - start], columns);
            row += 1;
        }
        // After the last rows there is too little.
        for row in row..end {
            spare[..features].copy_from_slice(&values[row * features..(row + 1) * features]);
            row_lanes(&spare, mask, &mut lanes[row - start], columns);
        }
        // Over the lanes of several rows at once: the additions of one row wait for each other.
        let mut totals = [[0.0; ROWS_TOTALLED]; 2];
        for l in 0..LANES {
            for r in 0..ROWS_TOTALLED {
                totals[0][r] += lanes[r][0][l];
                totals[1][r] += lanes[r][1][l];
            }
        }
        for r in 0..end - start {
            pass.plain_row(first + start + r, [totals[0][r], totals[1][r]]);
        }
    }
}

/// The sums of a row, of whole blocks of values but for those of the last one that `mask` leaves out.
#[inline(always)]
fn row_lanes<T: Real>(row: &[T], mask: [f64; LANES], sums: &mut [[f64; LANES]; 2], columns: &mut [f64]) {
    let (mut sum, mut squares) = ([0.0; LANES], [0.0; LANES]);
    let whole = columns.len() - if mask[0] > 0.0 { LANES } else { 0 };
    let (row, last) = row.split_at(whole);
    let (columns, of_last) = columns.split_at_mut(whole);
    for (values, columns) in row.as_chunks::<LANES>().0.iter().zip(columns.as_chunks_mut::<LANES>().0) {
        add_lanes(values, [1.0; LANES], &mut sum, &mut squares, columns);
    }
    if let (Some(values), Some(columns)) = (last.first_chunk::<LANES>(), of_last.first_chunk_mut::<LANES>()) {
        add_lanes(values, mask, &mut sum, &mut squares, columns);
    }
    *sums = [sum, squares];
}

/// Adds values times 1 or 0 to the sums of their lanes and columns, and their squares to those of the lanes.
#[inline(always)]
fn add_lanes<T: Real>(
    values: &[T; LANES],
    mask: [f64; LANES],
    sum: &mut [f64; LANES],
    squares: &mut [f64; LANES],
    columns: &mut [f64; LANES],
) {
    for l in 0..LANES {
        let x = values[l].to_f64() * mask[l];
        sum[l] += x;
        squares[l] += x * x;
        columns[l] += x;
    }
}

/// Sparse rows, added to a summary.
struct SparseRows<'p, 'v, T> {
    pass: &'p mut Pass,
    first: usize,
    rows: Rows<'v, T>,
}

impl<T: Real> Kernel for SparseRows<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let SparseRows { pass, first, rows } = self;
        let mut totals = Vec::with_capacity(GROUP_ROWS);
        let mut start = 0;
        while start + 1 < rows.offsets.len() {
            interrupt::check();
            // Rows of no more values than are looked at once, but one at least.
            let ends = &rows.offsets[start + 1..];
            let most = rows.offsets[start] + GROUP_VALUES;
            let count = ends.iter().take(GROUP_ROWS).take_while(|end| **end <= most).count().max(1);
            let offsets = &rows.offsets[start..=start + count];
            let values = &rows.values[offsets[0]..offsets[count]];
            if let Some(seen) = Seen::of(values) {
                pass.plain_values(values.len(), seen.non_zeros, seen.max);
                totals.clear();
                let columns = &mut pass.summary.column_sums[..];
                for ends in offsets.windows(2) {
                    let entries = ends[0]..ends[1];
                    let mut sums = RowSums::new();
                    for (j, x) in rows.indices[entries.clone()].iter().zip(&rows.values[entries]) {
                        sums.add(*j as usize, x.to_f64());
                        columns[*j as usize] += x.to_f64();
                    }
                    totals.push(sums.total());
                }
                for (i, total) in (first + start..).zip(&totals) {
                    pass.plain_row(i, *total);
                }
            } else {
                for (i, ends) in (first + start..).zip(offsets.windows(2)) {
                    let entries = ends[0]..ends[1];
                    let entries = rows.indices[entries.clone()].iter().zip(&rows.values[entries]);
                    pass.any_row(i, entries.map(|(j, x)| (*j as usize, x.to_f64())));
                }
            }
            start += count;
        }
    }
}

/// Values that are seen side by side.
const SEEN: usize = 16;

/// What is seen of values without a fault in vectors, whatever their places.
struct Seen {
    max: f64,
    non_zeros: usize,
}

impl Seen {
    /// `None` where one is negative or not finite.
    #[inline(always)]
    fn of<T: Real>(values: &[T]) -> Option<Self> {
        let Some(first) = values.first() else { return Some(Seen { max: f64::NEG_INFINITY, non_zeros: 0 }) };
        let (mut faults, mut counts, mut largest) = ([0i32; SEEN], [0i32; SEEN], [*first; SEEN]);
        let (blocks, rest) = values.as_chunks::<SEEN>();
        for block in blocks {
            for l in 0..SEEN {
                let x = block[l];
                faults[l] |= 1 ^ i32::from(x >= T::ZERO);
                counts[l] += i32::from(x != T::ZERO);
                largest[l] = if x > largest[l] { x } else { largest[l] };
            }
        }
        for (l, x) in rest.iter().enumerate() {
            faults[l] |= 1 ^ i32::from(*x >= T::ZERO);
            counts[l] += i32::from(*x != T::ZERO);
            largest[l] = if *x > largest[l] { *x } else { largest[l] };
        }
        let max = largest.iter().fold(*first, |most, x| if *x > most { *x } else { most });
        // A value that isn't finite is NaN, which is not at least 0, or the largest.
        if faults.iter().any(|fault| *fault != 0) || !max.is_finite() {
            return None;
        }
        let max = max.to_f64();
        Some(Seen { max, non_zeros: counts.iter().map(|count| *count as usize).sum() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The summary of rows as each row gives it by itself.
    fn row_by_row(features: usize, values: &[f64]) -> Summary {
        let mut pass = Pass::new(values.len() / features, features);
        for (i, row) in values.chunks(features).enumerate() {
            pass.any_row(i, row.iter().copied().enumerate());
        }
        pass.finish(values.len() / features, features)
    }

    #[test]
    fn rows_that_are_summed_together_have_the_bits_of_single_rows() {
        for features in [1, 2, 3, 7, 8, 9, 20, 31, 64, 1000, 5000] {
            let rows = if features < 100 { 150 } else { 7 };
            let mut values: Vec<f64> = (0..rows * features)
                .map(|e| ((e * 37 + e / 11) % 29) as f64 / 7.3 * f64::from(e % 3 != 0))
                .collect();
            values[features..2 * features].fill(0.0);
            for fault in [None, Some(-0.5), Some(f64::NAN), Some(f64::INFINITY)] {
                let last = values.len() - 1;
                values[last] = fault.unwrap_or(1.5);
                let expected = format!("{:?}", row_by_row(features, &values));
                let dense = Summary::of_dense(rows, features, &values);
                assert_eq!(format!("{dense:?}"), expected, "{features} features, {fault:?}");
                let stored: Vec<usize> = (0..values.len()).filter(|e| values[*e] != 0.0).collect();
                let offsets: Vec<usize> =
                    (0..=rows).map(|i| stored.partition_point(|e| *e < i * features)).collect();
                let indices: Vec<u32> = stored.iter().map(|e| (e % features) as u32).collect();
                let of_stored: Vec<f64> = stored.iter().map(|e| values[*e]).collect();
                let compressed = Rows { offsets: &offsets, indices: &indices, values: &of_stored };
                let sparse = Summary::of_sparse(rows, features, compressed);
                assert_eq!(format!("{sparse:?}"), expected, "{features} sparse features, {fault:?}");
            }
        }
    }
}
