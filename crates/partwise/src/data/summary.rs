//! [`Summary`]: what one pass over the data finds.

use std::ops::Range;

use super::blocks::{Part, Processes};
use crate::foundation::{Real, interrupt};

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
    /// Summarizes the rows that `entries(i)` lists as (column, value), columns ascending; d is `features`.
    ///
    /// All sums run in row order in `f64`, those of a row by the place of its columns, so a zero adds
    /// nothing, and dense and sparse forms of one matrix have equal summaries.
    pub(super) fn of<T, E>(samples: usize, features: usize, entries: impl Fn(usize) -> E) -> Self
    where
        T: Real,
        E: Iterator<Item = (usize, T)> + Clone,
    {
        let mut pass = Pass::new(samples, features);
        pass.rows(0..samples, entries);
        pass.finish(samples, features)
    }
}

/// Columns whose sums within a row are kept apart: additions to one and the same sum wait for each other.
const LANES: usize = 8;

/// Σ x and Σ x² of a row, and the largest x, of every [`LANES`]-th column.
#[derive(Clone, Copy)]
struct RowSums([[f64; 3]; LANES]);

impl RowSums {
    fn new() -> Self {
        RowSums([[0.0, 0.0, f64::NEG_INFINITY]; LANES])
    }

    #[inline(always)]
    fn add(&mut self, j: usize, x: f64) {
        let [sum, squares, max] = &mut self.0[j % LANES];
        *sum += x;
        *squares += x * x;
        *max = if x > *max { x } else { *max };
    }

    fn total(&self) -> [f64; 3] {
        self.0
            .iter()
            .fold([0.0, 0.0, f64::NEG_INFINITY], |[a, b, m], [x, y, max]| [a + x, b + y, m.max(*max)])
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

    /// Adds the rows of a range, the next ones; `entries(i)` lists row `i` as (column, value).
    pub(super) fn rows<T, E>(&mut self, range: Range<usize>, entries: impl Fn(usize) -> E)
    where
        T: Real,
        E: Iterator<Item = (usize, T)> + Clone,
    {
        for i in range {
            interrupt::check();
            self.row(i, entries(i).map(|(j, x)| (j, x.to_f64())));
        }
    }

    fn row(&mut self, i: usize, entries: impl Iterator<Item = (usize, f64)> + Clone) {
        // Without a way out: so it becomes vector instructions. False for a NaN.
        if entries.clone().fold(true, |plain, (_, x)| plain & (0.0..=f64::MAX).contains(&x)) {
            return self.plain_row(i, entries);
        }
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
        }
        self.end_row(i, has_non_zero, &sums);
    }

    /// A row without a fault, as nearly all are.
    fn plain_row(&mut self, i: usize, entries: impl Iterator<Item = (usize, f64)>) {
        let (mut sums, mut count, mut non_zeros) = (RowSums::new(), 0, 0);
        for (j, x) in entries {
            sums.add(j, x);
            self.summary.column_sums[j] += x;
            non_zeros += usize::from(x != 0.0);
            count += 1;
        }
        self.finite += count;
        self.summary.non_zeros += non_zeros;
        self.end_row(i, non_zeros > 0, &sums);
    }

    fn end_row(&mut self, i: usize, has_non_zero: bool, sums: &RowSums) {
        let (summary, [sum, squares, max]) = (&mut self.summary, sums.total());
        if !has_non_zero {
            summary.zero_rows.push(i);
        }
        summary.row_sums.push(sum);
        summary.sum += sum;
        summary.squared_norm += squares;
        summary.max = summary.max.max(max);
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
        Summary::of(rows.len(), rows[0].len(), |i| rows[i].iter().copied().enumerate())
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
        let sparse = Summary::of(1, 3, |_| [(1usize, -1.0f64)].into_iter());
        assert_eq!(sparse.max, 0.0);
        assert_eq!(sparse.zero_columns, [0, 2]);
    }
}
