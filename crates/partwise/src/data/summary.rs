//! [`Summary`]: what one pass over the data finds.

use super::blocks::{Part, Processes};
use crate::foundation::{Real, interrupt};
use crate::kernels::gather::Rows;
use crate::kernels::simd::{Kernel, dispatch};

/// Sums, extremes and faults of a data matrix, from one pass over its stored values.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// Σ x over the finite entries.
    pub sum: f64,
    /// Σ x² over the finite entries (‖X‖²).
    pub squared_norm: f64,
    /// The largest finite entry; entries that are not stored count as 0 (0 for a matrix without finite
    /// entries).
    pub max: f64,
    /// How many entries are below zero (−∞ counts as infinite, not here).
    pub negative: usize,
    /// Row, column and value of the first negative entry (in row order).
    pub first_negative: Option<(usize, usize, f64)>,
    /// How many entries are not zero.
    pub non_zeros: usize,
    /// How many entries are NaN.
    pub nan: usize,
    /// How many entries are infinite.
    pub infinite: usize,
    /// Row and column of the first NaN or infinite entry (in row order).
    pub first_not_finite: Option<(usize, usize)>,
    /// Row sums over the finite entries (n).
    pub row_sums: Vec<f64>,
    /// Column sums over the finite entries (d).
    pub column_sums: Vec<f64>,
    /// Rows without a non-zero entry, ascending.
    pub zero_rows: Vec<usize>,
    /// Columns without a non-zero entry, ascending.
    pub zero_columns: Vec<usize>,
}

impl Summary {
    /// Of rows that are stored one after the other, `features` values each.
    ///
    /// All sums run in row order in `f64`, those of a row by the place of its columns, so a zero adds
    /// nothing, and dense and sparse forms of one matrix have equal summaries.
    pub(super) fn of_dense<T: Real>(samples: usize, features: usize, values: &[T]) -> Self {
        let mut pass = Pass::new(samples, features);
        pass.dense_rows(0, values);
        pass.finish(samples, features)
    }

    /// Of sparse rows, columns ascending.
    pub(super) fn of_sparse<T: Real>(samples: usize, features: usize, rows: Rows<'_, T>) -> Self {
        let mut pass = Pass::new(samples, features);
        pass.sparse_rows(0, rows);
        pass.finish(samples, features)
    }
}

/// Columns whose sums within a row are kept apart: additions to one and the same sum wait for each other.
const LANES: usize = 8;

/// Up to so many rows or values are looked at for faults at once.
const GROUP_ROWS: usize = 64;
const GROUP_VALUES: usize = 4096;

/// Rows whose sums are added up over the lanes at once.
const ROWS_TOTALLED: usize = 8;

/// Σ x and Σ x² of a row, of every [`LANES`]-th column, and the largest x.
struct RowSums {
    lanes: [[f64; 2]; LANES],
    max: f64,
}

impl RowSums {
    #[inline(always)]
    fn new() -> Self {
        RowSums { lanes: [[0.0; 2]; LANES], max: f64::NEG_INFINITY }
    }

    #[inline(always)]
    fn add(&mut self, j: usize, x: f64) {
        let [sum, squares] = &mut self.lanes[j % LANES];
        *sum += x;
        *squares += x * x;
    }

    #[inline(always)]
    fn total(&self) -> [f64; 2] {
        self.lanes.iter().fold([0.0; 2], |[a, b], [x, y]| [a + x, b + y])
    }
}

/// A summary in the making.
pub struct Pass {
    summary: Summary,
    finite: usize,
    /// Of rows with a fault.
    column_has_non_zero: Vec<bool>,
}

impl Pass {
    pub(super) fn new(samples: usize, features: usize) -> Self {
        Pass {
            summary: Summary {
                sum: 0.0,
                squared_norm: 0.0,
                max: f64::NEG_INFINITY,
                negative: 0,
                first_negative: None,
                non_zeros: 0,
                nan: 0,
                infinite: 0,
                first_not_finite: None,
                row_sums: Vec::with_capacity(samples),
                column_sums: vec![0.0; features],
                zero_rows: Vec::new(),
                zero_columns: Vec::new(),
            },
            finite: 0,
            column_has_non_zero: vec![false; features],
        }
    }

    /// Adds rows that are stored one after the other; `first` is the number of the first.
    pub(super) fn dense_rows<T: Real>(&mut self, first: usize, values: &[T]) {
        dispatch(DenseRows { pass: self, first, values });
    }

    /// Adds sparse rows; `first` is the number of the first.
    pub(super) fn sparse_rows<T: Real>(&mut self, first: usize, rows: Rows<'_, T>) {
        dispatch(SparseRows { pass: self, first, rows });
    }

    /// A row that may have a fault.
    #[cold]
    #[inline(never)]
    fn any_row(&mut self, i: usize, entries: impl Iterator<Item = (usize, f64)>) {
        let summary = &mut self.summary;
        let mut sums = RowSums::new();
        let mut has_non_zero = false;
        for (j, x) in entries {
            has_non_zero |= x != 0.0;
            summary.non_zeros += usize::from(x != 0.0);
            self.column_has_non_zero[j] |= x != 0.0;
            if !x.is_finite() {
                summary.nan += usize::from(x.is_nan());
                summary.infinite += usize::from(x.is_infinite());
                summary.first_not_finite.get_or_insert((i, j));
                continue;
            }
            if x < 0.0 {
                summary.negative += 1;
                summary.first_negative.get_or_insert((i, j, x));
            }
            self.finite += 1;
            summary.column_sums[j] += x;
            sums.add(j, x);
            sums.max = if x > sums.max { x } else { sums.max };
        }
        self.summary.max = self.summary.max.max(sums.max);
        self.end_row(i, has_non_zero, sums.total());
    }

    /// The values of rows without a fault, as nearly all are.
    #[inline(always)]
    fn plain_values(&mut self, count: usize, seen: &Seen) {
        self.finite += count;
        self.summary.non_zeros += seen.non_zeros;
        self.summary.max = self.summary.max.max(seen.max);
    }

    /// The next row, one without a fault: nothing in it is below 0, so what it holds shows in its sum.
    #[inline(always)]
    fn plain_row(&mut self, i: usize, [sum, squares]: [f64; 2]) {
        self.end_row(i, sum != 0.0, [sum, squares]);
    }

    #[inline(always)]
    fn end_row(&mut self, i: usize, has_non_zero: bool, [sum, squares]: [f64; 2]) {
        let summary = &mut self.summary;
        if !has_non_zero {
            summary.zero_rows.push(i);
        }
        summary.row_sums.push(sum);
        summary.sum += sum;
        summary.squared_norm += squares;
    }

    pub(super) fn finish(self, samples: usize, features: usize) -> Summary {
        let mut summary = self.summary;
        let seen = self.finite + summary.nan + summary.infinite;
        // The count of entries may exceed a machine word for a huge sparse matrix.
        if (seen as u128) < samples as u128 * features as u128 || self.finite == 0 {
            summary.max = summary.max.max(0.0);
        }
        // Rows without a fault hold nothing negative: what they have in a column shows in its sum.
        let is_zero = |j: &usize| !self.column_has_non_zero[*j] && summary.column_sums[*j] == 0.0;
        summary.zero_columns = (0..features).filter(is_zero).collect();
        summary
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
                pass.plain_values(rows.len(), &seen);
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
                pass.plain_values(values.len(), &seen);
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

/// One after the other.
impl Part for Pass {
    fn add(&mut self, later: &mut Self) {
        let (summary, other) = (&mut self.summary, &mut later.summary);
        summary.sum += other.sum;
        summary.squared_norm += other.squared_norm;
        summary.max = summary.max.max(other.max);
        summary.negative += other.negative;
        summary.first_negative = summary.first_negative.or(other.first_negative);
        summary.non_zeros += other.non_zeros;
        summary.nan += other.nan;
        summary.infinite += other.infinite;
        summary.first_not_finite = summary.first_not_finite.or(other.first_not_finite);
        summary.row_sums.append(&mut other.row_sums);
        summary.column_sums.iter_mut().zip(&other.column_sums).for_each(|(sum, x)| *sum += x);
        summary.zero_rows.append(&mut other.zero_rows);
        self.finite += later.finite;
        self.column_has_non_zero.iter_mut().zip(&later.column_has_non_zero).for_each(|(a, b)| *a |= b);
    }
}

impl Pass {
    /// That of all processes, from the part of each; `gather` gives all of them the numbers of each row.
    pub(super) fn of_all(
        mut self,
        processes: &Processes,
        gather: impl Fn(&mut [f64]),
        samples: usize,
    ) -> Self {
        let summary = &mut self.summary;
        let mut sums = vec![summary.sum, summary.squared_norm];
        sums.append(&mut summary.column_sums);
        processes.sum(&mut sums);
        summary.column_sums = sums.split_off(2);
        [summary.sum, summary.squared_norm] = [sums[0], sums[1]];
        let counts = [summary.negative, summary.non_zeros, summary.nan, summary.infinite, self.finite];
        let flags = self.column_has_non_zero.iter().map(|flag| u64::from(*flag));
        let mut counts: Vec<u64> = counts.iter().map(|count| *count as u64).chain(flags).collect();
        processes.sum(&mut counts);
        self.column_has_non_zero = counts.split_off(5).iter().map(|count| *count > 0).collect();
        let count = |at: usize| usize::try_from(counts[at]).unwrap_or(usize::MAX);
        [summary.negative, summary.non_zeros] = [count(0), count(1)];
        [summary.nan, summary.infinite, self.finite] = [count(2), count(3), count(4)];
        summary.max = processes.of_each(summary.max).into_iter().fold(f64::NEG_INFINITY, f64::max);
        // Its row and column, counted from 1, and its value.
        let place = |(i, j, x): (usize, usize, f64)| [i as u64 + 1, j as u64, x.to_bits()];
        let first = |own: Option<(usize, usize, f64)>| {
            let found = processes.of_each(own.map_or([0; 3], place)).into_iter().find(|place| place[0] > 0);
            found.map(|[i, j, x]| (i as usize - 1, j as usize, f64::from_bits(x)))
        };
        summary.first_negative = first(summary.first_negative);
        let not_finite = summary.first_not_finite.map(|(i, j)| (i, j, 0.0));
        summary.first_not_finite = first(not_finite).map(|(i, j, _)| (i, j));
        // The own rows stand where they are among all.
        let own = std::mem::take(&mut summary.row_sums);
        let zeros = std::mem::take(&mut summary.zero_rows);
        let before: usize =
            processes.of_each(own.len() as u64)[..processes.rank()].iter().sum::<u64>() as usize;
        let (mut rows, mut flags) = (vec![0.0; samples], vec![0.0; samples]);
        rows[before..before + own.len()].copy_from_slice(&own);
        zeros.iter().for_each(|i| flags[*i] = 1.0);
        gather(&mut rows);
        gather(&mut flags);
        summary.row_sums = rows;
        summary.zero_rows = (0..samples).filter(|i| flags[*i] > 0.0).collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_dense(rows: &[&[f64]]) -> Summary {
        Summary::of_dense(rows.len(), rows[0].len(), &rows.concat())
    }

    #[test]
    fn faults_are_counted_and_placed() {
        let summary = of_dense(&[
            &[0.0, 1.0, f64::NAN, 0.0],
            &[0.0, 0.0, 0.0, 0.0],
            &[0.0, -2.0, f64::INFINITY, 3.0],
            &[0.0, -1.0, f64::NEG_INFINITY, 0.0],
        ]);
        assert_eq!((summary.nan, summary.infinite, summary.negative, summary.non_zeros), (1, 2, 2, 7));
        assert_eq!(summary.first_not_finite, Some((0, 2)));
        assert_eq!(summary.first_negative, Some((2, 1, -2.0)));
        assert_eq!(summary.zero_rows, [1]);
        assert_eq!(summary.zero_columns, [0]);
        assert_eq!(summary.row_sums, [1.0, 0.0, 1.0, -1.0]);
        assert_eq!(summary.column_sums, [0.0, -2.0, 0.0, 3.0]);
        assert_eq!((summary.sum, summary.squared_norm, summary.max), (1.0, 15.0, 3.0));
    }

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

    #[test]
    fn the_maximum_counts_entries_that_are_not_stored() {
        assert_eq!(of_dense(&[&[-2.0, -1.0]]).max, -1.0);
        assert_eq!(of_dense(&[&[f64::NAN]]).max, 0.0);
        let rows = Rows { offsets: &[0, 1], indices: &[1], values: &[-1.0f64] };
        let sparse = Summary::of_sparse(1, 3, rows);
        assert_eq!(sparse.max, 0.0);
        assert_eq!(sparse.zero_columns, [0, 2]);
    }
}
