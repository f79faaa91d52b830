//! What the programs `partwise` and `partwise-lab` share: how they print, stop and end, and how they set
//! pages, charts and pictures.
//!
//! [`program::run`] is the `main` of both. No factorization and no file formats.

pub mod arguments;
pub mod console;
mod duration;
pub mod interrupt;
pub mod program;

pub use duration::duration;
pub use partwise_page::{charts, html, picture};
