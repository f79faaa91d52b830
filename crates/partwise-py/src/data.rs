//! Data borrowed from Python: dense row-major arrays and the three arrays of CSR, never copied; and data in
//! row blocks.

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use partwise::blocks::BlockedMatrix;
use partwise::{DataMatrix, DenseMatrix, Real, Scaling, SparseMatrix};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::blocks::{Blocks, InPrecision};
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
    #[pyo3(transparent)]
    Blocks(Bound<'py, Blocks>),
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
    F32(Matrix<'a, f32>),
    F64(Matrix<'a, f64>),
}

/// Data made for a call, or blocks that Python holds.
pub(crate) enum Matrix<'a, T: Real> {
    Made(Box<dyn DataMatrix<T> + 'a>),
    Blocks(&'a BlockedMatrix<T>),
}

impl<'a, T: Real> Matrix<'a, T> {
    pub(crate) fn as_ref(&self) -> &(dyn DataMatrix<T> + 'a) {
        match self {
            Matrix::Made(data) => data.as_ref(),
            Matrix::Blocks(data) => *data,
        }
    }
}

impl Lent<'_> {
    /// The lent arrays as data. Blocks are refused.
    pub(crate) fn view(&self) -> PyResult<View<'_>> {
        match self {
            Lent::Blocks(_) => Err(PyTypeError::new_err("this needs all of X in memory")),
            _ => self.any_view(),
        }
    }

    /// The lent arrays, or blocks, as data. Blocks must not be read while the interpreter is attached.
    pub(crate) fn any_view(&self) -> PyResult<View<'_>> {
        Ok(match self {
            Lent::Dense64(array) => View::F64(Matrix::Made(dense(array)?.boxed())),
            Lent::Dense32(array) => View::F32(Matrix::Made(dense(array)?.boxed())),
            Lent::Sparse64(rows) => View::F64(Matrix::Made(sparse(rows)?.boxed())),
            Lent::Sparse32(rows) => View::F32(Matrix::Made(sparse(rows)?.boxed())),
            Lent::Blocks(blocks) => match &blocks.get().data {
                InPrecision::F32(data) => View::F32(Matrix::Blocks(data)),
                InPrecision::F64(data) => View::F64(Matrix::Blocks(data)),
            },
        })
    }

    /// Whether this is the first of the processes that share the data, or the only one.
    pub(crate) fn is_first(&self) -> bool {
        match self {
            Lent::Blocks(blocks) => blocks.get().is_first,
            _ => true,
        }
    }

    /// What to raise for an error of the library in work on these data.
    pub(crate) fn exception(&self, error: partwise::Error) -> PyErr {
        match self {
            Lent::Blocks(blocks) => blocks.get().exception(error),
            _ => value_error(error),
        }
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
            Lent::Blocks(_) => unreachable!("they have no view"),
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
