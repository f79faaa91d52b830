//! The exemplar start: labelled samples as components, labelled rows at the components of their class. The
//! backend then improves the codes at these components, and the codes come first in each iteration.
//!
//! ```text
//! component q of class c:   unit(q-th labelled sample of c) + 0.05·unit(mean of c)
//!                           while there are labelled samples,
//!                           unit(mean of c)∘(1 + 0.3·U) from then on;
//!                           unit(mean of c) where a class owns one component
//! W = 0.1·U, in labelled rows 1 at the components of the class and 0 elsewhere
//! ```
//!
//! unit(·) has length 1. Components beyond those of the classes are the mean row, entrywise times a uniform
//! number. Both factors are then scaled to equal norm. A class mean of zeros is replaced by the mean row.
//! Several components per class that started alike would stay alike; labelled samples are as unlike as the
//! class is.

use super::labels::balanced;
use super::{stream, uniform_factor};
use crate::data::sum_of_rows;
use crate::engine::Problem;
use crate::engine::{Factors, Settings, Slot};
use crate::foundation::{Matrix, Real, Result};
use crate::methods::Model;

pub(super) fn start<T: Real>(
    problem: &Problem<'_, T>,
    model: &Model,
    settings: &Settings,
) -> Result<Factors<T>> {
    let labels = model.labels().expect("the start was resolved to exemplars only where there are labels");
    let (data, per_class, k) = (problem.original(), model.options.components_per_class.max(1), settings.rank);
    let d = data.n_features();
    let overall: Vec<f64> = data.summary().column_sums.iter().map(|s| s / data.n_samples() as f64).collect();
    let mut rows = vec![Vec::new(); k];
    for class in 0..labels.n_classes() {
        let members: Vec<usize> =
            (0..labels.n_samples()).filter(|i| labels.class(*i) == Some(class)).collect();
        let of_class: Vec<(usize, f64)> = members.iter().map(|i| (*i, 1.0)).collect();
        let mean = unit(sum_of_rows(data, &of_class))
            .or_else(|| unit(overall.clone()))
            .unwrap_or_else(|| vec![0.0; d]);
        for (q, row) in rows[class * per_class..(class + 1) * per_class].iter_mut().enumerate() {
            let exemplar = members.get(q).filter(|_| per_class > 1);
            let exemplar = exemplar.and_then(|i| unit(sum_of_rows(data, &[(*i, 1.0)])));
            *row = match exemplar {
                Some(mut sample) => {
                    sample.iter_mut().zip(&mean).for_each(|(x, m)| *x += 0.05 * m);
                    sample
                }
                None => mean.clone(),
            };
        }
    }
    let owned = labels.n_classes() * per_class;
    let counts = labels.counts();
    let stream = stream(settings.seed, Slot::Components);
    let mut draws = vec![0.0; k];
    let mut components = Matrix::<f64>::zeros(d, k);
    for feature in 0..d {
        stream.fill(feature, &mut draws);
        for (j, value) in components.row_mut(feature).iter_mut().enumerate() {
            let alike = per_class > 1 && j < owned && j % per_class >= counts[j / per_class];
            *value = match rows[j].get(feature) {
                None => overall[feature] * draws[j],
                Some(x) if alike => x * (1.0 + 0.3 * draws[j]),
                Some(x) => *x,
            };
        }
    }
    let mut codes: Matrix<f64> = uniform_factor::<T>(problem, Slot::Codes, settings, 0.1).cast();
    for row in 0..codes.rows() {
        let (origin, scale) = problem.row_origin(row);
        if let Some(class) = labels.class(origin) {
            let own = class * per_class..(class + 1) * per_class;
            for (j, value) in codes.row_mut(row).iter_mut().enumerate() {
                *value = if own.contains(&j) { scale } else { 0.0 };
            }
        }
    }
    Ok(balanced(codes, components))
}

/// The row at length 1; none for zeros.
fn unit(mut row: Vec<f64>) -> Option<Vec<f64>> {
    let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length == 0.0 {
        return None;
    }
    row.iter_mut().for_each(|x| *x /= length);
    Some(row)
}
