//! Recipes: code that repeats whole fits. Each is a loop over [`fit`](crate::fit()), never a second loop of
//! updates.

mod cannot_links;
mod class_components;
mod consensus;
mod finished;
mod guidance_report;
mod guided;
mod memberships;
mod rank;
mod representatives;
mod steering;
mod strength;
mod suggest;

#[doc(hidden)]
pub use class_components::components_for_class;
#[doc(hidden)]
pub use consensus::{
    CellPrograms, Cells, ComponentStability, Confusion, Consensus, ConsensusSettings, ConsensusSteps,
    ConsensusSummary, RestartProgress, SelectionRow, cell_programs, codes_for, consensus_at, fit_restarts,
    memory_of_consensus,
};
#[doc(hidden)]
pub use finished::{FinishedPieces, InMemory, PieceReader, PieceWriter, numbers_of};
pub use guidance_report::{
    Finding, GuidanceReport, Level, Plausibility, TopicVerdict, Verdict, guidance_report,
};
#[doc(hidden)]
pub use guidance_report::{GuidanceCost, Likeness, likeness};
#[doc(hidden)]
pub use guided::at_scale;
pub use guided::{
    GuidedFit, SweepPoint, auto_scale, auto_scale_observed, auto_strength, fit_guided, scaled, sweep,
};
#[doc(hidden)]
pub use memberships::{Memberships, Owners, clusters, largest_components};
pub use memberships::{ShareOf, SharesOf, shares};
#[doc(hidden)]
pub use rank::{GuidedRank, GuidedRow, RankProgress, RankStep, loss_for_rank, memory_of_rank};
pub use rank::{Holdout, RankChoice, RankRow, RankSettings, select_rank};
#[doc(hidden)]
pub use representatives::{distinctive_features, representatives};
pub use steering::{Action, Changes, Others, Steering, TopicChange};
#[doc(hidden)]
pub use steering::{Now, Start, Steered, steer, with_all_topics};
pub use strength::StrengthRule;
#[doc(hidden)]
pub use strength::{StrengthSearch, search_strength, search_strength_observed};
pub use suggest::{PairInDoubt, Suggestion, suggest, suggest_from, suggest_links, suggest_links_from};
