//! Labels from text: a table, or one label per line. See [`crate::labels`].

use crate::error::{IoError, Place, Result};
use crate::labels::list::{from_list, refuse_hidden_table};
use crate::labels::{LabelOptions, LabelTable};
use crate::name_index::{Found, NameIndex};
use crate::records::{Records, Spaces, cell, cell_text, is_blank, split_rule};
use crate::row_name_headers::names_rows;
use crate::source::Source;
use crate::text::quoted;

/// Usual names of columns of labels, the surest first.
pub(crate) const LABEL_COLUMNS: [&str; 16] = [
    "label",
    "labels",
    "class",
    "classes",
    "cluster",
    "y",
    "target",
    "targets",
    "group",
    "category",
    "type",
    "cell_type",
    "celltype",
    "cell type",
    "species",
    "truth",
];

/// Reads labels from text.
pub(crate) fn from_text(source: &Source, n_samples: usize, options: &LabelOptions<'_>) -> Result<LabelTable> {
    let spaces = if is_spaced_table(source.text_bytes(), options) { Spaces::Words } else { Spaces::Numbers };
    let (text, delimiter) = split_rule(source.text_bytes(), spaces);
    let mut records = Records::new(source, &text, delimiter);
    let Some(first) = records.next()?.cloned() else {
        return Err(IoError::Empty { path: source.path.clone() });
    };
    let second = records.next()?.map(csv::ByteRecord::len);
    if first.len() == 1 && second.is_none_or(|second| second != 2) {
        refuse_hidden_table(source)?;
        return from_list(source, n_samples, options.column);
    }
    let mut header: Vec<String> = (0..first.len()).map(|j| cell_text(&first, j)).collect();
    // As R writes a header.
    let no_corner = second == Some(header.len() + 1);
    if no_corner {
        header.insert(0, String::new());
    }
    let names = options.sample_names.map(NameIndex::new);
    let is_name = |text: &str| names.as_ref().is_some_and(|names| names.contains(text));
    let has_header = no_corner || (header[0].parse::<i128>().is_err() && !is_name(&header[0]));
    let mut table = Rows { source, notes: Vec::new(), header, has_header, ids: Vec::new(), n_samples, names };
    let columns = table.columns(options.column)?;
    let mut rows = Records::new(source, &text, delimiter);
    if has_header {
        rows.next()?;
    }
    while rows.next()?.is_some() {
        table.add(&rows, &columns)?;
    }
    let samples = table.samples(&rows, &columns, options)?;
    let pairs = samples.into_iter().zip(table.ids).map(|(sample, row)| (sample, row.label)).collect();
    Ok(LabelTable::collect(&source.path, pairs, n_samples, table.notes, &source.sha256))
}

/// Whether lines of two words are an id and a label each: the first words differ, and are numbers, names of
/// samples, or quoted.
fn is_spaced_table(text: &[u8], options: &LabelOptions<'_>) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    lines.next();
    let names = options.sample_names.unwrap_or_default();
    let mut seen: Vec<&[u8]> = Vec::new();
    for line in lines.take(20) {
        let Some(space) = line.iter().position(|byte| *byte == b' ') else { return false };
        let word = &line[..space];
        let number = word.iter().all(u8::is_ascii_digit);
        let name = names.iter().any(|name| name.as_bytes() == word);
        let is_id = number || name || (word.starts_with(b"\"") && word.ends_with(b"\"") && word.len() > 2);
        if !is_id || seen.contains(&word) || line.contains(&b',') || line.contains(&b'\t') {
            return false;
        }
        seen.push(word);
    }
    seen.len() > 1
}

/// The columns of a table.
struct Columns {
    /// Columns that may contain the sample names; the first usable one is taken.
    ids: Vec<usize>,
    label: usize,
    /// Whether the column of ids is the first only for want of one with a usual name.
    guessed: bool,
}

struct Row {
    /// The cells of the columns of [`Columns::ids`].
    ids: Vec<String>,
    label: String,
    offset: usize,
}

struct Rows<'a> {
    source: &'a Source,
    notes: Vec<String>,
    header: Vec<String>,
    has_header: bool,
    ids: Vec<Row>,
    n_samples: usize,
    names: Option<NameIndex<'a>>,
}

impl Rows<'_> {
    fn columns(&mut self, wanted: Option<&str>) -> Result<Columns> {
        let header = &self.header;
        // A blank last cell of the header is a separator at the end of the line.
        let width =
            header.iter().rposition(|name| !name.is_empty()).map_or(header.len(), |last| (last + 1).max(2));
        let lower: Vec<String> = header.iter().map(|name| name.trim().to_lowercase()).collect();
        let unknown = |name: &str| IoError::UnknownName {
            path: self.source.path.clone(),
            kind: "column",
            name: name.to_string(),
            valid: match self.has_header {
                true => header.clone(),
                false => vec!["no names: the file has no header".into()],
            },
        };
        let usual = || {
            let named = |name: &&str| (0..width).find(|c| self.has_header && lower[*c] == **name);
            LABEL_COLUMNS.iter().find_map(named)
        };
        let label = match wanted {
            Some(wanted) => {
                let found = header.iter().position(|name| self.has_header && name == wanted);
                Some(found.ok_or_else(|| unknown(wanted))?)
            }
            None => usual(),
        };
        let mut ids: Vec<usize> =
            (0..width).filter(|c| self.has_header && Some(*c) != label && names_rows(&header[*c])).collect();
        // Names decide before indices.
        ids.sort_by_key(|c| lower[*c] == "index");
        let guessed = ids.is_empty();
        if guessed {
            ids.push(usize::from(label == Some(0)));
            if self.has_header && label == Some(0) && wanted.is_none() {
                let message = "no column has the sample names; name a column index (counted from 0) or name, \
                    or write only the labels, one per line";
                let columns: Vec<&str> = header.iter().map(String::as_str).collect();
                return Err(self.source.unsupported(Place::Line(1), message, &columns));
            }
        }
        let others: Vec<usize> = (0..width).filter(|c| !ids.contains(c)).collect();
        let label = match (label, &others[..]) {
            (Some(label), _) => label,
            (None, [only]) => *only,
            (None, [second, ..]) if width == 2 => *second,
            // All columns look like names of rows: `sample,cell` has the labels last.
            (None, []) if width == 2 => {
                ids.truncate(1);
                1 - ids[0]
            }
            _ => {
                let message = "it is not clear which column has the labels; choose it with --label-column";
                let columns: Vec<&str> = header.iter().map(String::as_str).collect();
                return Err(self.source.unsupported(Place::Line(1), message, &columns));
            }
        };
        if wanted == Some(self.header[ids[0]].as_str()) && ids[0] == label {
            return Err(unknown(wanted.unwrap_or_default()));
        }
        if self.has_header
            && (self.header[ids[0]] != "index" || self.header[label] != "label")
            && wanted.is_none()
        {
            self.notes.push(format!(
                "sample names from the column \"{}\", labels from \"{}\"",
                self.header[ids[0]], self.header[label]
            ));
        } else if !self.has_header {
            self.notes.push(
                "there is no header: the first column has the sample names, the second the labels".into(),
            );
        }
        Ok(Columns { ids, label, guessed: guessed && self.has_header })
    }

    fn add(&mut self, records: &Records<'_>, columns: &Columns) -> Result<()> {
        let record = records.current();
        let width = self.header.len();
        let blanks = |from: usize| (from..record.len()).all(|c| cell(record, c).is_empty());
        if is_blank(record) {
            return Ok(());
        }
        if record.len() < width && !(record.len() + 1 == width && self.header[width - 1].is_empty())
            || (record.len() > width && !blanks(width))
        {
            return records.expect_width(width, "");
        }
        let label = cell_text(record, columns.label);
        if label.contains('\n') {
            let message =
                format!("the label {} has a line break; is there an extra quote?", quoted(label.as_bytes()));
            return Err(self.source.malformed(Place::Line(records.line()), message));
        }
        let ids = columns.ids.iter().map(|column| cell_text(record, *column)).collect();
        self.ids.push(Row { ids, label, offset: records.offset() });
        Ok(())
    }

    /// The sample of each row.
    fn samples(
        &mut self,
        records: &Records<'_>,
        columns: &Columns,
        options: &LabelOptions<'_>,
    ) -> Result<Vec<usize>> {
        let place = |row: &Row, at: usize| self.names.as_ref().and_then(|names| names.find(&row.ids[at]));
        let named = |row: &Row, at: usize| place(row, at).is_some();
        let count = |at: usize| self.ids.iter().filter(|row| named(row, at)).count();
        let whole = |at: usize| self.ids.iter().all(|row| row.ids[at].parse::<i128>().is_ok());
        let title = |at: usize| self.header[columns.ids[at]].trim().to_lowercase();
        let by_name = (0..columns.ids.len()).find(|at| count(*at) > 0);
        if let Some(at) = by_name {
            let moved = |row: &Row| match place(row, at) {
                Some(Found::Once(place)) => place.to_string() != row.ids[at],
                _ => true,
            };
            let moved = whole(at) && self.ids.iter().any(moved);
            let samples = self.by_name(records, at)?;
            if moved {
                self.notes.push(
                    "samples are matched by their names, which are numbers, not by their positions".into(),
                );
            }
            return Ok(samples);
        }
        self.refuse_repeated(records, columns)?;
        // Without any name that fits, numbers are positions.
        let at = (0..columns.ids.len()).rev().find(|at| whole(*at)).unwrap_or(0);
        if !whole(at) && self.names.is_some() && title(at) != "index" && !self.fits_by_order(columns, options)
        {
            return self.by_name(records, at);
        }
        if !whole(at) && self.fits_by_order(columns, options) {
            self.notes.push(
                "no column has the sample names, so the labels were matched to the rows in order".into(),
            );
            return Ok((0..self.ids.len()).collect());
        }
        if let Some(names) = self.names.as_ref().filter(|_| title(at) != "index") {
            // Numbers beside names that are numbers are other names, such as 1 for 0001.
            if let Some(row) = self.ids.first().filter(|_| names.all(|name| name.parse::<i128>().is_ok())) {
                let given = quoted(row.ids[at].as_bytes());
                let positions = match self.has_header {
                    true => format!("rename the column \"{}\" to index", self.header[columns.ids[at]]),
                    false => "write the header index,label above them".to_string(),
                };
                let message = format!(
                    "the names of the samples are numbers, and {given} is not one of them{}; if these are \
                    positions, counted from 0, {positions}",
                    names.near(&row.ids[at])
                );
                return Err(self.source.malformed(Place::Line(records.line_at(row.offset)), message));
            }
            self.notes.push(
                "none of the sample names is one of the data, so they were taken as positions, counted from 0"
                    .into(),
            );
        }
        self.by_index(records, at)
    }

    /// A column without a usual name for ids that holds a value twice is hardly one.
    fn refuse_repeated(&self, records: &Records<'_>, columns: &Columns) -> Result<()> {
        let mut seen = std::collections::HashSet::new();
        let twice = self.ids.iter().find(|row| columns.guessed && !seen.insert(row.ids[0].as_str()));
        let Some(row) = twice.filter(|row| row.ids[0].parse::<i128>().is_ok()) else { return Ok(()) };
        let message = format!(
            "the column \"{}\" holds {} more than once, so it does not seem to contain sample names; if it \
            does, rename it to index",
            self.header[columns.ids[0]],
            quoted(row.ids[0].as_bytes())
        );
        Err(self.source.malformed(Place::Line(records.line_at(row.offset)), message))
    }

    /// Whether a column of labels that was asked for has a row for each sample, and no other column is meant
    /// to name them.
    fn fits_by_order(&self, columns: &Columns, options: &LabelOptions<'_>) -> bool {
        options.column.is_some()
            && self.ids.len() == self.n_samples
            && columns.ids.iter().all(|c| !names_rows(&self.header[*c]))
    }

    fn by_name(&self, records: &Records<'_>, at: usize) -> Result<Vec<usize>> {
        let none = NameIndex::default();
        let names = self.names.as_ref().unwrap_or(&none);
        let mut out = Vec::with_capacity(self.ids.len());
        for row in &self.ids {
            let text = row.ids[at].as_str();
            let given = quoted(text.as_bytes());
            let fault = |message: String| {
                Err(self.source.malformed(Place::Line(records.line_at(row.offset)), message))
            };
            match names.find(text) {
                Some(Found::Once(sample)) => out.push(sample),
                Some(Found::Repeated(..)) => {
                    return fault(format!(
                        "several samples are named {given}, so a label cannot refer to this name"
                    ));
                }
                None => {
                    let near = names.did_you_mean(text);
                    return fault(format!(
                        "no sample of the data is named {given}{near} valid: the names of the rows of the data"
                    ));
                }
            }
        }
        Ok(out)
    }

    fn by_index(&mut self, records: &Records<'_>, at: usize) -> Result<Vec<usize>> {
        let n = self.n_samples as i128;
        let indices: Vec<Option<i128>> = self.ids.iter().map(|row| row.ids[at].parse().ok()).collect();
        // R counts from 1: then the last index is that of no sample counted from 0.
        let from_one = indices.len() == self.n_samples && {
            let mut sorted = indices.clone();
            sorted.sort_unstable();
            n > 0 && sorted.iter().enumerate().all(|(at, index)| *index == Some(at as i128 + 1))
        };
        if from_one {
            self.notes.push(format!("the indices run from 1 to {n}, so they were counted from 1"));
        }
        let mut out = Vec::with_capacity(indices.len());
        for (row, index) in self.ids.iter().zip(indices) {
            let fault = |message: String| {
                Err(self.source.malformed(Place::Line(records.line_at(row.offset)), message))
            };
            match index.map(|index| index - i128::from(from_one)) {
                Some(index) if (0..n).contains(&index) => out.push(index as usize),
                Some(index) => {
                    return fault(format!(
                        "the index {index} must be in 0..{n} (the data have {n} samples, counted from 0)"
                    ));
                }
                None => {
                    let text = quoted(row.ids[at].as_bytes());
                    let hint = match self.names {
                        Some(_) => "nor a name of a row of the data",
                        None => "and the data have no names of rows",
                    };
                    return fault(format!(
                        "the index {text} is not a whole number from 0 to {}, {hint}",
                        n - 1
                    ));
                }
            }
        }
        Ok(out)
    }
}
