//! How the rows and columns of a text table are to be understood: see [`crate::formats::csv_table`].

use crate::cell_statistics::CellStatistics;
use crate::cells::{Cell, classify};
use crate::error::{IoError, Place, Result};
use crate::formats::ReadOptions;
use crate::records::{Records, blank_end, cell, cell_text, is_blank};
use crate::row_name_headers::names_rows;
use crate::series::{Sample, header_of_numbers};
use crate::source::Source;
use crate::table::counted;
use crate::text::{quoted, whole};

/// A table, understood.
pub(crate) struct Layout {
    /// Cells a row.
    pub(crate) width: usize,
    /// Whether lines may end with blank cells beyond the width.
    pub(crate) blank_end: bool,
    /// Rows of data.
    pub(crate) rows: usize,
    /// The column names, one for each column of the file.
    pub(crate) header: Option<Vec<String>>,
    pub(crate) label: Option<usize>,
    pub(crate) names: Option<usize>,
    pub(crate) decimal_comma: bool,
    pub(crate) notes: Vec<String>,
}

/// What the first look at all rows gives.
#[derive(Default)]
struct Shape {
    first: Vec<String>,
    /// Cells of the second row, if there is one.
    second: Option<usize>,
    /// Whether all rows from the second on have as many.
    even: bool,
    /// Whether the second row begins with text.
    second_begins_with_text: bool,
    /// The fewest blank cells that a row from the second on ends with.
    blank_end: usize,
    /// Blank cells that the first row ends with.
    first_blank_end: usize,
    /// Rows from the second on, without those at the end that are blank.
    rows: usize,
    blank_rows: usize,
}

impl Shape {
    fn of(mut records: Records<'_>) -> Result<Option<Self>> {
        let Some(first) = records.next()?.cloned() else { return Ok(None) };
        let mut out = Shape {
            first: (0..first.len()).map(|j| cell_text(&first, j)).collect(),
            even: true,
            blank_end: usize::MAX,
            first_blank_end: blank_end(&first),
            ..Shape::default()
        };
        while records.next()?.is_some() {
            let record = records.current();
            if (record.len() > 1 || out.first.len() > 1) && is_blank(record) {
                out.blank_rows += 1;
                continue;
            }
            // Blank rows between others are rows.
            out.rows += 1 + std::mem::take(&mut out.blank_rows);
            let cells = record.len();
            match out.second {
                None => {
                    out.second = Some(cells);
                    out.second_begins_with_text = classify(cell(record, 0), false) == Cell::Text;
                }
                Some(second) => out.even &= second == cells,
            }
            out.blank_end = out.blank_end.min(blank_end(record));
        }
        Ok(Some(out))
    }

    /// How many columns at the end are blank everywhere, and whether the first row is a header without a
    /// corner.
    fn ends(&self, options: &ReadOptions) -> (usize, bool) {
        let Some(second) = self.second else { return (0, false) };
        let first = self.first.len();
        let mut blank = if self.even { self.blank_end } else { 0 };
        if first == second {
            blank = blank.min(self.first_blank_end);
        }
        let short = first + 1 == second - blank;
        let text_in_first = self.first.iter().any(|text| classify(text.as_bytes(), false) == Cell::Text);
        let said = options.header == Some(true) || options.row_names == Some(true);
        let named = self.second_begins_with_text || ((text_in_first || said) && self.even);
        let allowed = options.header != Some(false) && options.row_names != Some(false);
        (blank, short && named && allowed)
    }
}

impl Layout {
    /// Looks at all rows, twice.
    pub(crate) fn detect(
        source: &Source,
        records: Records<'_>,
        mut again: Records<'_>,
        options: &ReadOptions,
        delimiter: u8,
    ) -> Result<Self> {
        let Some(mut shape) = Shape::of(records)? else {
            return Err(IoError::Empty { path: source.path.clone() });
        };
        let mut notes = Vec::new();
        let (blank, no_corner) = shape.ends(options);
        if blank > 0 {
            notes.push(match blank {
                1 => "each line ends with a separator; the blank cell after it was ignored".to_string(),
                _ => format!("the last {blank} columns are blank in each row and were ignored"),
            });
            let width = shape.second.unwrap_or(0) - blank;
            shape.first.truncate(if no_corner { width - 1 } else { width });
        }
        if shape.blank_rows > 0 {
            let lines = counted(shape.blank_rows, "line at the end has", "lines at the end have");
            notes.push(format!(
                "{lines} only separators and {} ignored",
                if shape.blank_rows == 1 { "was" } else { "were" }
            ));
        }
        let mut header = shape.first;
        if no_corner {
            header.insert(0, String::new());
        }
        let width = header.len();
        let label = find_label(source, &header, options)?;
        // The column that may hold row names: the first that isn't the label; the last one left must be data.
        let candidate = usize::from(label == Some(0)).min(width - 1);
        let may_have_names = width > 1 + usize::from(label.is_some());
        let mut layout = Layout {
            width,
            blank_end: blank > 0,
            rows: shape.rows,
            header: None,
            label,
            names: None,
            decimal_comma: false,
            notes,
        };
        let mut census = CellStatistics::new(candidate, label, may_have_names);
        again.next()?;
        for _ in 0..shape.rows {
            if again.next()?.is_none() {
                break;
            }
            census.add(&again, delimiter);
        }
        layout.decimal_comma = census.decimal_comma(source, &header, delimiter)?;
        if layout.decimal_comma {
            layout.notes.push("commas in numbers were read as decimal commas".into());
        }
        let has_header = no_corner || layout.has_header(source, options, &header, &census);
        if !has_header {
            layout.rows += 1;
            census.first_is_data(header[candidate].as_bytes());
        }
        layout.header = has_header.then_some(header);
        if may_have_names && layout.has_names(source, options, no_corner, &census)? {
            layout.names = Some(candidate);
        }
        Ok(layout)
    }

    fn has_header(
        &mut self,
        source: &Source,
        options: &ReadOptions,
        first: &[String],
        census: &CellStatistics,
    ) -> bool {
        if let Some(said) = options.header {
            return said;
        }
        let (corner, rest) = (&first[census.candidate], census.others(first));
        let is = |text: &str| classify(text.as_bytes(), self.decimal_comma);
        let shown = || quoted(first.iter().take(4).cloned().collect::<Vec<_>>().join(", ").as_bytes());
        let text_beside = rest.iter().filter(|text| is(text) == Cell::Text).count();
        let text_first = is(corner) == Cell::Text;
        if text_beside > 0 || (!census.may_have_names && text_first) {
            let number = |text: &&String| matches!(is(text), Cell::Number(_));
            let numbers = first.iter().filter(number).count();
            if 2 * numbers > first.len() {
                self.notes.push(format!(
                    "the first row ({}) was read as the header, because it has text, although {numbers} of \
                    its cells are numbers; --no-header reads it as data",
                    shown()
                ));
            }
            return true;
        }
        if census.may_have_names && names_rows(corner) && census.rows > 0 {
            return true;
        }
        if text_first && census.texts == 0 && census.numbers > 0 {
            return true;
        }
        if census.rows > 0 && only_first_is_quoted(source.text_bytes()) {
            self.notes.push(format!(
                "the first row ({}) was read as the header, because it is quoted and the next is not; \
                --no-header reads it as data",
                shown()
            ));
            return true;
        }
        // A row name among others, as s1 among s1, s2, s3, heads no column of names.
        if text_first && census.first_text.as_ref().is_some_and(|(_, name)| alike(corner, name)) {
            return false;
        }
        let numbers: Vec<Sample> = match text_first {
            true => rest.iter().map(|text| Sample::of(text.as_bytes())).collect(),
            false => (0..first.len())
                .filter(|c| census.label != Some(*c))
                .map(|c| Sample::of(first[c].as_bytes()))
                .collect(),
        };
        match header_of_numbers(&numbers, &census.sample) {
            Ok(Some(why)) => {
                self.notes.push(format!(
                    "the first row ({}) was read as the header, because {why}; --no-header reads it as data",
                    shown()
                ));
                true
            }
            Ok(None) => false,
            Err(()) => {
                self.notes.push(format!(
                    "the first row ({}) was read as data; --header reads it as the header",
                    shown()
                ));
                false
            }
        }
    }

    fn has_names(
        &mut self,
        source: &Source,
        options: &ReadOptions,
        no_corner: bool,
        census: &CellStatistics,
    ) -> Result<bool> {
        if let Some(said) = options.row_names {
            return Ok(said);
        }
        let corner = self.header.as_ref().map(|header| header[census.candidate].clone());
        if corner.as_ref().is_some_and(String::is_empty) {
            if no_corner && census.texts == 0 {
                self.notes.push(
                    "the first row has one cell less than the others, as R writes a header, so \
                    the first column was read as row names; use --no-row-names if it is data"
                        .into(),
                );
            }
            return Ok(true);
        }
        if census.texts > 0 && census.numbers == 0 {
            return Ok(true);
        }
        if census.texts >= census.numbers && census.texts > 0 {
            self.notes.push(format!(
                "the first column was read as row names: {} of its cells are text, {} are numbers; --no-row-names reads it as data",
                census.texts, census.numbers
            ));
            return Ok(true);
        }
        if census.texts > 0 {
            let (line, text) = census.first_text.clone().unwrap_or((1, String::new()));
            let message = format!(
                "{} is not a number; if this column holds row names, leave its cell in the header empty, or \
                use --row-names",
                quoted(text.as_bytes())
            );
            return Err(source.malformed(self.place(line, census.candidate), message));
        }
        let named = corner.as_ref().map_or(String::new(), |name| format!(" ({})", quoted(name.as_bytes())));
        match census.ids(corner.as_deref()) {
            Ok(Some(why)) => {
                self.notes.push(format!(
                    "the first column{named} was read as row names, because {why}; \
                    --no-row-names reads it as data"
                ));
                Ok(true)
            }
            Ok(None) => Ok(false),
            Err(()) => {
                self.notes.push(format!(
                    "the first column{named} was read as data; --row-names reads it as row names"
                ));
                Ok(false)
            }
        }
    }

    pub(crate) fn place(&self, line: u64, column: usize) -> Place {
        let name = self.header.as_ref().map(|header| header[column].clone()).filter(|name| !name.is_empty());
        Place::Cell { line, column: column + 1, name }
    }

    pub(crate) fn is_data(&self, column: usize) -> bool {
        self.label != Some(column) && self.names != Some(column)
    }
}

/// Whether two names are of one make, digits in the same places: `s1` and `s24`.
fn alike(one: &str, other: &str) -> bool {
    let make = |name: &str| {
        let mut make: Vec<char> = name
            .chars()
            .map(|c| {
                if c.is_ascii_digit() {
                    '0'
                } else if c.is_alphabetic() {
                    'a'
                } else {
                    c
                }
            })
            .collect();
        make.dedup();
        make
    };
    make(one).contains(&'0') && make(one) == make(other)
}

/// Whether the first line is quoted all over, and the next has a cell without quotes.
fn only_first_is_quoted(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let (Some(first), Some(second)) = (lines.next(), lines.next()) else { return false };
    let bare = |line: &[u8]| {
        let mut quoted = false;
        line.iter().any(|byte| {
            quoted ^= *byte == b'"';
            !quoted && byte.is_ascii_alphanumeric()
        })
    };
    first.contains(&b'"') && !bare(first) && bare(second)
}

/// The position of the label column: a whole number within the row is a position (a first row of data may
/// hold the same number), anything else a name.
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
    let text = |name: &&String| classify(name.as_bytes(), false) == Cell::Text;
    valid.extend(header.iter().filter(text).take(20).cloned());
    Err(IoError::UnknownName { path: source.path.clone(), kind: "column", name: wanted.clone(), valid })
}
