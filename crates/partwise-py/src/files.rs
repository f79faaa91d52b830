//! Files: tables, labels and models as the command line reads and writes them, and the built-in digits.

use std::path::PathBuf;

use numpy::{PyArray1, PyReadonlyArray2};
use partwise::{Matrix, Scaling, ScalingKind};
use partwise_io::{ModelFile, ReadOptions, Tensor};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

use crate::arrays::{self, dense, into_array};
use crate::data::Lent;
use crate::document;
use crate::errors::{file_error, value_error};

/// A data file, in any format of the command line.
#[pyfunction]
#[pyo3(signature = (path, *, format=None, key=None, label_column=None, n_nodes=None, header=None, row_names=None))]
pub(crate) fn read_table<'py>(
    py: Python<'py>,
    path: PathBuf,
    format: Option<String>,
    key: Option<String>,
    label_column: Option<String>,
    n_nodes: Option<usize>,
    header: Option<bool>,
    row_names: Option<bool>,
) -> PyResult<Bound<'py, PyDict>> {
    let options =
        ReadOptions { format, key, label_column, n_nodes, header, row_names, ..ReadOptions::default() };
    let table = py.detach(|| partwise_io::read_table(&path, &options)).map_err(file_error)?;
    let out = arrays::table(py, table.values)?;
    out.set_item("row_names", table.row_names)?;
    out.set_item("column_names", table.column_names)?;
    out.set_item("image_shape", table.image_shape)?;
    out.set_item("labels", table.labels)?;
    out.set_item("notes", table.notes)?;
    Ok(out)
}

/// A label file: the names, and for each sample the positions of its labels (none: unlabelled).
#[pyfunction]
#[pyo3(signature = (path, n_samples, *, column=None))]
pub(crate) fn read_labels(
    path: PathBuf,
    n_samples: usize,
    column: Option<&str>,
) -> PyResult<(Vec<String>, Vec<Vec<u32>>)> {
    let table = match column {
        Some(column) => partwise_io::read_labels_column(&path, n_samples, column),
        None => partwise_io::read_labels(&path, n_samples),
    }
    .map_err(file_error)?;
    Ok((table.names, table.sets))
}

/// A matrix of a model file, in the precision it was computed in.
#[derive(FromPyObject)]
pub(crate) enum AnyArray<'py> {
    #[pyo3(transparent)]
    F64(PyReadonlyArray2<'py, f64>),
    #[pyo3(transparent)]
    F32(PyReadonlyArray2<'py, f32>),
}

/// Writes a model file: a JSON document, named matrices, and the guidance of the fit where there was one.
#[pyfunction]
#[pyo3(signature = (path, document, tensors, guidance=None))]
pub(crate) fn write_model(
    path: PathBuf,
    document: &str,
    tensors: Vec<(String, AnyArray<'_>)>,
    guidance: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let Value::Object(fields) =
        serde_json::from_str(document).map_err(|error| PyValueError::new_err(error.to_string()))?
    else {
        return Err(PyValueError::new_err("the document of a model must be a JSON object"));
    };
    let mut named = Vec::new();
    for (name, array) in tensors {
        macro_rules! tensor {
            ($array:ident) => {{
                let view = $array.as_array();
                let (rows, columns) = view.dim();
                let matrix = Matrix::from_vec(rows, columns, view.iter().copied().collect());
                Tensor::new(&matrix.map_err(value_error)?)
            }};
        }
        named.push(match array {
            AnyArray::F64(array) => (name, tensor!(array)),
            AnyArray::F32(array) => (name, tensor!(array)),
        });
    }
    let mut model = ModelFile { document: fields, tensors: named };
    if let Some(guidance) = guidance {
        model.set_guidance(&document::guidance(guidance)?);
    }
    model.write(&path).map_err(file_error)
}

/// Reads a model file: its JSON document as text, a dictionary of its matrices, the guidance of the fit where
/// it holds one, and the kind of its scaling with the numbers that this learned.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn read_model(
    py: Python<'_>,
    path: PathBuf,
) -> PyResult<(String, Bound<'_, PyDict>, Option<Bound<'_, PyDict>>, (&'static str, Vec<f64>))> {
    let model = ModelFile::open(&path).map_err(file_error)?;
    let guidance = model.guidance(&path).map_err(file_error)?;
    let guidance = guidance.map(|guidance| document::of_guidance(py, &guidance)).transpose()?;
    let scaling = model.scaling(&path).map_err(file_error)?;
    let learned = match &scaling {
        Scaling::None | Scaling::UnitRows => Vec::new(),
        Scaling::Max(max) => vec![*max],
        Scaling::TfIdf(idf) => idf.clone(),
    };
    let tensors = PyDict::new(py);
    for (name, tensor) in model.tensors {
        match tensor {
            Tensor::F32(matrix) => tensors.set_item(name, into_array(py, matrix)?)?,
            Tensor::F64(matrix) => tensors.set_item(name, into_array(py, matrix)?)?,
        }
    }
    let text = Value::Object(model.document).to_string();
    Ok((text, tensors, guidance, (scaling.kind().name(), learned)))
}

/// The stored values of data, scaled: n·d of a dense array, those of CSR. What is lent stays as it is.
#[pyfunction]
pub(crate) fn scaled_values<'py>(
    py: Python<'py>,
    data: Lent<'py>,
    kind: &str,
    learned: Vec<f64>,
) -> PyResult<Bound<'py, PyAny>> {
    let scaling = match ScalingKind::from_name(kind).map_err(value_error)? {
        ScalingKind::None => Scaling::None,
        ScalingKind::UnitRows => Scaling::UnitRows,
        ScalingKind::Max => Scaling::Max(learned.first().copied().unwrap_or(0.0)),
        ScalingKind::TfIdf => Scaling::TfIdf(learned),
    };
    data.scaled(py, &scaling)
}

/// The built-in digits: images (1,797 × 64), labels, and the shape of an image.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn digits(
    py: Python<'_>,
) -> PyResult<(Bound<'_, numpy::PyArray2<f64>>, Bound<'_, PyArray1<i32>>, (usize, usize))> {
    let digits = partwise_io::digits();
    let (n, d) = (digits.n_samples(), digits.n_features());
    Ok((dense(py, n, d, digits.images)?, PyArray1::from_vec(py, digits.labels), digits.shape))
}
