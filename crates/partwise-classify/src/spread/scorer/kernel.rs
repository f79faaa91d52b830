//! Scores by a Gaussian kernel on landmarks: ridge regression of the posteriors in its space.
//!
//! ```text
//! k(x, y)            exp(−‖x − y‖²/(2τ)),   τ the mean squared distance of the unit rows from their mean
//! min over B         ‖P − 1p̄ᵀ − KB‖² + λ·tr(Bᵀ(L + 0.01·I)B),   λ = 0.1
//! ```
//!
//! K (n × m) are the kernels of the rows and the landmarks, L (m × m) those of the landmarks, P the
//! posteriors (n × c), p̄ their mean. Landmarks are random rows; their number is bounded, so the size of a
//! model is too.
//!
//! Reference: Williams & Seeger, "Using the Nyström method to speed up kernel machines", NIPS 2000.

use partwise::guidance::Scorer;
use partwise::internals::{symmetric_eigen, times};
use partwise::{DataMatrix, Matrix, Real};

use super::{Lesson, centre, mean_posteriors, some_rows};

/// λ.
const RIDGE: f64 = 0.1;
/// What is added to the kernel of a landmark with itself: landmarks may be alike.
const NUGGET: f64 = 0.01;
/// Landmarks at most, and the numbers in their rows.
const MOST_LANDMARKS: usize = 400;
const MOST_NUMBERS: usize = 1 << 21;
/// Rows that are scored together.
const BLOCK: usize = 256;

pub(super) fn learned<T: Real>(lesson: &Lesson<'_, T>) -> Scorer {
    let (d, classes) = (lesson.unit.n_features(), lesson.names.len());
    let (_, width) = centre(lesson);
    let most = MOST_LANDMARKS.min(MOST_NUMBERS / d).max(1);
    let chosen = &lesson.rows[..lesson.rows.len().min(most)];
    let m = chosen.len();
    let mut landmarks = Matrix::<f64>::zeros(m, d);
    chosen.iter().enumerate().for_each(|(l, i)| lesson.unit.add_row(*i, 1.0, landmarks.row_mut(l)));
    let landmarks = Landmarks::new(landmarks, width);

    let average = mean_posteriors(lesson);
    let mut system = landmarks.kernels(some_rows(lesson.unit, chosen).as_ref());
    system = Matrix::from_fn(m, m, |a, b| RIDGE * (system.get(a, b) + if a == b { NUGGET } else { 0.0 }));
    let mut right = Matrix::<f64>::zeros(m, classes);
    for block in lesson.rows.chunks(BLOCK) {
        let kernels = landmarks.kernels(some_rows(lesson.unit, block).as_ref());
        // Without the row of zeros that stands for all others.
        let kernels = Matrix::from_fn(block.len(), m, |i, l| kernels.get(i, l));
        let gram = kernels.gram();
        system.as_mut_slice().iter_mut().zip(gram.as_slice()).for_each(|(sum, v)| *sum += v);
        for (at, i) in block.iter().enumerate() {
            for (l, kernel) in kernels.row(at).iter().enumerate() {
                let posteriors = lesson.posteriors.row(*i).iter().zip(&average);
                let sums = right.row_mut(l).iter_mut().zip(posteriors);
                sums.for_each(|(sum, (p, mean))| *sum += kernel * (p - mean));
            }
        }
    }
    let weights = solved(&system, &right);
    let value = |l: usize, at: usize| match (l < m, at < classes) {
        (true, true) => weights.get(l, at),
        (true, false) => landmarks.rows.get(l, at - classes),
        (false, true) => average[at],
        (false, false) => 0.0,
    };
    let weights = Matrix::from_fn(m + 1, classes + d, value);
    Scorer { names: lesson.names.to_vec(), weights, kernel_width: Some(width) }
}

/// The score of each topic for each unit row.
pub(super) fn scores<T: Real>(unit: &dyn DataMatrix<T>, scorer: &Scorer, width: f64) -> Matrix<f64> {
    let (n, d, classes) = (unit.n_samples(), unit.n_features(), scorer.names.len());
    let m = scorer.weights.rows() - 1;
    let rows = Matrix::from_fn(m, d, |l, f| scorer.weights.get(l, classes + f));
    let landmarks = Landmarks::new(rows, width);
    let mut out = Matrix::from_fn(n, classes, |_, c| scorer.weights.get(m, c));
    let all: Vec<usize> = (0..n).collect();
    for block in all.chunks(BLOCK) {
        let kernels = landmarks.kernels(some_rows(unit, block).as_ref());
        for (at, i) in block.iter().enumerate() {
            for (l, kernel) in kernels.row(at).iter().enumerate() {
                let weights = &scorer.weights.row(l)[..classes];
                out.row_mut(*i).iter_mut().zip(weights).for_each(|(score, w)| *score += kernel * w);
            }
        }
    }
    out
}

/// Rows that kernels are taken of.
struct Landmarks {
    /// m × d.
    rows: Matrix<f64>,
    /// d × m.
    columns: Matrix<f64>,
    /// ‖landmark‖² (m).
    squares: Vec<f64>,
    width: f64,
}

impl Landmarks {
    fn new(rows: Matrix<f64>, width: f64) -> Self {
        let square = |l: usize| rows.row(l).iter().map(|v| v * v).sum();
        Landmarks { squares: (0..rows.rows()).map(square).collect(), columns: rows.transposed(), rows, width }
    }

    /// k(x, landmark) for unit rows and rows of zeros (n × m).
    fn kernels<T: Real>(&self, unit: &dyn DataMatrix<T>) -> Matrix<f64> {
        let zeros = &unit.summary().zero_rows;
        let mut out = times(unit, &self.columns);
        for i in 0..out.rows() {
            let own = if zeros.binary_search(&i).is_ok() { 0.0 } else { 1.0 };
            for (value, square) in out.row_mut(i).iter_mut().zip(&self.squares) {
                *value = (-(own + square - 2.0 * *value).max(0.0) / (2.0 * self.width)).exp();
            }
        }
        out
    }
}

/// A⁻¹·`right`, A symmetric and positive definite (m × m).
fn solved(system: &Matrix<f64>, right: &Matrix<f64>) -> Matrix<f64> {
    let (values, vectors) = symmetric_eigen(system);
    let (m, classes) = right.shape();
    let mut along = Matrix::<f64>::zeros(m, classes);
    for i in 0..m {
        for (v, vector) in vectors.row(i).iter().enumerate() {
            let sums = along.row_mut(v).iter_mut().zip(right.row(i));
            sums.for_each(|(sum, r)| *sum += vector * r);
        }
    }
    // Rounding may take the smallest values below what the ridge leaves of them.
    let least = RIDGE * NUGGET;
    for (v, value) in values.iter().enumerate() {
        along.row_mut(v).iter_mut().for_each(|sum| *sum /= value.max(least));
    }
    let mut out = Matrix::<f64>::zeros(m, classes);
    for i in 0..m {
        for (v, vector) in vectors.row(i).iter().enumerate() {
            let sums = out.row_mut(i).iter_mut().zip(along.row(v));
            sums.for_each(|(sum, a)| *sum += vector * a);
        }
    }
    out
}
