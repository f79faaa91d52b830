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

/// Rows between two questions whether to go on.
const ROWS_UNCHECKED: usize = 64;

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

    /// A row with a fault.
    #[cold]
    #[inline(never)]
    fn faulty_row(&mut self, i: usize, entries: impl Iterator<Item = (usize, f64)>) {
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
        self.end_row(i, has_non_zero, &sums);
    }

    /// The next row; one without a fault, as nearly all are, has only its sums.
    #[inline(always)]
    fn plain_row(&mut self, i: usize, count: usize, seen: &Seen, sums: &RowSums) {
        self.finite += count;
        self.summary.non_zeros += seen.non_zeros;
        self.end_row(i, seen.non_zeros > 0, sums);
    }

    #[inline(always)]
    fn end_row(&mut self, i: usize, has_non_zero: bool, sums: &RowSums) {
        let (summary, [sum, squares]) = (&mut self.summary, sums.total());
        if !has_non_zero {
            summary.zero_rows.push(i);
        }
        summary.row_sums.push(sum);
        summary.sum += sum;
        summary.squared_norm += squares;
        summary.max = summary.max.max(sums.max);
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
        for (i, row) in (first..).zip(values.chunks_exact(features)) {
            if i % ROWS_UNCHECKED == 0 {
                interrupt::check();
            }
            let Some(seen) = Seen::of(row) else {
                pass.faulty_row(i, row.iter().map(|x| x.to_f64()).enumerate());
                continue;
            };
            let (mut sum, mut squares) = ([0.0; LANES], [0.0; LANES]);
            let (blocks, rest) = row.as_chunks::<LANES>();
            let (columns, of_rest) = pass.summary.column_sums.as_chunks_mut::<LANES>();
            for (row, columns) in blocks.iter().zip(columns) {
                for l in 0..LANES {
                    let x = row[l].to_f64();
                    sum[l] += x;
                    squares[l] += x * x;
                    columns[l] += x;
                }
            }
            for (l, (x, column)) in rest.iter().zip(of_rest).enumerate() {
                let x = x.to_f64();
                sum[l] += x;
                squares[l] += x * x;
                *column += x;
            }
            let lanes = std::array::from_fn(|l| [sum[l], squares[l]]);
            pass.plain_row(i, features, &seen, &RowSums { lanes, max: seen.max });
        }
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
        for (i, ends) in (first..).zip(rows.offsets.windows(2)) {
            if i % ROWS_UNCHECKED == 0 {
                interrupt::check();
            }
            let (indices, values) = (&rows.indices[ends[0]..ends[1]], &rows.values[ends[0]..ends[1]]);
            let entries = indices.iter().zip(values).map(|(j, x)| (*j as usize, x.to_f64()));
            let Some(seen) = Seen::of(values) else {
                pass.faulty_row(i, entries);
                continue;
            };
            let mut sums = RowSums { max: seen.max, ..RowSums::new() };
            for (j, x) in entries {
                sums.add(j, x);
                pass.summary.column_sums[j] += x;
            }
            pass.plain_row(i, values.len(), &seen, &sums);
        }
    }
}

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
        let (mut faults, mut counts, mut largest) = ([0i32; LANES], [0i32; LANES], [*first; LANES]);
        let (blocks, rest) = values.as_chunks::<LANES>();
        for block in blocks {
            for l in 0..LANES {
                let x = block[l];
                faults[l] |= -i32::from(!((x >= T::ZERO) & x.is_finite()));
                counts[l] += i32::from(x != T::ZERO);
                largest[l] = if x > largest[l] { x } else { largest[l] };
            }
        }
        for (l, x) in rest.iter().enumerate() {
            faults[l] |= -i32::from(!((*x >= T::ZERO) & x.is_finite()));
            counts[l] += i32::from(*x != T::ZERO);
            largest[l] = if *x > largest[l] { *x } else { largest[l] };
        }
        if faults.iter().any(|fault| *fault != 0) {
            return None;
        }
        let max = largest.iter().fold(*first, |most, x| if *x > most { *x } else { most }).to_f64();
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
