//! The command line inside of the native module: the package carries it without a second copy of the engine.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use partwise::blocks::Transport;
use partwise_cli::Shared;
use pyo3::prelude::*;

use crate::processes::Processes;

/// How long a process with an error waits for process 0, which mostly has the same error and says it.
const GRACE: Duration = Duration::from_secs(2);

/// The exit code of a Rust program that ends in a panic; the panic's hook has printed it.
const PANICKED: u8 = 101;

/// Runs `partwise` with these arguments (the first is the name of the program), and returns the exit code.
/// Signals are the command's from now on.
#[pyfunction]
pub(crate) fn command_line(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| catch_unwind(|| partwise_cli::run(arguments)).unwrap_or(PANICKED))
}

/// As [`command_line`], in one of several processes that were started with the same arguments, of which so
/// many run on this machine.
#[pyfunction]
pub(crate) fn command_line_shared(
    py: Python<'_>,
    arguments: Vec<OsString>,
    processes: &Processes,
    on_this_machine: usize,
) -> u8 {
    let transport = processes.transport.clone();
    let let_first_speak = Arc::new(|| std::thread::sleep(GRACE));
    let shared = Shared { transport: transport.clone(), on_this_machine, let_first_speak };
    py.detach(|| {
        let run = AssertUnwindSafe(|| partwise_cli::run_shared(arguments, &shared));
        let code = catch_unwind(run).unwrap_or(PANICKED);
        if code != 0 {
            transport.fail(&format!("it ended with exit code {code}"));
        }
        code
    })
}
