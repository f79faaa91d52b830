//! The program `partwise`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(partwise_cli::run(std::env::args_os()))
}
