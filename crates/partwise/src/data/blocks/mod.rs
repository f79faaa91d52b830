//! [`BlockedMatrix`]: data in row blocks, whose place nobody above can see. The blocks lie in memory, or are
//! read from a file whenever they are needed.
//!
//! The borders of the blocks belong to the data: neither threads nor memory move them. A product that needs
//! all rows is a sum over blocks, along a binary tree over their numbers ([`TreeSum`]). So results have the
//! same bits wherever the blocks lie.

mod grouped;
mod processes;
mod tree;

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{DataMatrix, Pass, RowGroups, Summary};
use crate::foundation::{Error, Matrix, Real, Result, fault, pool};
use grouped::GroupedBlocks;
pub(crate) use processes::Processes;
pub use processes::Transport;
pub(crate) use tree::TreeSum;

/// Where the row blocks of data come from.
pub trait RowBlocks<T: Real>: fmt::Debug + Send + Sync {
    /// d.
    fn n_features(&self) -> usize;

    /// The number of the first row of each block, and n at the end.
    fn borders(&self) -> &[usize];

    /// The number of stored values of all blocks.
    fn n_stored(&self) -> usize;

    /// Whether only non-zeros are stored.
    fn is_sparse(&self) -> bool;

    /// Their number, and what the largest needs.
    fn sizes(&self) -> BlockSizes;

    /// Reads a block, as data with d features. It must be the same data each time.
    ///
    /// # Errors
    /// When the block can't be read, or is no longer what it was.
    fn read(&self, block: usize) -> Result<Box<dyn DataMatrix<T>>>;
}

/// What the estimates of memory need to know of row blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockSizes {
    /// How many there are.
    pub count: usize,
    /// Bytes of the largest block as data in memory.
    pub bytes: f64,
    /// Bytes that are needed beside a block while it is read.
    pub reading: f64,
    /// Bytes of all blocks that stay in memory.
    pub kept: f64,
}

/// A block in memory.
type Block<T> = Arc<dyn DataMatrix<T>>;

/// Data (n samples × d features) in row blocks.
pub struct BlockedMatrix<T: Real> {
    source: Arc<dyn RowBlocks<T>>,
    /// The first blocks, which stay in memory once they are read.
    kept: OnceLock<Vec<OnceLock<Block<T>>>>,
    /// The block of which single rows were last asked for.
    last: Mutex<Option<(usize, Block<T>)>>,
    summary: OnceLock<Summary>,
    shared: OnceLock<(usize, Vec<Range<usize>>)>,
}

impl<T: Real> BlockedMatrix<T> {
    /// Data of which the first `kept` blocks stay in memory; the others are read whenever they are needed.
    ///
    /// # Errors
    /// [`Error::Empty`] without rows or columns.
    pub fn new(source: Arc<dyn RowBlocks<T>>, kept: usize) -> Result<Self> {
        let (samples, features) = (source.borders().last().copied().unwrap_or(0), source.n_features());
        super::check_not_empty(samples, features)?;
        Ok(Self::of(source, kept))
    }

    fn of(source: Arc<dyn RowBlocks<T>>, kept: usize) -> Self {
        let data = BlockedMatrix {
            source,
            kept: OnceLock::new(),
            last: Mutex::new(None),
            summary: OnceLock::new(),
            shared: OnceLock::new(),
        };
        if kept > 0 {
            data.keep(kept);
        }
        data
    }

    /// Lets the first `count` blocks stay in memory once they are read again. The first call counts.
    #[doc(hidden)]
    pub fn keep(&self, count: usize) {
        self.kept.get_or_init(|| (0..count.min(self.n_blocks())).map(|_| OnceLock::new()).collect());
    }

    fn kept(&self) -> &[OnceLock<Block<T>>] {
        self.kept.get().map_or(&[], Vec::as_slice)
    }

    /// What the estimates of memory need to know of the blocks.
    #[doc(hidden)]
    pub fn sizes(&self) -> BlockSizes {
        let (sizes, bytes) = (self.source.sizes(), self.kept().len() as f64 * self.source.sizes().bytes);
        // The first product with Xᵀ stores the columns of what stays.
        let columns = if self.is_sparse() { 2.0 } else { 1.0 };
        BlockSizes { kept: columns * bytes, ..sizes }
    }

    fn n_blocks(&self) -> usize {
        self.source.borders().len() - 1
    }

    /// The rows of a block.
    fn rows(&self, block: usize) -> Range<usize> {
        self.source.borders()[block]..self.source.borders()[block + 1]
    }

    fn read(&self, block: usize) -> Block<T> {
        fault::or_raise(self.source.read(block)).into()
    }

    /// Calls `each` with the rows of each block, its data, and whether these stay in memory; in order.
    pub(crate) fn for_each(&self, mut each: impl FnMut(Range<usize>, &dyn DataMatrix<T>, bool)) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
        for (block, kept) in self.kept().iter().enumerate() {
            each(self.rows(block), kept.get_or_init(|| self.read(block)).as_ref(), true);
        }
        let rest: Vec<usize> = (self.kept().len()..self.n_blocks()).collect();
        // Read on another thread, a fault is raised on this one.
        let read = |block: usize| self.source.read(block);
        pool::read_ahead(&rest, read, |block, data| {
            each(self.rows(block), fault::or_raise(data).as_ref(), false);
        });
    }

    /// `out` (d × k) = Xᵀ · U of one block, whose rows of U are given, on the threads of a pool.
    pub(crate) fn transpose_times_block(
        &self,
        pool: &pool::Pool,
        (data, kept): (&dyn DataMatrix<T>, bool),
        codes: &Matrix<T>,
        out: &mut [T],
    ) {
        let k = codes.columns();
        if kept {
            let chunks = data.feature_chunks();
            pool.map_rows(&chunks, out, k, |features, out| data.transpose_times(features, codes, out));
            return;
        }
        let threads = pool.threads();
        let (_, shared) = self.shared.get_or_init(|| (threads, data.shared_features(threads)));
        pool.map_rows(shared, out, k, |features, out| data.transpose_times_once(features, codes, out));
    }

    /// Calls `act` for each block with rows of the range: the rows within the block, within the range, and
    /// the data of the block.
    fn within(
        &self,
        range: Range<usize>,
        mut act: impl FnMut(Range<usize>, Range<usize>, &dyn DataMatrix<T>),
    ) {
        let borders = self.source.borders();
        let mut block = borders.partition_point(|border| *border <= range.start).saturating_sub(1);
        let mut start = range.start;
        while start < range.end {
            let rows = self.rows(block);
            let end = rows.end.min(range.end);
            let data = self.block(block);
            let of_range = start - range.start..end - range.start;
            act(start - rows.start..end - rows.start, of_range, data.as_ref());
            (start, block) = (end, block + 1);
        }
    }

    /// A block that single rows are asked for of; it stays until another one is asked for.
    fn block(&self, block: usize) -> Block<T> {
        if let Some(kept) = self.kept().get(block) {
            return Arc::clone(kept.get_or_init(|| self.read(block)));
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((number, data)) if *number == block => Arc::clone(data),
            _ => {
                *last = None;
                let data = self.read(block);
                *last = Some((block, Arc::clone(&data)));
                data
            }
        }
    }

    /// The block with a row, and the number of the row in it.
    fn place(&self, row: usize) -> (Block<T>, usize) {
        let block = self.source.borders().partition_point(|border| *border <= row) - 1;
        (self.block(block), row - self.source.borders()[block])
    }
}

impl<T: Real> fmt::Debug for BlockedMatrix<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, d, blocks) = (self.n_samples(), self.n_features(), self.n_blocks());
        write!(f, "BlockedMatrix({n} samples x {d} features in {blocks} blocks, {})", T::NAME)
    }
}

/// The rows of a factor.
pub(crate) fn rows_of<T: Real>(factor: &Matrix<T>, rows: Range<usize>) -> Matrix<T> {
    let k = factor.columns();
    let values = factor.as_slice()[rows.start * k..rows.end * k].to_vec();
    Matrix::from_vec(rows.len(), k, values).expect("as many rows as are in the range")
}

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
            let mut pass = Pass::new(self.n_samples(), self.n_features());
            self.for_each(|rows, data, _| data.summarize(rows.start, &mut pass));
            pass.finish(self.n_samples(), self.n_features())
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
        out.copy_from_slice(&sum.finish());
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
        let (mut sum, mut logs) = (TreeSum::default(), 0.0);
        self.for_each(|rows, data, _| {
            let (codes, mut part) = (rows_of(samples_factor, rows), vec![T::ZERO; out.len()]);
            logs += data.transpose_ratio_times(features.clone(), &codes, features_factor, &mut part);
            sum.add(part);
        });
        out.copy_from_slice(&sum.finish());
        logs
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
        Box::new(BlockedMatrix::of(Arc::new(grouped), self.kept().len()))
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
        least
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

/// Σ over rows of (x − (UVᵀ))² and the like, block by block, chunks of a block on the threads of a pool,
/// added in order.
pub(crate) fn sum_over_chunks<T: Real>(
    pool: &pool::Pool,
    data: &dyn DataMatrix<T>,
    codes: &Matrix<T>,
    value: impl Fn(&dyn DataMatrix<T>, Range<usize>, &Matrix<T>) -> f64 + Sync,
) -> f64 {
    let Some(blocks) = data.blocks() else {
        return pool.map(data.sample_chunks(), |rows| value(data, rows, codes)).iter().sum();
    };
    let mut sum = 0.0;
    blocks.for_each(|rows, data, _| {
        let codes = rows_of(codes, rows);
        pool.map(data.sample_chunks(), |rows| value(data, rows, &codes)).iter().for_each(|part| sum += part);
    });
    sum
}
