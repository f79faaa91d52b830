//! `.csv`, `.tsv`, `.txt`: tables of numbers, with or without header and row names.
//!
//! How a table is understood, unless [`ReadOptions`] says otherwise:
//!
//! - **delimiter**: comma, tab or semicolon, whichever the first line has most of; a first line that is several
//!   numbers between spaces is split at spaces.
//! - **header**: the first row is a header when any cell besides the first is text (in a one-column table: the only
//!   cell), or when its first cell is empty, is one of `sample`, `name`, `id`, `index`, or is the only text of its
//!   column. A first row that is one cell shorter than the second is a header without a corner, as R writes it.
//! - **row names**: the first column holds row names when the header leaves its cell empty, or when at least half of
//!   its cells are text. Text in fewer cells is a fault of those cells.
//! - **missing cells** (empty, `NA`, `nan`) become NaN, with a note; whether NaN is allowed is the library's say.
//! - **label column**: taken out first, so the rules above look at the other columns.

use crate::error::{IoError, Place, Result};
use crate::formats::ReadOptions;
use crate::records::{Records, cell, cell_text, split_rule};
use crate::source::Source;
use crate::table::{DenseValues, FileKind, Table, Values, counted};
use crate::text::{number, quoted, whole};

/// Reads a text table.
pub(crate) fn read(source: &Source, options: &ReadOptions) -> Result<Table> {
    let (text, delimiter) = split_rule(source.text_bytes());
    let layout = Layout::detect(source, Records::new(source, &text, delimiter), options)?;
    let mut records = Records::new(source, &text, delimiter);
    let mut filled = Filled::default();
    if layout.header.is_some() {
        records.next()?;
    }
    while records.next()?.is_some() {
        filled.add_row(source, &records, &layout)?;
    }
    Ok(filled.into_table(source, layout))
}

/// How the columns of a table are to be understood.
struct Layout {
    /// Cells a row.
    width: usize,
    /// The column names, one for each column of the file.
    header: Option<Vec<String>>,
    label: Option<usize>,
    names: Option<usize>,
    notes: Vec<String>,
}

/// What stands in the column that may hold row names, below the first row.
#[derive(Default)]
struct Census {
    rows: usize,
    numbers: usize,
    /// Text, in rows below the first.
    texts: usize,
    /// The place and text of the first text.
    first_text: Option<(u64, String)>,
}

const CORNERS: [&str; 5] = ["", "sample", "name", "id", "index"];

impl Layout {
    fn detect(source: &Source, mut records: Records<'_>, options: &ReadOptions) -> Result<Self> {
        let Some(first) = records.next()?.cloned() else {
            return Err(IoError::Empty { path: source.path.clone() });
        };
        let mut header: Vec<String> = (0..first.len()).map(|j| cell_text(&first, j)).collect();
        let mut more = records.next()?.is_some();
        let row = records.current();
        let no_corner =
            more && row.len() == header.len() + 1 && is_text(cell(row, 0)) && options.header != Some(false);
        if no_corner {
            header.insert(0, String::new());
        }
        let width = header.len();
        let label = find_label(source, &header, options)?;
        // The column that may hold row names: the first that isn't the label; the last one left must be data.
        let candidate = usize::from(label == Some(0)).min(width - 1);
        let may_have_names = width > 1 + usize::from(label.is_some());
        let mut census = Census::default();
        while more {
            census.add(&records, candidate);
            more = records.next()?.is_some();
        }
        let has_header = no_corner
            || options
                .header
                .unwrap_or_else(|| looks_like_header(&header, label, candidate, may_have_names, &census));
        if !has_header && is_text(header[candidate].as_bytes()) {
            census.texts += 1;
        }
        let mut layout =
            Layout { width, header: has_header.then_some(header), label, names: None, notes: Vec::new() };
        if may_have_names && layout.has_names(source, options, candidate, &census)? {
            layout.names = Some(candidate);
        }
        Ok(layout)
    }

    fn has_names(
        &mut self,
        source: &Source,
        options: &ReadOptions,
        candidate: usize,
        census: &Census,
    ) -> Result<bool> {
        if let Some(said) = options.row_names {
            return Ok(said);
        }
        let empty_corner = self.header.as_ref().is_some_and(|header| header[candidate].is_empty());
        if empty_corner || (census.texts > 0 && census.numbers == 0) {
            return Ok(true);
        }
        if census.texts == 0 {
            return Ok(false);
        }
        if census.texts >= census.numbers {
            self.notes.push(format!(
                "the first column was read as row names: {} of its cells are text, {} are numbers",
                census.texts, census.numbers
            ));
            return Ok(true);
        }
        let (line, text) = census.first_text.clone().unwrap_or((1, String::new()));
        let message = format!(
            "{} is not a number; if this column holds row names, leave its cell in the header empty",
            quoted(text.as_bytes())
        );
        Err(source.malformed(self.place(line, candidate), message))
    }

    fn place(&self, line: u64, column: usize) -> Place {
        let name = self.header.as_ref().map(|header| header[column].clone()).filter(|name| !name.is_empty());
        Place::Cell { line, column: column + 1, name }
    }

    fn is_data(&self, column: usize) -> bool {
        self.label != Some(column) && self.names != Some(column)
    }
}

impl Census {
    fn add(&mut self, records: &Records<'_>, column: usize) {
        let bytes = cell(records.current(), column);
        self.rows += 1;
        if number(bytes).is_some() || has_decimal_comma(bytes) {
            self.numbers += 1;
        } else if is_text(bytes) {
            self.texts += 1;
            self.first_text.get_or_insert_with(|| (records.line(), cell_text(records.current(), column)));
        }
    }
}

/// Neither a number nor missing.
fn is_text(bytes: &[u8]) -> bool {
    !is_missing(bytes) && number(bytes).is_none()
}

fn is_missing(bytes: &[u8]) -> bool {
    bytes.is_empty() || bytes == b"NA" || bytes.eq_ignore_ascii_case(b"nan")
}

fn looks_like_header(
    first: &[String],
    label: Option<usize>,
    candidate: usize,
    may_have_names: bool,
    census: &Census,
) -> bool {
    let corner = first[candidate].as_bytes();
    if !may_have_names {
        return is_text(corner);
    }
    let text_beside = (0..first.len())
        .filter(|column| *column != candidate && label != Some(*column))
        .any(|column| is_text(first[column].as_bytes()));
    let known_corner = CORNERS.contains(&first[candidate].to_lowercase().as_str());
    text_beside
        || (known_corner && census.rows > 0)
        || (is_text(corner) && census.texts == 0 && census.numbers > 0)
}

/// The position of the label column: a whole number within the row is a position (a first row of data may hold the
/// same number), anything else a name.
fn find_label(source: &Source, header: &[String], options: &ReadOptions) -> Result<Option<usize>> {
    let Some(wanted) = &options.label_column else { return Ok(None) };
    if let Some(column) = whole(wanted.as_bytes()).filter(|column| *column < header.len() as u64) {
        return Ok(Some(column as usize));
    }
    let mut named =
        (0..header.len()).filter(|column| header[*column] == *wanted && options.header != Some(false));
    if let Some(column) = named.next() {
        if let Some(second) = named.next() {
            let message =
                format!("the columns {} and {} are both named \"{wanted}\"", column + 1, second + 1);
            return Err(source.unsupported(
                Place::Line(1),
                message,
                &["the column's position, counted from 0"],
            ));
        }
        return Ok(Some(column));
    }
    let mut valid = vec![format!("0 to {}", header.len() - 1)];
    valid.extend(header.iter().filter(|name| is_text(name.as_bytes())).take(20).cloned());
    Err(IoError::UnknownName { path: source.path.clone(), kind: "column", name: wanted.clone(), valid })
}

/// What the second pass gathers.
#[derive(Default)]
struct Filled {
    rows: usize,
    values: Vec<f64>,
    names: Vec<String>,
    labels: Vec<Option<String>>,
    missing: usize,
    first_missing: Option<Place>,
}

impl Filled {
    fn add_row(&mut self, source: &Source, records: &Records<'_>, layout: &Layout) -> Result<()> {
        let record = records.current();
        if record.len() != layout.width {
            let message = format!(
                "the row has {}, but {} are expected",
                counted(record.len(), "cell", "cells"),
                layout.width
            );
            return Err(source.malformed(Place::Line(records.line()), message));
        }
        for column in 0..layout.width {
            if layout.names == Some(column) {
                self.names.push(cell_text(record, column));
            } else if layout.label == Some(column) {
                self.labels.push(Some(cell_text(record, column)).filter(|label| !label.is_empty()));
            } else {
                let bytes = cell(record, column);
                self.values.push(if is_missing(bytes) {
                    self.missing += 1;
                    self.first_missing.get_or_insert_with(|| layout.place(records.line(), column));
                    f64::NAN
                } else if let Some(value) = number(bytes) {
                    value
                } else {
                    return Err(not_a_number(source, layout, records.line(), column, bytes));
                });
            }
        }
        self.rows += 1;
        Ok(())
    }

    fn into_table(self, source: &Source, layout: Layout) -> Table {
        let columns = (0..layout.width).filter(|column| layout.is_data(*column)).count();
        let mut notes = layout.notes.clone();
        if let Some(place) = self.first_missing {
            let missing = counted(self.missing, "missing cell was", "missing cells were");
            let place = place.to_string();
            notes.push(format!("{missing} read as NaN; the first is {}", place.trim_end_matches([' ', ':'])));
        }
        let values = Values::Dense { rows: self.rows, columns, values: DenseValues::F64(self.values) };
        let mut table = Table::new(FileKind::Csv, values, notes, &source.sha256);
        table.row_names = layout.names.is_some().then_some(self.names);
        table.labels = layout.label.is_some().then_some(self.labels);
        table.column_names = layout.header.as_ref().map(|header| {
            header
                .iter()
                .enumerate()
                .filter(|(column, _)| layout.is_data(*column))
                .map(|(_, name)| name.clone())
                .collect()
        });
        table
    }
}

fn not_a_number(source: &Source, layout: &Layout, line: u64, column: usize, bytes: &[u8]) -> IoError {
    let advice = if has_decimal_comma(bytes) {
        "; decimal points are needed, not commas"
    } else {
        "; a column of labels can be taken out with --label-column"
    };
    source.malformed(layout.place(line, column), format!("{} is not a number{advice}", quoted(bytes)))
}

/// A number as much of Europe writes it. It is a fault wherever it stands, never a row name.
fn has_decimal_comma(bytes: &[u8]) -> bool {
    let dotted: Vec<u8> = bytes.iter().map(|byte| if *byte == b',' { b'.' } else { *byte }).collect();
    bytes.contains(&b',') && number(&dotted).is_some()
}
