//! A fit: data, model and settings put together, run through the loop, and given back in the caller's samples
//! and features.
//!
//! ```text
//! Problem ─► start ─► loop (`engine/iterate.rs`) ─► exact objective, un-merge ─► Fit
//! ```

mod encode;
pub(crate) mod memory;

pub use encode::{Encoding, Held, encode, settings_for_new_rows, solve};

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::data::{BlockedMatrix, DataMatrix, DataSize, Processes};
use crate::engine::backend::Backend;
use crate::engine::iterate::{Finished, Run, run_on, solved_start};
use crate::engine::losses::Loss;
use crate::engine::stop::{NOTICEABLE, recent_progress};
use crate::engine::{Checkpoints, Factors, Iteration, Observer, Rescaling, Settings, Slot, silent};
use crate::foundation::{Matrix, Notice, Real, Result, StopReason, fault, once};
use crate::methods::Model;
use crate::problem::{Problem, Units, check_blocks, check_units, times, zero_factors};

/// A finished factorization X ≈ W·H.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fit<T> {
    /// W (n × k): one row per sample.
    pub codes: Matrix<T>,
    /// H (k × d): the parts.
    pub components: Matrix<T>,
    /// The further factors of some models, besides codes and components, in the layout of their slots (see
    /// [`Slot`]).
    pub further: Vec<(Slot, Matrix<T>)>,
    /// The published objective of the model, computed exactly at the end (see the model's formula).
    pub objective: f64,
    /// The loss ("fit") and each term, which sum to the objective.
    pub parts: Vec<(String, f64)>,
    /// ‖X − WH‖² or D(X‖WH) at the end, exact: no ½, no penalties, without unknown entries; rows weighted as
    /// the model does, features as guidance says.
    pub loss_value: f64,
    /// ‖X − WH‖/‖X‖ (rows and features weighted as above); for Kullback–Leibler D(X‖WH)/ΣX.
    pub relative_error: f64,
    /// ‖S − WWᵀ‖/‖S‖ of a symmetric factorization: that of its codes alone, in both places. It is
    /// [`Fit::relative_error`] where codes and components are one factor.
    pub symmetric_error: Option<f64>,
    /// Norm of the projected gradient of the published objective over all factors, at the end: as the stop
    /// test measures it (see [`Settings::tolerance`]), also under multiplicative updates.
    pub kkt: f64,
    /// `objective`, `parts`, `loss_value`, `kkt` and `history` are those of the data divided by this number.
    /// It is 1 but for data whose squares leave the range of `f64` (largest entry above 1e100 or below
    /// 1e-100).
    pub objective_unit: f64,
    /// The start (number 0) and every iteration.
    pub history: Vec<Iteration>,
    /// Iterations done.
    pub iterations: usize,
    /// Why it ended.
    pub stop: StopReason,
    /// Policies applied and facts to know.
    pub notices: Vec<Notice>,
    /// A name for each component (k): the classes first ("a", or "a 1", "a 2" where a class owns several),
    /// then "part 3", ….
    pub component_names: Vec<String>,
    /// The loss.
    pub loss: Loss,
    /// The solver that `auto` resolved to.
    pub solver: &'static str,
    /// The start that `auto` resolved to.
    pub init: &'static str,
    /// The factor that was updated first in each iteration.
    pub first: Slot,
    /// Threads used.
    pub threads: usize,
    /// Bytes beside the caller's data: factors, one cross matrix per factor, merged rows.
    pub working_bytes: usize,
    /// SCNMF's d of the last iteration (k), where the model rescales.
    pub rescaling: Option<Vec<f64>>,
    /// Wall time of the loop.
    pub elapsed: Duration,
    pub(crate) encoding: Encoding,
}

impl<T> Fit<T> {
    /// If the iteration limit ended the fit while it still improved: the fraction of the objective before the
    /// last 50 iterations by which they lowered it, 0 to 1. `None` where more iterations would change little:
    /// where that is less than a thousandth.
    pub fn still_improving(&self) -> Option<f64> {
        let progress = recent_progress(&self.history);
        let improves = self.stop == StopReason::IterationLimit && progress > NOTICEABLE;
        improves.then(|| progress / (1.0 + progress))
    }
}

/// Factors `data` by `model`.
///
/// ```
/// use partwise::{DenseMatrix, Model, Settings, fit};
/// let x = DenseMatrix::new(4, 3, vec![1.0, 0.0, 2.0, 2.0, 0.0, 4.0, 0.0, 3.0, 1.0, 0.0, 6.0, 2.0])?;
/// let fit = fit(&x, &Model::nmf(), &Settings::new(2))?;
/// assert!(fit.relative_error < 0.01);
/// # Ok::<(), partwise::Error>(())
/// ```
///
/// # Errors
/// Every fault of data, model and settings, before anything is computed;
/// [`Error::Overflow`](crate::Error::Overflow) when the numbers leave the range of `T` on the way.
pub fn fit<T: Real>(data: &dyn DataMatrix<T>, model: &Model, settings: &Settings) -> Result<Fit<T>> {
    fit_observed(data, model, settings, &mut silent)
}

once! {
    /// As [`fit`], with an observer that is called after each iteration and may stop the fit.
    ///
    /// # Errors
    /// As [`fit`].
    pub fn fit_observed<'a, T>(
        data: &'a dyn DataMatrix<T>,
        model: &'a Model,
        settings: &'a Settings,
        observer: &'a mut dyn Observer,
    ) -> Result<Fit<T>> = reading;
}

/// The body of [`fit_observed`]. Data may be read while it runs.
fn reading<T: Real>(
    data: &dyn DataMatrix<T>,
    model: &Model,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Fit<T>> {
    watched(data, || observed(data, model, settings, observer))
}

/// Does work on data that may be read while it runs. Where other processes share them, these get to know when
/// it ends without success.
fn watched<T: Real, R>(data: &dyn DataMatrix<T>, work: impl FnOnce() -> Result<R>) -> Result<R> {
    let watch = Processes::watch(data.blocks().and_then(BlockedMatrix::processes));
    let result = fault::caught(work);
    watch.end(&result);
    result
}

fn observed<T: Real>(
    data: &dyn DataMatrix<T>,
    model: &Model,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Fit<T>> {
    settings.validate()?;
    let size = DataSize::of(data);
    let what = format!("a fit of {} x {} with {} components", size.samples, size.features, settings.rank);
    let estimate = match data.blocks().map(BlockedMatrix::sizes) {
        Some(blocks) => memory::of_fit_in_blocks(size, blocks, model, settings),
        None => memory::of_fit(size, model, settings),
    };
    estimate.check(&what, settings.memory_limit)?;
    check_blocks(data, model)?;
    let Some(units) = Units::of(data, model.loss) else {
        return Ok(fit_in_range(data, model, settings, observer)?.0);
    };
    check_units(data)?;
    let (divided, notices) = units.divide(data, Some(model))?;
    let mut watch = InUnits { units, observer };
    let (mut fit, rescaling) =
        fit_in_range(divided.as_ref(), &units.model(model), &units.settings(settings), &mut watch)?;
    let codes = match rescaling {
        Some(Rescaling::Labels(_)) => 1.0,
        Some(Rescaling::UnitComponents) => units.divisor(),
        None => units.root(),
    };
    fit.codes = times(&fit.codes, units.of_slot(Slot::Codes, codes));
    fit.components = times(&fit.components, units.of_slot(Slot::Components, codes));
    for (slot, factor) in &mut fit.further {
        *factor = times(factor, units.of_slot(*slot, codes));
    }
    let (ridge, linear) = units.encoding_factors(codes);
    let times_positive = |values: &mut [f64], by: f64| {
        values
            .iter_mut()
            .filter(|value| **value > 0.0)
            .for_each(|value| *value = (*value * by).min(f64::MAX));
    };
    times_positive(&mut fit.encoding.ridge, ridge);
    times_positive(&mut fit.encoding.linear, linear);
    fit.change_units(units.of_objective());
    fit.notices.extend(notices);
    Ok(fit)
}

/// An observer of a fit on divided data, in the units of the data.
struct InUnits<'o> {
    units: Units,
    observer: &'o mut dyn Observer,
}

impl Observer for InUnits<'_> {
    fn on_iteration(&mut self, iteration: &Iteration) -> ControlFlow<()> {
        self.observer.on_iteration(&self.units.iteration(iteration))
    }

    fn checkpoints(&mut self) -> Option<&mut dyn Checkpoints> {
        self.observer.checkpoints()
    }
}

/// Of data whose products stay in range; also what rescaled the factors.
fn fit_in_range<T: Real>(
    data: &dyn DataMatrix<T>,
    model: &Model,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<(Fit<T>, Option<Rescaling>)> {
    let (problem, start) = Problem::new(data, model, settings)?;
    let mut fit = run(&problem, start, settings, observer)?;
    for (name, topic) in fit.component_names.iter_mut().zip(&problem.component_names) {
        name.clone_from(topic);
    }
    if let Some(labels) = model.labels() {
        let owners = labels.component_names(model.options.components_per_class);
        let named = matches!(problem.init, "labels" | "exemplars") || model.spec.names_classes();
        fit.component_names.iter_mut().zip(owners).filter(|_| named).for_each(|(name, own)| *name = own);
    }
    Ok((fit, problem.rescaling))
}

impl<T: Real> Fit<T> {
    /// Objectives and gradients times these numbers, which are then measured in data divided by `unit`.
    pub(crate) fn change_units(&mut self, (objective, gradient, unit): (f64, f64, f64)) {
        self.objective *= objective;
        self.loss_value *= objective;
        self.parts.iter_mut().for_each(|(_, value)| *value *= objective);
        self.kkt *= gradient;
        for iteration in &mut self.history {
            iteration.objective *= objective;
            iteration.kkt = iteration.kkt.map(|kkt| kkt * gradient);
        }
        self.objective_unit = unit;
    }
}

/// Runs the loop on another backend: `place` makes it from the start. `problem` and `start` are what
/// [`Problem::new`] gives. The result is in the units of the problem, and its components have no names of
/// classes or topics; `threads` and `working_bytes` say nothing of the backend.
///
/// # Errors
/// [`Error::Overflow`](crate::Error::Overflow) when the numbers leave the range of `T`.
// The lifetime ties the backend to the problem; it cannot be left out in the return type of a closure.
#[allow(clippy::needless_lifetimes)]
pub fn fit_on<'p, T: Real>(
    problem: &'p Problem<'_, T>,
    start: Factors<T>,
    place: impl FnOnce(Factors<T>) -> Box<dyn Backend<T> + 'p>,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Fit<T>> {
    let began = Instant::now();
    let backend = place(solved_start(problem, start, settings));
    Ok(finish(problem, run_on(problem, (backend, None), began, settings, observer)?))
}

/// Runs a checked problem from its start.
fn run<T: Real>(
    problem: &Problem<'_, T>,
    start: Factors<T>,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Fit<T>> {
    Ok(finish(problem, T::once::<Run>((problem, start, settings, observer))?))
}

/// ‖S − WWᵀ‖/‖S‖, of which `size` is the square of the last.
fn symmetric_error<T: Real>(problem: &Problem<'_, T>, codes: &Matrix<T>, size: f64) -> f64 {
    let (data, gram) = (problem.data(), codes.cast::<f64>().gram());
    let squared = |rows| data.squared_residual_beside(rows, codes, codes, &gram);
    let sum: f64 = data.sample_chunks().into_iter().map(squared).sum();
    if size > 0.0 { (sum.max(0.0) / size).sqrt() } else { 0.0 }
}

/// What the loop left, as the caller knows samples and features.
fn finish<T: Real>(problem: &Problem<'_, T>, finished: Finished<T>) -> Fit<T> {
    let Finished { factors, exact, history, stop, notices, threads, working_bytes, elapsed } = finished;
    let factor = problem.published_factor;
    let parts: Vec<(String, f64)> = exact.parts.iter().map(|(name, v)| (name.clone(), factor * v)).collect();
    let encoding = Encoding::of(problem, &factors);
    let summary = if problem.is_merged() { problem.original().summary() } else { problem.data().summary() };
    let size = match problem.loss {
        // What weights of entries leave of it is on the working data.
        Loss::Frobenius if !problem.is_merged() => summary.squared_norm + 2.0 * problem.merge_constant,
        Loss::Frobenius => summary.squared_norm,
        Loss::KullbackLeibler => summary.sum,
    };
    // The loss, without what unknown entries have in it.
    let unknown = problem.contributions.iter().zip(&parts[1..]);
    let unknown: f64 = unknown.filter(|(c, _)| c.facts().weights_entries).map(|(_, (_, v))| v).sum();
    // A model may publish its objective with the factor ½; the loss is always without it.
    let loss_value = (parts[0].1 + unknown) * problem.loss.published_factor() / factor;
    // Rounding may take it below 0; NaN, of what was not computed, stays.
    let loss_value = if loss_value < 0.0 { 0.0 } else { loss_value };
    let ratio = if size > 0.0 { loss_value / size } else { 0.0 };
    let relative_error = if problem.loss == Loss::Frobenius { ratio.sqrt() } else { ratio };
    let symmetric_error = match problem.has_equal_factors() {
        true => Some(relative_error),
        false => problem.symmetric.then(|| symmetric_error(problem, factors.get(Slot::Codes), size)),
    };
    let zero = zero_factors(problem, &factors);
    let untied = problem.tied.is_some().then(|| problem.untie(factors.get(Slot::Codes)));
    let rescaling = factors.rescaling.clone();
    let further = factors.slots().filter(|s| !s.is_main()).map(|s| (s, factors.get(s).clone())).collect();
    let (codes, components) = factors.into_parts();
    let (codes, components) = (untied.unwrap_or(codes), problem.unscaled(components));
    Fit {
        component_names: (1..=components.columns()).map(|j| format!("part {j}")).collect(),
        components: components.transposed(),
        codes,
        further,
        objective: parts.iter().map(|(_, v)| v).sum(),
        loss_value,
        relative_error,
        symmetric_error,
        parts,
        kkt: factor * exact.kkt,
        objective_unit: 1.0,
        iterations: history.len() - 1,
        history,
        stop,
        notices: problem.notices.iter().cloned().chain(zero).chain(notices).collect(),
        loss: problem.loss,
        solver: problem.solver.name,
        init: problem.init,
        first: if problem.order[0] == Slot::Codes { Slot::Codes } else { Slot::Components },
        threads,
        working_bytes,
        rescaling,
        elapsed,
        encoding,
    }
}
