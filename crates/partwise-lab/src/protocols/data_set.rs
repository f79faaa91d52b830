//! [`DataSet`]: rows, labels and splits as protocols need them, whatever files they come from.

use std::sync::Arc;

use anyhow::{Result, bail};
use partwise::{DenseMatrix, Real, SparseMatrix};

/// Where data sets come from: a folder of files, or memory in tests. Units ask it again and again, from
/// several threads: it keeps what it has read.
pub trait Library: Send + Sync {
    /// The data set with this name; `name/edges`: the links between the samples of a set that has a table,
    /// too.
    ///
    /// # Errors
    /// A set that isn't there, or faults of its files.
    fn data_set(&self, name: &str) -> Result<Arc<DataSet>>;
}

/// A data set: compressed rows of n samples × d features, and what is known about the samples.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DataSet {
    /// d.
    pub n_features: usize,
    /// n + 1 offsets into `indices`.
    pub indptr: Vec<usize>,
    /// The column of each stored entry, ascending in each row.
    pub indices: Vec<u32>,
    /// The stored entries.
    pub values: Vec<f64>,
    /// The labels of each sample (n), as positions in `label_names`.
    pub labels: Vec<Vec<u32>>,
    /// The labels' names.
    pub label_names: Vec<String>,
    /// The part ("train", "test") that each sample belongs to (n), where the set has an official split; else
    /// empty.
    pub parts: Vec<String>,
    /// Height and width, where each sample is an image.
    pub image_shape: Option<(usize, usize)>,
    /// The features' names (d), where the set has them; else empty.
    pub terms: Vec<String>,
}

impl DataSet {
    /// n.
    pub fn n_samples(&self) -> usize {
        self.indptr.len().saturating_sub(1)
    }

    /// The samples of a part of the official split, ascending.
    ///
    /// # Errors
    /// When no sample belongs to it.
    pub fn part(&self, name: &str) -> Result<Vec<usize>> {
        let found: Vec<usize> = (0..self.parts.len()).filter(|i| self.parts[*i] == name).collect();
        if found.is_empty() {
            bail!("the data set has no samples in the part \"{name}\"");
        }
        Ok(found)
    }

    /// The rows of `samples`, in that order, each entry times `scale`.
    ///
    /// # Errors
    /// [`partwise::Error::Empty`] without samples or features.
    pub fn rows<T: Real>(&self, samples: &[usize], scale: f64) -> Result<SparseMatrix<'static, T>> {
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for &sample in samples {
            let stored = self.indptr[sample]..self.indptr[sample + 1];
            indices.extend_from_slice(&self.indices[stored.clone()]);
            values.extend(self.values[stored].iter().map(|value| T::from_f64(value * scale)));
            indptr.push(indices.len());
        }
        Ok(SparseMatrix::new(samples.len(), self.n_features, indptr, indices, values)?)
    }

    /// All rows, zeros included.
    ///
    /// # Errors
    /// As [`DataSet::rows`].
    pub fn dense(&self) -> Result<DenseMatrix<'static, f64>> {
        let all: Vec<usize> = (0..self.n_samples()).collect();
        Ok(self.rows(&all, 1.0)?.to_dense())
    }

    /// Whether each sample has each label (n × labels, row-major).
    pub fn label_table(&self, samples: &[usize]) -> Vec<bool> {
        let labels = 0..self.label_names.len() as u32;
        let row =
            |sample: &usize| labels.clone().map(|label| self.labels[*sample].contains(&label)).collect();
        samples.iter().flat_map(|sample| -> Vec<bool> { row(sample) }).collect()
    }

    /// The label of each sample (n).
    ///
    /// # Errors
    /// A sample without a label, or with several.
    pub fn classes(&self) -> Result<Vec<i32>> {
        let one = |(sample, labels): (usize, &Vec<u32>)| match labels[..] {
            [label] => Ok(label as i32),
            _ => bail!("sample {sample} has {} labels; this protocol needs one a sample", labels.len()),
        };
        self.labels.iter().enumerate().map(one).collect()
    }

    /// These images of the built-in digits, without their size; the labels are the digits.
    #[cfg(test)]
    pub(super) fn of_digits(images: &[usize]) -> Self {
        let digits = partwise_io::digits();
        let mut set = DataSet { n_features: 64, indptr: vec![0], ..DataSet::default() };
        for &i in images {
            let pixels = digits.images[i * 64..(i + 1) * 64].iter().enumerate();
            for (j, value) in pixels.filter(|(_, value)| **value != 0.0) {
                set.indices.push(j as u32);
                set.values.push(*value);
            }
            set.indptr.push(set.indices.len());
            set.labels.push(vec![digits.labels[i] as u32]);
        }
        set.label_names = (0..10).map(|c: i32| c.to_string()).collect();
        set
    }
}
