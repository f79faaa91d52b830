//! Views: all labels, or those that a fold leaves; and what is made of the data once, and once for each view.

use super::AutomaticSettings;
use super::centroids::centroids;
use crate::data::{self, DataMatrix, RowGroups};
use crate::engine::losses::Loss;
use crate::engine::solvers::SolverChoice;
use crate::engine::{Init, Settings};
use crate::fit::fit;
use crate::foundation::pool::Pool;
use crate::foundation::{Matrix, Notice, Real, Result, interrupt};
use crate::graphs::{Graph, NeighbourGraph, Weights, neighbour_graph};
use crate::guidance::{Advice, Guidance, Labels, Strength};
use crate::methods::{MethodOptions, Model};

/// Neighbours in every graph, and the one whose distance is the scale.
const NEIGHBOURS: usize = 7;
/// Coordinate sweeps of WS-NMF over each factor in an iteration.
const SWEEPS: usize = 2;
/// No class is thought smaller than this part of an even share.
const LEAST_SIZE: f64 = 0.1;

/// Hidden labels: samples and their classes.
pub(super) type Hidden = Vec<(usize, usize)>;

/// What is made of the data alone.
pub(super) struct Source<'s, T: Real> {
    /// X with rows of unit length (or 0).
    pub(super) data: Box<dyn DataMatrix<T>>,
    /// G(X), not normalized.
    affinities: Graph,
    /// S_X.
    pub(super) graph: Graph,
    pub(super) settings: &'s AutomaticSettings,
}

impl<'s, T: Real> Source<'s, T> {
    pub(super) fn new(data: &dyn DataMatrix<T>, settings: &'s AutomaticSettings) -> Result<Self> {
        let data = unit_rows(data);
        let affinities = self_tuning(data.as_ref())?;
        let graph = affinities.normalized();
        Ok(Source { data, affinities, graph, settings })
    }

    /// S_p: WS-NMF with `per_class` components a class, and the graph of its codes.
    pub(super) fn graph_of_codes(&self, labels: &Labels, per_class: usize) -> Result<Graph> {
        let rank = labels.n_classes() * per_class;
        let labels = Advice::labels(labels.clone()).with_strength(Strength::of_sigma(10.0));
        let strength = Strength::of_sigma(self.settings.graph_weight.sqrt());
        let graph = Advice::Graph { graph: self.affinities.clone(), strength };
        let options = MethodOptions { components_per_class: per_class, ..MethodOptions::default() };
        let model = Model::ws_nmf(Guidance::from(labels).with(graph)).with_options(options);
        let settings = Settings {
            solver: SolverChoice::Hals,
            inner_steps: Some(SWEEPS),
            init: Init::Exemplars,
            max_iterations: self.settings.iterations,
            tolerance: 0.0,
            seed: self.settings.seed,
            threads: 1,
            ..Settings::new(rank)
        };
        let found = fit(self.data.as_ref(), &model, &settings)?;
        // The codes at unit length of the components.
        let length =
            |j: usize| found.components.row(j).iter().map(|v| v.to_f64() * v.to_f64()).sum::<f64>().sqrt();
        let lengths: Vec<f64> = (0..rank).map(length).collect();
        let scaled = |i: usize, j: usize| T::from_f64(found.codes.get(i, j).to_f64() * lengths[j]);
        graph_of_rows(Matrix::from_fn(found.codes.rows(), rank, scaled))
    }

    /// W·diag(Σ of the rows of H) (n × k) of CNMF with the Kullback–Leibler loss: how much of each sample is of each class.
    pub(super) fn divergence_codes(&self, labels: &Labels) -> Result<Matrix<f64>> {
        let k = labels.n_classes();
        let settings = Settings {
            max_iterations: self.settings.iterations,
            tolerance: 0.0,
            seed: self.settings.seed,
            threads: 1,
            ..Settings::new(k)
        };
        let model = Model::cnmf(labels.clone()).with_loss(Loss::KullbackLeibler)?;
        let found = fit(self.data.as_ref(), &model, &settings)?;
        let sum = |j: usize| found.components.row(j).iter().map(|v| v.to_f64()).sum::<f64>();
        let sums: Vec<f64> = (0..k).map(sum).collect();
        Ok(Matrix::from_fn(found.codes.rows(), k, |i, j| found.codes.get(i, j).to_f64() * sums[j]))
    }
}

/// One set of labels, and what is made with it.
pub(super) struct View {
    pub(super) labels: Labels,
    pub(super) hidden: Hidden,
    /// The class sizes to balance with (k), which sum to 1.
    pub(super) sizes: Vec<f64>,
    /// The second graphs of candidates, in the order of the search.
    pub(super) graphs: Vec<Option<Graph>>,
}

impl View {
    /// The samples without a label in this view.
    pub(super) fn unlabelled(&self) -> Vec<usize> {
        (0..self.labels.n_samples()).filter(|i| self.labels.class(*i).is_none()).collect()
    }
}

/// All labels first, then the folds, each with the graph of its centroids.
pub(super) fn views<T: Real>(
    source: &Source<'_, T>,
    labels: &Labels,
    folds: Vec<(Labels, Hidden)>,
    pool: &Pool,
) -> Result<Vec<View>> {
    let mut all = vec![(labels.clone(), Hidden::new())];
    all.extend(folds);
    let view = |(labels, hidden): (Labels, Hidden)| {
        let found = centroids(source.data.as_ref(), &labels);
        let graph = graph_of_rows(found.cosines)?;
        // Halfway, in logarithms, between even sizes and those of the clusters: clusters of a few labels are off by as much as classes differ.
        let even = 1.0 / found.sizes.len() as f64;
        let mut sizes: Vec<f64> =
            found.sizes.iter().map(|size| (even * size.max(LEAST_SIZE * even)).sqrt()).collect();
        let sum: f64 = sizes.iter().sum();
        sizes.iter_mut().for_each(|size| *size /= sum);
        Ok(View { labels, hidden, sizes, graphs: vec![Some(graph)] })
    };
    pool.map(all, view).into_iter().collect()
}

/// What each fold leaves and hides. None where no class has two labels.
pub(super) fn folds(labels: &Labels, max_folds: usize) -> Result<Vec<(Labels, Hidden)>> {
    let counts = labels.counts();
    let count = counts.iter().copied().max().unwrap_or(0).min(max_folds);
    if count < 2 {
        return Ok(Vec::new());
    }
    let fold = |fold: usize| {
        let mut seen = vec![0; counts.len()];
        let (mut kept, mut hidden) = (labels.to_integers(), Hidden::new());
        for (i, label) in kept.iter_mut().enumerate() {
            let Some(class) = labels.class(i) else { continue };
            // Of c ≥ 2 labels at most ⌈c/2⌉ are hidden, so every class keeps one.
            if counts[class] > 1 && seen[class] % count == fold {
                *label = -1;
                hidden.push((i, class));
            }
            seen[class] += 1;
        }
        Ok((Labels::from_integers(&kept)?, hidden))
    };
    (0..count).map(fold).collect()
}

/// What there is to say about classes with one label.
pub(super) fn single_labels(labels: &Labels, hidden: usize) -> Option<Notice> {
    let counts = labels.counts();
    let single: Vec<&str> =
        counts.iter().zip(labels.names()).filter(|(c, _)| **c == 1).map(|(_, name)| name.as_str()).collect();
    if single.is_empty() {
        return None;
    }
    let effect = if hidden == 0 {
        "no label can be hidden, so all candidates and readings weigh the same"
    } else {
        "these are learned from, but nothing is judged by them"
    };
    Some(Notice {
        code: "single-label",
        message: format!(
            "{} of {} classes have one labelled sample: {}; {effect}",
            single.len(),
            counts.len(),
            single.join(", ")
        ),
    })
}

/// The normalized graph of the directions of rows.
fn graph_of_rows<T: Real>(rows: Matrix<T>) -> Result<Graph> {
    let rows = data::dense(rows)?;
    Ok(self_tuning(unit_rows(rows.as_ref()).as_ref())?.normalized())
}

/// The normalized graph of places, by their distances.
pub(super) fn graph_of_places(places: Matrix<f64>) -> Result<Graph> {
    Ok(self_tuning(data::dense(places)?.as_ref())?.normalized())
}

fn self_tuning<T: Real>(data: &dyn DataMatrix<T>) -> Result<Graph> {
    let neighbours = NEIGHBOURS.min(data.n_samples() - 1);
    let weights = Weights::SelfTuning { scale_neighbour: neighbours };
    neighbour_graph(data, &NeighbourGraph { neighbours, weights, ..NeighbourGraph::default() })
}

pub(super) fn unit_rows<T: Real>(data: &dyn DataMatrix<T>) -> Box<dyn DataMatrix<T>> {
    let n = data.n_samples();
    let mut row = vec![0.0; data.n_features()];
    let mut scale = |i: usize| {
        interrupt::check();
        data.add_row(i, 1.0, &mut row);
        // By the largest entry first, so that the square of no entry leaves the range of numbers.
        let largest = row.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let square: f64 = row.iter().map(|v| (v / largest) * (v / largest)).sum();
        data.add_row(i, -1.0, &mut row);
        if largest > 0.0 { 1.0 / (largest * square.sqrt()) } else { 0.0 }
    };
    let scale = (0..n).map(&mut scale).collect();
    data.grouped(&RowGroups { group: (0..n as u32).collect(), scale })
}
