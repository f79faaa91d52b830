//! A lock for a result that is being written, so that two runs (also in two containers) do not write it at
//! the same time.

use crate::error::{IoError, Result};
use crate::write::Unfinished;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// A file that is locked while this lives, and removed then. A killed process leaves the file, but not the
/// lock.
#[derive(Debug)]
pub(crate) struct OutputLock {
    path: PathBuf,
    _listed: Unfinished,
    _file: File,
}

impl OutputLock {
    /// Locks; `None` where the file system knows no locks.
    ///
    /// # Errors
    /// When another run holds the lock of `target`; what the system reports.
    pub(crate) fn take(path: &Path, target: &Path) -> Result<Option<Self>> {
        loop {
            let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
            let file = file.map_err(|e| IoError::system(target, "write", e))?;
            match file.try_lock() {
                Ok(()) if is_still(&file, path) => {
                    let _listed = Unfinished::new(path);
                    return Ok(Some(OutputLock { path: path.to_path_buf(), _listed, _file: file }));
                }
                // The run that had it removed the file in between: the next try makes another.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(IoError::Busy { path: target.to_path_buf() });
                }
                Err(TryLockError::Error(_)) => {
                    let _ = fs::remove_file(path);
                    return Ok(None);
                }
            }
        }
    }
}

impl Drop for OutputLock {
    fn drop(&mut self) {
        // Before the lock is given up, so that nobody locks a file that is about to go.
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether the path still leads to this file.
#[cfg(unix)]
fn is_still(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), fs::metadata(path)) {
        (Ok(own), Ok(there)) => number(own) == number(there),
        _ => false,
    }
}

/// A locked file can't be removed here.
#[cfg(not(unix))]
fn is_still(_: &File, path: &Path) -> bool {
    path.exists()
}
