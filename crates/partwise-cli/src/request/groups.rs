//! Groups of flags that several commands share. Each flag is checked by itself, so a group is part of a
//! request as it is.

use std::path::PathBuf;

use clap::Args;
use partwise::recipes::ShareOf;
use partwise::{Settings, SolverChoice};
use partwise_io::ReadOptions;
use partwise_report::console::Verbosity;

use super::choices::{self, Codes};

/// The data, and how they are read.
#[derive(Args, Clone, Debug)]
pub(crate) struct ReadFlags {
    /// The data: one sample per row. - reads standard input; this works for every input file, but for one at
    /// a time. See `partwise methods` for the formats.
    data: PathBuf,
    /// The file format. Default: from the extension, or from the content for standard input. The content must
    /// match.
    #[arg(long, value_parser = choices::formats())]
    format: Option<String>,
    /// The array to read from an .npz archive. Default: the only one.
    #[arg(long, value_name = "NAME")]
    key: Option<String>,
    /// The matrix to read from an .h5ad file: a layer, or raw. Of a 10x .h5 file: the feature type, or the
    /// genome. Default: X; the genes; the only genome.
    #[arg(long, value_name = "NAME")]
    layer: Option<String>,
    /// The first row of a text table contains the column names. Default: detected, with a notice if it
    /// is uncertain.
    #[arg(long, overrides_with = "no_header")]
    header: bool,
    /// The first row of a text table is data, not column names.
    #[arg(long, overrides_with = "header")]
    no_header: bool,
    /// The first column of a text table contains the row names. Default: detected, with a notice if it
    /// is uncertain.
    #[arg(long, overrides_with = "no_row_names")]
    row_names: bool,
    /// The first column of a text table is data, not row names.
    #[arg(long, overrides_with = "row_names")]
    no_row_names: bool,
    /// Each row is an image of this height and width, as in 32x32. Default: known for image stacks.
    #[arg(long, value_name = "HxW", value_parser = choices::image_shape)]
    image_shape: Option<(usize, usize)>,
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
    /// samples, an .npy vector, or an .h5ad file with --label-column. Blank, NA, nan, None, null or -1 =
    /// unlabelled.
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// Use only this many labels per class, drawn at random with --seed; the others are used for the
    /// evaluation. Default: all labels.
    #[arg(long, value_name = "N", value_parser = choices::positive, allow_negative_numbers = true)]
    pub(crate) labels_per_class: Option<usize>,
    /// The column with the labels: of the --labels file, or of the data without --labels. In an .h5ad file:
    /// a column of obs.
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
pub(crate) struct Solver {
    /// The solver.
    #[arg(long, value_parser = choices::solver_names(), default_value = "auto")]
    pub(super) solver: SolverChoice,
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
    pub(super) fn settings(&self, run: &Run) -> Settings {
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
    pub(super) fn source(self, label_column: Option<&str>) -> DataSource {
        let either = |yes: bool, no: bool| (yes || no).then_some(yes);
        let options = ReadOptions {
            header: either(self.header, self.no_header),
            row_names: either(self.row_names, self.no_row_names),
            format: self.format,
            key: self.key,
            layer: self.layer,
            label_column: label_column.map(str::to_string),
            ..ReadOptions::default()
        };
        DataSource { path: self.data, options, image_shape: self.image_shape }
    }
}
