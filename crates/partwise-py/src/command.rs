//! The command line inside of the native module: the package carries it without a second copy of the engine.

use std::ffi::OsString;
use std::panic::catch_unwind;

use pyo3::prelude::*;

/// The exit code of a Rust program that ends in a panic; the panic's hook has printed it.
const PANICKED: u8 = 101;

/// Runs `partwise` with these arguments (the first is the name of the program), and returns the exit code.
/// Signals are the command's from now on.
#[pyfunction]
pub(crate) fn command_line(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| catch_unwind(|| partwise_cli::run(arguments)).unwrap_or(PANICKED))
}
