//! One fit, from checked input to its results: the common path of `fit` and `demo`.

use std::time::Instant;

use anyhow::Result;
use partwise::memory::{self, DataSize, Estimate};
use partwise::methods::Input;
use partwise::recipes::{GuidanceReport, Memberships, Owners, ShareOf, fit_guided, likeness};
use partwise::{DataMatrix, Fit, Model, Real, Scaling, Settings, StopReason, blocks, fit_observed};
use partwise_io::CheckpointFile;

use crate::input::Source;
use crate::known::Known;
use crate::progress::Progress;
use crate::scores::Evaluation;
use crate::words::{change, iterations, short, significant};
use partwise_report::console::Verbosity;
use partwise_report::interrupt::{self, Stopped};

/// What is to be fitted.
pub(crate) struct Job<'a, T: Real> {
    pub(crate) source: &'a Source,
    /// Scaled.
    pub(crate) data: &'a dyn DataMatrix<T>,
    pub(crate) scaling: &'a Scaling,
    pub(crate) known: &'a Known,
    pub(crate) model: Model,
    pub(crate) settings: Settings,
    /// How memberships measure a component; by the loss unless a flag sets it.
    pub(crate) shares: Option<ShareOf>,
    /// Names of the first components, where the fit gives none of its own (from a reference or an earlier
    /// model).
    pub(crate) component_names: Option<Vec<String>>,
    /// Sentences on what was chosen for the user.
    pub(crate) chosen: Vec<String>,
}

/// A fit and what follows from it.
pub(crate) struct Done<'a, T: Real> {
    pub(crate) job: Job<'a, T>,
    pub(crate) fit: Fit<T>,
    /// The report on the guidance of the method guided.
    pub(crate) report: Option<GuidanceReport>,
    pub(crate) memberships: Memberships<T>,
    pub(crate) evaluation: Option<Evaluation>,
    /// Notes for the user: a stable code, and a sentence.
    pub(crate) notes: Vec<(&'static str, String)>,
    pub(crate) fit_seconds: f64,
    /// The checkpoints of the fit, where they are kept.
    pub(crate) checkpoints: Option<CheckpointFile>,
}

impl<'a, T: Real> Job<'a, T> {
    /// Whether the method takes guidance of any kind, and so reports on it.
    pub(crate) fn takes_anything(&self) -> bool {
        self.model.spec().takes(Input::Guidance)
    }

    /// What the fit needs beside the data.
    pub(crate) fn memory(&self) -> Estimate {
        let size = DataSize::of(self.data);
        match self.data.blocks() {
            Some(data) => blocks::of_fit_in_blocks(size, data.sizes(), &self.model, &self.settings),
            None => memory::of_fit(size, &self.model, &self.settings),
        }
    }

    /// Fits.
    ///
    /// # Errors
    /// Those of the fit; [`Stopped`] when a signal came before the first iteration was done.
    pub(crate) fn run(self, verbosity: Verbosity) -> Result<Done<'a, T>> {
        self.run_with(verbosity, None)
    }

    /// As [`Job::run`], with a file for checkpoints.
    ///
    /// # Errors
    /// As [`Job::run`]; a checkpoint that can't be used.
    pub(crate) fn run_with(
        self,
        verbosity: Verbosity,
        checkpoints: Option<CheckpointFile>,
    ) -> Result<Done<'a, T>> {
        let progress = Progress::new(verbosity, self.model.spec().name, &self.settings);
        let mut progress = progress.with_checkpoints(checkpoints);
        let began = Instant::now();
        let (model, settings) = (&self.model, &self.settings);
        let fit = match self.takes_anything() {
            true => fit_guided(self.data, model.guidance(), model.loss(), settings, &mut progress)
                .map(|guided| (guided.fit, Some(guided.report))),
            false => fit_observed(self.data, model, settings, &mut progress).map(|fit| (fit, None)),
        };
        let checkpoints = progress.finish();
        let (mut fit, mut report) = fit?;
        let fit_seconds = began.elapsed().as_secs_f64();
        if interrupt::requested() && fit.iterations == 0 {
            return Err(Stopped.into());
        }
        self.name_components(&mut fit.component_names);
        let of = self.shares.unwrap_or(ShareOf::of_loss(fit.loss));
        let owners = Owners::new(&self.model.topics(), &fit.component_names);
        let memberships = Memberships::new(&fit.codes, &fit.components, of, owners);
        let (clusters, names) = (&memberships.topic, memberships.owners.names());
        let evaluate = |known: &crate::labels::KnownClasses| {
            Evaluation::new(&known.truth, &known.class_names, clusters, names, &known.guided())
        };
        let evaluation = self.known.classes.as_ref().map(evaluate).transpose()?;
        if let Some(report) = &mut report {
            self.compare_with_truth(report, &fit, &memberships);
        }
        let notes = self.notes(&fit, &memberships, evaluation.as_ref());
        Ok(Done { job: self, fit, report, memberships, evaluation, notes, fit_seconds, checkpoints })
    }

    /// Gives the names of a reference or of an earlier model to components that have only numbers.
    fn name_components(&self, names: &mut [String]) {
        let Some(own) = &self.component_names else { return };
        for (j, (name, own)) in names.iter_mut().zip(own).enumerate() {
            if *name == format!("part {}", j + 1) {
                name.clone_from(own);
            }
        }
    }

    /// Compares the components with the samples of their class by all labels, where the fit used only some.
    fn compare_with_truth(&self, report: &mut GuidanceReport, fit: &Fit<T>, memberships: &Memberships<T>) {
        let Some(known) = &self.known.classes else { return };
        let labelled = known.truth.iter().filter(|label| **label >= 0).count();
        if labelled == known.labels.n_labelled() {
            return;
        }
        let names = memberships.owners.names();
        let place = |class: usize| names.iter().position(|name| *name == known.class_names[class]);
        let class = |label: &i32| usize::try_from(*label).ok().and_then(place);
        let classes: Vec<Option<usize>> = known.truth.iter().map(class).collect();
        let Memberships { shares, owners, .. } = memberships;
        let found = likeness(self.data, &fit.components, shares, &fit.component_names, owners, &classes);
        (report.likeness, report.likeness_of) = (found, "by all labels, also those that the fit did not use");
    }

    fn notes(
        &self,
        fit: &Fit<T>,
        memberships: &Memberships<T>,
        evaluation: Option<&Evaluation>,
    ) -> Vec<(&'static str, String)> {
        let read = self.source.notes.iter().map(|message| ("reading", message.clone()));
        let fitted = fit.notices.iter().map(|notice| (notice.code, notice.message.clone()));
        let mut notes: Vec<_> = read.chain(self.known.notes.iter().cloned()).chain(fitted).collect();
        let mut add = |code, message: String| notes.push((code, message));
        let undefined = memberships.cluster.iter().filter(|cluster| cluster.is_none()).count();
        // Of empty rows the library says so itself.
        if undefined > self.data.summary().zero_rows.len() {
            add(
                "no-cluster",
                format!(
                    "{undefined} {} to no component, for the codes are 0 (blank in memberships.csv)",
                    if undefined == 1 { "sample belongs" } else { "samples belong" }
                ),
            );
        }
        for message in evaluation.iter().flat_map(|e| &e.notes) {
            add("evaluation", message.clone());
        }
        if let Some(message) = unfinished(fit, &self.settings) {
            add("unfinished", message);
        }
        notes
    }
}

/// The last relative projected gradient: of the updates, relative to the first iteration's.
pub(crate) fn relative_kkt<T>(fit: &Fit<T>) -> Option<f64> {
    let first = fit.history.iter().find_map(|i| i.kkt)?;
    let last = fit.history.iter().rev().find_map(|i| i.kkt)?;
    (first > 0.0).then(|| last / first)
}

/// How far a fit is from the tolerance when something else ended it, and what can be done.
fn unfinished<T>(fit: &Fit<T>, settings: &Settings) -> Option<String> {
    if fit.stop == StopReason::IterationLimit {
        let progress = fit.still_improving()?;
        return Some(format!(
            "stopped after {}, before full convergence: the last {} still lowered the objective by {} %; for \
            more: --max-iter {}",
            iterations(fit.iterations),
            fit.iterations.min(50),
            significant(100.0 * progress),
            (2 * settings.max_iterations).max(500)
        ));
    }
    let (ended, advice) = match fit.stop {
        StopReason::TimeLimit => {
            ("the time limit", "raise --time-limit, or continue from this model with --start")
        }
        StopReason::Observer => ("Ctrl-C", "to continue from this result: --start and its model.safetensors"),
        _ => return None,
    };
    let recent = match recent_change(fit) {
        Some(change) => format!("; the last iteration lowered the objective by {} %", short(100.0 * change)),
        None => String::new(),
    };
    Some(format!("{ended} ended the fit after {}{recent}; {advice}", iterations(fit.iterations)))
}

/// By how much the last iteration lowered the objective, as a fraction of it.
fn recent_change<T>(fit: &Fit<T>) -> Option<f64> {
    let [.., before, last] = &fit.history[..] else { return None };
    change(before.objective, last.objective)
}
