//! The stop test: one meaning of the tolerance for every solver and model.

use std::time::Duration;

use crate::engine::{Iteration, Settings, Transfer, Transferred};
use crate::foundation::StopReason;

/// The iterations that are looked back on: to see whether the objective still moves, and whether the
/// precision is exhausted.
pub(crate) const WINDOW: usize = 50;

/// What counts as progress of the objective over the window, as a share of it.
const LEAST_PROGRESS: f64 = 1e-4;

/// What is noticeable where the iteration limit ended a fit, as a share of the objective.
pub(crate) const NOTICEABLE: f64 = 1e-3;

/// The state of the stop test.
pub(crate) struct StopRule {
    tolerance: f64,
    max_iterations: usize,
    time_limit: Option<Duration>,
    first_kkt: f64,
    best_kkt: f64,
    best_objective: f64,
    without_improvement: usize,
    /// The best objectives of the window, that before the iteration `number` at `number % WINDOW`.
    window: [f64; WINDOW],
}

impl StopRule {
    pub(crate) fn new(settings: &Settings) -> Self {
        StopRule {
            tolerance: settings.tolerance,
            max_iterations: settings.max_iterations,
            time_limit: settings.time_limit,
            first_kkt: 0.0,
            best_kkt: f64::INFINITY,
            best_objective: f64::INFINITY,
            without_improvement: 0,
            window: [f64::INFINITY; WINDOW],
        }
    }

    /// What is remembered, to or from a checkpoint.
    pub(crate) fn transfer(&mut self, transfer: &mut Transfer<'_>) -> Transferred {
        transfer.float(&mut self.first_kkt)?;
        transfer.float(&mut self.best_kkt)?;
        transfer.float(&mut self.best_objective)?;
        transfer.count(&mut self.without_improvement)?;
        self.window.iter_mut().try_for_each(|value| transfer.float(value))
    }

    /// The share of the objective that the window must have taken. The objective is as far from its end as
    /// the square of the gradient, so it says little of a tolerance for the gradient that is much smaller.
    fn least_progress(&self) -> f64 {
        let share = LEAST_PROGRESS * (self.tolerance / LEAST_PROGRESS).powi(2).min(1.0);
        if share >= f64::EPSILON { share } else { 0.0 }
    }

    /// Whether to stop after this iteration. A tolerance of 0 never stops on the gradient, the progress or
    /// the precision.
    pub(crate) fn decide(&mut self, iteration: &Iteration) -> Option<StopReason> {
        let improved = iteration.objective < self.best_objective;
        self.best_objective = self.best_objective.min(iteration.objective);
        let before = std::mem::replace(&mut self.window[iteration.number % WINDOW], self.best_objective);
        if let Some(kkt) = iteration.kkt {
            if iteration.number == 1 {
                self.first_kkt = kkt;
            }
            let improved = improved || kkt < self.best_kkt;
            self.without_improvement = if improved { 0 } else { self.without_improvement + 1 };
            self.best_kkt = self.best_kkt.min(kkt);
            if self.tolerance > 0.0 {
                if kkt <= self.tolerance * self.first_kkt {
                    return Some(StopReason::Converged);
                }
                if self.without_improvement >= WINDOW {
                    return Some(StopReason::PrecisionFloor);
                }
                if before - self.best_objective < self.least_progress() * self.best_objective {
                    return Some(StopReason::NoProgress);
                }
            }
        }
        if iteration.number >= self.max_iterations {
            return Some(StopReason::IterationLimit);
        }
        match self.time_limit {
            Some(limit) if iteration.elapsed >= limit => Some(StopReason::TimeLimit),
            _ => None,
        }
    }
}

/// The share of the objective by which the last iterations of a history (those of the window at most) lowered
/// it.
pub(crate) fn recent_progress(history: &[Iteration]) -> f64 {
    let Some(last) = history.last() else { return 0.0 };
    let before = history[history.len().saturating_sub(WINDOW + 1)].objective;
    if last.objective > 0.0 { (before - last.objective) / last.objective } else { 0.0 }
}
