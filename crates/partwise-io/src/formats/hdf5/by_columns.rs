//! [`Transposed`]: the row blocks of a matrix that is stored by columns, without all of it in memory. One
//! pass over the file counts the entries of the rows; another appends each entry to those of its block, in a
//! temporary file; a block is then sorted in memory.

use crate::error::{IoError, Result};
use crate::formats::hdf5::matrix::{Compressed, Sides, in_order};
use crate::formats::hdf5::reader::Reader;
use crate::table::{DenseValues, Values};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes of the row within the block, and of the column.
const PLACE: usize = 8;

/// The entries of all blocks, block after block.
pub(super) struct Transposed {
    file: File,
    folder: PathBuf,
    single: bool,
    columns: usize,
    borders: Vec<usize>,
    /// Where each row begins among the stored values, and their number.
    pub(super) starts: Vec<usize>,
}

/// Where each row begins among the stored values of a matrix that is stored by columns, and their number.
pub(super) fn row_starts(reader: &Reader<'_>, file: &Compressed, sides: Sides) -> Result<Vec<usize>> {
    let mut starts = vec![0_usize; sides.rows + 1];
    for (start, count) in file.blocks() {
        for row in file.indices(reader, start, count, sides.rows)? {
            starts[row as usize + 1] += 1;
        }
    }
    for row in 0..sides.rows {
        starts[row + 1] += starts[row];
    }
    Ok(starts)
}

impl Transposed {
    /// Writes the entries to a temporary file without a name in the folder; it is gone with this.
    pub(super) fn new(
        reader: &Reader<'_>,
        file: &Compressed,
        sides: Sides,
        (starts, borders): (Vec<usize>, Vec<usize>),
        folder: &Path,
    ) -> Result<Self> {
        let scratch = tempfile::tempfile_in(folder)
            .map_err(|error| IoError::system(folder, "write a temporary file in", error))?;
        let (folder, single, columns) = (folder.to_path_buf(), file.is_single(), sides.columns);
        let transposed = Transposed { file: scratch, folder, single, columns, borders, starts };
        transposed.fill(reader, file, sides)?;
        Ok(transposed)
    }

    /// Bytes of an entry.
    fn width(&self) -> usize {
        PLACE + if self.single { 4 } else { 8 }
    }

    fn fault(&self, error: std::io::Error) -> IoError {
        IoError::system(&self.folder, "write or read a temporary file in", error)
    }

    fn fill(&self, reader: &Reader<'_>, file: &Compressed, sides: Sides) -> Result<()> {
        let (blocks, width) = (self.borders.len() - 1, self.width());
        let mut block_of = vec![0_u32; sides.rows];
        for (block, rows) in self.borders.windows(2).enumerate() {
            block_of[rows[0]..rows[1]].fill(block as u32);
        }
        // Where the next entry of each block goes.
        let mut next: Vec<usize> = self.borders[..blocks].iter().map(|row| self.starts[*row]).collect();
        let mut column = 0;
        for (start, count) in file.blocks() {
            let rows = file.indices(reader, start, count, sides.rows)?;
            let values = file.values(reader, start, count)?;
            let mut ends = vec![0_usize; blocks];
            rows.iter().for_each(|row| ends[block_of[*row as usize] as usize] += width);
            for block in 1..blocks {
                ends[block] += ends[block - 1];
            }
            let mut free: Vec<usize> = std::iter::once(0).chain(ends[..blocks - 1].iter().copied()).collect();
            let mut bytes = vec![0_u8; count * width];
            for (at, row) in rows.iter().enumerate() {
                while file.offsets[column + 1] <= start + at {
                    column += 1;
                }
                let block = block_of[*row as usize] as usize;
                let entry = &mut bytes[free[block]..free[block] + width];
                free[block] += width;
                let row = *row - self.borders[block] as u32;
                entry[..4].copy_from_slice(&row.to_le_bytes());
                entry[4..PLACE].copy_from_slice(&(column as u32).to_le_bytes());
                match &values {
                    DenseValues::F32(values) => entry[PLACE..].copy_from_slice(&values[at].to_le_bytes()),
                    DenseValues::F64(values) => entry[PLACE..].copy_from_slice(&values[at].to_le_bytes()),
                }
            }
            let mut begin = 0;
            for (block, end) in ends.into_iter().enumerate().filter(|(_, end)| *end > 0) {
                if end > begin {
                    self.write(next[block] * width, &bytes[begin..end])?;
                    next[block] += (end - begin) / width;
                    begin = end;
                }
            }
        }
        Ok(())
    }

    fn write(&self, at: usize, bytes: &[u8]) -> Result<()> {
        let mut file = &self.file;
        let done = file.seek(SeekFrom::Start(at as u64)).and_then(|_| file.write_all(bytes));
        done.map_err(|error| self.fault(error))
    }

    /// The rows of a block.
    pub(super) fn block(&self, block: usize) -> Result<Values> {
        let rows = self.borders[block]..self.borders[block + 1];
        let (start, end, width) = (self.starts[rows.start], self.starts[rows.end], self.width());
        let mut bytes = vec![0_u8; (end - start) * width];
        let mut file = &self.file;
        let read =
            file.seek(SeekFrom::Start((start * width) as u64)).and_then(|_| file.read_exact(&mut bytes));
        read.map_err(|error| self.fault(error))?;
        let indptr: Vec<usize> = self.starts[rows.start..=rows.end].iter().map(|at| at - start).collect();
        let (mut free, mut indices) = (indptr.clone(), vec![0_u32; end - start]);
        let mut values = match self.single {
            true => DenseValues::F32(vec![0.0; end - start]),
            false => DenseValues::F64(vec![0.0; end - start]),
        };
        // The entries come by ascending columns.
        for entry in bytes.chunks_exact(width) {
            let number =
                |at: usize| u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]]);
            let place = &mut free[number(0) as usize];
            indices[*place] = number(4);
            match &mut values {
                DenseValues::F32(values) => values[*place] = f32::from_bits(number(PLACE)),
                DenseValues::F64(values) => {
                    let bits = u64::from(number(PLACE)) | u64::from(number(PLACE + 4)) << 32;
                    values[*place] = f64::from_bits(bits);
                }
            }
            *place += 1;
        }
        let sides = Sides { rows: rows.len(), columns: self.columns };
        Ok(match values {
            DenseValues::F32(values) => in_order(sides, indptr, indices, values, &mut Vec::new()),
            DenseValues::F64(values) => in_order(sides, indptr, indices, values, &mut Vec::new()),
        })
    }
}
