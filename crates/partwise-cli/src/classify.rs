//! `partwise classify`: classes of all samples from the labels of a few, and what was chosen on the way.

use std::time::Instant;

use anyhow::{Result, bail};
use partwise::{Real, ScalingKind};
use partwise_classify::{
    Candidate, CandidateGraph, Classification, ClassifySettings, Member, Phase, classify_observed,
};
use partwise_io::{self as io, OutputFolder};
use serde_json::{Value, json};

use crate::args::ClassifyArgs;
use crate::guidance::{self, Given, Guidance};
use crate::input::{self, Read, Table};
use crate::{outputs, precision, record, scale};
use partwise_report::console::{self, Verbosity};
use partwise_report::{duration, program::Outcome};

/// What it writes, beside run.json.
pub(crate) const FILES: &[&str] = &["memberships.npy", "memberships.csv"];

/// Reads the data and labels, classifies, writes memberships.csv, memberships.npy and run.json.
pub(crate) fn run(args: &ClassifyArgs) -> Result<Outcome> {
    let labels = args.known_labels.labels.as_ref();
    input::check_standard_input(&[("the data", Some(&args.read.data)), ("--labels", labels)])?;
    let folder = outputs::open(&args.write, FILES)?;
    let read = input::read(&args.read, args.known_labels.column_of_data())?;
    classified_as(args, read, folder, false)
}

/// `partwise fit --recipe auto`, for the release after it became `partwise classify`.
pub(crate) fn of_recipe(args: &ClassifyArgs, read: Read, folder: OutputFolder) -> Result<Outcome> {
    Verbosity::of(args.write.quiet, args.write.json).note(
        "`fit --recipe auto` is now `partwise classify`; the old spelling will be removed in the next release",
    );
    classified_as(args, read, folder, true)
}

fn classified_as(args: &ClassifyArgs, read: Read, folder: OutputFolder, recipe: bool) -> Result<Outcome> {
    match input::precision(&args.dtype, &read.values) {
        "f32" => classified::<f32>(args, read, folder, recipe),
        _ => classified::<f64>(args, read, folder, recipe),
    }
}

/// `recipe`: the record has what `fit --recipe auto` wrote, too.
fn classified<T: Real>(
    args: &ClassifyArgs,
    read: Read,
    folder: OutputFolder,
    recipe: bool,
) -> Result<Outcome> {
    let verbosity = Verbosity::of(args.write.quiet, args.write.json);
    let Read { values, mut source } = read;
    precision::check::<T>(&values, &mut source)?;
    let mut table = Table::<T>::from_values(values, &source)?;
    let given = guidance::labels(&args.known_labels, &source, args.seed, false)?;
    let Some(Given::Classes(guidance)) = given else {
        bail!("a classification needs one label per sample; give --labels or --label-column");
    };
    let scaling = scale::learn(ScalingKind::from_name(&args.scale)?, &table);
    scale::apply(&scaling, &mut table);
    let data = table.into_data(&source.name)?;
    let memory_limit = io::machine::available_memory();
    let settings = ClassifySettings {
        seed: args.seed,
        threads: args.threads,
        memory_limit,
        ..ClassifySettings::default()
    };
    let began = Instant::now();
    let mut observe = |phase: Phase| {
        verbosity.progress(&format!("classify: {phase} ({})", duration(began.elapsed().as_secs_f64())));
    };
    let found = classify_observed(data.matrix(), &guidance.labels, &settings, &mut observe)?;
    let seconds = began.elapsed().as_secs_f64();

    let labelled: Vec<usize> =
        (0..data.matrix().n_samples()).filter(|i| guidance.labels.class(*i).is_some()).collect();
    let mut run = json!({
        "versions": io::versions(),
        "data": record::data_json(&source, T::NAME),
        "scale": io::scaling_json(&scaling),
        "labels": json!({
            "file": guidance.name,
            "sha256": guidance.sha256,
            "given": guidance.labels.n_labelled(),
            "samples": labelled,
        }),
        "classification": classification_json(&found, &settings, &guidance),
    });
    if recipe {
        run["recipe"] = recipe_json(&run["classification"]);
    }
    run["seconds"] = json!(seconds);
    write_posteriors(&folder, &found, guidance.labels.names(), source.row_names.as_deref())?;
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

fn write_posteriors(
    folder: &OutputFolder,
    found: &Classification,
    class_names: &[String],
    sample_names: Option<&[String]>,
) -> Result<()> {
    folder.write("memberships.npy", |w| io::write_npy(w, &found.posteriors))?;
    let clusters: Vec<String> = found.classes.iter().map(|class| class_names[*class].clone()).collect();
    folder.write("memberships.csv", |w| {
        let table = io::Memberships {
            sample_names,
            clusters: &clusters,
            shares: &found.posteriors,
            component_names: class_names,
        };
        io::write_memberships_csv(w, &table)
    })?;
    Ok(())
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

fn classification_json(found: &Classification, settings: &ClassifySettings, guidance: &Guidance) -> Value {
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
        "classes": guidance.labels.names(),
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
