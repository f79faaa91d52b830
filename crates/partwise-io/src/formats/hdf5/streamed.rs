//! An AnnData file as row blocks, without all of its matrix in memory: compressed rows and dense arrays are
//! read block by block, twice. The first time finds the narrowest type that holds all values.

use crate::error::{IoError, Result};
use crate::formats::ReadOptions;
use crate::formats::hdf5::matrix::Compressed;
use crate::formats::hdf5::reader::Reader;
use crate::formats::hdf5::{Content, Named, anndata, content, opened};
use crate::formats::pwx::{Head, ValueType, value_type, write_parts};
use crate::source::Source;
use crate::table::{DenseValues, Values};
use crate::write::write_atomic;
use std::ops::Range;
use std::path::Path;

/// Writes the matrix of a file as `.pwx`, and returns what there is to note; `None` where it can't be read
/// row by row: compressed columns, entries that come twice, a 10x file.
pub(crate) fn convert(
    source: &Source,
    options: &ReadOptions,
    block_values: usize,
    target: &Path,
) -> Result<Option<Vec<String>>> {
    opened(source, |file| {
        let reader = Reader { file, path: &source.path };
        match content(&reader)? {
            Content::AnnData => written(&reader, options, block_values, target),
            Content::TenX(_) => Ok(None),
        }
    })
}

/// A matrix that is read some rows at a time.
enum Rows<'a> {
    Sparse(Compressed<'a>),
    Dense { reader: &'a Reader<'a>, path: String, single: bool },
}

impl Rows<'_> {
    fn read(&self, rows: Range<usize>, columns: usize) -> Result<Values> {
        match self {
            Rows::Sparse(file) => file.rows(rows, columns),
            Rows::Dense { reader, path, .. } => {
                let values = reader.reals(path, &[rows.start, 0], &[rows.len(), columns])?;
                Ok(Values::Dense { rows: rows.len(), columns, values })
            }
        }
    }
}

fn written(
    reader: &Reader<'_>,
    options: &ReadOptions,
    block_values: usize,
    target: &Path,
) -> Result<Option<Vec<String>>> {
    let (path, Named { rows: cells, columns: genes }) = anndata::named(reader, options.layer.as_deref())?;
    let (rows, columns, mut notes) = (cells.len(), genes.len(), Vec::new());
    if rows == 0 || columns == 0 {
        return Ok(None);
    }
    let matrix = if reader.file.names(&path).is_none() {
        let array = reader.array(&path)?;
        if array.shape != [rows, columns] {
            return Ok(None);
        }
        reader.check_numbers(&path, &array, &mut notes)?;
        let empty = reader.room_for(&path, &array, 0)?;
        Rows::Dense { reader, path, single: matches!(empty, DenseValues::F32(_)) }
    } else if anndata::is_by_rows(reader, &path) {
        Rows::Sparse(Compressed::open(reader, &path, rows, &mut notes)?)
    } else {
        return Ok(None);
    };
    let (starts, single) = match &matrix {
        Rows::Sparse(file) => (Some(&file.offsets[..]), file.is_single()),
        Rows::Dense { single, .. } => (None, *single),
    };
    let names = [Some(&cells[..]), Some(&genes[..])];
    let head = Head { rows, columns, starts, single, names, image_shape: None };
    let borders = head.borders(block_values);
    let mut value = ValueType::U8;
    for block in borders.windows(2) {
        let part = matrix.read(block[0]..block[1], columns)?;
        let expected = starts.map_or((block[1] - block[0]) * columns, |s| s[block[1]] - s[block[0]]);
        if part.n_stored() != expected {
            // Entries that come twice change where all later ones lie.
            return Ok(None);
        }
        let (Values::Dense { values, .. } | Values::Sparse { values, .. }) = &part;
        value = value.max(value_type(values));
    }
    let mut fault: Option<IoError> = None;
    let done = write_atomic(target, |out| {
        let mut part = |rows| {
            matrix.read(rows, columns).map_err(|error| {
                let message = std::io::Error::other(error.to_string());
                fault = Some(error);
                message
            })
        };
        write_parts(&head, value, &borders, &mut part, out)
    });
    match (done, fault) {
        (_, Some(fault)) => Err(fault),
        (Err(error), None) => Err(error),
        (Ok(()), None) => {
            for (names, what) in [(&cells, "names of cells"), (&genes, "names of genes")] {
                notes.extend(crate::duplicates::repeated_note(names, what));
            }
            Ok(Some(notes))
        }
    }
}
