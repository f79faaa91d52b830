//! A line of text about each sample, for reports: `documents.csv`, or one text per line.

use std::path::Path;

use crate::error::{IoError, Place, Result};
use crate::formats::DECODED_LIMIT;
use crate::lines::lines_of;
use crate::matching::{Matched, order_by_name};
use crate::records::Records;
use crate::source::Source;

/// Names of the column with the texts, and of that with the samples' names.
const TEXTS: &[&str] = &["snippet", "text"];
const NAME: &str = "name";

/// Reads a text for each of `samples` samples: a CSV file with the column `snippet` (or `text`), whose column
/// `name`, where it has one and the samples have names, says which text is whose; or a text file with one
/// line per sample.
///
/// # Errors
/// When the file can't be read, its number of texts is not that of the samples, or names don't match.
pub fn read_snippets(path: &Path, samples: usize, sample_names: Option<&[String]>) -> Result<Vec<String>> {
    let source = Source::open(path, DECODED_LIMIT)?;
    let (names, texts) = match table(&source)? {
        Some(table) => table,
        None => (None, lines_of(&source)?),
    };
    if texts.len() != samples {
        let message = format!("the file has {} texts, but there are {samples} samples", texts.len());
        return Err(IoError::mismatch(path, Place::Whole, message));
    }
    match order_by_name(names.as_deref(), sample_names, Matched::SAMPLES) {
        Ok(Some(order)) => Ok(order.into_iter().map(|at| texts[at].clone()).collect()),
        Ok(None) => Ok(texts),
        Err(message) => Err(IoError::mismatch(path, Place::Whole, message)),
    }
}

/// Names and texts of a table whose header has a column of texts.
type Table = (Option<Vec<String>>, Vec<String>);

fn table(source: &Source) -> Result<Option<Table>> {
    let text = source.text_bytes();
    let mut records = Records::new(source, text, b',');
    let cell = |record: &csv::ByteRecord, column: usize| {
        String::from_utf8_lossy(record.get(column).unwrap_or_default().trim_ascii()).into_owned()
    };
    // Prose without a header may hold any quotes.
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default().to_ascii_lowercase();
    let header: Vec<String> =
        String::from_utf8_lossy(&first).split(',').map(|cell| cell.trim().trim_matches('"').into()).collect();
    let column = |wanted: &[&str]| header.iter().position(|name| wanted.contains(&name.as_str()));
    let Some(texts) = column(TEXTS) else { return Ok(None) };
    let names = column(&[NAME]);
    let mut out: Table = (names.map(|_| Vec::new()), Vec::new());
    records.next()?;
    while records.next()?.is_some() {
        records.expect_width(header.len(), "")?;
        let record = records.current();
        out.1.push(cell(record, texts));
        if let (Some(list), Some(names)) = (&mut out.0, names) {
            list.push(cell(record, names));
        }
    }
    Ok(Some(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &str, names: Option<&[&str]>) -> std::result::Result<Vec<String>, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        let names: Option<Vec<String>> = names.map(|names| names.iter().map(|n| n.to_string()).collect());
        read_snippets(file.path(), 2, names.as_deref()).map_err(|error| error.to_string())
    }

    #[test]
    fn texts_join_by_name_or_stand_in_the_order_of_the_samples() {
        let csv = "name,snippet\nb,\"Second, with a comma\"\na,First\n";
        assert_eq!(read(csv, Some(&["a", "b"])).unwrap(), ["First", "Second, with a comma"]);
        assert_eq!(read(csv, None).unwrap(), ["Second, with a comma", "First"]);
        assert_eq!(read("He said \"no\n...and left\n", None).unwrap(), ["He said \"no", "...and left"]);
        assert!(read("one\n", None).unwrap_err().contains("1 texts, but there are 2 samples"));
        let unknown = read("name,snippet\na,x\nc,y\n", Some(&["a", "b"])).unwrap_err();
        assert!(unknown.contains("\"b\""), "{unknown}");
    }
}
