//! What `partwise-lab reproduce` wrote into a folder, so that it writes over its own files only. The list is
//! saved before a file is, so that a kill between the two leaves no file that isn't known.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use partwise_io::{sha256_hex, write_atomic};

/// Its name.
pub(super) const LIST: &str = ".partwise-files.json";

/// The files of a folder of results.
pub(super) struct Files {
    folder: PathBuf,
    /// The SHA-256 that each file may have: of the last content, and of the one before where a kill came
    /// between.
    written: BTreeMap<String, Vec<String>>,
    /// Whether the folder is of a version without a list, whose files are known by their names.
    by_name: bool,
}

impl Files {
    /// Reads the list; `has_results`: whether the folder holds results of an experiment.
    ///
    /// # Errors
    /// When a file that is to be written (`names` among others) is there and not as it was written; what the
    /// system reports.
    pub(super) fn open(folder: &Path, has_results: bool, names: &[&str]) -> Result<Self> {
        let path = folder.join(LIST);
        let mut files = Files {
            folder: folder.to_path_buf(),
            written: BTreeMap::new(),
            by_name: has_results && !path.exists(),
        };
        if has_results && path.exists() {
            let text = std::fs::read(&path).with_context(|| path.display().to_string())?;
            files.written = serde_json::from_slice(&text).with_context(|| {
                format!("{}: it was changed after Partwise had written it", path.display())
            })?;
        }
        let known: Vec<String> = files.written.keys().cloned().collect();
        for name in known.iter().map(String::as_str).chain(names.iter().copied()) {
            files.check(name)?;
        }
        Ok(files)
    }

    /// Refuses to write over what Partwise did not write.
    fn check(&self, name: &str) -> Result<()> {
        let path = self.folder.join(name);
        if std::fs::symlink_metadata(&path).is_err() || (self.by_name && path.is_file()) {
            return Ok(());
        }
        let advice = "move it away, or choose another folder with --out";
        let Some(known) = self.written.get(name) else {
            bail!("{}: it exists and Partwise did not write it; {advice}", path.display());
        };
        let content = std::fs::read(&path).with_context(|| path.display().to_string())?;
        if !known.contains(&sha256_hex(&content)) {
            bail!("{}: it was changed after Partwise had written it; {advice}", path.display());
        }
        Ok(())
    }

    /// Writes the list.
    pub(super) fn save(&self) -> Result<()> {
        let list = serde_json::to_string_pretty(&self.written)?;
        Ok(write_atomic(&self.folder.join(LIST), |writer| writer.write_all(list.as_bytes()))?)
    }

    /// Writes a file.
    ///
    /// # Errors
    /// As [`Files::open`].
    pub(super) fn put(&mut self, name: &str, text: &str) -> Result<()> {
        self.check(name)?;
        let path = self.folder.join(name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        let new = sha256_hex(text.as_bytes());
        let old = std::fs::read(&path).ok().map(|content| sha256_hex(&content));
        let known: Vec<String> = [Some(new), old].into_iter().flatten().collect();
        self.written.insert(name.to_string(), known);
        self.save()?;
        write_atomic(&path, |writer| writer.write_all(text.as_bytes()))?;
        Ok(())
    }
}
