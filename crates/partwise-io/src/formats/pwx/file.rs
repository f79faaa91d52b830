//! [`PwxFile`]: a `.pwx` file that is open, and its blocks.
//!
//! Blocks are read by position, not mapped into memory. A map would count every page that was read as memory
//! of the process, so no limit could be kept, and a file that is cut while it is mapped ends the process. A
//! thread that reads one block ahead hides the copy.

use super::layout::{
    BlockLine, HEADER, Header, TABLE_END, TABLE_LINE, ValueType, names_from_bytes, number32, number64,
};
use crate::error::{IoError, Place, Result};
use crate::source::PWX;
use partwise::Real;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A `.pwx` file.
pub struct PwxFile {
    path: PathBuf,
    file: File,
    pub(super) header: Header,
    lines: Vec<BlockLine>,
    borders: Vec<usize>,
    /// Room for the bytes of a block, kept from the last one.
    room: Mutex<Vec<u8>>,
    /// The names of the rows, if the file has them.
    pub row_names: Option<Vec<String>>,
    /// The names of the columns, if the file has them.
    pub column_names: Option<Vec<String>>,
}

impl fmt::Debug for PwxFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PwxFile({}, {:?})", self.path.display(), self.header)
    }
}

/// A block as it is stored, in the number type that is asked for.
pub(super) struct Block<T> {
    /// Row starts within the block, and column numbers; absent where all columns are stored.
    pub(super) sparse: Option<(Vec<usize>, Vec<u32>)>,
    pub(super) values: Vec<T>,
}

impl PwxFile {
    /// Whether a path leads to such a file, by its first bytes.
    pub fn is_one(path: &Path) -> bool {
        let mut bytes = [0; 8];
        path.is_file()
            && File::open(path).is_ok_and(|mut file| file.read_exact(&mut bytes).is_ok())
            && bytes == *PWX
    }

    /// Opens a file and reads everything but its blocks.
    ///
    /// # Errors
    /// When it can't be read, is truncated, altered, or of another version: with the place.
    pub fn open(path: &Path) -> Result<Self> {
        let system = |error| IoError::system(path, "read", error);
        let file = File::open(path).map_err(|error| IoError::system(path, "open", error))?;
        let length = file.metadata().map_err(system)?.len();
        let mut bytes = vec![0; HEADER.min(usize::try_from(length).unwrap_or(HEADER))];
        read_at(&file, &mut bytes, 0).map_err(system)?;
        let header = Header::from_bytes(&bytes, length, path)?;
        let mut table = vec![0; header.blocks * TABLE_LINE + TABLE_END];
        read_at(&file, &mut table, header.table).map_err(system)?;
        let malformed = |at, message: &str| IoError::malformed(path, Place::Byte(at), message);
        let checked = table.len() - 4;
        if crc32fast::hash(&table[..checked]) != number32(&table, checked) {
            let message = "the checksum of the table of blocks is wrong: the file was altered or damaged";
            return Err(malformed(header.table, message));
        }
        let lines: Vec<BlockLine> =
            table[..checked - 4].chunks_exact(TABLE_LINE).map(BlockLine::from_bytes).collect();
        let mut borders: Vec<usize> = lines.iter().map(|line| line.first_row).collect();
        borders.push(header.rows);
        check_lines(&header, &lines, &borders)
            .ok_or_else(|| malformed(header.table, "the table of blocks contradicts the header"))?;
        let mut names = vec![0; usize::try_from(header.table - header.names).unwrap_or(0)];
        read_at(&file, &mut names, header.names).map_err(system)?;
        let wrong = || malformed(header.names, "the names are altered or damaged");
        if crc32fast::hash(&names) != number32(&table, checked - 4) {
            return Err(wrong());
        }
        let [row_names, column_names] =
            names_from_bytes(&names, [header.rows, header.columns]).ok_or_else(wrong)?;
        let path = path.to_path_buf();
        Ok(PwxFile { path, file, header, lines, borders, room: Mutex::default(), row_names, column_names })
    }

    /// Where it lies.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// `(rows, columns)`.
    pub fn shape(&self) -> (usize, usize) {
        (self.header.rows, self.header.columns)
    }

    /// The number of stored values.
    pub fn n_stored(&self) -> usize {
        self.header.stored
    }

    /// Whether only non-zeros are stored.
    pub fn is_sparse(&self) -> bool {
        self.header.sparse
    }

    /// The precision of the source, `"f32"` or `"f64"`.
    pub fn precision(&self) -> &'static str {
        if self.header.single { "f32" } else { "f64" }
    }

    /// Height and width, when each row is an image.
    pub fn image_shape(&self) -> Option<(usize, usize)> {
        self.header.image_shape
    }

    /// The number of blocks.
    pub fn n_blocks(&self) -> usize {
        self.lines.len()
    }

    /// The rows of a block.
    pub fn rows_of(&self, block: usize) -> std::ops::Range<usize> {
        self.borders[block]..self.borders[block + 1]
    }

    /// The number of stored values of a block.
    pub fn stored_of(&self, block: usize) -> usize {
        self.lines[block].stored as usize
    }

    /// The number of the first row of each block, and of rows.
    pub(crate) fn borders(&self) -> &[usize] {
        &self.borders
    }

    /// The bytes of the largest block in the file.
    pub(crate) fn largest_stored(&self) -> f64 {
        self.lines.iter().map(|line| line.bytes).max().unwrap_or(0) as f64
    }

    /// Reads a block.
    pub(super) fn block<T: Real>(&self, block: usize) -> Result<Block<T>> {
        let line = self.lines[block];
        let (first, end) = (line.first_row, self.borders[block + 1]);
        let malformed = |what: &str| {
            let message = format!("block {block} (rows {first} to {}, counted from 0) {what}", end - 1);
            IoError::malformed(&self.path, Place::Byte(line.offset), message)
        };
        let mut bytes = std::mem::take(&mut *self.room());
        bytes.resize(line.bytes, 0);
        read_at(&self.file, &mut bytes, line.offset).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => malformed("is cut off: the file was truncated"),
            _ => IoError::system(&self.path, "read", error),
        })?;
        if crc32fast::hash(&bytes) != line.checksum {
            return Err(malformed("has a wrong checksum: the file was altered, or changed while it is read"));
        }
        let (header, stored) = (&self.header, line.stored as usize);
        let contradiction = || malformed("contradicts itself");
        let layout = header.block(end - first, stored).ok_or_else(contradiction)?;
        let sparse = header.sparse.then(|| {
            let starts = (0..=end - first).map(|row| number64(&bytes, 8 * row) as usize).collect();
            let columns = &bytes[layout.columns..layout.columns + stored * header.index];
            let columns = match header.index {
                2 => columns.as_chunks().0.iter().map(|c| u32::from(u16::from_le_bytes(*c))).collect(),
                _ => columns.as_chunks().0.iter().map(|c| u32::from_le_bytes(*c)).collect(),
            };
            (starts, columns)
        });
        let values = &bytes[layout.values..layout.values + stored * header.value.bytes()];
        let real = T::from_f64;
        let values = match header.value {
            ValueType::U8 => values.iter().map(|x| real(f64::from(*x))).collect(),
            ValueType::U16 => {
                values.as_chunks().0.iter().map(|x| real(f64::from(u16::from_le_bytes(*x)))).collect()
            }
            ValueType::F32 => {
                values.as_chunks().0.iter().map(|x| real(f64::from(f32::from_le_bytes(*x)))).collect()
            }
            ValueType::F64 => values.as_chunks().0.iter().map(|x| real(f64::from_le_bytes(*x))).collect(),
        };
        *self.room() = bytes;
        Ok(Block { sparse, values })
    }

    fn room(&self) -> MutexGuard<'_, Vec<u8>> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the lines are in order, cover all rows and values, and lie between header and names.
fn check_lines(header: &Header, lines: &[BlockLine], borders: &[usize]) -> Option<()> {
    let (mut offset, mut stored) = (HEADER as u64, 0_usize);
    for (line, rows) in lines.iter().zip(borders.windows(2)) {
        let layout = header.block(rows[1].checked_sub(rows[0])?, line.stored as usize)?;
        let whole =
            header.sparse || (rows[1] - rows[0]).checked_mul(header.columns) == Some(line.stored as usize);
        if line.offset != offset || line.bytes != layout.bytes || rows[0] == rows[1] || !whole {
            return None;
        }
        offset = offset.checked_add(line.bytes as u64)?;
        stored = stored.checked_add(line.stored as usize)?;
    }
    (borders[0] == 0 && offset == header.names && stored == header.stored).then_some(())
}

/// Fills `bytes` from a place of the file.
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> std::io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_exact_at(file, bytes, at);
    #[cfg(windows)]
    {
        let mut done = 0;
        while done < bytes.len() {
            let place = at + done as u64;
            match std::os::windows::fs::FileExt::seek_read(file, &mut bytes[done..], place)? {
                0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
                count => done += count,
            }
        }
        Ok(())
    }
    #[cfg(not(any(unix, windows)))]
    {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = file;
        file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(bytes))
    }
}
