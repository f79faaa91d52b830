//! Principal component analysis.
//!
//! ```text
//! X − 1mᵀ ≈ Y V,   m (d) the mean, V (k × d) the eigenvectors of C = (X − 1mᵀ)ᵀ(X − 1mᵀ)/(n − 1),
//!                  Y = (X − 1mᵀ)Vᵀ (n × k)
//! ```
//!
//! Reference: K. Pearson, "On lines and planes of closest fit to systems of points in space", Philosophical
//! Magazine 2, 1901, doi 10.1080/14786440109462720. C is applied, not formed, so sparse data stay sparse;
//! from data whose mean is far larger than their deviation (by 1e6, say) this loses digits. The largest entry
//! of each component is positive.

use partwise::{DataMatrix, DenseMatrix, Matrix, Result};

use super::eigen::largest_eigenpairs;
use super::rows::{self, dot, times, transpose_times};
use super::{Outcome, Task};
use partwise::clustering::{KMeansSettings, k_means};

/// Principal components.
#[derive(Clone, Debug, PartialEq)]
pub struct Pca {
    /// The mean of the samples (d).
    pub mean: Vec<f64>,
    /// The components (k × d), orthonormal.
    pub components: Matrix<f64>,
    /// The variance along each component (k), descending, with n − 1 in the denominator.
    pub explained_variance: Vec<f64>,
    /// What should be known about it.
    pub notes: Vec<String>,
}

impl Pca {
    /// Y (rows of `data` × k).
    ///
    /// # Errors
    /// [`Shape`](partwise::Error::Shape) when the data have another number of features.
    pub fn coordinates(&self, data: &dyn DataMatrix<f64>) -> Result<Matrix<f64>> {
        super::check_features(data, self.mean.len())?;
        let mut out = times(data, &self.components.transposed());
        let shift: Vec<f64> =
            (0..self.components.rows()).map(|c| dot(self.components.row(c), &self.mean)).collect();
        for i in 0..out.rows() {
            out.row_mut(i).iter_mut().zip(&shift).for_each(|(value, shift)| *value -= shift);
        }
        Ok(out)
    }
}

/// The first `k` principal components of `data` (n × d).
///
/// # Errors
/// [`OutOfRange`](partwise::Error::OutOfRange) for fewer than two samples, or when k is 0 or above min(n − 1,
/// d); [`NotFinite`](partwise::Error::NotFinite) for such data.
pub fn pca(data: &dyn DataMatrix<f64>, k: usize, seed: u64) -> Result<Pca> {
    let (n, d) = (data.n_samples(), data.n_features());
    if n < 2 {
        return Err(rows::out_of_range("the number of samples for principal components", n, "at least 2"));
    }
    rows::check_count("the number of principal components", k, (n - 1).min(d))?;
    rows::check_finite(data)?;
    let mean = rows::mean(data);
    let found = largest_eigenpairs(d, k, 0.0, seed, |block| {
        // (X − 1mᵀ)ᵀ(X − 1mᵀ)Q = Xᵀ(XQ − 1(mᵀQ)) − m·(column sums of that).
        let mut scores = times(data, block);
        let shift: Vec<f64> =
            (0..block.columns()).map(|c| (0..d).map(|j| mean[j] * block.get(j, c)).sum()).collect();
        let mut sums = vec![0.0; block.columns()];
        for i in 0..n {
            for ((score, shift), sum) in scores.row_mut(i).iter_mut().zip(&shift).zip(&mut sums) {
                *score -= shift;
                *sum += *score;
            }
        }
        let mut out = transpose_times(data, &scores);
        for j in 0..d {
            out.row_mut(j).iter_mut().zip(&sums).for_each(|(value, sum)| {
                *value = (*value - mean[j] * sum) / (n - 1) as f64;
            });
        }
        out
    });
    let mut components = found.vectors.transposed();
    for c in 0..k {
        let row = components.row_mut(c);
        if row[rows::largest(row.iter().map(|value| value.abs()))] < 0.0 {
            row.iter_mut().for_each(|value| *value = -*value);
        }
    }
    let notes = found.note().into_iter().collect();
    Ok(Pca { mean, components, explained_variance: found.values, notes })
}

/// As many components as clusters (or as there are), then k-means on the coordinates.
pub(super) fn run(task: &Task<'_>) -> Result<Outcome> {
    let most = task.data.n_samples().saturating_sub(1).min(task.data.n_features()).max(1);
    let mut found = pca(task.data, task.clusters.min(most), task.seed)?;
    if task.clusters > most {
        found.notes.push(format!("{most} principal components, because there are no more"));
    }
    let coordinates = found.coordinates(task.data)?;
    let settings = KMeansSettings { seed: task.seed, threads: task.threads, ..KMeansSettings::default() };
    let clusters = k_means(&DenseMatrix::from_matrix(coordinates.clone())?, task.clusters, &settings)?;
    Ok(Outcome { coordinates: Some(coordinates), notes: found.notes, ..Outcome::clusters(&clusters.labels) })
}
