//! SHA-256, to identify the data of a result in a report, and to recognize a file.

use sha2::{Digest, Sha256};
use std::io::{Read, Write};
use std::path::Path;

/// The SHA-256 of `bytes`, as 64 lower-case hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hexadecimal(Sha256::digest(bytes).as_slice())
}

fn hexadecimal(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The SHA-256 of a file, read piece by piece.
pub(crate) fn sha256_of_file(path: &Path) -> std::io::Result<String> {
    let (mut file, mut hash) = (std::fs::File::open(path)?, Sha256::new());
    let mut piece = vec![0; 1 << 16];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(hexadecimal(hash.finalize().as_slice())),
            Ok(count) => hash.update(&piece[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The SHA-256 of a file, read piece by piece.
///
/// # Errors
/// What the system reports.
pub fn sha256_of_path(path: &Path) -> crate::Result<String> {
    sha256_of_file(path).map_err(|error| crate::IoError::system(path, "read", error))
}

/// A writer that counts and hashes what passes through it.
pub(crate) struct Hashing<W> {
    inner: W,
    hash: Sha256,
    bytes: u64,
}

impl<W: Write> Hashing<W> {
    pub(crate) fn new(inner: W) -> Self {
        Hashing { inner, hash: Sha256::new(), bytes: 0 }
    }

    /// The writer, how many bytes it got, and their SHA-256.
    pub(crate) fn finish(self) -> (W, u64, String) {
        (self.inner, self.bytes, hexadecimal(self.hash.finalize().as_slice()))
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.hash.update(&bytes[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}
