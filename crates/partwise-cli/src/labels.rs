//! Known labels, from a file or a column of the data, and which of them the fit uses.

use std::path::Path;

use anyhow::{Result, bail};
use partwise::{LabelTargets, Labels, Matrix, draw_labels};
use partwise_io::{LabelOptions, LabelTable, read_labels_with};

use crate::input::Source;
use crate::request::LabelSource;

/// One class for some of the samples, and which of them the fit uses.
#[derive(Clone, Debug)]
pub(crate) struct KnownClasses {
    /// The file.
    pub(crate) name: String,
    /// The column of the file, where one was asked for.
    pub(crate) column: Option<String>,
    pub(crate) sha256: String,
    /// All classes.
    pub(crate) class_names: Vec<String>,
    /// The class of each sample as a position in `class_names`, or −1 (n).
    pub(crate) truth: Vec<i32>,
    /// Those that the fit uses, −1 elsewhere (n).
    pub(crate) used: Vec<i32>,
    /// `used` as the library takes it.
    pub(crate) labels: Labels,
    pub(crate) notes: Vec<String>,
}

impl KnownClasses {
    /// The fit uses all labels, or `per_class` of each class drawn by the seed.
    pub(crate) fn new(table: LabelTable, per_class: Option<usize>, seed: u64) -> Result<Self> {
        let (truth, class_names) = (table.single()?, table.names);
        let mut notes = table.notes;
        let mut used = truth.clone();
        if let Some(wanted) = per_class {
            let mut counts = vec![0_usize; class_names.len()];
            truth.iter().filter(|l| **l >= 0).for_each(|l| counts[*l as usize] += 1);
            let few = counts.iter().filter(|count| **count < wanted).count();
            if few > 0 {
                notes.push(format!(
                    "{few} of {} classes have fewer than {wanted} labels; all their labels are used",
                    counts.len()
                ));
            }
            used = draw_labels(&truth, wanted, seed);
        }
        let labels = Labels::with_names(&used, &class_names)?;
        let name = table.path.display().to_string();
        let (column, sha256) = (None, table.sha256);
        Ok(KnownClasses { name, column, sha256, class_names, truth, used, labels, notes })
    }

    /// Whether the fit uses the label of each sample.
    pub(crate) fn guided(&self) -> Vec<bool> {
        self.used.iter().map(|label| *label >= 0).collect()
    }
}

/// Labels as they are known.
#[derive(Clone, Debug)]
pub(crate) enum KnownLabels {
    /// One class a sample.
    Classes(KnownClasses),
    /// Several labels for some samples.
    Sets(LabelTable),
}

/// Reads a label file, by name where the samples have names.
pub(crate) fn label_table(
    path: &Path,
    n_samples: usize,
    sample_names: Option<&[String]>,
    column: Option<&str>,
) -> Result<LabelTable> {
    Ok(read_labels_with(path, n_samples, &LabelOptions { column, sample_names })?)
}

/// The labels of a source, if it names some. With `several`, samples may have more than one.
pub(crate) fn known_labels(
    from: &LabelSource,
    source: &Source,
    seed: u64,
    several: bool,
) -> Result<Option<KnownLabels>> {
    let table = match (&from.labels, &source.labels) {
        (Some(path), _) => {
            label_table(path, source.rows, source.row_names.as_deref(), from.label_column.as_deref())?
        }
        (None, Some(column)) => LabelTable::from_column(Path::new(&source.name), column, &source.sha256),
        (None, None) if from.labels_per_class.is_some() => {
            bail!("--labels-per-class needs --labels (or --label-column)")
        }
        (None, None) => return Ok(None),
    };
    if several && table.sets.iter().any(|set| set.len() > 1) {
        if from.labels_per_class.is_some() {
            bail!("--labels-per-class needs one label per sample; {} has several", table.path.display());
        }
        return Ok(Some(KnownLabels::Sets(table)));
    }
    let classes = KnownClasses::new(table, from.labels_per_class, seed)?;
    Ok(Some(KnownLabels::Classes(KnownClasses { column: from.label_column.clone(), ..classes })))
}

/// Several labels as numbers: 1 for each label of a labelled sample, 0 for the others.
pub(crate) fn targets_of(table: &LabelTable) -> LabelTargets {
    let (n, labels) = (table.sets.len(), table.names.len());
    LabelTargets {
        targets: Matrix::from_fn(n, labels, |i, l| f64::from(table.sets[i].contains(&(l as u32)))),
        known: Matrix::from_fn(n, labels, |i, _| f64::from(!table.sets[i].is_empty())),
    }
}
