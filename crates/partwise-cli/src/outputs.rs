//! The files of a result folder.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use partwise::{Matrix, Real};
use partwise_io as io;
use partwise_io::OutputFolder;
use serde_json::Value;

use crate::job::Done;
use crate::memberships::Memberships;
use crate::record::{self, Timings};
use crate::report::{self, Comparison};

/// Refuses a target that can't be written before any time is spent.
pub(crate) fn check_target(target: &Path, force: bool) -> Result<()> {
    // Dropped at once, the folder leaves nothing behind.
    OutputFolder::create(target, force)?;
    Ok(())
}

/// Writes all files of a fit and gives the folder its name; returns what run.json holds.
pub(crate) fn write_fit<T: Real>(
    done: &Done<'_, T>,
    target: &Path,
    force: bool,
    mut timings: Timings,
    extra: &Extra<'_>,
) -> Result<Value> {
    let began = Instant::now();
    let folder = OutputFolder::create(target, force)?;
    let (fit, source) = (&done.fit, done.job.source);
    let model = record::model(done).to_bytes();
    folder.write("model.safetensors", |w| w.write_all(&model))?;
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
    if let Some(report) = &done.report {
        folder.write("guidance_report.csv", |w| io::write_guidance_report_csv(w, report, rows))?;
    }
    let page = report::page(done, timings, extra.comparison);
    folder.write("report.html", |w| w.write_all(page.as_bytes()))?;
    if let Some(mark) = extra.mark {
        folder.write(mark, |w| w.write_all(b"Written by `partwise demo`, which replaces this folder.\n"))?;
    }
    timings.write = began.elapsed().as_secs_f64();
    let run = record::run(done, timings);
    write_json(&folder, "run.json", &run)?;
    folder.commit()?;
    Ok(run)
}

/// What the demo adds.
#[derive(Clone, Copy, Default)]
pub(crate) struct Extra<'a> {
    /// A table of several fits for the report.
    pub(crate) comparison: Option<&'a Comparison>,
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
    folder.write("codes.npy", |w| io::write_npy(w, codes))?;
    folder
        .write("codes.csv", |w| io::write_matrix_csv(w, "sample", codes, row_names, Some(component_names)))?;
    let clusters = memberships.names(component_names);
    folder.write("memberships.csv", |w| {
        let table = io::Memberships {
            sample_names: row_names,
            clusters: &clusters,
            shares: &memberships.shares,
            component_names,
        };
        io::write_memberships_csv(w, &table)
    })?;
    Ok(())
}

/// A JSON file, indented.
pub(crate) fn write_json(folder: &OutputFolder, name: &str, value: &Value) -> Result<()> {
    folder.write(name, |w| writeln!(w, "{value:#}"))?;
    Ok(())
}
