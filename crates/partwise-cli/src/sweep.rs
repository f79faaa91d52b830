//! `partwise sweep`: fit against agreement over the strengths of a guidance.

use std::time::Instant;

use anyhow::{Result, bail};
use partwise::Real;
use partwise::recipes::{SweepPoint, sweep};
use partwise_io::OutputFolder;
use serde_json::{Value, json};

use crate::args::{FitArgs, SweepArgs};
use crate::choices::Strength;
use crate::job::{Job, error_name};
use crate::{fit, input, outputs, record, report, summary};
use partwise_report::console::{self, Verbosity};
use partwise_report::interrupt::{self, Kept};
use partwise_report::program::Outcome;

/// What it writes, beside run.json.
const FILES: &[&str] = &["sweep.csv", "report.html"];

/// Fits once for each scale; writes sweep.csv, report.html and run.json; prints the table.
pub(crate) fn run(args: &SweepArgs) -> Result<Outcome> {
    let mut fit_args = args.fit.clone();
    match fit_args.model.method.as_deref() {
        None => fit_args.model.method = Some("guided".into()),
        Some("guided") => {}
        Some(other) => bail!("sweep supports only the method guided, not {other}; leave --method out"),
    }
    if fit_args.model.strength == Some(Strength::Auto) {
        bail!("sweep varies the strengths itself; remove --strength auto");
    }
    if fit_args.content.codes != "plain" {
        bail!("sweep writes no codes; remove --codes");
    }
    let (folder, read) = fit::read(&fit_args, FILES)?;
    match input::precision(&fit_args.solve.dtype, &read.values) {
        "f32" => fit::with_job::<f32, _>(&fit_args, read, |job| over(args, &fit_args, &job, folder)),
        _ => fit::with_job::<f64, _>(&fit_args, read, |job| over(args, &fit_args, &job, folder)),
    }
}

fn over<T: Real>(
    args: &SweepArgs,
    fit_args: &FitArgs,
    job: &Job<'_, T>,
    folder: OutputFolder,
) -> Result<Outcome> {
    let began = Instant::now();
    let verbosity = Verbosity::of(fit_args.write.quiet, fit_args.write.json);
    summary::print_input(verbosity, job);
    job.chosen.iter().for_each(|line| verbosity.say(&format!("chosen: {line}")));
    let Some(composed) = job.composed else { bail!("sweep needs a guidance") };
    let loss = job.model.loss();
    let error = error_name(loss);
    let mut scales = args.scales.clone();
    scales.sort_by(f64::total_cmp);
    scales.dedup();
    let mut points = Vec::new();
    verbosity.say(&format!("{:>10}   {:>28}   {:>10}", "scale", error, "agreement"));
    for scale in scales {
        let data = job.data.matrix();
        let found = interrupt::work(|| sweep(data, &composed.guidance, loss, &job.settings, &[scale]));
        match found {
            Ok(found) => {
                let found = found?;
                found.iter().for_each(|point| verbosity.say(&line(point)));
                points.extend(found);
            }
            // The fits before this one are a result, too.
            Err(_) if !points.is_empty() => break,
            Err(stopped) => return Err(stopped.into()),
        }
        interrupt::keep(Kept::Earlier);
    }
    let run = write(folder, job, &points, began)?;
    job.source.notes.iter().for_each(|note| verbosity.note(note));
    let out = fit_args.write.out.display();
    verbosity.say(&format!("result: {out} (open {out}/report.html)"));
    if fit_args.write.json {
        console::print_json(&run);
    }
    Ok(if interrupt::requested() { Outcome::Interrupted } else { Outcome::Done })
}

fn line(point: &SweepPoint) -> String {
    format!("{:>10}   {:>28.6}   {:>10.4}", point.scale, point.relative_error, point.agreement)
}

fn write<T: Real>(
    folder: OutputFolder,
    job: &Job<'_, T>,
    points: &[SweepPoint],
    began: Instant,
) -> Result<Value> {
    folder.write("sweep.csv", |w| {
        writeln!(w, "scale,relative_error,agreement")?;
        points.iter().try_for_each(|p| writeln!(w, "{},{},{}", p.scale, p.relative_error, p.agreement))
    })?;
    let loss = job.model.loss();
    let mut facts = vec![
        (
            "Data",
            format!("{} ({} samples x {} features)", job.source.name, job.source.rows, job.source.columns),
        ),
        ("Guidance", job.composed.map_or(String::new(), |composed| composed.summary())),
        ("Loss", loss.name().to_string()),
        ("Components", job.settings.rank.to_string()),
        ("Seed", job.settings.seed.to_string()),
        ("Most iterations", job.settings.max_iterations.to_string()),
    ];
    facts.extend(job.chosen.iter().map(|line| ("Chosen", line.clone())));
    let title = input::short_name(&job.source.name);
    let page = report::sweep_page(&title, error_name(loss), points, &facts);
    folder.write("report.html", |w| w.write_all(page.as_bytes()))?;
    let point = |p: &SweepPoint| json!({ "scale": p.scale, "relative_error": p.relative_error, "agreement": p.agreement });
    let run = json!({
        "command": "sweep",
        "versions": partwise_io::versions(),
        "data": record::data_json(job.source, T::NAME),
        "settings": { "loss": loss.name(), "rank": job.settings.rank, "seed": job.settings.seed,
            "tolerance": job.settings.tolerance, "max_iterations": job.settings.max_iterations },
        "chosen": job.chosen,
        "notes": job.source.notes,
        "guidance": job.composed.map(|composed| composed.to_json(&composed.guidance)),
        "points": points.iter().map(point).collect::<Vec<_>>(),
        "seconds": began.elapsed().as_secs_f64(),
    });
    outputs::finish(folder, run)
}
