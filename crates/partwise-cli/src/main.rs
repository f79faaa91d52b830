//! `partwise`: the command line. One file a subcommand; only `partwise_report::console` prints.
//!
//! Exit codes: see [`program::EXIT_CODES`].

mod args;
mod choices;
mod completions;
mod composed;
mod demo;
mod evaluate;
mod fit;
mod flags;
mod guidance;
mod guided;
mod input;
mod job;
mod memberships;
mod methods;
mod outputs;
mod precision;
mod progress;
mod recipe;
mod record;
mod report;
mod said;
mod scale;
mod scores;
mod search;
mod start;
mod suggest;
mod sweep;
mod transform;

use std::process::ExitCode;

use anyhow::bail;
use args::{Cli, Command};
use partwise_report::program;

fn main() -> ExitCode {
    program::run(|cli: Cli| match cli.command {
        Command::Fit(args) => fit::run(&args),
        Command::Transform(args) => transform::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Suggest(args) => suggest::run(&args),
        Command::Methods(args) => methods::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Reproduce(_) => bail!(args::REPRODUCE_MOVED),
    })
}
