//! The data X (n samples × d features): products with X and sums over X, nothing else.
//!
//! [`DataMatrix`] is the seam: [`DenseMatrix`] and [`SparseMatrix`] implement it, and everything above works
//! on `&dyn DataMatrix`. A call computes one fixed chunk of rows or columns on the calling thread; which
//! thread calls for which chunk is the backend's business. Each output entry is summed in an order that
//! depends on the data alone, so results have the same bits for any number of threads.

mod blocks;
mod compressed;
mod coordinate_steps;
mod dense;
mod over_samples;
mod pages;
pub(crate) mod range;
mod scaling;
mod size;
mod sparse;
mod summary;

use std::fmt::Debug;
use std::ops::Range;

pub use blocks::{BlockSizes, BlockedMatrix, RowBlocks, Transport};
pub(crate) use blocks::{Processes, TreeSum};
pub use dense::DenseMatrix;
pub(crate) use over_samples::{
    first_chunk, of_each_sample, rows_of, sum_of_rows, sum_over_chunks, sum_over_samples,
};
pub use scaling::{ScaledRow, Scaling, ScalingKind};
pub use size::DataSize;
pub(crate) use size::{INDEX, WORD};
pub use sparse::SparseMatrix;
use summary::Pass;
pub use summary::Summary;

use crate::foundation::{Error, Matrix, Real, Result, interrupt};
use crate::kernels::coordinates::{Costs, Stepped};
use crate::kernels::sums::wide_gram;

/// The data are dense or sparse, or row blocks of these: the kernels rely on what they promise.
mod sealed {
    pub trait Sealed {}
    impl<T: super::Real> Sealed for super::BlockedMatrix<T> {}
    impl<T: super::Real> Sealed for super::DenseMatrix<'_, T> {}
    impl<T: super::Real> Sealed for super::SparseMatrix<'_, T> {}
}

/// How rows of X are summed into fewer rows, each then scaled: output row `q` is
/// `scale[q] · Σ_{i: group[i] = q} X[i]`.
#[derive(Clone, Debug, PartialEq)]
pub struct RowGroups {
    /// For each sample the output row it goes to, in `0..scale.len()`; each output row has at least one
    /// sample.
    pub group: Vec<u32>,
    /// The factor of each output row.
    pub scale: Vec<f64>,
}

impl RowGroups {
    /// The rows `chosen` of `n_samples` in this order, and a row of zeros where there are others.
    pub fn chosen(chosen: &[usize], n_samples: usize) -> Self {
        let mut group = vec![chosen.len() as u32; n_samples];
        chosen.iter().zip(0u32..).for_each(|(row, at)| group[*row] = at);
        let mut scale = vec![1.0; chosen.len()];
        if chosen.len() < n_samples {
            scale.push(0.0);
        }
        RowGroups { group, scale }
    }
}

/// Some rows of one of the factors.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// Of U.
    Samples(Range<usize>),
    /// Of V.
    Features(Range<usize>),
}

/// Data X of shape (n samples × d features), dense or sparse. In the formulas V is a feature factor (d × k),
/// U a sample factor (n × k), both row-major, and X ≈ U Vᵀ.
pub trait DataMatrix<T: Real>: sealed::Sealed + Debug + Send + Sync {
    /// n, the number of rows.
    fn n_samples(&self) -> usize;

    /// d, the number of columns.
    fn n_features(&self) -> usize;

    /// The number of stored values: n·d for dense data, the number of stored entries for sparse data.
    fn n_stored(&self) -> usize;

    /// Whether only non-zeros are stored.
    fn is_sparse(&self) -> bool;

    /// Sums, extremes, and the places of faults; computed at the first call and kept.
    fn summary(&self) -> &Summary;

    /// Fixed chunks of samples of about equal work, in order, covering `0..n`. They depend on the data alone.
    #[doc(hidden)]
    fn sample_chunks(&self) -> Vec<Range<usize>>;

    /// Fixed chunks of features of about equal work, in order, covering `0..d`.
    #[doc(hidden)]
    fn feature_chunks(&self) -> Vec<Range<usize>>;

    /// `out` (samples.len() × k, row-major) = X[samples, :] · V.
    #[doc(hidden)]
    fn times(&self, samples: Range<usize>, features_factor: &Matrix<T>, out: &mut [T]);

    /// `out` (features.len() × k, row-major) = X[:, features]ᵀ · U.
    #[doc(hidden)]
    fn transpose_times(&self, features: Range<usize>, samples_factor: &Matrix<T>, out: &mut [T]);

    /// The row blocks, where the data consist of blocks that are read one by one. Products over all of the
    /// data should then go block by block.
    #[doc(hidden)]
    fn blocks(&self) -> Option<&BlockedMatrix<T>> {
        None
    }

    /// Ranges of features that `count` threads can share a product with Xᵀ of one block by, in order,
    /// covering `0..d`.
    #[doc(hidden)]
    fn shared_features(&self, _count: usize) -> Vec<Range<usize>> {
        self.feature_chunks()
    }

    /// As [`DataMatrix::transpose_times`], with the same bits, for data that are read once: sparse data don't
    /// store their columns for it.
    #[doc(hidden)]
    fn transpose_times_once(&self, features: Range<usize>, samples_factor: &Matrix<T>, out: &mut [T]) {
        self.transpose_times(features, samples_factor, out);
    }

    /// Adds the rows to a summary, in order; `first` is the number of the first.
    #[doc(hidden)]
    fn summarize(&self, first: usize, pass: &mut Pass);

    /// With R = X / (U Vᵀ) on the non-zeros of X (0 elsewhere): `out` (samples.len() × k) = R[samples, :] ·
    /// V. Returns Σ x·ln(x / (UVᵀ)) over those rows. Quotients whose denominator is below the smallest normal
    /// number use that number instead.
    #[doc(hidden)]
    fn ratio_times(
        &self,
        samples: Range<usize>,
        samples_factor: &Matrix<T>,
        features_factor: &Matrix<T>,
        out: &mut [T],
    ) -> f64;

    /// As [`DataMatrix::ratio_times`] for columns: `out` (features.len() × k) = R[:, features]ᵀ · U.
    #[doc(hidden)]
    fn transpose_ratio_times(
        &self,
        features: Range<usize>,
        samples_factor: &Matrix<T>,
        features_factor: &Matrix<T>,
        out: &mut [T],
    ) -> f64;

    /// Whether it has the coordinate steps of the Kullback–Leibler loss.
    #[doc(hidden)]
    fn has_steps(&self) -> bool {
        false
    }

    /// Coordinate steps of the rows of U (`samples`) or of V (`features`) that are in `own`, beside the other
    /// factor: the divergence and what `costs` adds to it never rises.
    #[doc(hidden)]
    fn steps(
        &self,
        _rows: Side,
        _own: &mut [T],
        _other: &Matrix<T>,
        _costs: Costs<'_, T>,
        _sweeps: usize,
    ) -> Stepped {
        unreachable!("a problem without these steps has another solver")
    }

    /// Σ over these rows of (x − (UVᵀ))², products and sums in `f64`. For dense data the differences are
    /// formed entry by entry. For sparse data that is done for the stored entries; those that are not stored
    /// count with (UVᵀ)², found as Σᵢ uᵢ(VᵀV)uᵢᵀ less the stored entries' share: an error of about
    /// 2⁻⁵²·k·‖UVᵀ‖² at most.
    #[doc(hidden)]
    fn squared_residual(
        &self,
        samples: Range<usize>,
        samples_factor: &Matrix<T>,
        features_factor: &Matrix<T>,
    ) -> f64 {
        let gram = wide_gram(features_factor, 0..features_factor.rows());
        self.squared_residual_beside(samples, samples_factor, features_factor, &gram)
    }

    /// As [`DataMatrix::squared_residual`], with VᵀV in `f64` (k × k) at hand: it is the same for all chunks.
    #[doc(hidden)]
    fn squared_residual_beside(
        &self,
        samples: Range<usize>,
        samples_factor: &Matrix<T>,
        features_factor: &Matrix<T>,
        features_gram: &Matrix<f64>,
    ) -> f64;

    /// Σ over the non-zeros of these rows of x·ln(x / (UVᵀ)), in `f64`; `+∞` where UVᵀ is 0 and x is not.
    #[doc(hidden)]
    fn log_divergence(
        &self,
        samples: Range<usize>,
        samples_factor: &Matrix<T>,
        features_factor: &Matrix<T>,
    ) -> f64;

    /// Rows summed into groups and scaled, as new data of the same kind (dense stays dense).
    #[doc(hidden)]
    fn grouped(&self, groups: &RowGroups) -> Box<dyn DataMatrix<T>>;

    /// The same data (n × d, of the same kind) with 0 in the columns `features` (ascending).
    #[doc(hidden)]
    fn without_features(&self, features: &[usize]) -> Box<dyn DataMatrix<T>>;

    /// The same data (n × d, of the same kind) with each stored entry replaced: `value(row, column, entry)`.
    /// Rows come in order, the entries of a row by column.
    #[doc(hidden)]
    fn mapped(&self, value: &dyn Fn(usize, usize, f64) -> f64) -> Box<dyn DataMatrix<T>>;

    /// The same data (n × d, of the same kind) with each entry times the weight of its row and column.
    #[doc(hidden)]
    fn weighted(&self, weight: &dyn Fn(usize, usize) -> f64) -> Box<dyn DataMatrix<T>> {
        self.mapped(&|i, j, x| x * weight(i, j))
    }

    /// The same data (n × d, of the same kind) with each entry divided by `divisor`, a power of 2, and 0 for
    /// what is then below `least`.
    #[doc(hidden)]
    fn divided(&self, divisor: f64, least: f64) -> Box<dyn DataMatrix<T>>;

    /// The smallest stored entry above 0; infinite when there is none.
    #[doc(hidden)]
    fn least_positive(&self) -> f64;

    /// The features that are not 0 in a sample, ascending.
    #[doc(hidden)]
    fn non_zero_features(&self, sample: usize) -> Vec<u32>;

    /// `out` (d) += weight · X[sample, :], in `f64`.
    #[doc(hidden)]
    fn add_row(&self, sample: usize, weight: f64, out: &mut [f64]);

    /// X[sample, :] · `vector` (d), products and sums in `f64`. Dense and sparse data may add in another
    /// order.
    #[doc(hidden)]
    fn row_dot(&self, sample: usize, vector: &[f64]) -> f64;

    /// `out` (samples.len() × n, row-major) = X[samples, :] · Xᵀ. Sparse data store their columns for this.
    #[doc(hidden)]
    fn row_products(&self, samples: Range<usize>, out: &mut [T]);

    /// ‖X[one, :] − X[other, :]‖² in `f64`, from the differences, so equal rows have distance 0 exactly.
    #[doc(hidden)]
    fn squared_distance(&self, one: usize, other: usize) -> f64;

    /// The first pair (i, j), i < j, by i and then by j, with |X[i, j] − X[j, i]| > `allowed`, and the two
    /// entries. Sparse data store their columns for this.
    ///
    /// # Panics
    /// When X is not square.
    #[doc(hidden)]
    fn first_asymmetry(&self, allowed: f64) -> Option<((usize, usize), (f64, f64))>;

    /// Bytes that this value holds beyond what the caller lent (owned copies, a stored transpose).
    #[doc(hidden)]
    fn owned_bytes(&self) -> usize;
}

/// X·`right` (n × k), `right` d × k, in the precision of the data.
pub fn times<T: Real>(data: &dyn DataMatrix<T>, right: &Matrix<f64>) -> Matrix<f64> {
    let (right, k) = (right.cast::<T>(), right.columns());
    let mut out = Matrix::<T>::zeros(data.n_samples(), k);
    let chunks = data.blocks().map_or_else(|| data.sample_chunks(), BlockedMatrix::own_blocks);
    for chunk in chunks {
        interrupt::check();
        let part = &mut out.as_mut_slice()[chunk.start * k..chunk.end * k];
        data.times(chunk, &right, part);
    }
    if let Some(blocks) = data.blocks() {
        blocks.gather_rows(out.as_mut_slice(), k);
    }
    out.cast()
}

/// Xᵀ·`left` (d × k), `left` n × k, in the precision of the data.
pub fn transpose_times<T: Real>(data: &dyn DataMatrix<T>, left: &Matrix<f64>) -> Matrix<f64> {
    let (left, k) = (left.cast::<T>(), left.columns());
    let mut out = Matrix::<T>::zeros(data.n_features(), k);
    for chunk in data.feature_chunks() {
        interrupt::check();
        let part = &mut out.as_mut_slice()[chunk.start * k..chunk.end * k];
        data.transpose_times(chunk, &left, part);
    }
    out.cast()
}

fn check_not_empty(samples: usize, features: usize) -> Result<()> {
    if samples == 0 || features == 0 {
        return Err(Error::Empty { samples, features });
    }
    Ok(())
}

/// `0..count` in chunks of `length`, the last one shorter.
fn fixed_chunks(count: usize, length: usize) -> Vec<Range<usize>> {
    (0..count).step_by(length).map(|start| start..(start + length).min(count)).collect()
}

/// The smallest number above 0; infinite when there is none.
fn least_positive<T: Real>(values: &[T]) -> f64 {
    values
        .iter()
        .map(|x| x.to_f64())
        .fold(f64::INFINITY, |least, x| if x > 0.0 && x < least { x } else { least })
}

/// The number divided by `divisor`; 0 below `least`.
fn divided<T: Real>(x: T, divisor: f64, least: f64) -> T {
    let value = x.to_f64() / divisor;
    if value >= least || value < 0.0 { T::from_f64(value) } else { T::ZERO }
}

/// The samples of each group, ascending.
///
/// # Panics
/// When a group has no sample or a sample names a group that does not exist.
fn members_of_groups(groups: &RowGroups) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); groups.scale.len()];
    for (sample, group) in groups.group.iter().enumerate() {
        members[*group as usize].push(sample);
    }
    assert!(members.iter().all(|m| !m.is_empty()), "each group of rows has at least one sample");
    members
}
