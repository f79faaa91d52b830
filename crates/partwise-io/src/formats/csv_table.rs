//! `.csv`, `.tsv`, `.txt`: tables of numbers, with or without header and row names.
//!
//! How a table is understood, unless [`ReadOptions`] sets it. The table's notices state what is
//! uncertain.
//!
//! - **cells** are separated by tab, semicolon or comma, whichever splits the first rows evenly; or by
//!   spaces. Blank cells at the end of all lines (separators at their ends), and lines at the end that hold
//!   separators only, are left out, with a note.
//! - **header**: the first row is a header when any cell besides the first is text (in a one-column table:
//!   the only cell), or when its first cell is blank, has a usual name for row names (`id`, `sample`,
//!   `Unnamed: 0`, …), or is the only text of its column. A first row that is one cell shorter than all
//!   others is a header without a corner, as R writes it. A first row of numbers is a header when all of it
//!   is quoted and the next row isn't, or when it counts 0, 1, 2, …, rises steadily like wavelengths or
//!   years, and the numbers below don't.
//! - **row names**: the first column holds row names when the header leaves its cell blank, when at least
//!   half of its cells are text, when it holds whole numbers under a usual name for row names, or when it
//!   counts the rows or rises steadily above all other numbers. Text in fewer cells is a fault of those
//!   cells.
//! - **missing cells** (blank, `NA`, `nan`, `None`, `null`, …) become NaN, with a note; whether NaN is
//!   allowed is decided by the library.
//! - **decimal commas** are read where the separator is no comma and no number has a decimal point, with a
//!   note. Percentages, thousands separators, hexadecimal numbers, underscores, typographic minus signs, and
//!   numbers that are not finite are refused.
//! - **label column**: taken out first, so the rules above look at the other columns. Missing labels, −1 too,
//!   are no labels.

use crate::cells::{Cell, Odd, classify};
use crate::duplicates::repeated_note;
use crate::error::{IoError, Place, Result};
use crate::formats::ReadOptions;
use crate::formats::layout::Layout;
use crate::missing::is_missing_label;
use crate::records::{Records, Spaces, cell, cell_text, split_rule};
use crate::source::Source;
use crate::table::{DenseValues, FileKind, Table, Values, counted};
use crate::text::quoted;

/// Reads a text table.
pub(crate) fn read(source: &Source, options: &ReadOptions) -> Result<Table> {
    let (text, delimiter) = split_rule(source.text_bytes(), Spaces::Table);
    let records = || Records::new(source, &text, delimiter);
    let layout = Layout::detect(source, records(), records(), options, delimiter)?;
    let mut records = records();
    let mut filled = Filled::default();
    if layout.header.is_some() {
        records.next()?;
    }
    while filled.rows < layout.rows && records.next()?.is_some() {
        filled.add_row(source, &records, &layout)?;
    }
    Ok(filled.into_table(source, layout))
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
        let surplus = record.len().checked_sub(layout.width);
        let only_blanks = |surplus: usize| (0..surplus).all(|c| cell(record, layout.width + c).is_empty());
        if !surplus.is_some_and(|surplus| surplus == 0 || (layout.blank_end && only_blanks(surplus))) {
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
                self.labels.push(Some(cell_text(record, column)).filter(|label| !is_missing_label(label)));
            } else {
                let bytes = cell(record, column);
                self.values.push(match classify(bytes, layout.decimal_comma) {
                    Cell::Number(value) => value,
                    Cell::Missing => {
                        self.missing += 1;
                        self.first_missing.get_or_insert_with(|| layout.place(records.line(), column));
                        f64::NAN
                    }
                    Cell::Odd(odd) => {
                        return Err(refused(source, layout, records.line(), column, bytes, odd));
                    }
                    Cell::Text => {
                        let message = format!(
                            "{} is not a number; a column of labels can be taken out with --label-column, and texts are read with --text",
                            quoted(bytes)
                        );
                        return Err(source.malformed(layout.place(records.line(), column), message));
                    }
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
        let repeated = [(&table.row_names, "row names"), (&table.column_names, "column names")];
        let repeated =
            repeated.map(|(names, what)| names.as_ref().and_then(|names| repeated_note(names, what)));
        table.notes.extend(repeated.into_iter().flatten());
        table
    }
}

fn refused(source: &Source, layout: &Layout, line: u64, column: usize, bytes: &[u8], odd: Odd) -> IoError {
    source.malformed(layout.place(line, column), format!("{} {}", quoted(bytes), odd.advice()))
}
