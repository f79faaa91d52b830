//! `.mtx`, Matrix Market: coordinate (sparse) and array (dense, column by column) files with integer, real or
//! pattern entries, general or symmetric.
//!
//! Policies: pattern entries are 1; duplicates are summed, with a note; of a symmetric file each off-diagonal
//! entry stands for itself and its mirror image. Complex, skew-symmetric and Hermitian files are refused.

use crate::error::{Place, Result};
use crate::formats::ReadOptions;
use crate::source::Source;
use crate::sparse::{Triplets, longest_side, side_is_absurd};
use crate::table::{DenseValues, FileKind, Table, Values, counted};
use crate::text::{Lines, number, quoted, whole};

/// Reads a Matrix Market file.
pub(crate) fn read(source: &Source, _: &ReadOptions) -> Result<Table> {
    let mut lines = Lines::new(source.text_bytes());
    let header = Header::parse(source, lines.next().unwrap_or_default())?;
    let mut reader = Reader { source, lines, header };
    let mut notes = Vec::new();
    if reader.header.symmetric {
        notes.push("the file is symmetric: each entry was mirrored".into());
    }
    let values = if reader.header.coordinate { reader.coordinate(&mut notes)? } else { reader.array()? };
    Ok(Table::new(FileKind::MatrixMarket, values, notes, &source.sha256))
}

struct Header {
    coordinate: bool,
    pattern: bool,
    symmetric: bool,
}

impl Header {
    fn parse(source: &Source, line: &[u8]) -> Result<Self> {
        let line = String::from_utf8_lossy(line).to_lowercase();
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let refuse =
            |message: String, valid: &[&str]| Err(source.unsupported(Place::Line(1), message, valid));
        let ["%%matrixmarket", object, layout, field, symmetry] = words[..] else {
            let message = format!(
                "the header is {}, but must be \"%%MatrixMarket matrix <layout> <field> <symmetry>\"",
                quoted(line.as_bytes())
            );
            return Err(source.malformed(Place::Line(1), message));
        };
        if object != "matrix" {
            return refuse(format!("the object \"{object}\" is not supported"), &["matrix"]);
        }
        if !["coordinate", "array"].contains(&layout) {
            return refuse(format!("the layout \"{layout}\" is not supported"), &["coordinate", "array"]);
        }
        let fields = ["integer", "unsigned-integer", "real", "double", "pattern"];
        if field == "complex" {
            return refuse("complex numbers are not supported; save their absolute values".into(), &fields);
        }
        if !fields.contains(&field) || (field == "pattern" && layout == "array") {
            return refuse(
                format!("the field \"{field}\" is not supported with the layout \"{layout}\""),
                &fields,
            );
        }
        if !["general", "symmetric"].contains(&symmetry) {
            let message =
                format!("the symmetry \"{symmetry}\" is not supported; save the full matrix as general");
            return refuse(message, &["general", "symmetric"]);
        }
        let (coordinate, pattern) = (layout == "coordinate", field == "pattern");
        Ok(Header { coordinate, pattern, symmetric: symmetry == "symmetric" })
    }
}

struct Reader<'a> {
    source: &'a Source,
    lines: Lines<'a>,
    header: Header,
}

impl<'a> Reader<'a> {
    /// The next line that is neither blank nor a comment.
    fn line(&mut self) -> Option<&'a [u8]> {
        self.lines.by_ref().find(|line| {
            let first = line.iter().find(|byte| !byte.is_ascii_whitespace());
            first.is_some_and(|byte| *byte != b'%')
        })
    }

    fn fault<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(self.source.malformed(Place::Line(self.lines.number), message))
    }

    /// The numbers of the size line.
    fn sizes<const N: usize>(&mut self, what: &str) -> Result<[usize; N]> {
        let line = self.line().unwrap_or_default();
        let sizes: Option<Vec<usize>> =
            fields(line).map(|field| whole(field).and_then(|n| usize::try_from(n).ok())).collect();
        match sizes.and_then(|sizes| sizes.try_into().ok()) {
            Some(sizes) => Ok(sizes),
            None => self.fault(format!("the size line must be \"{what}\", but is {}", quoted(line))),
        }
    }

    fn check_symmetric(&self, rows: usize, columns: usize) -> Result<()> {
        if self.header.symmetric && rows != columns {
            return self.fault(format!("a symmetric matrix is square, but this is {rows} x {columns}"));
        }
        Ok(())
    }

    fn coordinate(&mut self, notes: &mut Vec<String>) -> Result<Values> {
        let [rows, columns, declared] = self.sizes("rows columns entries")?;
        self.check_symmetric(rows, columns)?;
        // The shortest entry is "1 1" and a line feed, which the last may lack.
        let least = if self.header.pattern { 4 } else { 6 };
        let room = (self.lines.remaining() + 1) / least;
        if declared > room {
            return self.fault(format!(
                "{declared} entries are declared, but the rest of the file has room for {room} at most (a truncated file?)"
            ));
        }
        if side_is_absurd(rows, declared) || side_is_absurd(columns, declared) {
            let entries = counted(declared, "entry", "entries");
            let most = longest_side(declared);
            return self
                .fault(format!("{rows} x {columns} is too large for {entries}; valid: sides up to {most}"));
        }
        let copies = if self.header.symmetric { 2 } else { 1 };
        let mut triplets = Triplets::with_capacity(declared * copies);
        for taken in 0..declared {
            let Some(line) = self.line() else {
                return self
                    .fault(format!("the file ends after {taken} of {declared} entries (a truncated file?)"));
            };
            let (row, column, value) = self.entry(line, rows, columns)?;
            triplets.push(row, column, value);
            if self.header.symmetric && row != column {
                triplets.push(column, row, value);
            }
        }
        self.check_end(declared)?;
        let (values, duplicates) = triplets.compress(rows, columns);
        if duplicates > 0 {
            notes.push(format!(
                "{} summed",
                counted(duplicates, "duplicate entry was", "duplicate entries were")
            ));
        }
        Ok(values)
    }

    /// Row, column (from 0) and value of an entry.
    fn entry(&self, line: &[u8], rows: usize, columns: usize) -> Result<(u32, u32, f64)> {
        let mut fields = fields(line);
        let row = self.index(fields.next(), rows, "row", line)?;
        let column = self.index(fields.next(), columns, "column", line)?;
        let value = match (self.header.pattern, fields.next()) {
            (true, None) => 1.0,
            (false, Some(text)) => match number(text) {
                Some(value) => value,
                None => return self.fault(format!("the value {} is not a number", quoted(text))),
            },
            (true, Some(_)) => {
                return self.fault(format!("a pattern entry is \"row column\", not {}", quoted(line)));
            }
            (false, None) => {
                return self.fault(format!("an entry is \"row column value\", not {}", quoted(line)));
            }
        };
        if fields.next().is_some() {
            return self.fault(format!("there are too many numbers in {}", quoted(line)));
        }
        Ok((row, column, value))
    }

    fn index(&self, field: Option<&[u8]>, side: usize, what: &str, line: &[u8]) -> Result<u32> {
        let Some(field) = field else {
            return self.fault(format!("there is no {what} index in {}", quoted(line)));
        };
        match whole(field) {
            Some(index) if index >= 1 && index <= side as u64 => Ok((index - 1) as u32),
            Some(index) => self.fault(format!("the {what} index is {index}, but must be in 1..={side}")),
            None => {
                self.fault(format!("the {what} index {} is not a whole number of 1 or more", quoted(field)))
            }
        }
    }

    /// Array values come column by column; of a symmetric matrix only those on and below the diagonal.
    fn array(&mut self) -> Result<Values> {
        let [rows, columns] = self.sizes("rows columns")?;
        self.check_symmetric(rows, columns)?;
        let full = rows.checked_mul(columns);
        let declared = if self.header.symmetric { full.map(|n| (n - rows) / 2 + rows) } else { full };
        let room = self.lines.remaining().div_ceil(2);
        let Some(declared) = declared.filter(|declared| *declared <= room) else {
            return self.fault(format!(
                "the shape {rows} x {columns} needs more values than the rest of the file has room for ({room} at most; a truncated file?)"
            ));
        };
        let mut values = vec![0.0; rows * columns];
        let mut taken = 0;
        // A matrix without rows has nothing to read in any of its columns, however many it declares.
        for j in 0..if declared == 0 { 0 } else { columns } {
            let first = if self.header.symmetric { j } else { 0 };
            for i in first..rows {
                let Some(line) = self.line() else {
                    return self.fault(format!(
                        "the file ends after {taken} of {declared} values (a truncated file?)"
                    ));
                };
                let mut fields = fields(line);
                let field = fields.next().unwrap_or_default();
                let Some(value) = number(field).filter(|_| fields.next().is_none()) else {
                    return self.fault(format!("{} is not a number", quoted(line)));
                };
                values[i * columns + j] = value;
                if self.header.symmetric {
                    values[j * columns + i] = value;
                }
                taken += 1;
            }
        }
        self.check_end(declared)?;
        Ok(Values::Dense { rows, columns, values: DenseValues::F64(values) })
    }

    fn check_end(&mut self, declared: usize) -> Result<()> {
        match self.line() {
            None => Ok(()),
            Some(line) => self.fault(format!("more than the {declared} declared entries: {}", quoted(line))),
        }
    }
}

/// The words of a line.
fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty())
}
