//! [`Table`]: the content of a file, before it becomes data of the library.

use crate::error::{IoError, Place, Result};
use partwise::{DataMatrix, DenseMatrix, Matrix, Real, SparseMatrix};
use std::path::Path;

/// Numbers in the precision they were stored in: `f32` stays `f32`, everything else is widened to `f64`.
#[derive(Clone, Debug, PartialEq)]
pub enum DenseValues {
    /// Stored as 32-bit floating point.
    F32(Vec<f32>),
    /// Stored as 64-bit floating point, or widened to it.
    F64(Vec<f64>),
}

impl DenseValues {
    /// How many values there are.
    pub fn len(&self) -> usize {
        match self {
            DenseValues::F32(values) => values.len(),
            DenseValues::F64(values) => values.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Value `i`, widened.
    ///
    /// # Panics
    /// When `i` is out of range.
    pub fn get(&self, i: usize) -> f64 {
        match self {
            DenseValues::F32(values) => f64::from(values[i]),
            DenseValues::F64(values) => values[i],
        }
    }

    /// The values in the precision asked for; without a copy when it is the one they have.
    pub fn into_real<T: Real>(self) -> Vec<T> {
        /// Moves a vector when `T` is its own type.
        fn same<T: 'static, U: 'static>(values: Vec<T>) -> std::result::Result<Vec<U>, Vec<T>> {
            let mut holder = Some(values);
            match (&mut holder as &mut dyn std::any::Any).downcast_mut::<Option<Vec<U>>>() {
                Some(found) => Ok(found.take().unwrap_or_default()),
                None => Err(holder.unwrap_or_default()),
            }
        }
        match self {
            DenseValues::F32(values) => {
                same(values).unwrap_or_else(|v| v.into_iter().map(|x| T::from_f64(f64::from(x))).collect())
            }
            DenseValues::F64(values) => {
                same(values).unwrap_or_else(|v| v.into_iter().map(T::from_f64).collect())
            }
        }
    }
}

/// The numbers of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// All entries.
    Dense {
        /// n.
        rows: usize,
        /// d.
        columns: usize,
        /// n·d values, row-major.
        values: DenseValues,
    },
    /// Compressed sparse rows: columns ascending in each row, none twice.
    Sparse {
        /// n.
        rows: usize,
        /// d.
        columns: usize,
        /// n + 1 offsets into `indices`.
        indptr: Vec<usize>,
        /// The column of each stored entry.
        indices: Vec<u32>,
        /// The stored entries.
        values: DenseValues,
    },
}

impl Values {
    /// `(rows, columns)`.
    pub fn shape(&self) -> (usize, usize) {
        match self {
            Values::Dense { rows, columns, .. } | Values::Sparse { rows, columns, .. } => (*rows, *columns),
        }
    }

    /// Some rows.
    pub(crate) fn rows(&self, rows: std::ops::Range<usize>) -> Values {
        let cut = |values: &DenseValues, entries: std::ops::Range<usize>| match values {
            DenseValues::F32(values) => DenseValues::F32(values[entries].to_vec()),
            DenseValues::F64(values) => DenseValues::F64(values[entries].to_vec()),
        };
        match self {
            Values::Dense { columns, values, .. } => {
                let entries = rows.start * columns..rows.end * columns;
                Values::Dense { rows: rows.len(), columns: *columns, values: cut(values, entries) }
            }
            Values::Sparse { columns, indptr, indices, values, .. } => {
                let first = indptr[rows.start];
                let entries = first..indptr[rows.end];
                Values::Sparse {
                    rows: rows.len(),
                    columns: *columns,
                    indptr: indptr[rows.start..=rows.end].iter().map(|start| start - first).collect(),
                    indices: indices[entries.clone()].to_vec(),
                    values: cut(values, entries),
                }
            }
        }
    }

    /// The numbers as data of the library, dense or sparse as they are.
    ///
    /// # Errors
    /// When the table has no row or no column.
    pub fn into_data<T: Real>(self) -> partwise::Result<Box<dyn DataMatrix<T>>> {
        Ok(match self {
            Values::Dense { rows, columns, values } => {
                Box::new(DenseMatrix::new(rows, columns, values.into_real())?)
            }
            Values::Sparse { rows, columns, indptr, indices, values } => {
                Box::new(SparseMatrix::new(rows, columns, indptr, indices, values.into_real())?)
            }
        })
    }

    /// The number of stored values.
    pub fn n_stored(&self) -> usize {
        match self {
            Values::Dense { values, .. } | Values::Sparse { values, .. } => values.len(),
        }
    }

    /// The name of the precision, `"f32"` or `"f64"`.
    pub fn precision(&self) -> &'static str {
        match self {
            Values::Dense { values, .. } | Values::Sparse { values, .. } => match values {
                DenseValues::F32(_) => "f32",
                DenseValues::F64(_) => "f64",
            },
        }
    }

    /// All entries as a matrix, zeros included.
    ///
    /// # Errors
    /// When the matrix would have more than 2³¹ entries, or far more than the file stores: a sparse file can
    /// describe a huge one in a few bytes.
    pub fn into_matrix<T: Real>(self, path: &Path) -> Result<Matrix<T>> {
        let (rows, columns) = self.shape();
        let fault = |message: String| IoError::mismatch(path, Place::Whole, message);
        match self {
            Values::Dense { values, .. } => {
                Matrix::from_vec(rows, columns, values.into_real()).map_err(|e| fault(e.to_string()))
            }
            Values::Sparse { indptr, indices, values, .. } => {
                let most = FEW_ENTRIES.saturating_add(ENTRIES_A_STORED_ONE.saturating_mul(indices.len()));
                if rows.checked_mul(columns).is_none_or(|n| n > most.min(1 << 31)) {
                    let stored = counted(indices.len(), "entry", "entries");
                    return Err(fault(format!(
                        "{rows} x {columns} with {stored} is too large for a dense matrix here"
                    )));
                }
                let stored: Vec<T> = values.into_real();
                let mut matrix = Matrix::zeros(rows, columns);
                for i in 0..rows {
                    for e in indptr[i]..indptr[i + 1] {
                        matrix.set(i, indices[e] as usize, stored[e]);
                    }
                }
                Ok(matrix)
            }
        }
    }
}

/// As many entries of a dense matrix, and so many more for each that a sparse file stores, are believed.
const FEW_ENTRIES: usize = 1 << 21;
const ENTRIES_A_STORED_ONE: usize = 1 << 10;

/// What a file was read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileKind {
    /// A NumPy array.
    Npy,
    /// An archive of NumPy arrays, or a SciPy sparse matrix.
    Npz,
    /// Matrix Market.
    MatrixMarket,
    /// A text table.
    Csv,
    /// An edge list.
    Edges,
    /// Images: one, or all of a folder.
    Image,
    /// Words that were counted in documents.
    Words,
    /// Row blocks.
    Pwx,
    /// AnnData: cells and genes.
    AnnData,
    /// Counts of 10x Genomics.
    TenX,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The numbers.
    pub values: Values,
    /// A name for each row, if the file has them.
    pub row_names: Option<Vec<String>>,
    /// A name for each column, if the file has them.
    pub column_names: Option<Vec<String>>,
    /// Height and width, when each row is an image.
    pub image_shape: Option<(usize, usize)>,
    /// What it was read as.
    pub kind: FileKind,
    /// Policies that were applied, as sentences for a report ("3 duplicate entries were summed").
    pub notes: Vec<String>,
    /// SHA-256 of the file's bytes as stored (before decompression), in hexadecimal.
    pub sha256: String,
    /// The column that [`crate::ReadOptions::label_column`] took out: a label for each row, `None` where it
    /// has none.
    pub labels: Option<Vec<Option<String>>>,
}

impl Table {
    pub(crate) fn new(kind: FileKind, values: Values, notes: Vec<String>, sha256: &str) -> Self {
        Table {
            values,
            row_names: None,
            column_names: None,
            image_shape: None,
            kind,
            notes,
            sha256: sha256.to_string(),
            labels: None,
        }
    }
}

/// `1 row`, `2 rows`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
