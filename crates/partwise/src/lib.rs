//! Partwise factors a non-negative matrix into parts, guided by what you know.

mod data;
mod error;
mod linalg;
pub mod metrics;
mod real;

pub use data::{DataMatrix, DenseMatrix, RowGroups, SparseMatrix, Summary};
pub use error::{Error, Result};
pub use linalg::Matrix;
pub use real::Real;
