//! Labels from text with one label per line. See [`crate::labels`].

use crate::error::{Place, Result};
use crate::labels::text::LABEL_COLUMNS;
use crate::labels::{LabelTable, check_count};
use crate::lines::lines_of;
use crate::source::Source;
use crate::text::quoted;

/// One label a line.
pub(crate) fn from_list(source: &Source, n_samples: usize, column: Option<&str>) -> Result<LabelTable> {
    let mut labels = lines_of(source)?;
    for (at, label) in labels.iter_mut().enumerate() {
        let Some(inner) = label.strip_prefix('"') else { continue };
        match inner.strip_suffix('"') {
            Some(inner) => *label = inner.replace("\"\"", "\"").trim().to_string(),
            None => {
                let message = "the quote (\") that opens here does not close on this line";
                return Err(source.malformed(Place::Line(at as u64 + 1), message));
            }
        }
    }
    let text = source.text_bytes();
    let lines = text.iter().filter(|byte| **byte == b'\n').count() + usize::from(!text.ends_with(b"\n"));
    let first = labels.first().map_or("", String::as_str);
    let others = labels.iter().skip(1).filter(|label| *label == first).count();
    let said = column.is_some_and(|column| column == first)
        || ["label", "labels"].contains(&first.to_lowercase().as_str());
    // One line too many is a header when it is no label: it comes once, or is what pandas writes for a column
    // without a name.
    let surplus = lines == n_samples + 1 || labels.len() == n_samples + 1;
    let usual = LABEL_COLUMNS.contains(&first.to_lowercase().as_str()) || first == "0";
    let header = (said && others == 0) || (surplus && !first.is_empty() && (others == 0 || usual));
    let mut notes = Vec::new();
    if header {
        if !said {
            notes.push(format!("the first line, {}, was read as the header", quoted(first.as_bytes())));
        }
        labels.remove(0);
    }
    // Blank lines at the end may be unlabelled samples.
    if labels.len() < n_samples {
        let rows = lines - usize::from(header);
        labels.resize(rows.clamp(labels.len(), n_samples), String::new());
    }
    let what = if header { "labels (one per line) below its header" } else { "labels (one per line)" };
    check_count(source, labels.len(), n_samples, what)?;
    let pairs = labels.into_iter().enumerate().collect();
    Ok(LabelTable::collect(&source.path, pairs, n_samples, notes, &source.sha256))
}

/// A first line with one cell over lines with several is no list.
pub(crate) fn refuse_hidden_table(source: &Source) -> Result<()> {
    let text = source.text_bytes();
    let mut lines = text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let first = lines.next().unwrap_or_default();
    let rest: Vec<&[u8]> = lines.collect();
    for (delimiter, name) in [(b',', "commas"), (b';', "semicolons"), (b'\t', "tabs")] {
        let has = |line: &[u8]| line.contains(&delimiter) && !line.contains(&b'"');
        let count = rest.iter().filter(|line| has(line)).count();
        if count > 1 && 2 * count > rest.len() && !first.contains(&delimiter) {
            let line = text.split(|byte| *byte == b'\n').position(has).map_or(0, |at| at as u64 + 1);
            let message = format!(
                "this line has cells with {name} between them, but the first line, {}, has one cell; a table needs a header with as many cells, and labels with {name} in them need quotes",
                quoted(first.trim_ascii())
            );
            return Err(source.malformed(Place::Line(line), message));
        }
    }
    Ok(())
}
