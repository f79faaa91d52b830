//! The mechanisms that models are built from, one per file: each a `Term` of the objective
//! (`engine/term.rs`).

mod anchor;
mod combined_rows;
mod coupling;
mod direction;
mod entry_weights;
mod equal_factors;
mod feature_lists;
mod fixed_entries;
mod graph;
mod label_view;
mod penalty;
mod placement;
mod relation;
mod seed_share;
mod shared_anchor;

pub use anchor::{AnchorScale, ComponentAnchor, RowAnchor};
pub use combined_rows::CombinedRows;
pub use coupling::Coupling;
pub use direction::ComponentDirection;
pub use entry_weights::EntryWeights;
pub use equal_factors::EqualFactors;
pub use feature_lists::FeatureLists;
pub use fixed_entries::FixedEntries;
pub use graph::{GraphForm, GraphSmoothing};
pub use label_view::LabelView;
pub use penalty::{ComponentPenalty, ProductRidge, ProductSparsity, Ridge, Sparsity};
pub use placement::{Placement, PlacementRule};
pub use relation::Relation;
pub use seed_share::{SeedShare, SeedWeights};
pub use shared_anchor::SharedAnchor;
