//! Checkpoints of a fit as a file beside the folder of its result.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use partwise::Real;
use partwise::blocks::Checkpoints;
use partwise_io::{open_checkpoint, scaling_json, sha256_hex, write_checkpoint};
use serde_json::{Map, Value, json};

use crate::job::Job;
use crate::request::FitRequest;
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
    /// Where checkpoints are asked for; with --resume opened, if there is one.
    ///
    /// # Errors
    /// When there is a checkpoint of another fit, or one that can't be read.
    pub(crate) fn of<T: Real>(request: &FitRequest, job: &Job<'_, T>) -> Result<Option<Self>> {
        let Some(seconds) = request.long.checkpoint else { return Ok(None) };
        let (path, verbosity) = (beside(&request.write.out), request.write.verbosity());
        let description = description(request, job)?;
        let mut state = None;
        if request.long.resume {
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
        Ok(Some(CheckpointFile { path, description, every, last, state, verbosity, reported: false }))
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

/// Everything that the numbers of a fit depend on. Limits (iterations, time, threads, memory) may change when
/// it is resumed.
fn description<T: Real>(request: &FitRequest, job: &Job<'_, T>) -> Result<Map<String, Value>> {
    let (settings, source) = (&job.settings, job.source);
    let guidance = sha256_hex(&serde_json::to_vec(job.model.guidance())?);
    let document = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "data": source.sha256,
        "key": source.key,
        "layer": source.layer,
        "samples": source.rows,
        "features": source.columns,
        "in blocks": job.data.blocks().is_some(),
        "number type": T::NAME,
        "scaling": scaling_json(job.scaling),
        "method": job.model.spec().name,
        "loss": job.model.loss().name(),
        "options": format!("{:?}", job.model.options()),
        "guidance": guidance,
        "rank": settings.rank,
        "seed": settings.seed,
        "solver": format!("{:?}", settings.solver),
        "inner steps": settings.inner_steps,
        "acceleration": settings.acceleration.name(),
        "start": settings.init.name(),
        "start from": request.start.as_ref().map(|path| path.display().to_string()),
        "first factor": format!("{:?}", settings.first),
        "tolerance": settings.tolerance,
        "l1": [settings.l1.0, settings.l1.1],
        "l2": [settings.l2.0, settings.l2.1],
    });
    let Value::Object(map) = document else { unreachable!("a description is an object") };
    Ok(map)
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
