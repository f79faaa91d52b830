//! Folds: which labels a classifier learns from, and which are held out to score it.

use partwise::graphs::Graph;
use partwise::internals::Pool;
use partwise::{Labels, Matrix, Real, Result};

use crate::centroids::centroids;
use crate::graphs::{Prepared, graph_of_rows};
use crate::posteriors::calibrated;
use crate::result::CandidateGraph;

/// No class is assumed smaller than this fraction of an equal share.
const LEAST_SIZE: f64 = 0.1;

/// So many held-out labels score as well as more: from here on two folds are enough.
const ENOUGH_HELD_OUT: usize = 200;

/// Held-out labels: samples and their classes.
pub(crate) type HeldOut = Vec<(usize, usize)>;

/// The labels of a fold, and what is made with them. Fold 0 has all labels and holds none out.
pub(crate) struct Fold {
    /// What classifiers learn from.
    pub(crate) labels: Labels,
    pub(crate) held_out: HeldOut,
    /// The samples without a label in this fold, ascending.
    pub(crate) unlabelled: Vec<usize>,
    /// The class sizes to balance with (c), which sum to 1.
    pub(crate) class_sizes: Vec<f64>,
    /// Second graphs of candidates.
    graphs: Vec<(CandidateGraph, Graph)>,
}

impl Fold {
    fn new<T: Real>(
        prepared: &Prepared<'_, T>,
        (labels, held_out): (Labels, HeldOut),
        sizes: Option<&[f64]>,
    ) -> Result<Self> {
        let found = centroids(prepared.rows.as_ref(), &labels);
        Ok(Fold {
            unlabelled: (0..labels.n_samples()).filter(|i| labels.class(*i).is_none()).collect(),
            labels,
            held_out,
            class_sizes: sizes.map_or_else(|| shrunk(&found.sizes), <[f64]>::to_vec),
            graphs: vec![(CandidateGraph::Centroids, graph_of_rows(found.cosines)?)],
        })
    }

    /// The second graph of a candidate; none for [`CandidateGraph::Data`], and for codes that were not fitted
    /// here.
    pub(crate) fn graph(&self, of: CandidateGraph) -> Option<&Graph> {
        self.graphs.iter().find(|(kind, _)| *kind == of).map(|(_, graph)| graph)
    }

    pub(crate) fn add_graph(&mut self, of: CandidateGraph, graph: Graph) {
        self.graphs.push((of, graph));
    }

    /// Posteriors ∝ exp(g·`logits`) whose mean largest entry over the unlabelled samples is `confidence`.
    pub(crate) fn calibrated(&self, logits: &Matrix<f64>, confidence: f64) -> Matrix<f64> {
        calibrated(logits, &self.unlabelled, confidence)
    }
}

/// Halfway, in logarithms, between even class sizes and those of the clusters: clusters from a few labels are
/// off by as much as classes differ.
fn shrunk(sizes: &[f64]) -> Vec<f64> {
    let even = 1.0 / sizes.len() as f64;
    let mut sizes: Vec<f64> = sizes.iter().map(|size| (even * size.max(LEAST_SIZE * even)).sqrt()).collect();
    let sum: f64 = sizes.iter().sum();
    sizes.iter_mut().for_each(|size| *size /= sum);
    sizes
}

/// All labels first, then the folds; `sizes` (c) are those of the classes, where they are known.
pub(crate) fn folds<T: Real>(
    prepared: &Prepared<'_, T>,
    labels: &Labels,
    splits: Vec<(Labels, HeldOut)>,
    sizes: Option<&[f64]>,
    pool: &Pool,
) -> Result<Vec<Fold>> {
    let mut all = vec![(labels.clone(), HeldOut::new())];
    all.extend(splits);
    pool.map(all, |of_fold| Fold::new(prepared, of_fold, sizes)).into_iter().collect()
}

/// The labels that each fold learns from, and those that it holds out. None where no class has two labels.
/// Folds that many labels make superfluous are left out, so that the work does not grow with the labels.
pub(crate) fn splits(labels: &Labels, max_folds: usize) -> Result<Vec<(Labels, HeldOut)>> {
    let counts = labels.counts();
    let count = counts.iter().copied().max().unwrap_or(0).min(max_folds);
    if count < 2 {
        return Ok(Vec::new());
    }
    let split = |fold: usize| {
        let mut seen = vec![0; counts.len()];
        let (mut kept, mut held_out) = (labels.to_integers(), HeldOut::new());
        for (i, label) in kept.iter_mut().enumerate() {
            let Some(class) = labels.class(i) else { continue };
            // Of c ≥ 2 labels at most ⌈c/2⌉ are held out, so every class keeps one.
            if counts[class] > 1 && seen[class] % count == fold {
                *label = -1;
                held_out.push((i, class));
            }
            seen[class] += 1;
        }
        Ok((Labels::from_integers(&kept)?, held_out))
    };
    let mut splits: Vec<(Labels, HeldOut)> = Vec::new();
    for fold in 0..count {
        let held_out: usize = splits.iter().map(|(_, held_out)| held_out.len()).sum();
        if splits.len() >= 2 && held_out >= ENOUGH_HELD_OUT {
            break;
        }
        splits.push(split(fold)?);
    }
    Ok(splits)
}
