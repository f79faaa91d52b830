//! What the user knows: labels. It compiles to terms and merges; it knows no solver and no file format.

mod labels;

pub use labels::Labels;
