//! `partwise consensus`: its flags, checked.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use partwise::recipes::ConsensusSettings;
use partwise_report::console::Verbosity;

use super::choices::{self, Codes, Components, Pictures};
use super::data::ReadFlags;
use super::fit::FitRequest;
use super::flags::{FitFlags, GraphFlags, KnownFiles, METHOD_FLAGS, ModelFlags, SolveFlags};
use super::groups::{Content, Page, WriteFlags};
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
    #[command(flatten)]
    read: ReadFlags,
    #[command(flatten)]
    write: WriteFlags,
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
    /// Of all fits together.
    pub(crate) time_limit: Option<Duration>,
}

impl ConsensusRequest {
    pub(crate) fn new(flags: ConsensusFlags) -> Result<Self> {
        let ConsensusFlags { given, rank, restarts, known, graph, model, solve, read, write } = flags;
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
        let fit = FitFlags { given, known, graph, rank, model, solve, read, content, page, write };
        let mut fit = FitRequest::named(fit, "consensus")?;
        let time_limit = fit.settings.time_limit.take();
        Ok(ConsensusRequest { fit, consensus: ConsensusSettings { ranks, restarts }, time_limit })
    }

    pub(crate) fn verbosity(&self) -> Verbosity {
        self.fit.write.verbosity()
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
