//! Whether the components of two halves of the samples are the same.

use super::Holdout;
use super::splits::{FEW, Splits, halves};
use crate::data::DataMatrix;
use crate::engine::losses::Loss;
use crate::foundation::{Matrix, Real, Result};
use crate::metrics::best_matching;

/// Cosines as whole numbers, for the matching.
const SCALE: f64 = (1_u64 << 40) as f64;

impl<T: Real> Splits<'_, T> {
    /// The smallest correlation between components of two random halves of the samples, matched one to one
    /// so that the sum of correlations is the largest; 0 where a component is 0. Named components are left
    /// out.
    pub(super) fn smallest_correlation(&self, split: usize, k: usize) -> Result<f64> {
        let model = self.model()?;
        let [one, other] = self.half_samples(split);
        let one = self.best(one.as_ref(), &model, split, k)?.components;
        let other = self.best(other.as_ref(), &model, split, k)?.components;
        let [one, other] = centred(&one, &other).map(|all| -> Matrix<f64> {
            Matrix::from_fn(k - self.named, all.columns(), |c, j| all.get(self.named + c, j))
        });
        let correlations = cosines(&one, &other);
        let matched = matching(&correlations);
        let matched = matched.iter().enumerate().map(|(a, b)| b.map_or(0.0, |b| correlations.get(a, b)));
        Ok(matched.fold(1.0, f64::min))
    }

    /// Of few samples, two halves of the counts stand for those of the samples; two bootstraps where the data
    /// are no counts.
    fn half_samples(&self, split: usize) -> [Box<dyn DataMatrix<T>>; 2] {
        let (n, random) = (self.data.n_samples(), self.stream(split));
        if n >= FEW {
            return halves(&random, 2, n).map(|half| self.rows(&half));
        }
        if self.holdout == Holdout::Thinning {
            let random = self.third_stream(split);
            let half = |side: u64| {
                self.data.mapped(&|i, j, x| {
                    let count = (x / self.unit).round() as u64;
                    let first = random.heads(i, j, count);
                    self.unit * (if side == 0 { first } else { count - first }) as f64
                })
            };
            return [half(0), half(1)];
        }
        [3, 4].map(|row| {
            let (mut drawn, mut times) = (vec![0.0; n], vec![0.0f64; n]);
            random.fill(row, &mut drawn);
            drawn.iter().for_each(|u| times[((u * n as f64) as usize).min(n - 1)] += 1.0);
            self.data.weighted(&|i, _| if self.loss == Loss::Frobenius { times[i].sqrt() } else { times[i] })
        })
    }
}

/// The rows of both at unit length, less the mean of all of them: parts that have much in common would
/// otherwise look alike whatever they are.
fn centred<T: Real>(one: &Matrix<T>, other: &Matrix<T>) -> [Matrix<f64>; 2] {
    let units = [one, other].map(|all| {
        let all = all.cast::<f64>();
        let sizes: Vec<f64> =
            (0..all.rows()).map(|c| all.row(c).iter().map(|x| x * x).sum::<f64>().sqrt()).collect();
        Matrix::<f64>::from_fn(all.rows(), all.columns(), |c, j| {
            if sizes[c] > 0.0 { all.get(c, j) / sizes[c] } else { 0.0 }
        })
    });
    let count = (one.rows() + other.rows()) as f64;
    if count <= 2.0 {
        return units;
    }
    let sum = |all: &Matrix<f64>, j: usize| (0..all.rows()).map(|c| all.get(c, j)).sum::<f64>();
    let mean: Vec<f64> =
        (0..one.columns()).map(|j| (sum(&units[0], j) + sum(&units[1], j)) / count).collect();
    units.map(|all| {
        // A component of zeros is like no other.
        let zero = |c: usize| all.row(c).iter().all(|x| *x == 0.0);
        Matrix::from_fn(all.rows(), all.columns(), |c, j| if zero(c) { 0.0 } else { all.get(c, j) - mean[j] })
    })
}

/// For each row of the cosines the column that it is matched to, one to one, so that their sum is the
/// largest.
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
