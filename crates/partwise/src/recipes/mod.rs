//! What calls whole fits repeatedly: each recipe is a loop over [`fit`](crate::fit()), never a second alternation of updates.

pub mod automatic;
mod strength;

pub use strength::{StrengthRule, StrengthSearch, search_strength};
