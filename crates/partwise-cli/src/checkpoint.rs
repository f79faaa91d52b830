//! Checkpoints of a fit as a file beside the folder of its result.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use partwise::blocks::Checkpoints;
use partwise_io::{open_checkpoint, write_checkpoint};
use serde_json::{Map, Value};

use partwise_report::console::Verbosity;
use partwise_report::interrupt;

/// The file of a fit, and when it is written.
pub(crate) struct CheckpointFile {
    path: PathBuf,
    description: Map<String, Value>,
    every: Duration,
    last: Instant,
    state: Option<Box<dyn Read>>,
    verbosity: Verbosity,
    /// Whether a fault was reported already.
    reported: bool,
}

impl CheckpointFile {
    /// Beside the folder `out`, written every so many seconds. With `resumes` one that is there is opened.
    ///
    /// # Errors
    /// When there is a checkpoint of another fit, or one that can't be read, or any without `resumes`.
    pub(crate) fn open(
        out: &Path,
        description: Map<String, Value>,
        (seconds, resumes): (f64, bool),
        verbosity: Verbosity,
    ) -> Result<Self> {
        let path = beside(out);
        let mut state = None;
        if resumes {
            match open_checkpoint(&path)? {
                None => {
                    verbosity.say(&format!("no checkpoint {}: the fit starts anew", path.display()));
                }
                Some((of, found)) => {
                    check_same(&path, &of, &description)?;
                    verbosity.say(&format!("resumed from {}", path.display()));
                    state = Some(found);
                }
            }
        } else if path.exists() {
            bail!(
                "{}: there is a checkpoint of a fit that was stopped; --resume goes on from it (or remove it)",
                path.display()
            );
        }
        let (every, last) = (Duration::from_secs_f64(seconds), Instant::now());
        Ok(CheckpointFile { path, description, every, last, state, verbosity, reported: false })
    }

    /// The fit is done and written: its checkpoint is not needed any more.
    pub(crate) fn remove(&self) {
        // One that stays does no harm: the next run names it.
        let _ = std::fs::remove_file(&self.path);
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// `<folder of the result>.checkpoint`.
fn beside(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".checkpoint");
    name.into()
}

/// Refuses the checkpoint of another fit, and says in what it differs.
fn check_same(path: &Path, of: &Map<String, Value>, now: &Map<String, Value>) -> Result<()> {
    let short = |value: Option<&Value>| {
        let text = value.map_or("none".to_string(), |value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        if text.chars().count() > 40 {
            format!("{}…", text.chars().take(12).collect::<String>())
        } else {
            text
        }
    };
    let differing: Vec<String> = now
        .keys()
        .filter(|key| of.get(*key) != now.get(*key))
        .map(|key| format!("{key} {} (now {})", short(of.get(key)), short(now.get(key))))
        .collect();
    if differing.is_empty() {
        return Ok(());
    }
    bail!("{}: this checkpoint is of another fit: {}", path.display(), differing.join(", "))
}

impl Checkpoints for CheckpointFile {
    fn resume(&mut self) -> Option<Box<dyn Read>> {
        self.state.take()
    }

    fn is_due(&mut self) -> bool {
        interrupt::requested() || self.last.elapsed() >= self.every
    }

    fn save(&mut self, _: usize, write: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>) {
        match write_checkpoint(&self.path, &self.description, write) {
            Ok(()) => self.reported = false,
            Err(error) if !self.reported => {
                self.reported = true;
                self.verbosity.note(&format!("no checkpoint could be written; the fit goes on: {error}"));
            }
            Err(_) => {}
        }
        self.last = Instant::now();
    }
}
