//! The fits of a consensus, side by side on one X: each on one thread, as many at a time as there are
//! threads.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::{ConsensusSettings, memory_of_consensus};
use crate::data::{DataMatrix, DataSize};
use crate::engine::{Iteration, Settings};
use crate::fit::fit_observed;
use crate::foundation::pool::{Pool, threads_for};
use crate::foundation::{Matrix, Real, Result, StopReason, once};
use crate::methods::Model;
use crate::recipes::{FinishedPieces, PieceReader, PieceWriter};

/// How far the fits are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestartProgress {
    /// Fits done, those of earlier runs with them.
    pub done: usize,
    /// Fits that an earlier run had done.
    pub found: usize,
    /// All fits.
    pub total: usize,
    /// The fraction of the work of this run that is done, 0 to 1: a fit counts by its k.
    pub work: f64,
}

/// What is kept of one fit.
pub(super) struct Restart<T> {
    pub(super) number: usize,
    pub(super) objective: f64,
    pub(super) relative_error: f64,
    pub(super) converged: bool,
    pub(super) iterations: f64,
    pub(super) names: Vec<String>,
    /// k × d.
    pub(super) components: Matrix<T>,
}

impl<T: Real> Restart<T> {
    /// The fit with this k and number, if it is finished.
    pub(super) fn find(finished: &dyn FinishedPieces, rank: usize, number: usize) -> Result<Option<Self>> {
        let key = key(rank, number);
        let Some(piece) = finished.find(&key)? else { return Ok(None) };
        let mut piece = PieceReader::new(&key, &piece);
        let numbers = piece.numbers()?;
        let number_at = |at: usize| numbers.get(at).copied().unwrap_or(f64::NAN);
        Ok(Some(Restart {
            number,
            objective: number_at(0),
            relative_error: number_at(1),
            converged: number_at(2) > 0.0,
            iterations: number_at(3),
            names: piece.texts()?,
            components: piece.matrix()?,
        }))
    }

    fn to_piece(&self) -> Vec<u8> {
        let converged = if self.converged { 1.0 } else { 0.0 };
        PieceWriter::default()
            .numbers(&[self.objective, self.relative_error, converged, self.iterations])
            .texts(&self.names)
            .matrix(&self.components)
            .finish()
    }
}

fn key(rank: usize, number: usize) -> String {
    format!("k{rank}-restart{number}")
}

/// The random seed of a restart.
pub(super) fn seed_of(settings: &Settings, number: usize) -> u64 {
    settings.seed.wrapping_add(number as u64)
}

once! {
    /// Fits `model` for each k from each start, and keeps every finished fit in the finished; fits that are
    /// there already are not repeated. `settings` hold for all of them, but for rank, seed, threads and time
    /// limit. The first restart of every k comes first, then the second, so that all k have about as many
    /// fits whenever the work ends.
    ///
    /// `observe` is called from several threads, at the start, after each iteration and after each fit, and
    /// may end the work: fits under way are then dropped. Returns how many fits are done.
    ///
    /// # Errors
    /// Those of [`ConsensusSettings::checked`], [`fit`](crate::fit()) and the finished;
    /// [`Error::Memory`](crate::Error::Memory) before anything is allocated.
    pub fn fit_restarts<'a, T>(
        data: &'a dyn DataMatrix<T>,
        model: &'a Model,
        settings: &'a Settings,
        consensus: &'a ConsensusSettings,
        finished: &'a dyn FinishedPieces,
        observe: &'a (dyn Fn(RestartProgress) -> ControlFlow<()> + Sync),
    ) -> Result<usize> = restarted;
}

/// The body of [`fit_restarts`].
fn restarted<T: Real>(
    data: &dyn DataMatrix<T>,
    model: &Model,
    settings: &Settings,
    consensus: &ConsensusSettings,
    finished: &dyn FinishedPieces,
    observe: &(dyn Fn(RestartProgress) -> ControlFlow<()> + Sync),
) -> Result<usize> {
    let ranks = consensus.checked(data, model)?;
    let what =
        format!("a consensus of {} fits for each k up to {}", consensus.restarts, ranks[ranks.len() - 1]);
    memory_of_consensus(DataSize::of(data), model, settings, consensus)
        .check(&what, settings.memory_limit)?;
    let mut missing = Vec::new();
    for number in 0..consensus.restarts {
        for &rank in &ranks {
            if finished.find(&key(rank, number))?.is_none() {
                missing.push((rank, number));
            }
        }
    }
    let total = consensus.restarts * ranks.len();
    let found = total - missing.len();
    let work: usize = missing.iter().map(|(rank, _)| rank).sum();
    let (next, done, worked) = (AtomicUsize::new(0), AtomicUsize::new(found), AtomicUsize::new(0));
    let stopped = AtomicBool::new(false);
    let watch = || {
        let worked = worked.load(Ordering::Relaxed) as f64 / work.max(1) as f64;
        let progress = RestartProgress { done: done.load(Ordering::Relaxed), found, total, work: worked };
        if observe(progress).is_break() {
            stopped.store(true, Ordering::Relaxed);
        }
        if stopped.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    if watch().is_break() {
        return Ok(found);
    }
    let pool = Pool::new(threads_for(settings.threads).min(missing.len()).max(1));
    let one = |_| -> Result<()> {
        while let Some(&(rank, number)) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
            let kept = fit_one(data, model, settings, (rank, number), &watch).and_then(|fit| {
                fit.map(|fit| finished.keep(&key(rank, number), &fit.to_piece())).transpose()
            });
            match kept {
                Ok(Some(())) => {
                    done.fetch_add(1, Ordering::Relaxed);
                    worked.fetch_add(rank, Ordering::Relaxed);
                }
                Ok(None) => return Ok(()),
                Err(error) => {
                    stopped.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
            if watch().is_break() {
                return Ok(());
            }
        }
        Ok(())
    };
    let workers = (0..pool.threads()).collect();
    pool.map(workers, one).into_iter().collect::<Result<Vec<()>>>()?;
    Ok(done.into_inner())
}

/// One fit, on the calling thread; `None` if it was stopped.
fn fit_one<T: Real>(
    data: &dyn DataMatrix<T>,
    model: &Model,
    settings: &Settings,
    (rank, number): (usize, usize),
    watch: &dyn Fn() -> ControlFlow<()>,
) -> Result<Option<Restart<T>>> {
    let settings = Settings {
        rank,
        seed: seed_of(settings, number),
        threads: 1,
        time_limit: None,
        // All of them together are checked before.
        memory_limit: None,
        ..settings.clone()
    };
    let fit = fit_observed(data, model, &settings, &mut |_: &Iteration| watch())?;
    if fit.stop == StopReason::Observer {
        return Ok(None);
    }
    Ok(Some(Restart {
        number,
        objective: fit.objective,
        relative_error: fit.relative_error,
        converged: fit.stop != StopReason::IterationLimit,
        iterations: fit.iterations as f64,
        names: fit.component_names,
        components: fit.components,
    }))
}
