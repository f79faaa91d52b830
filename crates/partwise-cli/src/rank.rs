//! `partwise rank`: how many components the data support.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::Result;
use partwise::recipes::{RankChoice, RankProgress, RankRow, loss_for_rank, select_rank};
use partwise::{Real, Settings};
use partwise_io::{self as io, OutputFolder};
use serde_json::{Value, json};

use crate::input::{self, Read, Source, Table};
use crate::progress::Steps;
use crate::request::RankRequest;
use crate::{outputs, record, report};
use partwise_report::interrupt::{self, Kept};
use partwise_report::{duration, program::Outcome};

/// What it writes, beside run.json.
const FILES: &[&str] = &["rank.csv", "rank.json", "report.html"];

/// Reads the data, compares numbers of components, writes the table, the answer and a page.
pub(crate) fn run(request: &RankRequest) -> Result<Outcome> {
    let folder = outputs::open(&request.write, FILES)?;
    let read = input::read(&request.data)?;
    match read.is_single(request.dtype) {
        true => ranked::<f32>(request, read, folder),
        false => ranked::<f64>(request, read, folder),
    }
}

fn ranked<T: Real>(request: &RankRequest, read: Read, folder: OutputFolder) -> Result<Outcome> {
    let verbosity = request.write.verbosity();
    let Read { values, mut source } = read;
    let (mut table, _) = Table::<T>::from_values(values, &mut source, false)?;
    let scaling = table.learn_scaling(request.scaling);
    let data = table.into_data(&source.name)?;
    let loss = request.loss.unwrap_or_else(|| loss_for_rank(data.as_ref()));
    let settings = Settings {
        seed: request.run.seed,
        threads: request.run.threads,
        memory_limit: io::machine::available_memory(),
        ..Settings::new(1)
    };
    let began = Instant::now();
    let limit = request.time_limit.map(Duration::from_secs_f64);
    let mut steps = Steps::new(verbosity);
    let mut observe = |progress: RankProgress| {
        let what = if progress.replication { "do components return" } else { "held-out error" };
        let (k, fits) = (progress.rank, progress.fits);
        let time = duration(began.elapsed().as_secs_f64());
        steps.show(format!("rank: {what}, k = {k} ({fits} fits, {time})"));
        if progress.fits > 0 {
            interrupt::keep(Kept::Reached);
        }
        let late = limit.is_some_and(|limit| began.elapsed() >= limit);
        if late || interrupt::requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let found = interrupt::work(|| select_rank(data.as_ref(), loss, &settings, &request.rank, &mut observe));
    steps.finish();
    let found = found??;
    let seconds = began.elapsed().as_secs_f64();
    folder.write("rank.csv", |w| {
        writeln!(w, "rank,error,excess,excess_standard_error,replication")?;
        found.table.iter().try_for_each(|row| {
            let replication = row.replication.map_or(String::new(), |rho| rho.to_string());
            writeln!(w, "{},{},{},{},{replication}", row.rank, row.error, row.excess, row.excess_error)
        })
    })?;
    let answer = answer_json(&found);
    folder.write("rank.json", |w| w.write_all(format!("{answer:#}\n").as_bytes()))?;
    let page = report::rank_page(&input::short_name(&source.name), &found, &facts(request, &source, &found));
    folder.write("report.html", |w| w.write_all(page.as_bytes()))?;
    let run = outputs::finish(
        folder,
        json!({
            "command": "rank",
            "versions": io::versions(),
            "data": record::data_json(&source, T::NAME),
            "scale": io::scaling_json(&scaling),
            "settings": { "from": request.rank.from, "to": request.rank.to, "splits": request.rank.splits,
                "restarts": request.rank.restarts, "seed": request.run.seed,
                "time_limit_seconds": request.time_limit },
            "result": answer,
            "notes": source.notes,
            "threads": request.run.threads,
            "seconds": seconds,
            "peak_memory_bytes": io::machine::peak_memory(),
        }),
    )?;
    source.notes.iter().for_each(|note| verbosity.note(note));
    found.table.iter().for_each(|row| verbosity.say(&line(row)));
    verbosity.say(&found.explanation());
    let out = request.write.out.display();
    verbosity.say(&format!("result: {out} in {seconds:.1} s (open {out}/report.html)"));
    Ok(outputs::end(&request.write, &run))
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
        json!({ "rank": row.rank, "error": row.error, "excess": row.excess,
            "excess_standard_error": row.excess_error, "replication": row.replication })
    };
    json!({
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
    })
}

fn facts(request: &RankRequest, source: &Source, found: &RankChoice) -> Vec<(&'static str, String)> {
    let mut facts = source.facts().to_vec();
    facts.extend([
        ("Loss", found.loss.name().to_string()),
        ("Held out", found.holdout.name().to_string()),
        ("Splits", request.rank.splits.to_string()),
        ("Starts of each fit", request.rank.restarts.to_string()),
        ("Seed", request.run.seed.to_string()),
    ]);
    facts
}
