//! Metrics, and the components of samples, as the library computes them.

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use partwise::metrics;
use partwise::recipes::largest_components as largest;
use pyo3::prelude::*;

use crate::errors::value_error;

/// A measure of the registry by its name, from classes and clusters (n each, numbers of 0 or more).
#[pyfunction]
pub(crate) fn measure(
    name: &str,
    classes: PyReadonlyArray1<'_, i32>,
    clusters: PyReadonlyArray1<'_, i32>,
) -> PyResult<f64> {
    let metric = metrics::ALL.iter().find(|metric| metric.name == name).ok_or_else(|| {
        value_error(partwise::Error::UnknownName {
            kind: "metric".into(),
            name: name.into(),
            valid: metrics::ALL.iter().map(|metric| metric.name.into()).collect(),
        })
    })?;
    (metric.measure)(classes.as_slice()?, clusters.as_slice()?).map_err(value_error)
}

/// Accuracy under the best one-to-one map of clusters to classes, and the map.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn accuracy(
    classes: PyReadonlyArray1<'_, i32>,
    clusters: PyReadonlyArray1<'_, i32>,
) -> PyResult<(f64, Vec<(i32, Option<i32>)>)> {
    let matched = metrics::accuracy(classes.as_slice()?, clusters.as_slice()?).map_err(value_error)?;
    Ok((matched.accuracy, matched.mapping))
}

/// Hoyer's sparseness of a vector: 0 when all entries are equal, 1 when one is left.
#[pyfunction]
pub(crate) fn sparseness(values: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
    metrics::sparseness(values.as_slice()?).map_err(value_error)
}

/// Multi-label F-scores (macro, micro, and the mean over samples) of n × c marks.
#[pyfunction]
pub(crate) fn f_scores(
    truth: PyReadonlyArray2<'_, bool>,
    predicted: PyReadonlyArray2<'_, bool>,
) -> PyResult<(f64, f64, f64)> {
    let scores =
        metrics::f_scores(truth.as_slice()?, predicted.as_slice()?, truth.shape()[1]).map_err(value_error)?;
    Ok((scores.macro_average, scores.micro_average, scores.average))
}

/// Total and normalized cut of clusters of the nodes of a graph, of which each edge is listed once.
#[pyfunction]
pub(crate) fn cuts(
    sources: PyReadonlyArray1<'_, usize>,
    targets: PyReadonlyArray1<'_, usize>,
    weights: PyReadonlyArray1<'_, f64>,
    clusters: PyReadonlyArray1<'_, i32>,
) -> PyResult<(f64, f64)> {
    let ends = sources.as_slice()?.iter().zip(targets.as_slice()?);
    let edges: Vec<_> = ends.zip(weights.as_slice()?).map(|((i, j), w)| (*i, *j, *w)).collect();
    let cuts = metrics::cuts(&edges, clusters.as_slice()?).map_err(value_error)?;
    Ok((cuts.total, cuts.normalized))
}

/// Codes in either precision, row-major.
#[derive(FromPyObject)]
pub(crate) enum Codes<'py> {
    #[pyo3(transparent)]
    Single(PyReadonlyArray2<'py, f32>),
    #[pyo3(transparent)]
    Double(PyReadonlyArray2<'py, f64>),
}

/// The component with the largest membership of each row of codes (n × k), -1 for a row of zeros; `sizes` are
/// those of the components.
#[pyfunction]
pub(crate) fn largest_components<'py>(
    py: Python<'py>,
    codes: Codes<'py>,
    sizes: Vec<f64>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let found = match &codes {
        Codes::Single(codes) => largest(codes.as_slice()?, &sizes),
        Codes::Double(codes) => largest(codes.as_slice()?, &sizes),
    };
    Ok(PyArray1::from_vec(py, found))
}
