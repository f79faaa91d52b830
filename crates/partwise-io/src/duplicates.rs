//! Errors for duplicate names.

use crate::text::quoted;
use std::collections::HashSet;

/// A sentence for a report when some of the names occur more than once (`what`: "row names"): they can't be
/// used to look anything up.
pub fn repeated_note(names: &[String], what: &str) -> Option<String> {
    let mut seen = HashSet::with_capacity(names.len());
    let repeated: Vec<&String> =
        names.iter().filter(|name| !name.is_empty() && !seen.insert(name.as_str())).collect();
    let first = repeated.first()?;
    let others: HashSet<&&String> = repeated.iter().collect();
    let first = quoted(first.as_bytes());
    Some(match others.len() {
        1 => format!("one of the {what} occurs more than once ({first}), so it is ambiguous"),
        several => {
            format!("{several} {what} occur more than once ({first}, …), so they are ambiguous")
        }
    })
}
