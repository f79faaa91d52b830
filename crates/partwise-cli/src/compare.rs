//! `partwise compare`: methods on the same data with the same few labels.

use std::ops::ControlFlow;
use std::time::Instant;

use anyhow::{Result, bail};
use partwise::Real;
use partwise_classify::compare::{
    CompareLine, CompareProgress, CompareRun, CompareSettings, Compared, Mean, compare_into,
};
use partwise_io::{self as io, OutputFolder};
use serde_json::{Value, json};

use crate::input::{self, Read, Source, Table};
use crate::labels::{KnownLabels, known_labels};
use crate::progress::Phases;
use crate::request::CompareRequest;
use crate::{outputs, record, report};
use partwise_report::interrupt::{self, Kept, Stopped};
use partwise_report::program::Outcome;

/// What it writes, beside run.json.
const FILES: &[&str] = &["compare.csv", "draws.csv", "report.html"];

/// Reads the data and labels, compares, writes.
pub(crate) fn run(request: &CompareRequest) -> Result<Outcome> {
    let folder = outputs::open(&request.write, FILES)?;
    let read = input::read(&request.data)?;
    match read.is_single(request.dtype) {
        true => compared::<f32>(request, read, folder),
        false => compared::<f64>(request, read, folder),
    }
}

fn compared<T: Real>(request: &CompareRequest, read: Read, folder: OutputFolder) -> Result<Outcome> {
    let verbosity = request.write.verbosity();
    let Read { values, mut source } = read;
    let (mut table, _) = Table::<T>::from_values(values, &mut source, false)?;
    let Some(KnownLabels::Classes(known)) = known_labels(&request.labels, &source, request.run.seed, false)?
    else {
        bail!("a comparison needs one label per sample");
    };
    let scaling = table.learn_scaling(request.scaling);
    let data = table.into_data(&source.name)?;
    let settings = CompareSettings {
        methods: request.methods.clone(),
        labels_per_class: request.labels_per_class.clone(),
        draws: request.draws,
        rank: request.rank,
        seed: request.run.seed,
        threads: request.run.threads,
        memory_limit: io::machine::available_memory(),
    };
    let began = Instant::now();
    let mut phases = Phases::new(verbosity, "compare");
    let mut observe = |progress: &CompareProgress| {
        let CompareProgress { method, labels_per_class, draw, done } = progress;
        if *draw > 0 {
            interrupt::keep(Kept::Earlier);
        }
        let what =
            format!("draw {} of {}, {labels_per_class} labels per class: {method}", draw + 1, request.draws);
        phases.begin(&what, done.0 as f64 / done.1 as f64);
        ControlFlow::Continue(())
    };
    let mut found = Compared::default();
    let ended = interrupt::work(|| {
        let (truth, names) = (&known.truth, &known.class_names);
        compare_into(&mut found, data.as_ref(), truth, names, &settings, &mut observe)
    });
    phases.finish();
    match ended {
        Ok(result) => result?,
        Err(stopped) if found.runs.is_empty() => return Err(stopped.into()),
        Err(Stopped) => {}
    }
    let lines = found.lines();
    folder.write("compare.csv", |w| w.write_all(lines_csv(&found, &lines).as_bytes()))?;
    folder.write("draws.csv", |w| w.write_all(runs_csv(&found).as_bytes()))?;
    let page = report::compare_page(&source, &settings, &found, &lines);
    folder.write("report.html", |w| w.write_all(page.as_bytes()))?;
    let notes = notes(&[&known.notes, &source.notes], &found);
    let run = json!({
        "command": "compare",
        "versions": io::versions(),
        "data": record::data_json(&source, T::NAME),
        "scale": io::scaling_json(&scaling),
        "labels": json!({ "file": known.name, "sha256": known.sha256,
            "given": known.labels.n_labelled(), "classes": known.class_names }),
        "settings": json!({ "methods": found.methods, "draws": request.draws,
            "labels_per_class": request.labels_per_class, "components": request.rank,
            "seed": request.run.seed }),
        "lines": lines.iter().map(|line| line_json(&found, line)).collect::<Vec<_>>(),
        "runs": found.runs.iter().map(|run| run_json(&found, run)).collect::<Vec<_>>(),
        "stopped": found.stopped,
        "notes": notes,
        "seconds": began.elapsed().as_secs_f64(),
        "peak_memory_bytes": io::machine::peak_memory(),
    });
    let run = outputs::finish(folder, run)?;
    notes.iter().for_each(|note| verbosity.note(note));
    if found.stopped {
        let draws = lines.first().map_or(0, |line| line.draws);
        verbosity.note(&format!(
            "stopped after {draws} of {} draws; the complete draws were written",
            request.draws
        ));
    }
    print(&source, &found, &lines).iter().for_each(|line| verbosity.say(line));
    let out = request.write.out().display().to_string();
    verbosity
        .say(&format!("result: {out} in {:.1} s (open {out}/report.html)", began.elapsed().as_secs_f64()));
    Ok(outputs::end(&request.write, &run))
}

/// What the readers noticed, and what is worth knowing of the comparison.
fn notes(read: &[&[String]], found: &Compared) -> Vec<String> {
    read.concat().into_iter().chain(found.notices().into_iter().map(|notice| notice.message)).collect()
}

/// The table for the terminal.
fn print(source: &Source, found: &Compared, lines: &[CompareLine]) -> Vec<String> {
    let mut out = Vec::new();
    let mut number = 0;
    let width = found.methods.iter().map(String::len).max().unwrap_or(0).max(10);
    for line in lines {
        if line.labels_per_class != number {
            number = line.labels_per_class;
            let plural = if line.draws == 1 { "draw" } else { "draws" };
            let judged = match found.classes_judged(number) {
                (judged, all) if judged < all => format!("{judged} of {all} classes judged; "),
                _ => String::new(),
            };
            out.push(format!(
                "{number} labels per class, {} {plural} ({} samples; {judged}mean ± standard error):",
                line.draws, source.rows
            ));
            out.push(format!(
                "  {:<width$}  {:>14}  {:>14}  {:>14}  {:>14}  {:>8}",
                "method", "accuracy %", "to the first", "NMI %", "error", "seconds"
            ));
        }
        let mark = if found.named[line.method] { ' ' } else { '*' };
        let difference = line.difference.as_ref().map_or(String::new(), Mean::difference_in_words);
        let error = line.relative_error.as_ref().map_or("–".into(), |mean| mean.in_words(1.0, 3));
        out.push(format!(
            "  {:<width$}  {:>13}{mark}  {difference:>14}  {:>14}  {error:>14}  {:>8.2}",
            found.methods[line.method],
            line.accuracy.in_words(100.0, 1),
            line.nmi.in_words(100.0, 1),
            line.seconds.mean,
        ));
    }
    if found.named.contains(&false) {
        out.push("  * under the best one-to-one map of clusters to classes, which knows all labels".into());
    }
    out
}

fn lines_csv(found: &Compared, lines: &[CompareLine]) -> String {
    let mut out = String::from(
        "method,labels_per_class,draws,accuracy_by,accuracy,accuracy_standard_error,difference,\
        difference_standard_error,nmi,nmi_standard_error,relative_error,relative_error_standard_error,\
        seconds,classes_judged\n",
    );
    let mean = |mean: Option<&Mean>| {
        let error = mean.and_then(|mean| mean.standard_error).map_or(String::new(), |e| e.to_string());
        format!("{},{error}", mean.map_or(String::new(), |mean| mean.mean.to_string()))
    };
    for line in lines {
        out.push_str(&format!(
            "{},{},{},{},{},{},{},{},{},{}\n",
            found.methods[line.method],
            line.labels_per_class,
            line.draws,
            judged_by(found, line.method),
            mean(Some(&line.accuracy)),
            mean(line.difference.as_ref()),
            mean(Some(&line.nmi)),
            mean(line.relative_error.as_ref()),
            line.seconds.mean,
            found.classes_judged(line.labels_per_class).0,
        ));
    }
    out
}

fn runs_csv(found: &Compared) -> String {
    let mut out = String::from("method,labels_per_class,draw,accuracy,nmi,relative_error,seconds\n");
    for run in &found.runs {
        out.push_str(&format!(
            "{},{},{},{},{},{},{}\n",
            found.methods[run.method],
            run.labels_per_class,
            run.draw,
            run.accuracy,
            run.nmi,
            run.relative_error.map_or(String::new(), |error| error.to_string()),
            run.seconds,
        ));
    }
    out
}

fn judged_by(found: &Compared, method: usize) -> &'static str {
    if found.named[method] { "class names" } else { "best map" }
}

fn line_json(found: &Compared, line: &CompareLine) -> Value {
    let mean = |mean: &Mean| json!({ "mean": mean.mean, "standard_error": mean.standard_error });
    json!({
        "method": found.methods[line.method],
        "labels_per_class": line.labels_per_class,
        "draws": line.draws,
        "accuracy_by": judged_by(found, line.method),
        "accuracy": mean(&line.accuracy),
        "difference": line.difference.as_ref().map(mean),
        "nmi": mean(&line.nmi),
        "relative_error": line.relative_error.as_ref().map(mean),
        "seconds": mean(&line.seconds),
        "classes_judged": found.classes_judged(line.labels_per_class).0,
    })
}

fn run_json(found: &Compared, run: &CompareRun) -> Value {
    json!({
        "method": found.methods[run.method],
        "labels_per_class": run.labels_per_class,
        "draw": run.draw,
        "accuracy": run.accuracy,
        "nmi": run.nmi,
        "relative_error": run.relative_error,
        "seconds": run.seconds,
    })
}
