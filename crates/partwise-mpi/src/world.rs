//! [`World`]: this process among those that `mpirun` has started.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Equivalence, Source};
use partwise::blocks::Transport;
use partwise::{Error, Result};

/// What starters of MPI programs set in the environment of each process.
const STARTED: [&str; 4] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "MPI_LOCALNRANKS"];
/// MPI counts in 32 bits, so long messages go in pieces.
const PIECE: usize = 1 << 30;
/// The exit code of an error in the program itself.
const PANICKED: i32 = 101;
/// How long a process with an error waits for process 0, which mostly has the same error and says it.
const GRACE: Duration = Duration::from_secs(2);

/// See the module. MPI ends when it is dropped, once all processes have come so far.
pub struct World {
    universe: Universe,
}

impl World {
    /// Joins the processes that were started together; nothing where the program was started without MPI.
    ///
    /// # Errors
    /// When MPI can't be used by a program with threads.
    pub fn join() -> Result<Option<Self>> {
        if !STARTED.iter().any(|name| std::env::var_os(name).is_some()) {
            return Ok(None);
        }
        let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Serialized) else {
            return Err(Error::Unreadable("MPI was started twice in this process".into()));
        };
        if threading < Threading::Serialized {
            let message =
                format!("this MPI library supports threads only as {threading:?}, not as Serialized");
            return Err(Error::Unreadable(message));
        }
        Ok(Some(World { universe }))
    }

    /// The number of this process, from 0.
    pub fn rank(&self) -> usize {
        number(self.universe.world().rank())
    }

    /// How many processes there are.
    pub fn size(&self) -> usize {
        number(self.universe.world().size())
    }

    /// How many of them run on this machine. All processes must ask together.
    pub fn on_this_machine(&self) -> usize {
        let world = self.universe.world();
        number(world.split_shared(world.rank()).size())
    }

    /// What their fits exchange bytes by.
    pub fn transport(&self) -> Arc<dyn Transport> {
        Arc::new(Messages { rank: self.rank(), size: self.size() })
    }

    /// Waits, in a process with an error, until process 0 has had the time to end the job with its own.
    pub fn let_first_speak(&self) {
        if self.rank() > 0 {
            std::thread::sleep(GRACE);
        }
    }

    /// Does the work of this process and returns its exit code. Another than 0, or a panic, ends all
    /// processes at once: nobody waits for one that has failed.
    pub fn run(&self, work: impl FnOnce() -> u8) -> u8 {
        // What the work leaves half done is not looked at any more.
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(0) => 0,
            Ok(code) => self.universe.world().abort(i32::from(code)),
            Err(_) => self.universe.world().abort(PANICKED),
        }
    }
}

/// Numbers and counts of processes are never below 0.
fn number(value: i32) -> usize {
    usize::try_from(value).unwrap_or_default()
}

/// Messages of MPI. A process that is lost ends the job, so nobody waits for it.
#[derive(Debug)]
struct Messages {
    rank: usize,
    size: usize,
}

impl Transport for Messages {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn send(&self, to: usize, bytes: &[u8]) -> Result<()> {
        let world = SimpleCommunicator::world();
        bytes.chunks(PIECE).for_each(|piece| world.process_at_rank(to as i32).send(piece));
        Ok(())
    }

    fn receive(&self, from: usize, bytes: &mut [u8]) -> Result<()> {
        let world = SimpleCommunicator::world();
        for piece in bytes.chunks_mut(PIECE) {
            let status = world.process_at_rank(from as i32).receive_into(piece);
            if number(status.count(u8::equivalent_datatype())) != piece.len() {
                let message = format!("process {from} does other work than process {}", self.rank);
                return Err(Error::Unreadable(message));
            }
        }
        Ok(())
    }

    /// A program that fails ends all processes ([`World::run`]): no message reaches one that waits for
    /// another.
    fn fail(&self, _: &str) {}
}
