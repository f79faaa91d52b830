//! [`BlockFile`]: a data file that is read in row blocks, whatever its format, so that not all of it is in
//! memory: row blocks (`.pwx`), and files of cells in place.

use crate::error::{IoError, Place, Result};
use crate::formats::ReadOptions;
use crate::formats::pwx::PwxFile;
use crate::table::Values;
use partwise::blocks::{BlockSizes, RowBlocks};
use partwise::{DataMatrix, DenseMatrix, Error, Real, Scaling, ScalingKind, SparseMatrix};
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads the blocks of a file, in any order and on any thread.
pub(crate) trait BlockReader: fmt::Debug + Send + Sync {
    /// A block, with 32-bit numbers if `single`. What it is made of may be out of range.
    fn read(&self, block: usize, single: bool) -> Result<Values>;

    /// Bytes that are needed beside a block while it is read.
    fn reading(&self) -> f64;
}

/// What is known of a file beside its values.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) format: &'static str,
    pub(crate) columns: usize,
    /// The number of the first row of each block, and of rows.
    pub(crate) borders: Vec<usize>,
    /// The number of stored values of each block.
    pub(crate) stored: Vec<usize>,
    pub(crate) sparse: bool,
    pub(crate) single: bool,
    pub(crate) row_names: Option<Vec<String>>,
    pub(crate) column_names: Option<Vec<String>>,
    pub(crate) image_shape: Option<(usize, usize)>,
    pub(crate) labels: Option<Vec<Option<String>>>,
    pub(crate) notes: Vec<String>,
}

/// A data file that is read in row blocks.
#[derive(Debug)]
pub struct BlockFile {
    path: PathBuf,
    facts: Facts,
    from: From,
}

/// What the blocks are read from.
#[derive(Debug)]
enum From {
    Blocks(Box<dyn BlockReader>),
    /// A matrix that is stored by columns has no row blocks until it is transposed.
    #[cfg(feature = "hdf5")]
    Columns(Box<crate::formats::hdf5::CellFile>),
}

impl BlockReader for PwxFile {
    fn read(&self, block: usize, single: bool) -> Result<Values> {
        self.values(block, single)
    }

    fn reading(&self) -> f64 {
        self.largest_stored()
    }
}

#[cfg(feature = "hdf5")]
impl BlockReader for crate::formats::hdf5::TemporaryPwx {
    fn read(&self, block: usize, single: bool) -> Result<Values> {
        self.file.values(block, single)
    }

    fn reading(&self) -> f64 {
        self.file.largest_stored()
    }
}

impl BlockFile {
    /// Opens a file, and reads everything but its values. `None` if files of its kind are only read as a
    /// whole. `block_values`: about how many stored values a block has, where the file does not decide it.
    ///
    /// # Errors
    /// Every fault of the file; options that it does not take.
    pub fn open(path: &Path, options: &ReadOptions, block_values: usize) -> Result<Option<Self>> {
        if PwxFile::is_one(path) {
            return Self::of_pwx(path, PwxFile::open(path)?).map(Some);
        }
        #[cfg(feature = "hdf5")]
        if crate::formats::is_cells_on_disk(path, options)? {
            let mut file = crate::formats::hdf5::CellFile::open(path, options, block_values)?;
            let facts = file.facts();
            let file = Box::new(file);
            let from = if file.is_by_columns() { From::Columns(file) } else { From::Blocks(file) };
            return Ok(Some(BlockFile { path: path.to_path_buf(), facts, from }));
        }
        let _ = (options, block_values);
        Ok(None)
    }

    fn of_pwx(path: &Path, file: PwxFile) -> Result<Self> {
        let facts = Facts {
            format: "pwx",
            columns: file.shape().1,
            borders: file.borders().to_vec(),
            stored: (0..file.n_blocks()).map(|block| file.stored_of(block)).collect(),
            sparse: file.is_sparse(),
            single: file.precision() == "f32",
            row_names: file.row_names.clone(),
            column_names: file.column_names.clone(),
            image_shape: file.image_shape(),
            labels: None,
            notes: Vec::new(),
        };
        Ok(BlockFile { path: path.to_path_buf(), facts, from: From::Blocks(Box::new(file)) })
    }

    /// Whether the matrix is stored by columns: it must be [`transposed`](Self::transposed) first.
    pub fn is_by_columns(&self) -> bool {
        match &self.from {
            From::Blocks(_) => false,
            #[cfg(feature = "hdf5")]
            From::Columns(_) => true,
        }
    }

    /// The file with a matrix that is stored by rows. One that is stored by columns is written as row blocks
    /// to a temporary file in the folder, in one pass; the file is removed when this is no longer needed.
    ///
    /// # Errors
    /// Every fault of the file; what the system reports.
    pub fn transposed(self, folder: &Path) -> Result<Self> {
        match self.from {
            From::Blocks(_) => Ok(self),
            #[cfg(feature = "hdf5")]
            From::Columns(file) => {
                let written = file.transposed(folder)?;
                let (borders, count) = (written.file.borders().to_vec(), written.file.n_blocks());
                let stored = (0..count).map(|block| written.file.stored_of(block)).collect();
                let facts = Facts { borders, stored, ..self.facts };
                Ok(BlockFile { path: self.path, facts, from: From::Blocks(Box::new(written)) })
            }
        }
    }

    /// The name of the format.
    pub fn format(&self) -> &'static str {
        self.facts.format
    }

    /// `(rows, columns)`.
    pub fn shape(&self) -> (usize, usize) {
        (self.facts.borders.last().copied().unwrap_or(0), self.facts.columns)
    }

    /// The number of stored values.
    pub fn n_stored(&self) -> usize {
        self.facts.stored.iter().sum()
    }

    /// Whether only non-zeros are stored.
    pub fn is_sparse(&self) -> bool {
        self.facts.sparse
    }

    /// The precision of the source, `"f32"` or `"f64"`.
    pub fn precision(&self) -> &'static str {
        if self.facts.single { "f32" } else { "f64" }
    }

    /// Height and width, when each row is an image.
    pub fn image_shape(&self) -> Option<(usize, usize)> {
        self.facts.image_shape
    }

    /// The names of the rows, if the file has them.
    pub fn row_names(&self) -> Option<&[String]> {
        self.facts.row_names.as_deref()
    }

    /// The names of the columns, if the file has them.
    pub fn column_names(&self) -> Option<&[String]> {
        self.facts.column_names.as_deref()
    }

    /// The labels of the column that the options name.
    pub fn labels(&self) -> Option<&[Option<String>]> {
        self.facts.labels.as_deref()
    }

    /// What there is to note of the file.
    pub fn notes(&self) -> &[String] {
        &self.facts.notes
    }

    /// The number of the first row of each block, and of rows.
    pub fn borders(&self) -> &[usize] {
        &self.facts.borders
    }

    /// The number of stored values of each block.
    pub fn stored(&self) -> &[usize] {
        &self.facts.stored
    }

    fn rows(&self, block: usize) -> Range<usize> {
        self.facts.borders[block]..self.facts.borders[block + 1]
    }

    /// The bytes of the largest block as data in memory, with numbers of `number` bytes.
    pub fn largest_block(&self, number: usize) -> f64 {
        let bytes = |block: usize| {
            let (stored, rows) = (self.facts.stored[block] as f64, self.rows(block).len() as f64);
            if self.facts.sparse { stored * (4 + number) as f64 + 8.0 * rows } else { stored * number as f64 }
        };
        (0..self.facts.stored.len()).map(bytes).fold(0.0, f64::max)
    }

    fn read(&self, block: usize, single: bool) -> Result<Values> {
        match &self.from {
            From::Blocks(reader) => reader.read(block, single),
            #[cfg(feature = "hdf5")]
            From::Columns(_) => {
                let message = "the matrix is stored by columns, so that its rows can't be read in blocks; `partwise \
                               convert` writes it as row blocks";
                Err(IoError::unsupported(&self.path, Place::Whole, message, &[]))
            }
        }
    }

    /// Reads a block as a table of its rows, with 32-bit numbers if `single`.
    ///
    /// # Errors
    /// When it can't be read, or was altered.
    pub fn read_block(&self, block: usize, single: bool) -> Result<Values> {
        let found = self.read(block, single)?;
        if let Values::Sparse { columns, indptr, indices, values, .. } = &found {
            let in_range = indices.iter().all(|column| (*column as usize) < *columns)
                && indptr.is_sorted()
                && indptr.last() == Some(&values.len());
            if !in_range {
                let message = "its row starts or column numbers are out of range";
                return Err(IoError::malformed(&self.path, Place::Whole, message));
            }
        }
        Ok(found)
    }

    /// Takes the numbers of a scaling from all rows, in one pass where it needs any. They are what
    /// [`Scaling::learn`] takes from the same rows in memory.
    ///
    /// # Errors
    /// When a block can't be read.
    pub fn learn_scaling<T: Real>(&self, kind: ScalingKind) -> Result<Scaling> {
        let (mut documents, mut max) = (vec![0_usize; self.facts.columns], 0.0_f64);
        match kind {
            ScalingKind::Max | ScalingKind::TfIdf => {}
            ScalingKind::None => return Ok(Scaling::None),
            ScalingKind::UnitRows => return Ok(Scaling::UnitRows),
        }
        for block in 0..self.facts.stored.len() {
            let found = self.read(block, T::NAME == f32::NAME)?;
            let (Values::Dense { values, .. } | Values::Sparse { values, .. }) = &found;
            for at in 0..values.len() {
                let (x, column) = match &found {
                    Values::Sparse { indices, .. } => (values.get(at), indices[at] as usize),
                    Values::Dense { .. } => (values.get(at), at % self.facts.columns),
                };
                max = max.max(x);
                if let Some(count) = documents.get_mut(column) {
                    *count += usize::from(x != 0.0);
                }
            }
        }
        Ok(match kind {
            ScalingKind::Max => Scaling::Max(max),
            _ => Scaling::of_documents(&documents, self.shape().0 as f64),
        })
    }
}

/// The blocks of a file as data of the library, each row scaled when it is read.
#[derive(Debug)]
pub struct FileBlocks {
    file: Arc<BlockFile>,
    scaling: Scaling,
}

impl FileBlocks {
    /// Those of a file.
    pub fn new(file: Arc<BlockFile>, scaling: Scaling) -> Self {
        FileBlocks { file, scaling }
    }
}

impl<T: Real> RowBlocks<T> for FileBlocks {
    fn n_features(&self) -> usize {
        self.file.facts.columns
    }

    fn borders(&self) -> &[usize] {
        &self.file.facts.borders
    }

    fn n_stored(&self) -> usize {
        self.file.n_stored()
    }

    fn is_sparse(&self) -> bool {
        self.file.facts.sparse
    }

    fn sizes(&self) -> BlockSizes {
        let reading = match &self.file.from {
            From::Blocks(reader) => reader.reading(),
            #[cfg(feature = "hdf5")]
            From::Columns(_) => 0.0,
        };
        let bytes = self.file.largest_block(size_of::<T>());
        BlockSizes { count: self.file.facts.stored.len(), bytes, reading, kept: 0.0 }
    }

    fn read(&self, block: usize) -> partwise::Result<Box<dyn DataMatrix<T>>> {
        let read = self.file.read(block, T::NAME == f32::NAME);
        match read.map_err(|error| Error::Unreadable(error.to_string()))? {
            Values::Dense { rows, columns, values } => {
                let mut values = values.into_real::<T>();
                if self.scaling != Scaling::None {
                    values.chunks_exact_mut(columns).for_each(|row| self.scaling.scale_row(None, row));
                }
                Ok(DenseMatrix::new(rows, columns, values)?.boxed())
            }
            Values::Sparse { rows, columns, indptr, indices, values } => {
                let mut values = values.into_real::<T>();
                if self.scaling != Scaling::None {
                    for row in indptr.windows(2) {
                        let (entries, values) = (row[0]..row[1], &mut values);
                        self.scaling.scale_row(Some(&indices[entries.clone()]), &mut values[entries]);
                    }
                }
                Ok(SparseMatrix::new(rows, columns, indptr, indices, values)?.boxed())
            }
        }
    }
}
