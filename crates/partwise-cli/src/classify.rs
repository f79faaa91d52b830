//! `partwise classify`: classes of all samples from the labels of a few, and what was chosen on the way.

use std::time::Instant;

use anyhow::{Result, bail};
use partwise::Real;
use partwise_classify::{
    Candidate, CandidateGraph, Classification, ClassifySettings, Member, Phase, classify_observed,
};
use partwise_io::{self as io, OutputFolder};
use serde_json::{Value, json};

use crate::input::{self, Read, Table};
use crate::labels::{KnownClasses, KnownLabels, known_labels};
use crate::request::ClassifyRequest;
use crate::{outputs, record};
use partwise_report::{duration, program::Outcome};

/// What it writes, beside run.json.
const FILES: &[&str] = &["memberships.npy", "memberships.csv"];

/// Reads the data and labels, classifies, writes memberships.csv, memberships.npy and run.json.
pub(crate) fn run(request: &ClassifyRequest) -> Result<Outcome> {
    if request.as_recipe {
        request.write.verbosity().note(
            "`fit --recipe auto` is now `partwise classify`; the old spelling will be removed in the next \
            release",
        );
    }
    let folder = outputs::open(&request.write, FILES)?;
    let read = input::read(&request.data)?;
    match read.is_single(request.dtype) {
        true => classified::<f32>(request, read, folder),
        false => classified::<f64>(request, read, folder),
    }
}

fn classified<T: Real>(request: &ClassifyRequest, read: Read, folder: OutputFolder) -> Result<Outcome> {
    let verbosity = request.write.verbosity();
    let Read { values, mut source } = read;
    let (mut table, _) = Table::<T>::from_values(values, &mut source, false)?;
    let known = known_labels(&request.labels, &source, request.run.seed, false)?;
    let Some(KnownLabels::Classes(known)) = known else {
        bail!("a classification needs one label per sample; give --labels or --label-column");
    };
    let scaling = table.learn_scaling(request.scaling);
    let data = table.into_data(&source.name)?;
    let settings = ClassifySettings {
        seed: request.run.seed,
        threads: request.run.threads,
        memory_limit: io::machine::available_memory(),
        ..ClassifySettings::default()
    };
    let began = Instant::now();
    let mut observe = |phase: Phase| {
        verbosity.progress(&format!("classify: {phase} ({})", duration(began.elapsed().as_secs_f64())));
    };
    let found = classify_observed(data.as_ref(), &known.labels, &settings, &mut observe)?;
    let seconds = began.elapsed().as_secs_f64();

    let labelled: Vec<usize> = (0..known.used.len()).filter(|i| known.used[*i] >= 0).collect();
    let mut run = json!({
        "versions": io::versions(),
        "data": record::data_json(&source, T::NAME),
        "scale": io::scaling_json(&scaling),
        "labels": json!({
            "file": known.name,
            "column": known.column,
            "sha256": known.sha256,
            "given": known.labels.n_labelled(),
            "samples": labelled,
        }),
        "classification": classification_json(&found, &settings, &known),
    });
    if request.as_recipe {
        run["recipe"] = recipe_json(&run["classification"]);
    }
    run["seconds"] = json!(seconds);
    let names = known.labels.names();
    let classes: Vec<String> = found.classes.iter().map(|class| names[*class].clone()).collect();
    folder.write("memberships.npy", |w| io::write_npy(w, &found.posteriors))?;
    outputs::write_memberships(&folder, source.row_names.as_deref(), &classes, &found.posteriors, names)?;
    let run = outputs::finish(folder, run)?;
    known.notes.iter().for_each(|note| verbosity.note(note));
    found.notices.iter().for_each(|notice| verbosity.note(&notice.message));
    reasons(&found).iter().for_each(|line| verbosity.say(line));
    verbosity.say(&format!("wrote {} in {seconds:.1} s", request.write.out.display()));
    Ok(outputs::end(&request.write, &run))
}

/// What the second graph of a candidate is made of.
fn origin(graph: CandidateGraph) -> String {
    match graph {
        CandidateGraph::Data => "the data alone".into(),
        CandidateGraph::Centroids => "class centroids".into(),
        CandidateGraph::Codes(1) => "WS-NMF, 1 component per class".into(),
        CandidateGraph::Codes(parts) => format!("WS-NMF, {parts} components per class"),
    }
}

fn score(score: Option<f64>, agreement: Option<f64>) -> String {
    match (score, agreement) {
        (None, _) => "not scored".into(),
        (Some(score), None) => format!("score {score:.2}"),
        (Some(score), Some(agreement)) => format!("score {score:.2}, agreement of the folds {agreement:.2}"),
    }
}

/// The scores, in words: the graphs of 5 % or more, the base classifiers and the refinements.
fn reasons(found: &Classification) -> Vec<String> {
    let mut lines = vec![format!(
        "cross-validation: {} held-out labels in {} folds; {} candidate graphs",
        found.held_out,
        found.folds,
        found.candidates.len()
    )];
    for c in found.candidates.iter().filter(|c| c.weight >= 0.05) {
        lines.push(format!(
            "candidate graph: weight {:.0} %; {}, with a share of {:.0} % ({})",
            100.0 * c.weight,
            origin(c.graph),
            100.0 * c.share,
            score(c.score, c.agreement)
        ));
    }
    let member = |what: &str, m: &Member| {
        format!("{what}: {}, weight {:.2} ({})", m.name, m.weight, score(m.score, m.agreement))
    };
    lines.extend(found.base_classifiers.iter().map(|m| member("base classifier", m)));
    lines.extend(found.refinements.iter().map(|m| member("refinement", m)));
    lines
}

fn classification_json(found: &Classification, settings: &ClassifySettings, known: &KnownClasses) -> Value {
    let candidate = |c: &Candidate| {
        json!({
            "graph": origin(c.graph),
            "share": c.share,
            "score": c.score,
            "agreement": c.agreement,
            "weight": c.weight,
        })
    };
    let notice = |n: &partwise::Notice| json!({ "code": n.code, "message": n.message });
    json!({
        "seed": settings.seed,
        "components_per_class": settings.components_per_class,
        "graph_weight": settings.graph_weight,
        "iterations": settings.iterations,
        "folds": found.folds,
        "held_out_labels": found.held_out,
        "classes": known.labels.names(),
        "class_sizes": found.class_sizes,
        "candidates": found.candidates.iter().map(candidate).collect::<Vec<_>>(),
        "base_classifiers": found.base_classifiers.iter().map(member_json).collect::<Vec<_>>(),
        "refinements": found.refinements.iter().map(member_json).collect::<Vec<_>>(),
        "notices": found.notices.iter().map(notice).collect::<Vec<_>>(),
    })
}

fn member_json(m: &Member) -> Value {
    json!({ "name": m.name, "score": m.score, "agreement": m.agreement, "weight": m.weight })
}

/// The record under the former names of its fields.
fn recipe_json(classification: &Value) -> Value {
    let members = |key: &str, name: &str| -> Value {
        let member = |m: &Value| {
            let (score, agreement, weight) = (&m["score"], &m["agreement"], &m["weight"]);
            json!({ name: m["name"], "score": score, "agreement": agreement, "weight": weight })
        };
        classification[key].as_array().into_iter().flatten().map(member).collect()
    };
    let mut recipe = classification.clone();
    recipe["name"] = json!("auto");
    recipe["hidden_labels"] = classification["held_out_labels"].clone();
    recipe["readings"] = members("base_classifiers", "reading");
    recipe["refinements"] = members("refinements", "refinement");
    recipe
}
