//! A matrix of a file of cells as `.pwx`, without all of it in memory. Its rows are read twice: the first
//! time finds the narrowest type that holds all values. A matrix that is stored by columns is transposed
//! first, by way of a temporary file.

use crate::error::{IoError, Result};
use crate::formats::ReadOptions;
use crate::formats::hdf5::by_columns::{Transposed, row_starts};
use crate::formats::hdf5::opened;
use crate::formats::hdf5::reader::Reader;
use crate::formats::hdf5::stored_rows::{Order, StoredRows};
use crate::formats::pwx::{Head, ValueType, value_type, write_parts};
use crate::source::Source;
use crate::table::Values;
use crate::write::{folder_of, write_atomic};
use std::io::Write;
use std::ops::Range;
use std::path::Path;

/// Writes the matrix of a file as `.pwx`, and returns what there is to note; `None` where entries come twice,
/// so that all of it is needed to know where rows begin.
pub(crate) fn convert(
    source: &Source,
    options: &ReadOptions,
    block_values: usize,
    target: &Path,
) -> Result<Option<Vec<String>>> {
    opened(source, |file| {
        let reader = Reader { file, path: &source.path };
        let rows = StoredRows::open(&reader, options)?;
        let folder = folder_of(target);
        let done = write_rows(&reader, &rows, block_values, folder, |content| {
            write_atomic(target, |out| content(out))
        })?;
        Ok(done.map(|()| rows.notes))
    })
}

/// What is written to a file.
type Content<'c> = &'c mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>;

/// Lets `write` write the `.pwx` file of a matrix; `None` where entries come twice. Temporary files go to
/// `folder`.
pub(super) fn write_rows(
    reader: &Reader<'_>,
    rows: &StoredRows,
    block_values: usize,
    folder: &Path,
    write: impl FnOnce(Content<'_>) -> Result<()>,
) -> Result<Option<()>> {
    if let Order::Columns(file) = &rows.order {
        let starts = row_starts(reader, file, rows.sides())?;
        let borders = rows.head(Some(&starts)).borders(block_values);
        let both = (starts, borders.clone());
        let transposed = Transposed::new(reader, file, rows.sides(), both, folder)?;
        let part = |rows: Range<usize>| {
            transposed.block(borders.partition_point(|border| *border <= rows.start) - 1)
        };
        return write_parts_checked(&rows.head(Some(&transposed.starts)), &borders, &part, write);
    }
    let head = rows.head(rows.starts.as_deref());
    let part = |range| rows.read(reader, range, rows.single);
    write_parts_checked(&head, &head.borders(block_values), &part, write)
}

fn write_parts_checked(
    head: &Head<'_>,
    borders: &[usize],
    part: &dyn Fn(Range<usize>) -> Result<Values>,
    write: impl FnOnce(Content<'_>) -> Result<()>,
) -> Result<Option<()>> {
    let mut value = ValueType::U8;
    for block in borders.windows(2) {
        let found = part(block[0]..block[1])?;
        let expected =
            head.starts.map_or((block[1] - block[0]) * head.columns, |s| s[block[1]] - s[block[0]]);
        if found.n_stored() != expected {
            // Entries that come twice change where all later ones lie.
            return Ok(None);
        }
        let (Values::Dense { values, .. } | Values::Sparse { values, .. }) = &found;
        value = value.max(value_type(values));
    }
    let mut fault: Option<IoError> = None;
    let mut noted = |rows| {
        part(rows).map_err(|error| {
            let message = std::io::Error::other(error.to_string());
            fault = Some(error);
            message
        })
    };
    let done = write(&mut |out| write_parts(head, value, borders, &mut noted, out));
    match (done, fault) {
        (_, Some(fault)) => Err(fault),
        (Err(error), None) => Err(error),
        (Ok(()), None) => Ok(Some(())),
    }
}
