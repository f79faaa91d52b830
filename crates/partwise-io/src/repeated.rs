//! Names that occur more than once.

use crate::text::quoted;
use std::collections::HashSet;

/// A sentence for a report when some of the names occur more than once (`what`: "row names"): they can't be used to look anything up.
pub fn repeated_note(names: &[String], what: &str) -> Option<String> {
    let mut seen = HashSet::with_capacity(names.len());
    let repeated: Vec<&String> =
        names.iter().filter(|name| !name.is_empty() && !seen.insert(name.as_str())).collect();
    let first = repeated.first()?;
    let others: HashSet<&&String> = repeated.iter().collect();
    Some(format!(
        "{} {what} occur more than once ({}{}), so nothing can be found by them",
        others.len(),
        quoted(first.as_bytes()),
        if others.len() > 1 { ", …" } else { "" },
    ))
}
