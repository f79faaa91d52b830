//! The flags. Every help text is a sentence with its default and range; choices come from the registries.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use partwise::Settings;
use partwise_report::program::EXIT_CODES;

use crate::choices::{self, Strength};

/// Non-negative matrix factorization guided by what you know.
///
/// Factors a table X (samples x features, no negative entries) into codes W (samples x k) and components H (k x features).
/// Known labels or reference rows make the components carry your names.
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
    Fit(Box<FitArgs>),
    /// Find the codes of new rows for the components of a model.
    #[command(after_help = EXIT_CODES)]
    Transform(TransformArgs),
    /// Show fit against agreement over the strengths of a guidance.
    #[command(after_help = EXIT_CODES)]
    Sweep(Box<SweepArgs>),
    /// Compare the clusters of a result with labels.
    #[command(after_help = EXIT_CODES)]
    Evaluate(EvaluateArgs),
    /// Say which samples to label next, or which links to give: those on which a fit is least sure and that tell it most.
    #[command(after_help = EXIT_CODES)]
    Suggest(SuggestArgs),
    /// List methods, solvers, starts, losses, scalings and file formats.
    #[command(after_help = EXIT_CODES)]
    Methods(MethodsArgs),
    /// Show the main job on built-in handwritten digits.
    #[command(after_help = EXIT_CODES)]
    Demo(DemoArgs),
    /// Print a completion script for a shell.
    #[command(after_help = EXIT_CODES)]
    Completions(CompletionsArgs),
}

/// What is read, and how.
#[derive(Args, Clone, Debug)]
pub(crate) struct ReadArgs {
    /// The table: one sample a row; - reads it from standard input, as every file can be read (one of them). See `partwise methods` for the
    /// formats.
    pub(crate) data: PathBuf,
    /// The format. Default: by the extension (of standard input: by the content); the content must agree with it.
    #[arg(long, value_parser = choices::formats(), hide_possible_values = false)]
    pub(crate) format: Option<String>,
    /// Which array of an .npz archive. Default: the only one.
    #[arg(long, value_name = "NAME")]
    pub(crate) key: Option<String>,
    /// The first row of a text table holds the names of the columns. Default: detected, and told where it isn't certain.
    #[arg(long, overrides_with = "no_header")]
    pub(crate) header: bool,
    /// The first row of a text table holds data.
    #[arg(long, overrides_with = "header")]
    pub(crate) no_header: bool,
    /// The first column of a text table holds the names of the rows. Default: detected, and told where it isn't certain.
    #[arg(long, overrides_with = "no_row_names")]
    pub(crate) row_names: bool,
    /// The first column of a text table holds data.
    #[arg(long, overrides_with = "row_names")]
    pub(crate) no_row_names: bool,
    /// Each row is an image of this height and width, as in 32x32. Default: known for image stacks.
    #[arg(long, value_name = "HxW", value_parser = choices::image_shape)]
    pub(crate) image_shape: Option<(usize, usize)>,
}

/// Where it goes, and what is said meanwhile.
#[derive(Args, Clone, Debug)]
pub(crate) struct WriteArgs {
    /// The folder for the result. It must not exist, unless --force is given. In its tables an apostrophe stands before a name that a
    /// spreadsheet would take for a formula (= + - @); every reader here takes it off again.
    #[arg(long, short, value_name = "DIR", value_parser = choices::folder())]
    pub(crate) out: PathBuf,
    /// Replace the earlier result that the folder holds, or write into a folder that is empty. Only files that Partwise wrote there and that
    /// are as it wrote them are replaced or removed; all others stay.
    #[arg(long)]
    pub(crate) force: bool,
    /// What codes.npy and codes.csv hold: the codes, or the codes W(HH')^1/2, whose distances and inner products are those of the rows of
    /// WH (for classifiers; they may be negative). Model and memberships have the plain codes.
    #[arg(long, value_parser = choices::codes(), default_value = "plain")]
    pub(crate) codes: String,
    /// What the shares in memberships.csv (and the clusters, by the largest) are shares of: "length", code times length of the component;
    /// "sum", code times sum of the component, parts of what was counted. Default: length, and sum under Kullback-Leibler, which keeps
    /// the total of each row. run.json and the report say it.
    #[arg(long, value_parser = choices::shares())]
    pub(crate) shares: Option<String>,
    /// Print errors only. Notes are in run.json and in the report all the same.
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Print the content of run.json on standard output at the end; all else goes to standard error.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) guidance: GuidanceArgs,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) solve: SolveArgs,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
}

impl FitArgs {
    /// The files that are read: what each is for, and its path.
    pub(crate) fn inputs(&self) -> [(&'static str, Option<&PathBuf>); 11] {
        let guidance = &self.guidance;
        [
            ("the data", Some(&self.read.data)),
            ("--guidance", guidance.guidance.as_ref()),
            ("--topics", guidance.topics.as_ref()),
            ("--links", guidance.links.as_ref()),
            ("--labels", guidance.labels.as_ref()),
            ("--reference", guidance.reference.as_ref()),
            ("--label-targets", guidance.label_targets.as_ref()),
            ("--entry-weights", guidance.entry_weights.as_ref()),
            ("--graph", guidance.graph.as_ref()),
            ("--feature-names", guidance.feature_names.as_ref()),
            ("--start", self.solve.start.as_ref()),
        ]
    }
}

/// What is known about the samples and parts.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "What you know")]
pub(crate) struct GuidanceArgs {
    /// Everything that is known, in one TOML file (method guided): topics with seed words, labels, memberships, references, links, a
    /// graph, each with a strength. The other flags of this list add to it.
    #[arg(long, value_name = "FILE")]
    pub(crate) guidance: Option<PathBuf>,
    /// Topics with seed words (method guided): a table with the header topic,word and perhaps weight,forbidden; or one topic a row, its name and its words.
    #[arg(long, value_name = "FILE")]
    pub(crate) topics: Option<PathBuf>,
    /// Pairs of samples that belong together or apart (method guided): a table with two samples (numbers from 0, or names) and must or cannot.
    #[arg(long, value_name = "FILE")]
    pub(crate) links: Option<PathBuf>,
    /// Known labels: a table of samples (by index from 0, or by the names of the rows) and labels, one label a line, or an .npy vector;
    /// blank, NA, nan, None, null or -1 = unlabelled.
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// Guide with this many labels of each class only, drawn by the seed; the others serve the evaluation. Default: all guide.
    #[arg(long, value_name = "N", value_parser = choices::positive, allow_negative_numbers = true)]
    pub(crate) labels_per_class: Option<usize>,
    /// The column that holds the labels: of the --labels table, or of the data when --labels is not given.
    #[arg(long, value_name = "NAME")]
    pub(crate) label_column: Option<String>,
    /// Reference components for ws-nmf and guided: a table with one component a row, in the units of the (scaled) data.
    #[arg(long, value_name = "FILE")]
    pub(crate) reference: Option<PathBuf>,
    /// Labels as numbers for ssnmf: a table with one row a sample and one column a label, 0 or more; nan = not known.
    #[arg(long, value_name = "FILE")]
    pub(crate) label_targets: Option<PathBuf>,
    /// Entries of the data that are nan are not known and don't count (ssnmf, guided; dense data).
    #[arg(long)]
    pub(crate) missing: bool,
    /// Entries that are 0, in a sparse file those that it does not list, are not known and don't count, as in ratings (guided; squared
    /// loss).
    #[arg(long, conflicts_with = "missing")]
    pub(crate) zeros_missing: bool,
    /// How much each entry counts (guided; squared loss): a table of the shape of the data, 0 or more; 0 = it doesn't count.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["missing", "zeros_missing"])]
    pub(crate) entry_weights: Option<PathBuf>,
    /// A graph over the samples for gnmf, semi-gnmf and guided: an edge list with the header source,target and perhaps weight (nodes from 0), or a symmetric matrix.
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,
    /// Join each sample with this many nearest neighbours, 1 to n - 1, for gnmf, semi-gnmf and guided (default 5). With symnmf or
    /// ws-symnmf the graph stands in for the data (default 7); without this flag and --graph-weights the data are the similarities.
    #[arg(long, value_name = "N", value_parser = choices::positive, conflicts_with = "graph", allow_negative_numbers = true)]
    pub(crate) graph_neighbours: Option<usize>,
    /// The weights of the joined neighbours. Default: binary for gnmf, semi-gnmf and guided, self-tuning for symnmf and ws-symnmf.
    #[arg(long, value_name = "KIND", value_parser = choices::graph_weights(), conflicts_with = "graph")]
    pub(crate) graph_weights: Option<String>,
    /// The width of the heat weights exp(-|x - y|^2 / width), above 0, in the square of the unit of the data.
    #[arg(long, value_name = "W", value_parser = choices::above_zero, allow_negative_numbers = true)]
    pub(crate) heat_width: Option<f64>,
    /// Divide the similarities of symnmf and ws-symnmf by the roots of the two row sums.
    #[arg(long)]
    pub(crate) degree_normalized: bool,
    /// Names of the features, one a line (terms.txt). Default: the header of the data, if it has one.
    #[arg(long, value_name = "FILE")]
    pub(crate) feature_names: Option<PathBuf>,
}

/// What is fitted.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelArgs {
    /// A recipe in place of a method: "auto" gives every sample a class from the labels of a few, chooses by leaving labels out, and
    /// writes memberships.csv, memberships.npy and run.json.
    #[arg(long, value_parser = choices::recipes(), conflicts_with_all = ["method", "rank", "loss", "strength", "graph_weight", "scale_mode", "delta", "l1", "l2", "reference", "graph", "graph_neighbours", "guidance", "topics", "links", "solver", "inner", "acceleration", "init", "start", "first", "tol", "max_iter", "time_limit"])]
    pub(crate) recipe: Option<String>,
    /// The method. Default: guided with --guidance, --topics or --links, or with two of labels, a reference and a graph; else ws-nmf with a
    /// reference, cnmf with labels, nmf.
    #[arg(long, value_parser = choices::methods())]
    pub(crate) method: Option<String>,
    /// k, the number of components, 1 or more. Default: the number of classes when labels are given; with guided,
    /// the components of the topics.
    #[arg(short = 'k', long = "rank", value_name = "K", value_parser = choices::positive, allow_negative_numbers = true)]
    pub(crate) rank: Option<usize>,
    /// The loss. Default: frobenius (kullback-leibler for cnmf-kl).
    #[arg(long, value_parser = choices::losses())]
    pub(crate) loss: Option<String>,
    /// How strongly ws-nmf and ws-symnmf hold labels and references: 0 or more, or "auto" for the smallest that holds 95 % of the labels. For
    /// labels it has no unit, unless --scale-mode asks for the published weight. Default: 10. With guided: of everything but a graph that
    /// states no strength of its own, from 0 (ignored) to 1 (held exactly), or "auto" for the least that is followed. Default: 0.9.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub(crate) strength: Option<Strength>,
    /// How strongly gnmf and semi-gnmf draw joined samples together, in the unit of the squared components: 0 or more. Default: 1.
    /// With guided: the same weight in place of a strength.
    #[arg(long, value_name = "L", value_parser = choices::not_negative, allow_negative_numbers = true)]
    pub(crate) graph_weight: Option<f64>,
    /// Holds labels by the published weight of ws-nmf and ws-symnmf, with the free scale of their rows minimized out (joint) or alternated.
    /// Default: by a strength without a unit.
    #[arg(long, value_name = "MODE", value_parser = choices::scale_modes())]
    pub(crate) scale_mode: Option<String>,
    /// How much the labels weigh beside the data in ssnmf: 0 or more; 1 weighs them as much as the data. Default: 1.
    #[arg(long, value_name = "L", value_parser = choices::not_negative, allow_negative_numbers = true)]
    pub(crate) label_weight: Option<f64>,
    /// How strongly the two factors of symnmf and ws-symnmf are held together: 0 or more. Default: the square of the largest entry.
    #[arg(long, value_name = "MU", value_parser = choices::not_negative, allow_negative_numbers = true)]
    pub(crate) coupling: Option<f64>,
    /// How much nmf-alpha weighs the directions that separate the classes: 0 (plain NMF) or more; the note on margins says how heavy
    /// they are beside the data. Default: 1.
    #[arg(long, value_name = "L", alias = "lambda", value_parser = choices::not_negative, allow_negative_numbers = true)]
    pub(crate) margin_weight: Option<f64>,
    /// The cost C of the support vector machines of nmf-alpha, above 0, for the scale of the (scaled) data. Default: 1.
    #[arg(long, value_name = "C", value_parser = choices::above_zero, allow_negative_numbers = true)]
    pub(crate) svm_cost: Option<f64>,
    /// The smoothing between the factors of nmf-dc and ns-nmf, from 0 (none) to 1. Default: 0.3.
    #[arg(long, value_name = "D", alias = "theta", value_parser = choices::unit, allow_negative_numbers = true)]
    pub(crate) delta: Option<f64>,
    /// L1 penalties of codes and components, each 0 or more, normalized by size as in scikit-learn.
    #[arg(long, value_name = "A,B", value_parser = choices::pair, default_value = "0,0", allow_negative_numbers = true)]
    pub(crate) l1: (f64, f64),
    /// L2 penalties of codes and components, each 0 or more, normalized by size as in scikit-learn.
    #[arg(long, value_name = "A,B", value_parser = choices::pair, default_value = "0,0", allow_negative_numbers = true)]
    pub(crate) l2: (f64, f64),
    /// Scaling of the data before the fit; it is kept in the model and repeated by transform.
    #[arg(long, value_parser = choices::scales(), default_value = "none")]
    pub(crate) scale: String,
}

/// How it is solved.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Solver")]
pub(crate) struct SolveArgs {
    /// The solver.
    #[arg(long, value_parser = choices::solver_names(), default_value = "auto")]
    pub(crate) solver: String,
    /// Inner steps of the solver for each factor and iteration, 1 or more. Default: the solver's (hals 1, accelerated 1 to 4 by the shape of the data; nesterov 10).
    #[arg(long, value_name = "N", value_parser = choices::positive, allow_negative_numbers = true)]
    pub(crate) inner: Option<usize>,
    /// Whether factors are moved on along their last change, and hals takes more sweeps where they are cheap: fewer iterations to the
    /// same limits.
    #[arg(long, value_parser = choices::accelerations(), default_value = "auto")]
    pub(crate) acceleration: String,
    /// The start.
    #[arg(long, value_parser = choices::starts(), default_value = "auto")]
    pub(crate) init: String,
    /// Start from the factors of a model file (warm start), whose k is then the default.
    #[arg(long, value_name = "MODEL", conflicts_with = "init")]
    pub(crate) start: Option<PathBuf>,
    /// The factor that each iteration updates first. Default: codes after a label-aware start, else components.
    #[arg(long, value_parser = choices::slots())]
    pub(crate) first: Option<String>,
    /// The seed of all random numbers, of the draw of labels too.
    #[arg(long, default_value_t = Settings::new(1).seed, value_parser = choices::seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Stop when the projected gradient is this small relative to the first iteration, or when the last 50 iterations together lowered the objective by less than a ten-thousandth of it (with a tolerance below 1e-4: by less than 10⁴ times its square): below 1; 0 = stop at a limit only.
    #[arg(long, default_value_t = Settings::new(1).tolerance, value_parser = choices::tolerance, allow_negative_numbers = true)]
    pub(crate) tol: f64,
    /// The most iterations (updates of both factors), 0 or more.
    #[arg(long, value_name = "N", default_value_t = Settings::new(1).max_iterations, value_parser = choices::count, allow_negative_numbers = true)]
    pub(crate) max_iter: usize,
    /// The most seconds for the iterations, above 0; what was reached is kept. Default: no limit.
    #[arg(long, value_name = "SECONDS", value_parser = choices::seconds, allow_negative_numbers = true)]
    pub(crate) time_limit: Option<f64>,
    /// Threads, 0 or more; 0 = all cores; more than the machine can use count as the most that it can, with a note. The result doesn't depend
    /// on them.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = choices::count, allow_negative_numbers = true)]
    pub(crate) threads: usize,
    /// The number type of the computation.
    #[arg(long, value_parser = choices::dtypes(), default_value = "auto")]
    pub(crate) dtype: String,
}

#[derive(Args, Debug)]
pub(crate) struct SweepArgs {
    #[command(flatten)]
    pub(crate) fit: FitArgs,
    /// What the strengths are multiplied by, each 0 or more, with commas (sigma = s/(1 - s) of each strength s that is not held or raw).
    #[arg(long, value_name = "LIST", value_parser = choices::scale, value_delimiter = ',',
        default_value = "0,0.01,0.03,0.1,0.3,1,3,10,30")]
    pub(crate) scales: Vec<f64>,
}

#[derive(Args, Debug)]
pub(crate) struct TransformArgs {
    /// The model: model.safetensors, or the folder that holds it.
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    /// The solver.
    #[arg(long, value_parser = choices::solver_names(), default_value = "auto")]
    pub(crate) solver: String,
    /// Stop when the projected gradient is this small relative to the first iteration, or when the last 50 iterations together lowered the objective by less than a ten-thousandth of it (with a tolerance below 1e-4: by less than 10⁴ times its square): below 1; 0 = stop at a limit only.
    #[arg(long, default_value_t = Settings::new(1).tolerance, value_parser = choices::tolerance, allow_negative_numbers = true)]
    pub(crate) tol: f64,
    /// The most iterations, 0 or more.
    #[arg(long, value_name = "N", default_value_t = Settings::new(1).max_iterations, value_parser = choices::count, allow_negative_numbers = true)]
    pub(crate) max_iter: usize,
    /// The seed of the random start.
    #[arg(long, default_value_t = Settings::new(1).seed, value_parser = choices::seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Threads, 0 or more; 0 = all cores; more than the machine can use count as the most that it can, with a note. The result doesn't depend
    /// on them.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = choices::count, allow_negative_numbers = true)]
    pub(crate) threads: usize,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
}

#[derive(Args, Debug)]
pub(crate) struct EvaluateArgs {
    /// The result: a folder that `partwise fit` wrote, or its model.safetensors.
    pub(crate) result: PathBuf,
    /// The labels to compare with, in the formats of `fit --labels`.
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: PathBuf,
    /// The column of the labels file that holds the labels. Default: label, else the second.
    #[arg(long, value_name = "NAME")]
    pub(crate) label_column: Option<String>,
    /// What the clusters are.
    #[arg(long, value_parser = choices::clusters(), default_value = "shares")]
    pub(crate) clusters: String,
    /// Clusters of k-means, 1 or more. Default: the number of classes.
    #[arg(short = 'k', long, value_name = "K", value_parser = choices::positive, allow_negative_numbers = true)]
    pub(crate) n_clusters: Option<usize>,
    /// The seed of the starts of k-means.
    #[arg(long, default_value_t = 0, value_parser = choices::seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct SuggestArgs {
    /// The result: a folder that `partwise fit` wrote, or its model.safetensors.
    pub(crate) result: PathBuf,
    /// Labels that are known by now, in the formats of `fit --labels`: these samples are left out, beside those that guided the fit.
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// The column of the labels file that holds the labels. Default: label, else the second.
    #[arg(long, value_name = "NAME", requires = "labels")]
    pub(crate) label_column: Option<String>,
    /// How many, 1 or more.
    #[arg(short = 'n', long, value_name = "N", value_parser = choices::positive, default_value = "10", allow_negative_numbers = true)]
    pub(crate) count: usize,
    /// Pairs of samples most in doubt instead, for --links.
    #[arg(long, conflicts_with = "labels")]
    pub(crate) links: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct MethodsArgs {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct DemoArgs {
    /// The folder for the report. It is replaced if an earlier demo wrote it; any other existing folder is left alone.
    #[arg(long, short, value_name = "DIR", default_value = "partwise-demo", value_parser = choices::folder())]
    pub(crate) out: PathBuf,
    /// The seed of the draw of labels and of the starts.
    #[arg(long, default_value_t = 0, value_parser = choices::seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Labels a digit that guide the fits, 1 or more.
    #[arg(long, value_name = "N", value_parser = choices::positive, default_value = "2", allow_negative_numbers = true)]
    pub(crate) labels_per_class: usize,
    /// The most iterations of each fit, 0 or more. Few labels guide the first iterations most.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = choices::count, allow_negative_numbers = true)]
    pub(crate) max_iter: usize,
    /// Threads, 0 or more; 0 = all cores; more than the machine can use count as the most that it can, with a note. The result doesn't depend
    /// on them.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = choices::count, allow_negative_numbers = true)]
    pub(crate) threads: usize,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}
