//! `partwise completions`: scripts for shells, made from the flags.

use clap::CommandFactory;

use crate::request::{Cli, CompletionsRequest};
use partwise_report::{console, program::Outcome};

/// Prints the script.
pub(crate) fn run(request: &CompletionsRequest) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(request.shell, &mut Cli::command(), "partwise", &mut script);
    console::print_raw(String::from_utf8_lossy(&script).trim_end());
    Ok(Outcome::Done)
}
