//! Data borrowed from Python: dense row-major arrays and the three arrays of CSR, never copied.

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use partwise::{DataMatrix, DenseMatrix, Scaling, SparseMatrix};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors::value_error;

/// What Python lends for the time of a call. The borrow keeps other native code from writing; Python code in
/// another thread must leave the array alone, as with any NumPy operation that releases the interpreter.
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
            Lent::Dense64(array) => View::F64(dense(array)?.boxed()),
            Lent::Dense32(array) => View::F32(dense(array)?.boxed()),
            Lent::Sparse64(rows) => View::F64(sparse(rows)?.boxed()),
            Lent::Sparse32(rows) => View::F32(sparse(rows)?.boxed()),
        })
    }
}

impl Lent<'_> {
    /// The stored values, scaled, as a new array of one dimension.
    pub(crate) fn scaled<'py>(&self, py: Python<'py>, scaling: &Scaling) -> PyResult<Bound<'py, PyAny>> {
        // Borrowing checks the layout first.
        self.view()?;
        match self {
            Lent::Dense64(array) => Ok(dense_scaled(py, array, scaling)?.into_any()),
            Lent::Dense32(array) => Ok(dense_scaled(py, array, scaling)?.into_any()),
            Lent::Sparse64(rows) => Ok(sparse_scaled(py, rows, scaling)?.into_any()),
            Lent::Sparse32(rows) => Ok(sparse_scaled(py, rows, scaling)?.into_any()),
        }
    }
}

fn dense_scaled<'py, T: partwise::Real + numpy::Element>(
    py: Python<'py>,
    array: &PyReadonlyArray2<'_, T>,
    scaling: &Scaling,
) -> PyResult<Bound<'py, PyArray1<T>>> {
    let columns = array.shape()[1];
    check_width(scaling, columns)?;
    let mut values = array.as_slice()?.to_vec();
    values.chunks_mut(columns.max(1)).for_each(|row| scaling.scale_row(None, row));
    Ok(PyArray1::from_vec(py, values))
}

fn sparse_scaled<'py, T: partwise::Real + numpy::Element>(
    py: Python<'py>,
    Rows((_, columns), indptr, indices, values): &Rows<'_, T>,
    scaling: &Scaling,
) -> PyResult<Bound<'py, PyArray1<T>>> {
    check_width(scaling, *columns)?;
    let (indptr, indices) = (indptr.as_slice()?, indices.as_slice()?);
    let mut values = values.as_slice()?.to_vec();
    for span in indptr.windows(2) {
        scaling.scale_row(Some(&indices[span[0]..span[1]]), &mut values[span[0]..span[1]]);
    }
    Ok(PyArray1::from_vec(py, values))
}

fn check_width(scaling: &Scaling, columns: usize) -> PyResult<()> {
    match scaling {
        Scaling::TfIdf(idf) if idf.len() != columns => Err(value_error(partwise::Error::Shape {
            what: "the data".into(),
            expected: format!("{} features, as the scaling has", idf.len()),
            found: columns.to_string(),
        })),
        _ => Ok(()),
    }
}

fn dense<'a, T: partwise::Real + numpy::Element>(
    array: &'a PyReadonlyArray2<'_, T>,
) -> PyResult<DenseMatrix<'a, T>> {
    // A slice of an array in column order has the entries in that order.
    let values = array.as_slice().ok().filter(|_| array.is_c_contiguous());
    let values = values.ok_or_else(|| PyTypeError::new_err("the array must be C-contiguous and aligned"))?;
    DenseMatrix::borrowed(array.shape()[0], array.shape()[1], values).map_err(value_error)
}

fn sparse<'a, T: partwise::Real + numpy::Element>(rows: &'a Rows<'_, T>) -> PyResult<SparseMatrix<'a, T>> {
    let Rows((n, d), indptr, indices, values) = rows;
    SparseMatrix::new(*n, *d, indptr.as_slice()?, indices.as_slice()?, values.as_slice()?)
        .map_err(value_error)
}
