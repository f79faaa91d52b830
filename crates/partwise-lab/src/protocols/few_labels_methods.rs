//! The methods of the leaderboard, each with the defaults of the library unless said here.
//!
//! ```text
//! arg: the largest w_ij·‖h_j‖ of each row (w_ij for symmetric models);
//!     kmR: k-means × 20 on rows of that scaled to unit length
//! ```
//!
//! Models: k = the number of classes, the labels, a graph of 7 neighbours and λ = 1 for GNMF and SemiGNMF,
//! similarities of that graph for symmetric models, `f32`. WS-NMF and WS-SymNMF: labels with σ = 10.
//! "ws-nmf-published": the printed weight and start. Guided NMF: strengths at their defaults; words and a
//! light graph where the name says so. A method that does not apply to a set (NTF without images, words
//! without terms) gives nothing.

use anyhow::Result;
use partwise::graphs::{Graph, NeighbourGraph, neighbour_graph};
use partwise::guidance::{Advice, Guidance, Strength, Topic};
use partwise::internals::label_spreading;
use partwise::methods::Form;
use partwise::{DataMatrix, DenseMatrix, Fit, Init, Labels, Matrix, MethodOptions, Model, Settings, fit};
use partwise_classify::{ClassifySettings, classify, spherical_k_means};

use super::clock::Clock;
use super::few_labels::Draw;
use super::samples::largest;
use super::{Group, LABEL_SIGMA};
use crate::methods::{self, Task};
use partwise::clustering::{KMeansSettings, k_means};

/// Clusters of one draw by one method and reading.
pub(super) struct Found {
    pub(super) method: String,
    /// The solver and its iterations.
    pub(super) solver: String,
    /// The cluster of each row.
    pub(super) clusters: Vec<i32>,
    /// Wall time.
    pub(super) seconds: f64,
}

const fn group(name: &'static str, title: &'static str) -> Group {
    Group { name, title }
}

/// Every method, in the order of the table.
pub(super) const GROUPS: &[Group] = &[
    group("recipe", "the automatic recipe"),
    group("guided-labels", "guided NMF with labels"),
    group("guided-labels-graph", "guided NMF with labels and a graph"),
    group("guided-words", "guided NMF with the words of the classes' names"),
    group("guided-labels-words", "guided NMF with labels and words"),
    group("guided-all", "guided NMF with labels, words and a graph"),
    group("nmf", "NMF"),
    group("cnmf", "CNMF"),
    group("cnmf-kl", "CNMF with the Kullback-Leibler loss"),
    group("scnmf", "SCNMF"),
    group("nmf-dc", "NMF-DC"),
    group("ws-nmf", "WS-NMF, sigma 10"),
    group(PUBLISHED, "WS-NMF as published, weight 10"),
    group("ssnmf", "SSNMF"),
    group("ns-nmf", "nsNMF"),
    group("ncw-nmf", "NMF with normalized-cut weights"),
    group("nmf-alpha", "NMF-alpha"),
    group("gnmf", "GNMF"),
    group("semi-gnmf", "SemiGNMF"),
    group("symnmf", "SymNMF of the neighbour graph"),
    group("ws-symnmf", "WS-SymNMF of the neighbour graph"),
    group("ntf", "NTF, for images"),
    group("k-means", "k-means"),
    group("seeded-k-means", "k-means from the labels"),
    group("constrained-k-means", "k-means that keeps the labels"),
    group("spherical-k-means", "spherical k-means that keeps the labels"),
    group("pck-means", "PCK-means"),
    group("mpck-means", "MPCK-means"),
    group("spectral", "spectral clustering"),
    group("ss-spectral", "spectral clustering with links"),
    group("ss-nmf1", "SS-NMF of Chen et al."),
    group("pca", "PCA and k-means"),
    group("lda", "linear discriminants, the nearest class mean"),
    group("linear-svm", "linear support vector machines on the labels alone"),
    group("transductive-svm", "transductive support vector machines"),
    group("nearest-neighbours", "nearest labelled neighbours"),
    group("label-propagation", "label propagation"),
    group("label-spreading", "label spreading, alpha 0.99"),
    group("lgc", "label spreading, alpha 0.95"),
];

/// Groups that give cluster c to class c of the labels; of a model, its largest share does.
const NAMING: &[&str] = &[
    "recipe",
    "guided-labels",
    "guided-labels-graph",
    "guided-words",
    "guided-labels-words",
    "guided-all",
    "cnmf",
    "cnmf-kl",
    "ws-nmf",
    PUBLISHED,
    "ssnmf",
    "ws-symnmf",
    "spherical-k-means",
    "lda",
    "linear-svm",
    "transductive-svm",
    "nearest-neighbours",
    "label-propagation",
    "label-spreading",
    "lgc",
];

/// Whether a method, with its reading, says which class each cluster is.
pub(super) fn names_classes(method: &str) -> bool {
    let group = method.strip_suffix(", arg").unwrap_or(method);
    NAMING.contains(&group)
}

const PUBLISHED: &str = "ws-nmf-published";

/// The clusters of each reading of a method; none where it does not apply.
pub(super) fn clusters(group: &str, draw: &Draw, labels: &Labels) -> Result<Vec<Found>> {
    let known = |labels, words, graph| Known { labels, words, graph };
    let one = |solver: &str, run: &dyn Fn() -> Result<Vec<i32>>| -> Result<Vec<Found>> {
        let began = Clock::start();
        let clusters = run()?;
        let seconds = began.seconds();
        Ok(vec![Found { method: group.to_string(), solver: solver.to_string(), clusters, seconds }])
    };
    match group {
        "recipe" => one("fits of several models, hals; conjugate gradients", &|| {
            let settings = ClassifySettings { threads: 1, seed: draw.seed, ..ClassifySettings::default() };
            Ok(integers(&classify(draw.data::<f32>()?.as_ref(), labels, &settings)?.classes))
        }),
        "lgc" => one("conjugate gradients, to the end", &|| {
            let spread = label_spreading(&graph(draw)?, labels, 0.95)?;
            Ok(spread.classes.iter().map(|class| class.map_or(0, |class| class as i32)).collect())
        }),
        "spherical-k-means" => one("spherical Lloyd from the labels", &|| {
            Ok(integers(&spherical_k_means(draw.data::<f32>()?.as_ref(), labels)?))
        }),
        "guided-labels" => guided(group, draw, labels, known(true, false, false)),
        "guided-labels-graph" => guided(group, draw, labels, known(true, false, true)),
        "guided-words" | "guided-labels-words" | "guided-all" if !draw.has_words() => Ok(Vec::new()),
        "guided-words" => guided(group, draw, labels, known(false, true, false)),
        "guided-labels-words" => guided(group, draw, labels, known(true, true, false)),
        "guided-all" => guided(group, draw, labels, known(true, true, true)),
        _ => match methods::ALL.iter().find(|method| method.name == group) {
            Some(method) => one(method.solver, &|| {
                let data = draw.data::<f64>()?;
                let task = Task {
                    labels: Some(labels),
                    seed: draw.seed,
                    ..Task::new(data.as_ref(), labels.n_classes())
                };
                Ok((method.run)(&task)?.labels)
            }),
            None => factored(group, draw, labels),
        },
    }
}

fn integers(classes: &[usize]) -> Vec<i32> {
    classes.iter().map(|class| *class as i32).collect()
}

fn graph(draw: &Draw) -> Result<Graph> {
    let neighbours = NeighbourGraph::default().neighbours.min(draw.n_samples() - 1);
    let settings = NeighbourGraph { neighbours, ..NeighbourGraph::default() };
    Ok(neighbour_graph(draw.data::<f64>()?.as_ref(), &settings)?)
}

/// A model of the registry.
fn factored(group: &str, draw: &Draw, labels: &Labels) -> Result<Vec<Found>> {
    if group == "ntf" && draw.image_shape.is_none() {
        return Ok(Vec::new());
    }
    let began = Clock::start();
    let mut settings =
        Settings { threads: 1, seed: draw.seed, max_iterations: 200, ..Settings::new(labels.n_classes()) };
    let mut name = group;
    let labelled = |strength| Guidance::from(Advice::labels(labels.clone()).with_strength(strength));
    let guidance = match group {
        PUBLISHED => {
            (name, settings.init) = ("ws-nmf", Init::Published);
            labelled(Strength::Raw(10.0))
        }
        "ws-nmf" | "ws-symnmf" => labelled(Strength::of_sigma(LABEL_SIGMA)),
        "ssnmf" => labelled(Strength::EVEN),
        "gnmf" | "semi-gnmf" => {
            labelled(Strength::FIRM).with(Advice::Graph { graph: graph(draw)?, strength: Strength::Raw(1.0) })
        }
        // Labels would choose the start of a model that knows none.
        "nmf" | "ns-nmf" | "ncw-nmf" | "ntf" | "symnmf" => Guidance::default(),
        _ => labels.clone().into(),
    };
    let image_shape = draw.image_shape.filter(|_| group == "ntf");
    let options = MethodOptions { image_shape, ..MethodOptions::default() };
    let model = Model::from_name(name, guidance)?.with_options(options);
    let symmetric = model.spec().form == Form::Symmetric;
    let data: Box<dyn DataMatrix<f32>> =
        if symmetric { Box::new(graph(draw)?.normalized().to_sparse_in()) } else { draw.data()? };
    let fitted = fit(data.as_ref(), &model, &settings)?;
    readings(group, &fitted, symmetric, draw.seed, &began)
}

/// arg and kmR, each with the time of the fit and its own.
fn readings(group: &str, fitted: &Fit<f32>, symmetric: bool, seed: u64, began: &Clock) -> Result<Vec<Found>> {
    let shares = shares(fitted, symmetric);
    let solver = format!("{}, {} iterations", fitted.solver, fitted.iterations);
    let fit_seconds = began.seconds();
    let found = |reading: &str, clusters: Vec<i32>, seconds: f64| Found {
        method: format!("{group}, {reading}"),
        solver: solver.clone(),
        clusters,
        seconds,
    };
    let arg = (0..shares.rows()).map(|i| largest(shares.row(i))).collect();
    let began = Clock::start();
    let mut points = shares.clone();
    for i in 0..points.rows() {
        let row = points.row_mut(i);
        let length = row.iter().map(|v| v * v).sum::<f64>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|v| *v /= length);
        }
    }
    let k = points.columns();
    let means = k_means(
        &DenseMatrix::from_matrix(points)?,
        k,
        &KMeansSettings { seed, ..KMeansSettings::default() },
    )?;
    let seconds = fit_seconds + began.seconds();
    Ok(vec![found("arg", arg, fit_seconds), found("kmR", integers(&means.labels), seconds)])
}

/// Codes at unit length of their components (n × k).
fn shares(fitted: &Fit<f32>, symmetric: bool) -> Matrix<f64> {
    let length = |j: usize| fitted.components.row(j).iter().map(|h| f64::from(h * h)).sum::<f64>().sqrt();
    let lengths: Vec<f64> =
        (0..fitted.codes.columns()).map(|j| if symmetric { 1.0 } else { length(j) }).collect();
    let (n, k) = fitted.codes.shape();
    Matrix::from_fn(n, k, |i, j| f64::from(fitted.codes.get(i, j)) * lengths[j])
}

/// What a guided fit is told.
#[derive(Clone, Copy)]
struct Known {
    labels: bool,
    words: bool,
    graph: bool,
}

/// Guided NMF with every strength at its default: the topic with the largest share of each row.
fn guided(group: &str, draw: &Draw, labels: &Labels, known: Known) -> Result<Vec<Found>> {
    let began = Clock::start();
    let data = draw.data::<f32>()?;
    let topic = |name: &String| {
        let class: usize = name.parse().unwrap_or(usize::MAX);
        let words = draw.words.get(class).filter(|_| known.words).cloned().unwrap_or_default();
        Topic::new(name.clone()).with_seeds(words.into_iter().map(|word| word as usize))
    };
    let mut guidance = Guidance::new(labels.names().iter().map(topic));
    if known.labels {
        guidance = guidance.with(Advice::labels(labels.clone()));
    }
    if known.graph {
        guidance = guidance.with(Advice::Graph { graph: graph(draw)?, strength: Strength::LIGHT });
    }
    let settings =
        Settings { threads: 1, seed: draw.seed, max_iterations: 200, ..Settings::new(labels.n_classes()) };
    let fitted = fit(data.as_ref(), &Model::guided(guidance), &settings)?;
    let shares = shares(&fitted, false);
    let clusters = (0..shares.rows()).map(|i| largest(shares.row(i))).collect();
    let solver = format!("{}, {} iterations", fitted.solver, fitted.iterations);
    let seconds = began.seconds();
    Ok(vec![Found { method: group.to_string(), solver, clusters, seconds }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_that_name_classes_are_groups_and_k_means_of_codes_names_none() {
        assert!(NAMING.iter().all(|name| GROUPS.iter().any(|group| group.name == *name)));
        assert!(names_classes("cnmf, arg") && names_classes("lgc"));
        assert!(!names_classes("cnmf, kmR") && !names_classes("k-means"));
    }

    #[test]
    fn every_model_and_every_method_of_the_registries_is_there() {
        let has = |name: &str| GROUPS.iter().any(|group| group.name == name);
        assert!(methods::ALL.iter().all(|method| has(method.name)));
        let models = partwise::methods::ALL.iter().map(|spec| spec.name).filter(|name| *name != "guided");
        let missing: Vec<&str> = models.filter(|name| !has(name)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
