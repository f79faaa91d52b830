//! The command line as requests. Clap checks each flag and parses it to what the library takes; where flags
//! must be checked together, a request is made of them once, here ([`FitRequest`], ...). No other module sees
//! a flag.
//!
//! Every help text is a sentence with its default and range.

mod asked;
pub(crate) mod choices;
mod cite;
mod classify;
mod compare;
mod consensus;
mod convert;
mod data;
mod fit;
mod flags;
mod groups;
mod help;
mod method_flags;
mod repeated;
mod transform;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use partwise_report::program::EXIT_CODES;

pub(crate) use asked::Asked;
pub(crate) use choices::{Clusters, Codes, Components, Pictures, Precision};
pub(crate) use cite::CiteRequest;
pub(crate) use classify::ClassifyRequest;
use compare::CompareFlags;
pub(crate) use compare::CompareRequest;
use consensus::ConsensusFlags;
pub(crate) use consensus::{CellsRequest, ConsensusRequest};
pub(crate) use convert::{ConvertFlags, ConvertRequest};
pub(crate) use data::DataSource;
pub(crate) use fit::{FitRequest, GraphSource};
use flags::{ClassifyFlags, FitFlags, RankFlags, SweepFlags, TransformFlags};
pub(crate) use groups::{LabelSource, Run, Write};
use method_flags::Given;
pub(crate) use repeated::{RankRequest, SweepRequest};
pub(crate) use transform::TransformRequest;

/// Non-negative matrix factorization guided by what you know.
///
/// Factors a non-negative table X (samples x features) into codes W (samples x k) and components H (k x
/// features). Known labels or reference components give the components your names.
#[derive(Debug, Parser)]
#[command(name = "partwise", version, max_term_width = 100, arg_required_else_help = true, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Factor a table, images or texts into components.
    #[command(override_usage = help::FIT.usage(), mut_args(help::FIT.arrange()), after_help = help::FIT.short_end(), after_long_help = help::FIT.long_end())]
    Fit(Box<FitFlags>),
    /// Write a table as row blocks (.pwx), for data larger than memory.
    #[command(override_usage = help::CONVERT.usage(), mut_args(help::CONVERT.arrange()), after_help = help::CONVERT.short_end(), after_long_help = help::CONVERT.long_end())]
    Convert(Box<ConvertFlags>),
    /// Find how many components the data support.
    #[command(override_usage = help::RANK.usage(), mut_args(help::RANK.arrange()), after_help = help::RANK.short_end(), after_long_help = help::RANK.long_end())]
    Rank(Box<RankFlags>),
    /// Find the components that return from many random starts.
    #[command(override_usage = help::CONSENSUS.usage(), mut_args(help::CONSENSUS.arrange()), after_help = help::CONSENSUS.short_end(), after_long_help = help::CONSENSUS.long_end())]
    Consensus(Box<ConsensusFlags>),
    /// Predict a class for every sample from a few labels.
    #[command(override_usage = help::CLASSIFY.usage(), mut_args(help::CLASSIFY.arrange()), after_help = help::CLASSIFY.short_end(), after_long_help = help::CLASSIFY.long_end())]
    Classify(Box<ClassifyFlags>),
    /// Apply a fitted model to new data, and predict classes with a classifier.
    #[command(override_usage = help::TRANSFORM.usage(), mut_args(help::TRANSFORM.arrange()), after_help = help::TRANSFORM.short_end(), after_long_help = help::TRANSFORM.long_end())]
    Transform(Box<TransformFlags>),
    /// Compare methods on your data: accuracy from a few labels, over several draws of them.
    #[command(override_usage = help::COMPARE.usage(), mut_args(help::COMPARE.arrange()), after_help = help::COMPARE.short_end(), after_long_help = help::COMPARE.long_end())]
    Compare(Box<CompareFlags>),
    /// List the samples to label next, or the pairs to link.
    ///
    /// They are those that the fit is least certain about and would learn most from.
    #[command(mut_args(help::SUGGEST.arrange()), after_help = help::SUGGEST.short_end(), after_long_help = help::SUGGEST.long_end())]
    Suggest(SuggestRequest),
    /// Compare the clusters of a result with labels.
    #[command(mut_args(help::EVALUATE.arrange()), after_help = help::EVALUATE.short_end(), after_long_help = help::EVALUATE.long_end())]
    Evaluate(EvaluateRequest),
    /// See how much following your guidance costs.
    ///
    /// Fits with several strengths of the guidance, and shows the error against the agreement.
    #[command(override_usage = help::SWEEP.usage(), mut_args(help::SWEEP.arrange()), after_help = help::SWEEP.short_end(), after_long_help = help::SWEEP.long_end())]
    Sweep(Box<SweepFlags>),
    /// List methods, solvers, starts, losses, scalings and file formats.
    #[command(after_help = EXIT_CODES)]
    Methods(MethodsRequest),
    /// Run an example on built-in handwritten digits and write a report.
    #[command(after_help = EXIT_CODES)]
    Demo(DemoRequest),
    /// Print a completion script for a shell.
    #[command(after_help = EXIT_CODES)]
    Completions(CompletionsRequest),
    /// Print what to cite, as BibTeX.
    #[command(after_help = EXIT_CODES)]
    Cite(CiteRequest),
    /// Write a manual page for each command.
    #[command(hide = true, after_help = EXIT_CODES)]
    Man(ManRequest),
}

#[derive(Args, Debug)]
pub(crate) struct EvaluateRequest {
    #[command(flatten)]
    pub(crate) given: Given,
    /// The result: a folder that `partwise fit` or `partwise classify` wrote, or a model.safetensors.
    pub(crate) result: PathBuf,
    /// The labels to compare with, in the formats of `fit --labels`.
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: PathBuf,
    /// The column of the labels file that contains the labels. Default: label, else the second.
    #[arg(long, value_name = "NAME")]
    pub(crate) label_column: Option<String>,
    /// How clusters are made from the codes.
    #[arg(long, value_enum, default_value = "shares")]
    pub(crate) clusters: Clusters,
    /// Clusters of k-means, 1 or more. Default: the number of classes.
    #[arg(short = 'k', long, value_name = "K", value_parser = choices::positive, allow_negative_numbers = true)]
    pub(crate) n_clusters: Option<usize>,
    /// The random seed of k-means.
    #[arg(long, default_value_t = 0, value_parser = choices::seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct SuggestRequest {
    #[command(flatten)]
    pub(crate) given: Given,
    /// The result: a folder that `partwise fit` wrote, or its model.safetensors.
    pub(crate) result: PathBuf,
    /// Labels that you have added since the fit, in the formats of `fit --labels`. These samples are not
    /// suggested again.
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// The column of the labels file that contains the labels. Default: label, else the second.
    #[arg(long, value_name = "NAME", requires = "labels")]
    pub(crate) label_column: Option<String>,
    /// How many to list, 1 or more.
    #[arg(short = 'n', long, value_name = "N", value_parser = choices::positive, default_value = "10", allow_negative_numbers = true)]
    pub(crate) count: usize,
    /// Suggest pairs of samples for --links instead: those that are least certain.
    #[arg(long, conflicts_with = "labels")]
    pub(crate) links: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct MethodsRequest {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct DemoRequest {
    /// The folder for the report. A folder that an earlier demo wrote is replaced; any other existing folder
    /// is refused, unless --force is given.
    #[arg(long, short, value_name = "DIR", default_value = "partwise-demo", value_parser = choices::folder())]
    pub(crate) out: PathBuf,
    /// Replace the result in the folder, even if it is not that of a demo. Only files that Partwise wrote and
    /// that are unchanged are replaced or removed. All other files stay.
    #[arg(long)]
    pub(crate) force: bool,
    /// Labels per digit that the fits use, 1 or more.
    #[arg(long, value_name = "N", value_parser = choices::positive, default_value = "2", allow_negative_numbers = true)]
    pub(crate) labels_per_class: usize,
    /// The maximum number of iterations of each fit, 0 or more.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = choices::count, allow_negative_numbers = true)]
    pub(crate) max_iter: usize,
    #[command(flatten)]
    pub(crate) run: Run,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsRequest {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub(crate) struct ManRequest {
    /// The folder for the pages. It is made if it is missing; pages in it are replaced.
    #[arg(long, short, value_name = "DIR", value_parser = choices::folder())]
    pub(crate) out: PathBuf,
}
