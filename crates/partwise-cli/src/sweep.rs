//! `partwise sweep`: fit against agreement over the strengths of a guidance.

use std::time::Instant;

use anyhow::Result;
use partwise::Real;
use partwise::recipes::{SweepPoint, sweep};
use partwise_io::OutputFolder;
use serde_json::{Value, json};

use crate::job::Job;
use crate::request::SweepRequest;
use crate::{fit, input, outputs, record, report, summary};
use partwise_report::interrupt::{self, Kept};
use partwise_report::program::Outcome;

/// What it writes, beside run.json.
const FILES: &[&str] = &["sweep.csv", "report.html"];

/// Fits once for each scale; writes sweep.csv, report.html and run.json; prints the table.
pub(crate) fn run(request: &SweepRequest) -> Result<Outcome> {
    let (folder, read) = fit::read(&request.fit, FILES)?;
    match read.is_single(request.fit.dtype) {
        true => fit::with_job::<f32, _>(&request.fit, read, |job| over(request, &job, folder)),
        false => fit::with_job::<f64, _>(&request.fit, read, |job| over(request, &job, folder)),
    }
}

fn over<T: Real>(request: &SweepRequest, job: &Job<'_, T>, folder: OutputFolder) -> Result<Outcome> {
    let (began, write) = (Instant::now(), &request.fit.write);
    let verbosity = write.verbosity();
    job.known.check_components("sweep")?;
    summary::print_input(verbosity, job);
    let of_guidance = job.known.notes_of_many_fits();
    of_guidance.iter().for_each(|note| verbosity.note(note));
    job.chosen.iter().for_each(|line| verbosity.say(line));
    let (guidance, loss) = (&job.known.guidance, job.model.loss());
    let (mut points, mut stopped) = (Vec::new(), false);
    verbosity.say(&format!("{:>10}   {:>28}   {:>10}", "scale", loss.error_name(), "agreement"));
    for &scale in &request.scales {
        let found = interrupt::work(|| sweep(job.data, guidance, loss, &job.settings, &[scale]));
        match found {
            Ok(found) => {
                let found = found?;
                found.iter().for_each(|point| verbosity.say(&line(point)));
                points.extend(found);
            }
            // The fits before this one are a result, too.
            Err(_) if !points.is_empty() => {
                stopped = true;
                break;
            }
            Err(stopped) => return Err(stopped.into()),
        }
        interrupt::keep(Kept::Earlier);
    }
    let done = stopped.then(|| {
        let (done, all) = (points.len(), request.scales.len());
        format!("stopped after {done} of {all} scales; the others were not fitted")
    });
    let notes = [&job.source.notes[..], &of_guidance].concat();
    let run = write_result(folder, job, (&points, done.as_deref()), &notes, began)?;
    done.iter().for_each(|note| verbosity.note(note));
    job.source.notes.iter().for_each(|note| verbosity.note(note));
    let out = write.out().display().to_string();
    verbosity.say(&format!("result: {out} (open {out}/report.html)"));
    Ok(outputs::end(write, &run))
}

fn line(point: &SweepPoint) -> String {
    format!("{:>10}   {:>28.6}   {:>10.4}", point.scale, point.relative_error, point.agreement)
}

fn write_result<T: Real>(
    folder: OutputFolder,
    job: &Job<'_, T>,
    (points, stopped): (&[SweepPoint], Option<&str>),
    notes: &[String],
    began: Instant,
) -> Result<Value> {
    folder.write("sweep.csv", |w| {
        writeln!(w, "scale,relative_error,agreement")?;
        points.iter().try_for_each(|p| writeln!(w, "{},{},{}", p.scale, p.relative_error, p.agreement))
    })?;
    let loss = job.model.loss();
    let mut facts = job.source.facts().to_vec();
    facts.extend(job.known.facts(true));
    facts.extend([
        ("Loss", loss.name().to_string()),
        ("Components", job.settings.rank.to_string()),
        ("Seed", job.settings.seed.to_string()),
        ("Most iterations", job.settings.max_iterations.to_string()),
    ]);
    facts.extend(job.chosen.iter().map(|line| ("Chosen", line.clone())));
    facts.extend(notes.iter().map(|note| ("Note", note.clone())));
    facts.extend(stopped.map(|note| ("Stopped", note.to_string())));
    let title = input::short_name(&job.source.name);
    let page = report::sweep_page(&title, loss.error_name(), points, &facts);
    folder.write("report.html", |w| w.write_all(page.as_bytes()))?;
    let point = |p: &SweepPoint| json!({ "scale": p.scale, "relative_error": p.relative_error, "agreement": p.agreement });
    let run = json!({
        "command": "sweep",
        "versions": partwise_io::versions(),
        "data": record::data_json(job.source, T::NAME),
        "settings": { "loss": loss.name(), "rank": job.settings.rank, "seed": job.settings.seed,
            "tolerance": job.settings.tolerance, "max_iterations": job.settings.max_iterations },
        "chosen": job.chosen,
        "stopped": stopped.is_some(),
        "notes": notes,
        "guidance": job.known.to_json(&job.known.at(1.0)),
        "points": points.iter().map(point).collect::<Vec<_>>(),
        "seconds": began.elapsed().as_secs_f64(),
    });
    outputs::finish(folder, run)
}
