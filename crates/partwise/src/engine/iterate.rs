//! The one loop of the project.
//!
//! ```text
//! loop { for each slot: restrict ─► improve; record; stop? } ─► exact objective
//! ```
//!
//! The objective of an iteration is told by its last update, or read off the first subproblem of the next
//! one, so watching costs nothing.

use std::io::Read;
use std::time::{Duration, Instant};

use crate::data::{BlockedMatrix, Processes};
use crate::engine::backend::{Backend, CpuBackend, Exact};
use crate::engine::checkpoint::{self, LoopState};
use crate::engine::stop::StopRule;
use crate::engine::together::{self, Together};
use crate::engine::{Factors, Iteration, Observer, Problem, Settings, Transfer, Transferred};
use crate::foundation::checks::all_finite;
use crate::foundation::{Error, Notice, Real, Result, StopReason, interrupt, once, pool};

/// What the loop leaves.
pub(crate) struct Finished<T> {
    /// In working rows.
    pub(crate) factors: Factors<T>,
    pub(crate) exact: Exact,
    /// The start (number 0) and every iteration.
    pub(crate) history: Vec<Iteration>,
    pub(crate) stop: StopReason,
    pub(crate) notices: Vec<Notice>,
    pub(crate) threads: usize,
    pub(crate) working_bytes: usize,
    pub(crate) elapsed: Duration,
}

once! {
    /// Runs a checked problem from its start: the loop, the backend and the solvers.
    pub(crate) Run<'a, T>(
        (problem, start, settings, observer): (&'a Problem<'a, T>, Factors<T>, &'a Settings, &'a mut dyn Observer)
    ) -> Result<Finished<T>> {
        run(problem, start, settings, observer)
    }
}

fn run<T: Real>(
    problem: &Problem<'_, T>,
    start: Factors<T>,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Finished<T>> {
    let began = Instant::now();
    let mut backend = CpuBackend::new(problem, start, settings.threads);
    backend.prepare(settings.max_iterations, observer.checkpoints().is_some());
    let (threads, working_bytes) = (backend.threads(), backend.working_bytes());
    let resumed = together::resume(processes_of(problem), observer);
    if problem.solve_codes && resumed.is_none() {
        backend.solve_codes();
    }
    let finished = run_on(problem, (Box::new(backend), resumed), began, settings, observer)?;
    let notices = pool::capped(settings.threads)
        .map(|message| Notice { code: pool::CAPPED, message })
        .into_iter()
        .collect();
    Ok(Finished { notices, threads, working_bytes, ..finished })
}

/// Who shares the data of a problem.
fn processes_of<'p, T: Real>(problem: &'p Problem<'_, T>) -> Option<&'p Processes> {
    problem.data().blocks().and_then(BlockedMatrix::processes)
}

/// The start of a problem, with the codes solved where the problem asks for it.
pub(crate) fn solved_start<T: Real>(
    problem: &Problem<'_, T>,
    start: Factors<T>,
    settings: &Settings,
) -> Factors<T> {
    if !problem.solve_codes {
        return start;
    }
    let mut backend = CpuBackend::new(problem, start, settings.threads);
    backend.solve_codes();
    Box::new(backend).into_factors()
}

/// Runs a checked problem on a backend that is at its start. What the backend itself used is for the caller
/// to say.
pub(crate) fn run_on<T: Real>(
    problem: &Problem<'_, T>,
    (mut backend, resumed): (Box<dyn Backend<T> + '_>, Option<Box<dyn Read + '_>>),
    began: Instant,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Finished<T>> {
    let mut progress = Progress { number: 0, kkt: None, rule: StopRule::new(settings), history: Vec::new() };
    if let Some(mut from) = resumed {
        checkpoint::loaded(progress.transfer(&mut Transfer::Load(&mut from), backend.as_mut()))?;
    }
    // The clock goes on where it was stopped.
    let before = progress.history.last().map_or(Duration::ZERO, |last| last.elapsed);
    let began = began.checked_sub(before).unwrap_or(began);
    let together = Together::new(processes_of(problem), began);
    let stop = iterate(backend.as_mut(), problem.published_factor, &mut progress, &together, observer)?;
    let history = progress.history;
    let met = progress.kkt.filter(|_| !settings.gradient_at_end);
    let exact = match settings.factors_only {
        true => Exact::unknown(),
        false => backend.exact(met.is_none()),
    };
    // The published norm, as a norm of the half objective.
    let exact = Exact { kkt: met.map_or(exact.kkt, |kkt| kkt / problem.published_factor), ..exact };
    let elapsed = began.elapsed();
    let factors = backend.into_factors();
    let overflow = |what: &str| Error::Overflow { iteration: history.len() - 1, what: what.into() };
    let finite = factors.slots().all(|s| all_finite(factors.get(s).as_slice()));
    if !finite {
        return Err(overflow("a factor"));
    }
    if !settings.factors_only && !exact.parts.iter().all(|(_, value)| value.is_finite()) {
        return Err(overflow("the objective"));
    }
    if !settings.factors_only && !exact.kkt.is_finite() {
        return Err(overflow("the projected gradient"));
    }
    Ok(Finished { factors, exact, history, stop, notices: Vec::new(), threads: 1, working_bytes: 0, elapsed })
}

/// What the loop remembers from iteration to iteration.
struct Progress {
    /// The next iteration.
    number: usize,
    kkt: Option<f64>,
    rule: StopRule,
    history: Vec<Iteration>,
}

impl Progress {
    /// Everything that the next iterations depend on, to or from a checkpoint.
    fn transfer<T: Real>(
        &mut self,
        transfer: &mut Transfer<'_>,
        backend: &mut dyn Backend<T>,
    ) -> Transferred {
        let Progress { number, kkt, rule, history } = self;
        LoopState { number, kkt, rule, history }
            .transfer(transfer, &mut |transfer| backend.transfer(transfer))
    }
}

/// The loop. `factor` turns the half objective into the published one.
fn iterate<T: Real>(
    backend: &mut dyn Backend<T>,
    factor: f64,
    progress: &mut Progress,
    together: &Together<'_>,
    observer: &mut dyn Observer,
) -> Result<StopReason> {
    let slots = backend.slots();
    let first = progress.number;
    loop {
        interrupt::check();
        let number = progress.number;
        if number > first && together.is_checkpoint_due(observer) {
            backend.gather();
            if let Some(checkpoints) = observer.checkpoints().filter(|_| together.is_first()) {
                checkpoints.save(number, &mut |out| progress.transfer(&mut Transfer::Save(out), backend));
            }
        }
        // Where the last update told it, nothing is formed for an iteration that the loop does not come to.
        let told = backend.told_objective();
        let objective = factor
            * told.unwrap_or_else(|| {
                backend.restrict(slots[0]);
                backend.objective()
            });
        if !objective.is_finite() {
            return Err(Error::Overflow { iteration: number, what: "the objective".into() });
        }
        let iteration = Iteration { number, objective, kkt: progress.kkt, elapsed: together.elapsed() };
        let (iteration, stops) = together.observed(iteration, observer);
        progress.history.push(iteration);
        if stops {
            return Ok(StopReason::Observer);
        }
        if let Some(reason) = progress.rule.decide(&iteration) {
            return Ok(reason);
        }
        if told.is_some() {
            backend.restrict(slots[0]);
        }
        let mut squared = backend.improve();
        for &slot in &slots[1..] {
            backend.restrict(slot);
            squared += backend.improve();
        }
        let gradient = factor * squared.sqrt();
        if !gradient.is_finite() {
            return Err(Error::Overflow { iteration: number + 1, what: "the projected gradient".into() });
        }
        progress.kkt = Some(gradient);
        progress.number += 1;
    }
}
