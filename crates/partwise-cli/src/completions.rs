//! `partwise completions`: scripts for shells, made from the flags.

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs};
use partwise_report::{console, program::Outcome};

/// Prints the script.
pub(crate) fn run(args: &CompletionsArgs) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "partwise", &mut script);
    console::print_raw(String::from_utf8_lossy(&script).trim_end());
    Ok(Outcome::Done)
}
