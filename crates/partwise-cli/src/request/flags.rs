//! The flags of `fit`, `sweep`, `classify` and `transform` as they are typed. In help texts `{methods}` and
//! the like are filled in from the registry ([`method_flags`](super::method_flags)).

use std::path::PathBuf;

use clap::{Arg, Args};
use partwise::guidance::Strength;
use partwise::methods::Input;
use partwise::recipes::{Holdout, RankSettings};
use partwise::{Acceleration, Init, Loss, ScalingKind, Slot};
use partwise_classify::{ClassSizes, Spreading};

use super::choices::{self, Components, MethodChoice, Precision};
use super::data::ReadFlags;
use super::groups::{Content, LabelSource, Long, NewRowsSolver, Page, Run, Solver, WriteFlags};
use super::method_flags::{Given, MethodFlags, parameter_flags, with_methods};

const ANYTHING: &[Input] = &[Input::Guidance];
const GRAPH: &[Input] = &[Input::Graph, Input::Guidance];
/// Graphs of neighbours stand for similarities, too.
const NEIGHBOURS: &[Input] = &[Input::Graph, Input::Coupling, Input::Guidance];

/// The flags that only some methods take, each with what a method must take one of.
pub(super) const METHOD_FLAGS: &MethodFlags = &[
    ("guidance", ANYTHING),
    ("topics", ANYTHING),
    ("links", ANYTHING),
    ("spread", ANYTHING),
    ("reference", &[Input::ComponentReference, Input::Guidance]),
    ("label_targets", &[Input::LabelTargets]),
    ("missing", &[Input::KnownEntries, Input::Guidance]),
    ("zeros_missing", ANYTHING),
    ("entry_weights", ANYTHING),
    ("graph", GRAPH),
    ("graph_neighbours", NEIGHBOURS),
    ("graph_weights", NEIGHBOURS),
    ("heat_width", NEIGHBOURS),
    ("degree_normalized", &[Input::Coupling]),
    ("strength", &[Input::ComponentsPerClass, Input::Guidance]),
    ("graph_weight", GRAPH),
    ("label_weight", &[Input::LabelTargets]),
];

fn named_methods(flag: Arg) -> Arg {
    with_methods(flag, METHOD_FLAGS)
}

#[derive(Args, Clone, Debug)]
#[command(mut_args(named_methods))]
pub(crate) struct FitFlags {
    #[command(flatten)]
    pub(super) given: Given,
    #[command(flatten)]
    pub(super) known: KnownFiles,
    #[command(flatten)]
    pub(super) graph: GraphFlags,
    /// k, the number of components, 1 or more, or "auto" to find it as `partwise rank` does. Default: the
    /// number of classes if you give labels; for {of anything}, the number of components that the topics
    /// need.
    #[arg(short = 'k', long = "rank", help_heading = "Method", value_name = "K", value_parser = choices::components, allow_negative_numbers = true)]
    pub(super) rank: Option<Components>,
    #[command(flatten)]
    pub(super) model: ModelFlags,
    #[command(flatten)]
    pub(super) solve: SolveFlags,
    #[command(flatten)]
    pub(super) long: Long,
    #[command(flatten)]
    pub(super) read: ReadFlags,
    #[command(flatten)]
    pub(super) content: Content,
    #[command(flatten)]
    pub(super) page: Page,
    #[command(flatten)]
    pub(super) write: WriteFlags,
}

impl FitFlags {
    /// Whether this is the former spelling of `partwise classify`.
    pub(crate) fn is_recipe(&self) -> bool {
        self.model.recipe.is_some()
    }
}

/// What you know about the samples and components.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "What you know")]
pub(crate) struct KnownFiles {
    /// Everything that you know, in one TOML file (method {methods}): topics with seed words, labels,
    /// memberships, references, links, a graph, each with a strength. The other flags of this list add to it.
    #[arg(long, value_name = "FILE")]
    pub(crate) guidance: Option<PathBuf>,
    /// Topics with seed words (method {methods}): a table with the columns topic,word and optionally
    /// weight,forbidden; or one row per topic, with its name and its words.
    #[arg(long, value_name = "FILE")]
    pub(crate) topics: Option<PathBuf>,
    /// Must-links and cannot-links between samples (method {methods}): a table whose rows have two samples
    /// (numbers from 0, or names) and must or cannot.
    #[arg(long, value_name = "FILE")]
    pub(crate) links: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) labels: LabelSource,
    /// Whether the labels also guide the samples without one ({methods}): the few-label classifier draws each
    /// of them to its most likely topic, no more strongly than needed. Default: auto.
    #[arg(long, value_name = "WHEN", value_parser = choices::spreading())]
    pub(super) spread: Option<Spreading>,
    /// Reference components for {methods}: a table with one component per row, in the units of the data
    /// after --scale.
    #[arg(long, value_name = "FILE")]
    pub(crate) reference: Option<PathBuf>,
    /// Numeric labels for {methods}: a table with one row per sample and one column per label, 0 or more;
    /// nan = unknown.
    #[arg(long, value_name = "FILE")]
    pub(crate) label_targets: Option<PathBuf>,
    /// Treat nan in the data as missing entries ({methods}; dense data).
    #[arg(long)]
    pub(crate) missing: bool,
    /// Treat zeros as missing entries, as in ratings; in a sparse file: entries that are not stored
    /// ({methods}; squared loss).
    #[arg(long, conflicts_with = "missing")]
    pub(crate) zeros_missing: bool,
    /// The weight of each entry ({methods}; squared loss): a table with the shape of the data, 0 or more; 0 =
    /// ignored.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["missing", "zeros_missing"])]
    pub(crate) entry_weights: Option<PathBuf>,
    /// Names of the features, one per line (terms.txt). Default: the header of the data, if it has one.
    #[arg(long, value_name = "FILE")]
    pub(crate) feature_names: Option<PathBuf>,
}

/// A graph of the samples.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Graph of the samples")]
pub(super) struct GraphFlags {
    /// A graph of the samples for {methods}: an edge list with the columns source,target and optionally
    /// weight (nodes from 0), or a symmetric matrix.
    #[arg(long, value_name = "FILE")]
    pub(super) graph: Option<PathBuf>,
    /// Build a graph that connects each sample with this many nearest neighbours, 1 to n - 1 ({of graphs};
    /// default 5). With {of similarities} the graph replaces the data (default 7); without this flag and
    /// --graph-weights, the data must be similarities.
    #[arg(long, value_name = "N", value_parser = choices::positive, conflicts_with = "graph", allow_negative_numbers = true)]
    pub(super) graph_neighbours: Option<usize>,
    /// The edge weights of the neighbour graph. Default: binary for {of graphs}, self-tuning for {of
    /// similarities}.
    #[arg(long, value_name = "KIND", value_parser = choices::graph_weights(), conflicts_with = "graph")]
    pub(super) graph_weights: Option<String>,
    /// The width of the heat weights exp(-|x - y|^2 / width), above 0. Its unit is the square of the unit of
    /// the data.
    #[arg(long, value_name = "W", value_parser = choices::above_zero, allow_negative_numbers = true)]
    pub(super) heat_width: Option<f64>,
    /// Divide each similarity of {methods} by the square roots of the two row sums.
    #[arg(long)]
    pub(super) degree_normalized: bool,
}

/// The method and its parameters.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Method", args(parameter_flags()))]
pub(super) struct ModelFlags {
    /// Old spelling of `partwise classify`; it will be removed in the next release.
    #[arg(long, hide = true, value_parser = ["auto"], conflicts_with_all = ["method", "rank", "loss", "l1", "l2", "solver", "inner", "acceleration", "init", "start", "first", "tol", "max_iter", "time_limit"])]
    pub(super) recipe: Option<String>,
    /// The method. Default: {of anything} if you give labels, --guidance, --topics or --links, or a reference
    /// and a graph. Otherwise {of references} if you give a reference, else {of nothing}.
    #[arg(long, value_parser = choices::methods())]
    pub(super) method: Option<MethodChoice>,
    /// The loss. Default: frobenius, or that of the method's name.
    #[arg(long, value_parser = choices::losses())]
    pub(super) loss: Option<Loss>,
    /// How strongly labels, references and other guidance are followed: from 0 (ignored) to 1 (exact; {of
    /// anything} only), or "auto" for the smallest strength at which they are followed ({of references}: by
    /// 95 % of the labels). Applies to every item without a strength of its own, except a graph. With
    /// --anchor-scale: the published weight, 0 or more. Default: 0.9; 10/11 with {of strengths}, as weight
    /// 10.
    #[arg(long, value_name = "S", value_parser = choices::strength, allow_negative_numbers = true)]
    pub(super) strength: Option<Strength>,
    /// How strongly {methods} make connected samples similar: 0 or more, in the unit of the squared
    /// components. Default: 1. For {of references}: without a unit, unless --anchor-scale is given. For {of
    /// anything}: the same weight instead of a strength.
    #[arg(long, value_name = "L", value_parser = choices::not_negative, allow_negative_numbers = true)]
    pub(super) graph_weight: Option<f64>,
    /// The weight of the labels relative to the data in {methods}, 0 or more; 1 = equal. Default: 1.
    #[arg(long, value_name = "L", value_parser = choices::not_negative, allow_negative_numbers = true)]
    pub(super) label_weight: Option<f64>,
    /// L1 penalties of codes and components, each 0 or more, normalized by size as in scikit-learn.
    #[arg(long, value_name = "A,B", value_parser = choices::pair, default_value = "0,0", allow_negative_numbers = true)]
    pub(super) l1: (f64, f64),
    /// L2 penalties of codes and components, each 0 or more, normalized by size as in scikit-learn.
    #[arg(long, value_name = "A,B", value_parser = choices::pair, default_value = "0,0", allow_negative_numbers = true)]
    pub(super) l2: (f64, f64),
    /// Scaling of the data before the fit. The model keeps it, and transform applies it to new rows. Default:
    /// none; tfidf with --text.
    #[arg(long, value_parser = choices::scales())]
    pub(super) scale: Option<ScalingKind>,
}

/// The solver, the start and the limits.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Solver")]
pub(super) struct SolveFlags {
    #[command(flatten)]
    pub(super) solver: Solver,
    /// Inner steps of the solver for each factor and iteration, 1 or more. Default: the solver's (hals 1,
    /// accelerated 1 to 4 by the shape of the data; nesterov 10).
    #[arg(long, value_name = "N", value_parser = choices::positive, allow_negative_numbers = true)]
    pub(super) inner: Option<usize>,
    /// Extrapolate the factors along their last change, and let hals do more sweeps where they are cheap.
    /// Needs fewer iterations for the same result.
    #[arg(long, value_parser = choices::accelerations(), default_value = "auto")]
    pub(super) acceleration: Acceleration,
    /// The start.
    #[arg(long, value_parser = choices::starts(), default_value = "auto")]
    pub(super) init: Init,
    /// Start from the factors of a model, a file or a result folder (warm start). Its k is then the default.
    #[arg(long, value_name = "MODEL", conflicts_with = "init")]
    pub(super) start: Option<PathBuf>,
    /// The factor that each iteration updates first. Default: the codes after a label-aware start, otherwise
    /// the components.
    #[arg(long, value_parser = choices::slots())]
    pub(super) first: Option<Slot>,
    /// The maximum number of seconds for the iterations, above 0. The result so far is kept. Default: no
    /// limit.
    #[arg(long, value_name = "SECONDS", value_parser = choices::seconds, allow_negative_numbers = true)]
    pub(super) time_limit: Option<f64>,
    #[command(flatten)]
    pub(super) run: Run,
    /// The number type of the computation.
    #[arg(long, value_enum, default_value = "auto")]
    pub(super) dtype: Precision,
}

/// Predicts a class for every sample from a few labels, without parameters to tune. Two labels per class are
/// enough.
///
/// An ensemble of graph-based classifiers, factorizations and mixtures, weighted by cross-validation on the
/// labels. Rows are compared by direction: scale text by tf-idf, and give molecule counts as logarithms (a
/// normalized layer of an .h5ad file). Tables of up to 100 features are classified by their columns too, each
/// between its extremes, and by two simple classifiers that learn from the labels alone, if these find
/// classes of unequal size. Writes memberships.csv with the class and the posteriors of every sample,
/// memberships.npy, components and codes with a component for each class, model.safetensors (`partwise
/// transform` classifies new rows with it), report.html, and run.json with everything that was tried and its
/// score. Ctrl-C before there are classes writes nothing; after that the classes are kept.
#[derive(Args, Clone, Debug)]
pub(crate) struct ClassifyFlags {
    #[command(flatten)]
    pub(super) given: Given,
    #[command(flatten)]
    pub(super) labels: LabelSource,
    /// About how large the classes are, as NAME=SIZE,... with every class that has labels: parts, percentages
    /// or counts. "labels": as among the labels, if these are of a random sample. Default: not known; classes
    /// are taken to be nearly even.
    #[arg(long, value_name = "SIZES", value_parser = choices::class_sizes)]
    pub(super) class_sizes: Option<ClassSizes>,
    /// Scaling of the data before anything is computed. Default: none; tfidf with --text.
    #[arg(long, value_parser = choices::scales())]
    pub(super) scale: Option<ScalingKind>,
    #[command(flatten)]
    pub(super) run: Run,
    /// The number type of the computation.
    #[arg(long, value_enum, default_value = "auto", help_heading = "Solver")]
    pub(super) dtype: Precision,
    #[command(flatten)]
    pub(super) read: ReadFlags,
    #[command(flatten)]
    pub(super) write: WriteFlags,
}

#[derive(Args, Debug)]
pub(crate) struct SweepFlags {
    #[command(flatten)]
    pub(super) fit: FitFlags,
    /// The factors for the strengths, each 0 or more, separated by commas. They multiply s/(1 - s) of each
    /// strength s between 0 and 1.
    #[arg(long, value_name = "LIST", value_parser = choices::scale, value_delimiter = ',',
        default_value = "0,0.01,0.03,0.1,0.3,1,3,10,30")]
    pub(super) scales: Vec<f64>,
}

/// Finds how many components the data support, by held-out prediction and by whether components return in
/// random halves of the samples.
///
/// Counts are split by binomial thinning; other data hide some of their entries, or blocks of them. Writes
/// rank.csv (a row for each number of components), rank.json (the answer with its reasons), report.html and
/// run.json.
#[derive(Args, Debug)]
pub(crate) struct RankFlags {
    #[command(flatten)]
    pub(super) given: Given,
    /// The smallest number of components to try, 1 or more.
    #[arg(long, value_name = "K", default_value_t = RankSettings::default().from, value_parser = choices::positive, allow_negative_numbers = true)]
    pub(super) from: usize,
    /// The largest number of components to try. It is lowered to what the data allow.
    #[arg(long, value_name = "K", default_value_t = RankSettings::default().to, value_parser = choices::positive, allow_negative_numbers = true)]
    pub(super) to: usize,
    /// Splits of the data into a part to fit and a part to predict, 2 or more. Default: 8; from 100,000
    /// stored values on 6, from a million on 4.
    #[arg(long, help_heading = "Search", value_name = "N", value_parser = choices::positive, allow_negative_numbers = true)]
    pub(super) splits: Option<usize>,
    /// Starts of each fit, of which the best is kept, 1 or more. Default: 2; 1 from 100,000 stored values on.
    #[arg(long, help_heading = "Search", value_name = "N", value_parser = choices::positive, allow_negative_numbers = true)]
    pub(super) restarts: Option<usize>,
    /// What is held out: "thinning", half of each count; "entries", single entries (dense data, squared
    /// loss); "blocks", half of the samples in half of the features; "auto", the first of these that the data
    /// allow.
    #[arg(long, help_heading = "Search", value_name = "WHAT", default_value = "auto", value_parser = choices::holdouts())]
    pub(super) holdout: Holdout,
    /// The loss. Default: kullback-leibler for counts, else frobenius.
    #[arg(long, help_heading = "Search", value_parser = choices::losses())]
    pub(super) loss: Option<Loss>,
    /// Scaling of the data before anything is computed.
    #[arg(long, value_parser = choices::scales(), default_value = "none")]
    pub(super) scale: ScalingKind,
    #[command(flatten)]
    pub(super) known: RankKnown,
    /// The maximum number of seconds, above 0. The answer is then that of the numbers that were tried.
    /// Default: no limit.
    #[arg(long, value_name = "SECONDS", value_parser = choices::seconds, allow_negative_numbers = true)]
    pub(super) time_limit: Option<f64>,
    #[command(flatten)]
    pub(super) run: Run,
    /// The number type of the computation.
    #[arg(long, value_enum, default_value = "auto", help_heading = "Solver")]
    pub(super) dtype: Precision,
    #[command(flatten)]
    pub(super) read: ReadFlags,
    #[command(flatten)]
    pub(super) write: WriteFlags,
}

/// Guidance under which numbers of components are compared: the components that it names always take part,
/// and only the free ones beside them are compared.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "What you know")]
pub(crate) struct RankKnown {
    /// Everything that you know, in one TOML file: topics with seed words, labels, references, links, ...; k
    /// counts the named components, too.
    #[arg(long, value_name = "FILE")]
    guidance: Option<PathBuf>,
    /// Topics with seed words: a table with the columns topic,word and optionally weight,forbidden; or one
    /// row per topic, with its name and its words.
    #[arg(long, value_name = "FILE")]
    topics: Option<PathBuf>,
    /// Must-links and cannot-links between samples: a table whose rows have two samples and must or cannot.
    #[arg(long, value_name = "FILE")]
    links: Option<PathBuf>,
    #[command(flatten)]
    labels: LabelSource,
    /// Names of the features, one per line (terms.txt). Default: the header of the data, if it has one.
    #[arg(long, value_name = "FILE")]
    feature_names: Option<PathBuf>,
}

impl RankKnown {
    /// As the files of a fit.
    pub(super) fn files(self) -> KnownFiles {
        let RankKnown { guidance, topics, links, labels, feature_names } = self;
        KnownFiles {
            guidance,
            topics,
            links,
            labels,
            spread: None,
            reference: None,
            label_targets: None,
            missing: false,
            zeros_missing: false,
            entry_weights: None,
            feature_names,
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct TransformFlags {
    #[command(flatten)]
    pub(super) given: Given,
    /// The model: model.safetensors, or the folder that holds it.
    pub(super) model: PathBuf,
    #[command(flatten)]
    pub(super) solver: NewRowsSolver,
    #[command(flatten)]
    pub(super) run: Run,
    #[command(flatten)]
    pub(super) read: ReadFlags,
    #[command(flatten)]
    pub(super) content: Content,
    #[command(flatten)]
    pub(super) write: WriteFlags,
}
