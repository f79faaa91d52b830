//! [`OutputFolder`]: a folder of results that is written whole or not at all, and that replaces only what
//! Partwise wrote.
//!
//! The files are gathered in a folder of their own with a random name. A new target then gets its name by one
//! rename. In a target that exists (a mount point may be one) the files are moved to their places, and what
//! the earlier result had beyond them is removed; a journal says what is to be moved, so that the next run
//! finishes what a kill cut in two. Nothing else in the target is touched.

use crate::error::{IoError, Place, Result};
use crate::hash::{Hashing, sha256_of_file};
use crate::output_lock::OutputLock;
use crate::result_files::{self, Listed, RESULT_MARK, There, Written};
use crate::write::{Unfinished, folder_of, short_name};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// How the names of gathering folders begin.
const PREFIX: &str = "partwise-";
/// Letters of chance in them.
const RANDOM: usize = 12;
/// A file in each, by which it is known again.
const SIGN: &str = "unfinished-result-of-partwise";
/// The files, in a gathering folder.
const RESULT: &str = "result";
/// What is to be done in the target, in a gathering folder.
const JOURNAL: &str = "journal.json";

/// A folder of results in the making: it gets its name at [`OutputFolder::finish`]; when dropped before, it
/// and the parents that were made for it are removed. While it lives, no other process can make the same
/// folder.
#[derive(Debug)]
pub struct OutputFolder {
    target: PathBuf,
    gathering: PathBuf,
    /// Whether the target was there at the beginning.
    replaces: bool,
    files: Mutex<BTreeMap<String, Written>>,
    made_parents: Vec<Unfinished>,
    keep: bool,
    lock: Option<OutputLock>,
    _listed: Unfinished,
}

impl OutputFolder {
    /// As [`OutputFolder::for_files`] for files whose names are known only at the end.
    ///
    /// # Errors
    /// As [`OutputFolder::for_files`].
    pub fn create(target: &Path, force: bool) -> Result<Self> {
        OutputFolder::for_files(target, force, &[])
    }

    /// Takes hold of `target` for the files `names`; missing parents are made, too. What an earlier run left
    /// unfinished there is finished or removed.
    ///
    /// # Errors
    /// When `target` exists and `force` is false; when it exists, `force` is true, and it is neither empty
    /// nor a folder of results, or files that would be replaced are not as Partwise wrote them; when another
    /// process is writing into it; what the system reports.
    pub fn for_files(target: &Path, force: bool, names: &[&str]) -> Result<Self> {
        let mut made_parents = Vec::new();
        let made = Self::take(target, force, names, &mut made_parents);
        if made.is_err() {
            remove_empty(&made_parents);
        }
        made
    }

    /// As [`OutputFolder::for_files`] without force, for the first of `targets` that is neither there nor
    /// being written by another run.
    ///
    /// # Errors
    /// As [`OutputFolder::for_files`]; for `targets` that are all taken, that of the last.
    pub fn in_first_free(targets: impl IntoIterator<Item = PathBuf>, names: &[&str]) -> Result<Self> {
        let mut last = IoError::Exists { path: PathBuf::new(), advice: "choose another folder".into() };
        for target in targets {
            match OutputFolder::for_files(&target, false, names) {
                Err(error @ (IoError::Exists { .. } | IoError::Busy { .. })) => last = error,
                other => return other,
            }
        }
        Err(last)
    }

    fn take(target: &Path, force: bool, names: &[&str], made_parents: &mut Vec<Unfinished>) -> Result<Self> {
        let replaces = is_replaced(target, force)?;
        let (home, hidden) = if replaces {
            (target.to_path_buf(), ".".to_string())
        } else {
            make_parents(target, made_parents)?;
            (folder_of(target).to_path_buf(), format!(".{}.", short_name(target)?))
        };
        let lock = OutputLock::take(&home.join(format!("{hidden}{PREFIX}lock")), target)?;
        // Another run may have made the folder, or cleared it, before the lock was ours.
        if is_replaced(target, force)? != replaces {
            return Err(already(target));
        }
        if lock.is_some() {
            settle_leftovers(&home, &hidden, target)?;
        }
        if replaces {
            result_files::check_replaceable(target, &earlier(target)?, names)?;
        }
        let cannot = |e| IoError::system(target, "make the folder", e);
        let mut builder = tempfile::Builder::new();
        let prefix = format!("{hidden}{PREFIX}");
        builder.prefix(&prefix).rand_bytes(RANDOM);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        let gathering = builder.tempdir_in(&home).map_err(cannot)?.keep();
        let folder = OutputFolder {
            target: target.to_path_buf(),
            _listed: Unfinished::new(&gathering),
            gathering,
            replaces,
            files: Mutex::default(),
            made_parents: std::mem::take(made_parents),
            keep: false,
            lock,
        };
        fs::write(
            folder.gathering.join(SIGN),
            "A run of Partwise that was interrupted left this file; the next run removes it.\n",
        )
        .and_then(|()| fs::create_dir(folder.path()))
        .map_err(cannot)?;
        Ok(folder)
    }

    /// The folder as it is now called, to write files in.
    pub fn path(&self) -> PathBuf {
        self.gathering.join(RESULT)
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
        let mut content = Some(content);
        self.write_file(name, &mut |writer| content.take().map_or(Ok(()), |content| content(writer)))
    }

    /// [`OutputFolder::write`], compiled once for all contents.
    fn write_file(
        &self,
        name: &str,
        content: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<()> {
        let path = self.path().join(name);
        let mut write = || {
            let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
            let mut writer = Hashing::new(BufWriter::with_capacity(1 << 16, file));
            content(&mut writer)?;
            let (writer, bytes, sha256) = writer.finish();
            writer.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
            Ok(Written { bytes, sha256 })
        };
        let written = write().map_err(|error| {
            // The first fault is the one to report; the file may not even exist.
            let _ = fs::remove_file(&path);
            IoError::system(&self.target.join(name), "write", error)
        })?;
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.insert(name.to_string(), written);
        Ok(())
    }

    /// Adds to `record` the list of the files, writes it as [`RESULT_MARK`], and gives the folder its name.
    /// Returns the record.
    ///
    /// # Errors
    /// As [`OutputFolder::commit`].
    pub fn finish(self, mut record: Map<String, Value>) -> Result<Value> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner).clone();
        result_files::add_list(&mut record, &files);
        let record = Value::Object(record);
        self.write(RESULT_MARK, |w| writeln!(w, "{record:#}"))?;
        self.commit()?;
        Ok(record)
    }

    /// Gives the folder its name, without a record: no later run replaces such a folder, unless it is empty.
    ///
    /// # Errors
    /// When the target has appeared meanwhile, or its files have changed; what the system reports. The folder
    /// is then removed, and the target is as it was.
    pub fn commit(mut self) -> Result<()> {
        if self.replaces {
            return self.commit_into();
        }
        if fs::symlink_metadata(&self.target).is_ok() {
            return Err(already(&self.target));
        }
        let whole = Unfinished::hold();
        let renamed = fs::rename(self.path(), &self.target);
        drop(whole);
        renamed.map_err(|e| match e.kind() {
            std::io::ErrorKind::DirectoryNotEmpty | std::io::ErrorKind::AlreadyExists => {
                already(&self.target)
            }
            _ => IoError::system(&self.target, "finish the folder", e),
        })?;
        self.made_parents.clear();
        sync(folder_of(&self.target));
        Ok(())
    }

    /// Moves the files into the target, and removes those that the earlier result had beyond them.
    fn commit_into(&mut self) -> Result<()> {
        let entries = fs::read_dir(self.path()).map_err(|e| IoError::system(&self.target, "list", e))?;
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|e| IoError::system(&self.target, "list", e))?;
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
        let earlier = earlier(&self.target)?;
        let plain: Vec<&str> = names.iter().map(String::as_str).collect();
        result_files::check_replaceable(&self.target, &earlier, &plain)?;
        let mut journal = Map::new();
        for name in names.iter().chain(earlier.keys()).map(String::as_str).chain([RESULT_MARK]) {
            let before = match result_files::there(&self.target.join(name))? {
                There::Nothing => Value::Null,
                There::File(file) => json!(file.sha256),
                There::Other => return Err(in_the_way(&self.target.join(name))),
            };
            journal.insert(name.to_string(), before);
        }
        let cannot = |e| IoError::system(&self.target, "finish the folder", e);
        crate::write::write_atomic(&self.gathering.join(JOURNAL), |w| {
            write!(w, "{}", Value::Object(journal.clone()))
        })
        .map_err(|error| match error {
            IoError::System { source, .. } => cannot(source),
            other => other,
        })?;
        let whole = Unfinished::hold();
        // From here on the next run can finish what this one doesn't.
        self.keep = true;
        let settled = settle(&self.gathering, &self.target, &journal);
        drop(whole);
        settled.map_err(cannot)?;
        self.keep = false;
        Ok(())
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        if self.keep {
            return;
        }
        // There is nobody to report a fault to; the next run tries again.
        let _ = fs::remove_dir_all(&self.gathering);
        // Its file lies in the last of the parents.
        self.lock = None;
        remove_empty(&self.made_parents);
    }
}

/// Does what a journal says: moves each file that is still to be moved, removes those that the new result
/// doesn't have, the record last. Whatever in the target is not as the journal saw it stays.
fn settle(gathering: &Path, target: &Path, journal: &Map<String, Value>) -> std::io::Result<()> {
    let record = journal.iter().filter(|(name, _)| *name == RESULT_MARK);
    let files = journal.iter().filter(|(name, _)| result_files::is_plain(name));
    for (name, before) in files.chain(record) {
        let (new, old) = (gathering.join(RESULT).join(name), target.join(name));
        let metadata = fs::symlink_metadata(&old);
        let as_before = match (&metadata, before.as_str()) {
            (Err(_), None) => true,
            (Ok(metadata), Some(sha256)) => metadata.is_file() && sha256_of_file(&old)? == sha256,
            _ => false,
        };
        if !as_before {
            continue;
        }
        if new.is_file() {
            fs::rename(&new, &old)?;
        } else if metadata.is_ok() {
            fs::remove_file(&old)?;
        }
    }
    sync(target);
    Ok(())
}

/// Finishes or removes what earlier runs into the same target left. The caller holds the lock, so none of
/// them is at work.
fn settle_leftovers(home: &Path, hidden: &str, target: &Path) -> Result<()> {
    let cannot = |e| IoError::system(home, "list", e);
    let prefix = format!("{hidden}{PREFIX}");
    for entry in fs::read_dir(home).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let name = entry.file_name();
        let rest = name.to_str().and_then(|name| name.strip_prefix(&prefix));
        let random = |rest: &str| rest.len() == RANDOM && rest.bytes().all(|b| b.is_ascii_alphanumeric());
        let folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !folder || !rest.is_some_and(random) {
            continue;
        }
        let path = entry.path();
        if !path.join(SIGN).is_file() {
            // Of a run that ended before it had signed the folder; one with anything else in it is not ours.
            let _ = fs::remove_dir(&path);
            continue;
        }
        let journal = fs::read(path.join(JOURNAL)).ok().and_then(|text| serde_json::from_slice(&text).ok());
        if let Some(journal) = journal {
            settle(&path, target, &journal).map_err(|e| IoError::system(target, "finish the folder", e))?;
        }
        let _ = fs::remove_dir_all(&path);
    }
    Ok(())
}

/// The files of the result that the target holds, none when it is empty.
fn earlier(target: &Path) -> Result<Listed> {
    if let Some(listed) = result_files::listed(target)? {
        return Ok(listed);
    }
    let entries = fs::read_dir(target).map_err(|e| IoError::system(target, "list", e))?;
    let ours = format!(".{PREFIX}");
    let others = entries.flatten().any(|entry| !entry.file_name().to_string_lossy().starts_with(&ours));
    if !others {
        return Ok(Listed::new());
    }
    let why = match target.join(RESULT_MARK).exists() {
        true => "its run.json was not written by Partwise",
        false => "it has no run.json",
    };
    let advice = format!("it is not a folder of results ({why}), so --force does not replace it");
    Err(IoError::Exists { path: target.to_path_buf(), advice })
}

/// Whether the target is there and is to be written into.
fn is_replaced(target: &Path, force: bool) -> Result<bool> {
    let refuse = |advice: &str| Err(IoError::Exists { path: target.to_path_buf(), advice: advice.into() });
    match fs::metadata(target) {
        Ok(metadata) if !metadata.is_dir() => refuse("it is a file; choose another name"),
        Ok(_) if !force => Err(already(target)),
        // What was cut short is finished first; then the target is looked at.
        Ok(_) if has_leftovers(target) => Ok(true),
        Ok(_) => earlier(target).map(|_| true),
        Err(_) if fs::symlink_metadata(target).is_ok() => refuse("it is a broken link; choose another name"),
        Err(_) => short_name(target).map(|_| false),
    }
}

/// Whether a run that was cut short, or one at work, has its files in the target.
fn has_leftovers(target: &Path) -> bool {
    let gathers = |entry: fs::DirEntry| {
        let name = entry.file_name();
        name.to_string_lossy().starts_with(&format!(".{PREFIX}")) && entry.path().join(SIGN).is_file()
    };
    fs::read_dir(target).is_ok_and(|entries| entries.flatten().any(gathers))
}

fn already(target: &Path) -> IoError {
    IoError::Exists {
        path: target.to_path_buf(),
        advice: "choose another folder, or replace it with --force".into(),
    }
}

fn in_the_way(path: &Path) -> IoError {
    IoError::unsupported(
        path,
        Place::Whole,
        "Partwise must write a file here, but something that is not a file has this name",
        &[],
    )
}

fn make_parents(target: &Path, made: &mut Vec<Unfinished>) -> Result<()> {
    let parents = target.ancestors().skip(1).take_while(|parent| !parent.as_os_str().is_empty());
    let missing: Vec<&Path> = parents.take_while(|parent| !parent.exists()).collect();
    for parent in missing.into_iter().rev() {
        match fs::create_dir(parent) {
            Ok(()) => made.push(Unfinished::parent(parent)),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && parent.is_dir() => {}
            Err(error) => return Err(IoError::system(parent, "make the folder", error)),
        }
    }
    Ok(())
}

fn remove_empty(parents: &[Unfinished]) {
    for parent in parents.iter().rev() {
        let _ = fs::remove_dir(parent.path());
    }
}

/// Makes renames durable where folders can be synchronized; the results are complete either way.
fn sync(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
