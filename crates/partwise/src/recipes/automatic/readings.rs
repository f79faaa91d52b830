//! Readings: shares of the classes from the graphs and from the data, and their product.

use super::discriminants::discriminants;
use super::shares::{
    agreement, balanced, classes_of, held_out, logarithms, row_normalized, sharpened, weights,
};
use super::views::{Source, View};
use super::{Reading, ReadingKind};
use crate::engine::solvers::SolverChoice;
use crate::engine::{Init, Settings, Slot};
use crate::fit::fit;
use crate::foundation::pool::Pool;
use crate::foundation::{Matrix, Real, Result};
use crate::graphs::{Graph, spread_scores};
use crate::guidance::{Advice, Labels, Strength};
use crate::methods::Model;

/// α of label spreading.
const ALPHA: f64 = 0.95;
/// Of spread scores: shares do not feel a smaller residual.
pub(super) const RESIDUAL: f64 = 1e-3;
/// How far spreading is moved towards the class sizes; 1 would hold it to them.
const BALANCE: f64 = 0.5;
/// The mean largest share of the unlabelled samples at which shares are compared.
const CONFIDENCE: f64 = 0.7;
/// Iterations and sweeps of WS-SymNMF on the fused graph.
const FINAL: (usize, usize) = (100, 3);

/// F (n × k) by label spreading on a (mean of) normalized graph(s).
pub(super) fn spreading(graph: &Graph, labels: &Labels) -> Result<Matrix<f64>> {
    let given = |i: usize, c: usize| f64::from(labels.class(i) == Some(c));
    let seeds = Matrix::from_fn(labels.n_samples(), labels.n_classes(), given);
    let mut scores = spread_scores(graph, &seeds, ALPHA, RESIDUAL)?;
    // An unfinished solve may be off by less than nothing.
    scores.as_mut_slice().iter_mut().for_each(|v| *v = v.max(0.0));
    Ok(scores)
}

/// H1 (n × k) of WS-SymNMF, started at `scores`.
pub(super) fn symmetric<T: Real>(
    graph: &Graph,
    labels: &Labels,
    scores: &Matrix<f64>,
    (iterations, sweeps): (usize, usize),
) -> Result<Matrix<f64>> {
    let mut start = Matrix::zeros(scores.rows(), scores.columns());
    for i in 0..scores.rows() {
        let length = scores.row(i).iter().map(|v| v * v).sum::<f64>().sqrt();
        for (c, value) in start.row_mut(i).iter_mut().enumerate() {
            *value = match labels.class(i) {
                Some(class) => f64::from(class == c),
                None if length > 0.0 => 0.3 * scores.get(i, c) / length + 0.001,
                None => 0.001,
            };
        }
    }
    let labels = Advice::labels(labels.clone()).with_strength(Strength::of_sigma(10.0));
    let settings = Settings {
        solver: SolverChoice::Hals,
        inner_steps: Some(sweeps),
        init: Init::Given(vec![(Slot::Codes, start.clone()), (Slot::Components, start)]),
        max_iterations: iterations,
        tolerance: 0.0,
        threads: 1,
        ..Settings::new(scores.columns())
    };
    Ok(fit(&graph.to_sparse_in::<T>(), &Model::ws_symnmf(labels), &settings)?.codes.cast())
}

/// Shares of one view, all of the same confidence.
pub(super) struct Shares<'v> {
    view: &'v View,
    over: Vec<usize>,
}

impl<'v> Shares<'v> {
    pub(super) fn new(view: &'v View) -> Self {
        Shares { view, over: view.unlabelled() }
    }

    pub(super) fn of_spreading(&self, scores: &Matrix<f64>) -> Matrix<f64> {
        let shares = balanced(scores, &self.view.sizes, BALANCE);
        sharpened(&logarithms(&shares), &self.over, CONFIDENCE)
    }

    pub(super) fn of_factorization(&self, codes: &Matrix<f64>) -> Matrix<f64> {
        self.of_scores(&logarithms(codes), CONFIDENCE)
    }

    /// From scores whose exponentials are shares, at a confidence.
    pub(super) fn of_scores(&self, scores: &Matrix<f64>, confidence: f64) -> Matrix<f64> {
        sharpened(scores, &self.over, confidence)
    }

    /// The labels of the view.
    pub(super) fn labels(&self) -> &'v Labels {
        &self.view.labels
    }
}

/// What readings are read from. Each gives those of [`ReadingKind::ALL`] that it is named for, in that order.
#[derive(Clone, Copy)]
enum Origin {
    Fused,
    Data,
    Likelihood,
    Discriminants,
}

impl Origin {
    const ALL: [Origin; 4] = [Origin::Fused, Origin::Data, Origin::Likelihood, Origin::Discriminants];

    fn read<T: Real>(self, source: &Source<'_, T>, view: &View, fused: &Graph) -> Result<Vec<Matrix<f64>>> {
        let (shares, labels) = (Shares::new(view), &view.labels);
        let of_graph = |graph: &Graph| {
            let scores = spreading(graph, labels)?;
            let codes = symmetric::<T>(graph, labels, &scores, FINAL)?;
            Ok(vec![shares.of_spreading(&scores), shares.of_factorization(&codes)])
        };
        match self {
            Origin::Fused => of_graph(fused),
            Origin::Data => of_graph(&source.graph),
            Origin::Likelihood => Ok(vec![shares.of_factorization(&source.divergence_codes(labels)?)]),
            Origin::Discriminants => {
                Ok(vec![shares.of_scores(&discriminants(source.data.as_ref(), labels), CONFIDENCE)])
            }
        }
    }
}

/// The product of the readings in each view, and how each reading did. `fused` holds the fused graph of each view.
pub(super) fn combine<T: Real>(
    source: &Source<'_, T>,
    views: &[View],
    fused: &[Graph],
    hidden: f64,
    pool: &Pool,
) -> Result<(Vec<Matrix<f64>>, Vec<Reading>)> {
    let origins = |v: usize| Origin::ALL.map(|origin| (v, origin));
    let tasks: Vec<(usize, Origin)> = (0..views.len()).flat_map(origins).collect();
    let parts = pool.map(tasks, |(v, origin)| origin.read(source, &views[v], &fused[v]));
    let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
    // The readings of each view, in the order of ReadingKind::ALL.
    let read: Vec<Vec<Matrix<f64>>> = parts.chunks(Origin::ALL.len()).map(|view| view.concat()).collect();
    let readings = weighed(views, &read, &ReadingKind::ALL, hidden, |score, _| score);
    let products = views.iter().zip(&read).map(|(view, read)| product(&view.labels, read, &readings));
    Ok((products.collect(), readings))
}

/// Judges the shares that each of `kinds` has in `read` (a row a view: all labels first, then the folds) and weighs them by
/// exp(hidden·(worth − best)), `worth` being made of the score and the agreement. Without a fold all weigh 1.
pub(super) fn weighed<K: Copy>(
    views: &[View],
    read: &[impl AsRef<[Matrix<f64>]>],
    kinds: &[K],
    hidden: f64,
    worth: impl Fn(f64, f64) -> f64,
) -> Vec<Reading<K>> {
    let folds = views.len() - 1;
    let (over, classes) = (views[0].unlabelled(), views[0].labels.n_classes());
    let judged = |(at, kind): (usize, &K)| {
        let held_out = |v: usize| held_out(&read[v].as_ref()[at], &views[v].hidden);
        let score = (folds > 0).then(|| (1..=folds).map(held_out).sum::<f64>() / folds as f64);
        let of_folds: Vec<Vec<u32>> = read[1..].iter().map(|read| classes_of(&read.as_ref()[at])).collect();
        Reading { kind: *kind, score, agreement: agreement(&of_folds, classes, &over), weight: 1.0 }
    };
    let mut readings: Vec<Reading<K>> = kinds.iter().enumerate().map(judged).collect();
    let worth = |r: &Reading<K>| r.score.map_or(0.0, |score| worth(score, r.agreement.unwrap_or(0.0)));
    let worths: Vec<f64> = readings.iter().map(worth).collect();
    readings.iter_mut().zip(weights(&worths, hidden)).for_each(|(reading, weight)| reading.weight = weight);
    readings
}

/// Shares ∝ Πₑ shareₑ^weightₑ; labelled samples have all of their own class.
pub(super) fn product<K>(labels: &Labels, read: &[Matrix<f64>], readings: &[Reading<K>]) -> Matrix<f64> {
    let (n, k) = read[0].shape();
    let mut logs = Matrix::zeros(n, k);
    for (shares, reading) in read.iter().zip(readings) {
        for (sum, share) in logs.as_mut_slice().iter_mut().zip(shares.as_slice()) {
            *sum += reading.weight * share.max(1e-12).ln();
        }
    }
    for i in 0..n {
        let row = logs.row_mut(i);
        let top = row.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
        row.iter_mut().for_each(|v| *v = (*v - top).exp());
    }
    with_labels(labels, row_normalized(logs))
}

/// Rows that sum to 1; labelled samples have all of their own class.
pub(super) fn with_labels(labels: &Labels, mut shares: Matrix<f64>) -> Matrix<f64> {
    // An unfinished solve may be off by less than nothing.
    shares.as_mut_slice().iter_mut().for_each(|v| *v = v.max(0.0));
    for i in 0..shares.rows() {
        if let Some(class) = labels.class(i) {
            shares.row_mut(i).iter_mut().enumerate().for_each(|(c, v)| *v = f64::from(c == class));
        }
    }
    row_normalized(shares)
}
