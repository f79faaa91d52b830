//! Groups of flags that several commands share. Each flag is checked by itself, so a group is part of a
//! request as it is.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::Args;
use partwise::recipes::ShareOf;
use partwise::{Settings, SolverChoice};
use partwise_io::OutputFolder;
use partwise_report::console::Verbosity;

use super::choices::{self, Codes, Pictures};
use super::data::DataSource;

/// Numbers of new folders at most.
const MOST_NUMBERED: usize = 10_000;

/// Where the result is written, and what is printed.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub(super) struct WriteFlags {
    /// The folder for the result. It must not exist, unless --force is given. Default: a new folder here,
    /// named after the data and the command, with a number if there is one of that name. In the CSV files,
    /// names that a spreadsheet would run as a formula (= + - @) get an apostrophe in front. Partwise removes
    /// it when it reads them.
    #[arg(long, short, value_name = "DIR", value_parser = choices::folder())]
    out: Option<PathBuf>,
    /// Replace the result in the folder, or write into an empty folder. Only files that Partwise wrote and
    /// that are unchanged are replaced or removed. All other files stay.
    #[arg(long)]
    force: bool,
    /// Print errors only. Notices are still in run.json and in the report.
    #[arg(long, short)]
    quiet: bool,
    /// Print run.json on standard output at the end. Everything else goes to standard error.
    #[arg(long)]
    json: bool,
}

/// Where the result is written, and what is printed, with the folder chosen.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    out: Out,
    pub(crate) force: bool,
    quiet: bool,
    pub(crate) json: bool,
}

impl WriteFlags {
    /// Without --out the folder is named after the data; `ending` says what is in it.
    pub(super) fn for_data(self, data: &DataSource, ending: &str) -> Write {
        let WriteFlags { out, force, quiet, json } = self;
        // Without a slash at its end, for messages.
        let given = |out: PathBuf| Out::Given(out.components().collect());
        let out = out.map_or_else(|| Out::named_after(&data.path, ending, force), given);
        Write { out, force, quiet, json }
    }
}

/// The folder for the result.
#[derive(Clone, Debug)]
enum Out {
    /// As asked, or the one to replace.
    Given(PathBuf),
    /// A new folder of this name, with a number if it exists or another run is writing it; the second is the
    /// one that was taken.
    Numbered(OsString, OnceLock<PathBuf>),
}

impl Out {
    /// `<name of the data>-<ending>` in the current folder.
    fn named_after(data: &Path, ending: &str, replace: bool) -> Self {
        let mut name = stem_of(data);
        name.push(format!("-{ending}"));
        if replace { Out::Given(name.into()) } else { Out::Numbered(name, OnceLock::new()) }
    }
}

/// The names of a new folder: without a number, then with 2, 3, …
fn numbered(name: &OsString) -> impl Iterator<Item = PathBuf> {
    let further = (2..=MOST_NUMBERED).map(move |number: usize| {
        let mut name = name.clone();
        name.push(format!("-{number}"));
        PathBuf::from(name)
    });
    std::iter::once(PathBuf::from(name)).chain(further)
}

/// The name of a file without its extensions, or of a folder.
fn stem_of(data: &Path) -> OsString {
    if data.as_os_str() == partwise_io::STANDARD_INPUT {
        return "data".into();
    }
    if data.is_dir() {
        let whole = data.canonicalize().unwrap_or_default();
        return whole.file_name().unwrap_or("data".as_ref()).to_os_string();
    }
    let compressed = data.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    let name = if compressed { data.with_extension("") } else { data.to_path_buf() };
    name.file_stem().unwrap_or("data".as_ref()).to_os_string()
}

/// The content of the result files.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
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

/// What report.html shows.
#[derive(Args, Clone, Debug)]
pub(crate) struct Page {
    /// A line of text about each sample, which report.html shows: a table with the columns name and snippet
    /// (documents.csv), or a text file with one line per sample.
    #[arg(long, value_name = "FILE")]
    pub(crate) snippets: Option<PathBuf>,
    /// How images are drawn: white is large (light), or dark is large (ink).
    #[arg(long, value_enum, default_value = "light")]
    pub(crate) pictures: Pictures,
}

/// Labels, and which of them the fit uses.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "What you know")]
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
    /// Takes hold of the folder for the files `names`.
    pub(crate) fn open(&self, names: &[&str]) -> partwise_io::Result<OutputFolder> {
        let (name, taken) = match &self.out {
            Out::Given(out) => return OutputFolder::for_files(out, self.force, names),
            Out::Numbered(name, taken) => (name, taken),
        };
        let folder = OutputFolder::in_first_free(numbered(name), names)?;
        let _ = taken.set(folder.target().to_path_buf());
        Ok(folder)
    }

    /// The folder; before [`Write::open`], the one that it will probably be.
    pub(crate) fn out(&self) -> PathBuf {
        match &self.out {
            Out::Given(out) => out.clone(),
            Out::Numbered(name, taken) => taken.get().cloned().unwrap_or_else(|| {
                numbered(name).find(|folder| folder.symlink_metadata().is_err()).unwrap_or(name.into())
            }),
        }
    }

    /// Nothing is to be printed.
    pub(crate) fn silence(&mut self) {
        (self.quiet, self.json) = (true, false);
    }

    /// What is printed.
    pub(crate) fn verbosity(&self) -> Verbosity {
        Verbosity::of(self.quiet, self.json)
    }
}

/// Random numbers and threads.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Solver")]
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
#[command(next_help_heading = "Solver")]
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

/// How the codes of new rows are computed.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Solver")]
pub(crate) struct NewRowsSolver {
    /// The solver. With auto the codes of a row depend on that row only, and have the bits of `transform` in
    /// Python.
    #[arg(long, value_parser = choices::solvers_of_new_rows(), default_value = "auto")]
    solver: SolverChoice,
    /// Stop when the projected gradient of all rows is this small relative to the first iteration: below 1;
    /// 0 = stop at a limit only. Exact codes need no tolerance. Default: 0 with --solver auto, 1e-4 with
    /// others.
    #[arg(long, value_parser = choices::tolerance, allow_negative_numbers = true)]
    tol: Option<f64>,
    /// The maximum number of iterations, 0 or more; exact codes need one. Default: as in the fit.
    #[arg(long, value_name = "N", value_parser = choices::count, allow_negative_numbers = true)]
    max_iter: Option<usize>,
}

impl NewRowsSolver {
    /// The settings without the rank, for a model whose fit had this limit of iterations.
    pub(crate) fn settings(&self, run: &Run, of_fit: Option<usize>) -> Settings {
        let plain = Settings::new(1);
        let tolerance = if self.solver == SolverChoice::Auto { 0.0 } else { plain.tolerance };
        Settings {
            solver: self.solver,
            tolerance: self.tol.unwrap_or(tolerance),
            max_iterations: self.max_iter.or(of_fit).unwrap_or(plain.max_iterations),
            seed: run.seed,
            threads: run.threads,
            memory_limit: partwise_io::machine::available_memory(),
            ..plain
        }
    }
}

/// Memory, and what becomes of a fit that is stopped.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Large data and long fits")]
pub(crate) struct Long {
    /// The memory that may be used, as in 1GB or 500MB (powers of 1000). A .pwx, .h5ad or 10x .h5 file is
    /// then read in blocks, as many as fit stay in memory; data of other formats that need more are refused.
    /// Default: what the machine has left; such a file is read in blocks if it does not fit.
    #[arg(long, value_name = "SIZE", value_parser = choices::bytes)]
    pub(crate) memory: Option<u64>,
    /// Save the state of the fit every so many seconds, above 0, in a file beside the folder of the result
    /// (DIR.checkpoint). It is removed when the fit has ended.
    #[arg(long, value_name = "SECONDS", value_parser = choices::seconds, allow_negative_numbers = true)]
    pub(crate) checkpoint: Option<f64>,
    /// Go on from the checkpoint of the same command, if there is one. The result has the same bits as if the
    /// fit had not been stopped.
    #[arg(long, requires = "checkpoint")]
    pub(crate) resume: bool,
    /// Fit on the workers of a Dask cluster, each of which reads its part of the file (.pwx, .h5ad, 10x .h5),
    /// where this command is that of the Python package. All workers must see the file and the folder of the
    /// result. ADDRESS is that of the scheduler, as in tcp://host:8786. Default: workers on this machine.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1)]
    pub(crate) dask: Option<Option<String>>,
}
