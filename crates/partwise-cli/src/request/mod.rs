//! The command line as requests. Clap checks each flag and parses it to what the library takes; where flags
//! must be checked together, a request is made of them once, here ([`FitRequest`], ...). No other module sees
//! a flag.
//!
//! Every help text is a sentence with its default and range.

pub(crate) mod choices;
mod fit;
mod flags;
mod method_flags;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use partwise::recipes::ShareOf;
use partwise::{ScalingKind, Settings, SolverChoice};
use partwise_io::ReadOptions;
use partwise_report::console::Verbosity;
use partwise_report::program::EXIT_CODES;

pub(crate) use choices::{Clusters, Codes, Precision};
pub(crate) use fit::{ClassifyRequest, FitRequest, GraphSource, SweepRequest, TransformRequest};
use flags::FitFlags;
use method_flags::Given;

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
    /// Factor a table and write the result to a folder.
    #[command(after_help = EXIT_CODES)]
    Fit(Box<FitFlags>),
    /// Predict a class for every sample from a few labels.
    #[command(after_help = EXIT_CODES)]
    Classify(Box<ClassifyFlags>),
    /// Find the codes of new rows for the components of a model.
    #[command(after_help = EXIT_CODES)]
    Transform(Box<TransformFlags>),
    /// Fit with several strengths of the guidance, and show the error against the agreement.
    #[command(after_help = EXIT_CODES)]
    Sweep(Box<SweepFlags>),
    /// Compare the clusters of a result with labels.
    #[command(after_help = EXIT_CODES)]
    Evaluate(EvaluateRequest),
    /// List the samples to label next, or the pairs to link: those that the fit is least certain about and
    /// would learn most from.
    #[command(after_help = EXIT_CODES)]
    Suggest(SuggestRequest),
    /// List methods, solvers, starts, losses, scalings and file formats.
    #[command(after_help = EXIT_CODES)]
    Methods(MethodsRequest),
    /// Run an example on built-in handwritten digits and write a report.
    #[command(after_help = EXIT_CODES)]
    Demo(DemoRequest),
    /// Print a completion script for a shell.
    #[command(after_help = EXIT_CODES)]
    Completions(CompletionsRequest),
}

/// The data, and how they are read.
#[derive(Args, Clone, Debug)]
pub(crate) struct ReadFlags {
    /// The data: one sample per row. - reads standard input; this works for every input file, but for one at
    /// a time. See `partwise methods` for the formats.
    pub(crate) data: PathBuf,
    /// The file format. Default: from the extension, or from the content for standard input. The content must
    /// match.
    #[arg(long, value_parser = choices::formats())]
    pub(crate) format: Option<String>,
    /// The array to read from an .npz archive. Default: the only one.
    #[arg(long, value_name = "NAME")]
    pub(crate) key: Option<String>,
    /// The first row of a text table contains the column names. Default: detected, with a notice if it
    /// is uncertain.
    #[arg(long, overrides_with = "no_header")]
    pub(crate) header: bool,
    /// The first row of a text table is data, not column names.
    #[arg(long, overrides_with = "header")]
    pub(crate) no_header: bool,
    /// The first column of a text table contains the row names. Default: detected, with a notice if it
    /// is uncertain.
    #[arg(long, overrides_with = "no_row_names")]
    pub(crate) row_names: bool,
    /// The first column of a text table is data, not row names.
    #[arg(long, overrides_with = "row_names")]
    pub(crate) no_row_names: bool,
    /// Each row is an image of this height and width, as in 32x32. Default: known for image stacks.
    #[arg(long, value_name = "HxW", value_parser = choices::image_shape)]
    pub(crate) image_shape: Option<(usize, usize)>,
}

/// Where the result is written, and what is printed.
#[derive(Args, Clone, Debug)]
pub(crate) struct Write {
    /// The folder for the result. It must not exist, unless --force is given. In its CSV files, names that a
    /// spreadsheet would run as a formula (= + - @) get an apostrophe in front. Partwise removes it when it
    /// reads them.
    #[arg(long, short, value_name = "DIR", value_parser = choices::folder())]
    pub(crate) out: PathBuf,
    /// Replace the result in the folder, or write into an empty folder. Only files that Partwise wrote and
    /// that are unchanged are replaced or removed. All other files stay.
    #[arg(long)]
    pub(crate) force: bool,
    /// Print errors only. Notices are still in run.json and in the report.
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Print run.json on standard output at the end. Everything else goes to standard error.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The content of the result files.
#[derive(Args, Clone, Debug)]
pub(crate) struct Content {
    /// What codes.npy and codes.csv contain: "plain", the codes W; "corrected", W(HH')^1/2, which have the
    /// distances and inner products of the rows of WH (for classifiers; may be negative). The model and the
    /// memberships always use W.
    #[arg(long, value_enum, default_value = "plain")]
    pub(crate) codes: Codes,
    /// How memberships (and clusters) measure a component: "length", by its Euclidean norm; "sum", by the sum
    /// of its entries, for counts. Default: length; sum with the Kullback-Leibler loss, which keeps the row
    /// sums. run.json and the report state the choice.
    #[arg(long, value_parser = choices::shares())]
    pub(crate) shares: Option<ShareOf>,
}

/// Labels, and which of them the fit uses.
#[derive(Args, Clone, Debug)]
pub(crate) struct LabelSource {
    /// Known labels: a table with samples (index from 0, or row name) and labels, one label per line for all
    /// samples, or an .npy vector. Blank, NA, nan, None, null or -1 = unlabelled.
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// Use only this many labels per class, drawn at random with --seed; the others are used for the
    /// evaluation. Default: all labels.
    #[arg(long, value_name = "N", value_parser = choices::positive, allow_negative_numbers = true)]
    pub(crate) labels_per_class: Option<usize>,
    /// The column with the labels: of the --labels table, or of the data without --labels.
    #[arg(long, value_name = "NAME")]
    pub(crate) label_column: Option<String>,
}

impl LabelSource {
    /// Whether labels are asked for.
    pub(crate) fn are_given(&self) -> bool {
        self.labels.is_some() || self.label_column.is_some()
    }

    /// The column of the data that holds the labels, where no file of labels is given.
    pub(crate) fn column_of_data(&self) -> Option<&str> {
        self.label_column.as_deref().filter(|_| self.labels.is_none())
    }
}

impl Write {
    /// What is printed.
    pub(crate) fn verbosity(&self) -> Verbosity {
        Verbosity::of(self.quiet, self.json)
    }
}

/// Random numbers and threads.
#[derive(Args, Clone, Debug)]
pub(crate) struct Run {
    /// The random seed of starts and of drawn labels.
    #[arg(long, default_value_t = Settings::new(1).seed, value_parser = choices::seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Threads, 0 or more; 0 = all cores. More threads than the machine can use are limited, with a notice.
    /// The result does not depend on this.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = choices::count, allow_negative_numbers = true)]
    pub(crate) threads: usize,
}

/// The solver and its limits.
#[derive(Args, Clone, Debug)]
struct Solver {
    /// The solver.
    #[arg(long, value_parser = choices::solver_names(), default_value = "auto")]
    solver: SolverChoice,
    /// Stop when the projected gradient is this small relative to the first iteration, or when the last 50
    /// iterations together lowered the objective by less than a ten-thousandth of it (with a tolerance below
    /// 1e-4: by less than 10⁴ times its square): below 1; 0 = stop at a limit only.
    #[arg(long, default_value_t = Settings::new(1).tolerance, value_parser = choices::tolerance, allow_negative_numbers = true)]
    tol: f64,
    /// The maximum number of iterations (updates of all factors), 0 or more.
    #[arg(long, value_name = "N", default_value_t = Settings::new(1).max_iterations, value_parser = choices::count, allow_negative_numbers = true)]
    max_iter: usize,
}

impl Solver {
    /// The settings of a fit whose rank is not known yet.
    fn settings(&self, run: &Run) -> Settings {
        Settings {
            solver: self.solver,
            tolerance: self.tol,
            max_iterations: self.max_iter,
            seed: run.seed,
            threads: run.threads,
            memory_limit: partwise_io::machine::available_memory(),
            ..Settings::new(1)
        }
    }
}

/// A file of data, and how it is read.
pub(crate) struct DataSource {
    pub(crate) path: PathBuf,
    pub(crate) options: ReadOptions,
    pub(crate) image_shape: Option<(usize, usize)>,
}

impl ReadFlags {
    fn source(self, label_column: Option<&str>) -> DataSource {
        let either = |yes: bool, no: bool| (yes || no).then_some(yes);
        let options = ReadOptions {
            header: either(self.header, self.no_header),
            row_names: either(self.row_names, self.no_row_names),
            format: self.format,
            key: self.key,
            label_column: label_column.map(str::to_string),
            ..ReadOptions::default()
        };
        DataSource { path: self.data, options, image_shape: self.image_shape }
    }
}

/// Predicts a class for every sample from a few labels, without parameters to tune. Two labels per class are
/// enough.
///
/// An ensemble of graph-based classifiers, factorizations and mixtures, weighted by cross-validation on the
/// labels. Rows are compared by direction: scale text by tf-idf and molecule counts by log1p. Writes
/// memberships.csv with the class and the posteriors of every sample, memberships.npy, and run.json with
/// everything that was tried and its score.
#[derive(Args, Clone, Debug)]
pub(crate) struct ClassifyFlags {
    #[command(flatten)]
    given: Given,
    #[command(flatten)]
    read: ReadFlags,
    #[command(flatten)]
    labels: LabelSource,
    /// Scaling of the data before anything is computed.
    #[arg(long, value_parser = choices::scales(), default_value = "none")]
    scale: ScalingKind,
    #[command(flatten)]
    run: Run,
    /// The number type of the computation.
    #[arg(long, value_enum, default_value = "auto")]
    dtype: Precision,
    #[command(flatten)]
    write: Write,
}

#[derive(Args, Debug)]
pub(crate) struct SweepFlags {
    #[command(flatten)]
    fit: FitFlags,
    /// The factors for the strengths, each 0 or more, separated by commas. They multiply s/(1 - s) of each
    /// strength s between 0 and 1.
    #[arg(long, value_name = "LIST", value_parser = choices::scale, value_delimiter = ',',
        default_value = "0,0.01,0.03,0.1,0.3,1,3,10,30")]
    scales: Vec<f64>,
}

#[derive(Args, Debug)]
pub(crate) struct TransformFlags {
    #[command(flatten)]
    given: Given,
    /// The model: model.safetensors, or the folder that holds it.
    model: PathBuf,
    #[command(flatten)]
    read: ReadFlags,
    #[command(flatten)]
    solver: Solver,
    #[command(flatten)]
    run: Run,
    #[command(flatten)]
    content: Content,
    #[command(flatten)]
    write: Write,
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
    /// is refused.
    #[arg(long, short, value_name = "DIR", default_value = "partwise-demo", value_parser = choices::folder())]
    pub(crate) out: PathBuf,
    /// Labels per digit that the fits use, 1 or more.
    #[arg(long, value_name = "N", value_parser = choices::positive, default_value = "2", allow_negative_numbers = true)]
    pub(crate) labels_per_class: usize,
    /// The maximum number of iterations of each fit, 0 or more. A few labels have most effect in the first
    /// iterations.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = choices::count, allow_negative_numbers = true)]
    pub(crate) max_iter: usize,
    #[command(flatten)]
    pub(crate) run: Run,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsRequest {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}
