//! Names in tables that spreadsheets open. A cell that begins with `=`, `+`, `-`, `@`, a tab or a line break
//! is taken for a formula there, and may do what whoever wrote the name wants. Tables of results put an
//! apostrophe before such a name; readers take it off again, so that a name is the same after a round trip.
//! Numbers, `-1` too, are no names and stay as they are.

use std::borrow::Cow;

const GUARD: char = '\'';
const BEGIN_FORMULAS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Whether a spreadsheet might take a name for a formula; one with guards before it counts as what it guards.
fn is_risky(name: &str) -> bool {
    let name = name.trim_start_matches(GUARD);
    name.starts_with(BEGIN_FORMULAS) || name.starts_with('\n')
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b)) && text.parse::<f64>().is_ok()
}

/// The name as a cell.
pub(crate) fn guarded(name: &str) -> Cow<'_, str> {
    match is_risky(name) && !is_number(name) {
        true => format!("{GUARD}{name}").into(),
        false => name.into(),
    }
}

/// The name that a cell holds.
pub(crate) fn unguarded(cell: &str) -> &str {
    match cell.strip_prefix(GUARD) {
        Some(name) if is_risky(name) && !is_number(name) => name,
        _ => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_spreadsheets_would_run_are_guarded_and_come_back() {
        for name in [
            "=1+1",
            "+cmd|' /C calc'!A0",
            "-2+3",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            "\n=1",
            "'=1",
            "''@a",
            "-",
            "-inf",
        ] {
            assert!(guarded(name).starts_with(GUARD), "{name:?}");
            assert!(!guarded(name).starts_with(BEGIN_FORMULAS));
            assert_eq!(unguarded(&guarded(name)), name);
        }
    }

    #[test]
    fn numbers_and_other_names_stay_as_they_are() {
        for name in ["-1", "+5", "-1.5e-3", "0", "", "a=b", "'quoted'", "'tis", "O'Hara", "'", "a-b"] {
            assert_eq!(guarded(name), name);
            assert_eq!(unguarded(name), name);
        }
    }
}
