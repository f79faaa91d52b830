//! `partwise consensus`: components that return from many random starts.

use std::ops::ControlFlow;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use partwise::memory::{DataSize, Estimate, in_words};
use partwise::recipes::{
    Consensus, ConsensusSummary, RestartProgress, consensus_at, distinctive_features, fit_restarts,
    memory_of_consensus,
};
use partwise::{Matrix, Real, solvers};
use partwise_io::{self as io, CheckpointFolder, OutputFolder};
use partwise_page::ConsensusPage;
use partwise_report::interrupt::{self, Kept, Stopped};
use partwise_report::{duration, program::Outcome};
use serde_json::{Map, Value, json};

use crate::job::{Job, error_name};
use crate::progress::Fits;
use crate::request::ConsensusRequest;
use crate::{fit, input, outputs, record, search, summary};

/// What it writes, beside run.json and the matrices of each k.
const FILES: &[&str] = &["consensus.csv", "stability.csv", "consensus.json", "README.txt", "report.html"];
/// Features that the page lists for a component.
const FEATURES: usize = 8;

/// Fits from many starts, writes what returns.
pub(crate) fn run(request: &ConsensusRequest) -> Result<Outcome> {
    let names: Vec<String> = request.consensus.ranks.iter().flat_map(|k| matrices(*k)).collect();
    let files: Vec<&str> = FILES.iter().copied().chain(names.iter().map(String::as_str)).collect();
    let (folder, read) = fit::read(&request.fit, &files)?;
    match read.is_single(request.fit.dtype) {
        true => fit::with_job::<f32, _>(&request.fit, read, |job| of_job(request, job, folder)),
        false => fit::with_job::<f64, _>(&request.fit, read, |job| of_job(request, job, folder)),
    }
}

/// The files of one k.
fn matrices(rank: usize) -> [String; 4] {
    ["components_k{}.csv", "components_k{}.npy", "codes_k{}.csv", "codes_k{}.npy"]
        .map(|name| name.replace("{}", &rank.to_string()))
}

fn of_job<T: Real>(request: &ConsensusRequest, mut job: Job<'_, T>, folder: OutputFolder) -> Result<Outcome> {
    let (began, verbosity) = (Instant::now(), request.verbosity());
    let (consensus, settings) = (&request.consensus, job.settings.clone());
    let ranks = consensus.checked(job.data, &job.model)?;
    let needed = memory_of_consensus(DataSize::of(job.data), &job.model, &settings, consensus);
    summary::print_source(verbosity, &job);
    verbosity.say(&memory_line(&needed, settings.memory_limit));
    if request.fit.searches || job.known.guidance.searches() {
        search::find(&mut job)?;
    }
    if job.takes_anything() {
        fit::spread_labels(&mut job, request.fit.spread, verbosity)?;
    }
    job.chosen.iter().for_each(|line| verbosity.say(line));
    let place = CheckpointFolder::path_for(folder.target());
    let kept = CheckpointFolder::open(&place, &header(&job), request.fit.write.force)?;
    if kept.found() > 0 {
        verbosity.say(&format!("resumed: {} finished fits found in {}", kept.found(), kept.path().display()));
    }
    let done = fit_all(request, &job, &kept, began)?;
    let mut found = Vec::new();
    let mut features = Vec::new();
    for &rank in &ranks {
        let of_k = || consensus_at(job.data, &job.model, &settings, rank, consensus.restarts, &kept);
        let Some(of_k) = interrupt::work(of_k)?? else { continue };
        write_matrices(&folder, &job, &of_k)?;
        features.push(top_features(&job, &of_k.components));
        found.push(of_k.summary);
    }
    let total = ranks.len() * consensus.restarts;
    if found.is_empty() {
        bail!(
            "the time limit came after {done} of {total} fits, and a consensus needs two for one k; they are \
            kept in {}: the same command goes on from there",
            place.display()
        );
    }
    let seconds = began.elapsed().as_secs_f64();
    let run = write_result(request, &job, folder, &found, (&features, done, seconds, &needed))?;
    job.source.notes.iter().for_each(|note| verbosity.note(note));
    if done == total {
        kept.remove()?;
    } else {
        verbosity.note(&format!(
            "the time limit came after {done} of {total} fits, and the result is made from these; they are \
            kept in {}: the same command with --force goes on from there",
            place.display()
        ));
    }
    print(request, &found, seconds);
    Ok(outputs::end(&request.fit.write, &run))
}

fn memory_line(needed: &Estimate, available: Option<u64>) -> String {
    let available = available.map_or(String::new(), |bytes| format!(" of {} available", in_words(bytes)));
    format!(
        "memory: about {}{available} (the data once, whatever the number of threads)",
        in_words(needed.bytes())
    )
}

/// All fits that are not done yet; returns how many are done.
fn fit_all<T: Real>(
    request: &ConsensusRequest,
    job: &Job<'_, T>,
    kept: &CheckpointFolder,
    began: Instant,
) -> Result<usize> {
    let fits = Fits::new(request.verbosity(), "consensus");
    let observe = |progress: RestartProgress| {
        fits.show(progress);
        let late = request.time_limit.is_some_and(|limit| began.elapsed() >= limit);
        if late || interrupt::requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    // A signal ends the fits as the time limit does: those under way are dropped.
    interrupt::keep(Kept::Reached);
    let done = fit_restarts(job.data, &job.model, &job.settings, &request.consensus, kept, &observe);
    interrupt::keep(Kept::Nothing);
    fits.finish();
    let done = done?;
    if interrupt::requested() {
        let path = kept.path().display();
        return Err(anyhow!(Stopped)).context(format!(
            "interrupted; {done} finished fits are kept in {path}: the same command goes on from there"
        ));
    }
    Ok(done)
}

/// All that changes a fit but its k and its number.
fn header<T: Real>(job: &Job<'_, T>) -> Map<String, Value> {
    let mut data = record::data_json(job.source, T::NAME);
    // The same data may be reached by another path.
    data.as_object_mut().and_then(|data| data.remove("file"));
    let guidance = serde_json::to_vec(job.model.guidance()).unwrap_or_default();
    let mut header = Map::new();
    header.insert("command".into(), json!("consensus"));
    header.insert("data".into(), data);
    header.insert("scale".into(), io::scaling_json(job.scaling));
    header.insert("settings".into(), Value::Object(settings_json(job)));
    header.insert("guidance_sha256".into(), json!(io::sha256_hex(&guidance)));
    header
}

/// The settings that all fits share.
fn settings_json<T: Real>(job: &Job<'_, T>) -> Map<String, Value> {
    let (settings, mut out) = (&job.settings, Map::new());
    let solver = solvers::ALL.iter().find(|spec| spec.choice == settings.solver).map(|spec| spec.name);
    let solver = solver.unwrap_or("auto");
    let mut set = |key: &str, value: Value| out.insert(key.into(), value);
    set("method", json!(job.model.spec().name));
    set("loss", json!(job.model.loss().name()));
    set("solver", json!(solver));
    set("inner_steps", json!(settings.inner_steps));
    set("acceleration", json!(settings.acceleration.name()));
    set("init", json!(settings.init.name()));
    set("first", json!(settings.first.map(|slot| slot.name())));
    set("seed", json!(settings.seed));
    set("tolerance", json!(settings.tolerance));
    set("max_iterations", json!(settings.max_iterations));
    set("l1", json!([settings.l1.0, settings.l1.1]));
    set("l2", json!([settings.l2.0, settings.l2.1]));
    out.extend(record::parameters(&job.model).into_iter().map(|(key, value)| (key.to_string(), value)));
    out
}

fn write_matrices<T: Real>(folder: &OutputFolder, job: &Job<'_, T>, found: &Consensus<T>) -> Result<()> {
    let names = found.summary.names();
    let [components_csv, components_npy, codes_csv, codes_npy] = matrices(found.summary.rank);
    let features = job.source.feature_names.as_deref();
    folder.write(&components_csv, |w| {
        io::write_matrix_csv(w, "component", &found.components, Some(&names), features)
    })?;
    folder.write(&components_npy, |w| io::write_npy(w, &found.components))?;
    let samples = job.source.row_names.as_deref();
    folder.write(&codes_csv, |w| io::write_matrix_csv(w, "sample", &found.codes, samples, Some(&names)))?;
    Ok(folder.write(&codes_npy, |w| io::write_npy(w, &found.codes))?)
}

/// The features that tell each component from the others, by name; none where features have no names.
fn top_features<T: Real>(job: &Job<'_, T>, components: &Matrix<T>) -> Vec<Vec<String>> {
    let Some(names) = &job.source.feature_names else { return vec![Vec::new(); components.rows()] };
    let named = |of: Vec<(usize, f64)>| of.into_iter().map(|(feature, _)| names[feature].clone()).collect();
    distinctive_features(components, FEATURES).into_iter().map(named).collect()
}

fn write_result<T: Real>(
    request: &ConsensusRequest,
    job: &Job<'_, T>,
    folder: OutputFolder,
    found: &[ConsensusSummary],
    (features, done, seconds, needed): (&[Vec<Vec<String>>], usize, f64, &Estimate),
) -> Result<Value> {
    folder.write("consensus.csv", |w| io::write_consensus_csv(w, found))?;
    folder.write("stability.csv", |w| io::write_stability_csv(w, found))?;
    let tables = io::consensus_json(found);
    folder.write("consensus.json", |w| writeln!(w, "{tables:#}"))?;
    let (ranks, loss) = (found.iter().map(|of_k| of_k.rank).collect::<Vec<_>>(), job.model.loss());
    folder.write("README.txt", |w| w.write_all(io::consensus_readme(&ranks, loss).as_bytes()))?;
    let mut facts = job.source.facts().to_vec();
    facts.extend(job.known.facts(job.takes_anything()));
    facts.extend([
        ("Method", job.model.spec().name.to_string()),
        ("Loss", loss.name().to_string()),
        ("Fits for each k", request.consensus.restarts.to_string()),
        ("Random seeds", format!("from {} on", job.settings.seed)),
        ("Fits done", done.to_string()),
        ("Time", duration(seconds)),
    ]);
    facts.extend(job.chosen.iter().map(|line| ("Chosen", line.clone())));
    let page = ConsensusPage {
        title: input::short_name(&job.source.name),
        error_name: error_name(loss),
        found,
        features,
        facts: &facts,
    };
    folder.write("report.html", |w| w.write_all(page.html().as_bytes()))?;
    outputs::finish(
        folder,
        json!({
            "command": "consensus",
            "versions": io::versions(),
            "data": record::data_json(job.source, T::NAME),
            "scale": io::scaling_json(job.scaling),
            "settings": settings_json(job),
            "k": ranks,
            "restarts": request.consensus.restarts,
            "time_limit_seconds": request.time_limit.map(|limit| limit.as_secs_f64()),
            "chosen": job.chosen,
            "guidance": job.known.to_json(job.model.guidance()),
            "fits": done,
            "result": tables,
            "notes": job.source.notes,
            "threads": job.settings.threads,
            "seconds": seconds,
            "estimated_memory_bytes": needed.bytes(),
            "peak_memory_bytes": io::machine::peak_memory(),
        }),
    )
}

fn print(request: &ConsensusRequest, found: &[ConsensusSummary], seconds: f64) {
    let (verbosity, out) = (request.verbosity(), request.fit.write.out.display());
    for of_k in found {
        verbosity.say(&format!("{}, relative error {:.4}", of_k.explanation(), of_k.relative_error));
    }
    if let Some(peak) = io::machine::peak_memory() {
        verbosity.say(&format!("peak memory: {:.0} MB", peak as f64 / 1e6));
    }
    verbosity.say(&format!("result: {out} in {} (open {out}/report.html)", duration(seconds)));
}
