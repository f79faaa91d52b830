//! A multinomial mixture, learned from every sample: naive Bayes trained on posteriors.
//!
//! ```text
//! M:  q_cj = (Σᵢ p_ic·x_ij + a·b_j)/(Σᵢⱼ p_ic·x_ij + a),   b_j = Σᵢ x_ij/Σ x,
//!     a = 0.05·mean mass of a class
//! E:  s_ic = Σⱼ x_ij·ln(q_cj/b_j),   p ∝ exp(g·s),   labelled samples keep their class
//! ```
//!
//! It reads counts as counts: a word that one class has and others don't weighs more than it does in any
//! distance. g makes posteriors as confident as those of the other refinements, in place of the
//! overconfidence of naive Bayes. Classes are assumed even, as in the Gaussian mixture.
//!
//! Reference: Nigam, McCallum, Thrun & Mitchell, "Text classification from labeled and unlabeled documents
//! using EM", Machine Learning 39, 2000, doi:10.1023/A:1007692713085. Differs: starts at posteriors of all
//! samples, with weighted rows of unit length for counts; smooths towards all samples instead of evenly.

use partwise::internals::{times, transpose_times};
use partwise::{DataMatrix, Matrix, Real, Result};

use super::{Refinement, Start};
use crate::linear_scores::LinearScores;

/// Steps of expectation maximization.
const STEPS: usize = 10;
/// a relative to the mean mass of a class.
const SMOOTHING: f64 = 0.05;

pub(super) struct MultinomialMixture;

impl<T: Real> Refinement<T> for MultinomialMixture {
    fn name(&self) -> &'static str {
        "multinomial mixture"
    }

    fn posteriors(&self, start: &Start<'_, T>) -> Result<Matrix<f64>> {
        Ok(learned(start).0)
    }
}

/// The posteriors, and the logarithms of the last step with their sharpness.
pub(super) fn learned<T: Real>(start: &Start<'_, T>) -> (Matrix<f64>, Option<(LinearScores, f64)>) {
    let data = start.prepared.rows.as_ref();
    let (mut current, mut last) = (start.posteriors.clone(), None);
    for _ in 0..STEPS {
        let weights = log_ratios(data, &current);
        let scores = times(data, &weights);
        let g = start.sharpness(&scores);
        current = start.of_mixture(scores, g);
        last = Some((weights, g));
    }
    let linear = |(weights, g): (Matrix<f64>, f64)| {
        let offsets = vec![0.0; weights.columns()];
        (start.with_sizes(LinearScores { weights, offsets }, g), g)
    };
    (current, last.map(linear))
}

/// ln(q_cj/b_j) (d × c).
fn log_ratios<T: Real>(data: &dyn DataMatrix<T>, posteriors: &Matrix<f64>) -> Matrix<f64> {
    let sums = &data.summary().column_sums;
    let total: f64 = sums.iter().sum();
    let mut ratios = transpose_times(data, posteriors);
    let (d, k) = ratios.shape();
    let mut masses = vec![0.0; k];
    (0..d).for_each(|j| masses.iter_mut().zip(ratios.row(j)).for_each(|(sum, v)| *sum += v));
    let smoothing = SMOOTHING * masses.iter().sum::<f64>() / k as f64;
    for j in 0..d {
        let base = sums[j] / total;
        for (ratio, mass) in ratios.row_mut(j).iter_mut().zip(&masses) {
            let of_class = (*ratio + smoothing * base) / (mass + smoothing);
            // A feature that no sample has carries no evidence.
            *ratio = if base > 0.0 && of_class > 0.0 { (of_class / base).ln() } else { 0.0 };
        }
    }
    ratios
}

#[cfg(test)]
mod tests {
    use super::*;
    use partwise::DenseMatrix;

    #[test]
    fn scores_are_those_of_the_frequencies_as_they_are_defined() {
        let (n, d, k) = (9, 5, 3);
        // The last feature is empty.
        let value = |i: usize, j: usize| if j + 1 < d { ((i * 7 + j * 3 + i * j) % 4) as f64 } else { 0.0 };
        let x = Matrix::from_fn(n, d, value);
        let posteriors = Matrix::from_fn(n, k, |i, c| [0.2, 0.3, 0.5][(i * i + c) % 3]);
        let data = DenseMatrix::from_matrix(x.clone()).unwrap();
        let found = times(&data, &log_ratios(&data, &posteriors));
        let of = |c: usize, j: usize| (0..n).map(|i| posteriors.get(i, c) * x.get(i, j)).sum::<f64>();
        let mass = |c: usize| (0..d).map(|j| of(c, j)).sum::<f64>();
        let all = |j: usize| (0..n).map(|i| x.get(i, j)).sum::<f64>();
        let total: f64 = (0..d).map(all).sum();
        let smoothing = SMOOTHING * (0..k).map(mass).sum::<f64>() / k as f64;
        for i in 0..n {
            for c in 0..k {
                let of_feature = |j: usize| {
                    let frequency = (of(c, j) + smoothing * all(j) / total) / (mass(c) + smoothing);
                    x.get(i, j) * (frequency / (all(j) / total)).ln()
                };
                let expected: f64 = (0..d - 1).map(of_feature).sum();
                assert!((found.get(i, c) - expected).abs() < 1e-12, "{} for {expected}", found.get(i, c));
            }
        }
    }
}
