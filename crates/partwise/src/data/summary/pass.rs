//! [`Pass`]: a summary in the making, row by row, in parts, and over processes.

use super::Summary;
use crate::data::blocks::{Part, Processes};

/// Columns whose sums within a row are kept apart: additions to one and the same sum wait for each other.
pub(super) const LANES: usize = 8;

/// Σ x and Σ x² of a row, of every [`LANES`]-th column, and the largest x.
pub(super) struct RowSums {
    lanes: [[f64; 2]; LANES],
    max: f64,
}

impl RowSums {
    #[inline(always)]
    pub(super) fn new() -> Self {
        RowSums { lanes: [[0.0; 2]; LANES], max: f64::NEG_INFINITY }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, j: usize, x: f64) {
        let [sum, squares] = &mut self.lanes[j % LANES];
        *sum += x;
        *squares += x * x;
    }

    #[inline(always)]
    pub(super) fn total(&self) -> [f64; 2] {
        self.lanes.iter().fold([0.0; 2], |[a, b], [x, y]| [a + x, b + y])
    }
}

/// A summary in the making.
pub struct Pass {
    pub(super) summary: Summary,
    finite: usize,
    /// Of rows with a fault.
    column_has_non_zero: Vec<bool>,
}

impl Pass {
    pub(in crate::data) fn new(samples: usize, features: usize) -> Self {
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

    /// A row that may have a fault.
    #[cold]
    #[inline(never)]
    pub(super) fn any_row(&mut self, i: usize, entries: impl Iterator<Item = (usize, f64)>) {
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
    pub(super) fn plain_values(&mut self, count: usize, non_zeros: usize, max: f64) {
        self.finite += count;
        self.summary.non_zeros += non_zeros;
        self.summary.max = self.summary.max.max(max);
    }

    /// The next row, one without a fault: nothing in it is below 0, so what it holds shows in its sum.
    #[inline(always)]
    pub(super) fn plain_row(&mut self, i: usize, [sum, squares]: [f64; 2]) {
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

    pub(in crate::data) fn finish(self, samples: usize, features: usize) -> Summary {
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
    pub(in crate::data) fn of_all(
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
