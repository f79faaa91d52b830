//! Turns errors of the library into Python exceptions.

use partwise_io::IoError;
use pyo3::exceptions::{PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::{IntoPyObjectExt, PyErr};

/// A user's mistake is a `ValueError` with the library's message, which says what, where, and what is valid;
/// too little memory is a `MemoryError`. The error about a matrix has the attributes `kind`, `what` and,
/// where there is a first entry, `place` and `count`.
pub(crate) fn value_error(error: partwise::Error) -> PyErr {
    let message = error.to_string();
    match error {
        partwise::Error::Memory { .. } => PyMemoryError::new_err(message),
        partwise::Error::Negative { what, count, first, .. } => {
            of_matrix(message, "negative", what, Some(first), count)
        }
        partwise::Error::NotFinite { what, nan, infinite, first } => {
            let kind = if nan > 0 { "nan" } else { "infinite" };
            of_matrix(message, kind, what, Some(first), nan + infinite)
        }
        partwise::Error::NotSymmetric { what, pair, .. } => {
            of_matrix(message, "not symmetric", what, Some(pair), 1)
        }
        partwise::Error::Shape { what, .. } => of_matrix(message, "shape", what, None, 0),
        _ => PyValueError::new_err(message),
    }
}

/// The error about a matrix; programs read its attributes, people its message.
fn of_matrix(
    message: String,
    kind: &str,
    what: String,
    place: Option<(usize, usize)>,
    count: usize,
) -> PyErr {
    let error = PyValueError::new_err(message);
    Python::attach(|py| {
        let object = error.value(py);
        let attributes = [
            ("kind", kind.into_py_any(py)),
            ("what", what.into_py_any(py)),
            ("place", place.into_py_any(py)),
            ("count", count.into_py_any(py)),
        ];
        for (name, attribute) in attributes {
            // An exception takes any attribute; without it the message still says everything.
            let _ = attribute.and_then(|attribute| object.setattr(name, attribute));
        }
    });
    error
}

/// An error of the system is the `OSError` that Python itself would raise; an error in a file's content is a
/// `ValueError`.
pub(crate) fn file_error(error: IoError) -> PyErr {
    match &error {
        IoError::System { path, source, .. } => match source.raw_os_error() {
            Some(code) => {
                // Python picks the subclass (FileNotFoundError, …) by the number.
                let text = source.to_string();
                let text = text.split(" (os error").next().unwrap_or(&text).to_string();
                PyOSError::new_err((code, text, path.display().to_string()))
            }
            None => PyOSError::new_err(error.to_string()),
        },
        _ => PyValueError::new_err(error.to_string()),
    }
}
