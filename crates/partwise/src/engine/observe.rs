//! [`Observer`]: watching and stopping a fit. Printing and progress bars are observers of the command line
//! and of Python.

use std::ops::ControlFlow;
use std::time::Duration;

/// What is known after an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Iteration {
    /// 0 for the start, then 1, 2, …
    pub number: usize,
    /// The published objective, from the quantities of the updates. Near a good fit in `f32` it is only a
    /// guide (it cancels); [`Fit::objective`](crate::Fit) is exact.
    pub objective: f64,
    /// Norm of the projected gradient that the updates of this iteration met on entry (published objective).
    /// `None` for the start.
    pub kkt: Option<f64>,
    /// Wall time since the loop began.
    pub elapsed: Duration,
}

/// Called after each iteration (and once for the start, number 0); `Break` stops the fit, which then returns
/// what it has.
pub trait Observer {
    /// One iteration is done.
    fn on_iteration(&mut self, iteration: &Iteration) -> ControlFlow<()>;
}

impl<F: FnMut(&Iteration) -> ControlFlow<()>> Observer for F {
    fn on_iteration(&mut self, iteration: &Iteration) -> ControlFlow<()> {
        self(iteration)
    }
}

/// An observer that watches nothing.
pub(crate) fn silent(_: &Iteration) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
