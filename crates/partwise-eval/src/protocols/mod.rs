//! Experiments that can be run again, one a file.

pub mod few_labels;
