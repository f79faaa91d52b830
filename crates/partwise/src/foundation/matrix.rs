//! [`Matrix`]: an owned dense matrix, row-major.

use super::{Error, Real, Result};

/// Rows and columns that are transposed at once.
const TILE: usize = 16;

/// An owned dense matrix in row-major order. Factors, references and results have this type.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix<T> {
    rows: usize,
    columns: usize,
    values: Vec<T>,
}

impl<T: Real> Matrix<T> {
    /// A matrix of zeros of shape `(rows, columns)`.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Matrix { rows, columns, values: vec![T::ZERO; rows * columns] }
    }

    /// Takes `values` (row-major) as a matrix of shape `(rows, columns)`.
    ///
    /// # Errors
    /// [`Error::Shape`] when `values.len() != rows * columns`.
    pub fn from_vec(rows: usize, columns: usize, values: Vec<T>) -> Result<Self> {
        if rows.checked_mul(columns) != Some(values.len()) {
            return Err(Error::shape(
                "the values of a matrix",
                format!("{rows} x {columns} = {} values", rows as u128 * columns as u128),
                format!("{} values", values.len()),
            ));
        }
        Ok(Matrix { rows, columns, values })
    }

    /// Fills a matrix of shape `(rows, columns)` from `value(row, column)`.
    pub fn from_fn(rows: usize, columns: usize, mut value: impl FnMut(usize, usize) -> T) -> Self {
        let mut values = Vec::with_capacity(rows * columns);
        for i in 0..rows {
            for j in 0..columns {
                values.push(value(i, j));
            }
        }
        Matrix { rows, columns, values }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// `(rows, columns)`.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// Row `i` as a slice.
    ///
    /// # Panics
    /// When `i` is out of range.
    pub fn row(&self, i: usize) -> &[T] {
        &self.values[i * self.columns..(i + 1) * self.columns]
    }

    /// Row `i`, to write.
    ///
    /// # Panics
    /// When `i` is out of range.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        &mut self.values[i * self.columns..(i + 1) * self.columns]
    }

    /// Entry `(i, j)`.
    ///
    /// # Panics
    /// When `i` or `j` is out of range.
    pub fn get(&self, i: usize, j: usize) -> T {
        assert!(j < self.columns, "column {j} of a matrix with {} columns", self.columns);
        self.values[i * self.columns + j]
    }

    /// Sets entry `(i, j)`.
    ///
    /// # Panics
    /// When `i` or `j` is out of range.
    pub fn set(&mut self, i: usize, j: usize, value: T) {
        assert!(j < self.columns, "column {j} of a matrix with {} columns", self.columns);
        self.values[i * self.columns + j] = value;
    }

    /// All values, row-major.
    pub fn as_slice(&self) -> &[T] {
        &self.values
    }

    /// All values, row-major, to write.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// The values, row-major.
    pub fn into_vec(self) -> Vec<T> {
        self.values
    }

    /// Copies of some rows, in their order (rows.len() × columns).
    pub(crate) fn gathered(&self, rows: &[u32]) -> Self {
        let mut values = Vec::with_capacity(rows.len() * self.columns);
        rows.iter().for_each(|&row| values.extend_from_slice(self.row(row as usize)));
        Matrix { rows: rows.len(), columns: self.columns, values }
    }

    /// The transpose, as a new matrix.
    pub fn transposed(&self) -> Self {
        self.transposed_as()
    }

    /// The transpose in another precision.
    pub(crate) fn transposed_as<U: Real>(&self) -> Matrix<U> {
        let (m, n) = (self.rows, self.columns);
        let mut values = vec![U::ZERO; m * n];
        // Tile by tile: both sides of a tile stay in the first-level cache.
        for first_row in (0..m).step_by(TILE) {
            let rows = first_row..(first_row + TILE).min(m);
            for first in (0..n).step_by(TILE) {
                for j in first..(first + TILE).min(n) {
                    for (value, i) in
                        values[j * m + rows.start..j * m + rows.end].iter_mut().zip(rows.clone())
                    {
                        *value = U::from_f64(self.values[i * n + j].to_f64());
                    }
                }
            }
        }
        Matrix { rows: n, columns: m, values }
    }

    /// The same matrix in another precision.
    pub fn cast<U: Real>(&self) -> Matrix<U> {
        Matrix {
            rows: self.rows,
            columns: self.columns,
            values: self.values.iter().map(|v| U::from_f64(v.to_f64())).collect(),
        }
    }
}
