//! [`BlockedMatrix`]: data in row blocks, whose place nobody above can see. The blocks lie in memory, or are
//! read from a file whenever they are needed.
//!
//! The borders of the blocks belong to the data: neither threads nor memory move them. A product that needs
//! all rows is a sum over blocks, along a binary tree over their numbers ([`TreeSum`]). So results have the
//! same bits wherever the blocks lie.
//!
//! Several processes can share the blocks ([`BlockedMatrix::shared`]). Rows keep their numbers; each process
//! walks its own blocks only, and sums go on along the tree over the processes ([`Processes`]).

mod grouped;
mod matrix;
mod processes;
mod tree;

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{DataMatrix, Summary};
use crate::foundation::{Matrix, Real, Result, fault, pool};
pub(crate) use processes::Processes;
pub use processes::Transport;
pub(crate) use tree::{Part, TreeSum};

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
    /// Who shares the blocks, where several processes do.
    processes: Option<Processes>,
    /// The blocks of this process.
    own: Range<usize>,
    /// The first of the own blocks, which stay in memory once they are read.
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
        Ok(Self::of(source, kept, None))
    }

    /// Data whose blocks are shared among several processes, which run the same work together: each has the
    /// same rows, labels and settings, with the numbers of all rows, but walks a run of the blocks. Its
    /// source must be able to read these; only where single rows of others are asked for, it is asked for
    /// their blocks too. The first `kept` of the own blocks stay in memory.
    ///
    /// # Errors
    /// [`Error::Empty`](crate::Error::Empty) without rows or columns.
    pub fn shared(source: Arc<dyn RowBlocks<T>>, kept: usize, transport: Arc<dyn Transport>) -> Result<Self> {
        let (samples, features) = (source.borders().last().copied().unwrap_or(0), source.n_features());
        super::check_not_empty(samples, features)?;
        let processes = Processes::new(transport, source.borders().len() - 1);
        Ok(Self::of(source, kept, Some(processes)))
    }

    fn of(source: Arc<dyn RowBlocks<T>>, kept: usize, processes: Option<Processes>) -> Self {
        let all = 0..source.borders().len() - 1;
        let data = BlockedMatrix {
            own: processes.as_ref().map_or(all, |processes| processes.blocks_of(processes.rank())),
            source,
            processes,
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

    /// The processes that share the blocks, where several do.
    pub(crate) fn processes(&self) -> Option<&Processes> {
        self.processes.as_ref()
    }

    /// The rows of each block of this process.
    pub(crate) fn own_blocks(&self) -> Vec<Range<usize>> {
        self.own.clone().map(|block| self.rows(block)).collect()
    }

    /// The rows of all blocks of this process.
    pub(crate) fn own_rows(&self) -> Range<usize> {
        self.source.borders()[self.own.start]..self.source.borders()[self.own.end]
    }

    /// Σ weight · X[sample, :] (d) of these samples. Only own blocks that have some of them are read.
    pub(super) fn sum_of_rows(&self, samples: &[(usize, f64)]) -> Vec<f64> {
        let d = self.n_features();
        let mut sum = TreeSum::default();
        for block in self.own.clone() {
            let rows = self.rows(block);
            let mut here = samples.iter().filter(|(i, _)| rows.contains(i)).peekable();
            sum.add(here.peek().is_some().then(|| {
                let (data, mut sum) = (self.block(block), vec![0.0; d]);
                here.for_each(|(i, weight)| data.add_row(i - rows.start, *weight, &mut sum));
                sum
            }));
        }
        let mut own = TreeSum::default();
        own.add(sum.finish().flatten().unwrap_or_else(|| vec![0.0; d]));
        self.total(own, d)
    }

    /// The sum over all blocks, from that over the own blocks: `length` numbers.
    pub(crate) fn total<N: Real>(&self, own: TreeSum<Vec<N>>, length: usize) -> Vec<N> {
        let mut sum = own.finish().unwrap_or_else(|| vec![N::ZERO; length]);
        if let Some(processes) = &self.processes {
            processes.sum(&mut sum);
        }
        sum
    }

    /// Gives all processes the rows (`width` numbers each) that each has computed for its own blocks.
    pub(crate) fn gather_rows<N: bytemuck::Pod>(&self, rows: &mut [N], width: usize) {
        let Some(processes) = &self.processes else { return };
        let start = |rank: usize| self.source.borders()[processes.blocks_of(rank).start] * width;
        let end = |rank: usize| self.source.borders()[processes.blocks_of(rank).end] * width;
        let ranges: Vec<_> = (0..processes.size()).map(|rank| start(rank)..end(rank)).collect();
        processes.gather(rows, &ranges);
    }

    /// Lets the first `count` of the own blocks stay in memory once they are read again. The first call
    /// counts.
    #[doc(hidden)]
    pub fn keep(&self, count: usize) {
        self.kept.get_or_init(|| (0..count.min(self.own.len())).map(|_| OnceLock::new()).collect());
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

    /// Whether several processes share the blocks.
    #[doc(hidden)]
    pub fn is_shared(&self) -> bool {
        self.processes.is_some()
    }

    /// The number of blocks of this process.
    #[doc(hidden)]
    pub fn own_count(&self) -> usize {
        self.own.len()
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

    /// Calls `each` with the rows of each own block, its data, and whether these stay in memory; in order.
    pub(crate) fn for_each(&self, mut each: impl FnMut(Range<usize>, &dyn DataMatrix<T>, bool)) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
        for (block, kept) in self.own.clone().zip(self.kept()) {
            each(self.rows(block), kept.get_or_init(|| self.read(block)).as_ref(), true);
        }
        let rest: Vec<usize> = self.own.clone().skip(self.kept().len()).collect();
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
        if let Some(kept) = block.checked_sub(self.own.start).and_then(|at| self.kept().get(at)) {
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
