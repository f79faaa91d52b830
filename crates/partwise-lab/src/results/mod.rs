//! From the rows of an experiment to its tables: [`records`] keeps finished units as lines of a file,
//! [`summarize`] makes averages with standard errors and holds them against published and reference values,
//! [`wilcoxon`] compares methods on the same draws, and [`tables`] sets all of it as grids for Markdown,
//! LaTeX and CSV.

pub mod records;
mod summary;
pub mod tables;

pub use crate::wilcoxon::{SignedRank, wilcoxon};
pub use summary::{Against, Average, Line, Summary, average, paired_difference, summarize};
