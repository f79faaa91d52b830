//! [`Together`]: what must be the same in all processes of one fit although it depends on a clock, on an
//! observer or on a file. Process 0 decides, and the others follow.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use crate::data::Processes;
use crate::engine::{Checkpoints, Iteration, Observer};

/// See the module. One process alone decides for itself.
pub(crate) struct Together<'p> {
    processes: Option<&'p Processes>,
    began: Instant,
}

impl<'p> Together<'p> {
    pub(crate) fn new(processes: Option<&'p Processes>, began: Instant) -> Self {
        Together { processes, began }
    }

    /// Whether this process decides.
    pub(crate) fn is_first(&self) -> bool {
        self.processes.is_none_or(|processes| processes.rank() == 0)
    }

    /// Wall time since the fit began, on the clock of this process.
    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// What process 0 says, which the others need not know.
    fn agreed<const N: usize>(&self, say: impl FnOnce() -> [u64; N]) -> [u64; N] {
        let mut numbers = if self.is_first() { say() } else { [0; N] };
        if let Some(processes) = self.processes {
            processes.broadcast(&mut numbers);
        }
        numbers
    }

    /// Whether all are to bring their state together now.
    pub(crate) fn is_checkpoint_due(&self, observer: &mut dyn Observer) -> bool {
        let [due] = self.agreed(|| [observer.checkpoints().is_some_and(Checkpoints::is_due).into()]);
        due != 0
    }

    /// Shows an iteration to the observer of process 0. Returns it at the time of process 0, and whether the
    /// fit is to stop.
    pub(crate) fn observed(&self, iteration: Iteration, observer: &mut dyn Observer) -> (Iteration, bool) {
        let [nanoseconds, stops] = self.agreed(|| {
            let stops = observer.on_iteration(&iteration).is_break();
            [iteration.elapsed.as_nanos() as u64, stops.into()]
        });
        let iteration = match self.is_first() {
            true => iteration,
            false => Iteration { elapsed: Duration::from_nanos(nanoseconds), ..iteration },
        };
        (iteration, stops != 0)
    }
}

/// The state to go on from, if process 0 has one.
pub(crate) fn resume<'o>(
    processes: Option<&'o Processes>,
    observer: &mut dyn Observer,
) -> Option<Box<dyn Read + 'o>> {
    let Some(processes) = processes else {
        return observer.checkpoints().and_then(Checkpoints::resume).map(|state| state as Box<dyn Read>);
    };
    let first = processes.rank() == 0;
    let state = if first { observer.checkpoints().and_then(Checkpoints::resume) } else { None };
    let mut there = [u8::from(state.is_some())];
    processes.broadcast(&mut there);
    (there[0] != 0).then(|| Box::new(Shared { processes, state }) as Box<dyn Read>)
}

/// Bytes that process 0 reads and all get.
struct Shared<'p> {
    processes: &'p Processes,
    /// Of process 0.
    state: Option<Box<dyn Read>>,
}

/// In place of a count: process 0 could not read.
const FAILED: u64 = u64::MAX;

impl Read for Shared<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.state.as_mut().map(|state| state.read(bytes));
        let mut count = [match &read {
            Some(Ok(count)) => *count as u64,
            Some(Err(_)) => FAILED,
            None => 0,
        }];
        self.processes.broadcast(&mut count);
        if let Some(Err(error)) = read {
            return Err(error);
        }
        if count[0] == FAILED {
            return Err(io::Error::other("process 0 can't read it"));
        }
        let count = count[0] as usize;
        self.processes.broadcast(&mut bytes[..count]);
        Ok(count)
    }
}
