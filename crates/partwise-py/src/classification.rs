//! Classes of all samples from the labels of a few.

use numpy::{PyArray1, PyReadonlyArray1};
use partwise::Labels;
use partwise_classify::{Candidate, CandidateGraph, ClassifySettings, Member, classify};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::into_array;
use crate::data::{Lent, View};
use crate::errors::value_error;
use crate::progress::watched;

/// Classes of all samples from the labels of a few, and why.
#[pyfunction]
pub(crate) fn automatic<'py>(
    py: Python<'py>,
    data: Lent<'py>,
    labels: (PyReadonlyArray1<'py, i32>, Vec<String>),
    seed: u64,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let labels = Labels::with_names(labels.0.as_slice()?, &labels.1).map_err(value_error)?;
    let memory_limit = partwise_io::machine::available_memory();
    let settings = ClassifySettings { seed, threads, memory_limit, ..ClassifySettings::default() };
    let found = match data.view()? {
        View::F32(data) => watched(py, None, |_| classify(data.as_ref(), &labels, &settings)),
        View::F64(data) => watched(py, None, |_| classify(data.as_ref(), &labels, &settings)),
    }?
    .map_err(value_error)?;
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
    out.set_item("base_classifiers", found.base_classifiers.iter().map(member).collect::<Vec<_>>())?;
    out.set_item("refinements", found.refinements.iter().map(member).collect::<Vec<_>>())?;
    out.set_item("folds", found.folds)?;
    out.set_item("held_out", found.held_out)?;
    out.set_item("class_sizes", found.class_sizes)?;
    let notices: Vec<(&str, &str)> = found.notices.iter().map(|n| (n.code, n.message.as_str())).collect();
    out.set_item("notices", notices)?;
    out.set_item("classes", PyArray1::from_vec(py, found.classes))?;
    out.set_item("posteriors", into_array(py, found.posteriors)?)?;
    Ok(out)
}
