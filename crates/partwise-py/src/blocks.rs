//! [`Blocks`]: data in row blocks, each read from a Python object or a file whenever a fit needs it.
//!
//! Reading a Python object takes the interpreter for the time of one block, on the thread that reads ahead.
//! So nothing here may read while the calling thread holds it.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use numpy::{Element, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use partwise::blocks::{BlockSizes, BlockedMatrix, RowBlocks, Transport, caught};
use partwise::{DataMatrix, DenseMatrix, Error, Real, Result, Scaling, SparseMatrix};
use partwise_io::{BLOCK_VALUES, BlockFile, FileBlocks, ReadOptions};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::arrays::table;
use crate::errors::{file_error, value_error};
use crate::processes::Processes;

/// Data in row blocks as Python holds them.
#[pyclass(frozen, module = "partwise._native")]
pub(crate) struct Blocks {
    pub(crate) data: InPrecision,
    raised: Raised,
    file: Option<Arc<BlockFile>>,
    /// Whether this is the first of the processes that share the blocks, or the only one.
    pub(crate) is_first: bool,
}

/// The data, computed with numbers of 32 or of 64 bits.
pub(crate) enum InPrecision {
    F32(BlockedMatrix<f32>),
    F64(BlockedMatrix<f64>),
}

/// What the Python object raised when it was asked for a block.
type Raised = Arc<Mutex<Option<PyErr>>>;

#[pymethods]
impl Blocks {
    /// Blocks that `read(number)` gives: an array, or `((rows, d), indptr, indices, values)` of CSR, in f32
    /// if `single`; `kind` is `(sparse, single)`. `stored` are the numbers of stored values of the blocks. As
    /// many of them stay in memory as `cache` bytes hold. With `processes` the blocks are shared: only those
    /// of this process are read.
    #[staticmethod]
    #[pyo3(signature = (read, borders, n_features, stored, kind, cache, processes=None))]
    fn of_object(
        read: Py<PyAny>,
        borders: Vec<usize>,
        n_features: usize,
        stored: Vec<usize>,
        kind: (bool, bool),
        cache: f64,
        processes: Option<&Processes>,
    ) -> PyResult<Self> {
        let (sparse, single) = kind;
        let transport = processes.map(|processes| processes.transport.clone() as Arc<dyn Transport>);
        let is_first = transport.as_ref().is_none_or(|transport| transport.rank() == 0);
        let raised = Raised::default();
        let sums = stored.iter().map(|_| OnceLock::new()).collect();
        let source = FromPython { read, borders, n_features, stored, sparse, sums, raised: raised.clone() };
        let data = match single {
            true => InPrecision::F32(cached(Arc::new(source), cache, transport)?),
            false => InPrecision::F64(cached(Arc::new(source), cache, transport)?),
        };
        Ok(Blocks { data, raised, file: None, is_first })
    }

    /// The blocks of a file, in the precision of its source if `single` is not given. `layer` chooses the
    /// matrix of a file of cells.
    #[staticmethod]
    #[pyo3(signature = (path, single, cache, layer=None))]
    fn of_file(path: PathBuf, single: Option<bool>, cache: f64, layer: Option<String>) -> PyResult<Self> {
        let options = ReadOptions { layer, ..ReadOptions::default() };
        let Some(file) = BlockFile::open(&path, &options, BLOCK_VALUES).map_err(file_error)? else {
            return Err(PyValueError::new_err(format!(
                "{}: only row blocks (.pwx), .h5ad and 10x .h5 files are read in row blocks; `partwise convert` \
                 writes a .pwx file of every other table",
                path.display()
            )));
        };
        let file = Arc::new(file);
        let source = Arc::new(FileBlocks::new(file.clone(), Scaling::None));
        let data = match single.unwrap_or(file.precision() == "f32") {
            true => InPrecision::F32(cached(source, cache, None)?),
            false => InPrecision::F64(cached(source, cache, None)?),
        };
        Ok(Blocks { data, raised: Raised::default(), file: Some(file), is_first: true })
    }

    /// `(n, d)`.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        match &self.data {
            InPrecision::F32(data) => (data.n_samples(), data.n_features()),
            InPrecision::F64(data) => (data.n_samples(), data.n_features()),
        }
    }

    /// Whether the numbers have 32 bits.
    #[getter]
    fn single(&self) -> bool {
        matches!(self.data, InPrecision::F32(_))
    }

    /// Whether only non-zeros are stored.
    #[getter]
    fn sparse(&self) -> bool {
        match &self.data {
            InPrecision::F32(data) => data.is_sparse(),
            InPrecision::F64(data) => data.is_sparse(),
        }
    }

    /// How many blocks there are, the bytes of the largest, and those of all that stay in memory.
    #[getter]
    fn sizes(&self) -> (usize, f64, f64) {
        let sizes = match &self.data {
            InPrecision::F32(data) => data.sizes(),
            InPrecision::F64(data) => data.sizes(),
        };
        (sizes.count, sizes.bytes, sizes.kept)
    }

    /// The number of the first row of each block of a file, and n; and the number of its stored values.
    #[getter]
    fn layout(&self) -> PyResult<(Vec<usize>, Vec<usize>)> {
        let Some(file) = &self.file else { return Err(PyTypeError::new_err("the blocks are in no file")) };
        Ok((file.borders().to_vec(), file.stored().to_vec()))
    }

    /// The names of the rows and columns, where a file has them.
    #[getter]
    #[allow(clippy::type_complexity)]
    fn names(&self) -> (Option<Vec<String>>, Option<Vec<String>>) {
        match &self.file {
            Some(file) => (file.row_names().map(<[_]>::to_vec), file.column_names().map(<[_]>::to_vec)),
            None => (None, None),
        }
    }

    /// A block of a file, as [`read_table`](crate::files::read_table) gives tables.
    fn read_file<'py>(&self, py: Python<'py>, block: usize) -> PyResult<Bound<'py, PyAny>> {
        let Some(file) = &self.file else { return Err(PyTypeError::new_err("the blocks are in no file")) };
        let values = py.detach(|| file.read_block(block, self.single())).map_err(file_error)?;
        Ok(table(py, values)?.into_any())
    }

    /// The rows without a non-zero entry.
    fn zero_rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<usize>>> {
        let rows = py.detach(|| {
            caught(|| match &self.data {
                InPrecision::F32(data) => Ok::<_, Error>(data.summary().zero_rows.clone()),
                InPrecision::F64(data) => Ok(data.summary().zero_rows.clone()),
            })
        });
        Ok(PyArray1::from_vec(py, rows.map_err(|error| self.exception(error))?))
    }
}

impl Blocks {
    /// What to raise for an error of the library: what the Python object raised, where that is its cause.
    pub(crate) fn exception(&self, error: Error) -> PyErr {
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (error, raised) {
            (Error::Unreadable(_), Some(raised)) => raised,
            (error, _) => value_error(error),
        }
    }
}

/// The data of blocks, of which as many stay in memory as `cache` bytes hold.
fn cached<T: Real>(
    source: Arc<dyn RowBlocks<T>>,
    cache: f64,
    transport: Option<Arc<dyn Transport>>,
) -> PyResult<BlockedMatrix<T>> {
    let data = match transport {
        None => BlockedMatrix::new(source, 0),
        Some(transport) => BlockedMatrix::shared(source, 0, transport),
    };
    let data = data.map_err(value_error)?;
    let sizes = data.sizes();
    // Sparse blocks that stay also store their columns.
    let each = if data.is_sparse() { 2.0 * sizes.bytes } else { sizes.bytes };
    let count = (cache / each.max(1.0)).floor().clamp(0.0, sizes.count as f64);
    if count > 0.0 {
        data.keep(count as usize);
    }
    Ok(data)
}

/// Blocks that a Python object gives.
struct FromPython {
    read: Py<PyAny>,
    borders: Vec<usize>,
    n_features: usize,
    stored: Vec<usize>,
    sparse: bool,
    /// Of each block the checksum of its first reading.
    sums: Vec<OnceLock<u32>>,
    raised: Raised,
}

impl fmt::Debug for FromPython {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FromPython({} blocks)", self.stored.len())
    }
}

impl<T: Real + Element> RowBlocks<T> for FromPython {
    fn n_features(&self) -> usize {
        self.n_features
    }

    fn borders(&self) -> &[usize] {
        &self.borders
    }

    fn n_stored(&self) -> usize {
        self.stored.iter().sum()
    }

    fn is_sparse(&self) -> bool {
        self.sparse
    }

    fn sizes(&self) -> BlockSizes {
        let bytes = |block: usize| {
            let rows = self.borders[block + 1] - self.borders[block];
            match self.sparse {
                true => self.stored[block] * (4 + size_of::<T>()) + 8 * rows,
                false => self.stored[block] * size_of::<T>(),
            }
        };
        let largest = (0..self.stored.len()).map(bytes).max().unwrap_or(0) as f64;
        // The arrays of Python: as they come from the source, as rows, and in the number type of the fit.
        BlockSizes { count: self.stored.len(), bytes: largest, reading: 3.0 * largest, kept: 0.0 }
    }

    fn read(&self, block: usize) -> Result<Box<dyn DataMatrix<T>>> {
        let arrays = Python::attach(|py| self.arrays::<T>(py, block)).map_err(|raised| {
            let message = format!("{}: {raised}", self.named(block));
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(raised);
            Error::Unreadable(message)
        })?;
        let sum = arrays.checksum();
        if *self.sums[block].get_or_init(|| sum) != sum {
            return Err(Error::Unreadable(format!(
                "{} changed: it is not what it was when it was first read, but must be the same each time",
                self.named(block)
            )));
        }
        let rows = self.borders[block + 1] - self.borders[block];
        match arrays.sparse {
            None => Ok(Box::new(DenseMatrix::new(rows, self.n_features, arrays.values)?)),
            Some((starts, columns)) => {
                Ok(Box::new(SparseMatrix::new(rows, self.n_features, starts, columns, arrays.values)?))
            }
        }
    }
}

/// `((rows, d), indptr, indices, values)` of CSR.
type Rows<'py, T> =
    ((usize, usize), PyReadonlyArray1<'py, usize>, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, T>);

/// A block as it came from Python.
struct Arrays<T> {
    /// Row starts and column numbers; absent where all values are stored.
    sparse: Option<(Vec<usize>, Vec<u32>)>,
    values: Vec<T>,
}

impl<T: Real> Arrays<T> {
    fn checksum(&self) -> u32 {
        let mut sum = crc32fast::Hasher::new();
        if let Some((starts, columns)) = &self.sparse {
            sum.update(bytemuck::cast_slice(starts));
            sum.update(bytemuck::cast_slice(columns));
        }
        sum.update(bytemuck::cast_slice(&self.values));
        sum.finalize()
    }
}

impl FromPython {
    /// A block and its rows, for messages.
    fn named(&self, block: usize) -> String {
        let (first, last) = (self.borders[block], self.borders[block + 1] - 1);
        format!("block {block} of the data (rows {first} to {last}, counted from 0)")
    }

    fn arrays<T: Real + Element>(&self, py: Python<'_>, block: usize) -> PyResult<Arrays<T>> {
        let found = self.read.bind(py).call1((block,))?;
        if self.sparse {
            let (_, starts, columns, values) = found.extract::<Rows<'_, T>>()?;
            let sparse = Some((starts.as_slice()?.to_vec(), columns.as_slice()?.to_vec()));
            return Ok(Arrays { sparse, values: values.as_slice()?.to_vec() });
        }
        let array = found.extract::<PyReadonlyArray2<'_, T>>()?;
        if !array.is_c_contiguous() {
            return Err(PyTypeError::new_err("the array must be C-contiguous"));
        }
        Ok(Arrays { sparse: None, values: array.as_slice()?.to_vec() })
    }
}
