//! Statistics of the cells below the first row of a text table; see [`crate::formats`].

use crate::cells::{Cell, Odd, classify, could_be_thousands};
use crate::error::{Place, Result};
use crate::records::{Records, cell, cell_text};
use crate::row_name_headers::names_rows;
use crate::series::{Sample, Series};
use crate::source::Source;
use crate::text::quoted;

/// What stands below the first row: in the column that may hold row names, and in a sample of the others.
#[derive(Default)]
pub(crate) struct CellStatistics {
    pub(crate) candidate: usize,
    pub(crate) label: Option<usize>,
    pub(crate) may_have_names: bool,
    pub(crate) rows: usize,
    pub(crate) numbers: usize,
    /// Text, in rows below the first.
    pub(crate) texts: usize,
    /// The place and text of the first text.
    pub(crate) first_text: Option<(u64, String)>,
    /// The numbers of the column.
    series: Series,
    /// The other cells of the first rows.
    pub(crate) sample: Vec<Vec<Sample>>,
    sampled: usize,
    /// The line and text of the first number with a decimal comma, and of one with a decimal point.
    comma: Option<(u64, usize, String)>,
    point: Option<(u64, usize, String)>,
    /// Whether a number with a comma can't be one with separators of thousands.
    certain_comma: bool,
}

/// The most cells that are looked at beside the first column, and the most rows.
const MOST_CELLS: usize = 200_000;
const MOST_ROWS: usize = 200;

impl CellStatistics {
    pub(crate) fn new(candidate: usize, label: Option<usize>, may_have_names: bool) -> Self {
        CellStatistics { candidate, label, may_have_names, ..CellStatistics::default() }
    }

    pub(crate) fn add(&mut self, records: &Records<'_>, delimiter: u8) {
        let record = records.current();
        let bytes = cell(record, self.candidate);
        self.rows += 1;
        match classify(bytes, false) {
            Cell::Number(_) | Cell::Odd(_) => self.numbers += 1,
            Cell::Text => {
                self.texts += 1;
                self.first_text.get_or_insert_with(|| (records.line(), cell_text(record, self.candidate)));
            }
            Cell::Missing => {}
        }
        self.series.add(Sample::of(bytes));
        if self.sample.len() < MOST_ROWS && self.sampled < MOST_CELLS {
            let others = (0..record.len()).filter(|c| *c != self.candidate && self.label != Some(*c));
            let row: Vec<Sample> = others.map(|column| Sample::of(cell(record, column))).collect();
            self.sampled += row.len();
            self.sample.push(row);
        }
        let holds = |byte: u8| record.as_slice().contains(&byte);
        let may_be_new = holds(b',') || (self.point.is_none() && holds(b'.'));
        if self.comma.is_some() || (delimiter != b',' && may_be_new) {
            self.look_for_commas(records);
        }
    }

    fn look_for_commas(&mut self, records: &Records<'_>) {
        if self.certain_comma && self.comma.is_some() && self.point.is_some() {
            return;
        }
        let record = records.current();
        for column in (0..record.len()).filter(|c| self.label != Some(*c)) {
            let bytes = cell(record, column);
            match classify(bytes, false) {
                Cell::Odd(Odd::DecimalComma) => {
                    self.certain_comma |= !could_be_thousands(bytes);
                    self.comma.get_or_insert_with(|| (records.line(), column, cell_text(record, column)));
                }
                Cell::Number(_) if bytes.contains(&b'.') && self.point.is_none() => {
                    self.point = Some((records.line(), column, cell_text(record, column)));
                }
                _ => {}
            }
        }
    }

    /// Whether commas are decimal commas; a mixture of signs is refused.
    pub(crate) fn decimal_comma(&self, source: &Source, header: &[String], delimiter: u8) -> Result<bool> {
        let in_first =
            header.iter().any(|text| classify(text.as_bytes(), false) == Cell::Odd(Odd::DecimalComma));
        let Some((line, column, text)) = &self.comma else { return Ok(in_first && delimiter != b',') };
        let place = Place::Cell { line: *line, column: column + 1, name: None };
        let fault = |message: String| Err(source.malformed(place.clone(), message));
        let text = quoted(text.as_bytes());
        if let Some((line, _, point)) = &self.point {
            let point = quoted(point.as_bytes());
            return fault(format!(
                "{text} has a comma, but {point} in line {line} has a decimal point; write all numbers with decimal points, and without separators of thousands"
            ));
        }
        if !self.certain_comma {
            return fault(format!(
                "{text} may have a decimal comma or a separator of thousands; write the numbers with decimal points, as in 1.5 or 1000"
            ));
        }
        Ok(true)
    }

    pub(crate) fn others<'h>(&self, first: &'h [String]) -> Vec<&'h str> {
        let other = |c: &usize| *c != self.candidate && self.label != Some(*c);
        (0..first.len()).filter(other).map(|c| first[c].as_str()).collect()
    }

    /// The first row counts, too.
    pub(crate) fn first_is_data(&mut self, bytes: &[u8]) {
        self.texts += usize::from(classify(bytes, false) == Cell::Text);
        self.series.prepend(Sample::of(bytes));
    }

    /// Why a column of numbers holds row names; `Err` when it may.
    pub(crate) fn ids(&self, corner: Option<&str>) -> std::result::Result<Option<&'static str>, ()> {
        let series = &self.series;
        if corner.is_some_and(names_rows) {
            return if series.all_whole() { Ok(Some("its name says so")) } else { Err(()) };
        }
        let counts = series.counts();
        let like_x = corner.is_some_and(|corner| corner.eq_ignore_ascii_case("x"));
        if like_x && counts && matches!(series.first(), Some(0 | 1)) && series.len() > 1 {
            return Ok(Some("it counts the rows"));
        }
        let others = self.sample.first().map_or(0, Vec::len);
        let column = |j: usize| {
            let mut series = Series::default();
            self.sample.iter().filter_map(|row| row.get(j)).for_each(|value| series.add(*value));
            series
        };
        let others: Vec<Series> = (0..others).map(column).collect();
        let none_whole = others.iter().all(|other| !other.all_whole());
        let none_alike = others.iter().all(|other| !other.rises());
        let least = if corner.is_some() { 3 } else { 5 };
        if counts
            && none_alike
            && series.len() >= if none_whole { least } else { 5 }
            && (corner.is_some() || none_whole)
        {
            return Ok(Some("it counts the rows"));
        }
        let above = others.iter().all(|other| other.largest() < series.smallest());
        let long =
            series.smallest() >= 1000.0 && series.all_whole() && above && none_alike && series.len() >= 3;
        if long && series.rises() && corner.is_some() {
            return Ok(Some("its whole numbers rise steadily, larger than all others"));
        }
        if long || (series.rises() && series.all_whole() && none_alike && series.len() >= least) {
            return Err(());
        }
        Ok(None)
    }
}
