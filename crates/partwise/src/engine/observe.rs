//! [`Observer`]: watching and stopping a fit. Printing and progress bars are observers of the command line
//! and of Python.

use std::ops::ControlFlow;
use std::time::Duration;

use crate::engine::Checkpoints;

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
/// what it has. A closure is an observer:
///
/// ```
/// use std::ops::ControlFlow::{Break, Continue};
/// use partwise::{DenseMatrix, Iteration, Model, Settings, StopReason, fit_observed};
///
/// let x = DenseMatrix::new(3, 3, vec![2.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 2.0])?;
/// let settings = Settings { tolerance: 0.0, ..Settings::new(2) };
/// let mut objectives = Vec::new();
/// let mut watch = |iteration: &Iteration| {
///     objectives.push(iteration.objective); // or a progress bar
///     if iteration.number == 5 { Break(()) } else { Continue(()) }
/// };
/// let fit = fit_observed(&x, &Model::nmf(), &settings, &mut watch)?;
/// assert_eq!(fit.stop, StopReason::Observer);
/// assert_eq!(objectives.len(), 6); // the start, and five iterations
/// # Ok::<(), partwise::Error>(())
/// ```
///
/// To stop in the middle of an iteration, from another thread, see [`Interrupt`](crate::Interrupt).
pub trait Observer {
    /// One iteration is done.
    fn on_iteration(&mut self, iteration: &Iteration) -> ControlFlow<()>;

    /// Where checkpoints of the fit are kept; by default they are not.
    #[doc(hidden)]
    fn checkpoints(&mut self) -> Option<&mut dyn Checkpoints> {
        None
    }
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
