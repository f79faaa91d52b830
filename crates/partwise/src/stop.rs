//! The stop test: one meaning of the tolerance for every solver and model.

use std::time::Duration;

use crate::observe::Iteration;
use crate::settings::Settings;

/// Why a fit ended. An outcome, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The projected gradient fell to the tolerance.
    Converged,
    /// The iteration limit was reached.
    IterationLimit,
    /// The time limit was reached.
    TimeLimit,
    /// An observer asked to stop.
    Observer,
    /// Neither the objective nor the projected gradient has improved for 50 iterations: the number type is exhausted.
    PrecisionFloor,
}

impl StopReason {
    /// `"converged"`, `"iteration limit"`, …
    pub fn name(self) -> &'static str {
        match self {
            StopReason::Converged => "converged",
            StopReason::IterationLimit => "iteration limit",
            StopReason::TimeLimit => "time limit",
            StopReason::Observer => "stopped by the observer",
            StopReason::PrecisionFloor => "precision floor",
        }
    }
}

/// Iterations without any improvement after which the precision counts as exhausted.
pub(crate) const PATIENCE: usize = 50;

/// The state of the stop test.
pub(crate) struct StopRule {
    tolerance: f64,
    max_iterations: usize,
    time_limit: Option<Duration>,
    first_kkt: f64,
    best_kkt: f64,
    best_objective: f64,
    without_improvement: usize,
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
        }
    }

    /// Whether to stop after this iteration. A tolerance of 0 never stops on the gradient or on the precision.
    pub(crate) fn decide(&mut self, iteration: &Iteration) -> Option<StopReason> {
        if let Some(kkt) = iteration.kkt {
            if iteration.number == 1 {
                self.first_kkt = kkt;
            }
            let improved = kkt < self.best_kkt || iteration.objective < self.best_objective;
            self.without_improvement = if improved { 0 } else { self.without_improvement + 1 };
            self.best_kkt = self.best_kkt.min(kkt);
            self.best_objective = self.best_objective.min(iteration.objective);
            if self.tolerance > 0.0 {
                if kkt <= self.tolerance * self.first_kkt {
                    return Some(StopReason::Converged);
                }
                if self.without_improvement >= PATIENCE {
                    return Some(StopReason::PrecisionFloor);
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
