//! What the user knows: labels, and references for codes and components. It compiles to terms and merges; it knows no solver
//! and no file format.

mod knowledge;
mod labels;

pub use knowledge::{CodeReference, ComponentReference, Knowledge, LabelTargets, StrengthUnit};
pub use labels::Labels;
