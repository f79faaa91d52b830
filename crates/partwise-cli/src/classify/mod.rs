//! `partwise classify`: classes of all samples from the labels of a few, what was chosen on the way, and the
//! components by class.

mod predict;
mod record;

use std::time::Instant;

use anyhow::{Result, bail};
use partwise::guidance::{Advice, Guidance};
use partwise::{Loss, Model, Real, Settings};
use partwise_classify::{ClassifySettings, Phase, Predictor, spread_found, train_observed};
use partwise_io::{self as io, OutputFolder};
use serde_json::{Map, Value, json};

use predict::set_classifier;
pub(crate) use predict::{ClassifierFile, is_single, posteriors};

use crate::classification::Classified;
use crate::input::{self, Read, Table};
use crate::job::{Done, Job};
use crate::known::Known;
use crate::labels::{KnownLabels, known_labels};
use crate::progress::Phases;
use crate::request::ClassifyRequest;
use crate::scores::Evaluation;
use crate::{outputs, report};
use partwise_report::console::Verbosity;
use partwise_report::interrupt::{self, Kept, Stopped};
use partwise_report::program::Outcome;

/// What it writes, beside run.json.
const FILES: &[&str] = &[
    "memberships.npy",
    "memberships.csv",
    "model.safetensors",
    "codes.npy",
    "codes.csv",
    "components.npy",
    "components.csv",
    "report.html",
];

/// Reads the data and labels, classifies, fits the components by class, writes.
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
        class_sizes: request.class_sizes.clone(),
        seed: request.run.seed,
        threads: request.run.threads,
        memory_limit: io::machine::available_memory(),
        ..ClassifySettings::default()
    };
    let began = Instant::now();
    let mut phases = Phases::new(verbosity, "classify");
    let mut observe = |phase: Phase| phases.begin(&phase.to_string(), 0.7 * phase.done());
    let trained = interrupt::work(|| train_observed(data.as_ref(), &known.labels, &settings, &mut observe));
    let (found, predictor) = match trained {
        Ok(trained) => trained?,
        Err(stopped) => {
            phases.finish();
            return Err(stopped.into());
        }
    };
    let names = known.labels.names();
    let clusters: Vec<Option<usize>> = found.classes.iter().map(|class| Some(*class)).collect();
    let some_held_out = known.truth.iter().zip(&known.used).any(|(truth, used)| *truth >= 0 && *used < 0);
    let evaluation = some_held_out
        .then(|| Evaluation::new(&known.truth, &known.class_names, &clusters, names, &known.guided()))
        .transpose()?;
    let classified = Classified {
        request,
        source: &source,
        data: data.as_ref(),
        scaling: &scaling,
        known: &known,
        found: &found,
        evaluation,
    };
    // From here on the classes are written whatever comes.
    interrupt::keep(Kept::Earlier);
    phases.begin("components by class", 0.7);
    let mut known_classes = Known::default();
    known_classes.set_classes(known.clone());
    let parts = components_by_class(&classified, &known_classes);
    phases.finish();
    let parts = match parts {
        Err(error) if error.is::<Stopped>() => None,
        Err(error) => return Err(error),
        Ok(done) => Some(done),
    };
    let run = write(&classified, parts.as_ref(), &predictor, &settings, folder, began)?;
    print(verbosity, &classified, parts.as_ref(), began);
    Ok(outputs::end(&request.write, &run))
}

/// Guided NMF with a component for each class, each sample drawn to the class that the classifier gives it.
fn components_by_class<'a, T: Real>(
    classified: &'a Classified<'a, T>,
    known: &'a Known,
) -> Result<Done<'a, T>> {
    let (data, request) = (classified.data, classified.request);
    let labels = &classified.known.labels;
    let mut guidance = Guidance::from(Advice::labels(labels.clone()));
    if let Some(features) = &classified.source.feature_names {
        guidance = guidance.with_feature_names(features.clone());
    }
    let settings = Settings {
        seed: request.run.seed,
        threads: request.run.threads,
        memory_limit: io::machine::available_memory(),
        ..Settings::new(labels.n_classes())
    };
    let loss = Loss::Frobenius;
    let guidance =
        interrupt::work(|| spread_found(data, &guidance, labels, classified.found, loss, &settings))??;
    let job = Job {
        source: classified.source,
        data,
        scaling: classified.scaling,
        known,
        model: Model::guided(guidance),
        settings,
        shares: None,
        component_names: None,
        chosen: Vec::new(),
    };
    interrupt::work(|| job.run(Verbosity::Quiet))?
}

/// Writes all files, and gives the folder its name; returns what run.json holds.
fn write<T: Real>(
    classified: &Classified<'_, T>,
    parts: Option<&Done<'_, T>>,
    predictor: &Predictor<T>,
    settings: &ClassifySettings,
    folder: OutputFolder,
    began: Instant,
) -> Result<Value> {
    let Classified { source, known, found, .. } = classified;
    let names = classified.names();
    let classes: Vec<String> = found.classes.iter().map(|class| names[*class].clone()).collect();
    let rows = source.row_names.as_deref();
    folder.write("memberships.npy", |w| io::write_npy(w, &found.posteriors))?;
    outputs::write_memberships(&folder, rows, &classes, &found.posteriors, names)?;
    if let Some(done) = parts {
        let fit = &done.fit;
        let columns = Some(&fit.component_names[..]);
        outputs::write_codes_alone(&folder, &fit.codes, rows, &fit.component_names)?;
        folder.write("components.npy", |w| io::write_npy(w, &fit.components))?;
        folder.write("components.csv", |w| {
            io::write_matrix_csv(w, "component", &fit.components, columns, source.feature_names.as_deref())
        })?;
    }
    let classification = record::classification_json(found, settings, known);
    let mut model = match parts {
        Some(done) => crate::record::model(done),
        None => predict::model_without_components(classified),
    };
    set_classifier(&mut model, predictor, classified, &classification);
    folder.write("model.safetensors", |w| model.write_to(w))?;
    let page = report::classification_page(classified, parts);
    folder.write("report.html", |w| w.write_all(page.as_bytes()))?;
    let run = run_json(classified, parts, classification, began);
    outputs::finish(folder, Value::Object(run))
}

fn run_json<T: Real>(
    classified: &Classified<'_, T>,
    parts: Option<&Done<'_, T>>,
    classification: Value,
    began: Instant,
) -> Map<String, Value> {
    let Classified { source, known, scaling, .. } = classified;
    let labelled: Vec<usize> = (0..known.used.len()).filter(|i| known.used[*i] >= 0).collect();
    let mut run = Map::new();
    let mut set = |key: &str, value: Value| run.insert(key.into(), value);
    set("command", json!("classify"));
    set("versions", io::versions());
    set("data", crate::record::data_json(source, T::NAME));
    set("scale", io::scaling_json(scaling));
    set(
        "labels",
        json!({
            "file": known.name,
            "column": known.column,
            "sha256": known.sha256,
            "given": known.labels.n_labelled(),
            "samples": labelled,
        }),
    );
    if classified.request.as_recipe {
        set("recipe", record::recipe_json(&classification));
    }
    set("classification", classification);
    set("components", parts.map_or(Value::Null, |done| crate::record::result_json(&done.fit)));
    set("evaluation", classified.evaluation.as_ref().map_or(Value::Null, Evaluation::to_json));
    set("stopped", json!(interrupt::requested()));
    set("notes", json!(known.notes));
    set("seconds", json!(began.elapsed().as_secs_f64()));
    set("peak_memory_bytes", json!(io::machine::peak_memory()));
    run
}

fn print<T: Real>(
    verbosity: Verbosity,
    classified: &Classified<'_, T>,
    parts: Option<&Done<'_, T>>,
    began: Instant,
) {
    let (known, found) = (classified.known, classified.found);
    classified.source.notes.iter().for_each(|note| verbosity.note(note));
    known.notes.iter().for_each(|note| verbosity.note(note));
    found.notices.iter().for_each(|notice| verbosity.note(&notice.message));
    if parts.is_none() {
        verbosity.note(
            "stopped before the components by class were fitted; the classes, the classifier for new rows \
            and the report were written",
        );
    }
    let sizes = &classified.request.class_sizes;
    record::reasons(found, sizes, classified.names()).iter().for_each(|line| verbosity.say(line));
    for line in classified.evaluation.iter().flat_map(Evaluation::lines) {
        verbosity.say(&line);
    }
    let out = classified.request.write.out();
    let out = out.display();
    let seconds = began.elapsed().as_secs_f64();
    verbosity.say(&format!("result: {out} in {seconds:.1} s (open {out}/report.html)"));
    verbosity.say(&format!("new rows: partwise transform {out} NEW_DATA --out DIR"));
}
