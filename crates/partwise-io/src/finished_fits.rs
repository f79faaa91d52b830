//! [`PieceFolder`]: the finished pieces of long work in a folder, so that work that was killed goes on.
//!
//! ```text
//! header.json      what the pieces are of: data, settings, version; written when the folder is made
//! KEY.piece        SHA-256 of the header (32 bytes), SHA-256 of the content (32 bytes), content
//! README.txt       for whoever finds the folder
//! ```
//!
//! A piece is written under a temporary name and renamed, so a kill leaves whole pieces only. It is not
//! forced to the disk, which would cost more than a small fit: a piece that a power failure damaged does not
//! have its SHA-256, counts as missing, and is computed again.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use partwise::recipes::FinishedPieces;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::error::{IoError, Result};
use crate::write::{folder_of, write_atomic};

const HEADER: &str = "header.json";
const ENDING: &str = "piece";
/// Bytes of a SHA-256.
const HASH: usize = 32;
/// The version of this layout.
const LAYOUT: u64 = 1;
const README: &str = "The finished fits of a run of Partwise that has not ended. The same command goes on from \
    here, and removes this folder when it is done. Delete the folder to start anew.\n";

/// A folder of finished pieces of one kind of work, on the same data with the same settings.
#[derive(Debug)]
pub struct PieceFolder {
    folder: PathBuf,
    header: [u8; HASH],
    found: usize,
}

impl PieceFolder {
    /// The folder of the work whose result is to be the folder `target`: beside it, as `target-unfinished`.
    pub fn path_for(target: &Path) -> PathBuf {
        let mut name = target.file_name().unwrap_or_default().to_os_string();
        name.push("-unfinished");
        folder_of(target).join(name)
    }

    /// Opens the folder for work that `run` describes, an object of JSON: all that changes its pieces, with a
    /// hash of the data. Makes the folder if it is missing. `replace`: pieces of another run are removed.
    ///
    /// # Errors
    /// When it holds pieces of another run and `replace` is false, with the entries of `run` that differ;
    /// when it is not a folder of pieces; what the system reports.
    pub fn open(folder: &Path, run: &Map<String, Value>, replace: bool) -> Result<Self> {
        let header =
            json!({ "partwise_finished_pieces": LAYOUT, "partwise": env!("CARGO_PKG_VERSION"), "run": run });
        let text = format!("{header:#}\n");
        let path = folder.join(HEADER);
        match fs::read(&path) {
            Ok(there) if there == text.as_bytes() => {}
            Ok(there) => {
                let other: Value = serde_json::from_slice(&there).unwrap_or_default();
                if other.get("partwise_finished_pieces").is_none() {
                    return Err(not_ours(folder));
                }
                if !replace {
                    return Err(of_another_run(folder, &differences(&other, &header)));
                }
                fs::remove_dir_all(folder).map_err(|e| IoError::system(folder, "remove", e))?;
                start(folder, &text)?;
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => start(folder, &text)?,
            Err(e) => return Err(IoError::system(&path, "read", e)),
        }
        let entries = fs::read_dir(folder).map_err(|e| IoError::system(folder, "list", e))?;
        let is_piece = |entry: &fs::DirEntry| entry.path().extension().is_some_and(|end| end == ENDING);
        let found = entries.flatten().filter(is_piece).count();
        Ok(PieceFolder { folder: folder.into(), header: Sha256::digest(text).into(), found })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// How many pieces were there when it was opened.
    pub fn found(&self) -> usize {
        self.found
    }

    /// Removes the folder: the work is done.
    ///
    /// # Errors
    /// What the system reports.
    pub fn remove(self) -> Result<()> {
        fs::remove_dir_all(&self.folder).map_err(|e| IoError::system(&self.folder, "remove", e))
    }

    fn place(&self, key: &str) -> PathBuf {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        assert!(!key.is_empty() && key.bytes().all(plain), "\"{key}\" is no key of a piece");
        self.folder.join(format!("{key}.{ENDING}"))
    }
}

impl FinishedPieces for PieceFolder {
    fn find(&self, key: &str) -> partwise::Result<Option<Vec<u8>>> {
        let path = self.place(key);
        let mut bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(fault(&IoError::system(&path, "read", e))),
        };
        let whole = bytes.len() >= 2 * HASH
            && bytes[..HASH] == self.header
            && bytes[HASH..2 * HASH] == *Sha256::digest(&bytes[2 * HASH..]);
        bytes.drain(..(2 * HASH).min(bytes.len()));
        Ok(whole.then_some(bytes))
    }

    fn keep(&self, key: &str, piece: &[u8]) -> partwise::Result<()> {
        let path = self.place(key);
        let write = || {
            let mut file = tempfile::Builder::new().prefix(".partial-").tempfile_in(&self.folder)?;
            file.write_all(&self.header)?;
            file.write_all(&Sha256::digest(piece))?;
            file.write_all(piece)?;
            file.persist(&path).map(drop).map_err(|error| error.error)
        };
        write().map_err(|e| fault(&IoError::system(&path, "write", e)))
    }
}

/// Makes an empty folder of pieces. A kill may have left one with an unfinished header.
fn start(folder: &Path, header: &str) -> Result<()> {
    let unfinished = format!(".{HEADER}.");
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_name().to_string_lossy().starts_with(&unfinished) {
            return Err(not_ours(folder));
        }
        fs::remove_file(entry.path()).map_err(|e| IoError::system(&entry.path(), "remove", e))?;
    }
    if folder.is_file() {
        return Err(not_ours(folder));
    }
    fs::create_dir_all(folder).map_err(|e| IoError::system(folder, "make the folder", e))?;
    // The header first: without it the folder would not be known again.
    write_atomic(&folder.join(HEADER), |w| w.write_all(header.as_bytes()))?;
    write_atomic(&folder.join("README.txt"), |w| w.write_all(README.as_bytes()))
}

fn not_ours(folder: &Path) -> IoError {
    let advice = "finished fits would be kept here, but it holds other files; move it away, or choose another \
        output folder";
    IoError::Exists { path: folder.into(), advice: advice.into() }
}

fn of_another_run(folder: &Path, differences: &[String]) -> IoError {
    let advice = format!(
        "it holds finished fits of another run ({}); to go on with that one, repeat it as it was; otherwise \
        delete this folder or choose another one (on the command line: --force replaces it)",
        differences.join(", ")
    );
    IoError::Exists { path: folder.into(), advice }
}

fn fault(error: &IoError) -> partwise::Error {
    partwise::Error::FinishedPieces(error.to_string())
}

/// The entries that differ, as "seed: 0 there, 1 here".
fn differences(there: &Value, here: &Value) -> Vec<String> {
    let mut out = Vec::new();
    collect(there, here, "", &mut out);
    out
}

fn collect(there: &Value, here: &Value, name: &str, out: &mut Vec<String>) {
    if let (Value::Object(one), Value::Object(other)) = (there, here) {
        let added = other.keys().filter(|key| !one.contains_key(*key));
        for key in one.keys().chain(added) {
            collect(&there[key], &here[key], key, out);
        }
    } else if there != here {
        let short = |value: &Value| match value {
            Value::Null => "none".to_string(),
            Value::String(text) if text.chars().count() > 24 => {
                format!("{}…", text.chars().take(12).collect::<String>())
            }
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        out.push(format!("{name}: {} there, {} here", short(there), short(here)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(seed: u64) -> Map<String, Value> {
        let Value::Object(run) = json!({ "data": { "sha256": "ab" }, "settings": { "seed": seed } }) else {
            unreachable!("it is an object")
        };
        run
    }

    #[test]
    fn pieces_outlive_the_folders_owner_and_go_with_the_work() {
        let home = tempfile::tempdir().expect("a folder");
        let path = PieceFolder::path_for(&home.path().join("parents").join("result"));
        let folder = PieceFolder::open(&path, &run(0), false).expect("made");
        assert_eq!((folder.found(), folder.find("k2-restart0")), (0, Ok(None)));
        folder.keep("k2-restart0", b"a fit").expect("kept");
        drop(folder);
        let folder = PieceFolder::open(&path, &run(0), false).expect("the same run");
        assert_eq!((folder.found(), folder.find("k2-restart0")), (1, Ok(Some(b"a fit".to_vec()))));
        folder.remove().expect("removed");
        assert!(!path.exists());
    }

    #[test]
    fn pieces_of_another_run_are_refused_with_what_differs_unless_they_are_replaced() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("kept");
        PieceFolder::open(&path, &run(0), false).expect("made").keep("a", b"old").expect("kept");
        let message = PieceFolder::open(&path, &run(1), false).expect_err("another seed").to_string();
        assert!(message.contains("another run (seed: 0 there, 1 here)"), "{message}");
        let folder = PieceFolder::open(&path, &run(1), true).expect("replaced");
        assert_eq!((folder.found(), folder.find("a")), (0, Ok(None)));
    }

    #[test]
    fn a_folder_with_other_files_is_left_alone() {
        let home = tempfile::tempdir().expect("a folder");
        for (name, text) in [("notes.txt", "mine"), (HEADER, "{}")] {
            let path = home.path().join(name.replace('.', "-"));
            fs::create_dir(&path).expect("made");
            fs::write(path.join(name), text).expect("written");
            let message = PieceFolder::open(&path, &run(0), true).expect_err("not ours").to_string();
            assert!(message.contains("holds other files"), "{message}");
            assert_eq!(fs::read_to_string(path.join(name)).expect("still there"), text);
        }
    }

    #[test]
    fn a_folder_without_a_whole_header_is_begun_again() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("kept");
        fs::create_dir(&path).expect("made");
        fs::write(path.join(".header.json.partial-abc"), "{").expect("written");
        assert_eq!(PieceFolder::open(&path, &run(0), false).expect("begun").found(), 0);
        assert!(!path.join(".header.json.partial-abc").exists() && path.join(HEADER).is_file());
    }

    #[test]
    fn a_damaged_piece_counts_as_missing() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("kept");
        let folder = PieceFolder::open(&path, &run(0), false).expect("made");
        folder.keep("a", b"a fit").expect("kept");
        let file = path.join("a.piece");
        let whole = fs::read(&file).expect("a file");
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&file, &damaged).expect("written");
            assert_eq!(folder.find("a"), Ok(None), "byte {at}");
            fs::write(&file, &whole[..at]).expect("written");
            assert_eq!(folder.find("a"), Ok(None), "cut at {at}");
        }
        fs::write(&file, &whole).expect("written");
        assert_eq!(folder.find("a"), Ok(Some(b"a fit".to_vec())));
    }
}
