//! The command line, as a library: [`run`] is what the program `partwise` and the Python package both call.
//! One file a subcommand; only `partwise_report::console` prints.
//!
//! Exit codes: see [`program::EXIT_CODES`].

mod checkpoint;
mod cite;
mod classification;
mod classify;
mod compare;
mod completions;
mod consensus;
mod convert;
mod demo;
mod description;
mod evaluate;
mod feature_names;
mod fit;
mod graphs;
mod in_blocks;
mod input;
mod job;
mod known;
mod labels;
mod manual;
mod methods;
mod outputs;
mod progress;
mod rank;
mod record;
mod report;
mod request;
mod scores;
mod search;
mod shared;
mod start;
mod suggest;
mod summary;
mod sweep;
mod transform;
mod words;

use std::ffi::OsString;

use anyhow::{anyhow, bail};
use clap::Parser;
use partwise_report::{console, program};
use request::{
    ClassifyRequest, Cli, Command, CompareRequest, ConsensusRequest, ConvertRequest, FitRequest, RankRequest,
    SweepRequest, TransformRequest,
};
pub use shared::Shared;

/// What `partwise reproduce` answers in the release after it moved.
const REPRODUCE_MOVED: &str = "the experiments of the papers moved from `partwise` to another program; \
    in a copy of Partwise's repository, run: cargo run --release -p partwise-lab -- reproduce ...";

/// As [`run`], in one of several processes that were started with the same arguments and do the work
/// together. A process that returns another code than 0 must end the others.
pub fn run_shared(arguments: impl IntoIterator<Item = OsString>, shared: &Shared) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if shared.transport.rank() > 0
        && let Err(error) = Cli::try_parse_from(&arguments)
    {
        // Process 0 prints the same.
        (shared.let_first_speak)();
        return u8::try_from(error.exit_code()).unwrap_or(2);
    }
    program::run_with(arguments, |cli: Cli| {
        shared.run(|| match cli.command {
            Command::Fit(flags) if !flags.is_recipe() => fit::run(&FitRequest::new(*flags)?.shared(shared)),
            _ => bail!(
                "{} processes were started, but only `partwise fit` runs in several; start one",
                shared.transport.size()
            ),
        })
    })
}

/// Runs `partwise` with these arguments (the first is the name of the program), and returns the exit code.
///
/// It listens to signals, and a second Ctrl-C ends the process: call it once, from the main thread of a
/// program that does nothing else.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.get(1).is_some_and(|command| command == "reproduce") {
        console::error(&anyhow!(REPRODUCE_MOVED));
        return 2;
    }
    program::run_with(arguments, |cli: Cli| match cli.command {
        Command::Fit(flags) if flags.is_recipe() => classify::run(&ClassifyRequest::of_recipe(*flags)?),
        Command::Fit(flags) => fit::run(&FitRequest::new(*flags)?),
        Command::Convert(flags) => convert::run(&ConvertRequest::new(*flags)?),
        Command::Classify(flags) => classify::run(&ClassifyRequest::new(*flags)?),
        Command::Transform(flags) => transform::run(&TransformRequest::new(*flags)?),
        Command::Sweep(flags) => sweep::run(&SweepRequest::new(*flags)?),
        Command::Rank(flags) => rank::run(&RankRequest::new(*flags)?),
        Command::Consensus(flags) => consensus::run(&ConsensusRequest::new(*flags)?),
        Command::Compare(flags) => compare::run(&CompareRequest::new(*flags)?),
        Command::Evaluate(request) => evaluate::run(&request),
        Command::Suggest(request) => suggest::run(&request),
        Command::Methods(request) => methods::run(&request),
        Command::Demo(request) => demo::run(&request),
        Command::Completions(request) => completions::run(&request),
        Command::Cite(request) => cite::run(&request),
        Command::Man(request) => manual::run(&request),
    })
}
