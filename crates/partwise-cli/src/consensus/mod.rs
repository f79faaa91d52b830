//! `partwise consensus`: components that return from many random starts.

mod record;
mod write;

use std::ops::ControlFlow;
use std::time::Instant;

use anyhow::{Result, bail};
use partwise::memory::DataSize;
use partwise::recipes::{
    Cells, Consensus, ConsensusSummary, RestartProgress, SelectionRow, cell_programs, consensus_at,
    fit_restarts, memory_of_consensus,
};
use partwise::{Loss, Real};
use partwise_io::{self as io, OutputFolder, PieceFolder};
use partwise_report::interrupt::{self, Kept, Stopped};
use partwise_report::{duration, program::Outcome};

use crate::job::Job;
use crate::progress::Fits;
use crate::request::ConsensusRequest;
use crate::{fit, outputs, search, summary};

/// Fits from many starts, writes what returns.
pub(crate) fn run(request: &ConsensusRequest) -> Result<Outcome> {
    let names = write::files(request);
    let (folder, read) = fit::read(&request.fit, &names.iter().map(String::as_str).collect::<Vec<_>>())?;
    match read.is_single(request.fit.dtype) {
        true => fit::with_job::<f32, _>(&request.fit, read, |job| of_job(request, job, folder)),
        false => fit::with_job::<f64, _>(&request.fit, read, |job| of_job(request, job, folder)),
    }
}

/// What was found, k by k; the matrices are in the folder already.
#[derive(Default)]
struct Found {
    summaries: Vec<ConsensusSummary>,
    /// Of each k, for each component, the features that tell it from the others.
    features: Vec<Vec<Vec<String>>>,
    /// Beside the files of cNMF.
    selection: Vec<SelectionRow>,
    /// Fits that are done.
    done: usize,
    seconds: f64,
}

fn of_job<T: Real>(request: &ConsensusRequest, job: Job<'_, T>, folder: OutputFolder) -> Result<Outcome> {
    let (began, verbosity) = (Instant::now(), request.verbosity());
    summary::print_source(verbosity, &job);
    let cells = request.cells.as_ref().map(|cells| Cells::new(job.data, cells.genes)).transpose()?;
    let data = cells.as_ref().map_or(job.data, |cells| cells.factored.as_ref());
    let mut job = Job { data, ..job };
    job.known.check_components("consensus")?;
    request.consensus.checked(job.data, &job.model)?;
    let needed = memory_of_consensus(DataSize::of(job.data), &job.model, &job.settings, &request.consensus);
    verbosity.say(&summary::memory_of_many(&needed, job.settings.memory_limit));
    if request.fit.searches || job.known.guidance.searches() {
        search::find(&mut job)?;
    }
    if job.takes_anything() {
        fit::spread_labels(&mut job, request.fit.spread, verbosity)?;
    }
    job.chosen.iter().for_each(|line| verbosity.say(line));
    let place = PieceFolder::path_for(folder.target());
    let header = record::header(&job, request.cells.as_ref());
    let kept = PieceFolder::open(&place, &header, request.fit.write.force)?;
    if kept.found() > 0 {
        verbosity.say(&format!("resumed: {} finished fits are in {}", kept.found(), kept.path().display()));
    }
    let of_guidance = job.known.notes_of_many_fits();
    of_guidance.iter().for_each(|note| verbosity.note(note));
    let done = fit_all(request, &job, &kept, began)?;
    let mut found = evaluate(request, &job, cells.as_ref(), &kept, &folder)?;
    let total = request.consensus.ranks.len() * request.consensus.restarts;
    if found.summaries.is_empty() {
        bail!(
            "the time limit came after {done} of {total} fits, and a consensus needs two for one k; they are \
            kept in {}: the same command goes on from there",
            place.display()
        );
    }
    (found.done, found.seconds) = (done, began.elapsed().as_secs_f64());
    let run = write::result(request, &job, cells.as_ref(), folder, &found, &needed)?;
    job.source.notes.iter().for_each(|note| verbosity.note(note));
    if done == total {
        kept.remove()?;
    } else {
        verbosity.note(&format!(
            "the time limit came after {done} of {total} fits, and the result is made from these; they are \
            kept in {}: the same command with --force goes on from there",
            place.display()
        ));
    }
    print(request, &found, job.model.loss());
    Ok(outputs::end(&request.fit.write, &run))
}

/// The consensus of each k, whose matrices are written at once: only those of one k are in memory.
fn evaluate<T: Real>(
    request: &ConsensusRequest,
    job: &Job<'_, T>,
    cells: Option<&Cells<'_, T>>,
    kept: &PieceFolder,
    folder: &OutputFolder,
) -> Result<Found> {
    let (restarts, mut found) = (request.consensus.restarts, Found::default());
    for &rank in &request.consensus.ranks {
        let consensus: Consensus<T> = match (cells, &request.cells) {
            (Some(cells), Some(asked)) => {
                let (model, settings) = (&job.model, &job.settings);
                let of_k = || cell_programs(cells, model, settings, (rank, restarts), asked.steps, kept);
                let Some((programs, consensus)) = interrupt::work(of_k)?? else { continue };
                write::programs(folder, request, job, cells, &programs)?;
                found.selection.push(programs.selection);
                consensus
            }
            _ => {
                let of_k = || consensus_at(job.data, &job.model, &job.settings, rank, restarts, kept);
                let Some(consensus) = interrupt::work(of_k)?? else { continue };
                write::matrices(folder, job, &consensus)?;
                consensus
            }
        };
        found.features.push(write::top_features(job, cells, &consensus.components));
        found.summaries.push(consensus.summary);
    }
    Ok(found)
}

/// All fits that are not done yet; returns how many are done.
fn fit_all<T: Real>(
    request: &ConsensusRequest,
    job: &Job<'_, T>,
    kept: &PieceFolder,
    began: Instant,
) -> Result<usize> {
    let fits = Fits::new(request.verbosity(), "consensus");
    let observe = |progress: RestartProgress| {
        fits.show(progress);
        let late = request.time_limit.is_some_and(|limit| began.elapsed() >= limit);
        if late || interrupt::requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    // A signal ends the fits as the time limit does: those under way are dropped.
    interrupt::keep(Kept::Reached);
    let done = fit_restarts(job.data, &job.model, &job.settings, &request.consensus, kept, &observe);
    interrupt::keep(Kept::Nothing);
    fits.finish();
    let done = done?;
    if interrupt::requested() {
        request.verbosity().note(&format!(
            "{done} finished fits are kept in {}: the same command goes on from there",
            kept.path().display()
        ));
        return Err(Stopped.into());
    }
    Ok(done)
}

fn print(request: &ConsensusRequest, found: &Found, loss: Loss) {
    let (verbosity, out) = (request.verbosity(), request.fit.write.out());
    let out = out.display();
    for of_k in &found.summaries {
        verbosity.say(&format!("{}, {} {:.4}", of_k.explanation(), loss.error_name(), of_k.relative_error));
    }
    if let Some(peak) = io::machine::peak_memory() {
        verbosity.say(&format!("peak memory: {:.0} MB", peak as f64 / 1e6));
    }
    verbosity.say(&format!("result: {out} in {} (open {out}/report.html)", duration(found.seconds)));
}
