//! Whether iterations are accelerated, and how many sweeps HALS takes for each factor: a model of what they
//! cost, not a clock, so that the same problem always takes the same steps.

use super::Problem;
use crate::data::DataMatrix;
use crate::engine::solvers::SolverChoice;
use crate::engine::{Acceleration, Settings, Slot};
use crate::foundation::{Error, Real, Result};
use crate::methods::Model;

/// The most sweeps: what more of them gain is little once a factor is nearly optimal for the other.
const MOST_SWEEPS: usize = 4;
/// Data with a smaller share of non-zeros than this are taken for sparse.
const SPARSE: f64 = 0.2;
/// A multiplication with a value of sparse data costs about so many of a sweep: it waits for a row of the
/// other factor.
const GATHERED: f64 = 3.0;
/// The products of one factor pay for a further sweep each time they cost so many sweeps.
const SWEEPS_OF_A_PRODUCT: f64 = 4.5;

/// Sweeps of (codes, components), or `None` for plain iterations.
pub(super) fn sweeps<T: Real>(
    problem: &Problem<'_, T>,
    model: &Model,
    settings: &Settings,
) -> Result<Option<[usize; 2]>> {
    let refused = obstacle(problem);
    match settings.acceleration {
        Acceleration::Off => return Ok(None),
        Acceleration::Auto => {
            let plain = model.is_plain() && !problem.solve_codes;
            if refused.is_some()
                || !(plain || problem.has_equal_factors() || model.is_guided_kl())
                || settings.solver != SolverChoice::Auto
            {
                return Ok(None);
            }
        }
        Acceleration::On => {
            if let Some(reason) = refused {
                return Err(Error::incompatible(
                    format!("acceleration with {} and solver {}", model.spec.title, problem.solver.name),
                    reason,
                    ["acceleration off", "solver hals", "solver mu"],
                ));
            }
        }
    }
    if let Some(steps) = settings.inner_steps {
        return Ok(Some([steps; 2]));
    }
    // Of the values alone, so that data take the same steps in every format.
    let data = problem.data();
    let (n, d, non_zeros) = (data.n_samples(), data.n_features(), data.summary().non_zeros as f64);
    let gathered = if is_sparse(data) { GATHERED } else { 1.0 };
    let of_rows = |rows: usize| {
        // A product costs non-zeros · k, a sweep rows · k².
        let product = gathered * non_zeros / (rows as f64 * settings.rank as f64);
        (1 + (product / SWEEPS_OF_A_PRODUCT) as usize).min(MOST_SWEEPS)
    };
    Ok(Some([of_rows(n), of_rows(d)]))
}

/// Whether so few values are not 0 that data are taken for sparse, in whatever format.
pub(super) fn is_sparse<T: Real>(data: &dyn DataMatrix<T>) -> bool {
    let entries = data.n_samples() as f64 * data.n_features() as f64;
    (data.summary().non_zeros as f64) < SPARSE * entries
}

/// Why a problem can't be accelerated: steps may be taken back only where the objective is known.
fn obstacle<T: Real>(problem: &Problem<'_, T>) -> Option<&'static str> {
    if problem.has_equal_factors() {
        // Their objective is known before each update, and steps that raise it are halved.
        let takes = matches!(problem.solver.choice, SolverChoice::Mu | SolverChoice::Hals);
        return (!takes).then_some("it is made for HALS and multiplicative updates");
    }
    if problem.order.len() != 2 || !problem.order.iter().all(|slot| Slot::MAIN.contains(slot)) {
        return Some("the method has factors other than codes and components");
    }
    if problem.rescaling.is_some() {
        return Some("the method rescales the factors after each iteration");
    }
    match problem.solver.choice {
        // They know the objective where they begin, whatever the terms.
        SolverChoice::Mu => None,
        SolverChoice::Hals if problem.contributions.iter().all(|c| c.facts().exact) => None,
        SolverChoice::Hals => Some("a term of the method is not exact in each factor"),
        _ => Some("it is made for HALS and multiplicative updates"),
    }
}
