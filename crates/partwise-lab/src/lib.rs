//! Partwise on trial: the golden harness that holds every method to reference numbers, a real data set that is
//! always there, the draws of labelled samples that experiments use, the methods that it is compared with, the papers' experiments, and
//! the tables of their results.

mod draw;
pub mod golden;
pub mod methods;
pub mod protocols;
pub mod results;
