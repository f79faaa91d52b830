//! `partwise consensus`: its flags, checked.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use partwise::ScalingKind;
use partwise::recipes::{ConsensusSettings, ConsensusSteps};
use partwise_report::console::Verbosity;

use super::choices::{self, Codes, Components, Pictures};
use super::data::ReadFlags;
use super::fit::FitRequest;
use super::flags::{FitFlags, GraphFlags, KnownFiles, METHOD_FLAGS, ModelFlags, SolveFlags};
use super::groups::{Content, Long, Page, WriteFlags};
use super::method_flags::{Given, with_methods};

/// The largest k that a range may name: beyond it, a typing error is likelier.
const MOST: usize = 1 << 16;

fn named_methods(flag: clap::Arg) -> clap::Arg {
    with_methods(flag, METHOD_FLAGS)
}

/// Fits many times from different random starts, and finds the components that return: their median, the
/// share of the fits in which each appears, and what it is confused with.
///
/// For each k, writes components_kK.csv and codes_kK.csv (also as .npy), and for all of them consensus.csv,
/// stability.csv, consensus.json, report.html, run.json, and README.txt, which explains each file and its
/// unit. Finished fits are kept in a folder beside the result (OUT-unfinished) until the run is done: after
/// Ctrl-C, a kill or a crash the same command goes on from there, and the result has the same bits.
#[derive(Args, Clone, Debug)]
#[command(mut_args(named_methods))]
pub(crate) struct ConsensusFlags {
    #[command(flatten)]
    given: Given,
    /// The numbers of components: 7, a range 5-13, a list 5,7,9-11; or the rank.json that `partwise rank`
    /// wrote.
    #[arg(short = 'k', long = "rank", value_name = "K", value_parser = ranks)]
    rank: Option<Ranks>,
    /// Fits for each k, 2 or more. Restart r has the random seed --seed + r.
    #[arg(long, value_name = "N", default_value_t = ConsensusSettings::default().restarts, value_parser = choices::count, allow_negative_numbers = true)]
    restarts: usize,
    #[command(flatten)]
    known: KnownFiles,
    #[command(flatten)]
    graph: GraphFlags,
    #[command(flatten)]
    model: ModelFlags,
    #[command(flatten)]
    solve: SolveFlags,
    /// The files that are written: those of Partwise, or those of cNMF. For cNMF the data must be counts of
    /// cells (rows) and genes; the genes that vary most are factored at unit variance, and the files have
    /// cNMF's names and units.
    #[arg(long, value_enum, default_value = "partwise", help_heading = "Layout of cNMF")]
    layout: Layout,
    /// How the components of all fits become one set: matched to the best fit (partwise), or in the exact
    /// steps of cNMF: pooled, a threshold on local density, k-means (cnmf). With --layout cnmf.
    #[arg(long, value_enum, default_value = "partwise", help_heading = "Layout of cNMF")]
    steps: Layout,
    /// How many genes are factored, 1 or more. With --layout cnmf.
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = choices::positive, help_heading = "Layout of cNMF", allow_negative_numbers = true)]
    genes: usize,
    /// Components whose mean distance to their neighbours is this large are left out: above 0; 2 leaves none
    /// out. With --steps cnmf.
    #[arg(long, value_name = "X", default_value_t = 0.5, value_parser = density, help_heading = "Layout of cNMF", allow_negative_numbers = true)]
    density_threshold: f64,
    #[command(flatten)]
    read: ReadFlags,
    #[command(flatten)]
    write: WriteFlags,
}

/// Whose files, or whose steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Layout {
    Partwise,
    Cnmf,
}

/// What --layout cnmf asks for.
pub(crate) struct CellsRequest {
    pub(crate) genes: usize,
    pub(crate) steps: ConsensusSteps,
}

impl CellsRequest {
    /// The threshold of the local density, where there is one.
    pub(crate) fn threshold(&self) -> Option<f64> {
        match self.steps {
            ConsensusSteps::Matched => None,
            ConsensusSteps::Pooled { threshold } => Some(threshold),
        }
    }
}

/// Where the numbers of components are from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ranks {
    These(Vec<usize>),
    /// A rank.json.
    File(PathBuf),
}

/// `partwise consensus`.
pub(crate) struct ConsensusRequest {
    /// Without a time limit of its own.
    pub(crate) fit: FitRequest,
    pub(crate) consensus: ConsensusSettings,
    /// The layout of the files, as the flag spells it.
    pub(crate) layout: String,
    /// For the files of cNMF.
    pub(crate) cells: Option<CellsRequest>,
    /// Of all fits together.
    pub(crate) time_limit: Option<Duration>,
}

impl ConsensusRequest {
    pub(crate) fn new(flags: ConsensusFlags) -> Result<Self> {
        let (cells, layout) = (flags.cells()?, choices::name_of(flags.layout));
        let ConsensusFlags { given, rank, restarts, known, graph, model, solve, read, write, .. } = flags;
        if solve.start.is_some() {
            bail!("a consensus compares different starts; remove --start");
        }
        if model.recipe.is_some() {
            bail!("a consensus compares factorizations; remove --recipe");
        }
        let ranks = match rank {
            Some(Ranks::These(ranks)) => ranks,
            Some(Ranks::File(path)) => vec![rank_of(&path)?],
            None => {
                bail!("-k is required: 7, a range 5-13, or the rank.json of `partwise rank`, which finds k")
            }
        };
        let content = Content { codes: Codes::Plain, shares: None };
        let page = Page { snippets: None, pictures: Pictures::default() };
        // Checks of the guidance are those of a fit with the largest k.
        let rank = ranks.iter().copied().max().map(Components::Number);
        let long = Long::default();
        let fit = FitFlags { given, known, graph, rank, model, solve, long, read, content, page, write };
        let mut fit = FitRequest::named(fit, "consensus")?;
        let time_limit = fit.settings.time_limit.take();
        if cells.is_some() && (fit.scaling != ScalingKind::None || fit.data.text.is_some()) {
            bail!("--layout cnmf scales the counts itself; remove --scale and --text");
        }
        Ok(ConsensusRequest {
            layout,
            cells,
            fit,
            consensus: ConsensusSettings { ranks, restarts },
            time_limit,
        })
    }

    pub(crate) fn verbosity(&self) -> Verbosity {
        self.fit.write.verbosity()
    }
}

impl ConsensusFlags {
    /// What --layout cnmf and its flags ask for.
    fn cells(&self) -> Result<Option<CellsRequest>> {
        let cnmf = self.layout == Layout::Cnmf;
        for flag in ["steps", "genes", "density_threshold"] {
            if self.given.gives(flag) && !cnmf {
                bail!("--{} has an effect only with --layout cnmf", flag.replace('_', "-"));
            }
        }
        if self.given.gives("density_threshold") && self.steps != Layout::Cnmf {
            bail!(
                "--density-threshold has an effect only with --steps cnmf: the matched consensus needs none"
            );
        }
        if let Some(flag) = self.given.of_methods(METHOD_FLAGS).filter(|_| cnmf) {
            bail!("--layout cnmf does not support {flag}: it factors some of the genes, without guidance");
        }
        if cnmf && self.known.labels.are_given() {
            bail!("--layout cnmf does not support labels: it factors some of the genes, without guidance");
        }
        let threshold = self.density_threshold;
        let steps = match self.steps {
            Layout::Partwise => ConsensusSteps::Matched,
            Layout::Cnmf => ConsensusSteps::Pooled { threshold },
        };
        Ok(cnmf.then_some(CellsRequest { genes: self.genes, steps }))
    }
}

/// A threshold of the local density.
fn density(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value > 0.0 && value <= 2.0 => Ok(value),
        _ => Err("it must be a number above 0 and at most 2 (2 leaves none out)".into()),
    }
}

/// `7`, `5-13`, `5,7,9-11`, or a file.
fn ranks(text: &str) -> Result<Ranks, String> {
    if text.ends_with(".json") || text.contains(['/', '\\']) {
        return Ok(Ranks::File(text.into()));
    }
    let fault =
        || "it must be a number of 1 or more, a range as in 5-13, a list as in 5,7,9-11, or a rank.json";
    let number = |text: &str| text.trim().parse::<usize>().ok().filter(|k| (1..=MOST).contains(k));
    let mut found = Vec::new();
    for part in text.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to) = (number(from).ok_or_else(fault)?, number(to).ok_or_else(fault)?);
        if from > to {
            return Err(format!("the range {part} is empty: write {to}-{from}"));
        }
        found.extend(from..=to);
    }
    found.sort_unstable();
    found.dedup();
    Ok(Ranks::These(found))
}

/// The answer in a rank.json.
fn rank_of(path: &PathBuf) -> Result<usize> {
    let path = if path.is_dir() { &path.join("rank.json") } else { path };
    let text = std::fs::read(path).with_context(|| format!("{}: cannot read it", path.display()))?;
    let answer: Option<serde_json::Value> = serde_json::from_slice(&text).ok();
    let rank = answer.and_then(|answer| answer.get("rank")?.as_u64());
    let Some(rank) = rank.filter(|rank| *rank > 0) else {
        bail!("{}: this is not a rank.json that `partwise rank` wrote", path.display());
    };
    Ok(rank as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ranges_and_lists_are_read_and_others_are_refused() {
        let these = |text: &str| match ranks(text) {
            Ok(Ranks::These(ranks)) => ranks,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(these("7"), [7]);
        assert_eq!(these("5-8"), [5, 6, 7, 8]);
        assert_eq!(these("9,5, 7,6-7"), [5, 6, 7, 9]);
        assert_eq!(ranks("out/rank.json"), Ok(Ranks::File("out/rank.json".into())));
        for bad in ["", "0", "-3", "a", "5-", "0-3", "5--7", "1.5", "1-99999999"] {
            assert!(ranks(bad).is_err_and(|message| message.contains("range")), "{bad}");
        }
        assert_eq!(ranks("13-5"), Err("the range 13-5 is empty: write 5-13".into()));
    }
}
