//! Medians as a start: some more iterations of the model, which fit better than any median does.

use super::codes_for;
use crate::data::DataMatrix;
use crate::engine::{Init, Settings, Slot};
use crate::fit::{Fit, fit};
use crate::foundation::{Error, Matrix, Real, Result};
use crate::methods::Model;

/// Enough to repair what the medians of single features leave, too few to become another factorization.
const ITERATIONS: usize = 10;

/// Components after some iterations of the model from `medians`, each with sum 1, and codes for them; the
/// medians themselves where that fits no better, as a penalty may ask for.
pub(super) fn improved<T: Real>(
    data: &dyn DataMatrix<T>,
    model: &Model,
    settings: &Settings,
    medians: Matrix<T>,
) -> Result<(Matrix<T>, Fit<T>)> {
    let of_medians = codes_for(data, &medians, model.loss(), settings)?;
    let start = vec![
        (Slot::Codes, of_medians.codes.cast::<f64>()),
        (Slot::Components, medians.transposed().cast::<f64>()),
    ];
    let settings_of_model = Settings {
        rank: medians.rows(),
        init: Init::Given(start),
        max_iterations: ITERATIONS.min(settings.max_iterations),
        time_limit: None,
        ..settings.clone()
    };
    let components = match fit(data, model, &settings_of_model) {
        // Where all medians of a feature are 0, a term of the guidance may be infinite.
        Err(Error::Start(_)) => return Ok((medians, of_medians)),
        found => with_sum_one(found?.components),
    };
    let found = codes_for(data, &components, model.loss(), settings)?;
    let better = found.loss_value < of_medians.loss_value;
    Ok(if better { (components, found) } else { (medians, of_medians) })
}

/// Each row with sum 1; rows of zeros stay.
fn with_sum_one<T: Real>(components: Matrix<T>) -> Matrix<T> {
    let sums: Vec<f64> =
        (0..components.rows()).map(|c| components.row(c).iter().map(|x| x.to_f64()).sum()).collect();
    Matrix::from_fn(components.rows(), components.columns(), |c, j| match sums[c] > 0.0 {
        true => T::from_f64(components.get(c, j).to_f64() / sums[c]),
        false => T::ZERO,
    })
}
