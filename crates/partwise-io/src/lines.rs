//! Names, one per line: `terms.txt`, `genes.txt`.

use crate::error::{IoError, Place, Result};
use crate::formats::DECODED_LIMIT;
use crate::source::{Look, Source, looks_like};
use crate::text::Lines;
use std::path::Path;

/// Reads the lines of a text file (UTF-8, gzip or not) without the blank ones at its end.
///
/// # Errors
/// When the file can't be read or isn't text.
pub fn read_lines(path: &Path) -> Result<Vec<String>> {
    lines_of(&Source::open(path, DECODED_LIMIT)?)
}

pub(crate) fn lines_of(source: &Source) -> Result<Vec<String>> {
    if looks_like(&source.bytes) != Look::MatrixMarket {
        source.expect_text("a text file with one entry per line")?;
    }
    source.expect_utf8(source.text_bytes())?;
    let mut lines: Vec<String> = Lines::new(source.text_bytes())
        .map(|line| String::from_utf8_lossy(line.trim_ascii()).into_owned())
        .collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    Ok(lines)
}

/// Reads names, one per line, and checks that there is one for each of `expected` things (`what`: "columns of
/// the data").
///
/// # Errors
/// As [`read_lines`], and when the count differs.
pub fn read_names(path: &Path, expected: usize, what: &str) -> Result<Vec<String>> {
    names_of(&Source::open(path, DECODED_LIMIT)?, expected, what)
}

/// As [`read_names`] for bytes that are already here.
///
/// # Errors
/// As [`read_names`].
pub fn names_of(source: &Source, expected: usize, what: &str) -> Result<Vec<String>> {
    let names = lines_of(source)?;
    if names.len() != expected {
        let hint = if names.len() == expected + 1 {
            format!("; is the first line, \"{}\", a header?", names[0].chars().take(60).collect::<String>())
        } else {
            String::new()
        };
        let message = format!("the file has {} names, but there are {expected} {what}{hint}", names.len());
        return Err(IoError::mismatch(&source.path, Place::Whole, message));
    }
    Ok(names)
}
