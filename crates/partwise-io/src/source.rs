//! [`Source`]: the bytes of a file, decompressed, with what its first bytes look like.

use crate::error::{IoError, Place, Result};
use crate::hash::{sha256_hex, sha256_of_file};
use crate::npy_header::{declared_size, header_end};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempPath;

/// The path that means standard input.
pub const STANDARD_INPUT: &str = "-";

/// What messages call it.
const ITS_NAME: &str = "standard input";

/// The bytes at a path, and what messages call it. `-` is standard input (a file of this name is `./-`).
///
/// # Errors
/// What the system reports; a folder.
pub(crate) fn bytes_at(path: &Path) -> Result<(PathBuf, Vec<u8>)> {
    let mut bytes = Vec::new();
    if path == Path::new(STANDARD_INPUT) {
        let path = PathBuf::from(ITS_NAME);
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        return read.map_err(|e| IoError::system(&path, "read", e)).map(|_| (path, bytes));
    }
    let metadata = std::fs::metadata(path).map_err(|e| IoError::system(path, "open", e))?;
    if metadata.is_dir() {
        let message = "this is a folder, but a file is needed";
        return Err(IoError::unsupported(path, Place::Whole, message, &[]));
    }
    let read = File::open(path).and_then(|mut file| file.read_to_end(&mut bytes));
    read.map_err(|e| IoError::system(path, "read", e))?;
    Ok((path.to_path_buf(), bytes))
}

/// The bytes of one file. Readers work on this, so that they can be tried on any bytes without a file.
#[derive(Clone, Debug)]
pub struct Source {
    pub(crate) path: PathBuf,
    /// All bytes; of an HDF5 or .pwx file, which is read piece by piece, only the first ones.
    pub(crate) bytes: Vec<u8>,
    pub(crate) sha256: String,
    /// A copy on disk of such a file that came compressed, or not from a file.
    copy: Option<Arc<TempPath>>,
}

impl Source {
    /// Reads a file and decompresses it when it is gzip (recognized by its first bytes, not by its name). The
    /// path `-` is standard input.
    ///
    /// # Errors
    /// When it can't be read, is a folder, is empty, is broken gzip (with the number of bytes decoded so
    /// far), is named `.gz` but isn't gzip, or decompresses to more than `limit` bytes.
    pub fn open(path: &Path, limit: u64) -> Result<Self> {
        if let Some(source) = Source::on_disk(path)? {
            return Ok(source);
        }
        let (path, stored) = bytes_at(path)?;
        Source::from_bytes(&path, stored, limit)
    }

    /// As [`Source::open`] for bytes that are already here; `path` is used for its name and in messages.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn from_bytes(path: &Path, stored: Vec<u8>, limit: u64) -> Result<Self> {
        if stored.is_empty() {
            return Err(IoError::Empty { path: path.to_path_buf() });
        }
        let sha256 = sha256_hex(&stored);
        let compressed = stored.starts_with(&[0x1f, 0x8b]);
        if !compressed && has_gz_extension(path) {
            return Err(IoError::WrongFormat {
                path: path.to_path_buf(),
                expected: "gzip".into(),
                looks_like: looks_like(&stored).describe().into(),
            });
        }
        let mut bytes = if compressed { decompress(path, &stored, limit)? } else { stored };
        // Old spreadsheets end lines with a carriage return alone.
        if matches!(looks_like(&bytes), Look::Text | Look::MatrixMarket)
            && bytes.contains(&b'\r')
            && !bytes.contains(&b'\n')
        {
            bytes.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
        }
        if bytes.is_empty() {
            return Err(IoError::Empty { path: path.to_path_buf() });
        }
        if is_read_from_disk(&bytes) {
            return Source::copied(path, bytes, sha256);
        }
        Ok(Source { path: path.to_path_buf(), bytes, sha256, copy: None })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it came through standard input, which has no extension.
    pub(crate) fn is_standard_input(&self) -> bool {
        self.path == Path::new(ITS_NAME)
    }

    /// The extension in lower case, without a final `.gz`.
    pub(crate) fn extension(&self) -> Option<String> {
        let name = self.path.file_name()?.to_string_lossy().to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        name.rsplit_once('.').map(|(_, extension)| extension.to_string())
    }

    /// The bytes as UTF-8 without a byte order mark.
    pub(crate) fn text_bytes(&self) -> &[u8] {
        self.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.bytes)
    }

    /// Refuses text in another encoding than UTF-8: replaced characters would make different names the same.
    /// `text` is that of the file, or its lines written in another way.
    pub(crate) fn expect_utf8(&self, text: &[u8]) -> Result<()> {
        let Err(error) = std::str::from_utf8(text) else { return Ok(()) };
        let (before, rest) = text.split_at(error.valid_up_to());
        let line = before.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        let byte = rest.first().copied().unwrap_or_default();
        let message = format!(
            "the text is not UTF-8 (byte 0x{byte:02X}); save the file as UTF-8 (a spreadsheet calls it \
            \"CSV UTF-8\")"
        );
        Err(self.malformed(Place::Line(line), message))
    }

    /// Refuses what is no text; `expected` says what it was to be.
    pub(crate) fn expect_text(&self, expected: &str) -> Result<()> {
        match looks_like(&self.bytes) {
            Look::Text => Ok(()),
            other => Err(self.wrong_format(expected, other)),
        }
    }

    /// The file is not what was expected.
    pub(crate) fn wrong_format(&self, expected: &str, look: Look) -> IoError {
        let (path, looks_like) = (self.path.clone(), look.describe().into());
        IoError::WrongFormat { path, expected: expected.into(), looks_like }
    }

    pub(crate) fn malformed(&self, place: Place, message: impl Into<String>) -> IoError {
        IoError::malformed(&self.path, place, message)
    }

    pub(crate) fn unsupported(&self, place: Place, message: impl Into<String>, valid: &[&str]) -> IoError {
        IoError::unsupported(&self.path, place, message, valid)
    }
}

/// Whether these are the first bytes of a file that is read piece by piece, from disk.
fn is_read_from_disk(bytes: &[u8]) -> bool {
    bytes.starts_with(PWX) || cfg!(feature = "hdf5") && bytes.starts_with(HDF5)
}

/// Large files are read piece by piece, from disk.
impl Source {
    /// A file that is one of these by its first bytes.
    fn on_disk(path: &Path) -> Result<Option<Self>> {
        let Some(source) = Self::beginning(path)? else { return Ok(None) };
        let sha256 = sha256_of_file(path).map_err(|e| IoError::system(path, "read", e))?;
        Ok(Some(Source { sha256, ..source }))
    }

    /// As [`Source::on_disk`], without the checksum, which takes a pass over the file.
    pub(crate) fn beginning(path: &Path) -> Result<Option<Self>> {
        let is_file = path != Path::new(STANDARD_INPUT) && path.is_file();
        if !is_file || has_gz_extension(path) {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(512).read_to_end(&mut bytes));
        read.map_err(|e| IoError::system(path, "read", e))?;
        let source = Source { path: path.to_path_buf(), bytes, sha256: String::new(), copy: None };
        Ok(is_read_from_disk(&source.bytes).then_some(source))
    }

    /// Bytes that are here and not on disk.
    fn copied(path: &Path, mut bytes: Vec<u8>, sha256: String) -> Result<Self> {
        let write = || {
            let mut file = tempfile::NamedTempFile::new()?;
            std::io::Write::write_all(&mut file, &bytes)?;
            Ok(file.into_temp_path())
        };
        let copy = write().map_err(|e| IoError::system(path, "copy to the folder for temporary files", e))?;
        bytes.truncate(512);
        bytes.shrink_to_fit();
        Ok(Source { path: path.to_path_buf(), bytes, sha256, copy: Some(Arc::new(copy)) })
    }

    /// Where the file lies.
    pub(crate) fn stored_at(&self) -> &Path {
        self.copy.as_ref().map_or(&self.path, |copy| copy)
    }
}

fn has_gz_extension(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"))
}

/// What a compressed text may become beyond 100 times its size.
const TEXT_ROOM: u64 = 64 << 20;

/// Decompresses all gzip members: of a NumPy array as many bytes as its header says, of anything else at most
/// [`TEXT_ROOM`] and 100 times the size of the file.
fn decompress(path: &Path, stored: &[u8], limit: u64) -> Result<Vec<u8>> {
    let decoder = MultiGzDecoder::new(stored);
    let broken = |error: std::io::Error, decoded: usize| {
        let message = match error.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                "the gzip data end too early (a truncated file?)".to_string()
            }
            _ => format!("the gzip data are broken: {error}"),
        };
        IoError::malformed(path, Place::Decoded(decoded as u64), message)
    };
    let room = TEXT_ROOM.saturating_add((stored.len() as u64).saturating_mul(100)).min(limit);
    let bytes = read_as_needed(decoder, room, limit).map_err(|(error, decoded)| broken(error, decoded))?;
    if bytes.len() as u64 > limit.min(room) && !bytes.starts_with(b"\x93NUMPY") {
        let limit = limit.min(room);
        let message = format!("it decompresses to more than the limit of {limit} bytes; decompress it first");
        return Err(IoError::malformed(path, Place::Whole, message));
    }
    if bytes.len() as u64 > limit {
        let message = format!("it decompresses to more than the limit of {limit} bytes; decompress it first");
        return Err(IoError::malformed(path, Place::Whole, message));
    }
    Ok(bytes)
}

/// Reads a compressed stream: of a NumPy array its header, and then one byte at most beyond what the header
/// says (so that surplus shows); of anything else one byte at most beyond `room`. Never more than one byte
/// beyond `limit`. A fault comes with the bytes read so far.
pub(crate) fn read_as_needed(
    mut reader: impl Read,
    room: u64,
    limit: u64,
) -> std::result::Result<Vec<u8>, (std::io::Error, usize)> {
    let mut bytes = Vec::new();
    let mut take = |bytes: &mut Vec<u8>, end: u64| {
        let more = end.saturating_sub(bytes.len() as u64);
        let found = (&mut reader).take(more).read_to_end(bytes);
        found.map_err(|error| (error, bytes.len()))
    };
    take(&mut bytes, 12.min(limit.saturating_add(1)))?;
    let end = match header_end(&bytes) {
        None => room,
        Some(end) => {
            take(&mut bytes, (end as u64).min(limit.saturating_add(1)))?;
            declared_size(&bytes).map_or(end as u64, |size| size.min(limit))
        }
    };
    take(&mut bytes, end.saturating_add(1))?;
    Ok(bytes)
}

/// The first bytes of a file of row blocks.
pub(crate) const PWX: &[u8; 8] = b"\x89PWX\r\n\x1a\n";
/// The first bytes of an HDF5 file.
const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n";

/// What the first bytes of a file look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Npy,
    Zip,
    Hdf5,
    Pwx,
    MatrixMarket,
    Png,
    Pnm,
    Text,
    /// Something that no reader here takes.
    Other(&'static str),
}

impl Look {
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Look::Npy => "a NumPy array (.npy)",
            Look::Zip => "a zip archive, as .npz is",
            #[cfg(feature = "hdf5")]
            Look::Hdf5 => "HDF5 (as .h5 and .h5ad are)",
            #[cfg(not(feature = "hdf5"))]
            Look::Hdf5 => {
                "HDF5 (as .h5 and .h5ad are), which the command line reads; in Python, read it with anndata"
            }
            Look::Pwx => "row blocks (.pwx)",
            Look::MatrixMarket => "Matrix Market (.mtx)",
            Look::Png => "a PNG image",
            Look::Pnm => "a Netpbm image (.pgm, .ppm)",
            Look::Text => "a text file",
            Look::Other(description) => description,
        }
    }
}

/// First bytes of other formats that users are likely to pass.
const OTHERS: [(&[u8], &str); 15] = [
    (b"\x1f\x8b", "gzip"),
    (b"MATLAB 5.0 MAT-file", "a MATLAB file (.mat)"),
    (b"MATLAB 7.3 MAT-file", "a MATLAB 7.3 file (.mat)"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"%PDF", "a PDF document"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data"),
    (b"BZh", "bzip2-compressed data"),
    (b"\xfd7zXZ\x00", "xz-compressed data"),
    (b"version https://git-lfs", "a Git LFS pointer (fetch the file itself with `git lfs pull`)"),
    (b"\xff\xfe", "UTF-16 text (save it as UTF-8)"),
    (b"\xfe\xff", "UTF-16 text (save it as UTF-8)"),
    (b"\x80\x04\x95", "a Python pickle"),
    (b"<!DOCTYPE", "an HTML page"),
];

/// Whether these are the first bytes of a Netpbm image: P1 to P6, white space, and a number or a comment.
fn is_pnm(bytes: &[u8]) -> bool {
    let [b'P', b'1'..=b'6', space, rest @ ..] = bytes else { return false };
    let next = rest.iter().find(|byte| !byte.is_ascii_whitespace());
    space.is_ascii_whitespace() && next.is_some_and(|byte| *byte == b'#' || byte.is_ascii_digit())
}

/// Looks at the first bytes.
pub(crate) fn looks_like(bytes: &[u8]) -> Look {
    if bytes.starts_with(b"\x93NUMPY") {
        return Look::Npy;
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return Look::Zip;
    }
    if bytes.starts_with(HDF5) {
        return Look::Hdf5;
    }
    if bytes.starts_with(PWX) {
        return Look::Pwx;
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if text.len() >= 14 && text[..14].eq_ignore_ascii_case(b"%%MatrixMarket") {
        return Look::MatrixMarket;
    }
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Look::Png;
    }
    if is_pnm(bytes) {
        return Look::Pnm;
    }
    if let Some((_, description)) = OTHERS.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Look::Other(description);
    }
    if bytes.len() > 8 && bytes[8] == b'{' && bytes[5..8] == [0, 0, 0] {
        return Look::Other("a safetensors file");
    }
    if bytes.len() > 5 && bytes[..5].eq_ignore_ascii_case(b"<html") {
        return Look::Other("an HTML page");
    }
    if bytes.iter().take(4096).any(|byte| *byte == 0) { Look::Other("binary data") } else { Look::Text }
}
