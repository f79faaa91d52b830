//! Partwise on trial: the golden harness that holds every method to reference numbers, a real data set that is
//! always there, and the draws of labelled samples that experiments use.

pub mod digits;
pub mod draw;
pub mod golden;

pub use digits::{Digits, digits};
pub use draw::draw_labels;
