//! [`Reader`]: arrays of an HDF5 file, block by block, with errors that state the file and the array.

use std::path::Path;

use crate::error::{IoError, Place, Result};
use crate::formats::hdf5::file::{Array, Element, Hdf5};
use crate::formats::npy::shape_text;
use crate::table::DenseValues;
use std::ops::Range;

/// Values of a block.
pub(super) const BLOCK: usize = 1 << 20;

/// A file, and what messages call it.
pub(crate) struct Reader<'a> {
    pub(crate) file: &'a dyn Hdf5,
    pub(crate) path: &'a Path,
}

impl Reader<'_> {
    pub(crate) fn malformed(&self, array: &str, message: impl Into<String>) -> IoError {
        IoError::malformed(self.path, place(array), message)
    }

    pub(crate) fn unsupported(&self, array: &str, message: impl Into<String>, valid: &[&str]) -> IoError {
        IoError::unsupported(self.path, place(array), message, valid)
    }

    /// An array, where there is one.
    pub(crate) fn find(&self, array: &str) -> Result<Option<Array>> {
        self.file.array(array).map_err(|message| self.malformed(array, message))
    }

    /// An array that the file must have.
    pub(crate) fn array(&self, array: &str) -> Result<Array> {
        self.find(array)?.ok_or_else(|| self.malformed(array, "the file has no such array"))
    }

    /// A 1-D array that the file must have.
    pub(crate) fn vector(&self, array: &str) -> Result<Array> {
        let found = self.array(array)?;
        match found.shape.len() {
            1 => Ok(found),
            _ => {
                let shape = shape_text(&found.shape);
                Err(self.malformed(array, format!("a 1-D array is needed, but its shape is {shape}")))
            }
        }
    }

    /// A 1-D array of whole numbers or booleans.
    pub(crate) fn whole_vector(&self, array: &str) -> Result<Vec<i64>> {
        let found = self.vector(array)?;
        let mut out = self.room(array, found.len())?;
        for (start, count) in blocks(found.len(), found.step, 1) {
            out.extend(self.whole(array, start, count)?);
        }
        Ok(out)
    }

    /// A part of a 1-D array of whole numbers.
    pub(crate) fn whole(&self, array: &str, start: usize, count: usize) -> Result<Vec<i64>> {
        self.file.whole(array, start, count).map_err(|message| self.malformed(array, message))
    }

    /// A block of an array of numbers.
    pub(crate) fn reals(&self, array: &str, start: &[usize], count: &[usize]) -> Result<DenseValues> {
        self.file.reals(array, start, count).map_err(|message| self.malformed(array, message))
    }

    /// A 1-D array of texts.
    pub(crate) fn texts(&self, array: &str) -> Result<Vec<String>> {
        self.vector(array)?;
        self.file.texts(array).map_err(|message| self.malformed(array, message))
    }

    /// Refuses an array that isn't of numbers; notes numbers that are widened.
    pub(crate) fn check_numbers(&self, name: &str, array: &Array, notes: &mut Vec<String>) -> Result<()> {
        match array.element {
            Element::Single | Element::Double => {}
            Element::Half => notes.push("numbers (float16) were widened to f32".into()),
            Element::Whole { .. } => {
                notes.push(format!("integers ({}) were widened to f64", array.element.name()));
            }
            Element::Boolean => notes.push("booleans (bool) were widened to f64".into()),
            other @ (Element::Text | Element::Other) => {
                let message = format!("numbers are needed, but this is {}", other.name());
                return Err(self.unsupported(name, message, &[]));
            }
        }
        Ok(())
    }

    /// An empty vector with room for so many values.
    pub(crate) fn room<T>(&self, array: &str, count: usize) -> Result<Vec<T>> {
        let mut out = Vec::new();
        let gigabytes = (count as f64) * (size_of::<T>() as f64) / 1e9;
        match out.try_reserve_exact(count) {
            Ok(()) => Ok(out),
            Err(_) => {
                let message = format!(
                    "its {count} values need {gigabytes:.1} GB of memory, which is more than there is"
                );
                Err(self.unsupported(array, message, &[]))
            }
        }
    }

    /// Empty values of an array with room for so many.
    pub(crate) fn room_for(&self, name: &str, array: &Array, count: usize) -> Result<DenseValues> {
        Ok(match array.element {
            Element::Half | Element::Single => DenseValues::F32(self.room(name, count)?),
            _ => DenseValues::F64(self.room(name, count)?),
        })
    }
}

/// An array or a group; the root is the file as a whole.
fn place(array: &str) -> Place {
    if array.is_empty() { Place::Whole } else { Place::Member(array.into()) }
}

/// The rows 0..`rows` in blocks of about a million values: start and count of each. `step` rows are stored
/// together, and no block but the last ends between them.
pub(crate) fn blocks(rows: usize, step: usize, width: usize) -> impl Iterator<Item = (usize, usize)> {
    let length = (BLOCK / step.saturating_mul(width).max(1)).max(1).saturating_mul(step);
    (0..rows.div_ceil(length)).map(move |at| (at * length, length.min(rows - at * length)))
}

/// A range of entries in pieces of about a million: start and count of each. `step` entries are stored
/// together, and no piece but the last ends between them.
pub(crate) fn pieces(range: Range<usize>, step: usize) -> impl Iterator<Item = (usize, usize)> {
    let length = (BLOCK / step).max(1).saturating_mul(step);
    let mut start = range.start;
    std::iter::from_fn(move || {
        let end = range.end.min((start / length + 1).saturating_mul(length));
        let piece = (start < range.end).then_some((start, end - start));
        start = end;
        piece
    })
}

impl DenseValues {
    /// Adds values of the same precision.
    pub(crate) fn append(&mut self, block: DenseValues) {
        match (self, block) {
            (DenseValues::F32(values), DenseValues::F32(mut block)) => values.append(&mut block),
            (DenseValues::F64(values), DenseValues::F64(mut block)) => values.append(&mut block),
            (DenseValues::F64(values), DenseValues::F32(block)) => {
                values.extend(block.into_iter().map(f64::from))
            }
            (DenseValues::F32(values), DenseValues::F64(block)) => {
                values.extend(block.into_iter().map(|v| v as f32))
            }
        }
    }

    /// Leaves out the values whose mark is false.
    pub(crate) fn keep(&mut self, marks: &[bool]) {
        fn retain<T>(values: &mut Vec<T>, marks: &[bool]) {
            let mut marks = marks.iter();
            values.retain(|_| marks.next().copied().unwrap_or(false));
        }
        match self {
            DenseValues::F32(values) => retain(values, marks),
            DenseValues::F64(values) => retain(values, marks),
        }
    }
}
