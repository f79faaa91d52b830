//! How many components the data support.

use std::ops::ControlFlow;
use std::time::Instant;

use partwise::guidance::Guidance;
use partwise::recipes::{
    Holdout, RankChoice, RankProgress, RankSettings, loss_for_rank, select_rank as selected,
};
use partwise::{DataMatrix, Loss, Real, Settings};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::{Lent, View};
use crate::document;
use crate::errors::value_error;
use crate::options;
use crate::progress::watched_reports;

/// The arguments of `select_rank` for the numbers of [`RankSettings`], in their order.
const ARGUMENTS: [&str; 4] = ["min_components", "max_components", "n_splits", "n_restarts"];

/// The number of components, the reasons, and a row for each number that was tried.
#[pyfunction]
pub(crate) fn select_rank<'py>(
    py: Python<'py>,
    data: Lent<'py>,
    guidance: Option<&Bound<'py, PyDict>>,
    loss: Option<&str>,
    settings: &Bound<'py, PyDict>,
    range: (usize, usize),
    splits: Option<usize>,
    restarts: Option<usize>,
    holdout: &str,
    time_limit: Option<f64>,
    callback: Option<Py<PyAny>>,
    by_arguments: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let loss = loss.map(Loss::from_name).transpose().map_err(value_error)?;
    let holdout = Holdout::from_name(holdout).map_err(value_error)?;
    let rank = RankSettings { from: range.0, to: range.1, splits, restarts, holdout };
    let guidance = guidance.map(document::guidance).transpose()?;
    let settings = options::settings(settings)?;
    let (guidance, limits) = (guidance.as_ref(), (time_limit, callback.as_ref(), by_arguments));
    let found = match data.view()? {
        View::F32(data) => selected_in(py, data.as_ref(), guidance, loss, &settings, &rank, limits),
        View::F64(data) => selected_in(py, data.as_ref(), guidance, loss, &settings, &rank, limits),
    }?;
    let out = PyDict::new(py);
    out.set_item("explanation", found.explanation())?;
    out.set_item("rank", found.rank)?;
    out.set_item("k_prediction", found.k_prediction)?;
    out.set_item("k_replication", found.k_replication)?;
    out.set_item("structure", found.structure)?;
    out.set_item("confidence", found.confidence)?;
    out.set_item("at_limit", found.at_limit)?;
    out.set_item("none_returns", found.none_returns)?;
    out.set_item("stopped", found.stopped)?;
    out.set_item("holdout", found.holdout.name())?;
    out.set_item("loss", found.loss.name())?;
    let guided = found.guided.as_ref();
    out.set_item("n_named", guided.map_or(0, |guided| guided.named))?;
    out.set_item("topic_in_two", guided.and_then(|guided| guided.topic_in_two.clone()))?;
    let rows = found.table.iter();
    let rows = rows.map(|row| {
        let (agreement, drift) = (row.guided.and_then(|row| row.agreement), row.guided.map(|row| row.drift));
        let excess = (row.excess, row.excess_error);
        (row.rank, row.error, excess.0, excess.1, row.replication, row.errors.clone(), agreement, drift)
    });
    out.set_item("table", rows.collect::<Vec<_>>())?;
    Ok(out)
}

/// `callback` gets the number of fits done, the k of the next ones, whether they are for replication, the
/// fraction of the work that is done, and the seconds so far; `True` ends the search.
fn selected_in<T: Real>(
    py: Python<'_>,
    data: &dyn DataMatrix<T>,
    guidance: Option<&Guidance>,
    loss: Option<Loss>,
    settings: &Settings,
    rank: &RankSettings,
    (time_limit, callback, by_arguments): (Option<f64>, Option<&Py<PyAny>>, bool),
) -> PyResult<RankChoice> {
    let began = Instant::now();
    let call = |py: Python<'_>, callback: &Py<PyAny>, progress: &RankProgress| {
        let RankProgress { fits, rank, replication, work } = *progress;
        callback.call1(py, (fits, rank, replication, work, began.elapsed().as_secs_f64()))
    };
    watched_reports(py, callback, &call, |report| {
        let loss = loss.unwrap_or_else(|| loss_for_rank(data));
        selected(data, guidance, loss, settings, rank, None, &mut |progress| {
            let late = time_limit.is_some_and(|limit| began.elapsed().as_secs_f64() >= limit);
            if late { ControlFlow::Break(()) } else { report(progress) }
        })
    })?
    .map_err(|error| {
        value_error(match by_arguments {
            true => error.with_names_of_settings(&RankSettings::WORDS, &ARGUMENTS),
            false => error,
        })
    })
}
