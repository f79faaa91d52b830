//! Label spreading on a normalized graph S.
//!
//! ```text
//! F = (1 − α)(I − αS)⁻¹Y,   Y (n × c) the labels as indicators
//! ```
//!
//! Spreading favours no class, and the sizes of what it finds depend on where the labels happen to lie. Each
//! class is therefore scaled halfway to its assumed size.
//!
//! Reference: Zhou et al., "Learning with local and global consistency", NIPS 2003.

use partwise::graphs::Graph;
use partwise::internals::spread_scores;
use partwise::{Labels, Matrix, Real, Result};

use super::{BaseClassifier, CONFIDENCE, Training, TrainingGraph};
use crate::folds::Fold;
use crate::posteriors::{balanced, logarithms};

const ALPHA: f64 = 0.95;
/// Of the linear systems: posteriors do not change visibly below it.
pub(crate) const RESIDUAL: f64 = 1e-3;
/// How far posteriors are moved towards the class sizes; 1 would fix their means at them.
const BALANCE: f64 = 0.5;

pub(super) struct LabelSpreading(pub(super) TrainingGraph);

impl<T: Real> BaseClassifier<T> for LabelSpreading {
    fn name(&self) -> &'static str {
        match self.0 {
            TrainingGraph::Fused => "label spreading",
            TrainingGraph::Data => "label spreading, data alone",
        }
    }

    fn posteriors(&self, training: &Training<'_, T>) -> Result<Matrix<f64>> {
        Ok(of_scores(training.fold, training.scores(self.0)))
    }
}

/// F (n × c).
pub(crate) fn spread(graph: &Graph, labels: &Labels) -> Result<Matrix<f64>> {
    let indicator = |i: usize, c: usize| f64::from(labels.class(i) == Some(c));
    let seeds = Matrix::from_fn(labels.n_samples(), labels.n_classes(), indicator);
    let mut scores = spread_scores(graph, &seeds, ALPHA, RESIDUAL)?;
    // An unfinished solve may leave values slightly below 0.
    scores.as_mut_slice().iter_mut().for_each(|v| *v = v.max(0.0));
    Ok(scores)
}

/// Posteriors from F.
pub(crate) fn of_scores(fold: &Fold, scores: &Matrix<f64>) -> Matrix<f64> {
    fold.calibrated(&logarithms(&balanced(scores, &fold.class_sizes, BALANCE)), CONFIDENCE)
}
