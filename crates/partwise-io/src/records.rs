//! Records of delimited text (CSV, TSV) with exact line numbers, shared by tables, edge lists and labels.
//!
//! A quote that opens and doesn't close, or that closes only after it took in further rows, is a fault of the
//! line where it opens.

use crate::error::{IoError, Place, Result};
use crate::formulas::unguarded;
use crate::source::Source;
use crate::table::counted;
use crate::text::number;
use csv::ByteRecord;
use std::borrow::Cow;

/// The rows of a delimited text, without blank lines.
pub(crate) struct Records<'a> {
    source: &'a Source,
    text: &'a [u8],
    delimiter: u8,
    reader: csv::Reader<&'a [u8]>,
    record: ByteRecord,
    /// Whether the encoding and the quotes of the text have been looked at.
    checked: bool,
}

impl<'a> Records<'a> {
    pub(crate) fn new(source: &'a Source, text: &'a [u8], delimiter: u8) -> Self {
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(text);
        Records { source, text, delimiter, reader, record: ByteRecord::new(), checked: false }
    }

    /// The next row.
    pub(crate) fn next(&mut self) -> Result<Option<&ByteRecord>> {
        if !std::mem::replace(&mut self.checked, true) {
            self.source.expect_utf8(self.text)?;
            if let Some(line) = open_quote(self.text, self.delimiter) {
                let message = "the quote (\") that opens here never closes, so everything after it would be \
                    one cell";
                return Err(self.source.malformed(Place::Line(line), message));
            }
        }
        match self.reader.read_byte_record(&mut self.record) {
            Ok(true) => {
                if self.record.as_slice().contains(&b'\n') {
                    self.refuse_hidden_rows()?;
                }
                Ok(Some(&self.record))
            }
            Ok(false) => Ok(None),
            Err(error) => Err(self.source.malformed(Place::Whole, error.to_string())),
        }
    }

    /// A cell whose later lines have as many cells as its own row holds rows that a quote took in.
    fn refuse_hidden_rows(&self) -> Result<()> {
        let width = self.record.len();
        for column in 0..width {
            let text = self.record.get(column).unwrap_or_default();
            let mut lines = text.split(|byte| *byte == b'\n');
            lines.next();
            let delimiters = |line: &[u8]| line.iter().filter(|byte| **byte == self.delimiter).count();
            if width > 1 && lines.any(|line| delimiters(line) + 1 >= width) {
                let before: usize = (0..column)
                    .map(|c| self.record.get(c).map_or(0, |c| c.iter().filter(|b| **b == b'\n').count()))
                    .sum();
                let message = format!(
                    "the quote (\") that opens here, in column {}, closes on a later line only and takes in whole rows",
                    column + 1
                );
                return Err(self.source.malformed(Place::Line(self.line() + before as u64), message));
            }
        }
        Ok(())
    }

    /// The row taken last.
    pub(crate) fn current(&self) -> &ByteRecord {
        &self.record
    }

    /// The line on which the row taken last begins, counted from 1. It is found by counting, so ask on faults
    /// only.
    pub(crate) fn line(&self) -> u64 {
        self.line_at(self.offset())
    }

    /// Refuses the row taken last if it has another number of cells; `cells` says what they are.
    pub(crate) fn expect_width(&self, width: usize, cells: &str) -> Result<()> {
        if self.record.len() == width {
            return Ok(());
        }
        let found = counted(self.record.len(), "cell", "cells");
        let message = format!("the row has {found}, but {width} are expected{cells}");
        Err(self.source.malformed(Place::Line(self.line()), message))
    }

    /// A fault in a cell of the row taken last; `name` is that of the column, if it has one.
    pub(crate) fn fault(&self, column: usize, name: Option<&str>, message: impl Into<String>) -> IoError {
        let name = name.map(str::to_string);
        self.source.malformed(Place::Cell { line: self.line(), column: column + 1, name }, message)
    }

    /// Where the row taken last begins, blank lines before it included.
    pub(crate) fn offset(&self) -> usize {
        self.record.position().map_or(0, |position| position.byte() as usize)
    }

    /// The line of a row that begins at this offset. (Blank lines that the reader skipped come first.)
    pub(crate) fn line_at(&self, offset: usize) -> u64 {
        let rest = self.text.get(offset..).unwrap_or_default();
        let blank = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let before = self.text.iter().take(offset + blank);
        before.filter(|byte| **byte == b'\n').count() as u64 + 1
    }
}

/// A cell without the spaces around it, and without quotes that a space kept from being taken for such.
pub(crate) fn cell(record: &ByteRecord, column: usize) -> &[u8] {
    let bytes = record.get(column).unwrap_or_default().trim_ascii();
    match bytes {
        [b'"', inner @ .., b'"'] if !inner.contains(&b'"') => inner.trim_ascii(),
        _ => bytes,
    }
}

/// Whether all cells are blank.
pub(crate) fn is_blank(record: &ByteRecord) -> bool {
    (0..record.len()).all(|column| cell(record, column).is_empty())
}

/// How many cells at the end are blank, at most all but the first.
pub(crate) fn blank_end(record: &ByteRecord) -> usize {
    (1..record.len()).rev().take_while(|column| cell(record, *column).is_empty()).count()
}

/// The text of a cell, without the guard that a spreadsheet would need ([`crate::formulas`]).
pub(crate) fn cell_text(record: &ByteRecord, column: usize) -> String {
    unguarded(&String::from_utf8_lossy(cell(record, column))).to_string()
}

/// Which texts may be split at spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spaces {
    /// Those whose first line has several words, numbers all of them.
    Numbers,
    /// Those too whose lines have equally many words, quoted or numbers in most lines, as R writes tables.
    Table,
    /// Any without another separator.
    Words,
}

/// How many rows are looked at to find what separates the cells.
const LOOKED_AT: usize = 20;

/// The text to split, and what splits it: of tab, semicolon and comma the first that splits the first rows
/// into equally many cells; else the first that does so but for the first row, which has one less; else
/// whichever the first line has most of. A text with none of them may be split at spaces.
pub(crate) fn split_rule(text: &[u8], spaces: Spaces) -> (Cow<'_, [u8]>, u8) {
    let first =
        text.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let head = head_of(text);
    let even = |one_less| {
        [b'\t', b';', b','].into_iter().find(|delimiter| splits_evenly(head, *delimiter, one_less))
    };
    if let Some(delimiter) = even(false).or_else(|| even(true)) {
        return (Cow::Borrowed(text), delimiter);
    }
    let mut quoted = false;
    let mut counts = [(b',', 0), (b'\t', 0), (b';', 0)];
    for byte in first {
        quoted ^= *byte == b'"';
        if let Some(entry) = counts.iter_mut().find(|(delimiter, _)| !quoted && delimiter == byte) {
            entry.1 += 1;
        }
    }
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
    if most > 0 {
        let delimiter =
            counts.iter().find(|(_, count)| *count == most).map_or(b',', |(delimiter, _)| *delimiter);
        return (Cow::Borrowed(text), delimiter);
    }
    let words: Vec<&[u8]> =
        first.trim_ascii().split(|byte| *byte == b' ').filter(|word| !word.is_empty()).collect();
    let numbers = words.len() > 1 && words.iter().all(|word| number(word).is_some());
    let table = spaces == Spaces::Table && is_table_of_words(head);
    if numbers || table || spaces == Spaces::Words {
        return (Cow::Owned(single_spaces(text)), b' ');
    }
    (Cow::Borrowed(text), b',')
}

/// The first lines.
fn head_of(text: &[u8]) -> &[u8] {
    let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    &text[..ends.take(4 * LOOKED_AT).last().filter(|_| text.len() > 1 << 16).unwrap_or(text.len())]
}

/// Whether the first rows have equally many cells, two or more, but for the first row with `one_less`. Blank
/// cells at the end don't count.
fn splits_evenly(text: &[u8], delimiter: u8, one_less: bool) -> bool {
    if !text.contains(&delimiter) {
        return false;
    }
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text);
    let mut record = ByteRecord::new();
    let (mut first, mut width) = (None, None);
    let mut seen = 0;
    while seen < LOOKED_AT && matches!(reader.read_byte_record(&mut record), Ok(true)) {
        if record.len() == 1 && cell(&record, 0).is_empty() {
            continue;
        }
        seen += 1;
        let cells = record.len();
        match (first, width) {
            (None, _) => first = Some(cells),
            (Some(first), None) => {
                if cells < 2 || cells != first + usize::from(one_less) {
                    return false;
                }
                width = Some(cells);
            }
            (_, Some(width)) if cells == width => {}
            _ => return false,
        }
    }
    seen > 1
}

/// Whether lines of words make a table as R writes it: equally many words in each line (in the first perhaps
/// one less), two or more, and in every line but the first one at least that is a number or quoted.
fn is_table_of_words(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let Some(first) = lines.next().map(words_of) else { return false };
    let mut width = None;
    for line in lines.take(LOOKED_AT) {
        let words = words_of(line);
        let expected = *width.get_or_insert(words.len());
        let fits = words.len() == expected && (expected == first.len() || expected == first.len() + 1);
        if expected < 2
            || !fits
            || !words.iter().any(|word| word.starts_with(b"\"") || number(word).is_some())
        {
            return false;
        }
    }
    width.is_some()
}

/// The words of a line; spaces within quotes part none.
fn words_of(line: &[u8]) -> Vec<&[u8]> {
    let mut quoted = false;
    let words = line.split(|byte| {
        quoted ^= *byte == b'"';
        !quoted && *byte == b' '
    });
    words.filter(|word| !word.is_empty()).collect()
}

/// The text with runs of spaces outside of quotes made one, and none at the ends of lines.
fn single_spaces(text: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut quoted = false;
    for &byte in text {
        quoted ^= byte == b'"';
        let at_edge = matches!(out.last(), None | Some(b' ' | b'\n'));
        if byte == b' ' && at_edge && !quoted {
            continue;
        }
        if matches!(byte, b'\n' | b'\r') && out.last() == Some(&b' ') && !quoted {
            out.pop();
        }
        out.push(byte);
    }
    while out.last() == Some(&b' ') {
        out.pop();
    }
    out
}

/// The line of a quote that opens a cell and never closes.
pub(crate) fn open_quote(text: &[u8], delimiter: u8) -> Option<u64> {
    if !text.contains(&b'"') {
        return None;
    }
    let (mut line, mut opened) = (1, None);
    let mut at_start = true;
    let mut bytes = text.iter().peekable();
    while let Some(&byte) = bytes.next() {
        match (opened, byte) {
            (Some(_), b'"') if bytes.peek() == Some(&&b'"') => {
                bytes.next();
            }
            (Some(_), b'"') => {
                opened = None;
                at_start = false;
            }
            (None, b'"') if at_start => opened = Some(line),
            (None, _) => at_start = byte == delimiter || matches!(byte, b'\n' | b'\r'),
            _ => {}
        }
        line += u64::from(byte == b'\n');
    }
    opened
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_separates_the_cells_is_what_splits_the_rows_evenly() {
        for (text, expected) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2\n", b';'),
            ("1,5;2,5\n3,5;4,5\n", b';'),
            ("p;x,q;y\n1,2\n", b','),
            ("a\tb\n1,5\t2,5\n", b'\t'),
            ("\"a;b\",c\n1,2\n", b','),
            ("a b\n1 2\n", b' '),
            ("\"p q\" \"r\"\n\"s 1\" 1 2\n", b' '),
            ("one two\nthree four\n", b','),
        ] {
            assert_eq!(split_rule(text.as_bytes(), Spaces::Table).1, expected, "{text:?}");
        }
        assert_eq!(split_rule(b"class 0\nclass 1\n", Spaces::Numbers).1, b',');
    }

    #[test]
    fn an_open_quote_is_found_where_it_opens() {
        for (text, expected) in [
            ("a,b\n1,2\n", None),
            ("a,\"b\nc\"\n1,2\n", None),
            ("0,a\"\n1,b\n", None),
            ("0,a\n1,\"b\n2,c\n", Some(2)),
            ("\"a\"\"\nb,c\n", Some(1)),
        ] {
            assert_eq!(open_quote(text.as_bytes(), b','), expected, "{text:?}");
        }
    }
}
