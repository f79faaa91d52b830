//! `partwise evaluate`.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use partwise::clustering::{KMeansSettings, k_means};
use partwise::recipes::{Memberships, Owners, clusters};
use partwise::{DenseMatrix, Matrix};
use partwise_io::{LabelTable, ModelFile, ReadOptions};
use serde_json::{Value, json};

use crate::labels;
use crate::request::choices::name_of;
use crate::request::{Clusters, EvaluateRequest};
use crate::scores::Evaluation;
use partwise_report::console::{self, Verbosity};
use partwise_report::program::Outcome;

/// Compares and prints.
pub(crate) fn run(request: &EvaluateRequest) -> Result<Outcome> {
    if request.n_clusters.is_some() && !matches!(request.clusters, Clusters::KMeans | Clusters::KMeansRows) {
        bail!("--n-clusters applies only to --clusters k-means and k-means-rows");
    }
    request.given.check_standard_input()?;
    let path = ModelFile::path_in(&request.result);
    // The clusters of a classification are its classes, unless clusters of codes are asked for.
    let by_codes = request.clusters != Clusters::Shares && path.exists();
    let evaluation = match Classified::of(request)? {
        Some(classified) if !by_codes => classified.evaluate(request)?,
        _ => evaluate(&ModelFile::open(&path)?, request)?,
    };
    let verbosity = Verbosity::of(false, request.json);
    evaluation.notes.iter().for_each(|note| verbosity.note(note));
    if request.json {
        let out = json!({
            "model": path.display().to_string(),
            "labels": request.labels.display().to_string(),
            "clusters": name_of(request.clusters),
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

fn evaluate(model: &ModelFile, request: &EvaluateRequest) -> Result<Evaluation> {
    let codes = model.tensor("codes").context("the model has no codes")?.to_matrix::<f64>();
    let components = model.tensor("components").context("the model has no components")?.to_matrix::<f64>();
    let table = label_table(request, codes.rows(), model.texts("row_names").as_deref())?;
    let names = model.component_names(components.rows());
    let owners = Owners::new(&model.topics(), &names);
    let memberships = Memberships::new(&codes, &components, model.shares_of()?, owners);
    let (clusters, names) = match request.clusters {
        Clusters::KMeans => by_k_means(codes.clone(), &table, request)?,
        Clusters::KMeansRows => by_k_means(unit_rows(&memberships.shares), &table, request)?,
        Clusters::Largest => (clusters(&codes), names),
        Clusters::Shares => (memberships.topic, memberships.owners.names().to_vec()),
    };
    compare(table, &clusters, &names, &guiding_samples(model, codes.rows())?)
}

/// The labels to compare with.
fn label_table(request: &EvaluateRequest, samples: usize, names: Option<&[String]>) -> Result<LabelTable> {
    let table = labels::label_table(&request.labels, samples, names, request.label_column.as_deref())?;
    if table.n_labelled() == 0 {
        bail!("{} has no labels to compare with", request.labels.display());
    }
    Ok(table)
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

/// The classes that `partwise classify` wrote.
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
    fn of(request: &EvaluateRequest) -> Result<Option<Self>> {
        let (record, memberships) = (request.result.join("run.json"), request.result.join("memberships.npy"));
        if !record.exists() || !memberships.exists() {
            return Ok(None);
        }
        let text = std::fs::read_to_string(&record).with_context(|| record.display().to_string())?;
        let record_json: Value =
            serde_json::from_str(&text).with_context(|| format!("{} is not JSON", record.display()))?;
        let Some(key) = Self::KEYS.into_iter().find(|key| record_json.get(key).is_some()) else {
            return Ok(None);
        };
        let posteriors = partwise_io::read_table(&memberships, &ReadOptions::default())?.values;
        let posteriors = posteriors.into_matrix::<f64>(&memberships)?;
        let (columns, values) = (posteriors.columns(), posteriors.as_slice());
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
        let classes: Option<Vec<String>> = listed.and_then(|classes| classes.iter().map(text).collect());
        let Some(classes) = classes.filter(|classes| classes.len() == columns) else {
            bail!(
                "{}: \"{key}.classes\" must be a list of {columns} texts, one for each column of memberships.npy",
                record.display()
            );
        };
        Ok(Some(Classified { posteriors, classes, record: record_json, path: record }))
    }

    fn evaluate(&self, request: &EvaluateRequest) -> Result<Evaluation> {
        if request.clusters != Clusters::Shares {
            bail!(
                "--clusters {} needs codes, but this result has only classes; leave the flag out",
                name_of(request.clusters)
            );
        }
        let samples = self.posteriors.rows();
        let table = label_table(request, samples, None)?;
        let clusters = clusters(&self.posteriors);
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
    let listed = |at: &str| flags(model.field(at), n_samples);
    let (labelled, known) = (listed("guidance.labels.samples")?, listed("guidance.guided.known.samples")?);
    Ok(labelled.iter().zip(&known).map(|(a, b)| *a || *b).collect())
}

/// Clusters of the best of 20 starts, as many as there are classes unless the flags give another number.
fn by_k_means(
    points: Matrix<f64>,
    table: &LabelTable,
    request: &EvaluateRequest,
) -> Result<(Vec<Option<usize>>, Vec<String>)> {
    let count = request.n_clusters.unwrap_or(table.names.len());
    let settings = KMeansSettings { seed: request.seed, ..KMeansSettings::default() };
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
