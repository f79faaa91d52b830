//! How many components the data support.

use std::ops::ControlFlow;

use partwise::recipes::{Holdout, RankChoice, RankSettings, loss_for_rank, select_rank as selected};
use partwise::{DataMatrix, Loss, Real, Settings};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::{Lent, View};
use crate::errors::value_error;
use crate::options;
use crate::progress::watched;

/// The number of components, the reasons, and a row for each number that was tried.
#[pyfunction]
pub(crate) fn select_rank<'py>(
    py: Python<'py>,
    data: Lent<'py>,
    loss: Option<&str>,
    settings: &Bound<'py, PyDict>,
    range: (usize, usize),
    splits: usize,
    restarts: usize,
    holdout: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let loss = loss.map(Loss::from_name).transpose().map_err(value_error)?;
    let holdout = Holdout::from_name(holdout).map_err(value_error)?;
    let rank = RankSettings { from: range.0, to: range.1, splits, restarts, holdout };
    let settings = options::settings(settings)?;
    let found = match data.view()? {
        View::F32(data) => selected_in(py, data.as_ref(), loss, &settings, &rank),
        View::F64(data) => selected_in(py, data.as_ref(), loss, &settings, &rank),
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
    out.set_item("holdout", found.holdout.name())?;
    out.set_item("loss", found.loss.name())?;
    let rows = found.table.iter();
    let rows = rows.map(|row| (row.rank, row.error, row.excess, row.excess_error, row.replication));
    out.set_item("table", rows.collect::<Vec<_>>())?;
    Ok(out)
}

fn selected_in<T: Real>(
    py: Python<'_>,
    data: &dyn DataMatrix<T>,
    loss: Option<Loss>,
    settings: &Settings,
    rank: &RankSettings,
) -> PyResult<RankChoice> {
    let found = watched(py, None, |_| {
        let loss = loss.unwrap_or_else(|| loss_for_rank(data));
        selected(data, loss, settings, rank, &mut |_| ControlFlow::Continue(()))
    })?;
    found.map_err(value_error)
}
