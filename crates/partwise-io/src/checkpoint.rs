//! Files of checkpoints: what fit they are of, and its state, with a checksum at the end. A file is written
//! under a temporary name and then renamed, so that there is always a whole one.

use crate::error::{IoError, Place, Result};
use crate::write::write_atomic;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The first bytes of a file.
const MAGIC: [u8; 8] = *b"PWCHECK\x01";
/// The most bytes that the description of a fit may have.
const DESCRIPTION: u64 = 1 << 20;

/// Writes a checkpoint in place of an earlier one: `description` says which fit it is of, `state` writes its
/// state.
///
/// # Errors
/// What the system reports; an earlier checkpoint is then still there.
pub fn write_checkpoint(
    path: &Path,
    description: &Map<String, Value>,
    state: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    let description = Value::Object(description.clone()).to_string();
    write_atomic(path, |out| {
        let mut out = Checked { inner: out, sum: crc32fast::Hasher::new() };
        out.write_all(&MAGIC)?;
        out.write_all(&(description.len() as u64).to_le_bytes())?;
        out.write_all(description.as_bytes())?;
        state(&mut out)?;
        let sum = out.sum.finalize();
        out.inner.write_all(&sum.to_le_bytes())
    })
}

/// A checkpoint that is open: the description of its fit, and its state to read.
pub type OpenCheckpoint = (Map<String, Value>, Box<dyn Read>);

/// Opens a checkpoint. `None` where there is no such file.
///
/// # Errors
/// When it can't be read, is no checkpoint, or its checksum is wrong.
pub fn open_checkpoint(path: &Path) -> Result<Option<OpenCheckpoint>> {
    let system = |error| IoError::system(path, "read", error);
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(IoError::system(path, "open", error)),
    };
    let malformed = |message: &str| IoError::malformed(path, Place::Whole, message);
    let damaged = || malformed("its checksum is wrong: the checkpoint was cut or altered");
    let length = file.metadata().map_err(system)?.len();
    let checked = length.checked_sub(4).filter(|checked| *checked >= 16).ok_or_else(damaged)?;
    let (mut sum, mut piece) = (crc32fast::Hasher::new(), vec![0; 1 << 16]);
    let mut reader = (&mut file).take(checked);
    loop {
        match reader.read(&mut piece).map_err(system)? {
            0 => break,
            count => sum.update(&piece[..count]),
        }
    }
    let mut stored = [0; 4];
    file.read_exact(&mut stored).map_err(system)?;
    if sum.finalize() != u32::from_le_bytes(stored) {
        return Err(damaged());
    }
    file.seek(SeekFrom::Start(0)).map_err(system)?;
    let mut head = [0; 16];
    file.read_exact(&mut head).map_err(system)?;
    let [magic, count] = [&head[..8], &head[8..]];
    let count = count.try_into().map_or(u64::MAX, u64::from_le_bytes);
    if magic != MAGIC || count > DESCRIPTION.min(checked - 16) {
        return Err(malformed("this is not a checkpoint of this version of Partwise"));
    }
    let mut description = vec![0; count as usize];
    file.read_exact(&mut description).map_err(system)?;
    let Ok(Value::Object(description)) = serde_json::from_slice(&description) else {
        return Err(malformed("the description of its fit can't be read"));
    };
    let state = BufReader::with_capacity(1 << 20, file.take(checked - 16 - count));
    Ok(Some((description, Box::new(state))))
}

/// A writer that sums up what passes through it.
struct Checked<'w> {
    inner: &'w mut dyn Write,
    sum: crc32fast::Hasher,
}

impl Write for Checked<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.sum.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}
