//! The checkpoint of a fit, a file beside the folder of its result.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use partwise_io::CheckpointFile;
use serde_json::{Map, Value};

use partwise_report::console::Verbosity;
use partwise_report::interrupt;

/// Beside the folder `out`, written every so many seconds, and at Ctrl-C. With `resumes` one that is there is
/// opened.
///
/// # Errors
/// When there is a checkpoint of another fit, or one that can't be read, or any without `resumes`.
pub(crate) fn open(
    out: &Path,
    description: Map<String, Value>,
    (seconds, resumes): (f64, bool),
    verbosity: Verbosity,
) -> Result<CheckpointFile> {
    let path = beside(out);
    if !resumes && path.exists() {
        bail!(
            "{}: there is a checkpoint of a fit that was stopped; --resume goes on from it (or remove it)",
            path.display()
        );
    }
    let report = move |message: String| verbosity.note(&message);
    let every = Duration::from_secs_f64(seconds);
    let file = CheckpointFile::open(&path, description, every, interrupt::requested, report)?;
    if resumes {
        let path = path.display();
        verbosity.say(&match file.resumes() {
            true => format!("resumed from {path}"),
            false => format!("no checkpoint {path}: the fit starts anew"),
        });
    }
    Ok(file)
}

/// `<folder of the result>.checkpoint`.
fn beside(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".checkpoint");
    name.into()
}
