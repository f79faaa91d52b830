//! [`Shared`]: this process as one of several that run a command together.

use std::fmt;
use std::sync::Arc;

use anyhow::Result;
use partwise::blocks::Transport;
use partwise_report::interrupt::{self, Kept};
use partwise_report::program::Outcome;

/// The processes that run one command together, each with the same arguments. Process 0 prints and writes;
/// the others are silent.
#[derive(Clone)]
pub struct Shared {
    /// What the processes exchange bytes by.
    pub transport: Arc<dyn Transport>,
    /// How many of them run on this machine; they share its memory and its cores.
    pub on_this_machine: usize,
    /// Called before an error of another process than 0 is printed: process 0 mostly has the same error, and
    /// should say it.
    pub let_first_speak: Arc<dyn Fn() + Send + Sync>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} of {}", self.transport.rank(), self.transport.size())
    }
}

impl Shared {
    /// Whether this process prints and writes.
    pub(crate) fn is_first(&self) -> bool {
        self.transport.rank() == 0
    }

    /// The threads of each process: as asked, else its part of the cores.
    pub(crate) fn threads(&self, asked: usize) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        if asked == 0 { (cores / self.on_this_machine.max(1)).max(1) } else { asked }
    }

    /// Does the work of this process. An error of process 0 is heard first.
    pub(crate) fn run(&self, work: impl FnOnce() -> Result<Outcome>) -> Result<Outcome> {
        if !self.is_first() {
            // Process 0 decides what a signal ends.
            interrupt::keep(Kept::Reached);
        }
        work().map_err(|error| {
            if self.is_first() {
                return error;
            }
            (self.let_first_speak)();
            error.context(format!("process {} of {}", self.transport.rank(), self.transport.size()))
        })
    }
}
