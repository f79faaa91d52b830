//! The files of a result folder.

use std::time::Instant;

use anyhow::Result;
use partwise::recipes::Memberships;
use partwise::{Matrix, Real};
use partwise_io as io;
use partwise_io::OutputFolder;
use serde_json::Value;

use crate::job::Done;
use crate::record::{self, Timings};
use crate::report::{self, Comparison};
use crate::request::{Pictures, Write};
use partwise_report::picture::Polarity;
use partwise_report::program::Outcome;
use partwise_report::{console, interrupt, picture};

/// What a fit may write; what is given to [`open`] before it begins.
pub(crate) const OF_A_FIT: &[&str] = &[
    "model.safetensors",
    "codes.npy",
    "codes.csv",
    "memberships.csv",
    "components.npy",
    "components.csv",
    "guidance_report.csv",
    "documents.csv",
    "components.png",
    "report.html",
];

/// Takes hold of the folder for the results before any time is spent, so that a target that can't be written,
/// is not ours or is written by another run is refused now.
pub(crate) fn open(write: &Write, names: &[&str]) -> Result<OutputFolder> {
    Ok(write.open(names)?)
}

/// Writes all files of a fit and gives the folder its name; returns what run.json holds.
pub(crate) fn write_fit<T: Real>(
    done: &Done<'_, T>,
    folder: OutputFolder,
    mut timings: Timings,
    extra: &Extra<'_>,
) -> Result<Value> {
    let began = Instant::now();
    let (fit, source) = (&done.fit, done.job.source);
    let polarity = Polarity::from(extra.pictures);
    folder.write("model.safetensors", |w| record::model(done).write_to(w))?;
    let rows = source.row_names.as_deref();
    let corrected = extra.corrected.then(|| fit.corrected_codes());
    write_codes(
        &folder,
        corrected.as_ref().unwrap_or(&fit.codes),
        &done.memberships,
        rows,
        &fit.component_names,
    )?;
    folder.write("components.npy", |w| io::write_npy(w, &fit.components))?;
    folder.write("components.csv", |w| {
        let names = Some(&fit.component_names[..]);
        io::write_matrix_csv(w, "component", &fit.components, names, source.feature_names.as_deref())
    })?;
    if let Some(texts) = &source.texts {
        folder.write("documents.csv", |w| io::write_documents_csv(w, rows, &texts.snippets))?;
    }
    if let Some(shape) = source.image_shape {
        let components = fit.components.cast::<f64>();
        if let Some(picture) = picture::montage(&components, shape, polarity) {
            folder.write("components.png", |w| w.write_all(&picture))?;
        }
    }
    if let Some(report) = &done.report {
        folder.write("guidance_report.csv", |w| io::write_guidance_report_csv(w, report, rows))?;
    }
    let page = report::page(done, timings, extra.comparison, polarity);
    folder.write("report.html", |w| w.write_all(page.as_bytes()))?;
    if let Some(mark) = extra.mark {
        folder.write(mark, |w| w.write_all(b"Written by `partwise demo`, which replaces this folder.\n"))?;
    }
    timings.write = began.elapsed().as_secs_f64();
    finish(folder, record::run(done, timings))
}

/// Writes run.json with the list of the files, and gives the folder its name; returns what run.json holds.
pub(crate) fn finish(folder: OutputFolder, run: Value) -> Result<Value> {
    let Value::Object(record) = run else { unreachable!("records are written as objects") };
    Ok(folder.finish(record)?)
}

/// Prints run.json where that is asked for; returns how the command ended.
pub(crate) fn end(write: &Write, run: &Value) -> Outcome {
    if write.json {
        console::print_json(run);
    }
    if interrupt::requested() { Outcome::Interrupted } else { Outcome::Done }
}

/// What the demo adds.
#[derive(Clone, Copy, Default)]
pub(crate) struct Extra<'a> {
    /// A table of several fits for the report.
    pub(crate) comparison: Option<&'a Comparison>,
    /// Which end of the scale of images is dark.
    pub(crate) pictures: Pictures,
    /// Whether the files of codes hold corrected ones.
    pub(crate) corrected: bool,
    /// An empty file that marks the folder.
    pub(crate) mark: Option<&'a str>,
}

/// codes.npy, codes.csv and memberships.csv.
pub(crate) fn write_codes<T: Real>(
    folder: &OutputFolder,
    codes: &Matrix<T>,
    memberships: &Memberships<T>,
    row_names: Option<&[String]>,
    component_names: &[String],
) -> Result<()> {
    write_codes_alone(folder, codes, row_names, component_names)?;
    let clusters = memberships.names();
    write_memberships(folder, row_names, &clusters, &memberships.shares, component_names)
}

/// codes.npy and codes.csv.
pub(crate) fn write_codes_alone<T: Real>(
    folder: &OutputFolder,
    codes: &Matrix<T>,
    row_names: Option<&[String]>,
    component_names: &[String],
) -> Result<()> {
    folder.write("codes.npy", |w| io::write_npy(w, codes))?;
    let columns = Some(component_names);
    Ok(folder.write("codes.csv", |w| io::write_matrix_csv(w, "sample", codes, row_names, columns))?)
}

/// memberships.csv.
pub(crate) fn write_memberships<T: Real>(
    folder: &OutputFolder,
    sample_names: Option<&[String]>,
    clusters: &[String],
    shares: &Matrix<T>,
    component_names: &[String],
) -> Result<()> {
    let table = io::Memberships { sample_names, clusters, shares, component_names };
    Ok(folder.write("memberships.csv", |w| io::write_memberships_csv(w, &table))?)
}
