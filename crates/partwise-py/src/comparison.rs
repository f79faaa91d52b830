//! Methods compared on the same data with the same few labels.

use std::ops::ControlFlow;

use numpy::PyReadonlyArray1;
use partwise::{DataMatrix, Real};
use partwise_classify::compare::{
    CompareProgress, CompareSettings, Compared, Contender, Mean, compare as compared,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::{Lent, View};
use crate::errors::value_error;
use crate::progress::watched_reports;

/// The methods that are compared if none are named.
#[pyfunction]
pub(crate) fn compared_methods() -> Vec<String> {
    Contender::defaults().iter().map(Contender::name).collect()
}

/// The lines of the table, and the runs, as tuples.
#[pyfunction]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    data: Lent<'py>,
    labels: (PyReadonlyArray1<'py, i32>, Vec<String>),
    methods: Vec<String>,
    draws: usize,
    labels_per_class: Vec<usize>,
    rank: Option<usize>,
    seed: u64,
    threads: usize,
    callback: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let methods = methods.iter().map(|name| Contender::from_name(name));
    let settings = CompareSettings {
        methods: methods.collect::<partwise::Result<_>>().map_err(value_error)?,
        labels_per_class,
        draws,
        rank,
        seed,
        threads,
        memory_limit: partwise_io::machine::available_memory(),
    };
    let truth = labels.0.as_slice()?;
    let found = match data.view()? {
        View::F32(data) => run(py, data.as_ref(), (truth, &labels.1), &settings, callback.as_ref()),
        View::F64(data) => run(py, data.as_ref(), (truth, &labels.1), &settings, callback.as_ref()),
    }?;
    let pair = |mean: Mean| (mean.mean, mean.standard_error);
    let lines: Vec<_> = found
        .lines()
        .into_iter()
        .map(|line| {
            (
                found.methods[line.method].clone(),
                line.labels_per_class,
                line.draws,
                if found.named[line.method] { "class names" } else { "best map" },
                pair(line.accuracy),
                line.difference.map(pair),
                pair(line.nmi),
                line.relative_error.map(pair),
                line.seconds.mean,
                found.classes_judged(line.labels_per_class).0,
            )
        })
        .collect();
    let runs: Vec<_> = found
        .runs
        .iter()
        .map(|run| {
            let method = found.methods[run.method].clone();
            (method, run.labels_per_class, run.draw, run.accuracy, run.nmi, run.relative_error, run.seconds)
        })
        .collect();
    let out = PyDict::new(py);
    out.set_item("lines", lines)?;
    out.set_item("runs", runs)?;
    let notices = found.notices().into_iter().map(|notice| notice.message);
    out.set_item("notices", notices.collect::<Vec<_>>())?;
    out.set_item("stopped", found.stopped)?;
    Ok(out)
}

fn run<T: Real>(
    py: Python<'_>,
    data: &dyn DataMatrix<T>,
    (truth, names): (&[i32], &[String]),
    settings: &CompareSettings,
    callback: Option<&Py<PyAny>>,
) -> PyResult<Compared> {
    let call = |py: Python<'_>, callback: &Py<PyAny>, progress: &CompareProgress| {
        let CompareProgress { method, labels_per_class, draw, done } = progress;
        callback.call1(py, (method.as_str(), *labels_per_class, *draw, done.0, done.1))
    };
    watched_reports(py, callback, &call, |report| {
        let report: &mut dyn FnMut(CompareProgress) -> ControlFlow<()> = report;
        compared(data, truth, names, settings, &mut |progress| report(progress.clone()))
    })?
    .map_err(value_error)
}
