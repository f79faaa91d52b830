//! Whether the components of two halves of the samples are the same.

use super::splits::{Splits, halves};
use crate::data::DataMatrix;
use crate::engine::losses::Loss;
use crate::fit::Fit;
use crate::foundation::{Matrix, Real, Result};
use crate::metrics::best_matching;

/// Below this many samples, two bootstraps stand for the halves.
const FEW: usize = 40;
/// Cosines as whole numbers, for the matching.
const SCALE: f64 = (1_u64 << 40) as f64;

impl<T: Real> Splits<'_, T> {
    /// The smallest cosine between components of two random halves of the samples, matched one to one so
    /// that the sum of cosines is the largest; 0 where a component is 0. Named components are left out.
    pub(super) fn smallest_cosine(&self, split: usize, k: usize) -> Result<f64> {
        let model = self.model()?;
        let [one, other] = self.half_samples(split);
        let free = |fit: Fit<T>| -> Matrix<T> {
            Matrix::from_fn(k - self.named, fit.components.columns(), |c, j| {
                fit.components.get(self.named + c, j)
            })
        };
        let one = free(self.best(one.as_ref(), &model, split, k)?);
        let other = free(self.best(other.as_ref(), &model, split, k)?);
        let cosines = cosines(&one, &other);
        let matched = matching(&cosines);
        let matched = matched.iter().enumerate().map(|(a, b)| b.map_or(0.0, |b| cosines.get(a, b)));
        Ok(matched.fold(1.0, f64::min))
    }

    fn half_samples(&self, split: usize) -> [Box<dyn DataMatrix<T>>; 2] {
        let (n, random) = (self.data.n_samples(), self.stream(split));
        if n >= FEW {
            return halves(&random, 2, n).map(|half| self.rows(&half));
        }
        [3, 4].map(|row| {
            let (mut drawn, mut times) = (vec![0.0; n], vec![0.0f64; n]);
            random.fill(row, &mut drawn);
            drawn.iter().for_each(|u| times[((u * n as f64) as usize).min(n - 1)] += 1.0);
            self.data.weighted(&|i, _| if self.loss == Loss::Frobenius { times[i].sqrt() } else { times[i] })
        })
    }
}

/// For each row of the cosines the column that it is matched to, one to one, so that their sum is the largest.
pub(super) fn matching(cosines: &Matrix<f64>) -> Vec<Option<usize>> {
    let weights: Vec<i64> = cosines.as_slice().iter().map(|c| (c * SCALE) as i64).collect();
    best_matching(cosines.rows(), cosines.columns(), &weights)
}

/// The cosines of the rows of two matrices.
pub(super) fn cosines<T: Real>(one: &Matrix<T>, other: &Matrix<T>) -> Matrix<f64> {
    let (one, other) = (one.cast::<f64>(), other.cast::<f64>());
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    Matrix::from_fn(one.rows(), other.rows(), |a, b| {
        let size = (dot(one.row(a), one.row(a)) * dot(other.row(b), other.row(b))).sqrt();
        if size > 0.0 { (dot(one.row(a), other.row(b)) / size).min(1.0) } else { 0.0 }
    })
}
