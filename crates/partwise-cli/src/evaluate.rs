//! `partwise evaluate`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use partwise::{DenseMatrix, Matrix};
use partwise_eval::methods::k_means::{KMeansSettings, k_means};
use partwise_io::{LabelTable, ModelFile};
use serde_json::{Value, json};

use crate::args::EvaluateArgs;
use crate::console::{self, Verbosity};
use crate::memberships::{Memberships, largest};
use crate::scores::Evaluation;
use crate::{Outcome, guidance};

/// Compares and prints.
pub(crate) fn run(args: &EvaluateArgs) -> Result<Outcome> {
    if args.n_clusters.is_some() && !args.clusters.starts_with("k-means") {
        bail!("--n-clusters serves --clusters k-means and k-means-rows only");
    }
    let path = model_path(&args.result);
    let model = ModelFile::read(&path)?;
    let evaluation = evaluate(&model, args).with_context(|| path.display().to_string())?;
    let verbosity = Verbosity::of(false, args.json);
    evaluation.notes.iter().for_each(|note| verbosity.note(note));
    if args.json {
        let out = json!({
            "model": path.display().to_string(),
            "labels": args.labels.display().to_string(),
            "clusters": args.clusters,
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
    let memberships = Memberships::new(&codes, &components);
    let (clusters, names) = match args.clusters.as_str() {
        "k-means" => by_k_means(codes.clone(), &table, args)?,
        "k-means-rows" => by_k_means(unit_rows(&memberships.shares), &table, args)?,
        "largest" => {
            let largest = (0..codes.rows()).map(|i| largest(codes.row(i))).collect();
            (largest, component_names(model, components.rows()))
        }
        _ => (memberships.cluster, component_names(model, components.rows())),
    };
    let guided = guiding_samples(model, codes.rows())?;
    let mut evaluation = Evaluation::new(&truth, &table.names, &clusters, &names, &guided)?;
    evaluation.notes.splice(0..0, table.notes);
    Ok(evaluation)
}

/// Whether each sample guided the fit: by its label, or by another item of the guidance that says its topic.
pub(crate) fn guiding_samples(model: &ModelFile, n_samples: usize) -> Result<Vec<bool>> {
    let mut guided = vec![false; n_samples];
    let guidance = model.document.get("guidance");
    let samples = |at: &str| guidance.and_then(|g| g.pointer(at)).and_then(Value::as_array);
    let samples = [samples("/labels/samples"), samples("/guided/known/samples")];
    for sample in samples.into_iter().flatten().flatten() {
        match sample.as_u64().and_then(|s| guided.get_mut(s as usize)) {
            Some(flag) => *flag = true,
            None => {
                bail!("the model's list of guiding samples holds {sample}, but it has {n_samples} samples")
            }
        }
    }
    Ok(guided)
}

/// Clusters of the best of 20 starts, as many as there are classes unless the flags say otherwise.
fn by_k_means(
    points: Matrix<f64>,
    table: &LabelTable,
    args: &EvaluateArgs,
) -> Result<(Vec<Option<usize>>, Vec<String>)> {
    let count = args.n_clusters.unwrap_or(table.names.len());
    let settings = KMeansSettings { seed: args.seed, ..KMeansSettings::default() };
    let found = k_means(&DenseMatrix::from_matrix(points)?, count, &settings)?;
    let names = (1..=count).map(|cluster| format!("cluster {cluster}")).collect();
    Ok((found.labels.into_iter().map(Some).collect(), names))
}

/// Each row divided by its length; rows of zeros stay.
fn unit_rows(matrix: &Matrix<f64>) -> Matrix<f64> {
    let mut out = matrix.clone();
    for i in 0..out.rows() {
        let row = out.row_mut(i);
        let length = row.iter().map(|v| v * v).sum::<f64>().sqrt();
        row.iter_mut().filter(|_| length > 0.0).for_each(|v| *v /= length);
    }
    out
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
