//! Base classifiers: posteriors of all samples from the labels of a fold; and their weighted product.

mod cnmf;
pub(crate) mod label_spreading;
pub(crate) mod linear_discriminants;
pub(crate) mod symmetric_nmf;

use partwise::graphs::Graph;
use partwise::internals::Pool;
use partwise::{Labels, Matrix, Real, Result};

use crate::ensemble::{Quality, product, weighed};
use crate::folds::Fold;
use crate::graphs::Prepared;
use crate::result::Member;

/// The mean largest posterior of the unlabelled samples at which base classifiers are compared.
const CONFIDENCE: f64 = 0.7;

/// Learns from the labels of a fold.
pub(crate) trait BaseClassifier<T: Real>: Sync {
    /// Its name in running text.
    fn name(&self) -> &'static str;

    /// Posteriors (n × c) of all samples, calibrated.
    fn posteriors(&self, training: &Training<'_, T>) -> Result<Matrix<f64>>;
}

/// All, in the order of [`Classification::base_classifiers`](crate::Classification::base_classifiers).
fn base_classifiers<T: Real>() -> &'static [&'static dyn BaseClassifier<T>] {
    use {TrainingGraph::*, symmetric_nmf::SymmetricNmf};
    use {cnmf::Cnmf, label_spreading::LabelSpreading, linear_discriminants::LinearDiscriminants};
    const {
        &[
            &LabelSpreading(Fused),
            &SymmetricNmf(Fused),
            &LabelSpreading(Data),
            &SymmetricNmf(Data),
            &Cnmf,
            &LinearDiscriminants,
        ]
    }
}

/// What a base classifier learns from.
pub(crate) struct Training<'t, T: Real> {
    pub(crate) prepared: &'t Prepared<'t, T>,
    pub(crate) fold: &'t Fold,
    /// The fused graph of the fold.
    fused: &'t Graph,
    /// The labels spread over the fused graph, and over that of the data.
    scores: &'t [Matrix<f64>; 2],
}

/// A graph to learn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrainingGraph {
    /// The fused graph.
    Fused,
    /// The graph of the data.
    Data,
}

impl<T: Real> Training<'_, T> {
    pub(crate) fn graph(&self, graph: TrainingGraph) -> &Graph {
        match graph {
            TrainingGraph::Fused => self.fused,
            TrainingGraph::Data => &self.prepared.graph,
        }
    }

    /// The labels spread over the graph (n × c).
    pub(crate) fn scores(&self, graph: TrainingGraph) -> &Matrix<f64> {
        match graph {
            TrainingGraph::Fused => &self.scores[0],
            TrainingGraph::Data => &self.scores[1],
        }
    }

    pub(crate) fn labels(&self) -> &Labels {
        &self.fold.labels
    }
}

/// The product of the base classifiers in each fold, and how each of them did. `fused` holds the fused graph
/// of each fold, `held_out` is the number of held-out labels.
pub(crate) fn combine<T: Real>(
    prepared: &Prepared<'_, T>,
    folds: &[Fold],
    fused: &[Graph],
    held_out: f64,
    pool: &Pool,
) -> Result<(Vec<Matrix<f64>>, Vec<Member>)> {
    let classifiers = base_classifiers::<T>();
    let tasks: Vec<(usize, usize)> =
        (0..folds.len()).flat_map(|v| (0..classifiers.len()).map(move |e| (v, e))).collect();
    // Two classifiers learn from each graph, and both begin with its label spreading.
    let scores = pool.map((0..folds.len()).collect(), |v: usize| {
        let labels = &folds[v].labels;
        Ok([label_spreading::spread(&fused[v], labels)?, label_spreading::spread(&prepared.graph, labels)?])
    });
    let scores = scores.into_iter().collect::<Result<Vec<_>>>()?;
    let posteriors = pool.map(tasks, |(v, e)| {
        classifiers[e].posteriors(&Training {
            prepared,
            fold: &folds[v],
            fused: &fused[v],
            scores: &scores[v],
        })
    });
    let posteriors = posteriors.into_iter().collect::<Result<Vec<_>>>()?;
    let posteriors: Vec<&[Matrix<f64>]> = posteriors.chunks(classifiers.len()).collect();
    let names: Vec<&str> = classifiers.iter().map(|classifier| classifier.name()).collect();
    let members = weighed(folds, &posteriors, &names, held_out, Quality::Score);
    let products = folds.iter().zip(&posteriors).map(|(fold, p)| product(&fold.labels, p, &members));
    Ok((products.collect(), members))
}
