//! The observer of Python: its callback, and Ctrl-C.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use partwise::{Iteration, Observer};
use pyo3::prelude::*;

/// Signals are looked for no more often than this, so that short iterations don't queue for the interpreter.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// Calls back and looks for signals after iterations. What Python raises ends the fit and is raised again at its end.
pub(crate) struct Watcher {
    callback: Option<Py<PyAny>>,
    looked: Instant,
    raised: Option<PyErr>,
}

impl Watcher {
    pub(crate) fn new(callback: Option<Py<PyAny>>) -> Self {
        Watcher { callback, looked: Instant::now(), raised: None }
    }

    /// What Python raised, if anything.
    pub(crate) fn finish(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }

    fn look(&mut self, iteration: &Iteration) -> PyResult<bool> {
        Python::attach(|py| {
            py.check_signals()?;
            self.looked = Instant::now();
            let Some(callback) = &self.callback else { return Ok(false) };
            let Iteration { number, objective, kkt, elapsed } = *iteration;
            let answer = callback.call1(py, (number, objective, kkt, elapsed.as_secs_f64()))?;
            // Only True itself stops: a callback that returns an array or a string has not asked for it.
            Ok(answer.extract::<bool>(py).unwrap_or(false))
        })
    }
}

impl Observer for Watcher {
    fn on_iteration(&mut self, iteration: &Iteration) -> ControlFlow<()> {
        if self.callback.is_none() && self.looked.elapsed() < BETWEEN_LOOKS {
            return ControlFlow::Continue(());
        }
        match self.look(iteration) {
            Ok(false) => ControlFlow::Continue(()),
            Ok(true) => ControlFlow::Break(()),
            Err(raised) => {
                self.raised = Some(raised);
                ControlFlow::Break(())
            }
        }
    }
}
