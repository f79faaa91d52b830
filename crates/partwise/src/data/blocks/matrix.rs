//! Row blocks as a [`DataMatrix`]: what needs all rows goes block by block.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::grouped::GroupedBlocks;
use super::{BlockedMatrix, TreeSum};
use crate::data::{DataMatrix, Pass, RowGroups, Summary, rows_of};
use crate::foundation::{Error, Matrix, Real, fault};

/// What row blocks do not support. [`Problem`](crate::engine::Problem) refuses what would need it before
/// anything is computed; what calls it otherwise gets this as an error.
fn unsupported(what: &str) -> ! {
    fault::raise(Error::incompatible(
        format!("{what} of data in blocks"),
        "it would need all of the data in memory",
        ["the same with the data in memory"],
    ))
}

impl<T: Real> DataMatrix<T> for BlockedMatrix<T> {
    fn n_samples(&self) -> usize {
        self.source.borders().last().copied().unwrap_or(0)
    }

    fn n_features(&self) -> usize {
        self.source.n_features()
    }

    fn n_stored(&self) -> usize {
        self.source.n_stored()
    }

    fn is_sparse(&self) -> bool {
        self.source.is_sparse()
    }

    fn summary(&self) -> &Summary {
        self.summary.get_or_init(|| {
            let features = self.n_features();
            let mut sum = TreeSum::default();
            self.for_each(|rows, data, _| {
                let mut pass = Pass::new(rows.len(), features);
                data.summarize(rows.start, &mut pass);
                sum.add(pass);
            });
            let mut pass = sum.finish().unwrap_or_else(|| Pass::new(0, features));
            if let Some(processes) = self.processes() {
                pass = pass.of_all(processes, |rows| self.gather_rows(rows, 1), self.n_samples());
            }
            pass.finish(self.n_samples(), features)
        })
    }

    fn summarize(&self, first: usize, pass: &mut Pass) {
        self.for_each(|rows, data, _| data.summarize(first + rows.start, pass));
    }

    fn blocks(&self) -> Option<&BlockedMatrix<T>> {
        Some(self)
    }

    fn sample_chunks(&self) -> Vec<Range<usize>> {
        (0..self.n_blocks()).map(|block| self.rows(block)).collect()
    }

    /// One: each chunk is a pass over all blocks.
    fn feature_chunks(&self) -> Vec<Range<usize>> {
        std::iter::once(0..self.n_features()).collect()
    }

    fn times(&self, samples: Range<usize>, features_factor: &Matrix<T>, out: &mut [T]) {
        let k = features_factor.columns();
        self.within(samples, |rows, of_range, data| {
            data.times(rows, features_factor, &mut out[of_range.start * k..of_range.end * k]);
        });
    }

    fn transpose_times(&self, features: Range<usize>, samples_factor: &Matrix<T>, out: &mut [T]) {
        let mut sum = TreeSum::default();
        self.for_each(|rows, data, kept| {
            let (codes, mut part) = (rows_of(samples_factor, rows), vec![T::ZERO; out.len()]);
            match kept {
                true => data.transpose_times(features.clone(), &codes, &mut part),
                false => data.transpose_times_once(features.clone(), &codes, &mut part),
            }
            sum.add(part);
        });
        out.copy_from_slice(&self.total(sum, out.len()));
    }

    fn ratio_times(
        &self,
        samples: Range<usize>,
        samples_factor: &Matrix<T>,
        features_factor: &Matrix<T>,
        out: &mut [T],
    ) -> f64 {
        let (k, start, mut sum) = (features_factor.columns(), samples.start, 0.0);
        self.within(samples, |rows, of_range, data| {
            let codes = rows_of(samples_factor, of_range.start + start..of_range.end + start);
            // The block's rows before those of the range have no codes here: it is asked as a whole.
            let out = &mut out[of_range.start * k..of_range.end * k];
            assert_eq!(rows.len(), data.n_samples(), "a chunk of blocks is whole blocks");
            sum += data.ratio_times(rows, &codes, features_factor, out);
        });
        sum
    }

    fn transpose_ratio_times(
        &self,
        features: Range<usize>,
        samples_factor: &Matrix<T>,
        features_factor: &Matrix<T>,
        out: &mut [T],
    ) -> f64 {
        let (mut sum, mut logs) = (TreeSum::default(), TreeSum::default());
        self.for_each(|rows, data, _| {
            let (codes, mut part) = (rows_of(samples_factor, rows), vec![T::ZERO; out.len()]);
            logs.add(vec![data.transpose_ratio_times(features.clone(), &codes, features_factor, &mut part)]);
            sum.add(part);
        });
        out.copy_from_slice(&self.total(sum, out.len()));
        self.total(logs, 1)[0]
    }

    fn squared_residual_beside(
        &self,
        samples: Range<usize>,
        samples_factor: &Matrix<T>,
        features_factor: &Matrix<T>,
        features_gram: &Matrix<f64>,
    ) -> f64 {
        let (start, mut sum) = (samples.start, 0.0);
        self.within(samples, |rows, of_range, data| {
            assert_eq!(rows.len(), data.n_samples(), "a chunk of blocks is whole blocks");
            let codes = rows_of(samples_factor, of_range.start + start..of_range.end + start);
            sum += data.squared_residual_beside(rows, &codes, features_factor, features_gram);
        });
        sum
    }

    fn log_divergence(
        &self,
        samples: Range<usize>,
        samples_factor: &Matrix<T>,
        features_factor: &Matrix<T>,
    ) -> f64 {
        let (start, mut sum) = (samples.start, 0.0);
        self.within(samples, |rows, of_range, data| {
            assert_eq!(rows.len(), data.n_samples(), "a chunk of blocks is whole blocks");
            let codes = rows_of(samples_factor, of_range.start + start..of_range.end + start);
            for chunk in data.sample_chunks() {
                sum += data.log_divergence(chunk, &codes, features_factor);
            }
        });
        sum
    }

    fn grouped(&self, groups: &RowGroups) -> Box<dyn DataMatrix<T>> {
        let grouped = GroupedBlocks::new(self, groups);
        let shares = self.processes().map(|processes| processes.with_shares(grouped.shares(processes)));
        Box::new(BlockedMatrix::of(Arc::new(grouped), self.kept().len(), shares))
    }

    fn without_features(&self, _: &[usize]) -> Box<dyn DataMatrix<T>> {
        unsupported("a selection of features")
    }

    fn mapped(&self, _: &dyn Fn(usize, usize, f64) -> f64) -> Box<dyn DataMatrix<T>> {
        unsupported("other values or weights for the entries")
    }

    fn divided(&self, _: f64, _: f64) -> Box<dyn DataMatrix<T>> {
        unsupported("another unit")
    }

    fn least_positive(&self) -> f64 {
        let mut least = f64::INFINITY;
        self.for_each(|_, data, _| least = least.min(data.least_positive()));
        match self.processes() {
            None => least,
            Some(processes) => processes.of_each(least).into_iter().fold(f64::INFINITY, f64::min),
        }
    }

    fn non_zero_features(&self, sample: usize) -> Vec<u32> {
        let (data, row) = self.place(sample);
        data.non_zero_features(row)
    }

    fn add_row(&self, sample: usize, weight: f64, out: &mut [f64]) {
        let (data, row) = self.place(sample);
        data.add_row(row, weight, out);
    }

    fn row_dot(&self, sample: usize, vector: &[f64]) -> f64 {
        let (data, row) = self.place(sample);
        data.row_dot(row, vector)
    }

    fn row_products(&self, _: Range<usize>, _: &mut [T]) {
        unsupported("products of all pairs of rows")
    }

    fn squared_distance(&self, _: usize, _: usize) -> f64 {
        unsupported("distances between rows")
    }

    fn first_asymmetry(&self, _: f64) -> Option<((usize, usize), (f64, f64))> {
        unsupported("a factorization of similarities")
    }

    fn owned_bytes(&self) -> usize {
        self.kept().iter().filter_map(OnceLock::get).map(|data| data.owned_bytes()).sum()
    }
}
