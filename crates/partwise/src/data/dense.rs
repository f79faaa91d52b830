//! [`DenseMatrix`]: data in one row-major slice, owned or lent.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use super::{
    DataMatrix, Pass, RowGroups, Side, Summary, check_not_empty, divided, fixed_chunks, least_positive,
    members_of_groups,
};
use crate::foundation::{Error, Matrix, Real, Result, once};
use crate::kernels::coordinates::{Costs, Stepped};
use crate::kernels::differences::SquaredDifferences;
use crate::kernels::gemm::{Output, View, ViewMut, matmul};
use crate::kernels::logarithm::{Divide, LogSum};
use crate::kernels::simd::dispatch;

/// About how many values of X a chunk of rows has, and the least and most rows it has: enough work for a
/// thread to be worth calling, chunks enough for many threads.
const SAMPLE_CHUNK_VALUES: usize = 1 << 18;
const SAMPLE_CHUNK_ROWS: (usize, usize) = (32, 1024);
/// Columns in a chunk of features. Narrower ones read X in pieces too short for the prefetcher.
const FEATURE_CHUNK: usize = 256;
/// A tile of U Vᵀ (rows × columns): with the same tile of X it fits in the second-level cache.
const TILE_ROWS: usize = 64;
const TILE_COLUMNS: usize = 512;

/// Dense data (n samples × d features), row-major, owned or borrowed.
///
/// Negative and NaN entries are no fault here; [`DataMatrix::summary`] reports them.
#[derive(Clone)]
pub struct DenseMatrix<'a, T: Real> {
    samples: usize,
    features: usize,
    values: Cow<'a, [T]>,
    summary: OnceLock<Summary>,
}

once! {
    /// A matrix as the library takes it.
    Boxed<'a, T>(matrix: DenseMatrix<'a, T>) -> Box<dyn DataMatrix<T> + 'a> {
        Box::new(matrix)
    }
}

impl<'a, T: Real> DenseMatrix<'a, T> {
    /// Takes `values` (n·d of them, row-major) as data of n samples × d features.
    ///
    /// # Errors
    /// [`Error::Empty`] when n or d is 0, [`Error::Shape`] when there are not n·d values.
    pub fn new(n: usize, d: usize, values: Vec<T>) -> Result<Self> {
        Self::checked(n, d, Cow::Owned(values))
    }

    /// As [`DenseMatrix::new`], for values that stay where they are; they are never copied.
    ///
    /// # Errors
    /// [`Error::Empty`] when n or d is 0, [`Error::Shape`] when there are not n·d values.
    pub fn borrowed(n: usize, d: usize, values: &'a [T]) -> Result<Self> {
        Self::checked(n, d, Cow::Borrowed(values))
    }

    /// Takes a matrix (n samples × d features) as data.
    ///
    /// # Errors
    /// [`Error::Empty`] when the matrix has no rows or no columns.
    pub fn from_matrix(matrix: Matrix<T>) -> Result<Self> {
        let (n, d) = matrix.shape();
        Self::checked(n, d, Cow::Owned(matrix.into_vec()))
    }

    fn checked(n: usize, d: usize, values: Cow<'a, [T]>) -> Result<Self> {
        check_not_empty(n, d)?;
        if n.checked_mul(d) != Some(values.len()) {
            return Err(Error::shape(
                "the values of the data",
                format!("{n} samples x {d} features = {} values", n as u128 * d as u128),
                format!("{} values", values.len()),
            ));
        }
        Ok(DenseMatrix { samples: n, features: d, values, summary: OnceLock::new() })
    }

    /// The data as the library takes them. Cheaper to compile than `&matrix`, which compiles all that is done
    /// with such data in the crate of the caller.
    #[doc(hidden)]
    pub fn boxed(self) -> Box<dyn DataMatrix<T> + 'a> {
        T::once::<Boxed>(self)
    }

    /// The d values of sample `i`.
    ///
    /// # Panics
    /// When `i` is out of range.
    pub fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.features..(i + 1) * self.features]
    }

    /// All n·d values, row-major.
    pub fn as_slice(&self) -> &[T] {
        &self.values
    }

    fn view(&self) -> View<'_, T> {
        View::new(&self.values, self.samples, self.features)
    }

    /// Replaces a tile of U Vᵀ, row-major, by X / (U Vᵀ), and adds the tile's x·ln(x / (U Vᵀ)) to the sum.
    fn divide_by(&self, tile: &mut [T], rows: &Range<usize>, columns: &Range<usize>, sum: &mut LogSum<T>) {
        for (i, tile) in rows.clone().zip(tile.chunks_exact_mut(columns.len())) {
            let values = &self.row(i)[columns.clone()];
            dispatch(Divide { values, products: tile, sum: &mut *sum });
        }
    }

    /// Calls `visit(rows, columns, tile)` for tiles of U Vᵀ (row-major) computed in `f64`, in a fixed order.
    fn visit_in_f64(
        &self,
        samples: Range<usize>,
        samples_factor: &Matrix<T>,
        features_factor: &Matrix<T>,
        mut visit: impl FnMut(Range<usize>, Range<usize>, &[f64]),
    ) {
        let (v, k) = (features_factor.cast::<f64>(), features_factor.columns());
        // Of the rows at hand only: all of them for every chunk of rows would take a square of their number.
        // Few columns leave room for more rows.
        let most = (TILE_ROWS * TILE_COLUMNS / self.features).clamp(TILE_ROWS, SAMPLE_CHUNK_ROWS.1);
        let most = most.min(samples.len());
        let mut u = Vec::with_capacity(most * k);
        let mut tile = vec![0.0; most * self.features.min(TILE_COLUMNS)];
        for rows in pieces(samples, most) {
            u.clear();
            u.extend(samples_factor.as_slice()[rows.start * k..rows.end * k].iter().map(|u| u.to_f64()));
            for columns in pieces(0..self.features, TILE_COLUMNS) {
                let tile = &mut tile[..rows.len() * columns.len()];
                let (u, v) = (View::new(&u, rows.len(), k), View::of(&v).rows(columns.clone()));
                let out = ViewMut::new(tile, rows.len(), columns.len());
                matmul(out, Output::Replace, u, v.transposed());
                visit(rows.clone(), columns, tile);
            }
        }
    }
}

/// Σ term(aᵢ, bᵢ) in eight running sums, which the processor adds side by side.
fn lanes_sum<A: Copy, B: Copy>(a: &[A], b: &[B], term: impl Fn(A, B) -> f64) -> f64 {
    let mut lanes = [0.0; 8];
    let (a_blocks, b_blocks) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a_blocks.remainder().iter().zip(b_blocks.remainder()).map(|(x, y)| term(*x, *y)).sum();
    for (a, b) in a_blocks.zip(b_blocks) {
        for lane in 0..8 {
            lanes[lane] += term(a[lane], b[lane]);
        }
    }
    lanes.iter().sum::<f64>() + rest
}

/// `range` in pieces of `length`, the last one shorter.
pub(super) fn pieces(range: Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> {
    range.clone().step_by(length).map(move |start| start..(start + length).min(range.end))
}

/// Room for the largest tile of rows × columns.
fn tile_size(rows: usize, columns: usize) -> usize {
    rows.min(TILE_ROWS) * columns.min(TILE_COLUMNS)
}

/// `out` (columns × k) = the transpose of `from` (k × columns).
fn transpose_into<T: Real>(from: &[T], k: usize, out: &mut [T]) {
    let columns = out.len() / k;
    for (j, out) in out.chunks_exact_mut(k).enumerate() {
        for c in 0..k {
            out[c] = from[c * columns + j];
        }
    }
}

impl<T: Real> fmt::Debug for DenseMatrix<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DenseMatrix({} samples x {} features, {})", self.samples, self.features, T::NAME)
    }
}

impl<T: Real> DataMatrix<T> for DenseMatrix<'_, T> {
    fn n_samples(&self) -> usize {
        self.samples
    }

    fn n_features(&self) -> usize {
        self.features
    }

    fn n_stored(&self) -> usize {
        self.values.len()
    }

    fn is_sparse(&self) -> bool {
        false
    }

    fn summary(&self) -> &Summary {
        self.summary.get_or_init(|| Summary::of_dense(self.samples, self.features, &self.values))
    }

    fn summarize(&self, first: usize, pass: &mut Pass) {
        pass.dense_rows(first, &self.values);
    }

    fn sample_chunks(&self) -> Vec<Range<usize>> {
        let (least, most) = SAMPLE_CHUNK_ROWS;
        let rows = (SAMPLE_CHUNK_VALUES / self.features).clamp(least, most).next_multiple_of(least);
        fixed_chunks(self.samples, rows)
    }

    fn feature_chunks(&self) -> Vec<Range<usize>> {
        fixed_chunks(self.features, FEATURE_CHUNK)
    }

    fn times(&self, samples: Range<usize>, features_factor: &Matrix<T>, out: &mut [T]) {
        let out = ViewMut::new(out, samples.len(), features_factor.columns());
        matmul(out, Output::Replace, self.view().rows(samples), View::of(features_factor));
    }

    fn transpose_times(&self, features: Range<usize>, samples_factor: &Matrix<T>, out: &mut [T]) {
        // The product is faster when its long dimension is contiguous, so it is formed as k × features.
        let k = samples_factor.columns();
        let mut wide = vec![T::ZERO; k * features.len()];
        let target = ViewMut::new(&mut wide, k, features.len());
        matmul(target, Output::Replace, View::of(samples_factor).transposed(), self.view().columns(features));
        transpose_into(&wide, k, out);
    }

    fn ratio_times(
        &self,
        samples: Range<usize>,
        samples_factor: &Matrix<T>,
        features_factor: &Matrix<T>,
        out: &mut [T],
    ) -> f64 {
        let k = features_factor.columns();
        let mut sum = LogSum::new();
        let mut tile = vec![T::ZERO; tile_size(samples.len(), self.features)];
        for (rows, out) in pieces(samples, TILE_ROWS).zip(out.chunks_mut(TILE_ROWS * k)) {
            let u = View::of(samples_factor).rows(rows.clone());
            out.fill(T::ZERO);
            for columns in pieces(0..self.features, TILE_COLUMNS) {
                let (m, c) = (rows.len(), columns.len());
                let tile = &mut tile[..m * c];
                let v = View::of(features_factor).rows(columns.clone());
                matmul(ViewMut::new(tile, m, c), Output::Replace, u, v.transposed());
                self.divide_by(tile, &rows, &columns, &mut sum);
                matmul(ViewMut::new(out, m, k), Output::Add, View::new(tile, m, c), v);
            }
        }
        sum.finish()
    }

    fn transpose_ratio_times(
        &self,
        features: Range<usize>,
        samples_factor: &Matrix<T>,
        features_factor: &Matrix<T>,
        out: &mut [T],
    ) -> f64 {
        let (k, c) = (features_factor.columns(), features.len());
        let v = View::of(features_factor).rows(features.clone());
        let mut sum = LogSum::new();
        let mut tile = vec![T::ZERO; TILE_ROWS * c];
        let mut wide = vec![T::ZERO; k * c];
        for rows in pieces(0..self.samples, TILE_ROWS) {
            let m = rows.len();
            let tile = &mut tile[..m * c];
            let u = View::of(samples_factor).rows(rows.clone());
            matmul(ViewMut::new(tile, m, c), Output::Replace, u, v.transposed());
            self.divide_by(tile, &rows, &features, &mut sum);
            matmul(ViewMut::new(&mut wide, k, c), Output::Add, u.transposed(), View::new(tile, m, c));
        }
        transpose_into(&wide, k, out);
        sum.finish()
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
        _: &Matrix<f64>,
    ) -> f64 {
        let mut total = 0.0;
        self.visit_in_f64(samples, samples_factor, features_factor, |rows, columns, tile| {
            let values = &self.values[rows.start * self.features..rows.end * self.features];
            dispatch(SquaredDifferences {
                values,
                features: self.features,
                columns,
                tile,
                total: &mut total,
            });
        });
        total
    }

    fn log_divergence(
        &self,
        samples: Range<usize>,
        samples_factor: &Matrix<T>,
        features_factor: &Matrix<T>,
    ) -> f64 {
        let mut sum = LogSum::new();
        self.visit_in_f64(samples, samples_factor, features_factor, |rows, columns, tile| {
            for (i, p) in rows.zip(tile.chunks_exact(columns.len())) {
                sum.extend(&self.row(i)[columns.clone()], p);
            }
        });
        sum.finish()
    }

    fn grouped(&self, groups: &RowGroups) -> Box<dyn DataMatrix<T>> {
        let mut values = Vec::with_capacity(groups.scale.len() * self.features);
        let mut sums = vec![0.0; self.features];
        for (members, scale) in members_of_groups(groups).iter().zip(&groups.scale) {
            // The first row is copied, not added to zeros: so a row that is alone keeps its bits.
            for (s, x) in sums.iter_mut().zip(self.row(members[0])) {
                *s = x.to_f64();
            }
            for i in &members[1..] {
                self.add_row(*i, 1.0, &mut sums);
            }
            values.extend(sums.iter().map(|s| T::from_f64(s * scale)));
        }
        Box::new(DenseMatrix {
            samples: groups.scale.len(),
            features: self.features,
            values: Cow::Owned(values),
            summary: OnceLock::new(),
        })
    }

    fn without_features(&self, features: &[usize]) -> Box<dyn DataMatrix<T>> {
        let mut values = self.values.to_vec();
        for row in values.chunks_exact_mut(self.features) {
            features.iter().for_each(|j| row[*j] = T::ZERO);
        }
        let values = Cow::Owned(values);
        let (samples, features) = (self.samples, self.features);
        Box::new(DenseMatrix { samples, features, values, summary: OnceLock::new() })
    }

    fn mapped(&self, value: &dyn Fn(usize, usize, f64) -> f64) -> Box<dyn DataMatrix<T>> {
        let value = |i: usize, j: usize, x: &T| T::from_f64(value(i, j, x.to_f64()));
        let row = |i: usize| self.row(i).iter().enumerate().map(move |(j, x)| value(i, j, x));
        let values = Cow::Owned((0..self.samples).flat_map(row).collect());
        let (samples, features) = (self.samples, self.features);
        Box::new(DenseMatrix { samples, features, values, summary: OnceLock::new() })
    }

    fn divided(&self, divisor: f64, least: f64) -> Box<dyn DataMatrix<T>> {
        let values = Cow::Owned(self.values.iter().map(|x| divided(*x, divisor, least)).collect());
        let (samples, features) = (self.samples, self.features);
        Box::new(DenseMatrix { samples, features, values, summary: OnceLock::new() })
    }

    fn least_positive(&self) -> f64 {
        least_positive(&self.values)
    }

    fn non_zero_features(&self, sample: usize) -> Vec<u32> {
        (0..).zip(self.row(sample)).filter(|(_, x)| **x != T::ZERO).map(|(j, _)| j).collect()
    }

    fn add_row(&self, sample: usize, weight: f64, out: &mut [f64]) {
        for (out, x) in out.iter_mut().zip(self.row(sample)) {
            *out += weight * x.to_f64();
        }
    }

    fn row_dot(&self, sample: usize, vector: &[f64]) -> f64 {
        assert_eq!(vector.len(), self.features, "the vector has one entry for each feature");
        lanes_sum(self.row(sample), vector, |x, v| x.to_f64() * v)
    }

    fn row_products(&self, samples: Range<usize>, out: &mut [T]) {
        let out = ViewMut::new(out, samples.len(), self.samples);
        matmul(out, Output::Replace, self.view().rows(samples), self.view().transposed());
    }

    fn squared_distance(&self, one: usize, other: usize) -> f64 {
        lanes_sum(self.row(one), self.row(other), |a, b| {
            let difference = a.to_f64() - b.to_f64();
            difference * difference
        })
    }

    fn first_asymmetry(&self, allowed: f64) -> Option<((usize, usize), (f64, f64))> {
        assert_eq!(self.samples, self.features, "only a square matrix can be symmetric");
        let n = self.samples;
        let entries = |i: usize, j: usize| (self.values[i * n + j].to_f64(), self.values[j * n + i].to_f64());
        for rows in fixed_chunks(n, TILE_ROWS) {
            // Tile by tile, so that what is read down the columns stays in the cache; the first pair of these
            // rows.
            let mut first: Option<(usize, usize)> = None;
            for columns in fixed_chunks(n, TILE_ROWS) {
                for i in rows.clone() {
                    let pairs = columns.start.max(i + 1)..columns.end.max(i + 1);
                    let differs = |j: &usize| {
                        let (a, b) = entries(i, *j);
                        (a - b).abs() > allowed
                    };
                    let found = pairs.into_iter().find(differs).map(|j| (i, j));
                    first = first.into_iter().chain(found).min();
                }
            }
            if let Some((i, j)) = first {
                return Some(((i, j), entries(i, j)));
            }
        }
        None
    }

    fn owned_bytes(&self) -> usize {
        match &self.values {
            Cow::Borrowed(_) => 0,
            Cow::Owned(values) => values.capacity() * size_of::<T>(),
        }
    }
}
