//! Writing a `.pwx` file: first what it will contain, then the rows.

use super::layout::{ALIGNMENT, BlockLine, HEADER, Header, TABLE_END, TABLE_LINE, ValueType, names_to_bytes};
use crate::table::{DenseValues, Table, Values};
use std::io::{Error, Result, Write};
use std::ops::Range;

/// About how many stored values a block has.
pub const BLOCK_VALUES: usize = 1 << 22;

/// Rows in blocks of about this many stored values: each ends with the row that reaches it.
pub(super) fn borders(rows: usize, block_values: usize, stored_of: impl Fn(usize) -> usize) -> Vec<usize> {
    let (mut borders, mut stored) = (vec![0], 0);
    for row in 0..rows {
        stored += stored_of(row);
        if stored >= block_values || row + 1 == rows {
            borders.push(row + 1);
            stored = 0;
        }
    }
    borders
}

/// The narrowest type that holds all values exactly.
pub(crate) fn value_type(values: &DenseValues) -> ValueType {
    let all = |fits: &dyn Fn(f64) -> bool| (0..values.len()).all(|i| fits(values.get(i)));
    let whole = |x: f64, most: f64| (0.0..=most).contains(&x) && x.trunc() == x && !x.is_sign_negative();
    if all(&|x| whole(x, 255.0)) {
        ValueType::U8
    } else if all(&|x| whole(x, 65535.0)) {
        ValueType::U16
    } else if all(&|x| f64::from(x as f32).to_bits() == x.to_bits()) {
        ValueType::F32
    } else {
        ValueType::F64
    }
}

/// What is known of a table before its rows come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<'h> {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// The place of the first stored value of each row, and of the end; absent where all values are stored.
    pub(crate) starts: Option<&'h [usize]>,
    /// Whether the source has 32-bit numbers.
    pub(crate) single: bool,
    pub(crate) names: [Option<&'h [String]>; 2],
    pub(crate) image_shape: Option<(usize, usize)>,
}

impl Head<'_> {
    fn start(&self, row: usize) -> usize {
        self.starts.map_or(row * self.columns, |starts| starts[row])
    }

    /// The borders of the blocks.
    pub(crate) fn borders(&self, block_values: usize) -> Vec<usize> {
        borders(self.rows, block_values, |row| self.start(row + 1) - self.start(row))
    }
}

/// Writes a table, in blocks of about `block_values` stored values.
pub(crate) fn write(table: &Table, block_values: usize, out: &mut dyn Write) -> Result<()> {
    let (rows, columns) = table.values.shape();
    let (Values::Dense { values, .. } | Values::Sparse { values, .. }) = &table.values;
    let starts = match &table.values {
        Values::Sparse { indptr, .. } => Some(indptr.as_slice()),
        Values::Dense { .. } => None,
    };
    let head = Head {
        rows,
        columns,
        starts,
        single: matches!(values, DenseValues::F32(_)),
        names: [table.row_names.as_deref(), table.column_names.as_deref()],
        image_shape: table.image_shape,
    };
    let borders = head.borders(block_values);
    write_parts(&head, value_type(values), &borders, &mut |rows| Ok(table.values.rows(rows)), out)
}

/// Writes what `part` gives for the rows of each block, which must be as `head` says.
pub(crate) fn write_parts(
    head: &Head<'_>,
    value: ValueType,
    borders: &[usize],
    part: &mut dyn FnMut(Range<usize>) -> Result<Values>,
    out: &mut dyn Write,
) -> Result<()> {
    let mut names = names_to_bytes(head.names);
    pad(&mut names);
    let index = if head.columns <= 1 << 16 { 2 } else { 4 };
    let mut header = Header {
        sparse: head.starts.is_some(),
        value,
        index: if head.starts.is_some() { index } else { 0 },
        single: head.single,
        rows: head.rows,
        columns: head.columns,
        stored: head.start(head.rows),
        blocks: borders.len() - 1,
        table: 0,
        names: 0,
        end: 0,
        image_shape: head.image_shape,
    };
    let too_large = || Error::other("the data are too large for one file");
    let mut lines = Vec::with_capacity(header.blocks);
    let mut offset = HEADER as u64;
    for block in borders.windows(2) {
        let stored = head.start(block[1]) - head.start(block[0]);
        let layout = header.block(block[1] - block[0], stored).ok_or_else(too_large)?;
        let stored = u32::try_from(stored).map_err(|_| too_large())?;
        lines.push(BlockLine { first_row: block[0], offset, bytes: layout.bytes, stored, checksum: 0 });
        offset += layout.bytes as u64;
    }
    header.names = offset;
    header.table = offset + names.len() as u64;
    header.end = header.table + (lines.len() * TABLE_LINE + TABLE_END) as u64;
    out.write_all(&header.to_bytes())?;
    for (line, block) in lines.iter_mut().zip(borders.windows(2)) {
        let bytes = block_bytes(&header, &part(block[0]..block[1])?, line.bytes);
        if bytes.len() != line.bytes {
            return Err(Error::other("the data changed while they were read"));
        }
        line.checksum = crc32fast::hash(&bytes);
        out.write_all(&bytes)?;
    }
    out.write_all(&names)?;
    let mut end: Vec<u8> = lines.iter().flat_map(|line| line.to_bytes()).collect();
    end.extend(crc32fast::hash(&names).to_le_bytes());
    end.extend(crc32fast::hash(&end).to_le_bytes());
    out.write_all(&end)
}

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
}

/// The bytes of the rows of a block.
fn block_bytes(header: &Header, part: &Values, length: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length);
    if let Values::Sparse { indptr, indices, .. } = part {
        indptr.iter().for_each(|start| bytes.extend((*start as u64).to_le_bytes()));
        pad(&mut bytes);
        for column in indices {
            match header.index {
                2 => bytes.extend((*column as u16).to_le_bytes()),
                _ => bytes.extend(column.to_le_bytes()),
            }
        }
        pad(&mut bytes);
    }
    let (Values::Dense { values, .. } | Values::Sparse { values, .. }) = part;
    for x in (0..values.len()).map(|entry| values.get(entry)) {
        match header.value {
            ValueType::U8 => bytes.push(x as u8),
            ValueType::U16 => bytes.extend((x as u16).to_le_bytes()),
            ValueType::F32 => bytes.extend((x as f32).to_le_bytes()),
            ValueType::F64 => bytes.extend(x.to_le_bytes()),
        }
    }
    pad(&mut bytes);
    bytes
}
