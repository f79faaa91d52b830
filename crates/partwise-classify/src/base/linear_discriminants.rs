//! Linear discriminants of the labelled samples.
//!
//! ```text
//! s_ic = xᵢᵀS⁻¹μ_c − ½·μ_cᵀS⁻¹μ_c,   S = Σ_c Σ_{l in c} (x_l − μ_c)(x_l − μ_c)ᵀ + ρI,   ρ = 0.01·trace/m
//! ```
//!
//! μ_c is the mean of the m_c labelled samples of class c, m = Σ m_c. With one label per class, or equal
//! samples in each, S = I. S is d × d and never made: with K the m × m inner products of the labelled samples
//! X_L, A (m × c) the weights 1/m_c of the means, and C = I − (means of the own class), the weights of class
//! c are w_c = X_Lᵀb_c with B = (A − C·(ρI + CKC)⁻¹·C·K·A)/ρ (Woodbury).
//!
//! Fisher's discriminants project on c − 1 directions and ask for the nearest mean there. Here the scores of
//! all classes are wanted.
//!
//! Reference: J. H. Friedman, "Regularized discriminant analysis", JASA 84, 1989,
//! doi:10.1080/01621459.1989.10478752.

use partwise::internals::{conjugate_gradients, symmetric_eigen};
use partwise::{DataMatrix, Labels, Matrix, Real, Result};

use super::{BaseClassifier, CONFIDENCE, Training};
use crate::linear_scores::LinearScores;

/// ρ relative to the mean scatter.
const RIDGE: f64 = 0.01;
/// Labelled samples at most, the first of each class: their m × m inner products are taken.
const MOST_SAMPLES: usize = 1000;
/// Of more labelled samples than these, the systems are solved by conjugate gradients: to decompose them
/// would take much longer.
const MOST_DIRECT: usize = 150;
/// Where conjugate gradients end.
const RESIDUAL: f64 = 1e-8;

pub(super) struct LinearDiscriminants;

impl<T: Real> BaseClassifier<T> for LinearDiscriminants {
    fn name(&self) -> &'static str {
        "linear discriminants"
    }

    fn posteriors(&self, training: &Training<'_, T>) -> Result<Matrix<f64>> {
        let rows = training.prepared.rows.as_ref();
        let scores = discriminants(rows, training.labels()).of(rows);
        Ok(training.fold.calibrated(&scores, CONFIDENCE))
    }
}

/// What gives s for the rows of `data` (n × d), and for any other.
pub(crate) fn discriminants<T: Real>(data: &dyn DataMatrix<T>, labels: &Labels) -> LinearScores {
    discriminants_with(data, labels, |trace, m| RIDGE * trace / m as f64)
}

/// The same with ρ = `ridge`(trace, m).
pub(crate) fn discriminants_with<T: Real>(
    data: &dyn DataMatrix<T>,
    labels: &Labels,
    ridge: impl Fn(f64, usize) -> f64,
) -> LinearScores {
    let classes = labels.n_classes();
    let taken = labelled(labels);
    let m = taken.len();
    let mut rows = Matrix::<f64>::zeros(m, data.n_features());
    for (place, (sample, _)) in taken.iter().enumerate() {
        data.add_row(*sample, 1.0, rows.row_mut(place));
    }
    let inner = Matrix::from_fn(m, m, |a, b| data.row_dot(taken[a].0, rows.row(b)));
    let mut counts = vec![0.0; classes];
    taken.iter().for_each(|(_, class)| counts[*class] += 1.0);
    let means = Matrix::from_fn(m, classes, |l, c| if taken[l].1 == c { 1.0 / counts[c] } else { 0.0 });
    let coefficients = coefficients(&inner, &means, ridge);
    // μ_cᵀS⁻¹μ_c = a_cᵀ K b_c.
    let images = product(&inner, &coefficients);
    let half = |c: usize| 0.5 * (0..m).map(|l| means.get(l, c) * images.get(l, c)).sum::<f64>();
    let offsets: Vec<f64> = (0..classes).map(half).collect();
    LinearScores { weights: product(&rows.transposed(), &coefficients), offsets }
}

/// Labelled samples and their classes, in the order of the samples.
fn labelled(labels: &Labels) -> Vec<(usize, usize)> {
    let most = (MOST_SAMPLES / labels.n_classes()).max(1);
    let mut seen = vec![0; labels.n_classes()];
    let of = |i: usize| labels.class(i).map(|class| (i, class));
    let all = (0..labels.n_samples()).filter_map(of);
    all.filter(|(_, class)| {
        seen[*class] += 1;
        seen[*class] <= most
    })
    .collect()
}

/// B (m × c) of K (m × m) and A (m × c).
fn coefficients(inner: &Matrix<f64>, means: &Matrix<f64>, ridge: impl Fn(f64, usize) -> f64) -> Matrix<f64> {
    let m = inner.rows();
    // C·M: from each row the mean of its class; a row of A has its only entry at its class, the same for all
    // of them.
    let centred = |of: &Matrix<f64>| {
        let of_classes = product(&means.transposed(), of);
        let class =
            |l: usize| (0..means.columns()).find(|c| means.get(l, *c) > 0.0).expect("each has a class");
        Matrix::from_fn(m, of.columns(), |l, j| of.get(l, j) - of_classes.get(class(l), j))
    };
    let scatter = centred(&centred(inner).transposed());
    let trace: f64 = (0..m).map(|l| scatter.get(l, l)).sum();
    let whole: f64 = (0..m).map(|l| inner.get(l, l)).sum();
    if trace <= 1e-9 * whole {
        return means.clone();
    }
    let ridge = ridge(trace, m);
    let corrections = centred(&solved(&scatter, ridge, centred(&product(inner, means))));
    Matrix::from_fn(m, means.columns(), |l, c| (means.get(l, c) - corrections.get(l, c)) / ridge)
}

/// (S + ρI)⁻¹·`right`, S symmetric (m × m).
fn solved(scatter: &Matrix<f64>, ridge: f64, right: Matrix<f64>) -> Matrix<f64> {
    if scatter.rows() > MOST_DIRECT {
        let image = |v: &Matrix<f64>| {
            let mut image = product(scatter, v);
            image.as_mut_slice().iter_mut().zip(v.as_slice()).for_each(|(image, v)| *image += ridge * v);
            image
        };
        return conjugate_gradients(&image, right, RESIDUAL);
    }
    let (values, vectors) = symmetric_eigen(scatter);
    let mut turned = product(&vectors.transposed(), &right);
    for (j, value) in values.iter().enumerate() {
        turned.row_mut(j).iter_mut().for_each(|v| *v /= ridge + value.max(0.0));
    }
    product(&vectors, &turned)
}

/// A·B, of small matrices.
fn product(a: &Matrix<f64>, b: &Matrix<f64>) -> Matrix<f64> {
    let mut out = Matrix::zeros(a.rows(), b.columns());
    for i in 0..a.rows() {
        for (t, weight) in a.row(i).iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
            out.row_mut(i).iter_mut().zip(b.row(t)).for_each(|(sum, value)| *sum += weight * value);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use partwise::DenseMatrix;

    /// S and the scores as they are defined, d × d, by Gauss and Jordan.
    fn direct(x: &Matrix<f64>, labels: &Labels) -> Matrix<f64> {
        let (n, d) = x.shape();
        let k = labels.n_classes();
        let counts = labels.counts();
        let mut means = Matrix::<f64>::zeros(k, d);
        for i in 0..n {
            if let Some(c) = labels.class(i) {
                means.row_mut(c).iter_mut().zip(x.row(i)).for_each(|(m, v)| *m += v / counts[c] as f64);
            }
        }
        let mut scatter = Matrix::<f64>::zeros(d, d);
        for i in 0..n {
            let Some(c) = labels.class(i) else { continue };
            let off: Vec<f64> = x.row(i).iter().zip(means.row(c)).map(|(v, m)| v - m).collect();
            for a in 0..d {
                scatter.row_mut(a).iter_mut().zip(&off).for_each(|(s, v)| *s += off[a] * v);
            }
        }
        let trace: f64 = (0..d).map(|a| scatter.get(a, a)).sum();
        let ridge = RIDGE * trace / counts.iter().sum::<usize>() as f64;
        let mut system = Matrix::from_fn(d, d + k, |a, b| match b {
            b if b == a => scatter.get(a, b) + ridge,
            b if b < d => scatter.get(a, b),
            b => means.get(b - d, a),
        });
        for p in 0..d {
            let pivot = system.get(p, p);
            system.row_mut(p).iter_mut().for_each(|v| *v /= pivot);
            let row = system.row(p).to_vec();
            for a in (0..d).filter(|a| *a != p) {
                let factor = system.get(a, p);
                system.row_mut(a).iter_mut().zip(&row).for_each(|(v, r)| *v -= factor * r);
            }
        }
        let weight = |a: usize, c: usize| system.get(a, d + c);
        let half = |c: usize| 0.5 * (0..d).map(|a| means.get(c, a) * weight(a, c)).sum::<f64>();
        Matrix::from_fn(n, k, |i, c| (0..d).map(|a| x.get(i, a) * weight(a, c)).sum::<f64>() - half(c))
    }

    #[test]
    fn scores_are_those_of_the_definition_for_more_and_fewer_features_than_labels() {
        for d in [3, 12] {
            let x = Matrix::from_fn(20, d, |i, j| {
                ((i * 7 + j * 5 + i * j) % 11) as f64 + (i % 3 == j % 3) as u8 as f64
            });
            let labels =
                Labels::from_integers(&(0..20).map(|i| if i < 9 { i % 3 } else { -1 }).collect::<Vec<i32>>())
                    .unwrap();
            let data = DenseMatrix::from_matrix(x.clone()).unwrap();
            let found = discriminants(&data, &labels).of(&data);
            let expected = direct(&x, &labels);
            for (a, b) in found.as_slice().iter().zip(expected.as_slice()) {
                assert!((a - b).abs() <= 1e-8 * b.abs().max(1.0), "{a} and {b} with {d} features");
            }
        }
    }

    #[test]
    fn both_ways_to_solve_a_system_agree() {
        let m = MOST_DIRECT + 10;
        let half = Matrix::from_fn(m, m, |i, j| ((i * 7 + j * 13 + i * j) % 17) as f64 / 17.0);
        let scatter = product(&half, &half.transposed());
        let right = Matrix::from_fn(m, 2, |i, c| ((i * 5 + c * 3) % 7) as f64);
        let found = solved(&scatter, 5.0, right.clone());
        let again = product(&scatter, &found);
        for (at, value) in right.as_slice().iter().enumerate() {
            let sum = again.as_slice()[at] + 5.0 * found.as_slice()[at];
            assert!((sum - value).abs() < 1e-5, "{sum} for {value}");
        }
    }

    #[test]
    fn one_label_a_class_gives_the_nearest_mean() {
        let x = Matrix::from_fn(6, 4, |i, j| ((i * 3 + j * 2) % 7) as f64);
        let labels = Labels::from_integers(&[0, 1, -1, -1, -1, -1]).unwrap();
        let data = DenseMatrix::from_matrix(x.clone()).unwrap();
        let found = discriminants(&data, &labels).of(&data);
        let distance = |i: usize, c: usize| -> f64 {
            x.row(i).iter().zip(x.row(c)).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        for i in 0..6 {
            let difference = found.get(i, 0) - found.get(i, 1);
            assert!((difference - 0.5 * (distance(i, 1) - distance(i, 0))).abs() < 1e-9, "row {i}");
        }
    }
}
