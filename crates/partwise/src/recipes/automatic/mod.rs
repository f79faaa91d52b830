//! The automatic recipe (research form).

mod centroids;
mod shares;

use crate::backend::pool::Pool;
use crate::data::{self, DataMatrix, RowGroups};
use crate::error::{Error, Result};
use crate::factors::Slot;
use crate::fit::fit;
use crate::graphs::{Graph, NeighbourGraph, Weights, neighbour_graph, spread_scores};
use crate::guidance::{Knowledge, Labels};
use crate::linalg::Matrix;
use crate::models::Model;
use crate::real::Real;
use crate::settings::{Init, Settings};
use crate::solvers::SolverChoice;
use centroids::{centroids, largest};
use shares::{balanced, logarithms, row_normalized, sharpened};

/// Knobs.
#[derive(Clone, Debug)]
pub struct Knobs {
    pub parts: Vec<usize>,
    pub graph_weight: f64,
    pub iterations: usize,
    pub sweeps: usize,
    pub b: f64,
    pub prior: f64,
    pub seed: u64,
    pub threads: usize,
}

impl Default for Knobs {
    fn default() -> Self {
        Knobs { parts: vec![1, 2, 3, 5, 8, 12], graph_weight: 0.01, iterations: 40, sweeps: 2, b: 1.0, prior: 0.0, seed: 0, threads: 1 }
    }
}

/// Labels in view.
pub struct View {
    pub labels: Labels,
    pub hidden: Vec<(usize, usize)>,
    pub graphs: Vec<(usize, Graph)>,
    pub cosines: Matrix<f64>,
    pub sizes: Vec<f64>,
}

/// Graphs.
pub struct Prepared {
    pub x_graph: Graph,
    pub views: Vec<View>,
}

fn self_tuning<T: Real>(data: &dyn DataMatrix<T>) -> Result<Graph> {
    let neighbours = 7.min(data.n_samples() - 1);
    neighbour_graph(
        data,
        &NeighbourGraph {
            neighbours,
            weights: Weights::SelfTuning { scale_neighbour: neighbours },
            ..NeighbourGraph::default()
        },
    )
}

fn unit_rows<T: Real>(data: &dyn DataMatrix<T>) -> Box<dyn DataMatrix<T>> {
    let n = data.n_samples();
    let mut row = vec![0.0; data.n_features()];
    let scale = (0..n)
        .map(|i| {
            data.add_row(i, 1.0, &mut row);
            let norm = data.row_dot(i, &row).sqrt();
            data.add_row(i, -1.0, &mut row);
            if norm > 0.0 { 1.0 / norm } else { 0.0 }
        })
        .collect();
    data.grouped(&RowGroups { group: (0..n as u32).collect(), scale })
}

/// Step 1 to 3.
pub fn prepare<T: Real>(data: &dyn DataMatrix<T>, labels: &Labels, knobs: &Knobs) -> Result<Prepared> {
    let pool = Pool::new(knobs.threads);
    let unit = unit_rows(data);
    let unit = unit.as_ref();
    let graph = self_tuning(unit)?;
    let (n, k) = (data.n_samples(), labels.n_classes());
    let counts = labels.counts();
    let folds = counts.iter().copied().max().unwrap_or(0).min(5);
    let mut sets = vec![(labels.clone(), Vec::new())];
    for fold in 0..folds {
        let mut seen = vec![0; k];
        let mut kept = labels.to_integers();
        let mut hidden = Vec::new();
        for i in 0..n {
            if let Some(c) = labels.class(i) {
                if counts[c] > 1 && seen[c] % folds == fold {
                    kept[i] = -1;
                    hidden.push((i, c));
                }
                seen[c] += 1;
            }
        }
        sets.push((Labels::from_integers(&kept)?, hidden));
    }
    let parts: Vec<usize> =
        knobs.parts.iter().copied().filter(|p| *p == 1 || (p * k) as f64 <= 0.75 * n as f64).collect();
    let tasks: Vec<(usize, usize)> = (0..sets.len()).flat_map(|s| parts.iter().map(move |p| (s, *p))).collect();
    let made = pool.map(tasks, |(set, p)| {
        let knowledge = Knowledge {
            labels: Some(sets[set].0.clone()),
            components_per_class: p,
            graph: Some(graph.clone()),
            graph_weight: knobs.graph_weight,
            ..Knowledge::default()
        };
        let settings = Settings {
            solver: SolverChoice::Hals,
            inner_steps: Some(knobs.sweeps),
            init: Init::Exemplars,
            max_iterations: knobs.iterations,
            tolerance: 0.0,
            seed: knobs.seed,
            threads: 1,
            ..Settings::new(k * p)
        };
        let found = fit(unit, &Model::ws_nmf(knowledge), &settings)?;
        // The codes at unit length of the components.
        let mut codes = found.codes;
        let norms: Vec<f64> = (0..k * p)
            .map(|j| found.components.row(j).iter().map(|v| v.to_f64() * v.to_f64()).sum::<f64>().sqrt())
            .collect();
        for i in 0..n {
            codes.row_mut(i).iter_mut().zip(&norms).for_each(|(w, m)| *w = T::from_f64(w.to_f64() * m));
        }
        let rows = data::dense(codes)?;
        Ok((p, self_tuning(unit_rows(rows.as_ref()).as_ref())?.normalized()))
    });
    let mut made = made.into_iter();
    let mut views = Vec::new();
    for (labels, hidden) in sets {
        let graphs = made.by_ref().take(parts.len()).collect::<Result<Vec<_>>>()?;
        let c = centroids(unit, &labels);
        views.push(View { labels, hidden, graphs, cosines: c.cosines, sizes: c.sizes });
    }
    Ok(Prepared { x_graph: graph.normalized(), views })
}

/// Scores of spreading.
pub fn lgc(graph: &Graph, labels: &Labels) -> Result<Matrix<f64>> {
    let seeds = Matrix::from_fn(labels.n_samples(), labels.n_classes(), |i, c| {
        f64::from(labels.class(i) == Some(c))
    });
    spread_scores(graph, &seeds, 0.95, 1e-3).map(|mut f| {
        f.as_mut_slice().iter_mut().for_each(|v| *v = v.max(0.0));
        f
    })
}

/// H1.
pub fn symmetric<T: Real>(graph: &Graph, labels: &Labels, scores: &Matrix<f64>, iterations: usize, sweeps: usize) -> Result<Matrix<f64>> {
    let k = labels.n_classes();
    let mut start = Matrix::zeros(scores.rows(), k);
    for i in 0..scores.rows() {
        let length = scores.row(i).iter().map(|v| v * v).sum::<f64>().sqrt();
        for (c, v) in start.row_mut(i).iter_mut().enumerate() {
            *v = match labels.class(i) {
                Some(class) => f64::from(class == c),
                None if length > 0.0 => 0.3 * scores.get(i, c) / length + 0.001,
                None => 0.001,
            };
        }
    }
    let knowledge = Knowledge { labels: Some(labels.clone()), ..Knowledge::default() };
    let settings = Settings {
        solver: SolverChoice::Hals,
        inner_steps: Some(sweeps),
        init: Init::Given(vec![(Slot::Codes, start.clone()), (Slot::Components, start)]),
        max_iterations: iterations,
        tolerance: 0.0,
        threads: 1,
        ..Settings::new(k)
    };
    let similarities = graph.to_sparse_in::<T>();
    Ok(fit(&similarities, &Model::ws_symnmf(knowledge), &settings)?.codes.cast())
}

/// All that is decided on.
pub struct Decided {
    /// (p, w, score, weight)
    pub candidates: Vec<(usize, f64, f64, f64)>,
    /// For each view (all labels first): LGC scores, H1, cosines on the fused graph.
    pub views: Vec<(Matrix<f64>, Matrix<f64>)>,
}

fn free(labels: &Labels) -> Vec<usize> {
    (0..labels.n_samples()).filter(|i| labels.class(*i).is_none()).collect()
}

/// Accuracy and mean share.
pub fn held_out(shares: &Matrix<f64>, hidden: &[(usize, usize)]) -> (f64, f64) {
    let n = hidden.len() as f64;
    (
        hidden.iter().filter(|(i, c)| largest(shares.row(*i)) == *c).count() as f64 / n,
        hidden.iter().map(|(i, c)| shares.get(*i, *c)).sum::<f64>() / n,
    )
}

/// Logs and shares for the outside.
pub fn log_shares(scores: &Matrix<f64>) -> Matrix<f64> {
    logarithms(scores)
}
/// See shares.
pub fn sharpen(logs: &Matrix<f64>, over: &[usize], confidence: f64) -> Matrix<f64> {
    sharpened(logs, over, confidence)
}
/// See shares.
pub fn balance(scores: &Matrix<f64>, sizes: &[f64], power: f64) -> Matrix<f64> {
    balanced(scores, sizes, power)
}

/// Sizes that count.
pub fn prior(view: &View, power: f64) -> Vec<f64> {
    let k = view.sizes.len();
    let raw: Vec<f64> = view.sizes.iter().map(|s| s.max(0.1 / k as f64).powf(power)).collect();
    let sum: f64 = raw.iter().sum();
    raw.iter().map(|v| v / sum).collect()
}

/// Steps 4 to 7.
pub fn decide<T: Real>(prepared: &Prepared, knobs: &Knobs) -> Result<Decided> {
    let pool = Pool::new(knobs.threads);
    let mut grid = vec![(0usize, 0.0)];
    for at in 0..prepared.views[0].graphs.len() {
        grid.extend([1.0 / 3.0, 2.0 / 3.0, 1.0].map(|w| (at, w)));
    }
    let mix = |view: &View, at: usize, w: f64| {
        Graph::weighted_sum(&[(1.0 - w, &prepared.x_graph), (w, &view.graphs[at].1)])
    };
    let tasks: Vec<(usize, usize)> =
        (0..grid.len()).flat_map(|g| (1..prepared.views.len()).map(move |v| (g, v))).collect();
    let scored = pool.map(tasks, |(g, v)| -> Result<f64> {
        let view = &prepared.views[v];
        let graph = mix(view, grid[g].0, grid[g].1)?;
        let scores = lgc(&graph, &view.labels)?;
        let over = free(&view.labels);
        let one = balanced(&scores, &prior(view, knobs.prior), 0.5);
        let one = held_out(&sharpened(&logarithms(&one), &over, 0.7), &view.hidden);
        let two = row_normalized(symmetric::<T>(&graph, &view.labels, &scores, 30, 1)?);
        let two = held_out(&sharpened(&logarithms(&two), &over, 0.7), &view.hidden);
        Ok(0.25 * (one.0 + one.1 + two.0 + two.1))
    });
    let scored = scored.into_iter().collect::<Result<Vec<f64>>>()?;
    let folds = prepared.views.len() - 1;
    let scores: Vec<f64> =
        (0..grid.len()).map(|g| scored[g * folds..(g + 1) * folds].iter().sum::<f64>() / folds as f64).collect();
    let best = scores.iter().fold(f64::NEG_INFINITY, |m, s| m.max(*s));
    let b = knobs.b * prepared.views[1..].iter().map(|v| v.hidden.len()).sum::<usize>() as f64;
    let mut weights: Vec<f64> = scores.iter().map(|s| (b * (s - best)).exp()).collect();
    for _ in 0..2 {
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|w| *w /= sum);
        weights.iter_mut().filter(|w| **w < 0.02).for_each(|w| *w = 0.0);
    }
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w /= sum);
    let views = pool.map((0..prepared.views.len()).collect(), |v| {
        let view = &prepared.views[v];
        let mut terms = vec![(0.0, &prepared.x_graph)];
        for ((at, w), weight) in grid.iter().zip(&weights) {
            terms[0].0 += weight * (1.0 - w);
            if weight * w > 0.0 {
                terms.push((weight * w, &view.graphs[*at].1));
            }
        }
        let graph = Graph::weighted_sum(&terms)?;
        let scores = lgc(&graph, &view.labels)?;
        let h = symmetric::<T>(&graph, &view.labels, &scores, 100, 3)?;
        Ok((scores, h))
    });
    let candidates = grid
        .iter()
        .zip(scores.iter().zip(&weights))
        .map(|((at, w), (s, weight))| (prepared.views[0].graphs[*at].0, *w, *s, *weight))
        .collect();
    let views = views.into_iter().collect::<Result<Vec<_>>>()?;
    let _ = Error::Labels(String::new());
    Ok(Decided { candidates, views })
}
