//! A linear scorer of topics, learned from posteriors.
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

use crate::graphs::unit_rows;

/// λ.
const RIDGE: f64 = 0.3;
/// Where conjugate gradients end: a small residual beside the ridge changes no class.
const RESIDUAL: f64 = 1e-2;

pub(super) fn learned<T: Real>(
    data: &dyn DataMatrix<T>,
    names: &[String],
    posteriors: &Matrix<f64>,
) -> Scorer {
    let rows = unit_rows(data);
    let (n, d, classes) = (data.n_samples(), data.n_features(), names.len());
    let ones = Matrix::from_fn(n, 1, |_, _| 1.0 / n as f64);
    let mean = transpose_times(rows.as_ref(), &ones);
    let squares: f64 = mean.as_slice().iter().map(|m| m * m).sum();
    // Rows have length 1 (or 0).
    let ridge = RIDGE * (1.0 - squares).max(1e-9);
    let average = column_means(posteriors);
    // X̂ᵀ·U less the mean row times the sums of U: the product with the centred rows.
    let centred_back = |left: &Matrix<f64>| {
        let sums = column_means(left);
        let mut out = transpose_times(rows.as_ref(), left);
        for f in 0..d {
            let m = mean.get(f, 0) * n as f64;
            out.row_mut(f).iter_mut().zip(&sums).for_each(|(value, s)| *value -= m * s);
        }
        out
    };
    let apply = |v: &Matrix<f64>| {
        let mut image = centred_back(&times(rows.as_ref(), v));
        image.as_mut_slice().iter_mut().zip(v.as_slice()).for_each(|(image, v)| *image += ridge * v);
        image
    };
    let weights = conjugate_gradients(&apply, centred_back(posteriors), RESIDUAL);
    let offset = |c: usize| average[c] - (0..d).map(|f| mean.get(f, 0) * weights.get(f, c)).sum::<f64>();
    let offsets: Vec<f64> = (0..classes).map(offset).collect();
    let value = |c: usize, f: usize| if f < d { weights.get(f, c) } else { offsets[c] };
    Scorer { names: names.to_vec(), weights: Matrix::from_fn(classes, d + 1, value) }
}

/// The topic with the largest score for each row, as a number of the scorer's names.
pub(super) fn best_topics<T: Real>(data: &dyn DataMatrix<T>, scorer: &Scorer) -> Vec<usize> {
    let d = data.n_features();
    let weights = Matrix::from_fn(d, scorer.names.len(), |f, c| scorer.weights.get(c, f));
    let mut scores = times(unit_rows(data).as_ref(), &weights);
    let best = |i: usize| {
        let row = scores.row_mut(i);
        row.iter_mut().enumerate().for_each(|(c, score)| *score += scorer.weights.get(c, d));
        crate::posteriors::largest(row)
    };
    (0..data.n_samples()).map(best).collect()
}

fn column_means(matrix: &Matrix<f64>) -> Vec<f64> {
    let mut means = vec![0.0; matrix.columns()];
    for i in 0..matrix.rows() {
        means.iter_mut().zip(matrix.row(i)).for_each(|(m, v)| *m += v / matrix.rows() as f64);
    }
    means
}
