//! The flags of `partwise-lab reproduce`.

use std::path::PathBuf;

use clap::Args;
use partwise_report::arguments;

/// Which experiment is run, on what, and where its results go.
#[derive(Args, Debug)]
pub struct ReproduceArgs {
    /// The experiment, or `all`. Default: list them.
    #[arg(value_name = "EXPERIMENT")]
    pub experiment: Option<String>,
    /// The folder that holds the data sets, one folder each. Default: the one that PARTWISE_DATA names, or
    /// ../shared/data.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// How many draws, 1 or more. A larger number than last time adds draws to the existing results. Default:
    /// the experiment's.
    #[arg(long, value_name = "N", value_parser = arguments::positive, allow_negative_numbers = true)]
    pub draws: Option<usize>,
    /// Which methods, by the names that the list shows, separated by commas. Default: all of the experiment.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub methods: Vec<String>,
    /// Which cases, by the names that the list shows, separated by commas or semicolons: "ORL 2,ORL 3" for
    /// places on the axis, "ORL" for all of them. Other cases and methods can be added later, in the same
    /// folder. Default: all of the experiment.
    #[arg(long, value_name = "NAMES")]
    pub cases: Option<String>,
    /// The reduced variant: fewer draws and smaller grids, for a look in minutes.
    #[arg(long)]
    pub reduced: bool,
    /// The folder for results, one folder an experiment: raw results, tables, figures, report.html. A run
    /// that was interrupted goes on.
    #[arg(long, short, value_name = "DIR", default_value = "partwise-reproduce", value_parser = arguments::folder())]
    pub out: PathBuf,
    /// Parallel runs, with one thread each, 0 or more; 0 = all cores. The results do not depend on it, but
    /// the times do.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = arguments::count, allow_negative_numbers = true)]
    pub threads: usize,
    /// Print JSON with every draw.
    #[arg(long)]
    pub json: bool,
}
