//! Fits, encodings, solves: the interpreter is detached while they run.

use numpy::{Element, PyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use partwise::blocks::caught;
use partwise::graphs::{NeighbourGraph, Weights};
use partwise::guidance::Strength;
use partwise::internals::settings_for_new_rows;
use partwise::internals::solvers::{Bpp, NnlsSolver, Rows};
use partwise::memory::of_nnls;
use partwise::recipes::{self, StrengthRule};
use partwise::{DataMatrix, Encoding, Fit, Held, Loss, Matrix, Model, Observer, Real, Settings, Slot};
use partwise_io::machine::available_memory;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use std::sync::PoisonError;

use crate::arrays::{into_array, to_matrix};
use crate::checkpoint::{self, Kept, WithCheckpoints};
use crate::data::{Lent, View};
use crate::document;
use crate::errors::{file_error, value_error};
use crate::options;
use crate::progress::{multiplications, watched, watched_by_size};

/// Factors data by the method of this name.
#[pyfunction]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    data: Lent<'py>,
    method: &str,
    loss: &str,
    knowledge: &Bound<'py, PyDict>,
    settings: &Bound<'py, PyDict>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let model = options::model(method, loss, knowledge)?;
    let kept = checkpoint::kept(settings, data.is_first())?;
    let settings = options::settings(settings)?;
    let how = (&model, &settings, kept.as_ref());
    match data.any_view()? {
        View::F32(view) => fit_in(py, (&data, view.as_ref()), how, callback.as_ref()),
        View::F64(view) => fit_in(py, (&data, view.as_ref()), how, callback.as_ref()),
    }
}

fn fit_in<'py, T: Real + Element>(
    py: Python<'py>,
    (lent, data): (&Lent<'_>, &dyn DataMatrix<T>),
    (model, settings, kept): (&Model, &Settings, Option<&Kept>),
    callback: Option<&Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let shape = (data.n_samples(), data.n_features());
    let size = multiplications(data.n_stored(), shape, settings.rank, settings.max_iterations);
    let work = |observer: &mut dyn Observer| {
        caught(|| {
            let searched = match model.guidance().searches() {
                false => None,
                true => {
                    let found = recipes::search_strength(data, model, settings, &StrengthRule::default())?;
                    Some(model.clone().with_strength(Strength::of_sigma(found.strength)))
                }
            };
            let model = searched.as_ref().unwrap_or(model);
            let mut observer = WithCheckpoints::new(kept, data, (model, settings), observer)?;
            let mut fit = partwise::fit_observed(data, model, settings, &mut observer)?;
            observer.finish(&mut fit);
            Ok(fit)
        })
    };
    // Guidance may ask for graphs and searches, which cost more than iterations.
    // How long blocks take to be read is not known.
    let fit = match callback.is_none() && model.is_plain() && data.blocks().is_none() {
        true => watched_by_size(py, size, work),
        false => watched(py, callback, work),
    }?;
    let out = outcome(py, fit.map_err(|error| exception(lent, kept, error))?)?;
    if data.blocks().is_none() {
        let rows = data.summary().zero_rows.iter().map(|i| *i as i64);
        out.set_item("zero_rows", PyArray1::from_iter(py, rows))?;
    }
    Ok(out)
}

/// What to raise for an error of a fit: that of its checkpoint, where this is its cause.
pub(crate) fn exception(lent: &Lent<'_>, kept: Option<&Kept>, error: partwise::Error) -> PyErr {
    let fault = kept.and_then(|kept| kept.fault.lock().unwrap_or_else(PoisonError::into_inner).take());
    fault.map_or_else(|| lent.exception(error), file_error)
}

/// The codes of new rows (m × d) for components (k × d), with the penalties that a fit left, and drawn to
/// topics by the scorer of `guidance` where it has one.
#[pyfunction]
#[pyo3(signature = (data, components, ridge, linear, smoothing, feature_weights, loss, settings, guidance=None))]
pub(crate) fn encode<'py>(
    py: Python<'py>,
    data: Lent<'py>,
    components: PyReadonlyArray2<'py, f64>,
    ridge: Vec<f64>,
    linear: Vec<f64>,
    smoothing: f64,
    feature_weights: Option<Vec<f64>>,
    loss: &str,
    settings: &Bound<'py, PyDict>,
    guidance: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let encoding = Encoding { ridge, linear, smoothing, feature_weights };
    let loss = Loss::from_name(loss).map_err(value_error)?;
    let settings = settings_for_new_rows(&options::settings(settings)?, loss);
    let components = to_matrix(&components)?;
    let guidance = guidance.map(document::guidance).transpose()?.unwrap_or_default();
    macro_rules! encode_in {
        ($data:ident, $t:ty) => {{
            let components = components.cast::<$t>();
            let data = $data.as_ref();
            let shape = (data.n_samples(), data.n_features());
            let size = multiplications(data.n_stored(), shape, components.rows(), settings.max_iterations);
            let fit = watched_by_size(py, size, |observer| {
                partwise_classify::encode_by_scorer(
                    data,
                    &components,
                    (&encoding, &guidance),
                    loss,
                    &settings,
                    observer,
                )
            })?;
            outcome(py, fit.map_err(value_error)?)
        }};
    }
    match data.view()? {
        View::F32(data) => encode_in!(data, f32),
        View::F64(data) => encode_in!(data, f64),
    }
}

/// One factor with the other held: `held` is `"codes"` (factor n × k) or `"components"` (factor k × d).
#[pyfunction]
pub(crate) fn solve<'py>(
    py: Python<'py>,
    data: Lent<'py>,
    held: &str,
    factor: PyReadonlyArray2<'py, f64>,
    loss: &str,
    settings: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let loss = Loss::from_name(loss).map_err(value_error)?;
    let settings = options::settings(settings)?;
    let factor = to_matrix(&factor)?;
    let codes = held == Slot::Codes.name();
    macro_rules! solve_in {
        ($data:ident, $t:ty) => {{
            let factor = factor.cast::<$t>();
            let held = if codes { Held::Codes(&factor) } else { Held::Components(&factor) };
            let data = $data.as_ref();
            let fit = watched(py, None, |_| partwise::solve(data, held, loss, &settings))?;
            outcome(py, fit.map_err(value_error)?)
        }};
    }
    match data.view()? {
        View::F32(data) => solve_in!(data, f32),
        View::F64(data) => solve_in!(data, f64),
    }
}

/// Refuses a matrix that is not symmetric within rounding, with the first pair.
#[pyfunction]
pub(crate) fn check_symmetric(matrix: PyReadonlyArray2<'_, f64>, what: &str) -> PyResult<()> {
    partwise::internals::symmetric_mean(what, &to_matrix(&matrix)?).map(|_| ()).map_err(value_error)
}

/// Solves min ½uGuᵀ − cuᵀ over u ≥ 0 for each row c of C (n × k), exactly; G (k × k) is symmetric and
/// positive semidefinite.
#[pyfunction]
pub(crate) fn nnls<'py>(
    py: Python<'py>,
    gram: PyReadonlyArray2<'py, f64>,
    cross: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, numpy::PyArray2<f64>>> {
    let (n, k) = (cross.shape()[0], cross.shape()[1]);
    let what = format!("least squares with {n} problems in {k} unknowns");
    of_nnls(n, k).check(&what, available_memory()).map_err(value_error)?;
    let (gram, cross) = (to_matrix(&gram)?, to_matrix(&cross)?);
    if gram.shape() != (k, k) {
        let what = "the Gram matrix".to_string();
        let (expected, found) = (format!("{k} x {k}"), format!("{} x {}", gram.rows(), gram.columns()));
        return Err(value_error(partwise::Error::Shape { what, expected, found }));
    }
    let gram = partwise::internals::symmetric_mean("G", &gram).map_err(value_error)?;
    let solution = py.detach(|| {
        let solver = Bpp::default();
        let prepared = NnlsSolver::<f64>::prepare(&solver, &gram);
        let linear = vec![0.0; k];
        let mut solution = Matrix::zeros(n, k);
        let rows = Rows {
            gram: &gram,
            prepared: &prepared,
            cross: cross.as_slice(),
            linear: &linear,
            linear_rows: None,
            shift: None,
            row_steps: None,
            calls: 0,
            places: None,
        };
        let mut state = vec![0.0; n * NnlsSolver::<f64>::state_per_row(&solver, k)];
        solver.improve_rows(&rows, solution.as_mut_slice(), &mut state);
        solution
    });
    into_array(py, solution)
}

/// How many neighbours a sample has in a graph by default.
pub(crate) const GRAPH_NEIGHBOURS: usize = 5;

/// The graph of the nearest neighbours of the rows, with weights 0-1, as `(indptr, neighbours, weights)` of
/// CSR.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn neighbour_graph<'py>(
    py: Python<'py>,
    data: Lent<'py>,
    neighbours: usize,
) -> PyResult<(Bound<'py, PyArray1<usize>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>)> {
    let memory_limit = available_memory();
    let settings =
        NeighbourGraph { neighbours, weights: Weights::Binary, memory_limit, ..NeighbourGraph::default() };
    let graph = match data.view()? {
        View::F32(data) => watched(py, None, |_| partwise::graphs::neighbour_graph(data.as_ref(), &settings)),
        View::F64(data) => watched(py, None, |_| partwise::graphs::neighbour_graph(data.as_ref(), &settings)),
    }?
    .map_err(value_error)?;
    let (mut indptr, mut indices, mut weights) = (vec![0], Vec::new(), Vec::new());
    for i in 0..graph.n_samples() {
        let (to, of) = graph.neighbours(i);
        indices.extend_from_slice(to);
        weights.extend_from_slice(of);
        indptr.push(indices.len());
    }
    Ok((PyArray1::from_vec(py, indptr), PyArray1::from_vec(py, indices), PyArray1::from_vec(py, weights)))
}

/// Everything that is known about a finished fit. Factors are handed over without a copy.
pub(crate) fn outcome<T: Real + Element>(py: Python<'_>, fit: Fit<T>) -> PyResult<Bound<'_, PyDict>> {
    let out = PyDict::new(py);
    let history = &fit.history;
    out.set_item("objectives", PyArray1::from_iter(py, history.iter().map(|i| i.objective)))?;
    out.set_item("kkts", PyArray1::from_iter(py, history.iter().map(|i| i.kkt.unwrap_or(f64::NAN))))?;
    out.set_item("seconds", PyArray1::from_iter(py, history.iter().map(|i| i.elapsed.as_secs_f64())))?;
    out.set_item("objective", fit.objective)?;
    out.set_item("parts", &fit.parts)?;
    out.set_item("loss_value", fit.loss_value)?;
    out.set_item("relative_error", fit.relative_error)?;
    out.set_item("symmetric_error", fit.symmetric_error)?;
    out.set_item("kkt", fit.kkt)?;
    out.set_item("objective_unit", fit.objective_unit)?;
    out.set_item("iterations", fit.iterations)?;
    out.set_item("stop", fit.stop.name())?;
    out.set_item("still_improving", fit.still_improving())?;
    let notices: Vec<(&str, &str)> = fit.notices.iter().map(|n| (n.code, n.message.as_str())).collect();
    out.set_item("notices", notices)?;
    out.set_item("component_names", &fit.component_names)?;
    out.set_item("loss", fit.loss.name())?;
    out.set_item("solver", fit.solver)?;
    out.set_item("init", fit.init)?;
    out.set_item("first", fit.first.name())?;
    out.set_item("threads", fit.threads)?;
    out.set_item("working_bytes", fit.working_bytes)?;
    out.set_item("rescaling", fit.rescaling.clone())?;
    out.set_item("elapsed", fit.elapsed.as_secs_f64())?;
    out.set_item("ridge", &fit.encoding().ridge)?;
    out.set_item("linear", &fit.encoding().linear)?;
    out.set_item("smoothing", fit.encoding().smoothing)?;
    out.set_item("feature_weights", &fit.encoding().feature_weights)?;
    let further = PyDict::new(py);
    for (slot, factor) in fit.further {
        further.set_item(slot.name(), into_array(py, factor)?)?;
    }
    out.set_item("further", further)?;
    out.set_item("codes", into_array(py, fit.codes)?)?;
    out.set_item("components", into_array(py, fit.components)?)?;
    Ok(out)
}
