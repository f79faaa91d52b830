//! Writing without leaving halves: files and folders get a temporary name beside their own and are renamed when
//! they are complete.

use crate::error::{IoError, Place, Result};
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a file under a temporary name in the same folder, makes it durable and renames it. An existing file is
/// replaced.
///
/// # Errors
/// What the system or `content` reports, with the path; nothing is left of the file then.
pub fn write_atomic(path: &Path, content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let temporary = beside(path, "partial")?;
    let write = || {
        let file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        let mut writer = BufWriter::with_capacity(1 << 16, file);
        content(&mut writer)?;
        let file = writer.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().map_err(|error| {
        // The first fault is the one to report; the file may not even exist.
        let _ = fs::remove_file(&temporary);
        IoError::system(path, "write", error)
    })
}

/// A name in the same folder that no other call uses: `.<name>.<kind>-<process>-<count>`.
fn beside(path: &Path, kind: &str) -> Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let Some(name) = path.file_name() else {
        return Err(IoError::unsupported(
            path,
            Place::Whole,
            "this does not name a file or folder to write",
            &[],
        ));
    };
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!(".{}.{kind}-{}-{count}", name.to_string_lossy(), std::process::id());
    Ok(path.with_file_name(name))
}

/// A file that every folder of results has. `--force` replaces only folders that have it, or that are empty.
pub const RESULT_MARK: &str = "run.json";

/// A folder of results in the making: it gets its name at [`OutputFolder::commit`]; when dropped before, it and the
/// parents that were made for it are removed.
#[derive(Debug)]
pub struct OutputFolder {
    target: PathBuf,
    temporary: PathBuf,
    replace: bool,
    made_parents: Vec<PathBuf>,
    committed: bool,
}

impl OutputFolder {
    /// Makes the folder under a temporary name beside `target`; missing parents are made, too.
    ///
    /// # Errors
    /// When `target` exists and `force` is false; when it exists, `force` is true, and it is not a folder of results
    /// (no [`RESULT_MARK`] and not empty); what the system reports.
    pub fn create(target: &Path, force: bool) -> Result<Self> {
        let replace = check_target(target, force)?;
        let temporary = beside(target, "partial")?;
        let mut folder = OutputFolder {
            target: target.to_path_buf(),
            temporary,
            replace,
            made_parents: Vec::new(),
            committed: false,
        };
        let parents: Vec<&Path> =
            target.ancestors().skip(1).take_while(|parent| !parent.as_os_str().is_empty()).collect();
        let missing: Vec<&Path> = parents.into_iter().take_while(|parent| !parent.exists()).collect();
        for parent in missing.into_iter().rev() {
            fs::create_dir(parent).map_err(|e| IoError::system(parent, "make the folder", e))?;
            folder.made_parents.push(parent.to_path_buf());
        }
        fs::create_dir(&folder.temporary).map_err(|e| IoError::system(target, "make the folder", e))?;
        Ok(folder)
    }

    /// The folder as it is now called, to write files in.
    pub fn path(&self) -> &Path {
        &self.temporary
    }

    /// The name that it will have.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Writes a file in the folder and makes it durable.
    ///
    /// # Errors
    /// What the system or `content` reports, with the path that the file would have had.
    pub fn write(
        &self,
        name: &str,
        content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<()> {
        write_atomic(&self.temporary.join(name), content).map_err(|error| match error {
            IoError::System { doing, source, .. } => IoError::system(&self.target.join(name), doing, source),
            other => other,
        })
    }

    /// Gives the folder its name. With `force`, what was there is removed after that, and stays when renaming fails.
    ///
    /// # Errors
    /// What the system reports; the folder is then removed.
    pub fn commit(mut self) -> Result<()> {
        let rename = |from: &Path, to: &Path| {
            fs::rename(from, to).map_err(|e| IoError::system(&self.target, "finish the folder", e))
        };
        let exists = fs::symlink_metadata(&self.target).is_ok();
        if exists && !self.replace {
            return Err(already(&self.target));
        }
        if exists {
            let old = beside(&self.target, "old")?;
            rename(&self.target, &old)?;
            if let Err(error) = rename(&self.temporary, &self.target) {
                rename(&old, &self.target)?;
                return Err(error);
            }
            self.committed = true;
            return remove(&old).map_err(|e| IoError::system(&old, "remove the replaced folder", e));
        }
        rename(&self.temporary, &self.target)?;
        self.committed = true;
        if let Some(Ok(parent)) = self.target.parent().map(File::open) {
            // Makes the rename durable where folders can be synchronized; the results are complete either way.
            let _ = parent.sync_all();
        }
        Ok(())
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        if self.committed {
            return;
        }
        // There is nobody to report a fault to; what can't be removed has a name that tells what it is.
        let _ = fs::remove_dir_all(&self.temporary);
        for parent in self.made_parents.iter().rev() {
            let _ = fs::remove_dir(parent);
        }
    }
}

/// Removes a folder, or only the link when it is one.
fn remove(path: &Path) -> std::io::Result<()> {
    if fs::symlink_metadata(path)?.file_type().is_symlink() {
        fs::remove_file(path)
    } else {
        fs::remove_dir_all(path)
    }
}

fn already(target: &Path) -> IoError {
    IoError::Exists {
        path: target.to_path_buf(),
        advice: "choose another folder, or replace it with --force".into(),
    }
}

/// Whether the target exists and may be replaced.
fn check_target(target: &Path, force: bool) -> Result<bool> {
    let Ok(metadata) = fs::metadata(target) else {
        return match fs::symlink_metadata(target) {
            Ok(_) if !force => Err(already(target)),
            Ok(_) => Ok(true),
            Err(_) => Ok(false),
        };
    };
    let refuse = |advice: &str| Err(IoError::Exists { path: target.to_path_buf(), advice: advice.into() });
    if !metadata.is_dir() {
        return refuse("it is a file; choose another name");
    }
    if !force {
        return Err(already(target));
    }
    let mut entries = fs::read_dir(target).map_err(|e| IoError::system(target, "list", e))?;
    if entries.next().is_some() && !target.join(RESULT_MARK).is_file() {
        return refuse("it is not a folder of results (it has no run.json), so --force does not replace it");
    }
    Ok(true)
}
