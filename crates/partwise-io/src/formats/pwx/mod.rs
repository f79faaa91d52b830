//! `.pwx`: the project's own flat file of row blocks, for data that are larger than memory. Every command
//! also reads it into memory, as any other format.

mod file;
mod layout;
mod write;

pub use file::PwxFile;
pub(crate) use layout::ValueType;
pub use write::BLOCK_VALUES;
#[cfg(feature = "hdf5")]
pub(crate) use write::value_type;
pub(crate) use write::{Head, write_parts};

use crate::error::{IoError, Result};
use crate::formats::ReadOptions;
use crate::source::Source;
use crate::table::{DenseValues, FileKind, Table, Values};
use file::Block;
use partwise::Real;
use std::ops::Range;
use std::path::Path;

/// Writes a table as `.pwx`, under a temporary name that is then renamed; in blocks of about `block_values`
/// stored values.
///
/// # Errors
/// What the system reports.
fn write_pwx(table: &Table, block_values: usize, path: &Path) -> Result<()> {
    crate::write::write_atomic(path, |out| write::write(table, block_values, out))
}

/// Writes sparse 32-bit values as `.pwx` without holding them all: row i has `starts[i + 1] - starts[i]` of
/// them, and `part` makes some rows ([`Values::Sparse`] with d = `columns`). Once the last block is made the
/// file is given its name.
///
/// # Errors
/// What `part` and the system report.
#[doc(hidden)]
pub fn write_row_blocks(
    path: &Path,
    columns: usize,
    starts: &[usize],
    part: &mut dyn FnMut(Range<usize>) -> std::io::Result<Values>,
) -> Result<()> {
    let rows = starts.len().saturating_sub(1);
    let head =
        Head { rows, columns, starts: Some(starts), single: true, names: [None, None], image_shape: None };
    let borders = head.borders(BLOCK_VALUES);
    crate::write::write_atomic(path, |out| write_parts(&head, ValueType::F32, &borders, part, out))
}

/// Converts a data file, read as [`read_table`](crate::read_table) would, to `.pwx`; returns what there is to
/// note. AnnData files of compressed rows or dense arrays are read block by block, all others as a whole.
///
/// # Errors
/// Every fault of the file; what the system reports; labels, which `.pwx` does not keep.
pub fn convert_to_pwx(
    path: &Path,
    options: &ReadOptions,
    block_values: usize,
    target: &Path,
) -> Result<Vec<String>> {
    if options.label_column.is_some() {
        let message = "labels are not kept in .pwx; give them to the fit with --labels";
        return Err(IoError::unsupported(path, crate::error::Place::Whole, message, &[]));
    }
    #[cfg(feature = "hdf5")]
    if !path.is_dir() {
        let source = Source::open(path, options.decoded_limit)?;
        if crate::formats::is_of_cells(&source, options)
            && let Some(notes) = crate::formats::hdf5::convert(&source, options, block_values, target)?
        {
            return Ok(notes);
        }
        let table = crate::formats::read_source(&source, options)?;
        return write_pwx(&table, block_values, target).map(|()| table.notes);
    }
    let table = crate::formats::read_table(path, options)?;
    write_pwx(&table, block_values, target).map(|()| table.notes)
}

/// Reads all of a file into memory.
pub(crate) fn read(source: &Source, _: &ReadOptions) -> Result<Table> {
    let file = PwxFile::open(source.stored_at())?;
    let values = match file.header.single {
        true => all::<f32>(&file, DenseValues::F32)?,
        false => all::<f64>(&file, DenseValues::F64)?,
    };
    let mut table = Table::new(FileKind::Pwx, values, Vec::new(), &source.sha256);
    table.image_shape = file.image_shape();
    (table.row_names, table.column_names) = (file.row_names, file.column_names);
    Ok(table)
}

fn all<T: Real>(file: &PwxFile, wrap: fn(Vec<T>) -> DenseValues) -> Result<Values> {
    let ((rows, columns), stored) = (file.shape(), file.n_stored());
    let mut values = Vec::with_capacity(stored);
    let (mut indptr, mut indices) = (vec![0], Vec::new());
    for block in 0..file.n_blocks() {
        let Block { sparse, values: part } = file.block::<T>(block)?;
        if let Some((starts, columns)) = sparse {
            let before = values.len();
            indptr.extend(starts[1..].iter().map(|start| before + start));
            indices.extend(columns);
        }
        values.extend(part);
    }
    let sparse = file.is_sparse().then_some((indptr, indices));
    checked(file, (rows, columns), sparse, wrap(values))
}

/// Values as a table, whose row starts and column numbers (absent where all values are stored) are in range.
fn checked(
    file: &PwxFile,
    (rows, columns): (usize, usize),
    sparse: Option<(Vec<usize>, Vec<u32>)>,
    values: DenseValues,
) -> Result<Values> {
    let Some((indptr, indices)) = sparse else {
        return Ok(Values::Dense { rows, columns, values });
    };
    let in_range = indices.iter().all(|column| (*column as usize) < columns)
        && indptr.is_sorted()
        && indptr.last() == Some(&values.len());
    if !in_range {
        let message = "its row starts or column numbers are out of range";
        return Err(IoError::malformed(file.path(), crate::error::Place::Whole, message));
    }
    Ok(Values::Sparse { rows, columns, indptr, indices, values })
}

impl PwxFile {
    /// Reads a block as a table of its rows, with 32-bit numbers if `single`. Its row starts and column
    /// numbers are as the file has them.
    pub(crate) fn values(&self, block: usize, single: bool) -> Result<Values> {
        let (rows, columns) = (self.rows_of(block).len(), self.shape().1);
        let (sparse, values) = match single {
            true => {
                let Block { sparse, values } = self.block::<f32>(block)?;
                (sparse, DenseValues::F32(values))
            }
            false => {
                let Block { sparse, values } = self.block::<f64>(block)?;
                (sparse, DenseValues::F64(values))
            }
        };
        Ok(match sparse {
            None => Values::Dense { rows, columns, values },
            Some((indptr, indices)) => Values::Sparse { rows, columns, indptr, indices, values },
        })
    }
}
