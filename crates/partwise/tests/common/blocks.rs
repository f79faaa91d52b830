//! Row blocks of a matrix at hand, for the promises about data in blocks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use partwise::blocks::{BlockSizes, BlockedMatrix, RowBlocks};
use partwise::{DataMatrix, DenseMatrix, Error, Matrix, Real, Result};

/// Rows of `x` between the borders.
#[derive(Debug)]
pub(crate) struct Slices {
    pub(crate) x: Matrix<f64>,
    pub(crate) sparse: bool,
    pub(crate) borders: Vec<usize>,
    /// How often a block was read.
    pub(crate) reads: AtomicUsize,
    /// The number of the read that fails, if one does.
    pub(crate) fails_at: Option<usize>,
}

impl Slices {
    pub(crate) fn new(x: &Matrix<f64>, sparse: bool, borders: &[usize]) -> Self {
        let (x, borders) = (x.clone(), borders.to_vec());
        Slices { x, sparse, borders, reads: AtomicUsize::new(0), fails_at: None }
    }

    /// As data of which the first `kept` blocks stay in memory.
    pub(crate) fn data<T: Real>(self, kept: usize) -> (BlockedMatrix<T>, Arc<Slices>) {
        let source = Arc::new(self);
        (BlockedMatrix::new(Arc::clone(&source) as Arc<dyn RowBlocks<T>>, kept).unwrap(), source)
    }
}

impl<T: Real> RowBlocks<T> for Slices {
    fn n_features(&self) -> usize {
        self.x.columns()
    }

    fn borders(&self) -> &[usize] {
        &self.borders
    }

    fn n_stored(&self) -> usize {
        let non_zeros = self.x.as_slice().iter().filter(|x| **x != 0.0).count();
        if self.sparse { non_zeros } else { self.x.as_slice().len() }
    }

    fn is_sparse(&self) -> bool {
        self.sparse
    }

    fn sizes(&self) -> BlockSizes {
        BlockSizes { count: self.borders.len() - 1, bytes: 1e4, reading: 1e4, kept: 0.0 }
    }

    fn read(&self, block: usize) -> Result<Box<dyn DataMatrix<T>>> {
        let read = self.reads.fetch_add(1, Ordering::Relaxed);
        if self.fails_at == Some(read) {
            return Err(Error::Unreadable(format!("block {block} of the test can't be read")));
        }
        let rows = self.borders[block]..self.borders[block + 1];
        let part = Matrix::from_fn(rows.len(), self.x.columns(), |i, j| self.x.get(rows.start + i, j));
        Ok(match self.sparse {
            true => Box::new(super::sparse::<T>(&part)),
            false => Box::new(DenseMatrix::from_matrix(part.cast())?),
        })
    }
}
