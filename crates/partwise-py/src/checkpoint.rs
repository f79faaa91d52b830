//! Checkpoints of a fit that Python asks for with the setting "checkpoint".

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use partwise::blocks::Checkpoints;
use partwise::{DataMatrix, Error, Fit, Iteration, Model, Notice, Observer, Real, Settings, StopReason};
use partwise_io::{CheckpointFile, IoError, fit_description};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Where the checkpoint of a fit is kept, and how often it is written.
#[derive(Clone)]
pub(crate) struct Kept {
    path: PathBuf,
    every: Duration,
    /// Whether this process writes it, where several fit together.
    pub(crate) writes: bool,
    /// What kept it from being opened: an error of its own, not of the library.
    pub(crate) fault: Arc<Mutex<Option<IoError>>>,
}

/// What a setting asks for: `(path, seconds)`.
pub(crate) fn kept(settings: &Bound<'_, PyDict>, writes: bool) -> PyResult<Option<Kept>> {
    let Some(asked) = settings.get_item("checkpoint")?.filter(|asked| !asked.is_none()) else {
        return Ok(None);
    };
    let (path, seconds): (PathBuf, f64) = asked.extract()?;
    let every = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    Ok(Some(Kept { path, every, writes, fault: Arc::default() }))
}

/// An observer with checkpoints.
pub(crate) struct WithCheckpoints<'o> {
    observer: &'o mut dyn Observer,
    file: Option<CheckpointFile>,
    /// Sentences about what went wrong, and whether the fit went on from a checkpoint.
    said: Arc<Mutex<Vec<(&'static str, String)>>>,
}

impl<'o> WithCheckpoints<'o> {
    /// Those that are kept, if they are.
    pub(crate) fn new<T: Real>(
        kept: Option<&Kept>,
        data: &dyn DataMatrix<T>,
        (model, settings): (&Model, &Settings),
        observer: &'o mut dyn Observer,
    ) -> Result<Self, Error> {
        let said = Arc::<Mutex<Vec<(&'static str, String)>>>::default();
        let Some(kept) = kept else { return Ok(WithCheckpoints { observer, file: None, said }) };
        // All processes take part in a pass over the data.
        let fingerprint = fingerprint(data);
        if !kept.writes {
            return Ok(WithCheckpoints { observer, file: None, said });
        }
        let mut description = fit_description::<T>(model, settings)
            .map_err(|error| Error::Unreadable(format!("the guidance as a document: {error}")))?;
        description.insert("data".into(), fingerprint.into());
        description.insert("samples".into(), data.n_samples().into());
        description.insert("features".into(), data.n_features().into());
        description.insert("in blocks".into(), data.blocks().is_some().into());
        let notes = Arc::clone(&said);
        let report = move |message| {
            notes.lock().unwrap_or_else(PoisonError::into_inner).push(("no-checkpoint", message));
        };
        match CheckpointFile::open(&kept.path, description, kept.every, || false, report) {
            Ok(file) => {
                if file.resumes() {
                    let message = format!("the fit went on from the checkpoint {}", kept.path.display());
                    said.lock().unwrap_or_else(PoisonError::into_inner).push(("resumed", message));
                }
                Ok(WithCheckpoints { observer, file: Some(file), said })
            }
            Err(error) => {
                let message = error.to_string();
                *kept.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Err(Error::Unreadable(message))
            }
        }
    }

    /// After the fit: its notices get what there is to say, and the file goes unless the fit was stopped.
    pub(crate) fn finish<T: Real>(self, fit: &mut Fit<T>) {
        let Some(file) = self.file else { return };
        let said = std::mem::take(&mut *self.said.lock().unwrap_or_else(PoisonError::into_inner));
        fit.notices.extend(said.into_iter().map(|(code, message)| Notice { code, message }));
        if fit.stop != StopReason::Observer {
            file.remove();
        }
    }
}

impl Observer for WithCheckpoints<'_> {
    fn on_iteration(&mut self, iteration: &Iteration) -> ControlFlow<()> {
        self.observer.on_iteration(iteration)
    }

    fn checkpoints(&mut self) -> Option<&mut dyn Checkpoints> {
        self.file.as_mut().map(|file| file as &mut dyn Checkpoints)
    }
}

/// Numbers by which data are known again: sums of the rows and columns, each with a weight of its own, and
/// the norm. They have as many digits as any split of the rows agrees in.
fn fingerprint<T: Real>(data: &dyn DataMatrix<T>) -> String {
    let summary = data.summary();
    let weighted = |sums: &[f64]| {
        let weight = |at: usize| 1.0 + ((at as f64 + 1.0) * 0.618_033_988_749_895).fract();
        sums.iter().enumerate().map(|(at, sum)| weight(at) * sum).sum::<f64>()
    };
    let (rows, columns) = (weighted(&summary.row_sums), weighted(&summary.column_sums));
    format!("{rows:.10e} {columns:.10e} {:.10e} {}", summary.squared_norm, summary.non_zeros)
}
