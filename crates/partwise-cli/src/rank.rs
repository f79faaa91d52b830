//! `partwise rank`: how many components the data support.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::Result;
use partwise::guidance::Guidance;
use partwise::recipes::{
    FinishedPieces, RankChoice, RankProgress, RankRow, RankSettings, RankStep, loss_for_rank, memory_of_rank,
    select_rank,
};
use partwise::{DataMatrix, Error, Loss, Real, Scaling, Settings};
use partwise_io::{self as io, OutputFolder, PieceFolder};
use serde_json::{Map, Value, json};

use crate::feature_names::name_features_by;
use crate::input::{self, Read, Source, Table};
use crate::known::Known;
use crate::progress::Display;
use crate::request::RankRequest;
use crate::{outputs, record, report, summary};
use partwise_report::console::Verbosity;
use partwise_report::interrupt::{self, Kept, Stopped};
use partwise_report::{duration, program::Outcome};

/// What it writes, beside run.json.
const FILES: &[&str] = &["rank.csv", "rank.json", "report.html"];
/// The flags for the numbers of [`RankSettings`], in their order.
const FLAGS: [&str; 4] = ["--from", "--to", "--splits", "--restarts"];

/// Reads the data, compares numbers of components, writes the table, the answer and a page.
pub(crate) fn run(request: &RankRequest) -> Result<Outcome> {
    let folder = outputs::open(&request.write, FILES)?;
    let mut read = input::read(&request.data)?;
    name_features_by(request.known.feature_names.as_deref(), &mut read.source)?;
    let found = match read.is_single(request.dtype) {
        true => ranked::<f32>(request, read, folder),
        false => ranked::<f64>(request, read, folder),
    };
    found.map_err(|error| match error.downcast::<Error>() {
        Ok(error) => error.with_names_of_settings(&RankSettings::WORDS, &FLAGS).into(),
        Err(other) => other,
    })
}

fn ranked<T: Real>(request: &RankRequest, read: Read, folder: OutputFolder) -> Result<Outcome> {
    let verbosity = request.write.verbosity();
    let Read { values, mut source } = read;
    let (mut table, _) = Table::<T>::from_values(values, &mut source, false)?;
    let scaling = table.learn_scaling(request.scaling);
    let data = table.into_data(&source.name)?;
    let loss = request.loss.unwrap_or_else(|| loss_for_rank(data.as_ref()));
    let known =
        request.asked().map(|asked| Known::gather(asked, &source, data.as_ref(), None)).transpose()?;
    known.as_ref().map(|known| known.check_components("rank")).transpose()?;
    let guidance = known.as_ref().map(|known| known.at(1.0));
    let settings = Settings {
        seed: request.run.seed,
        threads: request.run.threads,
        memory_limit: io::machine::available_memory(),
        ..Settings::new(1)
    };
    summary::print_data(verbosity, &source);
    let of_guidance = known.as_ref().map_or(Vec::new(), Known::notes_of_many_fits);
    of_guidance.iter().for_each(|note| verbosity.note(note));
    let needed = memory_of_rank(data.as_ref(), guidance.as_ref(), loss, &settings, &request.rank)?;
    verbosity.say(&summary::memory_of_many(&needed, settings.memory_limit));
    let began = Instant::now();
    let limit = request.time_limit.map(Duration::from_secs_f64);
    let place = PieceFolder::path_for(folder.target());
    let header = header(request, (&source, T::NAME), &scaling, (loss, guidance.as_ref()));
    let kept = PieceFolder::open(&place, &header, request.write.force)?;
    if kept.found() > 0 {
        verbosity.say(&format!("resumed: {} finished fits found in {}", kept.found(), kept.path().display()));
    }
    let limits = (&request.rank, limit);
    let found =
        match search(data.as_ref(), guidance.as_ref(), loss, &settings, limits, Some(&kept), verbosity) {
            Err(error) if kept.found() == 0 && !error.is::<Stopped>() => {
                // Nothing to go on with.
                kept.remove()?;
                return Err(error);
            }
            found => found?,
        };
    let seconds = began.elapsed().as_secs_f64();
    folder.write("rank.csv", |w| w.write_all(table_csv(&found).as_bytes()))?;
    let answer = answer_json(&found);
    folder.write("rank.json", |w| w.write_all(format!("{answer:#}\n").as_bytes()))?;
    let (name, names) = (input::short_name(&source.name), source.feature_names.as_deref());
    let page = report::rank_page(&name, &found, names, &facts(request, &source, &found, &of_guidance));
    folder.write("report.html", |w| w.write_all(page.as_bytes()))?;
    let run = outputs::finish(
        folder,
        json!({
            "command": "rank",
            "versions": io::versions(),
            "data": record::data_json(&source, T::NAME),
            "scale": io::scaling_json(&scaling),
            "settings": { "from": request.rank.from, "to": request.rank.to, "splits": found.splits,
                "restarts": found.restarts, "seed": request.run.seed,
                "time_limit_seconds": request.time_limit },
            "guidance": known.as_ref().zip(guidance.as_ref()).map(|(known, given)| known.to_json(given)),
            "result": answer,
            "notes": source.notes.iter().chain(&of_guidance).collect::<Vec<_>>(),
            "threads": request.run.threads,
            "seconds": seconds,
            "peak_memory_bytes": io::machine::peak_memory(),
        }),
    )?;
    if found.stopped {
        verbosity.note(&format!(
            "the search was stopped; its fits are kept in {}: the same command with --force goes on from there",
            place.display()
        ));
    } else {
        kept.remove()?;
    }
    source.notes.iter().for_each(|note| verbosity.note(note));
    found.table.iter().for_each(|row| verbosity.say(&line(row)));
    verbosity.say(&found.explanation());
    let out = request.write.out().display().to_string();
    verbosity.say(&format!("result: {out} in {seconds:.1} s (open {out}/report.html)"));
    Ok(outputs::end(&request.write, &run))
}

/// A row for each number of components.
fn table_csv(found: &RankChoice) -> String {
    let guided = if found.guided.is_some() { ",free,hidden_labels_found,drift_of_named" } else { "" };
    let mut out = format!("rank,error,excess,excess_standard_error,replication{guided}\n");
    let text = |number: Option<f64>| number.map_or(String::new(), |number| number.to_string());
    for row in &found.table {
        let RankRow { rank, error, excess, excess_error, replication, .. } = row;
        out.push_str(&format!("{rank},{error},{excess},{excess_error},{}", text(*replication)));
        if let Some(guided) = &found.guided {
            let (agreement, drift) =
                (row.guided.and_then(|row| row.agreement), row.guided.map(|row| row.drift));
            out.push_str(&format!(",{},{},{}", rank - guided.named, text(agreement), text(drift)));
        }
        out.push('\n');
    }
    out
}

/// The version of what a split is scored by: scores of another one are not mixed with those of this one.
const SCORES: u32 = 2;

/// All that the scores of a split at some k depend on.
fn header(
    request: &RankRequest,
    (source, number): (&Source, &'static str),
    scaling: &Scaling,
    (loss, guidance): (Loss, Option<&Guidance>),
) -> Map<String, Value> {
    let mut data = record::data_json(source, number);
    // The same data may be reached by another path.
    data.as_object_mut().and_then(|data| data.remove("file"));
    let guidance = guidance.map(|guidance| io::sha256_hex(&serde_json::to_vec(guidance).unwrap_or_default()));
    let settings = json!({ "loss": loss.name(), "holdout": request.rank.holdout.name(),
        "restarts": request.rank.restarts, "seed": request.run.seed });
    [
        ("command", json!("rank")),
        ("data", data),
        ("scale", io::scaling_json(scaling)),
        ("settings", settings),
        ("scores", json!(SCORES)),
        ("guidance_sha256", json!(guidance)),
    ]
    .into_iter()
    .map(|(key, value)| (key.to_string(), value))
    .collect()
}

/// The search, with its progress.
pub(crate) fn search<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: Option<&Guidance>,
    loss: Loss,
    settings: &Settings,
    (rank, limit): (&RankSettings, Option<Duration>),
    kept: Option<&PieceFolder>,
    verbosity: Verbosity,
) -> Result<RankChoice> {
    let began = Instant::now();
    let mut steps = Display::of_text(verbosity);
    let mut observe = |progress: RankProgress| {
        let what = if progress.replication { "do components return" } else { "held-out error" };
        let (k, fits) = (progress.rank, progress.fits);
        let elapsed = began.elapsed().as_secs_f64();
        let left = elapsed * (1.0 - progress.work) / progress.work;
        let left = if left.is_finite() { format!(", about {} left", duration(left)) } else { String::new() };
        steps.show(format!("rank: {what}, k = {k} ({fits} fits, {}{left})", duration(elapsed)));
        if progress.fits > 0 {
            interrupt::keep(Kept::Reached);
        }
        let late = limit.is_some_and(|limit| began.elapsed() >= limit);
        if late || interrupt::requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let finished = kept.map(|kept| kept as &dyn FinishedPieces);
    let found = interrupt::work(|| select_rank(data, guidance, loss, settings, rank, finished, &mut observe));
    steps.finish();
    Ok(found??)
}

fn line(row: &RankRow) -> String {
    let replication = row.replication.map_or(String::new(), |rho| format!("   return {rho:.2}"));
    format!(
        "k = {:<4} held-out error {:.5}   excess {:.1e} ± {:.1e}{replication}",
        row.rank, row.error, row.excess, row.excess_error
    )
}

fn answer_json(found: &RankChoice) -> Value {
    let row = |row: &RankRow| {
        let mut out = json!({ "rank": row.rank, "error": row.error, "excess": row.excess,
            "excess_standard_error": row.excess_error, "replication": row.replication,
            "errors_of_splits": row.errors });
        if let Some(guided) = row.guided {
            out["hidden_labels_found"] = guided.agreement.into();
            out["drift_of_named"] = guided.drift.into();
        }
        out
    };
    let mut out = json!({
        "rank": found.rank,
        "k_prediction": found.k_prediction,
        "k_replication": found.k_replication,
        "structure": found.structure,
        "confidence": found.confidence,
        "at_limit": found.at_limit,
        "none_returns": found.none_returns,
        "stopped": found.stopped,
        "holdout": found.holdout.name(),
        "loss": found.loss.name(),
        "explanation": found.explanation(),
        "table": found.table.iter().map(row).collect::<Vec<_>>(),
    });
    let step = |step: &RankStep| {
        json!({ "from": step.from, "parent": step.parent, "into": step.into, "cosine": step.cosine,
            "unchanged": step.unchanged })
    };
    out["steps"] = found.steps.iter().map(step).collect();
    if let Some(guided) = &found.guided {
        out["guidance"] = json!({ "named": guided.named, "free": found.rank - guided.named,
            "hidden_labels": guided.hidden_labels, "topic_in_two": guided.topic_in_two });
    }
    out
}

fn facts(
    request: &RankRequest,
    source: &Source,
    found: &RankChoice,
    notes: &[String],
) -> Vec<(&'static str, String)> {
    let mut facts = source.facts().to_vec();
    facts.extend([
        ("Loss", found.loss.name().to_string()),
        ("Held out", found.holdout.name().to_string()),
        ("Splits", found.splits.to_string()),
        ("Starts of each fit", found.restarts.to_string()),
        ("Seed", request.run.seed.to_string()),
    ]);
    facts.extend(notes.iter().map(|note| ("Note", note.clone())));
    facts
}
