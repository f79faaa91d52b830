//! What the user knows: labels, and references for codes and components. It compiles to terms and merges; it knows no solver
//! and no file format.

mod knowledge;
mod labels;
mod margins;

pub use knowledge::{CodeReference, ComponentReference, Knowledge, LabelTargets, StepRule, StrengthUnit};
pub use labels::Labels;
pub use margins::{LabelSets, Margins, SupportVectors};
