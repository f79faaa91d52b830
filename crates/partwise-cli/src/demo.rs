//! `partwise demo`: the main job on built-in handwritten digits, two labels per digit.

use std::path::Path;

use anyhow::{Result, bail};
use partwise::guidance::{Advice, Strength};
use partwise::{Model, ScalingKind, Settings};
use partwise_io::{Digits, LabelTable, OutputFolder, digits};

use crate::input::{Source, Table};
use crate::job::{Done, Job};
use crate::known::Known;
use crate::labels::KnownClasses;
use crate::outputs::{self, Extra};
use crate::record::Timings;
use crate::report::Comparison;
use crate::request::DemoRequest;
use partwise_report::console::{self, Verbosity};
use partwise_report::duration;
use partwise_report::{interrupt, program::Outcome};

/// The file by which a later demo knows its own folder.
const MARK: &str = ".partwise-demo";

/// Fits three times, prints the comparison, writes the report of the best guided fit.
pub(crate) fn run(request: &DemoRequest) -> Result<Outcome> {
    let folder = take_folder(&request.out)?;
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
        "The fits use {} labels ({} per digit, seed {}). The other {} labels are used only to evaluate \
        them.\n",
        classes.labels.n_labelled(),
        request.labels_per_class,
        request.run.seed,
        digits.n_samples() - classes.labels.n_labelled()
    ));
    let labels = Advice::labels(classes.labels.clone()).with_strength(Strength::STRONG);
    let models = [Model::nmf(), Model::cnmf(classes.labels.clone()), Model::ws_nmf(labels)];
    let settings = Settings {
        seed: request.run.seed,
        max_iterations: request.max_iter,
        threads: request.run.threads,
        memory_limit: partwise_io::machine::available_memory(),
        ..Settings::new(classes.class_names.len())
    };
    let mut known = Known::default();
    known.set_classes(classes);
    let mut fits = Vec::new();
    for model in models {
        let job = Job {
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
        fits.push(job.run(Verbosity::Quiet)?);
        if interrupt::requested() {
            return Err(interrupt::Stopped.into());
        }
    }
    finish(request, folder, &fits)
}

fn finish(request: &DemoRequest, folder: OutputFolder, fits: &[Done<'_, f64>]) -> Result<Outcome> {
    let comparison = compare(fits);
    comparison.lines().iter().for_each(|line| console::print(line));
    console::print(&format!(
        "
Accuracy and NMI are over the images whose label the fit did not use. Every setting is the default, with at most {} iterations.",
        request.max_iter
    ));
    let accuracy = |done: &Done<'_, f64>| done.evaluation.as_ref().and_then(|e| e.headline("accuracy"));
    let Some(best) =
        fits[1..].iter().max_by(|a, b| accuracy(a).unwrap_or(0.0).total_cmp(&accuracy(b).unwrap_or(0.0)))
    else {
        return Ok(Outcome::Done);
    };
    let timings = Timings { fit: best.fit_seconds, ..Timings::default() };
    let extra = Extra { comparison: Some(&comparison), mark: Some(MARK), ..Extra::default() };
    outputs::write_fit(best, folder, timings, &extra)?;
    best.notes.iter().for_each(|(_, note)| Verbosity::Full.note(note));
    let out = request.out.display();
    console::print(&format!(
        "The report shows the better of the guided fits, {}: {out}/report.html",
        best.job.model.spec().name
    ));
    Ok(Outcome::Done)
}

/// Takes hold of the folder, unless it is there and not the demo's own.
fn take_folder(out: &Path) -> Result<OutputFolder> {
    let exists = std::fs::symlink_metadata(out).is_ok();
    if exists && !out.join(MARK).is_file() {
        bail!(
            "{}: this folder exists and was not written by the demo; choose another folder with --out",
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

fn compare(fits: &[Done<'_, f64>]) -> Comparison {
    let text = |value: Option<f64>| value.map_or_else(|| "-".to_string(), |v| format!("{v:.3}"));
    let row = |done: &Done<'_, f64>| {
        let evaluation = done.evaluation.as_ref();
        let measure = |name| text(evaluation.and_then(|e| e.headline(name)));
        let spec = done.job.model.spec();
        let guided = if done.job.model.guidance().is_empty() { "unguided NMF" } else { spec.title };
        vec![guided.to_string(), measure("accuracy"), measure("nmi"), duration(done.fit_seconds)]
    };
    Comparison {
        header: ["method", "accuracy", "NMI", "time"].map(str::to_string).to_vec(),
        rows: fits.iter().map(row).collect(),
    }
}
