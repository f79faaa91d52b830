//! [`LabelSets`] and [`SupportVectors`]: several labels per sample, and the coefficients of support vector
//! machines.

use crate::foundation::{Error, Matrix, Result};

/// Any number of labels for some of the samples. An empty set means that a sample has none of the labels; an
/// unlabelled sample has no set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct LabelSets {
    n_labels: usize,
    sets: Vec<Option<Vec<u32>>>,
}

impl LabelSets {
    /// The labels (each below `n_labels`) of each sample; `None` for an unlabelled one.
    ///
    /// # Errors
    /// [`Error::Labels`] for a label that isn't there, naming the sample.
    pub fn new(n_labels: usize, sets: Vec<Option<Vec<u32>>>) -> Result<Self> {
        for (sample, set) in sets.iter().enumerate() {
            if let Some(label) = set.iter().flatten().find(|label| **label as usize >= n_labels) {
                return Err(Error::Labels(format!(
                    "sample {sample} has label {label}; there are {n_labels} labels, numbered from 0"
                )));
            }
        }
        Ok(LabelSets { n_labels, sets })
    }

    /// Number of labels.
    pub fn n_labels(&self) -> usize {
        self.n_labels
    }

    /// Number of samples, labelled or not.
    pub fn n_samples(&self) -> usize {
        self.sets.len()
    }

    /// The labels of a sample, if it is labelled.
    ///
    /// # Panics
    /// When `sample` is out of range.
    pub fn set(&self, sample: usize) -> Option<&[u32]> {
        self.sets[sample].as_deref()
    }
}

/// S (n × m): non-negative coefficients of samples, of which only non-zeros are kept. For p support vector
/// machines m = 2p: first the α of the positive samples of each machine, then those of the negative ones.
#[derive(Clone, Debug, PartialEq)]
#[doc(hidden)]
pub struct SupportVectors {
    shape: (usize, usize),
    entries: Vec<(u32, u32, f64)>,
}

impl SupportVectors {
    /// From (sample, column, coefficient) in any order, each place once; `n` samples, `m` columns.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a place outside n × m, or a coefficient that is not finite and 0 or more.
    pub fn from_triplets(n: usize, m: usize, mut entries: Vec<(u32, u32, f64)>) -> Result<Self> {
        let fault = |name: String, value: String, valid: String| Error::out_of_range(name, value, valid);
        for (sample, column, value) in &entries {
            if *sample as usize >= n || *column as usize >= m {
                let name = "the place of a support vector's coefficient".into();
                return Err(fault(name, format!("({sample}, {column})"), format!("inside {n} x {m}")));
            }
            if !(*value >= 0.0 && value.is_finite()) {
                let name = format!("the coefficient of sample {sample} in column {column}");
                return Err(fault(name, value.to_string(), "a finite number of 0 or more".into()));
            }
        }
        entries.retain(|entry| entry.2 > 0.0);
        entries.sort_unstable_by_key(|entry| (entry.0, entry.1));
        Ok(SupportVectors { shape: (n, m), entries })
    }

    /// From all of S (n × m).
    ///
    /// # Errors
    /// As [`SupportVectors::from_triplets`].
    pub fn from_matrix(matrix: &Matrix<f64>) -> Result<Self> {
        let (n, m) = matrix.shape();
        let place = |at: usize| ((at / m) as u32, (at % m) as u32);
        let stored = matrix.as_slice().iter().enumerate().filter(|(_, value)| **value != 0.0);
        let entries = stored.map(|(at, value)| (place(at).0, place(at).1, *value)).collect();
        Self::from_triplets(n, m, entries)
    }

    /// n and m.
    pub fn shape(&self) -> (usize, usize) {
        self.shape
    }

    /// (sample, column, coefficient) of the non-zeros, by sample and then by column.
    pub fn entries(&self) -> &[(u32, u32, f64)] {
        &self.entries
    }

    /// All of S (n × m).
    pub fn to_matrix(&self) -> Matrix<f64> {
        let mut matrix = Matrix::zeros(self.shape.0, self.shape.1);
        self.entries.iter().for_each(|(i, j, value)| matrix.set(*i as usize, *j as usize, *value));
        matrix
    }
}
