//! `partwise fit --recipe auto`: classes of all samples from the labels of a few, and what was chosen on the way.

use std::fmt::Display;
use std::time::Instant;

use anyhow::{Result, bail};
use partwise::recipes::{Automatic, AutomaticSettings, CandidateGraph, Reading, Stage, automatic_observed};
use partwise::{Real, ScalingKind};
use partwise_io::{self as io, OutputFolder};
use serde_json::{Value, json};

use crate::args::FitArgs;
use crate::guidance::{self, Given, Guidance};
use crate::input::{Read, Table};
use crate::{outputs, precision, record, scale};
use partwise_report::console::{self, Verbosity};
use partwise_report::duration;
use partwise_report::program::Outcome;

/// What it writes, beside run.json.
pub(crate) const FILES: &[&str] = &["memberships.npy", "memberships.csv"];

/// Reads labels, runs the recipe, writes memberships.csv, memberships.npy and run.json.
pub(crate) fn run<T: Real>(args: &FitArgs, read: Read, folder: OutputFolder) -> Result<Outcome> {
    let verbosity = Verbosity::of(args.write.quiet, args.write.json);
    let Read { values, mut source } = read;
    precision::check::<T>(&values, &mut source)?;
    let mut table = Table::<T>::from_values(values, &source)?;
    let given = guidance::labels(&args.guidance, &source, args.solve.seed, false)?;
    let Some(Given::Classes(guidance)) = given else {
        bail!("--recipe auto learns from labels, one a sample; give --labels or --label-column");
    };
    let scaling = scale::learn(ScalingKind::from_name(&args.model.scale)?, &table);
    scale::apply(&scaling, &mut table);
    let data = table.into_data(&source.name)?;
    let (seed, threads) = (args.solve.seed, args.solve.threads);
    let memory_limit = io::machine::available_memory();
    let settings = AutomaticSettings { seed, threads, memory_limit, ..AutomaticSettings::default() };
    let began = Instant::now();
    let mut tell = |stage: Stage| {
        verbosity.progress(&format!("recipe: {stage} ({})", duration(began.elapsed().as_secs_f64())));
    };
    let found = automatic_observed(data.matrix(), &guidance.labels, &settings, &mut tell)?;
    let seconds = began.elapsed().as_secs_f64();

    let names = guidance.labels.names();
    let clusters: Vec<String> = found.labels.iter().map(|class| names[*class].clone()).collect();
    let labelled: Vec<usize> =
        (0..data.matrix().n_samples()).filter(|i| guidance.labels.class(*i).is_some()).collect();
    let run = json!({
        "versions": partwise_io::versions(),
        "data": record::data_json(&source, T::NAME),
        "scale": io::scaling_json(&scaling),
        "labels": json!({
            "file": guidance.name,
            "sha256": guidance.sha256,
            "given": guidance.labels.n_labelled(),
            "samples": labelled,
        }),
        "recipe": recipe_json(&found, &settings, &guidance),
        "seconds": seconds,
    });
    folder.write("memberships.npy", |w| io::write_npy(w, &found.memberships))?;
    folder.write("memberships.csv", |w| {
        let table = io::Memberships {
            sample_names: source.row_names.as_deref(),
            clusters: &clusters,
            shares: &found.memberships,
            component_names: names,
        };
        io::write_memberships_csv(w, &table)
    })?;
    let run = outputs::finish(folder, run)?;
    guidance.notes.iter().for_each(|note| verbosity.note(note));
    found.notices.iter().for_each(|notice| verbosity.note(&notice.message));
    reasons(&found).iter().for_each(|line| verbosity.say(line));
    verbosity.say(&format!("wrote {} in {seconds:.1} s", args.write.out.display()));
    if args.write.json {
        console::print_json(&run);
    }
    Ok(Outcome::Done)
}

/// What the second graph of a candidate is made of.
fn origin(graph: CandidateGraph) -> String {
    match graph {
        CandidateGraph::Data => "the data alone".into(),
        CandidateGraph::Centroids => "class centroids".into(),
        CandidateGraph::Codes(1) => "WS-NMF, 1 component a class".into(),
        CandidateGraph::Codes(parts) => format!("WS-NMF, {parts} components a class"),
    }
}

fn score(score: Option<f64>, agreement: Option<f64>) -> String {
    match (score, agreement) {
        (None, _) => "not scored".into(),
        (Some(score), None) => format!("score {score:.2}"),
        (Some(score), Some(agreement)) => format!("score {score:.2}, agreement of the folds {agreement:.2}"),
    }
}

fn line<K: Display>(what: &str, r: &Reading<K>) -> String {
    format!("{what}: {}, weight {:.2} ({})", r.kind, r.weight, score(r.score, r.agreement))
}

fn record_of<K: Display>(what: &str, r: &Reading<K>) -> Value {
    json!({ what: r.kind.to_string(), "score": r.score, "agreement": r.agreement, "weight": r.weight })
}

/// What counted, in words: the graphs of 5 % or more, the readings and the refinements.
fn reasons(found: &Automatic) -> Vec<String> {
    let mut lines = vec![format!(
        "{} labels were hidden once, in {} folds; {} graphs were tried",
        found.hidden,
        found.folds,
        found.candidates.len()
    )];
    for c in found.candidates.iter().filter(|c| c.weight >= 0.05) {
        lines.push(format!(
            "graph: {:.0} % {}, {:.0} % of it ({})",
            100.0 * c.weight,
            origin(c.graph),
            100.0 * c.share,
            score(c.score, c.agreement)
        ));
    }
    lines.extend(found.readings.iter().map(|r| line("reading", r)));
    lines.extend(found.refinements.iter().map(|r| line("refinement", r)));
    lines
}

fn recipe_json(found: &Automatic, settings: &AutomaticSettings, guidance: &Guidance) -> Value {
    let candidate = |c: &partwise::recipes::Candidate| json!({ "graph": origin(c.graph), "share": c.share, "score": c.score, "agreement": c.agreement, "weight": c.weight });
    json!({
        "name": "auto",
        "seed": settings.seed,
        "components_per_class": settings.components_per_class,
        "graph_weight": settings.graph_weight,
        "iterations": settings.iterations,
        "folds": found.folds,
        "hidden_labels": found.hidden,
        "classes": guidance.labels.names(),
        "class_sizes": found.sizes,
        "candidates": found.candidates.iter().map(candidate).collect::<Vec<_>>(),
        "readings": found.readings.iter().map(|r| record_of("reading", r)).collect::<Vec<_>>(),
        "refinements": found.refinements.iter().map(|r| record_of("refinement", r)).collect::<Vec<_>>(),
        "notices": found.notices.iter().map(|n| json!({ "code": n.code, "message": n.message })).collect::<Vec<_>>(),
    })
}
