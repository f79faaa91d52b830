//! Matrices of the library and arrays of NumPy.

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use partwise::{Matrix, Real};
use pyo3::prelude::*;

/// A matrix as an array, without a copy of its values.
pub(crate) fn into_array<'py, T: Real + Element>(
    py: Python<'py>,
    matrix: Matrix<T>,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let shape = matrix.shape();
    PyArray1::from_vec(py, matrix.into_vec()).reshape([shape.0, shape.1])
}

/// An array as a matrix of its own.
pub(crate) fn to_matrix(array: &PyReadonlyArray2<'_, f64>) -> PyResult<Matrix<f64>> {
    let [rows, columns] = [array.shape()[0], array.shape()[1]];
    // A slice of an array in column order has the entries in that order.
    let values = match array.as_slice() {
        Ok(values) if array.is_c_contiguous() => values.to_vec(),
        _ => array.as_array().iter().copied().collect(),
    };
    Matrix::from_vec(rows, columns, values).map_err(crate::errors::value_error)
}
