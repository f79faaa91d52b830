//! What to cite, as BibTeX entries.

use partwise::methods::{BIBTEX_OF_PARTWISE, named};
use pyo3::prelude::*;

use crate::errors::value_error;

/// Partwise, then the publications of the method if one is named.
#[pyfunction]
#[pyo3(signature = (method=None))]
pub(crate) fn cite(method: Option<&str>) -> PyResult<String> {
    match method {
        Some(name) => named(name).map(|(method, _)| method.bibtex()).map_err(value_error),
        None => Ok(BIBTEX_OF_PARTWISE.to_string()),
    }
}
