//! [`Notice`]: what a user should know, though nothing is wrong.

/// A policy that was applied or a fact that the user should know. `code` is stable, `message` a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// A short stable name ("zero-rows").
    pub code: &'static str,
    /// What happened, with the numbers.
    pub message: String,
}
