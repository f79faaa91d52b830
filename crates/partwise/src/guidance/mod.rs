//! What the user knows about the parts, in one value: [`Guidance`]. Every method takes it; `guided` takes all
//! of it at once. It compiles to terms and merges; it knows no solver and no file format.

mod advice;
mod document;
mod everything;
mod kinds;
mod order;
mod plan;
mod references;
mod rules;
mod sets;
mod spread;
mod strength;
mod tables;
mod topics;
mod units;
mod unknown;

pub use crate::labels::Labels;
pub use crate::terms::FeatureLists;
pub use advice::{Advice, LabelRule};
pub use everything::Guidance;
#[doc(hidden)]
pub use kinds::{Axis, ItemTable, Kind};
pub(crate) use plan::{Evidence, Plan, Samples, check_graph, raw_graph, ties};
pub(crate) use references::check_references;
pub use references::{CodeReference, ComponentReference, LabelTargets};
pub use sets::{LabelSets, SupportVectors};
pub use spread::{Scorer, Spread};
pub use strength::Strength;
#[doc(hidden)]
pub use topics::ComponentsPerClass;
pub use topics::{Feature, Seed, Topic};
