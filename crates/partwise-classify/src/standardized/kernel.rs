//! Ridge regression of the classes in the space of a Gaussian kernel.
//!
//! ```text
//! s_ic = Σ_l a_lc·k(x̃ᵢ, x̃_l),   k(x, y) = exp(−‖x − y‖²/2q),   q the number of columns that vary
//! (K + λ·diag(1/w))·a = Y − 1/c,   λ = 0.1,   w_l ∝ 1/m_(class of l), of mean 1
//! ```
//!
//! l are the labelled samples, Y (m × c) their classes as indicators, m_c the labels of class c. The weights
//! make all classes count alike, however many labels each has. In q standardized columns the mean squared
//! distance of two samples is 2q.

use partwise::internals::conjugate_gradients;
use partwise::{DataMatrix, Labels, Matrix, Real};

use super::scale::Scale;

/// λ.
const RIDGE: f64 = 0.1;
/// Labelled samples at most, the first of each class.
const MOST_SAMPLES: usize = 400;
/// Where conjugate gradients end.
const RESIDUAL: f64 = 1e-8;

/// The scores, of rows as they are given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KernelScores {
    pub(crate) scale: Scale,
    /// x̃_l (m × d).
    pub(crate) rows: Matrix<f64>,
    /// a (m × c).
    pub(crate) weights: Matrix<f64>,
}

impl KernelScores {
    /// From standardized `rows` (m × d), all of which have a label.
    pub(super) fn learned(rows: &Matrix<f64>, labels: &Labels, scale: &Scale) -> Self {
        let classes = labels.n_classes();
        let most = (MOST_SAMPLES / classes).max(1);
        let mut counts = vec![0; classes];
        let mut taken = Vec::new();
        for l in 0..rows.rows() {
            let class = labels.class(l).expect("all have a label");
            if counts[class] < most {
                counts[class] += 1;
                taken.push((l, class));
            }
        }
        let m = taken.len();
        // 1/w: the labels of a class over their mean number.
        let ridge: Vec<f64> =
            taken.iter().map(|(_, class)| RIDGE * (counts[*class] * classes) as f64 / m as f64).collect();
        let rows = Matrix::from_fn(m, rows.columns(), |l, j| rows.get(taken[l].0, j));
        let width = 2.0 * scale.varying();
        let kernel = Matrix::from_fn(m, m, |a, b| similarity(rows.row(a), rows.row(b), width));
        let image = |v: &Matrix<f64>| {
            let mut image = Matrix::zeros(m, v.columns());
            for l in 0..m {
                add_weighted(kernel.row(l), v, image.row_mut(l));
                image.row_mut(l).iter_mut().zip(v.row(l)).for_each(|(sum, v)| *sum += ridge[l] * v);
            }
            image
        };
        let even = 1.0 / classes as f64;
        let right = Matrix::from_fn(m, classes, |l, c| f64::from(taken[l].1 == c) - even);
        let weights = conjugate_gradients(&image, right, RESIDUAL);
        KernelScores { scale: scale.clone(), rows, weights }
    }

    /// Of the rows of `data` (n × d): n × c.
    pub(super) fn of<T: Real>(&self, data: &dyn DataMatrix<T>) -> Matrix<f64> {
        let width = 2.0 * self.scale.varying();
        let (mut row, mut similarities) = (vec![0.0; data.n_features()], vec![0.0; self.rows.rows()]);
        let mut out = Matrix::zeros(data.n_samples(), self.weights.columns());
        for i in 0..data.n_samples() {
            self.scale.fill(data, i, &mut row);
            for (l, value) in similarities.iter_mut().enumerate() {
                *value = similarity(&row, self.rows.row(l), width);
            }
            add_weighted(&similarities, &self.weights, out.row_mut(i));
        }
        out
    }
}

fn similarity(one: &[f64], other: &[f64], width: f64) -> f64 {
    let squared: f64 = one.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum();
    (-squared / width).exp()
}

/// `out` + Σ_l weights_l·row l of `of`.
fn add_weighted(weights: &[f64], of: &Matrix<f64>, out: &mut [f64]) {
    for (l, weight) in weights.iter().enumerate() {
        out.iter_mut().zip(of.row(l)).for_each(|(sum, value)| *sum += weight * value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use partwise::DenseMatrix;

    #[test]
    fn scores_of_labelled_samples_solve_the_system_and_few_labels_of_a_class_count_as_much_as_many() {
        let x = Matrix::from_fn(7, 2, |i, j| ((i * 5 + j * 3 + i * j) % 7) as f64);
        let labels = Labels::from_integers(&[0, 0, 0, 0, 0, 1, 1]).unwrap();
        let scale = Scale { least: vec![0.0; 2], factors: vec![1.0; 2] };
        let found = KernelScores::learned(&x, &labels, &scale);
        let scores = found.of(&DenseMatrix::from_matrix(x).unwrap());
        for l in 0..7 {
            let class = labels.class(l).unwrap();
            let over_weight = [5.0, 2.0][class] * 2.0 / 7.0;
            for c in 0..2 {
                let right = f64::from(class == c) - 0.5;
                let left = scores.get(l, c) + 0.1 * over_weight * found.weights.get(l, c);
                assert!((left - right).abs() < 1e-6, "{left} for {right}");
            }
        }
    }

    #[test]
    fn classes_that_no_line_separates_are_told_apart() {
        // A cluster within a ring.
        let turn = |i: usize| 0.7 * i as f64;
        let x = Matrix::from_fn(40, 2, |i, j| {
            let radius = if i % 2 == 0 { 0.3 } else { 2.0 };
            10.0 + radius * if j == 0 { turn(i).cos() } else { turn(i).sin() }
        });
        let given: Vec<i32> = (0..20).map(|i| i % 2).collect();
        let labels = Labels::from_integers(&given).unwrap();
        let scale = Scale { least: vec![8.0; 2], factors: vec![1.0; 2] };
        let rows = Matrix::from_fn(20, 2, |i, j| x.get(i, j) - 8.0);
        let scores = KernelScores::learned(&rows, &labels, &scale).of(&DenseMatrix::from_matrix(x).unwrap());
        assert!((0..40).all(|i| (scores.get(i, 1) > scores.get(i, 0)) == (i % 2 == 1)));
    }
}
