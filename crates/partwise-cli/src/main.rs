//! `partwise`: the command line. One file a subcommand; `console` is the only module that prints.
//!
//! Exit codes: see [`args::EXIT_CODES`].

mod args;
mod choices;
mod classify;
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
mod precision;
mod progress;
mod record;
mod report;
mod reproduce;
mod said;
mod scale;
mod scores;
mod search;
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
    std::panic::set_hook(Box::new(|fault| console::own_fault(&fault.to_string())));
    interrupt::listen();
    let code = match Cli::try_parse() {
        Ok(cli) => command(cli),
        Err(error) => {
            console::usage(&error);
            error.exit_code() as u8
        }
    };
    match console::finish() {
        Err(_) if code != 0 => code.into(),
        // The reader had enough (`| head`): nothing to report, and the code that a shell shows for such a program.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::from(141),
        Err(error) => {
            console::error(&anyhow::Error::new(error).context("can't write to standard output"));
            ExitCode::from(2)
        }
        Ok(()) => code.into(),
    }
}

/// Runs a command and returns the exit code.
fn command(cli: Cli) -> u8 {
    let outcome = interrupt::work(|| match cli.command {
        Command::Fit(args) => fit::run(&args),
        Command::Classify(args) => classify::run(&args),
        Command::Transform(args) => transform::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Suggest(args) => suggest::run(&args),
        Command::Methods(args) => methods::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Completions(args) => completions::run(&args),
    });
    match outcome.unwrap_or_else(|stopped| Err(stopped.into())) {
        Ok(Outcome::Done) => 0,
        Ok(Outcome::Interrupted) => interrupt::EXIT_CODE,
        Err(error) if error.is::<interrupt::Stopped>() => {
            console::error(&error);
            interrupt::EXIT_CODE
        }
        Err(error) => {
            console::error(&error);
            2
        }
    }
}
