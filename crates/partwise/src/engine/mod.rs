//! The engine: an objective seen from one factor, solvers that lower it, losses, backends, settings, the stop
//! test. It knows no methods, no labels and no file formats.

pub(crate) mod backend;
mod checkpoint;
mod factors;
pub(crate) mod iterate;
pub(crate) mod losses;
mod observe;
pub(crate) mod problem;
pub(crate) mod quadratic;
mod rescaling;
mod settings;
mod shape;
mod smoothing;
pub mod solvers;
pub(crate) mod stop;
pub(crate) mod term;
pub(crate) mod together;

pub use crate::foundation::StopReason;
pub use checkpoint::{Checkpoints, Transfer, Transferred};
pub(crate) use factors::column_squares;
pub use factors::{Factors, Slot};
pub use losses::Loss;
pub(crate) use observe::silent;
pub use observe::{Iteration, Observer};
pub use problem::Problem;
pub use quadratic::{KlMajorizer, Penalties, Quadratic, RowGroup, Subproblem};
pub(crate) use rescaling::Rescaling;
pub use settings::{Acceleration, Init, Settings};
pub use shape::Shape;
pub(crate) use smoothing::Smoothing;
pub use solvers::SolverChoice;
