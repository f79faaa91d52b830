//! The program `partwise`.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(feature = "mpi")]
    if let Some(code) = under_mpi() {
        return code;
    }
    ExitCode::from(partwise_cli::run(std::env::args_os()))
}

/// The command as one of the processes that `mpirun` started, if it did.
#[cfg(feature = "mpi")]
fn under_mpi() -> Option<ExitCode> {
    use std::sync::Arc;

    let world = match partwise_mpi::World::join() {
        Ok(world) => Arc::new(world?),
        Err(error) => {
            partwise_report::console::error(&error.into());
            return Some(ExitCode::from(2));
        }
    };
    let (transport, on_this_machine) = (world.transport(), world.on_this_machine());
    let waits = Arc::clone(&world);
    let let_first_speak = Arc::new(move || waits.let_first_speak());
    let shared = partwise_cli::Shared { transport, on_this_machine, let_first_speak };
    let code = world.run(|| partwise_cli::run_shared(std::env::args_os(), &shared));
    Some(ExitCode::from(code))
}
