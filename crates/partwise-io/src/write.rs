//! Atomic writes: a file gets a temporary name first, and is renamed when it is complete. Temporary names are
//! random, so that no two processes choose the same one, and what is unfinished when the process ends can be
//! removed.

use crate::error::{IoError, Place, Result};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::Builder;

/// Letters of a file's name that its temporary name repeats: names have a limit.
const REPEATED: usize = 80;

/// Writes a file under a temporary name in the same folder, makes it durable and renames it. An existing file
/// is replaced.
///
/// # Errors
/// What the system or `content` reports, with the path; nothing is left of the file then.
pub fn write_atomic(path: &Path, content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let prefix = format!(".{}.partial-", short_name(path)?);
    let write = || {
        let mut builder = Builder::new();
        builder.prefix(&prefix);
        // As any new file, not for its owner alone: what the user's mask leaves of it.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder_of(path))?;
        let _listed = Unfinished::new(file.path());
        let mut writer = BufWriter::with_capacity(1 << 16, file);
        content(&mut writer)?;
        let file = writer.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(path).map(drop).map_err(|error| error.error)
    };
    write().map_err(|error| IoError::system(path, "write", error))
}

/// The name of what a path leads to, cut to a length that leaves room for more.
pub(crate) fn short_name(path: &Path) -> Result<String> {
    let name = path.file_name().ok_or_else(|| {
        IoError::unsupported(path, Place::Whole, "this does not name a file or folder to write", &[])
    })?;
    Ok(name.to_string_lossy().chars().take(REPEATED).collect())
}

/// The folder that a path lies in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// What this process has begun to write and not finished.
static UNFINISHED: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    path: PathBuf,
    /// Whether all of it is ours; else it is a folder that goes only when it is empty.
    ours: bool,
}

fn unfinished() -> MutexGuard<'static, Vec<Entry>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file or folder in the list of unfinished ones, until this is dropped.
#[derive(Debug)]
pub(crate) struct Unfinished(Entry);

impl Unfinished {
    /// A file or folder of ours, with all that is in it.
    pub(crate) fn new(path: &Path) -> Self {
        Self::listed(path, true)
    }

    /// A folder that was made for what is to come, and may get other files meanwhile.
    pub(crate) fn parent(path: &Path) -> Self {
        Self::listed(path, false)
    }

    fn listed(path: &Path, ours: bool) -> Self {
        let entry = Entry { path: path.to_path_buf(), ours };
        unfinished().push(entry.clone());
        Unfinished(entry)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0.path
    }

    /// While the answer lives, [`discard_unfinished`] waits: for steps that must not be cut in two. Nothing
    /// may enter or leave the list meanwhile.
    pub(crate) fn hold() -> impl Sized {
        unfinished()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut all = unfinished();
        if let Some(at) = all.iter().rposition(|entry| *entry == self.0) {
            all.remove(at);
        }
    }
}

/// Removes whatever this process has begun to write and not finished, and returns whether there was anything:
/// for a program that ends at once, at a signal say. Nothing more should be written after that.
pub fn discard_unfinished() -> bool {
    let mut all = unfinished();
    let any = !all.is_empty();
    // The latest first, for it lies inside of others. There is nobody to report a fault to.
    while let Some(Entry { path, ours }) = all.pop() {
        let _ = match (path.is_dir(), ours) {
            (false, _) => std::fs::remove_file(&path),
            (true, true) => std::fs::remove_dir_all(&path),
            (true, false) => std::fs::remove_dir(&path),
        };
    }
    any
}
