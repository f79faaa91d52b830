//! Scores that are linear in the unit row, by ridge regression of the posteriors.
//!
//! ```text
//! min over V, b   ‖P − X̂V − 1bᵀ‖² + λτ‖V‖²,   λ = 0.3
//! ```
//!
//! X̂ are the unit rows (n × d), P the posteriors (n × c), τ the mean squared distance of the rows from their
//! mean. By conjugate gradients on the centred rows.

use partwise::guidance::Scorer;
use partwise::internals::{conjugate_gradients, times, transpose_times};
use partwise::{DataMatrix, Matrix, Real};

use super::{Lesson, centre, mean_posteriors};

/// λ.
const RIDGE: f64 = 0.3;
/// Where conjugate gradients end: a small residual beside the ridge changes no class.
const RESIDUAL: f64 = 1e-2;

pub(super) fn learned<T: Real>(lesson: &Lesson<'_, T>) -> Scorer {
    let (d, classes) = (lesson.unit.n_features(), lesson.names.len());
    let (mean, scatter) = centre(lesson);
    let ridge = RIDGE * scatter;
    let average = mean_posteriors(lesson);
    // X̂ᵀ·U of the rows that count, less the mean row times the sums of U: the product with the centred rows.
    let centred_back = |left: &Matrix<f64>| {
        let mut counted = Matrix::zeros(left.rows(), classes);
        let mut sums = vec![0.0; classes];
        for i in lesson.rows {
            counted.row_mut(*i).copy_from_slice(left.row(*i));
            sums.iter_mut().zip(left.row(*i)).for_each(|(sum, u)| *sum += u);
        }
        let mut out = transpose_times(lesson.unit, &counted);
        for (f, m) in mean.iter().enumerate() {
            out.row_mut(f).iter_mut().zip(&sums).for_each(|(value, sum)| *value -= m * sum);
        }
        out
    };
    let apply = |v: &Matrix<f64>| {
        let mut image = centred_back(&times(lesson.unit, v));
        image.as_mut_slice().iter_mut().zip(v.as_slice()).for_each(|(image, v)| *image += ridge * v);
        image
    };
    let weights = conjugate_gradients(&apply, centred_back(lesson.posteriors), RESIDUAL);
    let offset = |c: usize| average[c] - (0..d).map(|f| mean[f] * weights.get(f, c)).sum::<f64>();
    let offsets: Vec<f64> = (0..classes).map(offset).collect();
    let value = |c: usize, f: usize| if f < d { weights.get(f, c) } else { offsets[c] };
    let weights = Matrix::from_fn(classes, d + 1, value);
    Scorer { names: lesson.names.to_vec(), weights, kernel_width: None }
}

/// The score of each topic for each unit row.
pub(super) fn scores<T: Real>(unit: &dyn DataMatrix<T>, scorer: &Scorer) -> Matrix<f64> {
    let d = unit.n_features();
    let weights = Matrix::from_fn(d, scorer.names.len(), |f, c| scorer.weights.get(c, f));
    let mut scores = times(unit, &weights);
    for i in 0..scores.rows() {
        let row = scores.row_mut(i).iter_mut().enumerate();
        row.for_each(|(c, score)| *score += scorer.weights.get(c, d));
    }
    scores
}
