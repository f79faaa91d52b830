//! [`StopReason`]: how iterations ended.

/// Why a fit, or the training of a machine, ended. An outcome, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The projected gradient fell to the tolerance.
    Converged,
    /// The last 50 iterations together lowered the objective by less than a ten-thousandth of it: see
    /// [`Settings::tolerance`](crate::Settings::tolerance).
    NoProgress,
    /// The iteration limit was reached.
    IterationLimit,
    /// The time limit was reached.
    TimeLimit,
    /// An observer asked to stop.
    Observer,
    /// Neither the objective nor the projected gradient has improved for 50 iterations: the number type is
    /// exhausted.
    PrecisionFloor,
}

impl StopReason {
    /// `"converged"`, `"iteration limit"`, …
    pub fn name(self) -> &'static str {
        match self {
            StopReason::Converged => "converged",
            StopReason::NoProgress => "no further progress",
            StopReason::IterationLimit => "iteration limit",
            StopReason::TimeLimit => "time limit",
            StopReason::Observer => "stopped by the observer",
            StopReason::PrecisionFloor => "precision floor",
        }
    }
}
