//! `partwise-lab reproduce`: runs the experiments of the papers on a folder of data sets. Each finished unit
//! is kept at once, a run that was interrupted goes on, and tables, figures and a page are made of what is
//! there.

mod args;
mod chart;
mod files;
mod folder;
mod list;
mod page;
mod pictures;
mod ranking;
mod store;
mod watch;
mod written;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use crate::protocols::{self, Extent, Finished, Protocol, Row, UnitId, run_units};
use crate::results::records::Record;
use crate::results::summarize;
use anyhow::{Result, bail};

pub use args::ReproduceArgs;
use folder::Folder;
use partwise_report::console::{self, Verbosity};
use partwise_report::interrupt::{self, Kept};
use partwise_report::program::Outcome;
use store::Store;
use watch::Watch;

/// How often Ctrl-C is looked for.
const PAUSE: Duration = Duration::from_millis(100);

/// The name for all experiments.
const ALL: &str = "all";

/// Runs, or lists without a name.
pub fn run(args: &ReproduceArgs) -> Result<Outcome> {
    let data = args.data.clone().or_else(|| std::env::var_os("PARTWISE_DATA").map(PathBuf::from));
    if let Some(named) = data.as_ref().filter(|named| !named.is_dir()) {
        let from = if args.data.is_some() { "--data" } else { "PARTWISE_DATA" };
        bail!("{}: there is no such folder, but {from} names it as that of the data sets", named.display());
    }
    let folder = Arc::new(Folder::new(data.unwrap_or_else(|| "../shared/data".into())));
    let Some(name) = &args.experiment else {
        match args.json {
            true => console::print_json(&list::json(&folder)),
            false => console::print(&list::text(&folder)),
        }
        return Ok(Outcome::Done);
    };
    if name != ALL {
        return one(protocols::named(name)?, args, &folder);
    }
    if args.json {
        bail!("--json is for one experiment; each folder of results has its own files");
    }
    if !args.methods.is_empty() {
        bail!("--methods is for one experiment; they have different methods");
    }
    if args.cases.is_some() {
        bail!("--cases is for one experiment; they have different cases");
    }
    // An experiment that fails doesn't take the others with it: a whole run takes hours.
    let mut failed = Vec::new();
    for protocol in protocols::ALL {
        let missing = folder.missing(protocol);
        if !missing.is_empty() {
            console::print(&format!("left out: {}, which needs {}", protocol.name, missing.join(", ")));
            continue;
        }
        match one(protocol, args, &folder) {
            Ok(Outcome::Interrupted) => return Ok(Outcome::Interrupted),
            Ok(_) => {}
            Err(error) => {
                console::error(&error);
                failed.push(protocol.name);
            }
        }
    }
    if failed.is_empty() { Ok(Outcome::Done) } else { bail!("not complete: {}", failed.join(", ")) }
}

fn one(protocol: &'static Protocol, args: &ReproduceArgs, folder: &Arc<Folder>) -> Result<Outcome> {
    let missing = folder.missing(protocol);
    if !missing.is_empty() {
        bail!(
            "{} has no data set {}, which {} needs; --data names the folder of the data sets",
            folder.path().display(),
            missing.join(", "),
            protocol.name
        );
    }
    let verbosity = Verbosity::of(false, args.json);
    let extent = if args.reduced { Extent::Reduced } else { Extent::Full };
    let draws = args.draws.map_or(protocol.draws_of(extent), |draws| draws as u64);
    let groups = protocol.groups_named(&args.methods)?;
    let cases = protocol.cases_named(extent, args.cases.as_deref())?;
    let units = protocol.units(&cases, draws, &groups);
    let mut store = Store::open(&args.out.join(protocol.name), protocol, extent, &folder.digests(protocol)?)?;
    for notice in store.take_notices() {
        verbosity.note(&notice);
    }
    let began = Instant::now();
    // Each unit that is finished stays, and the rest of the work takes no time.
    interrupt::keep(Kept::Reached);
    let left = finish_units(protocol, extent, units, args, folder, &mut store, verbosity)?;
    store.sort(extent)?;
    let records: Vec<&Record> = store.finished().iter().filter(|record| record.id.draw < draws).collect();
    let rows: Vec<Row> = records.iter().flat_map(|record| record.rows.iter().cloned()).collect();
    if rows.is_empty() {
        left.check(protocol)?;
        verbosity.say("No unit was finished.");
        return Ok(Outcome::Interrupted);
    }
    let summary = summarize(protocol, &rows);
    let run = written::Run {
        protocol,
        extent,
        rows: &rows,
        summary: &summary,
        seconds: records.iter().map(|record| record.seconds).sum(),
        unfinished: left.interrupted,
        failed: &left.failed,
    };
    run.write(&mut store)?;
    if args.json {
        console::print_json(&run.json(draws, began.elapsed().as_secs_f64()));
    } else {
        console::print(&run.text());
        console::print(&format!("\nwritten: {}", store.folder().join(page::FILE).display()));
    }
    left.check(protocol)?;
    Ok(if left.interrupted > 0 { Outcome::Interrupted } else { Outcome::Done })
}

/// Units that were asked for and are not there.
#[derive(Default)]
struct Left {
    /// Not run yet, after Ctrl-C.
    interrupted: usize,
    /// Which unit, and why.
    failed: Vec<String>,
}

impl Left {
    /// # Errors
    /// When units failed: how many, and the first.
    fn check(&self, protocol: &Protocol) -> Result<()> {
        let Some(first) = self.failed.first() else { return Ok(()) };
        let (units, others) = match self.failed.len() {
            1 => ("a unit".to_string(), ""),
            many => (format!("{many} units"), " (table.md names all)"),
        };
        bail!(
            "{units} of {} failed{others}; what is finished is kept, and the same command tries these again. {first}",
            protocol.name
        )
    }
}

/// Runs what is not finished yet. A unit that fails doesn't take the others with it.
fn finish_units(
    protocol: &'static Protocol,
    extent: Extent,
    mut units: Vec<UnitId>,
    args: &ReproduceArgs,
    folder: &Arc<Folder>,
    store: &mut Store,
    verbosity: Verbosity,
) -> Result<Left> {
    let wanted = units.len();
    units.retain(|id| !store.has(id));
    if units.len() < wanted {
        verbosity.note(&format!(
            "{} of {wanted} units of {} are there already",
            wanted - units.len(),
            protocol.name
        ));
    }
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let most = partwise::internals::most_threads();
    if args.threads > most {
        verbosity.note(&format!(
            "{} units side by side were asked for; {most} are the most on this machine",
            args.threads
        ));
    }
    let threads = if args.threads == 0 { cores() } else { args.threads.min(most) };
    let mut watch = Watch::new(verbosity, protocol.name, &units, threads, store.finished());
    let expected = units.len();
    let library = Arc::clone(folder) as Arc<dyn protocols::Library>;
    let results = run_units(protocol, extent, units, library, threads);
    let (mut done, mut left) = (0, Left::default());
    while done < expected {
        if interrupt::requested() {
            break;
        }
        match results.recv_timeout(PAUSE) {
            Ok(Finished { id, outcome, seconds }) => {
                done += 1;
                watch.finished(&id, seconds);
                match outcome {
                    Ok(outcome) => {
                        outcome.pictures.iter().try_for_each(|picture| store.add_picture(picture))?;
                        store.append(Record { id, rows: outcome.rows, seconds })?;
                    }
                    Err(error) => {
                        let failure = format!("{}, {}, draw {}: {error:#}", id.case, id.group, id.draw);
                        left.failed.push(failure);
                    }
                }
            }
            Err(RecvTimeoutError::Timeout) => watch.tick(),
            Err(RecvTimeoutError::Disconnected) => {
                bail!("a unit of {} ended without a result", protocol.name)
            }
        }
    }
    watch.clear();
    if done < expected {
        verbosity.note("interrupted; what is finished is kept, and the same command goes on from there");
    }
    left.interrupted = expected - done;
    Ok(left)
}
