//! `partwise evaluate`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use partwise::clustering::{KMeansSettings, k_means};
use partwise::recipes::ShareOf;
use partwise::{DenseMatrix, Loss, Matrix};
use partwise_io::{LabelTable, ModelFile, ReadOptions, Values};
use serde_json::{Value, json};

use crate::args::EvaluateArgs;
use crate::memberships::{Memberships, largest};
use crate::scores::Evaluation;
use crate::{guidance, input};
use partwise_report::console::{self, Verbosity};
use partwise_report::program::Outcome;

/// Compares and prints.
pub(crate) fn run(args: &EvaluateArgs) -> Result<Outcome> {
    if args.n_clusters.is_some() && !args.clusters.starts_with("k-means") {
        bail!("--n-clusters applies only to --clusters k-means and k-means-rows");
    }
    input::check_standard_input(&[("the result", Some(&args.result)), ("--labels", Some(&args.labels))])?;
    let path = model_path(&args.result);
    let evaluation = match Classified::of(args)? {
        Some(classified) => classified.evaluate(args)?,
        None => evaluate(&ModelFile::open(&path)?, args)?,
    };
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
        console::print_json(&out);
    } else {
        evaluation.lines().iter().for_each(|line| verbosity.say(line));
    }
    Ok(Outcome::Done)
}

fn evaluate(model: &ModelFile, args: &EvaluateArgs) -> Result<Evaluation> {
    let codes = model.tensor("codes").context("the model has no codes")?.to_matrix::<f64>();
    let components = model.tensor("components").context("the model has no components")?.to_matrix::<f64>();
    let table = label_table(args, codes.rows(), row_names(model).as_deref())?;
    let memberships = Memberships::new(&codes, &components, shares_of(None, model)?);
    let (clusters, names) = match args.clusters.as_str() {
        "k-means" => by_k_means(codes.clone(), &table, args)?,
        "k-means-rows" => by_k_means(unit_rows(&memberships.shares), &table, args)?,
        "largest" => {
            let largest = (0..codes.rows()).map(|i| largest(codes.row(i))).collect();
            (largest, component_names(model, components.rows()))
        }
        _ => (memberships.cluster, component_names(model, components.rows())),
    };
    compare(table, &clusters, &names, &guiding_samples(model, codes.rows())?)
}

/// The labels to compare with.
fn label_table(args: &EvaluateArgs, samples: usize, names: Option<&[String]>) -> Result<LabelTable> {
    let table = guidance::label_table(&args.labels, samples, names, args.label_column.as_deref())?;
    if table.n_labelled() == 0 {
        bail!("{} has no labels to compare with", args.labels.display());
    }
    Ok(table)
}

/// The names of the samples in a model's document.
pub(crate) fn row_names(model: &ModelFile) -> Option<Vec<String>> {
    let names = model.document.get("row_names")?.as_array()?;
    names.iter().map(|name| name.as_str().map(str::to_string)).collect()
}

fn compare(
    table: LabelTable,
    clusters: &[Option<usize>],
    names: &[String],
    guided: &[bool],
) -> Result<Evaluation> {
    let mut evaluation = Evaluation::new(&table.single()?, &table.names, clusters, names, guided)?;
    evaluation.notes.splice(0..0, table.notes);
    Ok(evaluation)
}

/// What `partwise classify` wrote, which is no model.
struct Classified {
    /// n × classes.
    posteriors: Matrix<f64>,
    classes: Vec<String>,
    record: Value,
    /// The file of the record.
    path: PathBuf,
}

impl Classified {
    /// What records name a classification: since there is `partwise classify`, and before.
    const KEYS: [&str; 2] = ["classification", "recipe"];

    /// The result, where it is a folder with memberships and a record of a classification.
    fn of(args: &EvaluateArgs) -> Result<Option<Self>> {
        let (record, memberships) = (args.result.join("run.json"), args.result.join("memberships.npy"));
        if args.result.join("model.safetensors").exists() || !record.exists() || !memberships.exists() {
            return Ok(None);
        }
        let text = std::fs::read_to_string(&record).with_context(|| record.display().to_string())?;
        let record_json: Value =
            serde_json::from_str(&text).with_context(|| format!("{} is not JSON", record.display()))?;
        let Some(key) = Self::KEYS.into_iter().find(|key| record_json.get(key).is_some()) else {
            return Ok(None);
        };
        match partwise_io::read_table(&memberships, &ReadOptions::default())?.values {
            Values::Dense { rows, columns, values } => {
                let values: Vec<f64> = values.into_real();
                if let Some(at) = values.iter().position(|share| !share.is_finite() || *share < 0.0) {
                    bail!(
                        "{}: the entry in row {}, column {} (counted from 0) is {}; all must be finite and 0 or more",
                        memberships.display(),
                        at / columns,
                        at % columns,
                        values[at]
                    );
                }
                let listed = record_json.pointer(&format!("/{key}/classes")).and_then(Value::as_array);
                let text = |class: &Value| class.as_str().map(str::to_string);
                let classes: Option<Vec<String>> =
                    listed.and_then(|classes| classes.iter().map(text).collect());
                let Some(classes) = classes.filter(|classes| classes.len() == columns) else {
                    bail!(
                        "{}: \"{key}.classes\" must be a list of {columns} texts, one for each column of memberships.npy",
                        record.display()
                    );
                };
                let posteriors = Matrix::from_vec(rows, columns, values)?;
                Ok(Some(Classified { posteriors, classes, record: record_json, path: record }))
            }
            Values::Sparse { .. } => bail!("{} is not a dense table", memberships.display()),
        }
    }

    fn evaluate(&self, args: &EvaluateArgs) -> Result<Evaluation> {
        if args.clusters != "shares" {
            bail!(
                "--clusters {} needs the codes of a model, but `partwise classify` writes only classes; \
                leave the flag out",
                args.clusters
            );
        }
        let samples = self.posteriors.rows();
        let table = label_table(args, samples, None)?;
        let clusters: Vec<_> = (0..samples).map(|i| largest(self.posteriors.row(i))).collect();
        let guided = flags(self.record.pointer("/labels/samples"), samples);
        let guided = guided.with_context(|| format!("{}: \"labels.samples\"", self.path.display()))?;
        compare(table, &clusters, &self.classes, &guided)
    }
}

/// Whether each sample is in a list of guiding ones.
fn flags(listed: Option<&Value>, n_samples: usize) -> Result<Vec<bool>> {
    let mut flags = vec![false; n_samples];
    for sample in listed.and_then(Value::as_array).into_iter().flatten() {
        match sample.as_u64().and_then(|s| flags.get_mut(s as usize)) {
            Some(flag) => *flag = true,
            None => bail!(
                "the list of samples whose labels were used contains {sample}, but there are \
                {n_samples} samples"
            ),
        }
    }
    Ok(flags)
}

/// Whether each sample guided the fit: by its label, or by another item of the guidance on its topic.
pub(crate) fn guiding_samples(model: &ModelFile, n_samples: usize) -> Result<Vec<bool>> {
    let guidance = model.document.get("guidance");
    let listed = |at: &str| flags(guidance.and_then(|g| g.pointer(at)), n_samples);
    let (labelled, known) = (listed("/labels/samples")?, listed("/guided/known/samples")?);
    Ok(labelled.iter().zip(&known).map(|(a, b)| *a || *b).collect())
}

/// Clusters of the best of 20 starts, as many as there are classes unless the flags give another number.
fn by_k_means(
    points: Matrix<f64>,
    table: &LabelTable,
    args: &EvaluateArgs,
) -> Result<(Vec<Option<usize>>, Vec<String>)> {
    let count = args.n_clusters.unwrap_or(table.names.len());
    let settings = KMeansSettings { seed: args.seed, ..KMeansSettings::default() };
    let found = k_means(DenseMatrix::from_matrix(points)?.boxed().as_ref(), count, &settings)?;
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
    let listed = model.document.get("component_names").and_then(Value::as_array);
    let name = |j: usize| listed.and_then(|names| names.get(j)).and_then(Value::as_str);
    (0..rank).map(|j| name(j).map_or_else(|| format!("part {}", j + 1), str::to_string)).collect()
}

/// How memberships measure a component: by the flag, else as in the fit, else by the loss.
pub(crate) fn shares_of(asked: Option<&str>, model: &ModelFile) -> Result<ShareOf> {
    let settings = model.document.get("settings");
    let text = |key: &str| settings.and_then(|s| s.get(key)).and_then(Value::as_str);
    if let Some(name) = asked.or(text("shares_of")) {
        return Ok(ShareOf::from_name(name)?);
    }
    Ok(ShareOf::of_loss(text("loss").map(Loss::from_name).transpose()?.unwrap_or_default()))
}

/// A model file, or the one in a folder.
pub(crate) fn model_path(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("model.safetensors") } else { path.to_path_buf() }
}
