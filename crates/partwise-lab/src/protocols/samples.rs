//! [`Samples`]: some rows of a data set, prepared as an experiment says, for methods of either precision.

use anyhow::Result;
use partwise::{DataMatrix, Real, SparseMatrix};

use super::DataSet;

/// What becomes of the numbers before rows get unit length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Preparation {
    /// Nothing.
    Plain,
    /// tf·(ln((1 + n)/(1 + df)) + 1), terms in two or more of the rows.
    Text,
    /// ln(1 + x·median total/total).
    Counts,
    /// ln(1 + x).
    Expression,
}

/// Rows of unit length: (column, value) of their entries that are not 0.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Samples {
    /// d.
    pub(super) features: usize,
    /// By sample, columns ascending.
    pub(super) rows: Vec<Vec<(u32, f64)>>,
    /// Whether methods get them with their zeros.
    dense: bool,
    /// Which column of the set each column is (d).
    pub(super) columns: Vec<u32>,
}

impl Samples {
    /// Rows of `set` in the order of `chosen`.
    pub(super) fn new(set: &DataSet, chosen: &[usize], preparation: Preparation) -> Self {
        let entries = |i: &usize| {
            let stored = set.indptr[*i]..set.indptr[*i + 1];
            let pairs = stored.map(|at| (set.indices[at], set.values[at]));
            pairs.filter(|(_, value)| *value != 0.0).collect()
        };
        let mut rows: Vec<Vec<(u32, f64)>> = chosen.iter().map(entries).collect();
        prepare(&mut rows, set.n_features, preparation);
        for row in &mut rows {
            let length = row.iter().map(|entry| entry.1 * entry.1).sum::<f64>().sqrt();
            row.iter_mut().for_each(|entry| entry.1 /= length);
        }
        let half = set.n_samples() * set.n_features / 2;
        let dense = set.image_shape.is_some() || set.values.len() > half;
        Samples { features: set.n_features, rows, dense, columns: (0..set.n_features as u32).collect() }
    }

    /// Some of the rows, with all columns.
    pub(super) fn of_rows(&self, rows: &[usize]) -> Self {
        Samples { rows: rows.iter().map(|i| self.rows[*i].clone()).collect(), ..self.clone() }
    }

    /// The same without the columns that have no entry.
    #[must_use]
    pub(super) fn without_empty_columns(mut self) -> Self {
        let mut place = vec![u32::MAX; self.features];
        self.rows.iter().flatten().for_each(|(j, _)| place[*j as usize] = 0);
        let mut kept = Vec::new();
        for (j, new) in place.iter_mut().enumerate().filter(|(_, new)| **new == 0) {
            *new = kept.len() as u32;
            kept.push(self.columns[j]);
        }
        self.rows.iter_mut().flatten().for_each(|entry| entry.0 = place[entry.0 as usize]);
        self.features = kept.len();
        self.columns = kept;
        self
    }

    /// As data (n × d).
    ///
    /// # Errors
    /// [`partwise::Error::Empty`] without rows.
    pub(super) fn data<T: Real>(&self) -> Result<Box<dyn DataMatrix<T>>> {
        let (mut offsets, mut places, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in &self.rows {
            places.extend(row.iter().map(|entry| entry.0));
            values.extend(row.iter().map(|entry| T::from_f64(entry.1)));
            offsets.push(places.len());
        }
        let sparse = SparseMatrix::new(self.rows.len(), self.features, offsets, places, values)?;
        Ok(if self.dense { Box::new(sparse.to_dense()) } else { Box::new(sparse) })
    }
}

fn prepare(rows: &mut [Vec<(u32, f64)>], features: usize, preparation: Preparation) {
    let n = rows.len() as f64;
    match preparation {
        Preparation::Plain => {}
        Preparation::Expression => rows.iter_mut().flatten().for_each(|entry| entry.1 = (1.0 + entry.1).ln()),
        Preparation::Text => {
            let mut documents = vec![0.0f64; features];
            rows.iter().flatten().for_each(|(j, _)| documents[*j as usize] += 1.0);
            for row in rows {
                row.retain(|(j, _)| documents[*j as usize] >= 2.0);
                row.iter_mut()
                    .for_each(|(j, v)| *v *= ((1.0 + n) / (1.0 + documents[*j as usize])).ln() + 1.0);
            }
        }
        Preparation::Counts => {
            let totals: Vec<f64> = rows.iter().map(|row| row.iter().map(|entry| entry.1).sum()).collect();
            let mut sorted = totals.clone();
            sorted.sort_by(f64::total_cmp);
            let median = sorted[sorted.len() / 2];
            for (row, total) in rows.iter_mut().zip(totals) {
                row.iter_mut().for_each(|entry| entry.1 = (1.0 + entry.1 * median / total).ln());
            }
        }
    }
}

/// The place of the largest number of a row, the first of equals.
pub(super) fn largest<T: Real>(row: &[T]) -> i32 {
    (0..row.len()).fold(0, |best, j| if row[j] > row[best] { j } else { best }) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_unit_length_and_terms_of_two_documents() {
        let set = DataSet {
            n_features: 4,
            indptr: vec![0, 2, 4, 6],
            indices: vec![0, 1, 1, 2, 1, 2],
            values: vec![3.0, 1.0, 2.0, 5.0, 1.0, 1.0],
            ..DataSet::default()
        };
        let samples = Samples::new(&set, &[0, 1, 2], Preparation::Text).without_empty_columns();
        assert_eq!((samples.features, &samples.columns[..]), (2, &[1, 2][..]));
        assert_eq!(samples.rows[0], [(0, 1.0)]);
        let length = |row: &Vec<(u32, f64)>| row.iter().map(|entry| entry.1 * entry.1).sum::<f64>();
        assert!(samples.rows.iter().all(|row| (length(row) - 1.0).abs() < 1e-12), "{:?}", samples.rows);
        assert_eq!(samples.data::<f64>().unwrap().n_features(), 2);
    }
}
