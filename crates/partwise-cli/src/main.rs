//! `partwise`: the command line. One file a subcommand; only `partwise_report::console` prints.
//!
//! Exit codes: see [`program::EXIT_CODES`].

mod args;
mod choices;
mod classify;
mod combined_guidance;
mod completions;
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
mod record;
mod report;
mod scale;
mod scores;
mod search;
mod spreading;
mod start;
mod suggest;
mod summary;
mod sweep;
mod transform;

use std::process::ExitCode;

use anyhow::anyhow;
use args::{Cli, Command};
use partwise_report::{console, program};

/// What `partwise reproduce` answers in the release after it moved.
const REPRODUCE_MOVED: &str = "the experiments of the papers moved from `partwise` to another program; \
    in a copy of Partwise's repository, run: cargo run --release -p partwise-lab -- reproduce ...";

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|command| command == "reproduce") {
        console::error(&anyhow!(REPRODUCE_MOVED));
        return ExitCode::from(2);
    }
    program::run(|cli: Cli| match cli.command {
        Command::Fit(args) => fit::run(&args),
        Command::Classify(args) => classify::run(&args),
        Command::Transform(args) => transform::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Suggest(args) => suggest::run(&args),
        Command::Methods(args) => methods::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Completions(args) => completions::run(&args),
    })
}
