//! `partwise`: the command line. One file a subcommand; only `partwise_report::console` prints.
//!
//! Exit codes: see [`program::EXIT_CODES`].

mod classify;
mod completions;
mod demo;
mod evaluate;
mod fit;
mod graphs;
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
mod start;
mod suggest;
mod summary;
mod sweep;
mod transform;
mod words;

use std::process::ExitCode;

use anyhow::anyhow;
use partwise_report::{console, program};
use request::{ClassifyRequest, Cli, Command, FitRequest, RankRequest, SweepRequest, TransformRequest};

/// What `partwise reproduce` answers in the release after it moved.
const REPRODUCE_MOVED: &str = "the experiments of the papers moved from `partwise` to another program; \
    in a copy of Partwise's repository, run: cargo run --release -p partwise-lab -- reproduce ...";

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|command| command == "reproduce") {
        console::error(&anyhow!(REPRODUCE_MOVED));
        return ExitCode::from(2);
    }
    program::run(|cli: Cli| match cli.command {
        Command::Fit(flags) if flags.is_recipe() => classify::run(&ClassifyRequest::of_recipe(*flags)?),
        Command::Fit(flags) => fit::run(&FitRequest::new(*flags)?),
        Command::Classify(flags) => classify::run(&ClassifyRequest::new(*flags)?),
        Command::Transform(flags) => transform::run(&TransformRequest::new(*flags)?),
        Command::Sweep(flags) => sweep::run(&SweepRequest::new(*flags)?),
        Command::Rank(flags) => rank::run(&RankRequest::new(*flags)?),
        Command::Evaluate(request) => evaluate::run(&request),
        Command::Suggest(request) => suggest::run(&request),
        Command::Methods(request) => methods::run(&request),
        Command::Demo(request) => demo::run(&request),
        Command::Completions(request) => completions::run(&request),
        Command::Man(request) => manual::run(&request),
    })
}
