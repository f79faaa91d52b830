//! Matrices of the library and arrays of NumPy.

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use partwise::{Matrix, Real};
use partwise_io::{DenseValues, Values};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A matrix as an array, without a copy of its values.
pub(crate) fn into_array<'py, T: Real + Element>(
    py: Python<'py>,
    matrix: Matrix<T>,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let shape = matrix.shape();
    PyArray1::from_vec(py, matrix.into_vec()).reshape([shape.0, shape.1])
}

/// An array as a matrix of its own.
pub(crate) fn to_matrix<T: Real + Element>(array: &PyReadonlyArray2<'_, T>) -> PyResult<Matrix<f64>> {
    let [rows, columns] = [array.shape()[0], array.shape()[1]];
    // A slice of an array in column order has the entries in that order.
    let values = match array.as_slice() {
        Ok(values) if array.is_c_contiguous() => values.iter().map(|value| value.to_f64()).collect(),
        _ => array.as_array().iter().map(|value| value.to_f64()).collect(),
    };
    Matrix::from_vec(rows, columns, values).map_err(crate::errors::value_error)
}

/// An array as a matrix of its own in the precision that it has.
pub(crate) fn to_own<T: Real + Element>(array: &PyReadonlyArray2<'_, T>) -> PyResult<Matrix<T>> {
    let [rows, columns] = [array.shape()[0], array.shape()[1]];
    // A slice of an array in column order has the entries in that order.
    let values = match array.as_slice() {
        Ok(values) if array.is_c_contiguous() => values.to_vec(),
        _ => array.as_array().iter().copied().collect(),
    };
    Matrix::from_vec(rows, columns, values).map_err(crate::errors::value_error)
}

/// The values of a table: `values`, and of a sparse one also `shape`, `indptr` and `indices`.
pub(crate) fn table(py: Python<'_>, values: Values) -> PyResult<Bound<'_, PyDict>> {
    let out = PyDict::new(py);
    match values {
        Values::Dense { rows, columns, values } => match values {
            DenseValues::F32(values) => out.set_item("values", dense(py, rows, columns, values)?)?,
            DenseValues::F64(values) => out.set_item("values", dense(py, rows, columns, values)?)?,
        },
        Values::Sparse { rows, columns, indptr, indices, values } => {
            out.set_item("shape", (rows, columns))?;
            out.set_item("indptr", PyArray1::from_vec(py, indptr))?;
            out.set_item("indices", PyArray1::from_vec(py, indices))?;
            match values {
                DenseValues::F32(values) => out.set_item("values", PyArray1::from_vec(py, values))?,
                DenseValues::F64(values) => out.set_item("values", PyArray1::from_vec(py, values))?,
            }
        }
    }
    Ok(out)
}

/// Values as an array.
pub(crate) fn dense<'py, T: Real + Element>(
    py: Python<'py>,
    rows: usize,
    columns: usize,
    values: Vec<T>,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    into_array(py, Matrix::from_vec(rows, columns, values).map_err(crate::errors::value_error)?)
}
