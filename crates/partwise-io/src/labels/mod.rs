//! Labels of samples: a table with an index or a name of each sample and its label, one label per line, or a
//! `.npy` vector.
//!
//! - **Table** (text with at least two columns): a column that names the samples (`index`, `name`, `sample`,
//!   `id`, blank, …, or else the first) and one of labels (`label`, `class`, … or the only other one).
//!   Samples go by name where the data have names of rows and the column holds such names, else by index,
//!   counted from 0, in any order; samples that are not listed are unlabelled; a sample on several rows has a
//!   set of labels (multi-label).
//! - **List** (text with one column): one label for each sample; one line more is allowed for a header.
//! - **`.npy`**: one whole number, boolean or text for each sample.
//! - **`.h5ad`** (with the feature `hdf5`): a column of `obs`, by the names of the cells where the data have
//!   names, else in order.
//!
//! Blank, `NA`, `nan`, `None`, `<NA>`, `N/A`, `null` and `-1` mean unlabelled everywhere. Label names stay
//! text; a whole number that is written as a decimal one (`1.0`) is the same label as the whole number (`1`).

#[cfg(feature = "hdf5")]
mod cells;
mod list;
pub(crate) mod text;

use crate::error::{IoError, Place, Result};
use crate::formats::DECODED_LIMIT;
use crate::formats::npy::{Array, shape_text};
use crate::labels::text::from_text;
use crate::missing::{is_missing_label, looks_unknown};
use crate::source::{Look, Source, looks_like};
use crate::table::counted;
use crate::text::quoted;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// How a label file is to be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct LabelOptions<'a> {
    /// The column of a table that holds the labels. Default: `label`, or another usual name, or the only one.
    pub column: Option<&'a str>,
    /// The names of the samples, where the data have some: labels are then found by name.
    pub sample_names: Option<&'a [String]>,
}

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
    read_labels_with(path, n_samples, &LabelOptions::default())
}

/// As [`read_labels`], with a column and names of samples.
///
/// # Errors
/// As [`read_labels`]; a column or a sample that isn't there, with the nearest name.
pub fn read_labels_with(path: &Path, n_samples: usize, options: &LabelOptions<'_>) -> Result<LabelTable> {
    labels_with(&Source::open(path, DECODED_LIMIT)?, n_samples, options)
}

/// As [`read_labels`], with the labels in the column of this name ("university" instead of "label").
///
/// # Errors
/// As [`read_labels`], and when the file has no such column.
pub fn read_labels_column(path: &Path, n_samples: usize, column: &str) -> Result<LabelTable> {
    read_labels_with(path, n_samples, &LabelOptions { column: Some(column), ..LabelOptions::default() })
}

/// As [`read_labels`] for bytes that are already here.
///
/// # Errors
/// As [`read_labels_column`].
pub fn labels_of(source: &Source, n_samples: usize, column: Option<&str>) -> Result<LabelTable> {
    labels_with(source, n_samples, &LabelOptions { column, ..LabelOptions::default() })
}

/// As [`read_labels_with`] for bytes that are already here.
///
/// # Errors
/// As [`read_labels_with`].
pub fn labels_with(source: &Source, n_samples: usize, options: &LabelOptions<'_>) -> Result<LabelTable> {
    let look = looks_like(&source.bytes);
    let named_npy = source.extension().as_deref() == Some("npy");
    match (look, named_npy) {
        (Look::Npy, _) => from_npy(source, n_samples),
        (Look::Text, false) => from_text(source, n_samples, options),
        #[cfg(feature = "hdf5")]
        (Look::Hdf5, false) => cells::from_cells(source, n_samples, options),
        (_, true) => Err(source.wrong_format("a NumPy array", look)),
        _ => Err(source.wrong_format("a label file (index,label; one label per line; .npy)", look)),
    }
}

impl LabelTable {
    /// Labels from one text for each sample, `None`, blank, `NA`, `-1` and the like meaning unlabelled; for
    /// the column that [`crate::ReadOptions::label_column`] took out of a table.
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
                    "it has {} labels (\"{}\", \"{}\"), but one label per sample is needed here",
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
    pub(crate) fn collect(
        path: &Path,
        pairs: Vec<(usize, String)>,
        n_samples: usize,
        mut notes: Vec<String>,
        sha256: &str,
    ) -> LabelTable {
        let mut words = Words::default();
        let found: Vec<(usize, Option<u32>)> =
            pairs.into_iter().map(|(sample, text)| (sample, words.label(&text))).collect();
        let (names, position) = words.sorted();
        let mut sets = vec![Vec::new(); n_samples];
        for (sample, label) in found {
            sets[sample].extend(label.map(|label| position[label as usize]));
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
        notes.extend(words.notes(&names));
        let labelled = sets.iter().filter(|set| !set.is_empty()).count();
        if labelled >= 5 && names.len() == labelled {
            notes.push("each label occurs only once; is this a column of names?".into());
        }
        LabelTable { path: path.to_path_buf(), names, sets, notes, sha256: sha256.to_string() }
    }
}

/// The labels met so far.
#[derive(Default)]
struct Words {
    /// Position by text, `None` for texts that mean unlabelled.
    known: HashMap<String, Option<u32>>,
    /// In the order of their coming, and how often.
    names: Vec<(String, usize)>,
    by_name: HashMap<String, u32>,
    /// Texts that mean unlabelled, beside blank and −1, and how often.
    missing: BTreeMap<String, usize>,
}

impl Words {
    fn label(&mut self, text: &str) -> Option<u32> {
        let found = match self.known.get(text) {
            Some(found) => *found,
            None => {
                let found = (!is_missing_label(text)).then(|| self.named(plain_number(text)));
                self.known.insert(text.to_string(), found);
                found
            }
        };
        match found {
            Some(label) => self.names[label as usize].1 += 1,
            None if text.trim().is_empty() || text.trim().starts_with('-') => {}
            None => *self.missing.entry(text.trim().to_string()).or_default() += 1,
        }
        found
    }

    fn named(&mut self, name: String) -> u32 {
        let names = &mut self.names;
        *self.by_name.entry(name).or_insert_with_key(|name| {
            names.push((name.clone(), 0));
            names.len() as u32 - 1
        })
    }

    /// The names, by number if all are whole numbers, else by text; and the new position of each.
    fn sorted(&self) -> (Vec<String>, Vec<u32>) {
        let numbers: Option<Vec<i128>> = self.names.iter().map(|(name, _)| name.parse().ok()).collect();
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by(|a, b| {
            let by_number = numbers.as_ref().map(|numbers| numbers[*a].cmp(&numbers[*b]));
            by_number
                .unwrap_or(std::cmp::Ordering::Equal)
                .then_with(|| self.names[*a].0.cmp(&self.names[*b].0))
        });
        let mut position = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, old)| position[*old] = new as u32);
        (order.iter().map(|old| self.names[*old].0.clone()).collect(), position)
    }

    fn notes(&self, names: &[String]) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.missing.is_empty() {
            let texts: Vec<String> =
                self.missing.keys().take(5).map(|text| quoted(text.as_bytes())).collect();
            let count = self.missing.values().sum();
            notes.push(format!(
                "{} read as unlabelled ({})",
                counted(count, "missing label was", "missing labels were"),
                texts.join(", ")
            ));
        }
        for name in names.iter().filter(|name| looks_unknown(name)).take(5) {
            let count = self.by_name.get(name).map_or(0, |at| self.names[*at as usize].1);
            notes.push(format!(
                "the label {} was read as a class ({}); if it means unlabelled, leave it blank or write NA",
                quoted(name.as_bytes()),
                counted(count, "sample", "samples")
            ));
        }
        notes
    }
}

/// The text of a label; of a whole number that is written as a decimal one (`1.0`, `1e+05`), that of the
/// whole number.
fn plain_number(text: &str) -> String {
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let plain = !whole.is_empty() && is_digits(whole) && (whole == "0" || !whole.starts_with('0'));
    if digits.contains('.') && plain && rest.bytes().all(|byte| byte == b'0') {
        return text[..text.len() - rest.len() - 1].to_string();
    }
    let exponent = digits.starts_with(|c: char| c.is_ascii_digit()) && digits.contains(['e', 'E']);
    match text.parse::<f64>().ok().filter(|value| exponent && value.fract() == 0.0 && value.abs() < 9e15) {
        Some(value) => format!("{value:.0}"),
        None => text.to_string(),
    }
}

fn from_npy(source: &Source, n_samples: usize) -> Result<LabelTable> {
    let array = Array::parse(&source.path, Place::Whole, &source.bytes)?;
    if !matches!(array.shape[..], [_] | [_, 1]) {
        let message =
            format!("labels are a vector, but this array has the shape {}", shape_text(&array.shape));
        return Err(array.unsupported(message, &["(n,)", "(n, 1)"]));
    }
    let labels = array.labels()?;
    check_count(source, labels.len(), n_samples, "labels")?;
    let pairs = labels.into_iter().enumerate().collect();
    Ok(LabelTable::collect(&source.path, pairs, n_samples, Vec::new(), &source.sha256))
}

pub(crate) fn check_count(source: &Source, found: usize, n_samples: usize, what: &str) -> Result<()> {
    if found == n_samples {
        return Ok(());
    }
    let message = format!("the file has {found} {what}, but the data have {n_samples} samples");
    Err(IoError::mismatch(&source.path, Place::Whole, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_one_name_and_codes_keep_theirs() {
        for (text, expected) in [
            ("1", "1"),
            ("1.0", "1"),
            ("1.000", "1"),
            ("1.", "1"),
            ("-2.0", "-2"),
            ("0.0", "0"),
            ("1e+05", "100000"),
            ("01", "01"),
            ("01.0", "01.0"),
            ("1.5", "1.5"),
            ("1152921504606846977", "1152921504606846977"),
            ("True", "True"),
            ("v1.0", "v1.0"),
            ("e1", "e1"),
            ("1.2.0", "1.2.0"),
            (".0", ".0"),
            ("1e99", "1e99"),
        ] {
            assert_eq!(plain_number(text), expected, "{text:?}");
        }
    }
}
