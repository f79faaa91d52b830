//! Turns errors of the library into Python exceptions.

use partwise_io::IoError;
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyOSError, PyValueError};

/// A user's fault is a `ValueError` with the library's message, which says what, where, and what is valid; more memory than there is a
/// `MemoryError`.
pub(crate) fn value_error(error: partwise::Error) -> PyErr {
    match error {
        partwise::Error::Memory { .. } => PyMemoryError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// What the system refused is the `OSError` that Python itself would raise; a fault of a file's content is a `ValueError`.
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
