//! Files of checkpoints: what fit they are of, and its state, with a checksum at the end. A file is written
//! under a temporary name and then renamed, so that there is always a whole one.

use crate::error::{IoError, Place, Result};
use crate::hash::sha256_hex;
use crate::write::write_atomic;
use partwise::blocks::Checkpoints;
use partwise::{Init, Model, Real, Settings};
use serde_json::{Map, Value, json};
use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The first bytes of a file.
const MAGIC: [u8; 8] = *b"PWCHECK\x01";
/// The most bytes that the description of a fit may have.
const DESCRIPTION: u64 = 1 << 20;

/// Writes a checkpoint in place of an earlier one: `description` says which fit it is of, `state` writes its
/// state.
///
/// # Errors
/// What the system reports; an earlier checkpoint is then still there.
pub(crate) fn write_checkpoint(
    path: &Path,
    description: &Map<String, Value>,
    state: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    let description = Value::Object(description.clone()).to_string();
    write_atomic(path, |out| {
        let mut out = Checked { inner: out, sum: crc32fast::Hasher::new() };
        out.write_all(&MAGIC)?;
        out.write_all(&(description.len() as u64).to_le_bytes())?;
        out.write_all(description.as_bytes())?;
        state(&mut out)?;
        let sum = out.sum.finalize();
        out.inner.write_all(&sum.to_le_bytes())
    })
}

/// A checkpoint that is open: the description of its fit, and its state to read.
pub(crate) type OpenCheckpoint = (Map<String, Value>, Box<dyn Read + Send>);

/// Opens a checkpoint. `None` where there is no such file.
///
/// # Errors
/// When it can't be read, is no checkpoint, or its checksum is wrong.
pub(crate) fn open_checkpoint(path: &Path) -> Result<Option<OpenCheckpoint>> {
    let system = |error| IoError::system(path, "read", error);
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(IoError::system(path, "open", error)),
    };
    let malformed = |message: &str| IoError::malformed(path, Place::Whole, message);
    let damaged = || malformed("its checksum is wrong: the checkpoint was cut or altered");
    let length = file.metadata().map_err(system)?.len();
    let checked = length.checked_sub(4).filter(|checked| *checked >= 16).ok_or_else(damaged)?;
    let (mut sum, mut piece) = (crc32fast::Hasher::new(), vec![0; 1 << 16]);
    let mut reader = (&mut file).take(checked);
    loop {
        match reader.read(&mut piece).map_err(system)? {
            0 => break,
            count => sum.update(&piece[..count]),
        }
    }
    let mut stored = [0; 4];
    file.read_exact(&mut stored).map_err(system)?;
    if sum.finalize() != u32::from_le_bytes(stored) {
        return Err(damaged());
    }
    file.seek(SeekFrom::Start(0)).map_err(system)?;
    let mut head = [0; 16];
    file.read_exact(&mut head).map_err(system)?;
    let [magic, count] = [&head[..8], &head[8..]];
    let count = count.try_into().map_or(u64::MAX, u64::from_le_bytes);
    if magic != MAGIC || count > DESCRIPTION.min(checked - 16) {
        return Err(malformed("this is not a checkpoint of this version of Partwise"));
    }
    let mut description = vec![0; count as usize];
    file.read_exact(&mut description).map_err(system)?;
    let Ok(Value::Object(description)) = serde_json::from_slice(&description) else {
        return Err(malformed("the description of its fit can't be read"));
    };
    let state = BufReader::with_capacity(1 << 20, file.take(checked - 16 - count));
    Ok(Some((description, Box::new(state))))
}

/// A writer that sums up what passes through it.
struct Checked<'w> {
    inner: &'w mut dyn Write,
    sum: crc32fast::Hasher,
}

impl Write for Checked<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.sum.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

/// Everything that the numbers of a fit depend on, beside the data, by which a checkpoint knows its fit
/// again. Limits (iterations, time, threads, memory) may change when it is resumed.
///
/// # Errors
/// When the guidance can't be written as a document.
pub fn fit_description<T: Real>(
    model: &Model,
    settings: &Settings,
) -> std::result::Result<Map<String, Value>, serde_json::Error> {
    let guidance = sha256_hex(&serde_json::to_vec(model.guidance())?);
    let mut start = settings.init.name().to_string();
    if let Init::Custom { .. } | Init::Single { .. } | Init::Given(_) = settings.init {
        start = format!("{start} {}", sha256_hex(format!("{:?}", settings.init).as_bytes()));
    }
    let document = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "number type": T::NAME,
        "method": model.spec().name,
        "loss": model.loss().name(),
        "options": format!("{:?}", model.options()),
        "guidance": guidance,
        "rank": settings.rank,
        "seed": settings.seed,
        "solver": format!("{:?}", settings.solver),
        "inner steps": settings.inner_steps,
        "acceleration": settings.acceleration.name(),
        "start": start,
        "first factor": format!("{:?}", settings.first),
        "tolerance": settings.tolerance,
        "l1": [settings.l1.0, settings.l1.1],
        "l2": [settings.l2.0, settings.l2.1],
    });
    let Value::Object(map) = document else { unreachable!("a description is an object") };
    Ok(map)
}

/// The file of the checkpoints of a fit, and when it is written.
pub struct CheckpointFile {
    path: PathBuf,
    description: Map<String, Value>,
    every: Duration,
    last: Instant,
    state: Option<Box<dyn Read + Send>>,
    asked: fn() -> bool,
    report: Box<dyn FnMut(String) + Send>,
    /// Whether a fault was reported already.
    reported: bool,
}

impl fmt::Debug for CheckpointFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CheckpointFile({})", self.path.display())
    }
}

impl CheckpointFile {
    /// A file that is written every so often. The state of one that is there is what the fit goes on from.
    /// `asked` says whether one is wanted at once; `report` gets a sentence when none can be written.
    ///
    /// # Errors
    /// When the file is a checkpoint of another fit, or can't be read.
    pub fn open(
        path: &Path,
        description: Map<String, Value>,
        every: Duration,
        asked: fn() -> bool,
        report: impl FnMut(String) + Send + 'static,
    ) -> Result<Self> {
        let state = match open_checkpoint(path)? {
            None => None,
            Some((of, state)) => {
                check_same(path, &of, &description)?;
                Some(state)
            }
        };
        let (path, report) = (path.to_path_buf(), Box::new(report));
        Ok(CheckpointFile {
            path,
            description,
            every,
            last: Instant::now(),
            state,
            asked,
            report,
            reported: false,
        })
    }

    /// Whether there is a state to go on from.
    pub fn resumes(&self) -> bool {
        self.state.is_some()
    }

    /// The fit is done: its checkpoint is not needed any more.
    pub fn remove(&self) {
        // One that stays does no harm: the next run names it.
        let _ = std::fs::remove_file(&self.path);
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
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
    let message = format!("this checkpoint is of another fit: {}", differing.join(", "));
    Err(IoError::unsupported(path, Place::Whole, message, &[]))
}

impl Checkpoints for CheckpointFile {
    fn resume(&mut self) -> Option<Box<dyn Read>> {
        self.state.take().map(|state| state as Box<dyn Read>)
    }

    fn is_due(&mut self) -> bool {
        (self.asked)() || self.last.elapsed() >= self.every
    }

    fn save(&mut self, _: usize, write: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>) {
        match write_checkpoint(&self.path, &self.description, write) {
            Ok(()) => self.reported = false,
            Err(error) if !self.reported => {
                self.reported = true;
                (self.report)(format!("no checkpoint could be written; the fit goes on: {error}"));
            }
            Err(_) => {}
        }
        self.last = Instant::now();
    }
}
