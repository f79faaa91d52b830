//! [`CellFile`]: the row blocks of a file of cells, read in place whenever they are needed.

use crate::error::{IoError, Place, Result};
use crate::formats::ReadOptions;
use crate::formats::block_file::{BlockReader, Facts};
use crate::formats::hdf5::file::Stored;
use crate::formats::hdf5::panics;
use crate::formats::hdf5::reader::Reader;
use crate::formats::hdf5::stored_rows::{Order, StoredRows};
use crate::formats::hdf5::streamed::write_rows;
use crate::formats::pwx::PwxFile;
use crate::table::{DenseValues, FileKind, Values};
use std::fmt;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A file of cells that is open, and the matrix that is read.
pub(crate) struct CellFile {
    path: PathBuf,
    file: Stored,
    rows: StoredRows,
    borders: Vec<usize>,
    block_values: usize,
    /// Of each block the checksum of its first reading, in numbers of 32 and of 64 bits.
    sums: [Vec<OnceLock<u32>>; 2],
}

impl fmt::Debug for CellFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CellFile({}, {} blocks)", self.path.display(), self.borders.len() - 1)
    }
}

impl CellFile {
    /// Opens a file, and reads everything but the values.
    pub(crate) fn open(path: &Path, options: &ReadOptions, block_values: usize) -> Result<Self> {
        let mut beginning = Vec::new();
        let read = std::fs::File::open(path).and_then(|file| file.take(512).read_to_end(&mut beginning));
        read.map_err(|error| IoError::system(path, "read", error))?;
        let open = || -> Result<(Stored, StoredRows)> {
            let file = Stored::open(path, &beginning).map_err(|message| damaged(path, &message))?;
            let rows = StoredRows::open(&Reader { file: &file, path }, options)?;
            Ok((file, rows))
        };
        let (file, rows) = panics::caught(open).unwrap_or_else(|message| Err(damaged(path, &message)))?;
        let borders = match rows.order {
            Order::Columns(_) => vec![0, rows.sides().rows],
            _ => rows.head(rows.starts.as_deref()).borders(block_values),
        };
        let sums = || (1..borders.len()).map(|_| OnceLock::new()).collect();
        let (path, sums) = (path.to_path_buf(), [sums(), sums()]);
        Ok(CellFile { path, file, rows, borders, block_values, sums })
    }

    /// Whether the matrix is stored by columns, so that no rows can be read.
    pub(crate) fn is_by_columns(&self) -> bool {
        matches!(self.rows.order, Order::Columns(_))
    }

    /// What is known beside the values.
    pub(crate) fn facts(&mut self) -> Facts {
        let sides = self.rows.sides();
        let (format, rows) = (if self.rows.kind == FileKind::TenX { "10x" } else { "h5ad" }, &mut self.rows);
        let starts = rows.starts.as_deref();
        let stored_in = |block: &[usize]| match starts {
            Some(starts) => starts[block[1]] - starts[block[0]],
            None => (block[1] - block[0]) * sides.columns,
        };
        let sparse = !matches!(rows.order, Order::Dense { .. });
        let stored = match rows.order {
            Order::Columns(_) => vec![rows.stored()],
            _ => self.borders.windows(2).map(stored_in).collect(),
        };
        Facts {
            format,
            columns: sides.columns,
            borders: self.borders.clone(),
            stored,
            sparse,
            single: rows.single,
            row_names: Some(rows.names.rows.clone()),
            column_names: Some(rows.names.columns.clone()),
            image_shape: None,
            labels: rows.labels.take(),
            notes: std::mem::take(&mut rows.notes),
        }
    }

    /// Writes a matrix that is stored by columns as row blocks to a temporary file in a folder, which is gone
    /// with what this returns.
    pub(crate) fn transposed(&self, folder: &Path) -> Result<TemporaryPwx> {
        let fault = |error| IoError::system(folder, "write a temporary file in", error);
        let mut builder = tempfile::Builder::new();
        let mut target = builder.prefix(".partwise-").suffix(".pwx").tempfile_in(folder).map_err(fault)?;
        let _listed = crate::write::Unfinished::new(target.path());
        let reader = Reader { file: &self.file, path: &self.path };
        let write = || {
            write_rows(&reader, &self.rows, self.block_values, folder, |content| {
                let mut out = BufWriter::with_capacity(1 << 16, target.as_file_mut());
                content(&mut out).and_then(|()| out.flush()).map_err(fault)
            })
        };
        let written = panics::caught(write).unwrap_or_else(|message| Err(damaged(&self.path, &message)))?;
        if written.is_none() {
            let message = "entries of the matrix come twice, and it is stored by columns, so it can't be read in \
                           row blocks; sum them first (X.sum_duplicates() in Python)";
            return Err(IoError::unsupported(&self.path, Place::Whole, message, &[]));
        }
        let file = PwxFile::open(target.path())?;
        // An open file without a name is gone when the process ends, however it ends.
        #[cfg(unix)]
        let name = target.close().map(|()| None).map_err(fault)?;
        #[cfg(not(unix))]
        let name = Some(target.into_temp_path());
        Ok(TemporaryPwx { file, _name: name })
    }

    /// A block and its rows, for messages.
    fn named(&self, block: usize) -> String {
        let (first, last) = (self.borders[block], self.borders[block + 1] - 1);
        format!("block {block} (rows {first} to {last}, counted from 0)")
    }
}

/// A `.pwx` file that is removed when it is no longer needed.
#[derive(Debug)]
pub(crate) struct TemporaryPwx {
    pub(crate) file: PwxFile,
    _name: Option<tempfile::TempPath>,
}

impl BlockReader for CellFile {
    fn read(&self, block: usize, single: bool) -> Result<Values> {
        let reader = Reader { file: &self.file, path: &self.path };
        let rows = self.borders[block]..self.borders[block + 1];
        let found = panics::caught(|| self.rows.read(&reader, rows, single));
        let found = found.unwrap_or_else(|message| Err(damaged(&self.path, &message)));
        let altered = |what: &str| {
            let message = format!("{} {what}", self.named(block));
            IoError::malformed(&self.path, Place::Whole, message)
        };
        // Why it can't be read is in the message, but not which rows they are.
        let found = found.map_err(|error| altered(&format!("can't be read: {error}")))?;
        let sum = checksum(&found);
        if *self.sums[usize::from(single)][block].get_or_init(|| sum) != sum {
            return Err(altered("is not what it was before: the file changed while it is read"));
        }
        Ok(found)
    }

    fn reading(&self) -> f64 {
        self.rows.reading()
    }
}

fn damaged(path: &Path, message: &str) -> IoError {
    let message = format!("the HDF5 file cannot be read: {message} (a truncated or damaged file?)");
    IoError::malformed(path, Place::Whole, message)
}

fn checksum(values: &Values) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    if let Values::Sparse { indptr, indices, .. } = values {
        indptr.iter().for_each(|start| sum.update(&start.to_le_bytes()));
        sum.update(bytemuck::cast_slice(indices));
    }
    let (Values::Dense { values, .. } | Values::Sparse { values, .. }) = values;
    match values {
        DenseValues::F32(values) => sum.update(bytemuck::cast_slice(values)),
        DenseValues::F64(values) => sum.update(bytemuck::cast_slice(values)),
    }
    sum.finalize()
}
