//! The ground of the library: numbers, matrices, errors, notices, randomness, threads. It uses nothing above
//! itself.

pub(crate) mod checks;
pub(crate) mod draw;
pub(crate) mod error;
mod estimate;
pub(crate) mod fault;
pub(crate) mod interrupt;
mod matrix;
mod names;
mod nearest;
mod notice;
mod once;
pub(crate) mod pool;
mod random;
mod real;
mod stop_reason;
pub(crate) mod words;

pub use error::{Error, Result};
pub use estimate::Estimate;
pub use matrix::Matrix;
pub(crate) use names::names;
pub use nearest::nearest;
pub use notice::Notice;
pub(crate) use once::once;
pub(crate) use random::Stream;
pub use real::Once;
pub use real::Real;
pub use stop_reason::StopReason;
