//! Triplets to compressed sparse rows, shared by the formats that store sparse matrices.

use crate::table::{DenseValues, Values};
use std::ops::AddAssign;

/// Entries of a sparse matrix in any order, indices counted from 0 and checked by the reader.
pub(crate) struct Triplets<T> {
    pub(crate) rows: Vec<u32>,
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<T>,
}

/// A number type that a file can store.
pub(crate) trait Stored: Copy + AddAssign {
    fn wrap(values: Vec<Self>) -> DenseValues;
}

impl Stored for f32 {
    fn wrap(values: Vec<f32>) -> DenseValues {
        DenseValues::F32(values)
    }
}

impl Stored for f64 {
    fn wrap(values: Vec<f64>) -> DenseValues {
        DenseValues::F64(values)
    }
}

impl<T: Stored> Triplets<T> {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Triplets {
            rows: Vec::with_capacity(capacity),
            columns: Vec::with_capacity(capacity),
            values: Vec::with_capacity(capacity),
        }
    }

    pub(crate) fn push(&mut self, row: u32, column: u32, value: T) {
        self.rows.push(row);
        self.columns.push(column);
        self.values.push(value);
    }

    /// Compressed rows with ascending columns, and how many duplicate entries were summed into others.
    /// Duplicates are summed in the order in which they came.
    pub(crate) fn compress(self, rows: usize, columns: usize) -> (Values, usize) {
        let mut indptr = vec![0usize; rows + 1];
        for &row in &self.rows {
            indptr[row as usize + 1] += 1;
        }
        for i in 0..rows {
            indptr[i + 1] += indptr[i];
        }
        let mut entries: Vec<(u32, T)> =
            self.columns.iter().copied().zip(self.values.iter().copied()).collect();
        for ((&row, &column), &value) in self.rows.iter().zip(&self.columns).zip(&self.values) {
            let place = &mut indptr[row as usize];
            entries[*place] = (column, value);
            *place += 1;
        }
        // Each offset has moved to where the next row begins.
        indptr.copy_within(0..rows, 1);
        indptr[0] = 0;
        drop(self);
        let mut indices = Vec::with_capacity(entries.len());
        let mut values = Vec::with_capacity(entries.len());
        let mut duplicates = 0;
        for i in 0..rows {
            let row = &mut entries[indptr[i]..indptr[i + 1]];
            if !row.is_sorted_by_key(|entry| entry.0) {
                row.sort_by_key(|entry| entry.0);
            }
            let start = indices.len();
            indptr[i] = start;
            for &(column, value) in row.iter() {
                match values.last_mut() {
                    Some(last) if indices.len() > start && indices.last() == Some(&column) => {
                        *last += value;
                        duplicates += 1;
                    }
                    _ => {
                        indices.push(column);
                        values.push(value);
                    }
                }
            }
        }
        indptr[rows] = indices.len();
        (Values::Sparse { rows, columns, indptr, indices, values: T::wrap(values) }, duplicates)
    }
}

/// The longest side of a sparse matrix with few entries.
const SIDE: usize = 1 << 22;

/// Whether a side of a sparse matrix is beyond what `stored` entries can mean: columns are 32-bit, and each
/// row costs memory whether or not it holds anything, so a forged size must not be believed.
pub(crate) fn side_is_absurd(side: usize, stored: usize) -> bool {
    side > u32::MAX as usize || side > longest_side(stored)
}

/// The longest side that is believed of a matrix with `stored` entries.
pub(crate) fn longest_side(stored: usize) -> usize {
    SIDE.saturating_add(4usize.saturating_mul(stored)).min(u32::MAX as usize)
}
