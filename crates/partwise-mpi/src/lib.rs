//! MPI for Partwise: the processes that `mpirun` has started, as a [`Transport`](partwise::blocks::Transport)
//! between them.
//!
//! Without the feature `mpi` the crate is empty: it then needs no MPI library.

#[cfg(feature = "mpi")]
mod world;

#[cfg(feature = "mpi")]
pub use world::World;
