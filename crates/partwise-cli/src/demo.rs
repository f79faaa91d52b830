//! `partwise demo`: the main job on built-in handwritten digits, two labels per digit.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};
use partwise::guidance::{Advice, Guidance};
use partwise::{DataMatrix, Loss, Model, ScalingKind, Settings};
use partwise_classify::{Phase, SpreadLabels, Spreading, spread_observed};
use partwise_io::{Digits, LabelTable, OutputFolder, digits};

use crate::input::{Source, Table};
use crate::job::{Done, Job};
use crate::known::Known;
use crate::labels::KnownClasses;
use crate::outputs::{self, Extra};
use crate::record::Timings;
use crate::report::Comparison;
use crate::request::DemoRequest;
use crate::scores::Evaluation;
use partwise_report::console::{self, Verbosity};
use partwise_report::duration;
use partwise_report::{interrupt, program::Outcome};

/// The file by which a later demo knows its own folder.
const MARK: &str = ".partwise-demo";

/// Fits with and without labels, prints the comparison with the few-label classifier, writes the report of
/// the guided fit.
pub(crate) fn run(request: &DemoRequest) -> Result<Outcome> {
    let folder = take_folder(&request.out, request.force)?;
    let digits = digits();
    let (source, mut table, classes) = prepare(&digits, request)?;
    let scaling = table.learn_scaling(ScalingKind::UnitRows);
    let data = table.into_data("the digits")?;
    console::print(&format!(
        "{} images of handwritten digits, {} x {} pixels (UCI optical digits, Alpaydin & Kaynak 1998, CC BY 4.0).",
        digits.n_samples(),
        digits.shape.0,
        digits.shape.1
    ));
    console::print(&format!(
        "{} of them have a label ({} per digit, seed {}). The labels of the other {}\n\
        are used only to check the results.\n",
        classes.labels.n_labelled(),
        request.labels_per_class,
        request.run.seed,
        digits.n_samples() - classes.labels.n_labelled()
    ));
    let guidance = Guidance::default().with(Advice::labels(classes.labels.clone()));
    let settings = Settings {
        seed: request.run.seed,
        max_iterations: request.max_iter,
        threads: request.run.threads,
        memory_limit: partwise_io::machine::available_memory(),
        ..Settings::new(classes.class_names.len())
    };
    let mut known = Known::default();
    known.guidance.clone_from(&guidance);
    known.set_classes(classes);
    let job = |model| Job {
        source: &source,
        data: data.as_ref(),
        scaling: &scaling,
        known: &known,
        model,
        settings: settings.clone(),
        shares: None,
        component_names: None,
        chosen: Vec::new(),
    };
    // The unguided fit must not see the labels, not even for its start: only its evaluation has them.
    let plain = stopped_or(job(Model::nmf()).run(Verbosity::Quiet)?)?;
    let began = Instant::now();
    let found = classified(data.as_ref(), &guidance, &settings)?;
    let classifier_seconds = began.elapsed().as_secs_f64();
    let mut guided = stopped_or(job(Model::guided(found.guidance)).run(Verbosity::Quiet)?)?;
    guided.fit_seconds += classifier_seconds;
    let mut rows = vec![row("plain NMF, no labels", plain.evaluation.as_ref(), plain.fit_seconds)];
    if let (Some(found), Some(known)) = (&found.classification, &known.classes) {
        let classes: Vec<Option<usize>> = found.classes.iter().map(|class| Some(*class)).collect();
        let names = known.labels.names();
        let evaluation = Evaluation::new(&known.truth, &known.class_names, &classes, names, &known.guided())?;
        rows.push(row("few-label classifier", Some(&evaluation), classifier_seconds));
    }
    rows.push(row("guided NMF", guided.evaluation.as_ref(), guided.fit_seconds));
    let header = ["method", "accuracy", "NMI", "time"].map(str::to_string).to_vec();
    finish(request, folder, &guided, &Comparison { header, rows })
}

/// The fit, unless a signal came meanwhile.
fn stopped_or<T>(done: T) -> Result<T> {
    if interrupt::requested() { Err(interrupt::Stopped.into()) } else { Ok(done) }
}

/// What the few-label classifier finds, which guides the fit of all samples.
fn classified(data: &dyn DataMatrix<f64>, guidance: &Guidance, settings: &Settings) -> Result<SpreadLabels> {
    let began = Instant::now();
    let mut observe = |phase: Phase| {
        let seconds = duration(began.elapsed().as_secs_f64());
        Verbosity::Full.progress(&format!("few-label classifier: {phase} ({seconds})"));
    };
    let spread =
        || spread_observed(data, guidance, Loss::Frobenius, settings, Spreading::Auto.into(), &mut observe);
    Ok(interrupt::work(spread)??)
}

/// A row of the comparison: accuracy and NMI over the images whose label was not used.
fn row(name: &str, evaluation: Option<&Evaluation>, seconds: f64) -> Vec<String> {
    let measure = |name| evaluation.and_then(|scores| scores.headline(name));
    let text = |value: Option<f64>, places: usize| value.map_or("-".into(), |v| format!("{v:.places$}"));
    let accuracy = measure("accuracy").map_or("-".into(), |share| format!("{:.0} %", 100.0 * share));
    vec![name.to_string(), accuracy, text(measure("nmi"), 2), duration(seconds)]
}

fn finish(
    request: &DemoRequest,
    folder: OutputFolder,
    guided: &Done<'_, f64>,
    comparison: &Comparison,
) -> Result<Outcome> {
    comparison.lines().iter().for_each(|line| console::print(line));
    console::print(
        "\nAccuracy and NMI are over the images whose label was not used. Plain NMF has no\n\
        names; each of its components is matched to the best digit. Guided NMF asks the\n\
        classifier, and shows what each digit looks like.",
    );
    let timings = Timings { fit: guided.fit_seconds, ..Timings::default() };
    let extra = Extra { comparison: Some(comparison), mark: Some(MARK), ..Extra::default() };
    outputs::write_fit(guided, folder, timings, &extra)?;
    console::print(&format!("The report shows guided NMF: {}/report.html", request.out.display()));
    Ok(Outcome::Done)
}

/// Takes hold of the folder, unless it is there, not the demo's own, and not forced.
fn take_folder(out: &Path, force: bool) -> Result<OutputFolder> {
    let exists = std::fs::symlink_metadata(out).is_ok();
    if exists && !force && !out.join(MARK).is_file() {
        bail!(
            "{}: this folder exists and was not written by the demo; choose another folder with --out (a \
            result of Partwise, or an empty folder: --force replaces it)",
            out.display()
        );
    }
    Ok(OutputFolder::for_files(out, exists, &[outputs::OF_A_FIT, &[MARK]].concat())?)
}

/// The digits as data, and the labels that guide.
fn prepare(digits: &Digits, request: &DemoRequest) -> Result<(Source, Table<f64>, KnownClasses)> {
    let (rows, columns) = (digits.n_samples(), digits.n_features());
    let bytes: Vec<u8> = digits.images.iter().map(|pixel| *pixel as u8).collect();
    let source = Source {
        name: "UCI optical digits (built in)".into(),
        sha256: partwise_io::sha256_hex(&bytes),
        format: "built in".into(),
        rows,
        columns,
        stored: rows * columns,
        image_shape: Some(digits.shape),
        notes: vec!["E. Alpaydin, C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository 1998, doi 10.24432/C50P49, CC BY 4.0".into()],
        ..Source::default()
    };
    let digit_of: Vec<Option<String>> = digits.labels.iter().map(|digit| Some(digit.to_string())).collect();
    let labels =
        LabelTable::from_column(Path::new("labels of the built-in digits"), &digit_of, &source.sha256);
    let classes = KnownClasses::new(labels, Some(request.labels_per_class), request.run.seed)?;
    Ok((source, Table::dense(rows, columns, digits.images.clone()), classes))
}
