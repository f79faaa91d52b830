//! `report.html`: one self-contained page about a result. The page of a fit is made by `partwise-page`, which
//! the Python package uses too; here is what the command line knows of it.

mod again;
mod classify;
mod compare;
mod rank;
mod sweep;

pub(crate) use classify::classification_page;
pub(crate) use compare::compare_page;
pub(crate) use rank::rank_page;
pub(crate) use sweep::sweep_page;

use partwise::blocks::BlockedMatrix;
use partwise::guidance::{Advice, Topic};
use partwise::methods::{Form, Tying};
use partwise::{DataMatrix, Loss, Model, Real, Settings, StopReason, fit};
use partwise_io::machine;
use partwise_page::{Again, Classes, FitPage, Progress};
use partwise_report::duration;
use partwise_report::picture::Polarity;

use crate::job::{Done, relative_kkt};
use crate::record::{self, Timings};
use crate::scores::Evaluation;

/// With more stored values than this, no fit of a single component is made to compare with.
const MOST_VALUES: usize = 20_000_000;

/// A table of several fits.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Comparison {
    /// The table as text.
    pub(crate) fn lines(&self) -> Vec<String> {
        let all = || std::iter::once(&self.header).chain(&self.rows);
        let widths = all().filter_map(|cells| cells.first()).map(|first| first.chars().count());
        let width = widths.max().unwrap_or(0);
        let line = |cells: &Vec<String>| {
            let (first, rest) = cells.split_first().map_or(("", &[][..]), |(f, r)| (f.as_str(), r));
            let rest: String = rest.iter().map(|cell| format!("{cell:>10}")).collect();
            format!("  {first:<width$}{rest}")
        };
        all().map(line).collect()
    }
}

/// The page of a fit.
pub(crate) fn page<T: Real>(
    done: &Done<'_, T>,
    timings: Timings,
    comparison: Option<&Comparison>,
    polarity: Polarity,
) -> String {
    shown(done, timings, comparison, polarity, |page| page.html())
}

/// What `show` makes of a fit: its page, or a part of it.
fn shown<T: Real>(
    done: &Done<'_, T>,
    timings: Timings,
    comparison: Option<&Comparison>,
    polarity: Polarity,
    show: fn(&FitPage<'_>) -> String,
) -> String {
    let (job, fit, source) = (&done.job, &done.fit, done.job.source);
    let row = |sample: usize| row(job.data, sample);
    let used: Vec<bool> = job.known.classes.as_ref().map_or(Vec::new(), |known| known.guided());
    let classes = job.known.classes.as_ref().map(|known| Classes {
        names: &known.class_names,
        truth: &known.truth,
        used: &used,
        held_out: done.evaluation.as_ref().and_then(|e| held_out(e, &used)),
        measures: done.evaluation.as_ref().map_or_else(Default::default, measures),
    });
    let topics: &[Topic] = if job.takes_anything() { job.model.guidance().topics() } else { &[] };
    let notes = done.notes.iter().filter(|(code, _)| *code != "reading").map(|(_, note)| note.clone());
    show(&FitPage {
        title: crate::input::short_name(&source.name),
        codes: fit.codes.cast(),
        components: fit.components.cast(),
        component_names: &fit.component_names,
        clusters: &done.memberships.cluster,
        shares_of: done.memberships.of,
        sample_names: source.row_names.as_deref(),
        snippets: source.snippets(),
        feature_names: source.feature_names.as_deref(),
        image_shape: source.image_shape,
        row: &row,
        polarity,
        topics,
        report: done.report.as_ref().map(Into::into),
        classes,
        explained: explained(done),
        comparison: comparison.map(|c| (&c.header[..], &c.rows[..])),
        notes: notes.collect(),
        progress: Progress {
            history: fit.history.iter().map(|i| (i.number as f64, i.objective, i.kkt)).collect(),
            tolerance: job.settings.tolerance,
            ended: ended(done),
        },
        method: method(job.model.spec()),
        data: read(done),
        run: run(done, timings),
        settings: record::settings_lines(done),
        again: Again {
            command: again::command_line(),
            facts: named([
                ("Data", source.name.clone()),
                ("SHA-256", source.sha256.clone()),
                ("Version", format!("partwise {}", env!("CARGO_PKG_VERSION"))),
                ("Date", again::today()),
            ]),
        },
        bibtex: job.model.spec().bibtex(),
    })
}

fn named<const N: usize>(facts: [(&str, String); N]) -> Vec<(String, String)> {
    facts.into_iter().map(|(name, text)| (name.to_string(), text)).collect()
}

/// A row of the data.
fn row<T: Real>(data: &dyn DataMatrix<T>, sample: usize) -> Vec<f64> {
    let mut row = vec![0.0; data.n_features()];
    data.add_row(sample, 1.0, &mut row);
    row
}

/// Accuracy over labels that the fit did not use, and how many these are. Labels that guided say nothing of
/// how good it is.
fn held_out(evaluation: &Evaluation, used: &[bool]) -> Option<(f64, usize)> {
    let key = if used.iter().any(|used| *used) { "unlabelled" } else { "all" };
    let scores = evaluation.scores.iter().find(|scores| scores.key == key)?;
    let (_, accuracy) = scores.values.iter().find(|(name, _)| *name == "accuracy")?;
    Some((*accuracy, scores.samples))
}

fn measures(evaluation: &Evaluation) -> (Vec<String>, Vec<Vec<String>>) {
    let names = evaluation.scores.first().map(|s| s.values.iter().map(|(name, _)| name.to_string()));
    let header = ["over", "samples"].map(str::to_string).into_iter().chain(names.into_iter().flatten());
    let row = |scores: &crate::scores::Scores| {
        let values = scores.values.iter().map(|(_, value)| format!("{value:.3}"));
        [scores.over.to_string(), scores.samples.to_string()].into_iter().chain(values).collect()
    };
    (header.collect(), evaluation.scores.iter().map(row).collect())
}

/// The fraction of the loss of a single component that the fit removes, where both measure the same.
fn explained<T: Real>(done: &Done<'_, T>) -> Option<f64> {
    let (job, loss) = (&done.job, done.fit.loss);
    let weighted = |item: &&Advice| {
        matches!(item, Advice::KnownEntries(_) | Advice::SampleWeights(_) | Advice::FeatureWeights(_))
    };
    let spec = job.model.spec();
    let same = spec.form == Form::Matrix && spec.tying != Tying::NormalizedCut;
    let unlike = !same || job.model.guidance().advice().iter().any(weighted);
    // Only process 0 writes a report: no fit that others would have to take part in.
    let shared = job.data.blocks().is_some_and(BlockedMatrix::is_shared);
    if shared || unlike || job.settings.rank < 2 || job.data.n_stored() > MOST_VALUES {
        return None;
    }
    let settings = Settings {
        max_iterations: 30,
        threads: job.settings.threads,
        memory_limit: job.settings.memory_limit,
        ..Settings::new(1)
    };
    let one = fit(job.data, &Model::nmf().with_loss(loss).ok()?, &settings).ok()?.relative_error;
    let ratio = done.fit.relative_error / one;
    let left = if loss == Loss::Frobenius { ratio * ratio } else { ratio };
    left.is_finite().then(|| (1.0 - left).max(0.0))
}

/// How the fit ended, in a sentence.
fn ended<T: Real>(done: &Done<'_, T>) -> String {
    let (fit, iterations) = (&done.fit, done.fit.iterations);
    let after = format!("after {iterations} {}", if iterations == 1 { "iteration" } else { "iterations" });
    match fit.stop {
        StopReason::Converged => format!("The fit converged {after}."),
        StopReason::IterationLimit if fit.still_improving().is_none() => {
            format!("The fit stopped at its limit {after}; by then it had nearly stopped changing.")
        }
        StopReason::IterationLimit => {
            format!("The fit stopped at its limit {after}, while it still improved.")
        }
        StopReason::TimeLimit => format!("The time limit ended the fit {after}."),
        StopReason::Observer => format!("Ctrl-C ended the fit {after}."),
        _ => format!("The fit ended {after} ({}).", fit.stop.name()),
    }
}

fn method(spec: &partwise::methods::MethodSpec) -> Vec<(String, String)> {
    named([
        ("Method", format!("{} – {}", spec.title, spec.summary)),
        ("Minimizes", spec.objective.to_string()),
        ("Reference", spec.reference.to_string()),
        ("Differs", spec.differs.to_string()),
    ])
}

fn read<T: Real>(done: &Done<'_, T>) -> Vec<(String, String)> {
    let (source, scaling) = (done.job.source, done.job.scaling.kind());
    let mut out = named(source.facts());
    let mut add = |name: &str, text: String| out.push((name.into(), text));
    done.notes.iter().filter(|(code, _)| *code == "reading").for_each(|(_, note)| add("Read", note.clone()));
    add("Scaling", format!("{}: {}", scaling.name(), scaling.summary()));
    add("Memberships", done.memberships.of.summary().to_string());
    done.job.known.facts(done.job.takes_anything()).into_iter().for_each(|(name, text)| add(name, text));
    done.job.chosen.iter().for_each(|line| add("Chosen", line.clone()));
    out
}

/// How it ran.
fn run<T: Real>(done: &Done<'_, T>, timings: Timings) -> Vec<(String, String)> {
    let fit = &done.fit;
    let mut out = named([
        (fit.loss.error_name(), format!("{:.4}", fit.relative_error)),
        ("objective", format!("{:.6e}", fit.objective)),
        ("iterations", format!("{} ({})", fit.iterations, fit.stop.name())),
    ]);
    let mut add = |name: &str, text: String| out.push((name.into(), text));
    if let Some(kkt) = relative_kkt(fit) {
        add("projected gradient, relative to iteration 1 (KKT)", format!("{kkt:.1e}"));
    }
    add("time of the fit", duration(timings.fit));
    add("threads", fit.threads.to_string());
    if let Some(bytes) = machine::peak_memory() {
        add("peak memory", format!("{:.0} MB", bytes as f64 / 1e6));
    }
    out
}
