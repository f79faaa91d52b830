//! Runs the engine in its own thread while the calling thread stays in Python, so that Ctrl-C works at any
//! time, also inside of a long iteration, a start or a recipe, and calls back where the user expects to be
//! called. Work that is over before anybody could press a key stays on the calling thread: starting another
//! one takes longer than a tiny fit, above all on a busy machine.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use partwise::{Interrupt, Iteration, Observer};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

/// How often to check for signals.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(20);
/// As much stack as a main thread has.
const STACK: usize = 8 << 20;

/// Works with the interpreter detached. `callback` gets number, objective, gradient and seconds of each
/// iteration, in the calling thread; `True` ends the fit with what it has. What Python raises (in the
/// callback, or a KeyboardInterrupt) ends the work at once.
pub(crate) fn watched<R: Send>(
    py: Python<'_>,
    callback: Option<&Py<PyAny>>,
    work: impl FnOnce(&mut dyn Observer) -> R + Send,
) -> PyResult<R> {
    watched_reports(py, callback, &call, |report| work(&mut |iteration: &Iteration| report(*iteration)))
}

/// Hands an iteration to the callback, and returns its answer.
pub(crate) fn call(py: Python<'_>, callback: &Py<PyAny>, iteration: &Iteration) -> PyResult<Py<PyAny>> {
    let Iteration { number, objective, kkt, elapsed, .. } = *iteration;
    callback.call1(py, (number, objective, kkt, elapsed.as_secs_f64()))
}

/// Multiplications that take some hundredths of a second.
const FEW: usize = 1 << 24;

/// As [`watched`] without a callback, for about `multiplications` of them: few are done on the calling
/// thread.
pub(crate) fn watched_by_size<R: Send>(
    py: Python<'_>,
    multiplications: usize,
    work: impl FnOnce(&mut dyn Observer) -> R + Send,
) -> PyResult<R> {
    if multiplications > FEW {
        return watched(py, None, work);
    }
    let done = py.detach(|| work(&mut |_: &Iteration| ControlFlow::Continue(())));
    py.check_signals()?;
    Ok(done)
}

/// About how many multiplications `iterations` take.
pub(crate) fn multiplications(
    stored: usize,
    (n, d): (usize, usize),
    rank: usize,
    iterations: usize,
) -> usize {
    let of_one = stored.saturating_add((n + d).saturating_mul(rank)).saturating_mul(rank);
    of_one.saturating_mul(iterations.max(1))
}

/// Hands a report to the callback, and returns its answer.
type Call<'c, M> = &'c (dyn Fn(Python<'_>, &Py<PyAny>, &M) -> PyResult<Py<PyAny>> + Sync);

/// As [`watched`], for work that reports something else than iterations: `call` hands a report to the
/// callback.
pub(crate) fn watched_reports<M: Send, R: Send>(
    py: Python<'_>,
    callback: Option<&Py<PyAny>>,
    call: Call<'_, M>,
    work: impl FnOnce(&mut (dyn FnMut(M) -> ControlFlow<()> + Send)) -> R + Send,
) -> PyResult<R> {
    let interrupt = Interrupt::default();
    let (reports, received) = sync_channel(0);
    let (replies, reply) = sync_channel(1);
    let mut reporter = Reporter { reports, reply, calls: callback.is_some() };
    py.detach(|| {
        thread::scope(|scope| {
            let engine = thread::Builder::new().name("partwise".into()).stack_size(STACK);
            // The work owns the reporter: its channel closes when the work ends, however it ends.
            let engine = engine
                .spawn_scoped(scope, || interrupt.run(move || work(&mut |report| reporter.report(report))))
                .map_err(|error| PyOSError::new_err(format!("no thread for the engine: {error}")))?;
            let outcome = listen(&received, &replies, callback, call);
            if outcome.is_err() {
                interrupt.request();
                // Closing the channels wakes the work if it waits to send a report.
                drop((received, replies));
            }
            let done = engine.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            outcome?;
            Ok(done.expect("an interrupt is requested only after an exception, which was raised"))
        })
    })
}

/// Until the work is over or Python raises.
fn listen<M>(
    received: &Receiver<M>,
    replies: &SyncSender<bool>,
    callback: Option<&Py<PyAny>>,
    call: Call<'_, M>,
) -> PyResult<()> {
    loop {
        match received.recv_timeout(SIGNAL_INTERVAL) {
            Ok(report) => {
                let stop = Python::attach(|py| {
                    py.check_signals()?;
                    let Some(callback) = callback else { return Ok(false) };
                    // Only True itself stops: a callback that returns an array or a string has not asked
                    // for it.
                    let answer = call(py, callback, &report)?;
                    PyResult::Ok(answer.extract::<bool>(py).unwrap_or(false))
                })?;
                // Sending fails only when the work is over.
                let _ = replies.send(stop);
            }
            Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals())?,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

/// Hands each report to the calling thread, if there is a callback, and waits for its reply.
struct Reporter<M> {
    reports: SyncSender<M>,
    reply: Receiver<bool>,
    calls: bool,
}

impl<M> Reporter<M> {
    fn report(&mut self, report: M) -> ControlFlow<()> {
        if !self.calls {
            return ControlFlow::Continue(());
        }
        let stop = self.reports.send(report).is_err() || self.reply.recv().unwrap_or(true);
        if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
