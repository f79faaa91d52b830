//! Reference matrices for `--reference`: rows that components (or codes) are pulled towards, from any table
//! format.

use crate::error::{IoError, Place, Result};
use crate::formats::{ReadOptions, read_table};
use crate::matching::{Matched, order_by_name};
use crate::table::Table;
use partwise::{Matrix, Real};
use std::path::{Path, PathBuf};

/// A reference matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference<T> {
    /// The file.
    pub path: PathBuf,
    /// r × d: one reference per row.
    pub values: Matrix<T>,
    /// A name for each reference, if the file has them.
    pub row_names: Option<Vec<String>>,
    /// A name for each feature, if the file has them.
    pub column_names: Option<Vec<String>>,
    /// Policies that were applied, as sentences for a report.
    pub notes: Vec<String>,
    /// SHA-256 of the file's bytes as stored.
    pub sha256: String,
}

/// Reads a reference matrix from any format that [`read_table`] takes.
///
/// # Errors
/// As [`read_table`], and when a sparse file is too large for a dense matrix.
pub fn read_reference<T: Real>(path: &Path, options: &ReadOptions) -> Result<Reference<T>> {
    reference_of(path, read_table(path, options)?)
}

/// As [`read_reference`] for a table that is already here.
///
/// # Errors
/// As [`Values::into_matrix`](crate::Values::into_matrix).
pub fn reference_of<T: Real>(path: &Path, table: Table) -> Result<Reference<T>> {
    Ok(Reference {
        path: path.to_path_buf(),
        values: table.values.into_matrix(path)?,
        row_names: table.row_names,
        column_names: table.column_names,
        notes: table.notes,
        sha256: table.sha256,
    })
}

impl<T: Real> Reference<T> {
    /// Fits the columns to the features of the data. When both have names, columns are matched by name and
    /// put in the order of the data (with a note if that moved any); otherwise they are taken as they stand.
    ///
    /// # Errors
    /// When the number of columns differs from `n_features`, or a feature's name is missing or ambiguous.
    pub fn aligned_to(mut self, n_features: usize, feature_names: Option<&[String]>) -> Result<Self> {
        let fault = |message: String| IoError::mismatch(&self.path, Place::Whole, message);
        let order = order_by_name(self.column_names.as_deref(), feature_names, Matched::FEATURES)
            .map_err(|message| fault(format!("the columns of the reference: {message}")))?;
        if let Some(order) = order {
            self.values =
                Matrix::from_fn(self.values.rows(), order.len(), |i, j| self.values.get(i, order[j]));
            self.column_names = feature_names.map(<[String]>::to_vec);
            self.notes.push("the columns of the reference were put in the order of the data, by name".into());
        }
        if self.values.columns() != n_features {
            return Err(IoError::mismatch(
                &self.path,
                Place::Whole,
                format!(
                    "the reference has {} columns, but the data have {n_features} features",
                    self.values.columns()
                ),
            ));
        }
        Ok(self)
    }
}
