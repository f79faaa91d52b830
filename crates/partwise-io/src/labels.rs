//! Labels of samples: an `index,label` table, one label a line, or a `.npy` vector of whole numbers.
//!
//! - **Table** (`.csv`, `.tsv`, or text with at least two columns): the columns `index` and `label` by name, or else
//!   the first two. Indices are names of samples, or count from 0, and come in any order; samples that are not listed are unlabelled; an index
//!   on several rows has a set of labels (multi-label).
//! - **List** (text with one column): one label for each sample; one line more is allowed for a header `label`.
//! - **`.npy`**: one whole number for each sample.
//!
//! Blank and `-1` mean unlabelled everywhere. Label names stay text.

use crate::error::{IoError, Place, Result};
use crate::formats::DECODED_LIMIT;
use crate::lines::lines_of;
use crate::names::{DataNames, Lookup};
use crate::npy::{Array, shape_text};
use crate::records::{Records, cell_text, split_rule};
use crate::source::{Look, Source, looks_like};
use crate::table::counted;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The labels of all samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelTable {
    /// The file.
    pub path: PathBuf,
    /// Label names: by number if all are whole numbers, else by text.
    pub names: Vec<String>,
    /// For each sample its labels as ascending positions in `names`; empty means unlabelled.
    pub sets: Vec<Vec<u32>>,
    /// Policies that were applied, as sentences for a report.
    pub notes: Vec<String>,
    /// SHA-256 of the file's bytes as stored.
    pub sha256: String,
}

/// Reads labels for `n_samples` samples.
///
/// # Errors
/// Faults of the file, an index that isn't a whole number in `0..n_samples` (with its line), a wrong count.
pub fn read_labels(path: &Path, n_samples: usize) -> Result<LabelTable> {
    labels_of(&Source::open(path, DECODED_LIMIT)?, n_samples, None)
}

/// As [`read_labels`] for data with these names, by which the table may speak of the samples; perhaps with the labels in the column of
/// a name.
///
/// # Errors
/// As [`read_labels_column`]; a sample that isn't there, or numbers of which some are names and others are none.
pub fn read_labels_of(path: &Path, names: &DataNames<'_>, column: Option<&str>) -> Result<LabelTable> {
    named_labels_of(&Source::open(path, DECODED_LIMIT)?, names, column)
}

/// As [`read_labels`], with the labels in the column of this name ("university" instead of "label").
///
/// # Errors
/// As [`read_labels`], and when the file has no such column.
pub fn read_labels_column(path: &Path, n_samples: usize, column: &str) -> Result<LabelTable> {
    labels_of(&Source::open(path, DECODED_LIMIT)?, n_samples, Some(column))
}

/// As [`read_labels`] for bytes that are already here.
///
/// # Errors
/// As [`read_labels_column`].
pub fn labels_of(source: &Source, n_samples: usize, column: Option<&str>) -> Result<LabelTable> {
    named_labels_of(source, &DataNames::of_samples(n_samples, None), column)
}

fn named_labels_of(source: &Source, names: &DataNames<'_>, column: Option<&str>) -> Result<LabelTable> {
    let n_samples = names.n_samples();
    let look = looks_like(&source.bytes);
    let named_npy = source.extension().as_deref() == Some("npy");
    match (look, named_npy) {
        (Look::Npy, _) => from_npy(source, n_samples),
        (Look::Text, false) => from_text(source, names, column),
        _ => Err(IoError::WrongFormat {
            path: source.path.clone(),
            expected: if named_npy {
                "a NumPy array"
            } else {
                "a label file (index,label; one label a line; .npy)"
            }
            .into(),
            looks_like: look.describe().into(),
        }),
    }
}

impl LabelTable {
    /// Labels from one text for each sample, `None`, blank and `-1` meaning unlabelled; for the column that
    /// [`crate::ReadOptions::label_column`] took out of a table.
    pub fn from_column(path: &Path, labels: &[Option<String>], sha256: &str) -> LabelTable {
        let pairs = labels.iter().enumerate().map(|(i, label)| (i, label.clone().unwrap_or_default()));
        LabelTable::collect(path, pairs.collect(), labels.len(), Vec::new(), sha256)
    }

    /// How many samples have at least one label.
    pub fn n_labelled(&self) -> usize {
        self.sets.iter().filter(|set| !set.is_empty()).count()
    }

    /// One label for each sample, as a position in `names`, or −1 for none.
    ///
    /// # Errors
    /// When a sample has several labels; the message names the first.
    pub fn single(&self) -> Result<Vec<i32>> {
        let one = |(sample, set): (usize, &Vec<u32>)| match set[..] {
            [] => Ok(-1),
            [label] => Ok(label as i32),
            [first, second, ..] => {
                let message = format!(
                    "it has {} labels (\"{}\", \"{}\"), but one label a sample is needed here",
                    set.len(),
                    self.names[first as usize],
                    self.names[second as usize]
                );
                Err(IoError::mismatch(&self.path, Place::Sample(sample), message))
            }
        };
        self.sets.iter().enumerate().map(one).collect()
    }

    /// Sorts the names and gathers the pairs (sample, label text) into sets.
    fn collect(
        path: &Path,
        pairs: Vec<(usize, String)>,
        n_samples: usize,
        mut notes: Vec<String>,
        sha256: &str,
    ) -> LabelTable {
        let mut names: Vec<String> =
            pairs.iter().map(|(_, label)| label.clone()).filter(|l| is_label(l)).collect();
        names.sort();
        names.dedup();
        let numbers: Option<Vec<i64>> = names.iter().map(|name| name.parse().ok()).collect();
        if numbers.is_some() {
            names.sort_by_key(|name| (name.parse::<i64>().unwrap_or(0), name.clone()));
        }
        let position: HashMap<&str, u32> =
            names.iter().enumerate().map(|(i, name)| (name.as_str(), i as u32)).collect();
        let mut sets = vec![Vec::new(); n_samples];
        for (sample, label) in &pairs {
            sets[*sample].extend(position.get(label.as_str()));
        }
        let mut repeated = 0;
        for set in &mut sets {
            let before = set.len();
            set.sort_unstable();
            set.dedup();
            repeated += before - set.len();
        }
        if repeated > 0 {
            notes.push(format!(
                "{} counted once",
                counted(repeated, "repeated label was", "repeated labels were")
            ));
        }
        let several = sets.iter().filter(|set: &&Vec<u32>| set.len() > 1).count();
        if several > 0 {
            notes.push(format!("{} several labels", counted(several, "sample has", "samples have")));
        }
        LabelTable { path: path.to_path_buf(), names, sets, notes, sha256: sha256.to_string() }
    }
}

fn is_label(text: &str) -> bool {
    !text.is_empty() && text != "-1"
}

fn from_npy(source: &Source, n_samples: usize) -> Result<LabelTable> {
    let array = Array::parse(&source.path, Place::Whole, &source.bytes)?;
    if !matches!(array.shape[..], [_] | [_, 1]) {
        let message =
            format!("labels are a vector, but this array has the shape {}", shape_text(&array.shape));
        return Err(array.unsupported(message, &["(n,)", "(n, 1)"]));
    }
    let labels = array.whole_numbers()?;
    check_count(source, labels.len(), n_samples, "labels")?;
    let pairs = labels.into_iter().map(|label| label.to_string()).enumerate().collect();
    Ok(LabelTable::collect(&source.path, pairs, n_samples, Vec::new(), &source.sha256))
}

fn check_count(source: &Source, found: usize, n_samples: usize, what: &str) -> Result<()> {
    if found == n_samples {
        return Ok(());
    }
    let message = format!("the file has {found} {what}, but the data have {n_samples} samples");
    Err(IoError::mismatch(&source.path, Place::Whole, message))
}

fn from_text(source: &Source, names: &DataNames<'_>, column: Option<&str>) -> Result<LabelTable> {
    let n_samples = names.n_samples();
    let (text, delimiter) = split_rule(source.text_bytes());
    let mut records = Records::new(source, &text, delimiter);
    let Some(first) = records.next()?.cloned() else {
        return Err(IoError::Empty { path: source.path.clone() });
    };
    if first.len() == 1 {
        return from_list(source, n_samples, column);
    }
    let header: Vec<String> = (0..first.len()).map(|j| cell_text(&first, j)).collect();
    let has_header = header[0].parse::<i128>().is_err() && !names.is_sample_name(&header[0]);
    let mut notes = Vec::new();
    let (index, label) = columns(source, &header, has_header, column, &mut notes)?;
    let mut pairs = Vec::new();
    let mut found = names.lookup();
    if !has_header {
        pairs.push(pair(source, &first, &records, [index, label], &mut found)?);
    }
    while records.next()?.is_some() {
        let record = records.current();
        if record.len() != header.len() {
            let cells = counted(record.len(), "cell", "cells");
            let message = format!("the row has {cells}, but {} are expected", header.len());
            return Err(source.malformed(Place::Line(records.line()), message));
        }
        pairs.push(pair(source, record, &records, [index, label], &mut found)?);
    }
    notes.extend(found.note("labels"));
    Ok(LabelTable::collect(&source.path, pairs, n_samples, notes, &source.sha256))
}

/// The positions of the index and label columns.
fn columns(
    source: &Source,
    header: &[String],
    has_header: bool,
    wanted: Option<&str>,
    notes: &mut Vec<String>,
) -> Result<(usize, usize)> {
    let named = |name: &str| header.iter().position(|cell| has_header && cell == name);
    let index = named("index").unwrap_or(0);
    let other = usize::from(index == 0);
    if let Some(wanted) = wanted {
        let valid =
            || if has_header { header.to_vec() } else { vec!["no names: the file has no header".into()] };
        let label = named(wanted).filter(|label| *label != index).ok_or_else(|| IoError::UnknownName {
            path: source.path.clone(),
            kind: "column",
            name: wanted.to_string(),
            valid: valid(),
        })?;
        return Ok((index, label));
    }
    let label = named("label").unwrap_or(other);
    if has_header && (header[index] != "index" || header[label] != "label") {
        notes.push(format!(
            "indices are in the column \"{}\", labels in \"{}\"",
            header[index], header[label]
        ));
    } else if !has_header {
        notes.push("there is no header: the first column holds indices, the second labels".into());
    }
    Ok((index, label))
}

fn pair(
    source: &Source,
    record: &csv::ByteRecord,
    records: &Records<'_>,
    [index, label]: [usize; 2],
    found: &mut Lookup<'_, '_>,
) -> Result<(usize, String)> {
    let text = cell_text(record, index);
    let found = found.sample(&text).map_err(|message| source.malformed(Place::Line(records.line()), message));
    Ok((found?, cell_text(record, label)))
}

fn from_list(source: &Source, n_samples: usize, column: Option<&str>) -> Result<LabelTable> {
    let mut labels: Vec<String> =
        lines_of(source)?.iter().map(|line| line.trim_matches('"').to_string()).collect();
    let text = source.text_bytes();
    let lines = text.iter().filter(|byte| **byte == b'\n').count() + usize::from(!text.ends_with(b"\n"));
    let headers = [column.unwrap_or("label"), "label", "labels", "class"];
    let has_header = lines != n_samples && headers.contains(&labels.first().map_or("", String::as_str));
    if has_header {
        labels.remove(0);
    }
    // Blank lines at the end may be unlabelled samples.
    if labels.len() < n_samples {
        let rows = lines - usize::from(has_header);
        labels.resize(rows.clamp(labels.len(), n_samples), String::new());
    }
    check_count(source, labels.len(), n_samples, "labels (one a line)")?;
    let pairs = labels.into_iter().enumerate().collect();
    Ok(LabelTable::collect(&source.path, pairs, n_samples, Vec::new(), &source.sha256))
}
