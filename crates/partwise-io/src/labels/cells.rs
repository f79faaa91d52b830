//! Labels of cells, from a column of `obs` of an AnnData file.

use crate::error::{IoError, Place, Result};
use crate::formats::hdf5::{Column, column};
use crate::labels::{LabelOptions, LabelTable};
use crate::matching::are_places;
use crate::name_index::{Found, NameIndex};
use crate::source::Source;
use crate::table::counted;
use crate::text::quoted;

/// Reads the labels of the samples.
pub(super) fn from_cells(
    source: &Source,
    n_samples: usize,
    options: &LabelOptions<'_>,
) -> Result<LabelTable> {
    let Column { cells, labels } = column(source, options.column)?;
    let (places, notes) = places(source, &cells, n_samples, options.sample_names)?;
    let pair = |(place, label): (Option<usize>, Option<String>)| Some((place?, label.unwrap_or_default()));
    let pairs = places.into_iter().zip(labels).filter_map(pair).collect();
    Ok(LabelTable::collect(&source.path, pairs, n_samples, notes, &source.sha256))
}

/// The sample of each cell, by name where the samples have names, else in order; and notes.
fn places(
    source: &Source,
    cells: &[String],
    n_samples: usize,
    names: Option<&[String]>,
) -> Result<(Vec<Option<usize>>, Vec<String>)> {
    let mismatch = |message: String| Err(IoError::mismatch(&source.path, Place::Whole, message));
    let Some(names) = names.filter(|names| !are_places(names) && *names != cells) else {
        if cells.len() != n_samples {
            return mismatch(format!(
                "the file has {}, but the data have {n_samples} samples",
                counted(cells.len(), "cell", "cells")
            ));
        }
        return Ok(((0..n_samples).map(Some).collect(), Vec::new()));
    };
    let index = NameIndex::new(names);
    let mut out = Vec::with_capacity(cells.len());
    for cell in cells {
        out.push(match index.find(cell) {
            Some(Found::Once(place)) => Some(place),
            None => None,
            Some(Found::Repeated(first, second)) => {
                return mismatch(format!(
                    "several samples are named {}, numbers {first} and {second} (counted from 0), so a label \
                    cannot refer to this name",
                    quoted(cell.as_bytes())
                ));
            }
        });
    }
    let others = out.iter().filter(|place| place.is_none()).count();
    if others == cells.len() {
        let first = |names: &[String]| names.first().map_or(String::new(), |name| quoted(name.as_bytes()));
        return mismatch(format!(
            "none of its {} cells is a sample of the data; the first is {}, the first of the data {}",
            cells.len(),
            first(cells),
            first(names)
        ));
    }
    let mut notes = Vec::new();
    if others > 0 {
        notes.push(format!("{others} of the {} cells of the file are not in the data", cells.len()));
    }
    Ok((out, notes))
}
