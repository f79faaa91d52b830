//! `partwise-lab`: the experiments of the papers, run from the command line.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use partwise_lab::reproduce::{self, ReproduceArgs};
use partwise_lab::scaling::{self, MakeBlocksArgs, ScalingArgs};
use partwise_report::program::{self, EXIT_CODES};

/// The laboratory of Partwise: the experiments of the papers, beside what the papers publish.
#[derive(Debug, Parser)]
#[command(name = "partwise-lab", version, max_term_width = 100, arg_required_else_help = true, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run experiments of the papers, or list them. Writes tables next to the published values, figures and a
    /// report.
    #[command(after_help = EXIT_CODES)]
    Reproduce(ReproduceArgs),
    /// Measure how the time of an iteration depends on the number of MPI processes on this machine, and what
    /// a model of the cost predicts from it.
    Scaling(ScalingArgs),
    /// Write a file of row blocks (.pwx) of made-up sparse data with planted parts.
    MakeBlocks(MakeBlocksArgs),
}

fn main() -> ExitCode {
    program::run(|cli: Cli| match cli.command {
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Scaling(args) => scaling::run(&args),
        Command::MakeBlocks(args) => scaling::make_blocks(&args),
    })
}
