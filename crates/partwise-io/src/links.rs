//! Pairs of samples as a text table, for `--links`: two samples and `must` or `cannot` in each row. A sample
//! is named as in the data or counted from 0; a first row without `must` or `cannot` is a header.

use crate::error::{Place, Result};
use crate::formats::DECODED_LIMIT;
use crate::names::{DataNames, FoundBy};
use crate::records::{Records, Spaces, cell, cell_text, split_rule};
use crate::source::Source;
use crate::text::{quoted, whole};
use std::path::{Path, PathBuf};

/// Pairs of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkTable {
    /// The file.
    pub path: PathBuf,
    /// Pairs that belong together.
    pub must: Vec<(usize, usize)>,
    /// Pairs that belong apart.
    pub cannot: Vec<(usize, usize)>,
    /// SHA-256 of the file's bytes as stored.
    pub sha256: String,
}

/// Reads pairs of samples.
///
/// # Errors
/// When the file can't be read or isn't text; a sample that isn't there, a sample with itself, a word that
/// isn't `must` or `cannot`, with line and column.
pub fn read_links(path: &Path, names: &DataNames<'_>) -> Result<LinkTable> {
    links_of(&Source::open(path, DECODED_LIMIT)?, names)
}

/// As [`read_links`] for bytes that are already here.
///
/// # Errors
/// As [`read_links`].
pub fn links_of(source: &Source, names: &DataNames<'_>) -> Result<LinkTable> {
    source.expect_text("a table of links (sample,sample,must or cannot)")?;
    let (text, delimiter) = split_rule(source.text_bytes(), Spaces::Numbers);
    let mut records = Records::new(source, &text, delimiter);
    let mut table = LinkTable {
        path: source.path.clone(),
        must: Vec::new(),
        cannot: Vec::new(),
        sha256: source.sha256.clone(),
    };
    let mut first = true;
    while records.next()?.is_some() {
        let record = records.current();
        // A header has no kind, and its first two cells are no samples.
        let heads = (0..2).all(|j| names.sample(&cell_text(record, j)).is_err());
        let header =
            std::mem::take(&mut first) && record.len() == 3 && kind(cell(record, 2)).is_none() && heads;
        if !header {
            add(&records, names, &mut table)?;
        }
    }
    if table.must.is_empty() && table.cannot.is_empty() {
        return Err(source.malformed(Place::Whole, "the table has no links"));
    }
    Ok(table)
}

/// Whether the word means together; `None` for any other word.
fn kind(text: &[u8]) -> Option<bool> {
    match text.to_ascii_lowercase().as_slice() {
        b"must" | b"must-link" => Some(true),
        b"cannot" | b"cannot-link" => Some(false),
        _ => None,
    }
}

fn add(records: &Records<'_>, names: &DataNames<'_>, table: &mut LinkTable) -> Result<()> {
    records.expect_width(3, ": two samples, and must or cannot")?;
    let record = records.current();
    let (mut pair, mut found_by) = ([0; 2], [FoundBy::Number; 2]);
    for column in 0..2 {
        (pair[column], found_by[column]) = names
            .found_sample(&cell_text(record, column))
            .map_err(|message| records.fault(column, None, message))?;
    }
    if found_by[0] != found_by[1] && (0..2).all(|j| whole(cell(record, j)).is_some()) {
        let (name, number) = if found_by[0] == FoundBy::Name { (0, 1) } else { (1, 0) };
        let message = format!(
            "{} is a sample name, but {} is a position; give both samples by name",
            quoted(cell(record, name)),
            quoted(cell(record, number))
        );
        return Err(records.fault(number, None, message));
    }
    if pair[0] == pair[1] {
        return Err(records.fault(1, None, format!("sample {} is linked with itself", pair[0])));
    }
    match kind(cell(record, 2)) {
        Some(true) => table.must.push((pair[0], pair[1])),
        Some(false) => table.cannot.push((pair[0], pair[1])),
        None => {
            let message = format!("{} is not a kind of link; valid: must, cannot", quoted(cell(record, 2)));
            return Err(records.fault(2, None, message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, names: Option<&[String]>) -> Result<LinkTable> {
        let source = Source::from_bytes(Path::new("links.csv"), text.as_bytes().to_vec(), 1 << 20)?;
        links_of(&source, &DataNames::new(4, names, 3, None))
    }

    #[test]
    fn samples_go_by_name_or_number_with_and_without_a_header() {
        let names: Vec<String> = ["ann", "bob", "cid", "1"].map(String::from).to_vec();
        for header in ["", "first,second,link\n"] {
            let found = read(&format!("{header}0,1,must\n2,3,Cannot-Link\n"), None).unwrap();
            assert_eq!((found.must, found.cannot), (vec![(0, 1)], vec![(2, 3)]));
            let found = read(&format!("{header}ann,1,must\ncid,0,cannot\n"), Some(&names)).unwrap();
            // The name 1 is that of the last sample.
            assert_eq!((found.must, found.cannot), (vec![(0, 3)], vec![(2, 0)]));
        }
    }

    #[test]
    fn faults_say_where_they_are_and_what_is_valid() {
        let names: Vec<String> = ["ann", "bob", "bob", "cid"].map(String::from).to_vec();
        let numbered: Vec<String> = ["ann", "bob", "cid", "1"].map(String::from).to_vec();
        let numbers: Vec<String> = ["17", "30", "50", "90"].map(String::from).to_vec();
        for (text, names, parts) in [
            ("0,4,must\n", None, &["line 1, column 2", "no sample 4", "0..4"][..]),
            ("0,1,must\nx,1,must\n", None, &["line 2, column 1", "\"x\"", "no names"]),
            ("ann,cib,must\n", Some(&names[..]), &["\"cib\"", "did you mean \"cid\"?"]),
            ("ann,bob,must\n", Some(&names[..]), &["several samples are named \"bob\""]),
            ("1,1,must\n", None, &["linked with itself"]),
            (
                "1,0,must\n",
                Some(&numbered[..]),
                &["column 2", "\"1\" is a sample name", "\"0\" is a position", "by name"],
            ),
            (
                "7,8,must\n",
                Some(&numbers[..]),
                &["column 1", "are numbers", "7 is not one of them", "nearest: \"17\""],
            ),
            ("0,1,maybe\n", None, &["line 1, column 3", "\"maybe\"", "valid: must, cannot"]),
            ("0,1\n", None, &["2 cells", "3 are expected"]),
            ("i,j,link\n", None, &["no links"]),
        ] {
            let message = read(text, names).unwrap_err().to_string();
            for part in parts {
                assert!(message.contains(part), "{text:?}: \"{part}\" is not in: {message}");
            }
        }
    }
}
