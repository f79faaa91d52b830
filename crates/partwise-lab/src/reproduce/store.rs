//! The folder of an experiment's results: `draws.csv` grows by a unit at a time; `settings.json` says what
//! the units were run with.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::protocols::{Extent, Picture, Protocol, UnitId};
use crate::results::records::{self, Record};
use anyhow::{Context, Result, bail};
use partwise_io::write_atomic;
use serde_json::{Map, Value, json};

use super::files::Files;
use super::pictures;

/// Raw results.
pub(super) const DRAWS: &str = "draws.csv";
const SETTINGS: &str = "settings.json";
/// What is made of the results each time.
const MADE: &[&str] = &["table.md", "table.tex", "table.csv", super::page::FILE];
/// Grids of pictures.
pub(super) const PICTURES: &str = "pictures";

/// Results that are being added to.
pub(super) struct Store {
    folder: PathBuf,
    protocol: &'static Protocol,
    draws: File,
    finished: Vec<Record>,
    notices: Vec<String>,
    files: Files,
    /// Locked while this is alive, so that two runs don't write into one file.
    _lock: File,
}

impl Store {
    /// Opens a folder, or makes it.
    ///
    /// # Errors
    /// When it holds results with other settings, or another run is writing into it; what the system reports.
    pub(super) fn open(
        folder: &Path,
        protocol: &'static Protocol,
        extent: Extent,
        digests: &[(&'static str, String)],
    ) -> Result<Self> {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let data: Map<String, Value> =
            digests.iter().map(|(set, digest)| (set.to_string(), json!(digest))).collect();
        let settings = json!({
            "experiment": protocol.name,
            "revision": protocol.revision,
            "extent": extent.name(),
            "data_sha256": data,
        });
        let (path, draws_path) = (folder.join(SETTINGS), folder.join(DRAWS));
        let has_results = path.is_file();
        if has_results {
            same(&path, &settings)?;
        }
        let files = Files::open(folder, has_results, MADE)?;
        if !has_results && draws_path.exists() {
            bail!("{} has {DRAWS} but no {SETTINGS}; choose another folder with --out", folder.display());
        }
        if !has_results {
            files.save()?;
            write_atomic(&path, |writer| write!(writer, "{settings:#}"))?;
        }
        let lock = File::open(&path).with_context(|| path.display().to_string())?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!("{}: another run is writing into it", folder.display()),
            Err(TryLockError::Error(error)) => return Err(error).with_context(|| path.display().to_string()),
        }
        let mut notices = Vec::new();
        let finished = read(&draws_path, protocol, &mut notices)?;
        let draws = OpenOptions::new().append(true).open(&draws_path);
        let draws = draws.with_context(|| draws_path.display().to_string())?;
        Ok(Store { folder: folder.to_path_buf(), protocol, draws, finished, notices, files, _lock: lock })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// What should be said about the folder as it was found.
    pub(super) fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Every unit that is there.
    pub(super) fn finished(&self) -> &[Record] {
        &self.finished
    }

    pub(super) fn has(&self, id: &UnitId) -> bool {
        self.finished.iter().any(|record| record.id == *id)
    }

    /// Adds a unit, at once.
    pub(super) fn append(&mut self, record: Record) -> Result<()> {
        let lines = records::lines(&record)?;
        let write = |file: &mut File| file.write_all(lines.as_bytes()).and_then(|()| file.flush());
        write(&mut self.draws).with_context(|| self.folder.join(DRAWS).display().to_string())?;
        self.finished.push(record);
        Ok(())
    }

    /// Writes a grid of pictures.
    pub(super) fn add_picture(&mut self, picture: &Picture) -> Result<()> {
        self.put(&format!("{PICTURES}/{}.svg", picture.name), &pictures::grid(picture))
    }

    /// Writes a file that is made of the results.
    pub(super) fn put(&mut self, name: &str, text: &str) -> Result<()> {
        self.files.put(name, text)
    }

    /// Puts the units in the order of the experiment, which does not depend on threads or interruptions.
    pub(super) fn sort(&mut self, extent: Extent) -> Result<()> {
        let draws = self.finished.iter().map(|record| record.id.draw + 1).max().unwrap_or(0);
        let units =
            self.protocol.units(&(self.protocol.cases)(extent), draws, &self.protocol.groups_named(&[])?);
        self.finished = records::in_order(&self.finished, &units);
        let mut text = records::HEADER.to_string();
        for record in &self.finished {
            text.push_str(&records::lines(record)?);
        }
        write_atomic(&self.folder.join(DRAWS), |writer| writer.write_all(text.as_bytes()))?;
        Ok(())
    }
}

/// Refuses a folder whose results were made otherwise, with what differs and what to do.
fn same(path: &Path, settings: &Value) -> Result<()> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let found: Value = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    let Some(wanted) = settings.as_object() else { return Ok(()) };
    if !found["experiment"].is_string() || !found["revision"].is_u64() {
        bail!(
            "{}: `partwise-lab reproduce` did not write it; choose another folder with --out",
            path.display()
        );
    }
    for (name, value) in wanted {
        if found[name] != *value {
            bail!(
                "{}: the results in this folder have {name} {}, but now it is {value}; choose another folder with --out, or delete this one to start anew",
                path.display(),
                found[name]
            );
        }
    }
    Ok(())
}

/// The finished units; what a kill has torn is cut off the file.
fn read(path: &Path, protocol: &Protocol, notices: &mut Vec<String>) -> Result<Vec<Record>> {
    let text = if path.is_file() {
        std::fs::read_to_string(path).with_context(|| path.display().to_string())?
    } else {
        String::new()
    };
    let found = records::parse(&text, protocol).with_context(|| path.display().to_string())?;
    if found.torn > 0 {
        notices.push(format!(
            "{}: the last unit was not written whole ({} lines); it is run again",
            path.display(),
            found.torn
        ));
    }
    if found.torn > 0 || !text.starts_with(records::HEADER) {
        let mut whole = records::HEADER.to_string();
        for record in &found.finished {
            whole.push_str(&records::lines(record)?);
        }
        write_atomic(path, |writer| writer.write_all(whole.as_bytes()))?;
    }
    Ok(found.finished)
}
