//! The one loop of the project.
//!
//! ```text
//! loop { for each slot: restrict ─► improve; record; stop? } ─► exact objective
//! ```
//!
//! The objective of an iteration is read off the first subproblem of the next one, so watching costs nothing.

use std::time::{Duration, Instant};

use crate::engine::backend::{Backend, CpuBackend, Exact};
use crate::engine::stop::StopRule;
use crate::engine::{Factors, Iteration, Observer, Problem, Settings};
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
    let (threads, working_bytes) = (backend.threads(), backend.working_bytes());
    if problem.solve_codes {
        backend.solve_codes();
    }
    let finished = run_on(problem, Box::new(backend), began, settings, observer)?;
    let notices = pool::capped(settings.threads)
        .map(|message| Notice { code: pool::CAPPED, message })
        .into_iter()
        .collect();
    Ok(Finished { notices, threads, working_bytes, ..finished })
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
    mut backend: Box<dyn Backend<T> + '_>,
    began: Instant,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Finished<T>> {
    let factor = problem.published_factor;
    let mut history = Vec::new();
    let stop =
        iterate(backend.as_mut(), factor, &mut StopRule::new(settings), began, &mut history, observer)?;
    let exact = if settings.factors_only { Exact::unknown() } else { backend.exact() };
    let elapsed = began.elapsed();
    let factors = backend.into_factors();
    let overflow = |what: &str| Error::Overflow { iteration: history.len() - 1, what: what.into() };
    let finite = factors.slots().all(|s| factors.get(s).as_slice().iter().all(|v| v.is_finite()));
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

/// The loop. `factor` turns the half objective into the published one.
fn iterate<T: Real>(
    backend: &mut dyn Backend<T>,
    factor: f64,
    rule: &mut StopRule,
    began: Instant,
    history: &mut Vec<Iteration>,
    observer: &mut dyn Observer,
) -> Result<StopReason> {
    let slots = backend.slots();
    let mut kkt = None;
    for number in 0.. {
        interrupt::check();
        backend.restrict(slots[0]);
        let objective = factor * backend.objective();
        if !objective.is_finite() {
            return Err(Error::Overflow { iteration: number, what: "the objective".into() });
        }
        let iteration = Iteration { number, objective, kkt, elapsed: began.elapsed() };
        history.push(iteration);
        if observer.on_iteration(&iteration).is_break() {
            return Ok(StopReason::Observer);
        }
        if let Some(reason) = rule.decide(&iteration) {
            return Ok(reason);
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
        kkt = Some(gradient);
    }
    unreachable!("the iteration limit ends the loop")
}
