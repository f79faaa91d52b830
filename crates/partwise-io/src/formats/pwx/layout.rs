//! The bytes of a `.pwx` file, which docs/pwx.md describes: a header, row blocks, names, a table of the
//! blocks. All numbers are little-endian; every part has a checksum (CRC-32).

use crate::error::{IoError, Place, Result};
use crate::source::PWX;
use std::path::Path;

/// The version of the layout.
pub(super) const VERSION: u16 = 1;
/// Bytes of the header.
pub(super) const HEADER: usize = 128;
/// Bytes of the header before its checksum.
const CHECKED: usize = HEADER - 4;
/// Every part begins at a multiple of it.
pub(super) const ALIGNMENT: usize = 64;
/// Bytes of a line of the table of blocks.
pub(super) const TABLE_LINE: usize = 32;
/// Bytes after the lines of the table: the checksum of the names, and its own.
pub(super) const TABLE_END: usize = 8;

/// How values are stored; a later one holds all numbers that an earlier one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ValueType {
    U8,
    U16,
    F32,
    F64,
}

impl ValueType {
    const ALL: [ValueType; 4] = [ValueType::U8, ValueType::U16, ValueType::F32, ValueType::F64];

    pub(super) fn bytes(self) -> usize {
        match self {
            ValueType::U8 => 1,
            ValueType::U16 => 2,
            ValueType::F32 => 4,
            ValueType::F64 => 8,
        }
    }
}

/// What a file contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) sparse: bool,
    pub(super) value: ValueType,
    /// Bytes of a column number, 2 or 4; 0 where all columns are stored.
    pub(super) index: usize,
    /// Whether the source had 32-bit numbers, so that a fit computes with them unless it is told otherwise.
    pub(super) single: bool,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) stored: usize,
    pub(super) blocks: usize,
    /// Where the table of blocks and the names begin, and the file ends.
    pub(super) table: u64,
    pub(super) names: u64,
    pub(super) end: u64,
    pub(super) image_shape: Option<(usize, usize)>,
}

impl Header {
    pub(super) fn to_bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let mut put = |at: usize, part: &[u8]| bytes[at..at + part.len()].copy_from_slice(part);
        put(0, PWX);
        put(8, &VERSION.to_le_bytes());
        let value = ValueType::ALL.iter().position(|value| *value == self.value).unwrap_or(0);
        put(10, &[u8::from(self.sparse), value as u8, self.index as u8, if self.single { 4 } else { 8 }]);
        let (height, width) = self.image_shape.unwrap_or((0, 0));
        let numbers = [
            self.rows as u64,
            self.columns as u64,
            self.stored as u64,
            self.blocks as u64,
            self.table,
            self.names,
            self.end,
            height as u64,
            width as u64,
        ];
        for (at, number) in numbers.iter().enumerate() {
            put(16 + 8 * at, &number.to_le_bytes());
        }
        let sum = crc32fast::hash(&bytes[..CHECKED]);
        bytes[CHECKED..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// From the first bytes of a file of `length` bytes.
    pub(super) fn from_bytes(bytes: &[u8], length: u64, path: &Path) -> Result<Self> {
        let malformed = |at: u64, message: String| Err(IoError::malformed(path, Place::Byte(at), message));
        if bytes.len() < HEADER {
            let message =
                format!("the file has {length} bytes, but its header alone has {HEADER}: truncated");
            return malformed(length, message);
        }
        let version = u16::from_le_bytes([bytes[8], bytes[9]]);
        if bytes[..8] != *PWX {
            return malformed(0, "this is not the beginning of a .pwx file".into());
        }
        if version != VERSION {
            let message = format!("version {version} of .pwx; this Partwise reads version {VERSION}");
            return Err(IoError::unsupported(path, Place::Byte(8), message, &["convert the source again"]));
        }
        let sum = number32(bytes, CHECKED);
        if sum != crc32fast::hash(&bytes[..CHECKED]) {
            return malformed(0, "the header's checksum is wrong: the file was altered or damaged".into());
        }
        let numbers: Vec<u64> = (0..9).map(|at| number64(bytes, 16 + 8 * at)).collect();
        let size = |at: usize| usize::try_from(numbers[at]).unwrap_or(usize::MAX);
        let value = ValueType::ALL.get(bytes[11] as usize).copied();
        let (Some(value), 0..=1, 0 | 2 | 4, 4 | 8) = (value, bytes[10], bytes[12], bytes[13]) else {
            return malformed(10, "a kind of values that version 1 does not have".into());
        };
        let header = Header {
            sparse: bytes[10] == 1,
            value,
            index: bytes[12] as usize,
            single: bytes[13] == 4,
            rows: size(0),
            columns: size(1),
            stored: size(2),
            blocks: size(3),
            table: numbers[4],
            names: numbers[5],
            end: numbers[6],
            image_shape: (size(7) > 0).then(|| (size(7), size(8))),
        };
        if header.end != length {
            let end = header.end;
            let what = if length < end { "truncated" } else { "something was appended" };
            return malformed(
                length.min(end),
                format!("the file has {length} bytes, but its header says {end}: {what}"),
            );
        }
        header.check(path)?;
        Ok(header)
    }

    /// Refuses sizes that contradict each other.
    fn check(&self, path: &Path) -> Result<()> {
        let table = (self.blocks as u64).checked_mul(TABLE_LINE as u64).map(|t| t + TABLE_END as u64);
        let in_order = self.names <= self.table
            && table.and_then(|bytes| bytes.checked_add(self.table)) == Some(self.end)
            && HEADER as u64 <= self.names;
        let dense = self.rows.checked_mul(self.columns);
        let counted = self.sparse && self.index > 0 || !self.sparse && dense == Some(self.stored);
        if in_order && counted && self.rows > 0 && self.columns > 0 {
            return Ok(());
        }
        let message = "the sizes in the header contradict each other";
        Err(IoError::malformed(path, Place::Byte(16), message))
    }

    /// Bytes of a block with so many rows and stored values, and where its column numbers and values begin.
    pub(super) fn block(&self, rows: usize, stored: usize) -> Option<BlockLayout> {
        let starts = if self.sparse { padded((rows + 1).checked_mul(8)?)? } else { 0 };
        let values = starts.checked_add(padded(stored.checked_mul(self.index)?)?)?;
        let bytes = values.checked_add(padded(stored.checked_mul(self.value.bytes())?)?)?;
        Some(BlockLayout { columns: starts, values, bytes })
    }
}

/// Where the parts of a block begin, counted from its own beginning, and its length.
pub(super) struct BlockLayout {
    pub(super) columns: usize,
    pub(super) values: usize,
    pub(super) bytes: usize,
}

/// A line of the table of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockLine {
    pub(super) first_row: usize,
    pub(super) offset: u64,
    pub(super) bytes: usize,
    /// Stored values.
    pub(super) stored: u32,
    pub(super) checksum: u32,
}

impl BlockLine {
    pub(super) fn to_bytes(self) -> [u8; TABLE_LINE] {
        let mut bytes = [0; TABLE_LINE];
        bytes[..8].copy_from_slice(&(self.first_row as u64).to_le_bytes());
        bytes[8..16].copy_from_slice(&self.offset.to_le_bytes());
        bytes[16..24].copy_from_slice(&(self.bytes as u64).to_le_bytes());
        bytes[24..28].copy_from_slice(&self.stored.to_le_bytes());
        bytes[28..].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        BlockLine {
            first_row: number64(bytes, 0) as usize,
            offset: number64(bytes, 8),
            bytes: number64(bytes, 16) as usize,
            stored: number32(bytes, 24),
            checksum: number32(bytes, 28),
        }
    }
}

/// The next multiple of [`ALIGNMENT`].
pub(super) fn padded(bytes: usize) -> Option<usize> {
    bytes.checked_next_multiple_of(ALIGNMENT)
}

pub(super) fn number64(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + 8].try_into().map_or(0, u64::from_le_bytes)
}

pub(super) fn number32(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].try_into().map_or(0, u32::from_le_bytes)
}

/// The names of rows and columns as bytes: for each of the two how many there are (0: none), their lengths,
/// and the text.
pub(super) fn names_to_bytes(names: [Option<&[String]>; 2]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for names in names {
        let names = names.unwrap_or_default();
        bytes.extend((names.len() as u64).to_le_bytes());
        names.iter().for_each(|name| bytes.extend((name.len() as u32).to_le_bytes()));
        names.iter().for_each(|name| bytes.extend(name.as_bytes()));
    }
    bytes
}

/// The inverse; `counts` are the rows and columns of the data.
pub(super) fn names_from_bytes(bytes: &[u8], counts: [usize; 2]) -> Option<[Option<Vec<String>>; 2]> {
    let mut rest = bytes;
    let mut take = |count: usize| {
        let (part, tail) = rest.split_at_checked(count)?;
        rest = tail;
        Some(part)
    };
    let mut read = |expected: usize| {
        let count = number64(take(8)?, 0) as usize;
        if count == 0 {
            return Some(None);
        }
        if count != expected {
            return None;
        }
        let lengths: Vec<usize> =
            take(count.checked_mul(4)?)?.chunks_exact(4).map(|length| number32(length, 0) as usize).collect();
        let name = |length: usize| String::from_utf8(take(length)?.to_vec()).ok();
        Some(Some(lengths.into_iter().map(name).collect::<Option<Vec<_>>>()?))
    };
    let [rows, columns] = counts;
    Some([read(rows)?, read(columns)?])
}
