//! The label-aware start: class means as components, labelled rows at their class. The backend then solves
//! the codes at these components, and the codes come first in each iteration.
//!
//! ```text
//! H_c = mean of the labelled rows of class c + 0.01·mean(X)·U,
//!     W = 0.1·U, + 1 at the class of labelled rows
//! ```
//!
//! Components beyond the classes are the mean row, entrywise times a uniform number. Both factors are then
//! scaled to equal norm, which leaves W·H and makes the start (and with it the fit) follow a scaling of X.

use super::{stream, uniform_factor};
use crate::data::{DataMatrix, sum_over_samples};
use crate::engine::Problem;
use crate::engine::{Factors, Settings, Slot};
use crate::foundation::{Matrix, Real, Result};
use crate::guidance::Labels;
use crate::methods::Model;

/// Bᵀ (c × k) beside the label-aware start: label l is what component l holds of the samples of class l; the
/// rest as random.
pub(super) fn label_factor<T: Real>(
    problem: &Problem<'_, T>,
    random: Matrix<T>,
    labels: &Labels,
    codes: &Matrix<T>,
) -> Matrix<T> {
    let mut factor = random;
    let counts = labels.counts();
    for class in 0..labels.n_classes().min(factor.rows()).min(factor.columns()) {
        let held = (0..labels.n_samples()).filter(|i| labels.class(*i) == Some(class));
        let value = |i: usize| codes.get(problem.row_of(i), class).to_f64();
        let mean = held.map(value).sum::<f64>() / counts[class] as f64;
        if mean > 0.0 {
            let value = factor.get(class, class) + T::from_f64(1.0 / mean);
            factor.set(class, class, value);
        }
    }
    factor
}

pub(super) fn start<T: Real>(
    problem: &Problem<'_, T>,
    model: &Model,
    settings: &Settings,
) -> Result<Factors<T>> {
    let labels = model.labels().expect("the start was resolved to labels only where there are some");
    let data = problem.original();
    let (d, counts) = (data.n_features(), labels.counts());
    let means = sum_over_samples(data, labels.n_classes() * d, |i, (rows, at), means| {
        if let Some(class) = labels.class(i) {
            rows.add_row(at, 1.0 / counts[class] as f64, &mut means[class * d..(class + 1) * d]);
        }
    });
    let means: Vec<Option<Vec<f64>>> = means.chunks(d).map(|mean| Some(mean.to_vec())).collect();
    let components = beside(&means, data, settings);
    let mut codes: Matrix<f64> = uniform_factor::<T>(problem, Slot::Codes, settings, 0.1).cast();
    for row in 0..codes.rows() {
        let (origin, scale) = problem.row_origin(row);
        if let Some(class) = labels.class(origin) {
            codes.row_mut(row)[class] += scale;
        }
    }
    Ok(balanced(codes, components))
}

/// Components (d × k) at what is known of each; the others at the mean of the features times a random number.
/// All get a little noise.
pub(super) fn beside<T: Real>(
    known: &[Option<Vec<f64>>],
    data: &dyn DataMatrix<T>,
    settings: &Settings,
) -> Matrix<f64> {
    let (n, d, k) = (data.n_samples(), data.n_features(), settings.rank);
    let summary = data.summary();
    let mean = summary.sum / (n as f64 * d as f64);
    let stream = stream(settings.seed, Slot::Components);
    let mut components = Matrix::<f64>::zeros(d, k);
    let mut draws = vec![0.0; k];
    for feature in 0..d {
        stream.fill(feature, &mut draws);
        let column_mean = summary.column_sums[feature] / n as f64;
        for (j, value) in components.row_mut(feature).iter_mut().enumerate() {
            let known = known.get(j).and_then(Option::as_ref);
            let base = known.map_or(column_mean * draws[j], |row| row[feature]);
            *value = base + 0.01 * mean * draws[j];
        }
    }
    components
}

/// Both factors scaled to equal norm, which leaves their product.
pub(super) fn balanced<T: Real>(mut codes: Matrix<f64>, mut components: Matrix<f64>) -> Factors<T> {
    let norm = |m: &Matrix<f64>| m.as_slice().iter().map(|v| v * v).sum::<f64>().sqrt();
    let ratio = (norm(&components) / norm(&codes)).sqrt();
    let ratio = if ratio > 0.0 && ratio.is_finite() { ratio } else { 1.0 };
    codes.as_mut_slice().iter_mut().for_each(|v| *v *= ratio);
    components.as_mut_slice().iter_mut().for_each(|v| *v /= ratio);
    Factors::new(codes.cast(), components.cast())
}
