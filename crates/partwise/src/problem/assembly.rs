//! What a problem is put together from: sizes, terms in the form that the solver supports, the order of the
//! slots, and what links or rescales the factors.

use super::checks::check_pairing;
use super::guided::check_guidance;
use super::tying::penalties;
use super::{Problem, margins};
use crate::data::DataMatrix;
use crate::engine::problem::TiedRows;
use crate::engine::solvers::SolverSpec;
use crate::engine::term::{ComponentSize, ModelTerm, Term, in_type};
use crate::engine::{Rescaling, Settings, Slot, Smoothing};
use crate::foundation::{Error, Notice, Real, Result};
use crate::guidance::Plan;
use crate::methods::{Form, Input, Known, Model, Shape, StepRule, Tying};

/// The sizes of data.
pub(crate) fn shape<T: Real>(data: &dyn DataMatrix<T>, rank: usize) -> Shape {
    let summary = data.summary();
    Shape {
        samples: data.n_samples(),
        features: data.n_features(),
        rank,
        largest: summary.max,
        squared_norm: summary.squared_norm,
        sum: summary.sum,
    }
}

/// Everything other than the loss, in the form that the solver supports.
pub(super) fn contributions<T: Real>(
    data: &dyn DataMatrix<T>,
    model: &Model,
    settings: &Settings,
    solver: &SolverSpec,
    (shape, tied, plan): (Shape, Option<&TiedRows>, Option<&Plan>),
    notices: &mut Vec<Notice>,
) -> Result<Vec<Box<dyn Term<T>>>> {
    let cast = |term: &_| in_type(Box::<dyn ModelTerm>::as_ref(term), solver.needs_non_negative);
    let mut contributions: Vec<Box<dyn Term<T>>> = match plan {
        Some(plan) => plan.contributions.iter().map(cast).collect(),
        None => (model.spec.terms)(Known {
            spec: model.spec,
            guidance: &model.guidance,
            options: &model.options,
            shape,
        })?
        .iter()
        .map(cast)
        .collect(),
    };
    contributions.extend(margins::margin_rows(data, model, settings.threads, notices)?);
    contributions.extend(if contributions.iter().any(|c| c.facts().equal_factors) {
        penalties(&of_equal_factors(settings), model, shape, tied)?
    } else {
        penalties(settings, model, shape, tied)?
    });
    check_pairing(solver, model, &contributions)?;
    check_guidance(solver, model, &contributions)?;
    contributions.sort_by_key(|c| c.facts().fixes_entries);
    Ok(contributions)
}

/// The settings whose penalties of codes and components are those of one factor that is both.
fn of_equal_factors(settings: &Settings) -> Settings {
    let both = |(codes, components): (f64, f64)| (0.5 * (codes + components), 0.5 * (codes + components));
    Settings { l1: both(settings.l1), l2: both(settings.l2), ..settings.clone() }
}

/// The slots in the order of one iteration: codes and components as `first` says, after the components what
/// goes with them, and last what has a closed form.
pub(super) fn order<T: Real>(form: Form, first: Slot, contributions: &[Box<dyn Term<T>>]) -> Vec<Slot> {
    let equal = contributions.iter().any(|c| c.facts().equal_factors);
    let mut order = match form {
        // The components are the codes.
        Form::Symmetric if equal => Vec::new(),
        Form::Matrix | Form::Symmetric => vec![Slot::Components],
        // The components are the product of these.
        Form::Images => vec![Slot::ImageRows, Slot::ImageColumns],
    };
    let own = || contributions.iter().filter_map(|c| c.facts().own_slot);
    order.extend(own().filter(|slot| !slot.has_closed_form()));
    order.insert(if first == Slot::Codes { 0 } else { order.len() }, Slot::Codes);
    order.extend(own().filter(|slot| slot.has_closed_form()));
    order
}

/// S, for the models that have it.
pub(super) fn smoothing(model: &Model) -> Option<Smoothing> {
    let theta = model.options.smoothing;
    // S = I must be plain NMF to the last bit.
    (model.spec.takes(Input::Smoothing) && theta > 0.0).then_some(Smoothing { theta })
}

/// SCNMF's rescaling by the labels; components of unit length beside a relative graph term, where no penalty
/// depends on their size.
pub(super) fn rescaling<T: Real>(
    model: &Model,
    shape: Shape,
    contributions: &[Box<dyn Term<T>>],
) -> Result<Option<Rescaling>> {
    let sizes = || contributions.iter().map(|c| c.facts().size);
    if sizes().any(|size| size == ComponentSize::BestAtUnit) {
        let matters = sizes().any(|size| size == ComponentSize::Matters);
        return Ok((!matters).then_some(Rescaling::UnitComponents));
    }
    let Some(labels) = model.labels().filter(|_| model.spec.rescales) else {
        return Ok(None);
    };
    if labels.n_classes() > shape.rank {
        return Err(Error::out_of_range(
            "rank k",
            shape.rank,
            format!("at least {}, one component per class, with {}", labels.n_classes(), model.spec.title),
        ));
    }
    Ok(Some(Rescaling::Labels((0..labels.n_samples()).map(|i| labels.class(i)).collect())))
}

/// NMF-DC's published step: 1/(‖G‖·max n_c) in the rows of Z, which is n_q/max n_c of the step in the merged
/// rows.
pub(super) fn row_steps<T: Real>(problem: &Problem<'_, T>, model: &Model) -> Option<Vec<T>> {
    let tied = problem.tied.as_ref()?;
    if model.options.step_rule != StepRule::LargestClass || model.spec.tying != Tying::Labels {
        return None;
    }
    let largest = tied.count.iter().fold(1.0f64, |m, n| m.max(*n));
    Some(tied.count.iter().map(|n| T::from_f64(n / largest)).collect())
}
