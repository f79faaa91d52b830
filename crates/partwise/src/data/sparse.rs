//! [`SparseMatrix`]: data of which only non-zeros are stored, by rows; and by columns once they are needed.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use super::compressed::{Compressed, Stored, shared_columns};
use super::{
    DataMatrix, DenseMatrix, Pass, RowGroups, Side, Summary, check_not_empty, divided, least_positive,
    members_of_groups,
};
use crate::foundation::{Error, Matrix, Real, Result, once};
use crate::kernels::coordinates::{Costs, Stepped};
use crate::kernels::gather::{Gather, Times};
use crate::kernels::ratio::{GatherRatio, RatioTimes};
use crate::kernels::scatter::{Scatter, TransposeTimes};
use crate::kernels::stored::{StoredDeviation, StoredDivergence, StoredProducts};
use crate::kernels::sums::wide_gram;

/// Sparse data (n samples × d features) in compressed rows (CSR), owned or borrowed.
///
/// The first product with Xᵀ stores the columns too (12 bytes per entry for `f64`, 8 for `f32`): gathering
/// from them is faster than scattering from the rows and needs no buffer for each thread.
#[derive(Clone)]
pub struct SparseMatrix<'a, T: Real> {
    samples: usize,
    features: usize,
    rows: Compressed<'a, T>,
    columns: OnceLock<Compressed<'static, T>>,
    summary: OnceLock<Summary>,
    duplicates: usize,
}

once! {
    /// A matrix as the library takes it.
    Boxed<'a, T>(matrix: SparseMatrix<'a, T>) -> Box<dyn DataMatrix<T> + 'a> {
        Box::new(matrix)
    }
}

impl<'a, T: Real> SparseMatrix<'a, T> {
    /// Data of n samples × d features from the three arrays of CSR: row `i` has the columns
    /// `indices[indptr[i]..indptr[i + 1]]` and the values at the same places.
    ///
    /// Vectors are taken, slices are borrowed and never copied if their rows have ascending columns. Rows in
    /// another order are sorted, and entries of the same place are summed
    /// ([`SparseMatrix::duplicates_summed`] says how many). Stored zeros are allowed.
    ///
    /// ```
    /// use partwise::{Model, Settings, SparseMatrix, fit};
    /// // [2 0 1 0]
    /// // [0 0 0 3]
    /// // [4 0 2 0]
    /// let (indptr, indices) = (vec![0, 2, 3, 5], vec![0, 2, 3, 0, 2]);
    /// let x = SparseMatrix::new(3, 4, indptr, indices, vec![2.0, 1.0, 3.0, 4.0, 2.0])?;
    /// let fit = fit(&x, &Model::nmf(), &Settings::new(2))?;
    /// assert!(fit.relative_error < 1e-3);
    /// # Ok::<(), partwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Empty`] when n or d is 0; [`Error::MalformedSparse`] when the arrays do not describe such a
    /// matrix.
    pub fn new(
        n: usize,
        d: usize,
        indptr: impl Into<Cow<'a, [usize]>>,
        indices: impl Into<Cow<'a, [u32]>>,
        values: impl Into<Cow<'a, [T]>>,
    ) -> Result<Self> {
        check_shape(n, d)?;
        let (indices, values) = (Stored::Given(indices.into()), Stored::Given(values.into()));
        let rows = Compressed { offsets: indptr.into(), indices, values };
        let (rows, duplicates) = if rows.check(n, d)? { (rows, 0) } else { rows.in_order() };
        Ok(Self::from_rows(n, d, rows, duplicates))
    }

    /// Data of n samples × d features from (row, column, value) in any order. Entries of the same place are
    /// summed in the order given; the second value is how many were added to another.
    ///
    /// # Errors
    /// [`Error::Empty`] when n or d is 0; [`Error::MalformedSparse`] when a row or column is out of range.
    pub fn from_triplets(n: usize, d: usize, triplets: Vec<(u32, u32, T)>) -> Result<(Self, usize)> {
        check_shape(n, d)?;
        let outside = triplets.iter().position(|(i, j, _)| *i as usize >= n || *j as usize >= d);
        if let Some(t) = outside {
            let (i, j, _) = triplets[t];
            return Err(Error::MalformedSparse(format!(
                "triplet {t} is at row {i}, column {j} (counted from 0), but the shape is {n} x {d}"
            )));
        }
        let (rows, duplicates) = Compressed::from_triplets(n, &triplets).in_order();
        Ok((Self::from_rows(n, d, rows, duplicates), duplicates))
    }

    fn from_rows(n: usize, d: usize, rows: Compressed<'a, T>, duplicates: usize) -> Self {
        let (columns, summary) = (OnceLock::new(), OnceLock::new());
        SparseMatrix { samples: n, features: d, rows, columns, summary, duplicates }
    }

    /// The data as the library takes them. Cheaper to compile than `&matrix`, which compiles all that is done
    /// with such data in the crate of the caller.
    #[doc(hidden)]
    pub fn boxed(self) -> Box<dyn DataMatrix<T> + 'a> {
        T::once::<Boxed>(self)
    }

    /// The columns (ascending) and the values that are stored of sample `i`.
    ///
    /// # Panics
    /// When `i` is out of range.
    pub fn row(&self, i: usize) -> (&[u32], &[T]) {
        self.rows.row(i)
    }

    /// How many entries were added to another one at the same place when the matrix was built.
    #[doc(hidden)]
    pub fn duplicates_summed(&self) -> usize {
        self.duplicates
    }

    /// The same data with all n·d values stored.
    pub fn to_dense(&self) -> DenseMatrix<'static, T> {
        let mut matrix = Matrix::zeros(self.samples, self.features);
        for i in 0..self.samples {
            let (indices, values) = self.row(i);
            for (j, x) in indices.iter().zip(values) {
                matrix.set(i, *j as usize, *x);
            }
        }
        DenseMatrix::from_matrix(matrix).expect("a sparse matrix has rows and columns")
    }

    fn stored_products<'s>(
        &'s self,
        range: Range<usize>,
        samples_factor: &'s Matrix<T>,
        features_factor: &'s Matrix<T>,
    ) -> StoredProducts<'s, T> {
        let (own, other) = (samples_factor.as_slice(), features_factor.as_slice());
        StoredProducts { rows: self.rows.view(), range, own, other, k: features_factor.columns() }
    }

    /// The rows of X.
    pub(super) fn stored_rows(&self) -> &Compressed<'_, T> {
        &self.rows
    }

    /// The columns of X, stored at the first call.
    pub(super) fn columns(&self) -> &Compressed<'static, T> {
        self.columns.get_or_init(|| self.rows.transposed(self.features))
    }
}

/// Rows and columns are numbered with 32 bits, in X and in its transpose.
fn check_shape(n: usize, d: usize) -> Result<()> {
    check_not_empty(n, d)?;
    if n > u32::MAX as usize || d > u32::MAX as usize {
        return Err(Error::MalformedSparse(format!(
            "the shape is {n} x {d}, but at most {} rows and columns can be numbered",
            u32::MAX
        )));
    }
    Ok(())
}

impl<T: Real> fmt::Debug for SparseMatrix<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, d, stored) = (self.samples, self.features, self.n_stored());
        write!(f, "SparseMatrix({n} samples x {d} features, {stored} stored, {})", T::NAME)
    }
}

impl<T: Real> DataMatrix<T> for SparseMatrix<'_, T> {
    fn n_samples(&self) -> usize {
        self.samples
    }

    fn n_features(&self) -> usize {
        self.features
    }

    fn n_stored(&self) -> usize {
        self.rows.values.len()
    }

    fn is_sparse(&self) -> bool {
        true
    }

    fn summary(&self) -> &Summary {
        self.summary.get_or_init(|| Summary::of_sparse(self.samples, self.features, self.rows.view()))
    }

    fn summarize(&self, first: usize, pass: &mut Pass) {
        pass.sparse_rows(first, self.rows.view());
    }

    fn sample_chunks(&self) -> Vec<Range<usize>> {
        self.rows.chunks()
    }

    fn shared_features(&self, count: usize) -> Vec<Range<usize>> {
        shared_columns(&self.rows.indices, self.features, count)
    }

    fn transpose_times_once(&self, features: Range<usize>, samples_factor: &Matrix<T>, out: &mut [T]) {
        if self.columns.get().is_some() {
            return self.transpose_times(features, samples_factor, out);
        }
        check_factor(samples_factor, self.samples, &features, out.len());
        out.fill(T::ZERO);
        let (k, factor) = (samples_factor.columns(), samples_factor.as_slice());
        T::once::<Scatter>(TransposeTimes { rows: self.rows.view(), columns: features, factor, k, out });
    }

    fn feature_chunks(&self) -> Vec<Range<usize>> {
        self.columns().chunks()
    }

    fn times(&self, samples: Range<usize>, features_factor: &Matrix<T>, out: &mut [T]) {
        check_factor(features_factor, self.features, &samples, out.len());
        let (k, factor) = (features_factor.columns(), features_factor.as_slice());
        T::once::<Gather>(Times { rows: self.rows.view(), range: samples, factor, k, out });
    }

    fn transpose_times(&self, features: Range<usize>, samples_factor: &Matrix<T>, out: &mut [T]) {
        check_factor(samples_factor, self.samples, &features, out.len());
        let (k, factor) = (samples_factor.columns(), samples_factor.as_slice());
        T::once::<Gather>(Times { rows: self.columns().view(), range: features, factor, k, out });
    }

    fn ratio_times(
        &self,
        samples: Range<usize>,
        samples_factor: &Matrix<T>,
        features_factor: &Matrix<T>,
        out: &mut [T],
    ) -> f64 {
        check_factor(features_factor, self.features, &samples, out.len());
        let (own, other) = (samples_factor.as_slice(), features_factor.as_slice());
        let k = features_factor.columns();
        T::once::<GatherRatio>(RatioTimes { rows: self.rows.view(), range: samples, own, other, k, out })
    }

    fn transpose_ratio_times(
        &self,
        features: Range<usize>,
        samples_factor: &Matrix<T>,
        features_factor: &Matrix<T>,
        out: &mut [T],
    ) -> f64 {
        check_factor(samples_factor, self.samples, &features, out.len());
        let (own, other) = (features_factor.as_slice(), samples_factor.as_slice());
        let k = features_factor.columns();
        T::once::<GatherRatio>(RatioTimes {
            rows: self.columns().view(),
            range: features,
            own,
            other,
            k,
            out,
        })
    }

    fn has_steps(&self) -> bool {
        true
    }

    fn steps(
        &self,
        side: Side,
        own: &mut [T],
        other: &Matrix<T>,
        costs: Costs<'_, T>,
        sweeps: usize,
    ) -> Stepped {
        self.coordinate_steps(side, own, other, costs, sweeps)
    }

    fn squared_residual_beside(
        &self,
        samples: Range<usize>,
        samples_factor: &Matrix<T>,
        features_factor: &Matrix<T>,
        features_gram: &Matrix<f64>,
    ) -> f64 {
        let own_gram = wide_gram(samples_factor, samples.clone());
        let all: f64 = own_gram.as_slice().iter().zip(features_gram.as_slice()).map(|(a, b)| a * b).sum();
        let stored =
            T::once::<StoredDeviation>(self.stored_products(samples, samples_factor, features_factor));
        // Rounding may take the part that is not stored below zero, where it can't be. A NaN must stay.
        let not_stored = all - stored.product;
        stored.residual + if not_stored < 0.0 { 0.0 } else { not_stored }
    }

    fn log_divergence(
        &self,
        samples: Range<usize>,
        samples_factor: &Matrix<T>,
        features_factor: &Matrix<T>,
    ) -> f64 {
        T::once::<StoredDivergence>(self.stored_products(samples, samples_factor, features_factor))
    }

    fn grouped(&self, groups: &RowGroups) -> Box<dyn DataMatrix<T>> {
        let rows = self.rows.grouped(self.features, &members_of_groups(groups), &groups.scale);
        Box::new(SparseMatrix::from_rows(groups.scale.len(), self.features, rows, 0))
    }

    fn without_features(&self, features: &[usize]) -> Box<dyn DataMatrix<T>> {
        let mut kept = vec![true; self.features];
        features.iter().for_each(|j| kept[*j] = false);
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..self.samples {
            let (row_indices, row_values) = self.row(i);
            for (j, x) in row_indices.iter().zip(row_values).filter(|(j, _)| kept[**j as usize]) {
                indices.push(*j);
                values.push(*x);
            }
            offsets.push(indices.len());
        }
        let rows = Compressed::of_vectors(offsets, indices, values);
        Box::new(SparseMatrix::from_rows(self.samples, self.features, rows, 0))
    }

    fn mapped(&self, value: &dyn Fn(usize, usize, f64) -> f64) -> Box<dyn DataMatrix<T>> {
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..self.samples {
            let (row_indices, row_values) = self.row(i);
            for (j, x) in row_indices.iter().zip(row_values) {
                let value = T::from_f64(value(i, *j as usize, x.to_f64()));
                if value != T::ZERO {
                    indices.push(*j);
                    values.push(value);
                }
            }
            offsets.push(indices.len());
        }
        let rows = Compressed::of_vectors(offsets, indices, values);
        Box::new(SparseMatrix::from_rows(self.samples, self.features, rows, 0))
    }

    fn divided(&self, divisor: f64, least: f64) -> Box<dyn DataMatrix<T>> {
        let values = self.rows.values.iter().map(|x| divided(*x, divisor, least)).collect();
        let rows = Compressed::of_vectors(self.rows.offsets.to_vec(), self.rows.indices.to_vec(), values);
        Box::new(SparseMatrix::from_rows(self.samples, self.features, rows, 0))
    }

    fn least_positive(&self) -> f64 {
        least_positive(&self.rows.values)
    }

    fn non_zero_features(&self, sample: usize) -> Vec<u32> {
        let (indices, values) = self.row(sample);
        indices.iter().zip(values).filter(|(_, x)| **x != T::ZERO).map(|(j, _)| *j).collect()
    }

    fn add_row(&self, sample: usize, weight: f64, out: &mut [f64]) {
        let (indices, values) = self.row(sample);
        for (j, x) in indices.iter().zip(values) {
            out[*j as usize] += weight * x.to_f64();
        }
    }

    fn row_dot(&self, sample: usize, vector: &[f64]) -> f64 {
        let (indices, values) = self.row(sample);
        indices.iter().zip(values).map(|(j, x)| x.to_f64() * vector[*j as usize]).sum()
    }

    fn row_products(&self, samples: Range<usize>, out: &mut [T]) {
        assert_eq!(out.len(), samples.len() * self.samples, "the output has one row of n for each sample");
        let columns = self.columns();
        out.fill(T::ZERO);
        for (i, out) in samples.zip(out.chunks_exact_mut(self.samples)) {
            let (indices, values) = self.row(i);
            for (j, x) in indices.iter().zip(values) {
                let (others, other_values) = columns.row(*j as usize);
                for (other, y) in others.iter().zip(other_values) {
                    out[*other as usize] += *x * *y;
                }
            }
        }
    }

    fn squared_distance(&self, one: usize, other: usize) -> f64 {
        let ((a_indices, a_values), (b_indices, b_values)) = (self.row(one), self.row(other));
        let (mut a, mut b, mut total) = (0, 0, 0.0);
        // A merge of two ascending lists of columns; what only one of them stores is a difference from 0.
        while a < a_indices.len() || b < b_indices.len() {
            let a_column = a_indices.get(a).copied().unwrap_or(u32::MAX);
            let b_column = b_indices.get(b).copied().unwrap_or(u32::MAX);
            let mut difference = 0.0;
            if a_column <= b_column {
                difference += a_values[a].to_f64();
                a += 1;
            }
            if b_column <= a_column {
                difference -= b_values[b].to_f64();
                b += 1;
            }
            total += difference * difference;
        }
        total
    }

    fn first_asymmetry(&self, allowed: f64) -> Option<((usize, usize), (f64, f64))> {
        assert_eq!(self.samples, self.features, "only a square matrix can be symmetric");
        let entry = |(indices, values): (&[u32], &[T]), j: usize| {
            indices.binary_search(&(j as u32)).map_or(0.0, |at| values[at].to_f64())
        };
        for i in 0..self.samples {
            let (row, column) = (self.row(i), self.columns().row(i));
            let differs = |j: &usize| (entry(row, *j) - entry(column, *j)).abs() > allowed;
            let places = row.0.iter().chain(column.0).map(|j| *j as usize).filter(|j| *j > i);
            if let Some(j) = places.filter(differs).min() {
                return Some(((i, j), (entry(row, j), entry(column, j))));
            }
        }
        None
    }

    fn owned_bytes(&self) -> usize {
        self.rows.owned_bytes() + self.columns.get().map_or(0, Compressed::owned_bytes)
    }
}

/// The kernels read the factor at the indices of the entries and write one row of `out` for each row of the
/// range.
pub(super) fn check_factor<T: Real>(factor: &Matrix<T>, rows: usize, range: &Range<usize>, out: usize) {
    assert_eq!(factor.rows(), rows, "the factor has one row for each row or column of the data");
    assert_eq!(out, range.len() * factor.columns(), "the output has one row for each row of the chunk");
}
