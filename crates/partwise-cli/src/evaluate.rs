//! `partwise evaluate`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use partwise_io::ModelFile;
use serde_json::{Value, json};

use crate::args::EvaluateArgs;
use crate::console::{self, Verbosity};
use crate::memberships::Memberships;
use crate::scores::Evaluation;
use crate::{Outcome, guidance};

/// Compares and prints.
pub(crate) fn run(args: &EvaluateArgs) -> Result<Outcome> {
    let path = model_path(&args.result);
    let model = ModelFile::read(&path)?;
    let evaluation = evaluate(&model, args).with_context(|| path.display().to_string())?;
    let verbosity = Verbosity::of(false, args.json);
    evaluation.notes.iter().for_each(|note| verbosity.note(note));
    if args.json {
        let out = json!({
            "model": path.display().to_string(),
            "labels": args.labels.display().to_string(),
            "evaluation": evaluation.to_json(),
            "class_names": evaluation.class_names,
            "cluster_names": evaluation.cluster_names,
            "confusion": evaluation.confusion,
        });
        console::print_raw(&format!("{out:#}"));
    } else {
        evaluation.lines().iter().for_each(|line| verbosity.say(line));
    }
    Ok(Outcome::Done)
}

fn evaluate(model: &ModelFile, args: &EvaluateArgs) -> Result<Evaluation> {
    let codes = model.tensor("codes").context("the model has no codes")?.to_matrix::<f64>();
    let components = model.tensor("components").context("the model has no components")?.to_matrix::<f64>();
    let table = guidance::label_table(&args.labels, codes.rows(), args.label_column.as_deref())?;
    let truth = table.single()?;
    if table.n_labelled() == 0 {
        bail!("{} has no labels to compare with", args.labels.display());
    }
    let names = component_names(model, components.rows());
    let clusters = Memberships::new(&codes, &components).cluster;
    let mut guided = vec![false; codes.rows()];
    let samples = model.document.get("guidance").and_then(|g| g.pointer("/labels/samples"));
    for sample in samples.and_then(Value::as_array).into_iter().flatten() {
        match sample.as_u64().and_then(|s| guided.get_mut(s as usize)) {
            Some(flag) => *flag = true,
            None => bail!(
                "the model's list of guiding samples holds {sample}, but it has {} samples",
                codes.rows()
            ),
        }
    }
    let mut evaluation = Evaluation::new(&truth, &table.names, &clusters, &names, &guided)?;
    evaluation.notes.splice(0..0, table.notes);
    Ok(evaluation)
}

/// The names in a model's document, or numbers.
pub(crate) fn component_names(model: &ModelFile, rank: usize) -> Vec<String> {
    let names = model.document.get("component_names").and_then(Value::as_array);
    let name = |j: usize| names.and_then(|names| names.get(j)).and_then(Value::as_str);
    (0..rank).map(|j| name(j).map_or_else(|| format!("part {}", j + 1), str::to_string)).collect()
}

/// A model file, or the one in a folder.
pub(crate) fn model_path(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("model.safetensors") } else { path.to_path_buf() }
}
