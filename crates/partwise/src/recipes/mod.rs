//! What calls whole fits repeatedly: each recipe is a loop over [`fit`](crate::fit()), never a second alternation of updates.

mod automatic;
mod strength;

pub use automatic::{
    Automatic, AutomaticSettings, Candidate, CandidateGraph, Reading, ReadingKind, automatic,
    spherical_k_means,
};
pub use strength::{StrengthRule, StrengthSearch, search_strength};
