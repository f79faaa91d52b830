//! `partwise`: the command line. One file a subcommand; `console` is the only module that prints.
//!
//! Exit codes: 0 done, 2 a fault of the input or of what was asked, 130 interrupted (what was reached is written).

mod args;
mod choices;
mod completions;
mod composed;
mod console;
mod demo;
mod evaluate;
mod fit;
mod flags;
mod guidance;
mod guided;
mod input;
mod interrupt;
mod job;
mod memberships;
mod methods;
mod outputs;
mod progress;
mod recipe;
mod record;
mod report;
mod reproduce;
mod said;
mod scale;
mod scores;
mod start;
mod suggest;
mod sweep;
mod transform;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

/// How a command ended when nothing was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All of it.
    Done,
    /// Ctrl-C came; what was reached is written.
    Interrupted,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    interrupt::listen();
    let outcome = match cli.command {
        Command::Fit(args) => fit::run(&args),
        Command::Transform(args) => transform::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Suggest(args) => suggest::run(&args),
        Command::Methods(args) => methods::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Completions(args) => completions::run(&args),
    };
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Interrupted) => ExitCode::from(130),
        Err(error) => {
            console::error(&error);
            ExitCode::from(2)
        }
    }
}
