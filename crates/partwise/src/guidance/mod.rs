//! What the user knows: labels and references for one method ([`Knowledge`]), or anything at once ([`Guidance`]). It compiles to
//! terms and merges; it knows no solver and no file format.

mod advice;
mod knowledge;
mod margins;
mod plan;
mod rules;
mod strength;
mod units;

pub use crate::labels::Labels;
pub use crate::terms::FeatureLists;
pub use advice::{Advice, Feature, Guidance, LabelRule, Seed, Topic};
pub use knowledge::{CodeReference, ComponentReference, Knowledge, LabelTargets, StepRule, StrengthUnit};
pub use margins::{LabelSets, Margins, SupportVectors};
pub(crate) use plan::{Evidence, Plan, ties};
pub use strength::Strength;
