//! The document of a guidance as Python holds it: dictionaries and lists, tables as arrays. The schema is
//! that of the library, so that no kind of guidance is known here.

use std::collections::HashMap;

use numpy::PyReadonlyArray2;
use partwise::Matrix;
use partwise::guidance::Guidance;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Value};

use crate::arrays::{into_array, to_matrix};

type Tables = HashMap<String, Matrix<f64>>;

/// The guidance of a document.
pub(crate) fn guidance(given: &Bound<'_, PyDict>) -> PyResult<Guidance> {
    let mut tables = Tables::new();
    let document = value(given.as_any(), &mut tables)?;
    partwise_io::guidance_of_document(&document, |name| tables.remove(name))
        .map_err(|what| PyValueError::new_err(format!("guidance: {what}")))
}

/// The document of a guidance.
pub(crate) fn of_guidance<'py>(py: Python<'py>, guidance: &Guidance) -> PyResult<Bound<'py, PyDict>> {
    let (document, tables) = partwise_io::guidance_document(guidance);
    let mut tables: Tables = tables.into_iter().collect();
    Ok(object(py, &document, &mut tables)?.cast_into::<PyDict>()?)
}

/// A value of Python; a table becomes its name.
fn value(given: &Bound<'_, PyAny>, tables: &mut Tables) -> PyResult<Value> {
    if given.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(Value::String(text.to_cow()?.into_owned()));
    }
    if given.is_instance_of::<PyBool>() {
        return Ok(Value::Bool(given.extract()?));
    }
    if given.is_instance_of::<PyInt>() {
        return given.extract::<i64>().map(Value::from).or_else(|_| given.extract::<u64>().map(Value::from));
    }
    if given.is_instance_of::<PyFloat>() {
        return Ok(Value::from(given.extract::<f64>()?));
    }
    if let Ok(fields) = given.cast::<PyDict>() {
        let mut out = Map::new();
        for (name, field) in fields {
            out.insert(name.extract()?, value(&field, tables)?);
        }
        return Ok(Value::Object(out));
    }
    if let Ok(list) = given.cast::<PyList>() {
        return list.iter().map(|part| value(&part, tables)).collect::<PyResult<_>>().map(Value::Array);
    }
    if let Ok(tuple) = given.cast::<PyTuple>() {
        return tuple.iter().map(|part| value(&part, tables)).collect::<PyResult<_>>().map(Value::Array);
    }
    if let Ok(array) = given.extract::<PyReadonlyArray2<'_, f64>>() {
        let name = tables.len().to_string();
        tables.insert(name.clone(), to_matrix(&array)?);
        return Ok(Value::String(name));
    }
    // Whole numbers of NumPy.
    if let Ok(whole) = given.extract::<i64>() {
        return Ok(Value::from(whole));
    }
    let kind = given.get_type().name()?;
    Err(PyTypeError::new_err(format!("a document of guidance holds no {kind}")))
}

/// A value for Python; the name of a table becomes the array.
fn object<'py>(py: Python<'py>, value: &Value, tables: &mut Tables) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(truth) => truth.into_bound_py_any(py),
        Value::String(text) => text.into_bound_py_any(py),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => whole.into_bound_py_any(py),
            (None, number) => number.into_bound_py_any(py),
        },
        Value::Array(list) => {
            let parts = list.iter().map(|part| object(py, part, tables)).collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, parts)?.into_any())
        }
        Value::Object(fields) => {
            let out = PyDict::new(py);
            for (name, field) in fields {
                let table = field.as_str().filter(|_| name == "matrix").and_then(|text| tables.remove(text));
                match table {
                    Some(table) => out.set_item(name, into_array(py, table)?)?,
                    None => out.set_item(name, object(py, field, tables)?)?,
                }
            }
            Ok(out.into_any())
        }
    }
}
