//! What the programs `partwise` and `partwise-lab` share: how they print, stop and end, and how they set
//! pages, charts and pictures.
//!
//! [`program::run`] is the `main` of both. No factorization and no file formats.

pub mod arguments;
pub mod charts;
pub mod console;
mod duration;
pub mod html;
pub mod interrupt;
pub mod picture;
pub mod program;

pub use duration::duration;
