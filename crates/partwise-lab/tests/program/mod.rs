//! Running the built program.
#![allow(dead_code, clippy::unwrap_used, reason = "each test binary uses a part, and fails by panicking")]

use std::path::Path;
use std::process::{Command, Output};

/// The built program.
pub(crate) fn lab() -> Command {
    Command::new(env!("CARGO_BIN_EXE_partwise-lab"))
}

/// Runs it in a folder.
pub(crate) fn run(folder: &Path, arguments: &str) -> Output {
    lab().current_dir(folder).args(arguments.split_whitespace()).output().unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs it and expects success; gives what it printed.
pub(crate) fn succeed(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments}: {}", stderr(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
