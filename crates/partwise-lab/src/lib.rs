//! Partwise on trial: the papers' experiments and the command that runs them, the methods that it is compared
//! with, the tables of their results, and the golden harness that compares every method with reference
//! numbers. Nothing that users compile depends on it.

mod draw;
pub mod golden;
pub mod methods;
pub mod protocols;
pub mod reproduce;
pub mod results;
pub mod scaling;
mod wilcoxon;
