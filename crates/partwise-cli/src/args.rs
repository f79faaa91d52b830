//! The flags. Every help text is a sentence with its default and range; choices come from the registries.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use partwise::Settings;
use partwise_report::program::EXIT_CODES;

use crate::choices::{self, Strength};

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
    Fit(Box<FitArgs>),
    /// Predict a class for every sample from a few labels.
    #[command(after_help = EXIT_CODES)]
    Classify(Box<ClassifyArgs>),
    /// Find the codes of new rows for the components of a model.
    #[command(after_help = EXIT_CODES)]
    Transform(TransformArgs),
    /// Fit with several strengths of the guidance, and show the error against the agreement.
    #[command(after_help = EXIT_CODES)]
    Sweep(Box<SweepArgs>),
    /// Compare the clusters of a result with labels.
    #[command(after_help = EXIT_CODES)]
    Evaluate(EvaluateArgs),
    /// List the samples to label next, or the pairs to link: those that the fit is least certain about and
    /// would learn most from.
    #[command(after_help = EXIT_CODES)]
    Suggest(SuggestArgs),
    /// List methods, solvers, starts, losses, scalings and file formats.
    #[command(after_help = EXIT_CODES)]
    Methods(MethodsArgs),
    /// Run an example on built-in handwritten digits and write a report.
    #[command(after_help = EXIT_CODES)]
    Demo(DemoArgs),
    /// Print a completion script for a shell.
    #[command(after_help = EXIT_CODES)]
    Completions(CompletionsArgs),
}

/// The data, and how they are read.
#[derive(Args, Clone, Debug)]
pub(crate) struct ReadArgs {
    /// The data: one sample per row. - reads standard input; this works for every input file, but for one at
    /// a time. See `partwise methods` for the formats.
    pub(crate) data: PathBuf,
    /// The file format. Default: from the extension, or from the content for standard input. The content must
    /// match.
    #[arg(long, value_parser = choices::formats(), hide_possible_values = false)]
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
pub(crate) struct WriteArgs {
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
pub(crate) struct ContentArgs {
    /// What codes.npy and codes.csv contain: "plain", the codes W; "corrected", W(HH')^1/2, which have the
    /// distances and inner products of the rows of WH (for classifiers; may be negative). The model and the
    /// memberships always use W.
    #[arg(long, value_parser = choices::codes(), default_value = "plain")]
    pub(crate) codes: String,
    /// How memberships (and clusters) measure a component: "length", by its Euclidean norm; "sum", by the sum
    /// of its entries, for counts. Default: length; sum with the Kullback-Leibler loss, which keeps the row
    /// sums. run.json and the report state the choice.
    #[arg(long, value_parser = choices::shares())]
    pub(crate) shares: Option<String>,
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
    pub(crate) content: ContentArgs,
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
            ("--labels", guidance.known_labels.labels.as_ref()),
            ("--reference", guidance.reference.as_ref()),
            ("--label-targets", guidance.label_targets.as_ref()),
            ("--entry-weights", guidance.entry_weights.as_ref()),
            ("--graph", guidance.graph.as_ref()),
            ("--feature-names", guidance.feature_names.as_ref()),
            ("--start", self.solve.start.as_ref()),
        ]
    }
}

/// Labels, and which of them the fit uses.
#[derive(Args, Clone, Debug)]
pub(crate) struct LabelArgs {
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

impl LabelArgs {
    /// Whether labels are asked for.
    pub(crate) fn are_given(&self) -> bool {
        self.labels.is_some() || self.label_column.is_some()
    }

    /// The column of the data that holds the labels, where no file of labels is given.
    pub(crate) fn column_of_data(&self) -> Option<&str> {
        self.label_column.as_deref().filter(|_| self.labels.is_none())
    }
}

/// What you know about the samples and components.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "What you know")]
pub(crate) struct GuidanceArgs {
    /// Everything that you know, in one TOML file (method guided): topics with seed words, labels,
    /// memberships, references, links, a graph, each with a strength. The other flags of this list add to it.
    #[arg(long, value_name = "FILE")]
    pub(crate) guidance: Option<PathBuf>,
    /// Topics with seed words (method guided): a table with the columns topic,word and optionally
    /// weight,forbidden; or one row per topic, with its name and its words.
    #[arg(long, value_name = "FILE")]
    pub(crate) topics: Option<PathBuf>,
    /// Must-links and cannot-links between samples (method guided): a table whose rows have two samples
    /// (numbers from 0, or names) and must or cannot.
    #[arg(long, value_name = "FILE")]
    pub(crate) links: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) known_labels: LabelArgs,
    /// Whether the labels also guide the samples without one (guided): the few-label classifier draws each of
    /// them to its most likely topic, no more strongly than needed. Default: auto.
    #[arg(long, value_name = "WHEN", value_parser = choices::spreading())]
    pub(crate) spread: Option<String>,
    /// Reference components for ws-nmf and guided: a table with one component per row, in the units of the
    /// data after --scale.
    #[arg(long, value_name = "FILE")]
    pub(crate) reference: Option<PathBuf>,
    /// Numeric labels for ssnmf: a table with one row per sample and one column per label, 0 or more; nan =
    /// unknown.
    #[arg(long, value_name = "FILE")]
    pub(crate) label_targets: Option<PathBuf>,
    /// Treat nan in the data as missing entries (ssnmf, guided; dense data).
    #[arg(long)]
    pub(crate) missing: bool,
    /// Treat zeros as missing entries, as in ratings; in a sparse file: entries that are not stored (guided;
    /// squared loss).
    #[arg(long, conflicts_with = "missing")]
    pub(crate) zeros_missing: bool,
    /// The weight of each entry (guided; squared loss): a table with the shape of the data, 0 or more; 0 =
    /// ignored.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["missing", "zeros_missing"])]
    pub(crate) entry_weights: Option<PathBuf>,
    /// A graph of the samples for gnmf, semi-gnmf, ws-nmf and guided: an edge list with the columns
    /// source,target and optionally weight (nodes from 0), or a symmetric matrix.
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,
    /// Build a graph that connects each sample with this many nearest neighbours, 1 to n - 1 (gnmf,
    /// semi-gnmf, ws-nmf, guided; default 5). With symnmf and ws-symnmf the graph replaces the data (default
    /// 7); without this flag and --graph-weights, the data must be similarities.
    #[arg(long, value_name = "N", value_parser = choices::positive, conflicts_with = "graph", allow_negative_numbers = true)]
    pub(crate) graph_neighbours: Option<usize>,
    /// The edge weights of the neighbour graph. Default: binary for gnmf, semi-gnmf, ws-nmf and guided,
    /// self-tuning for symnmf and ws-symnmf.
    #[arg(long, value_name = "KIND", value_parser = choices::graph_weights(), conflicts_with = "graph")]
    pub(crate) graph_weights: Option<String>,
    /// The width of the heat weights exp(-|x - y|^2 / width), above 0. Its unit is the square of the unit of
    /// the data.
    #[arg(long, value_name = "W", value_parser = choices::above_zero, allow_negative_numbers = true)]
    pub(crate) heat_width: Option<f64>,
    /// Divide each similarity of symnmf and ws-symnmf by the square roots of the two row sums.
    #[arg(long)]
    pub(crate) degree_normalized: bool,
    /// Names of the features, one per line (terms.txt). Default: the header of the data, if it has one.
    #[arg(long, value_name = "FILE")]
    pub(crate) feature_names: Option<PathBuf>,
}

/// The method and its parameters.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelArgs {
    /// Old spelling of `partwise classify`; it will be removed in the next release.
    #[arg(long, hide = true, value_parser = ["auto"], conflicts_with_all = ["method", "rank", "loss", "strength", "graph_weight", "scale_mode", "delta", "l1", "l2", "reference", "graph", "graph_neighbours", "guidance", "topics", "links", "solver", "inner", "acceleration", "init", "start", "first", "tol", "max_iter", "time_limit"])]
    pub(crate) recipe: Option<String>,
    /// The method. Default: guided if you give --guidance, --topics or --links, or two of labels, reference
    /// and graph. Otherwise ws-nmf if you give a reference, cnmf if you give labels, else nmf.
    #[arg(long, value_parser = choices::methods())]
    pub(crate) method: Option<String>,
    /// k, the number of components, 1 or more. Default: the number of classes if you give labels; for guided,
    /// the number of components that the topics need.
    #[arg(short = 'k', long = "rank", value_name = "K", value_parser = choices::positive, allow_negative_numbers = true)]
    pub(crate) rank: Option<usize>,
    /// The loss. Default: frobenius (kullback-leibler for cnmf-kl).
    #[arg(long, value_parser = choices::losses())]
    pub(crate) loss: Option<String>,
    /// How strongly labels, references and other guidance are followed: from 0 (ignored) to 1 (exact; guided
    /// only), or "auto" for the smallest strength at which they are followed (ws-nmf, ws-symnmf: by 95 % of
    /// the labels). Applies to every item without a strength of its own, except a graph. With --scale-mode:
    /// the published weight, 0 or more. Default: 0.9; 10/11 with ws-nmf and ws-symnmf, as weight 10.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub(crate) strength: Option<Strength>,
    /// How strongly gnmf and semi-gnmf make connected samples similar: 0 or more, in the unit of the squared
    /// components. Default: 1. For ws-nmf: without a unit, unless --scale-mode is given. For guided: the same
    /// weight instead of a strength.
    #[arg(long, value_name = "L", value_parser = choices::not_negative, allow_negative_numbers = true)]
    pub(crate) graph_weight: Option<f64>,
    /// Use the published weight of ws-nmf and ws-symnmf for labels, and fit the free scale of their rows
    /// exactly (joint) or as published (alternating). Default: a strength without a unit.
    #[arg(long, value_name = "MODE", value_parser = choices::scale_modes())]
    pub(crate) scale_mode: Option<String>,
    /// The weight of the labels relative to the data in ssnmf, 0 or more; 1 = equal. Default: 1.
    #[arg(long, value_name = "L", value_parser = choices::not_negative, allow_negative_numbers = true)]
    pub(crate) label_weight: Option<f64>,
    /// The penalty on the difference between the two factors of symnmf and ws-symnmf: 0 or more. Default: the
    /// square of the largest entry.
    #[arg(long, value_name = "MU", value_parser = choices::not_negative, allow_negative_numbers = true)]
    pub(crate) coupling: Option<f64>,
    /// The weight of the class-separating directions in nmf-alpha: 0 (plain NMF) or more. A notice reports
    /// their size relative to the data. Default: 1.
    #[arg(long, value_name = "L", alias = "lambda", value_parser = choices::not_negative, allow_negative_numbers = true)]
    pub(crate) margin_weight: Option<f64>,
    /// The cost C of the support vector machines of nmf-alpha, above 0. It depends on the scale of the data
    /// after --scale. Default: 1.
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
    /// Scaling of the data before the fit. The model keeps it, and transform applies it to new rows.
    #[arg(long, value_parser = choices::scales(), default_value = "none")]
    pub(crate) scale: String,
}

/// The solver, the start and the limits.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Solver")]
pub(crate) struct SolveArgs {
    /// The solver.
    #[arg(long, value_parser = choices::solver_names(), default_value = "auto")]
    pub(crate) solver: String,
    /// Inner steps of the solver for each factor and iteration, 1 or more. Default: the solver's (hals 1,
    /// accelerated 1 to 4 by the shape of the data; nesterov 10).
    #[arg(long, value_name = "N", value_parser = choices::positive, allow_negative_numbers = true)]
    pub(crate) inner: Option<usize>,
    /// Extrapolate the factors along their last change, and let hals do more sweeps where they are cheap.
    /// Needs fewer iterations for the same result.
    #[arg(long, value_parser = choices::accelerations(), default_value = "auto")]
    pub(crate) acceleration: String,
    /// The start.
    #[arg(long, value_parser = choices::starts(), default_value = "auto")]
    pub(crate) init: String,
    /// Start from the factors of a model file (warm start), whose k is then the default.
    #[arg(long, value_name = "MODEL", conflicts_with = "init")]
    pub(crate) start: Option<PathBuf>,
    /// The factor that each iteration updates first. Default: the codes after a label-aware start, otherwise
    /// the components.
    #[arg(long, value_parser = choices::slots())]
    pub(crate) first: Option<String>,
    /// The random seed, also for drawing labels.
    #[arg(long, default_value_t = Settings::new(1).seed, value_parser = choices::seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Stop when the projected gradient is this small relative to the first iteration, or when the last 50
    /// iterations together lowered the objective by less than a ten-thousandth of it (with a tolerance below
    /// 1e-4: by less than 10⁴ times its square): below 1; 0 = stop at a limit only.
    #[arg(long, default_value_t = Settings::new(1).tolerance, value_parser = choices::tolerance, allow_negative_numbers = true)]
    pub(crate) tol: f64,
    /// The maximum number of iterations (updates of both factors), 0 or more.
    #[arg(long, value_name = "N", default_value_t = Settings::new(1).max_iterations, value_parser = choices::count, allow_negative_numbers = true)]
    pub(crate) max_iter: usize,
    /// The maximum number of seconds for the iterations, above 0. The result so far is kept. Default: no
    /// limit.
    #[arg(long, value_name = "SECONDS", value_parser = choices::seconds, allow_negative_numbers = true)]
    pub(crate) time_limit: Option<f64>,
    /// Threads, 0 or more; 0 = all cores. More threads than the machine can use are limited, with a notice.
    /// The result does not depend on this.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = choices::count, allow_negative_numbers = true)]
    pub(crate) threads: usize,
    /// The number type of the computation.
    #[arg(long, value_parser = choices::dtypes(), default_value = "auto")]
    pub(crate) dtype: String,
}

/// Predicts a class for every sample from a few labels, without parameters to tune. Two labels per class are
/// enough.
///
/// An ensemble of graph-based classifiers, factorizations and mixtures, weighted by cross-validation on the
/// labels. Rows are compared by direction: scale text by tf-idf and molecule counts by log1p. Writes
/// memberships.csv with the class and the posteriors of every sample, memberships.npy, and run.json with
/// everything that was tried and its score.
#[derive(Args, Clone, Debug)]
pub(crate) struct ClassifyArgs {
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) known_labels: LabelArgs,
    /// Scaling of the data before anything is computed.
    #[arg(long, value_parser = choices::scales(), default_value = "none")]
    pub(crate) scale: String,
    /// The random seed, also for drawing labels.
    #[arg(long, default_value_t = Settings::new(1).seed, value_parser = choices::seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Threads, 0 or more; 0 = all cores. More threads than the machine can use are limited, with a notice.
    /// The result does not depend on this.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = choices::count, allow_negative_numbers = true)]
    pub(crate) threads: usize,
    /// The number type of the computation.
    #[arg(long, value_parser = choices::dtypes(), default_value = "auto")]
    pub(crate) dtype: String,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
}

impl ClassifyArgs {
    /// What `partwise fit --recipe auto` asks for.
    pub(crate) fn of_recipe(args: &FitArgs) -> Self {
        ClassifyArgs {
            read: args.read.clone(),
            known_labels: args.guidance.known_labels.clone(),
            scale: args.model.scale.clone(),
            seed: args.solve.seed,
            threads: args.solve.threads,
            dtype: args.solve.dtype.clone(),
            write: args.write.clone(),
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct SweepArgs {
    #[command(flatten)]
    pub(crate) fit: FitArgs,
    /// The factors for the strengths, each 0 or more, separated by commas. They multiply s/(1 - s) of each
    /// strength s between 0 and 1.
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
    /// Stop when the projected gradient is this small relative to the first iteration, or when the last 50
    /// iterations together lowered the objective by less than a ten-thousandth of it (with a tolerance below
    /// 1e-4: by less than 10⁴ times its square): below 1; 0 = stop at a limit only.
    #[arg(long, default_value_t = Settings::new(1).tolerance, value_parser = choices::tolerance, allow_negative_numbers = true)]
    pub(crate) tol: f64,
    /// The maximum number of iterations, 0 or more.
    #[arg(long, value_name = "N", default_value_t = Settings::new(1).max_iterations, value_parser = choices::count, allow_negative_numbers = true)]
    pub(crate) max_iter: usize,
    /// The random seed of the start.
    #[arg(long, default_value_t = Settings::new(1).seed, value_parser = choices::seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Threads, 0 or more; 0 = all cores. More threads than the machine can use are limited, with a notice.
    /// The result does not depend on this.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = choices::count, allow_negative_numbers = true)]
    pub(crate) threads: usize,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
}

#[derive(Args, Debug)]
pub(crate) struct EvaluateArgs {
    /// The result: a folder that `partwise fit` or `partwise classify` wrote, or a model.safetensors.
    pub(crate) result: PathBuf,
    /// The labels to compare with, in the formats of `fit --labels`.
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: PathBuf,
    /// The column of the labels file that contains the labels. Default: label, else the second.
    #[arg(long, value_name = "NAME")]
    pub(crate) label_column: Option<String>,
    /// How clusters are made from the codes.
    #[arg(long, value_parser = choices::clusters(), default_value = "shares")]
    pub(crate) clusters: String,
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
pub(crate) struct SuggestArgs {
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
pub(crate) struct MethodsArgs {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct DemoArgs {
    /// The folder for the report. A folder that an earlier demo wrote is replaced; any other existing folder
    /// is refused.
    #[arg(long, short, value_name = "DIR", default_value = "partwise-demo", value_parser = choices::folder())]
    pub(crate) out: PathBuf,
    /// The random seed, for drawing labels and for the starts.
    #[arg(long, default_value_t = 0, value_parser = choices::seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Labels per digit that the fits use, 1 or more.
    #[arg(long, value_name = "N", value_parser = choices::positive, default_value = "2", allow_negative_numbers = true)]
    pub(crate) labels_per_class: usize,
    /// The maximum number of iterations of each fit, 0 or more. A few labels have most effect in the first
    /// iterations.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = choices::count, allow_negative_numbers = true)]
    pub(crate) max_iter: usize,
    /// Threads, 0 or more; 0 = all cores. More threads than the machine can use are limited, with a notice.
    /// The result does not depend on this.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = choices::count, allow_negative_numbers = true)]
    pub(crate) threads: usize,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}
