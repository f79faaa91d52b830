//! A Gaussian mixture with one covariance for all classes, learned from every sample: discriminants that know
//! more than the labels.
//!
//! ```text
//! M:  n_c = Σᵢ p_ic,   μ_c = Σᵢ p_ic·xᵢ / n_c,   δ_c = μ_c − μ,   ρ = 0.003·trace
//!     Σ = (Σᵢ (xᵢ − μ)(xᵢ − μ)ᵀ − Σ_c n_c·δ_cδ_cᵀ)/n + ρI
//! E:  s_ic = (xᵢ − μ)ᵀΣ⁻¹δ_c − ½·δ_cᵀΣ⁻¹δ_c,   p ∝ exp(g·s),   labelled samples keep their class
//! ```
//!
//! μ is the mean of all samples, which adds to all scores of a sample the same and keeps what the classes
//! have in common out of the solved systems. g makes posteriors as confident as those of the other
//! refinements. Classes are assumed even (of tables, halfway to the sizes that the posteriors have at the
//! start), since a mixture that also learns their sizes lets a large one swallow its neighbours. Few steps
//! are right: with many it forgets where it started. Σ is d × d and never made: Σ⁻¹δ by conjugate gradients,
//! which the ridge keeps short.
//!
//! In the space that the discriminants Σ⁻¹δ span, with Mahalanobis distances, neighbours are more often of
//! the same class than in the space of X.
//!
//! Reference: G. J. McLachlan, "Iterative reclassification procedure for constructing an asymptotically
//! optimal rule of allocation in discriminant analysis", JASA 70, 1975, doi:10.1080/01621459.1975.10479874.

use partwise::internals::symmetric_eigen;
use partwise::internals::{conjugate_gradients, times, transpose_times};
use partwise::{DataMatrix, DenseMatrix, Matrix, Real, Result};

use super::{Refinement, Start};
use crate::linear_scores::LinearScores;

/// Steps of expectation maximization.
const STEPS: usize = 3;
/// ρ relative to the trace.
const RIDGE: f64 = 0.003;
/// Of the solved systems: posteriors do not change visibly below it.
const RESIDUAL: f64 = 1e-3;
/// Directions that are shorter than this part of the longest (squared) separate no classes.
const LEAST_LENGTH: f64 = 1e-4;

pub(super) struct GaussianMixture;

impl<T: Real> Refinement<T> for GaussianMixture {
    fn name(&self) -> &'static str {
        "Gaussian mixture"
    }

    fn posteriors(&self, start: &Start<'_, T>) -> Result<Matrix<f64>> {
        Ok(learned(start).0)
    }
}

/// The posteriors, and the discriminants of the last step with their sharpness; none where no step was
/// possible.
pub(super) fn learned<T: Real>(start: &Start<'_, T>) -> (Matrix<f64>, Option<(LinearScores, f64)>) {
    let centred = Centred::new(start.prepared.rows.as_ref());
    let (mut current, mut last) = (start.posteriors.clone(), None);
    // The first step is where refinement starts.
    let mut first = start.discriminants.clone();
    for _ in 0..STEPS {
        let found = first.take().or_else(|| centred.discriminants(&current, RESIDUAL));
        let Some(found) = found else { break };
        let scores = centred.scores_by(&found);
        let g = start.sharpness(&scores);
        current = start.of_mixture(scores, g);
        last = Some((found, g));
    }
    (current, last.map(|(found, g)| (start.with_sizes(centred.linear(found), g), g)))
}

/// The discriminants of the rows of `data` (n × d) that `posteriors` (n × c) give. None where the classes
/// explain all there is, or nothing.
pub(super) fn discriminants<T: Real>(
    data: &dyn DataMatrix<T>,
    posteriors: &Matrix<f64>,
) -> Option<Discriminants> {
    Centred::new(data).discriminants(posteriors, RESIDUAL)
}

/// Points (n × r, r < c), one for each row of `data` (n × d), in the space of the discriminants, and what
/// gives those of new rows: squared distances there are those by Σ⁻¹ along what separates the classes. None
/// where nothing does.
pub(super) fn discriminant_space<T: Real>(
    data: &dyn DataMatrix<T>,
    found: &Discriminants,
) -> Option<(Matrix<f64>, LinearScores)> {
    Centred::new(data).discriminant_space(found)
}

/// δ and Σ⁻¹δ (d × c).
#[derive(Clone)]
pub(super) struct Discriminants {
    deltas: Matrix<f64>,
    solved: Matrix<f64>,
}

impl Discriminants {
    /// ½·δ_cᵀΣ⁻¹δ_c (c).
    fn halves(&self) -> Vec<f64> {
        let mut halves = vec![0.0; self.solved.columns()];
        for j in 0..self.solved.rows() {
            let pairs = self.deltas.row(j).iter().zip(self.solved.row(j));
            halves.iter_mut().zip(pairs).for_each(|(half, (delta, b))| *half += 0.5 * delta * b);
        }
        halves
    }
}

/// X − 1·μᵀ, which is never made.
struct Centred<'d, T: Real> {
    data: &'d dyn DataMatrix<T>,
    /// n.
    n: f64,
    /// μ (d).
    mean: Vec<f64>,
    /// Σᵢ ‖xᵢ − μ‖².
    squares: f64,
}

impl<'d, T: Real> Centred<'d, T> {
    fn new(data: &'d dyn DataMatrix<T>) -> Self {
        let n = data.n_samples() as f64;
        let summary = data.summary();
        let mean: Vec<f64> = summary.column_sums.iter().map(|sum| sum / n).collect();
        let squares = summary.squared_norm - n * mean.iter().map(|m| m * m).sum::<f64>();
        Centred { data, n, mean, squares }
    }

    /// (X − 1μᵀ)·`right` (n × c), `right` d × c.
    fn times(&self, right: &Matrix<f64>) -> Matrix<f64> {
        let mut of_mean = vec![0.0; right.columns()];
        for (j, mean) in self.mean.iter().enumerate() {
            of_mean.iter_mut().zip(right.row(j)).for_each(|(sum, v)| *sum += mean * v);
        }
        let mut out = times(self.data, right);
        for i in 0..out.rows() {
            out.row_mut(i).iter_mut().zip(&of_mean).for_each(|(v, mean)| *v -= mean);
        }
        out
    }

    /// (X − 1μᵀ)ᵀ·`left` (d × c), `left` n × c.
    fn transpose_times(&self, left: &Matrix<f64>) -> Matrix<f64> {
        let sums = column_sums(left);
        let mut out = transpose_times(self.data, left);
        for (j, mean) in self.mean.iter().enumerate() {
            out.row_mut(j).iter_mut().zip(&sums).for_each(|(v, sum)| *v -= mean * sum);
        }
        out
    }

    /// δ and the discriminants, or none where the classes explain all there is; systems are solved to a
    /// relative `residual`.
    fn discriminants(&self, posteriors: &Matrix<f64>, residual: f64) -> Option<Discriminants> {
        let counts = column_sums(posteriors);
        // δ as columns (d × c).
        let mut deltas = self.transpose_times(posteriors);
        let mut between = 0.0;
        for j in 0..deltas.rows() {
            for (delta, count) in deltas.row_mut(j).iter_mut().zip(&counts) {
                *delta /= count;
                between += count * *delta * *delta;
            }
        }
        let within = (self.squares - between) / self.n;
        if within.is_nan() || within <= 1e-9 * self.squares / self.n {
            return None;
        }
        // δ·diag(n_c)·δᵀ/n, by two products of matrices.
        let apart = DenseMatrix::from_matrix(deltas.clone()).expect("there are features and classes");
        let covariance = |v: &Matrix<f64>| {
            let mut along = transpose_times(&apart, v);
            for (b, count) in counts.iter().enumerate() {
                along.row_mut(b).iter_mut().for_each(|sum| *sum *= count);
            }
            let (mut image, explained) = (self.transpose_times(&self.times(v)), times(&apart, &along));
            let others = explained.as_slice().iter().zip(v.as_slice());
            for (value, (explained, v)) in image.as_mut_slice().iter_mut().zip(others) {
                *value = (*value - explained) / self.n + RIDGE * within * v;
            }
            image
        };
        let solved = conjugate_gradients(&covariance, deltas.clone(), residual);
        Some(Discriminants { deltas, solved })
    }

    /// s (n × c).
    fn scores_by(&self, found: &Discriminants) -> Matrix<f64> {
        let (halves, mut scores) = (found.halves(), self.times(&found.solved));
        for i in 0..scores.rows() {
            scores.row_mut(i).iter_mut().zip(&halves).for_each(|(score, half)| *score -= half);
        }
        scores
    }

    /// What gives the scores of any row.
    fn linear(&self, found: Discriminants) -> LinearScores {
        let mut offsets = found.halves();
        for (j, mean) in self.mean.iter().enumerate() {
            offsets.iter_mut().zip(found.solved.row(j)).for_each(|(sum, v)| *sum += mean * v);
        }
        LinearScores { weights: found.solved, offsets }
    }

    /// Points (n × r, r < c) of the samples whose squared distances are those by Σ⁻¹ along the discriminants;
    /// none as for [`Centred::discriminants`], where nothing separates the classes, and where that is lost in
    /// rounding.
    fn discriminant_space(&self, found: &Discriminants) -> Option<(Matrix<f64>, LinearScores)> {
        let Discriminants { deltas, solved } = found;
        let k = deltas.columns();
        // δᵀΣ⁻¹δ, symmetric but for the residual.
        let of = |matrix: &Matrix<f64>| {
            DenseMatrix::from_matrix(matrix.clone()).expect("there are samples, features and classes")
        };
        let lengths = transpose_times(&of(deltas), solved);
        let even = Matrix::from_fn(k, k, |a, b| 0.5 * (lengths.get(a, b) + lengths.get(b, a)));
        if !even.as_slice().iter().all(|v| v.is_finite()) {
            return None;
        }
        let (values, vectors) = symmetric_eigen(&even);
        let least = LEAST_LENGTH * values.last().copied().unwrap_or(0.0);
        let kept: Vec<usize> = (0..k).filter(|e| values[*e] > least.max(0.0)).collect();
        let scaled = Matrix::from_fn(k, kept.len(), |c, e| vectors.get(c, kept[e]) / values[kept[e]].sqrt());
        if kept.is_empty() {
            return None;
        }
        let points = times(&of(&self.times(solved)), &scaled);
        let weights = times(&of(solved), &scaled);
        let mut offsets = vec![0.0; weights.columns()];
        for (j, mean) in self.mean.iter().enumerate() {
            offsets.iter_mut().zip(weights.row(j)).for_each(|(sum, v)| *sum += mean * v);
        }
        Some((points, LinearScores { weights, offsets }))
    }
}

fn column_sums(matrix: &Matrix<f64>) -> Vec<f64> {
    let mut sums = vec![0.0; matrix.columns()];
    for i in 0..matrix.rows() {
        sums.iter_mut().zip(matrix.row(i)).for_each(|(sum, v)| *sum += v);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(centred: &Centred<'_, f64>, posteriors: &Matrix<f64>, residual: f64) -> Matrix<f64> {
        let found = centred.discriminants(posteriors, residual).unwrap();
        let scores = centred.scores_by(&found);
        let again = centred.linear(found).of(centred.data);
        let apart = scores.as_slice().iter().zip(again.as_slice()).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f64::max) < 1e-9, "the scores of rows are not those of the samples");
        scores
    }

    #[test]
    fn scores_are_those_of_the_covariance_as_it_is_defined() {
        let (n, d, k) = (14, 6, 3);
        let value = |i: usize, j: usize| ((i * 37 + j * 101 + i * j * 13) % 29) as f64 / 29.0;
        let x = Matrix::from_fn(n, d, value);
        let posteriors = Matrix::from_fn(n, k, |i, c| [0.2, 0.3, 0.5][(i * i + c) % 3]);
        let data = DenseMatrix::from_matrix(x.clone()).unwrap();
        let found = scores(&Centred::new(&data), &posteriors, 1e-12);

        let count = |c: usize| (0..n).map(|i| posteriors.get(i, c)).sum::<f64>();
        let mean =
            |c: usize, j: usize| (0..n).map(|i| posteriors.get(i, c) * x.get(i, j)).sum::<f64>() / count(c);
        let scatter = Matrix::from_fn(d, d, |a, b| {
            let all = (0..n).map(|i| x.get(i, a) * x.get(i, b)).sum::<f64>();
            (all - (0..k).map(|c| count(c) * mean(c, a) * mean(c, b)).sum::<f64>()) / n as f64
        });
        let ridge = RIDGE * (0..d).map(|a| scatter.get(a, a)).sum::<f64>();
        let (values, vectors) = symmetric_eigen(&scatter);
        let inverse = |a: usize, b: usize| {
            (0..d).map(|e| vectors.get(a, e) * vectors.get(b, e) / (values[e] + ridge)).sum::<f64>()
        };
        let bilinear = |u: &dyn Fn(usize) -> f64, v: &dyn Fn(usize) -> f64| {
            (0..d).map(|a| (0..d).map(|b| u(a) * inverse(a, b) * v(b)).sum::<f64>()).sum::<f64>()
        };
        for i in 0..n {
            let direct: Vec<f64> = (0..k)
                .map(|c| {
                    bilinear(&|a| x.get(i, a), &|b| mean(c, b))
                        - 0.5 * bilinear(&|a| mean(c, a), &|b| mean(c, b))
                })
                .collect();
            // Scores of a sample may all be moved by the same.
            for c in 1..k {
                let (ours, theirs) = (found.get(i, c) - found.get(i, 0), direct[c] - direct[0]);
                assert!((ours - theirs).abs() < 1e-8 * (1.0 + theirs.abs()), "{ours} for {theirs}");
            }
        }
    }

    #[test]
    fn inner_products_of_points_with_class_means_are_those_by_the_covariance() {
        let (n, d, k) = (15, 5, 3);
        let value = |i: usize, j: usize| ((i * 37 + j * 101 + i * j * 13) % 29) as f64 / 29.0;
        let data = DenseMatrix::from_matrix(Matrix::from_fn(n, d, value)).unwrap();
        let posteriors = Matrix::from_fn(n, k, |i, c| [0.2, 0.3, 0.5][(i + c) % 3]);
        let centred = Centred::new(&data);
        let (points, of_rows) =
            centred.discriminant_space(&centred.discriminants(&posteriors, 1e-13).unwrap()).unwrap();
        let again = of_rows.of(&data);
        let apart = points.as_slice().iter().zip(again.as_slice()).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f64::max) < 1e-9, "the points of rows are not those of the space");
        // Σ_c n_c·δ_c = 0: k classes span k − 1 directions.
        assert_eq!(points.shape(), (n, k - 1));
        // The scores of two samples differ by (x − y)ᵀΣ⁻¹δ_c, and so must the inner products of their points
        // with the mean point of class c.
        let scores = scores(&centred, &posteriors, 1e-13);
        let mut means = Matrix::<f64>::zeros(k, k - 1);
        let counts = column_sums(&posteriors);
        for i in 0..n {
            for c in 0..k {
                for e in 0..k - 1 {
                    let sum = means.get(c, e) + posteriors.get(i, c) * points.get(i, e) / counts[c];
                    means.row_mut(c)[e] = sum;
                }
            }
        }
        let inner = |i: usize, c: usize| (0..k - 1).map(|e| points.get(i, e) * means.get(c, e)).sum::<f64>();
        for i in 1..n {
            for c in 0..k {
                let (ours, theirs) = (inner(i, c) - inner(0, c), scores.get(i, c) - scores.get(0, c));
                assert!((ours - theirs).abs() < 1e-8 * (1.0 + theirs.abs()), "{ours} for {theirs}");
            }
        }
    }

    #[test]
    fn equal_samples_have_no_covariance_to_learn() {
        let data = DenseMatrix::from_matrix(Matrix::from_fn(5, 3, |_, j| j as f64)).unwrap();
        let posteriors = Matrix::from_fn(5, 2, |i, c| f64::from(i % 2 == c));
        assert!(discriminants(&data, &posteriors).is_none());
    }
}
