//! Classes of all samples from the labels of a few, and of new rows.

use std::ops::ControlFlow;
use std::time::Instant;

use numpy::{Element, PyArray1, PyReadonlyArray1};
use partwise::{DataMatrix, Labels, Matrix, Real};
use partwise_classify::{
    Candidate, CandidateGraph, ClassSizes, Classification, ClassifySettings, Member, Part, Phase, Predictor,
    train_observed,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::into_array;
use crate::data::{Lent, View};
use crate::errors::value_error;
use crate::files::AnyArray;
use crate::progress::{watched, watched_reports};

/// A phase, the part of the work that is done, and the seconds so far.
type Report = (Phase, f64);

/// About how large the classes are.
#[derive(FromPyObject)]
pub(crate) enum Sizes {
    /// As among the labels.
    OfLabels(bool),
    /// By the names of the classes.
    Of(Vec<(String, f64)>),
}

/// Classes of all samples from the labels of a few, why, and the parts of what predicts new rows.
#[pyfunction]
pub(crate) fn classify<'py>(
    py: Python<'py>,
    data: Lent<'py>,
    labels: (PyReadonlyArray1<'py, i32>, Vec<String>),
    class_sizes: Option<Sizes>,
    seed: u64,
    threads: usize,
    callback: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let labels = Labels::with_names(labels.0.as_slice()?, &labels.1).map_err(value_error)?;
    let memory_limit = partwise_io::machine::available_memory();
    let class_sizes = match class_sizes {
        Some(Sizes::OfLabels(true)) => ClassSizes::OfLabels,
        Some(Sizes::Of(sizes)) => ClassSizes::Of(sizes),
        None | Some(Sizes::OfLabels(false)) => ClassSizes::Unknown,
    };
    let settings =
        ClassifySettings { class_sizes, seed, threads, memory_limit, ..ClassifySettings::default() };
    match data.view()? {
        View::F32(data) => classified(py, data.as_ref(), &labels, &settings, callback.as_ref()),
        View::F64(data) => classified(py, data.as_ref(), &labels, &settings, callback.as_ref()),
    }
}

fn classified<'py, T: Real + Element>(
    py: Python<'py>,
    data: &dyn DataMatrix<T>,
    labels: &Labels,
    settings: &ClassifySettings,
    callback: Option<&Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let call = |py: Python<'_>, callback: &Py<PyAny>, (phase, elapsed): &Report| {
        callback.call1(py, (phase.to_string(), phase.done(), *elapsed))
    };
    let began = Instant::now();
    let (found, predictor) = watched_reports(py, callback, &call, |report| {
        let report: &mut dyn FnMut(Report) -> ControlFlow<()> = report;
        train_observed(data, labels, settings, &mut |phase| {
            // There is no result before the last phase, so nothing can be kept where a callback asks to
            // stop.
            let _ = report((phase, began.elapsed().as_secs_f64()));
        })
    })?
    .map_err(value_error)?;
    let out = in_python(py, found)?;
    let parts = PyDict::new(py);
    for (name, part) in predictor.parts() {
        match part {
            Part::Data(matrix) => parts.set_item(name, into_array(py, matrix)?)?,
            Part::Double(matrix) => parts.set_item(name, into_array(py, matrix)?)?,
        }
    }
    out.set_item("parts", parts)?;
    Ok(out)
}

fn in_python(py: Python<'_>, found: Classification) -> PyResult<Bound<'_, PyDict>> {
    let out = PyDict::new(py);
    let candidate = |c: &Candidate| {
        let (graph, parts) = match c.graph {
            CandidateGraph::Data => ("data", None),
            CandidateGraph::Centroids => ("centroids", None),
            CandidateGraph::Codes(parts) => ("codes", Some(parts)),
        };
        (graph, parts, c.share, c.score, c.agreement, c.weight)
    };
    let member = |m: &Member| (m.name, m.score, m.agreement, m.weight);
    out.set_item("candidates", found.candidates.iter().map(candidate).collect::<Vec<_>>())?;
    out.set_item("views", found.views.iter().map(member).collect::<Vec<_>>())?;
    out.set_item("base_classifiers", found.base_classifiers.iter().map(member).collect::<Vec<_>>())?;
    out.set_item("refinements", found.refinements.iter().map(member).collect::<Vec<_>>())?;
    out.set_item("held_out_score", found.held_out_score())?;
    let held_out = found.held_out_labels.iter().map(|label| (label.sample, label.class, label.predicted));
    out.set_item("held_out_labels", held_out.collect::<Vec<_>>())?;
    out.set_item("folds", found.folds)?;
    out.set_item("held_out", found.held_out)?;
    out.set_item("class_sizes", found.class_sizes)?;
    let notices: Vec<(&str, &str)> = found.notices.iter().map(|n| (n.code, n.message.as_str())).collect();
    out.set_item("notices", notices)?;
    out.set_item("classes", PyArray1::from_vec(py, found.classes))?;
    out.set_item("posteriors", into_array(py, found.posteriors)?)?;
    Ok(out)
}

/// The posteriors of new rows, by the parts of a predictor, and what the user should know of them.
#[pyfunction]
pub(crate) fn predict_posteriors<'py>(
    py: Python<'py>,
    data: Lent<'py>,
    parts: Vec<(String, AnyArray<'py>)>,
    threads: usize,
) -> PyResult<(Bound<'py, PyAny>, Vec<String>)> {
    match data.view()? {
        View::F32(data) => posteriors(py, data.as_ref(), &parts, threads),
        View::F64(data) => posteriors(py, data.as_ref(), &parts, threads),
    }
}

fn posteriors<'py, T: Real>(
    py: Python<'py>,
    data: &dyn DataMatrix<T>,
    parts: &[(String, AnyArray<'py>)],
    threads: usize,
) -> PyResult<(Bound<'py, PyAny>, Vec<String>)> {
    let mut matrices = Vec::with_capacity(parts.len());
    for (name, array) in parts {
        matrices.push((name.as_str(), part::<T>(array)?));
    }
    let of = |name: &str| matrices.iter().find(|(known, _)| *known == name).map(|(_, part)| part.clone());
    let predictor = Predictor::<T>::from_parts(&of).map_err(value_error)?;
    drop(matrices);
    let found = watched(py, None, |_| predictor.posteriors(data, threads))?.map_err(value_error)?;
    let notices = predictor.notices(data).into_iter().map(|notice| notice.message).collect();
    Ok((into_array(py, found)?.into_any(), notices))
}

fn part<T: Real>(array: &AnyArray<'_>) -> PyResult<Part<T>> {
    macro_rules! matrix {
        ($array:ident) => {{
            let view = $array.as_array();
            let (rows, columns) = view.dim();
            Matrix::from_vec(rows, columns, view.iter().copied().collect()).map_err(value_error)?
        }};
    }
    Ok(match array {
        AnyArray::F64(array) => Part::Double(matrix!(array)),
        AnyArray::F32(array) => Part::Data(matrix!(array).cast()),
    })
}
