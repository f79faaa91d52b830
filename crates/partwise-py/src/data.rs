//! Data lent by Python: dense row-major arrays and the three arrays of CSR, never copied.

use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use partwise::{DataMatrix, DenseMatrix, SparseMatrix};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::faults::value_error;

/// What Python lends for the time of a call. The borrow keeps other native code from writing; Python code in another thread
/// must leave the array alone, as with any NumPy operation that releases the interpreter.
#[derive(FromPyObject)]
pub(crate) enum Lent<'py> {
    #[pyo3(transparent)]
    Dense64(PyReadonlyArray2<'py, f64>),
    #[pyo3(transparent)]
    Dense32(PyReadonlyArray2<'py, f32>),
    #[pyo3(transparent)]
    Sparse64(Rows<'py, f64>),
    #[pyo3(transparent)]
    Sparse32(Rows<'py, f32>),
}

/// `((n, d), indptr, indices, values)` of CSR.
#[derive(FromPyObject)]
pub(crate) struct Rows<'py, T: numpy::Element>(
    (usize, usize),
    PyReadonlyArray1<'py, usize>,
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, T>,
);

/// The data as the library takes them.
pub(crate) enum View<'a> {
    F32(Box<dyn DataMatrix<f32> + 'a>),
    F64(Box<dyn DataMatrix<f64> + 'a>),
}

impl Lent<'_> {
    /// The lent arrays as data.
    pub(crate) fn view(&self) -> PyResult<View<'_>> {
        Ok(match self {
            Lent::Dense64(array) => View::F64(Box::new(dense(array)?)),
            Lent::Dense32(array) => View::F32(Box::new(dense(array)?)),
            Lent::Sparse64(rows) => View::F64(Box::new(sparse(rows)?)),
            Lent::Sparse32(rows) => View::F32(Box::new(sparse(rows)?)),
        })
    }
}

fn dense<'a, T: partwise::Real + numpy::Element>(
    array: &'a PyReadonlyArray2<'_, T>,
) -> PyResult<DenseMatrix<'a, T>> {
    let values =
        array.as_slice().map_err(|_| PyTypeError::new_err("the array must be C-contiguous and aligned"))?;
    DenseMatrix::borrowed(array.shape()[0], array.shape()[1], values).map_err(value_error)
}

fn sparse<'a, T: partwise::Real + numpy::Element>(rows: &'a Rows<'_, T>) -> PyResult<SparseMatrix<'a, T>> {
    let Rows((n, d), indptr, indices, values) = rows;
    SparseMatrix::new(*n, *d, indptr.as_slice()?, indices.as_slice()?, values.as_slice()?)
        .map_err(value_error)
}
