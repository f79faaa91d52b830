//! Texts in the rows of a table, or of JSON lines.

use super::{DocumentOptions, Documents, decoded, latin_note};
use crate::error::{IoError, Place, Result};
use crate::formulas::unguarded;
use crate::missing::is_missing_label;
use crate::records::{Spaces, open_quote, split_rule};
use crate::row_name_headers::names_rows;
use crate::source::Source;
use crate::text::{Lines, did_you_mean, whole};
use serde_json::{Map, Value};

/// Usual names for a column of texts.
const TEXT_NAMES: [&str; 8] =
    ["text", "body", "content", "document", "message", "abstract", "review", "description"];

/// Columns of texts: their names, and the rows of cells.
struct Cells {
    names: Vec<String>,
    /// Whether the names are those of a header.
    named: bool,
    rows: Vec<Vec<String>>,
}

/// Texts in a column of a table.
pub(super) fn of_table(source: &Source, options: &DocumentOptions) -> Result<Documents> {
    let (text, is_utf8) = decoded(source.text_bytes());
    let delimiter = match source.extension().as_deref() {
        Some("tsv") => b'\t',
        _ => split_rule(text.as_bytes(), Spaces::Numbers).1,
    };
    if let Some(line) = open_quote(text.as_bytes(), delimiter) {
        let message = "the quote (\") that opens here never closes, so everything after it would be one cell";
        return Err(source.malformed(Place::Line(line), message));
    }
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(text.as_bytes());
    let mut rows: Vec<Vec<String>> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| source.malformed(Place::Whole, error.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let expected = rows.first().map_or(record.len(), Vec::len);
        if record.len() != expected {
            let message = format!(
                "the row has {} cells, but {expected} are expected; texts with a separator need quotes (\")",
                record.len()
            );
            return Err(source.malformed(Place::Line(line), message));
        }
        rows.push(record.iter().map(|cell| unguarded(cell).to_string()).collect());
    }
    let Some(width) = rows.first().map(Vec::len) else {
        return Err(IoError::Empty { path: source.path.clone() });
    };
    // A single column without a usual name is a list of texts without a header.
    let plain = |row: &[String]| width == 1 && options.column.is_none() && text_column(row).is_none();
    let named = options.header.unwrap_or_else(|| !rows.first().is_some_and(|row| plain(row)));
    let names = match named {
        true => rows.remove(0).iter().map(|name| name.trim().to_string()).collect(),
        false => (0..width).map(|column| column.to_string()).collect(),
    };
    let mut documents = chosen(source, options, Cells { names, named, rows })?;
    if !is_utf8 {
        documents.notes.extend(latin_note(&["the file"]));
    }
    Ok(documents)
}

/// Texts in a field of JSON objects, one on each line.
pub(super) fn of_json_lines(source: &Source, options: &DocumentOptions) -> Result<Documents> {
    if options.header.is_some() || options.row_names.is_some() {
        let message = "options for headers and row names apply only to tables, but these are JSON lines";
        return Err(source.unsupported(Place::Whole, message, &[]));
    }
    let mut lines = Lines::new(source.text_bytes());
    let mut objects: Vec<Map<String, Value>> = Vec::new();
    while let Some(line) = lines.next() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let fault = |message: String| source.malformed(Place::Line(lines.number), message);
        match serde_json::from_slice(line) {
            Ok(Value::Object(object)) => objects.push(object),
            Ok(_) => return Err(fault("the line is not a JSON object, as in {\"text\": \"...\"}".into())),
            Err(error) => return Err(fault(format!("the line is not valid JSON: {error}"))),
        }
    }
    let mut names: Vec<String> = Vec::new();
    for name in objects.iter().flat_map(Map::keys) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let cell = |object: &Map<String, Value>, name: &String| match object.get(name) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let rows = objects.iter().map(|object| names.iter().map(|name| cell(object, name)).collect()).collect();
    chosen(source, options, Cells { names, named: true, rows })
}

/// The texts, names and labels of the columns that hold them.
fn chosen(source: &Source, options: &DocumentOptions, cells: Cells) -> Result<Documents> {
    let Cells { names, named, rows } = cells;
    let mut notes = Vec::new();
    let text = match &options.column {
        Some(column) => column_named(source, column, &names, "text")?,
        None if names.len() == 1 => 0,
        None => {
            let Some(column) = text_column(&names).filter(|_| named) else {
                let message = format!(
                    "which column holds the texts? Give it, as in --text NAME; columns: {}",
                    names.join(", ")
                );
                return Err(source.unsupported(Place::Whole, message, &[]));
            };
            notes.push(format!("texts from the column \"{}\"", names[column]));
            column
        }
    };
    let label = options.label_column.as_ref();
    let label = label.map(|column| column_named(source, column, &names, "label")).transpose()?;
    let all = |column: usize| rows.iter().map(|row| row[column].trim().to_string()).collect::<Vec<_>>();
    let is_name = |column: &usize| *column != text && Some(*column) != label;
    let name = match options.row_names {
        Some(false) => None,
        Some(true) => Some(0).filter(is_name),
        None => (0..names.len()).filter(is_name).find(|column| {
            named && !names[*column].is_empty() && names_rows(&names[*column]) && are_different(&all(*column))
        }),
    };
    notes.extend(
        name.filter(|_| options.row_names.is_none())
            .map(|column| format!("names of the texts from the column \"{}\"", names[column])),
    );
    let of_label = |text: String| (!is_missing_label(&text)).then_some(text);
    Ok(Documents {
        texts: rows.iter().map(|row| row[text].clone()).collect(),
        names: name.map(all),
        labels: label.map(|column| all(column).into_iter().map(of_label).collect()),
        notes,
        sha256: source.sha256.clone(),
    })
}

/// The first usual name of a column of texts among these.
fn text_column(names: &[String]) -> Option<usize> {
    TEXT_NAMES.iter().find_map(|usual| names.iter().position(|name| name.trim().eq_ignore_ascii_case(usual)))
}

/// A column by its name, or by its number where none has this name.
fn column_named(source: &Source, column: &str, names: &[String], what: &str) -> Result<usize> {
    if let Some(at) = names.iter().position(|name| name == column) {
        return Ok(at);
    }
    if let Some(at) = whole(column.as_bytes()).and_then(|at| usize::try_from(at).ok())
        && at < names.len()
    {
        return Ok(at);
    }
    let listed: Vec<&str> = names.iter().map(String::as_str).collect();
    let near = did_you_mean(column, &listed);
    let message = format!("there is no {what} column \"{column}\"{near} columns: {}", names.join(", "));
    Err(source.unsupported(Place::Whole, message, &[]))
}

/// Whether each is another, and none is blank.
fn are_different(names: &[String]) -> bool {
    let mut seen = std::collections::HashSet::new();
    names.iter().all(|name| !name.is_empty() && seen.insert(name))
}
