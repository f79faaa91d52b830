//! Consensus of many restarts.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use numpy::Element;
use partwise::recipes::{
    Consensus, ConsensusSettings, ConsensusSummary, FinishedPieces, InMemory, RestartProgress, consensus_at,
    fit_restarts,
};
use partwise::{DataMatrix, Model, Real, Settings};
use partwise_classify::{Spreading, spread_observed};
use partwise_io::{IoError, PieceFolder};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::{Map, Value};

use crate::arrays::into_array;
use crate::data::{Lent, View};
use crate::errors::value_error;
use crate::options;
use crate::progress::watched_reports;

/// Seconds between two reports of the progress.
const INTERVAL: f64 = 0.25;

/// What is asked.
struct Asked {
    model: Model,
    settings: Settings,
    consensus: ConsensusSettings,
    spread: Option<Spreading>,
    /// Where finished fits are kept, and what identifies them.
    folder: Option<(PathBuf, Map<String, Value>)>,
    /// After this, no fit begins, and those under way are dropped.
    time_limit: Option<Duration>,
}

/// For each k the consensus of many fits: matrices, and the stability of each component. `identity` is JSON:
/// all that changes a fit; with it, finished fits are kept in `folder` until all are done. `callback` gets
/// the fits that are done, all fits, the fraction of the work that is done, and the seconds so far.
#[pyfunction]
pub(crate) fn consensus<'py>(
    py: Python<'py>,
    data: Lent<'py>,
    method: &str,
    loss: &str,
    knowledge: &Bound<'py, PyDict>,
    settings: &Bound<'py, PyDict>,
    ranks_and_restarts: (Vec<usize>, usize),
    spread: Option<&str>,
    folder: Option<(PathBuf, String)>,
    time_limit: Option<f64>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let identity = |(path, text): (PathBuf, String)| (path, serde_json::from_str(&text).unwrap_or_default());
    let asked = Asked {
        model: options::model(method, loss, knowledge)?,
        settings: options::settings(settings)?,
        consensus: ConsensusSettings { ranks: ranks_and_restarts.0, restarts: ranks_and_restarts.1 },
        spread: spread.map(Spreading::from_name).transpose().map_err(value_error)?,
        folder: folder.map(identity),
        time_limit: time_limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
    };
    match data.view()? {
        View::F32(data) => consensus_in(py, data.as_ref(), asked, callback.as_ref()),
        View::F64(data) => consensus_in(py, data.as_ref(), asked, callback.as_ref()),
    }
}

fn consensus_in<'py, T: Real + Element>(
    py: Python<'py>,
    data: &dyn DataMatrix<T>,
    asked: Asked,
    callback: Option<&Py<PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let call = |py: Python<'_>, callback: &Py<PyAny>, (progress, elapsed): &(RestartProgress, f64)| {
        callback.call1(py, (progress.done, progress.total, progress.work, *elapsed))
    };
    let found = watched_reports(py, callback, &call, |report| work(data, asked, report))?;
    let out = PyList::empty(py);
    for found in found.map_err(value_error)? {
        let of_k = summary(py, &found.summary)?;
        of_k.set_item("components", into_array(py, found.components)?)?;
        of_k.set_item("codes", into_array(py, found.codes)?)?;
        out.append(of_k)?;
    }
    Ok(out)
}

type Report<'r> = &'r mut (dyn FnMut((RestartProgress, f64)) -> ControlFlow<()> + Send);

fn work<T: Real>(
    data: &dyn DataMatrix<T>,
    asked: Asked,
    report: Report<'_>,
) -> partwise::Result<Vec<Consensus<T>>> {
    let began = Instant::now();
    let Asked { mut model, settings, consensus, spread, folder, time_limit } = asked;
    let fault = |error: IoError| partwise::Error::FinishedPieces(error.to_string());
    let ranks = consensus.checked(data, &model)?;
    if let Some(when) = spread {
        let largest = Settings { rank: ranks.iter().copied().max().unwrap_or(1), ..settings.clone() };
        let (guidance, loss) = (model.guidance(), model.loss());
        let found = spread_observed(data, guidance, loss, &largest, when.into(), &mut |_| {})?;
        *model.guidance_mut() = found.guidance;
    }
    let folder = folder.map(|(path, identity)| PieceFolder::open(&path, &identity, false));
    let folder = folder.transpose().map_err(fault)?;
    let memory = InMemory::default();
    let kept: &dyn FinishedPieces = folder.as_ref().map_or(&memory, |folder| folder);
    let reporter = Mutex::new((report, 0.0));
    let observe = |progress: RestartProgress| {
        let elapsed = began.elapsed();
        if time_limit.is_some_and(|limit| elapsed >= limit) {
            return ControlFlow::Break(());
        }
        // One thread reports; the others go on.
        let Ok(mut reporter) = reporter.try_lock() else { return ControlFlow::Continue(()) };
        let (report, next) = &mut *reporter;
        if elapsed.as_secs_f64() < *next {
            return ControlFlow::Continue(());
        }
        *next = elapsed.as_secs_f64() + INTERVAL;
        report((progress, elapsed.as_secs_f64()))
    };
    let done = fit_restarts(data, &model, &settings, &consensus, kept, &observe)?;
    let of_k = |k: usize| consensus_at(data, &model, &settings, k, consensus.restarts, kept);
    let found = ranks.iter().copied().map(of_k).collect::<partwise::Result<Vec<_>>>()?;
    if done == consensus.restarts * ranks.len() {
        folder.map(PieceFolder::remove).transpose().map_err(fault)?;
    }
    Ok(found.into_iter().flatten().collect())
}

fn summary<'py>(py: Python<'py>, found: &ConsensusSummary) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("n_components", found.rank)?;
    out.set_item("n_fits", found.restarts)?;
    out.set_item("stability", found.stability)?;
    out.set_item("least_share", found.least_share())?;
    out.set_item("best_error", found.best_error)?;
    out.set_item("relative_error", found.relative_error)?;
    out.set_item("loss_value", found.loss_value)?;
    out.set_item("n_unconverged", found.unconverged)?;
    out.set_item("best_seed", found.best_seed)?;
    out.set_item("same_starts", found.same_starts)?;
    out.set_item("explanation", found.explanation())?;
    let part = |part: &partwise::recipes::ComponentStability| {
        let confusion = part.confusion.map(|c| (found.parts[c.with].name.clone(), c.share, c.cosine));
        (
            part.name.clone(),
            part.named,
            part.share,
            part.distances,
            part.limit,
            part.outliers,
            confusion,
            part.size,
        )
    };
    out.set_item("parts", found.parts.iter().map(part).collect::<Vec<_>>())?;
    Ok(out)
}
