//! Records of delimited text (CSV, TSV) with exact line numbers, shared by tables, edge lists and labels.

use crate::cells::unguarded;
use crate::error::{Place, Result};
use crate::source::Source;
use crate::text::number;
use csv::ByteRecord;
use std::borrow::Cow;

/// The rows of a delimited text, without blank lines.
pub(crate) struct Records<'a> {
    source: &'a Source,
    text: &'a [u8],
    reader: csv::Reader<&'a [u8]>,
    record: ByteRecord,
}

impl<'a> Records<'a> {
    pub(crate) fn new(source: &'a Source, text: &'a [u8], delimiter: u8) -> Self {
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(text);
        Records { source, text, reader, record: ByteRecord::new() }
    }

    /// The next row.
    pub(crate) fn next(&mut self) -> Result<Option<&ByteRecord>> {
        match self.reader.read_byte_record(&mut self.record) {
            Ok(true) => Ok(Some(&self.record)),
            Ok(false) => Ok(None),
            Err(error) => Err(self.source.malformed(Place::Whole, error.to_string())),
        }
    }

    /// The row taken last.
    pub(crate) fn current(&self) -> &ByteRecord {
        &self.record
    }

    /// The line on which the row taken last begins, counted from 1. It is found by counting, so ask on faults only.
    pub(crate) fn line(&self) -> u64 {
        self.line_at(self.offset())
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

/// A cell without the spaces around it.
pub(crate) fn cell(record: &ByteRecord, column: usize) -> &[u8] {
    record.get(column).unwrap_or_default().trim_ascii()
}

/// The text of a cell, without the guard that a spreadsheet would need ([`crate::cells`]).
pub(crate) fn cell_text(record: &ByteRecord, column: usize) -> String {
    unguarded(&String::from_utf8_lossy(cell(record, column))).to_string()
}

/// The text to split, and what splits it: whichever of comma, tab and semicolon the first line has most of (in that
/// order when equal). A first line with none of them whose words are several numbers is split at spaces.
pub(crate) fn split_rule(text: &[u8]) -> (Cow<'_, [u8]>, u8) {
    let first =
        text.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
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
    if words.len() < 2 || words.iter().any(|word| number(word).is_none()) {
        return (Cow::Borrowed(text), b',');
    }
    (Cow::Owned(single_spaces(text)), b' ')
}

/// The text with runs of spaces made one, and none at the ends of lines.
fn single_spaces(text: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    for &byte in text {
        let at_edge = matches!(out.last(), None | Some(b' ' | b'\n'));
        if byte == b' ' && at_edge {
            continue;
        }
        if matches!(byte, b'\n' | b'\r') && out.last() == Some(&b' ') {
            out.pop();
        }
        out.push(byte);
    }
    while out.last() == Some(&b' ') {
        out.pop();
    }
    out
}
