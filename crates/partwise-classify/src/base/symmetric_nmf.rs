//! WS-SymNMF of a normalized graph, started at label spreading: codes H ≥ 0 with S ≈ HHᵀ, near the known
//! labels.
//!
//! Reference: Choo, Lee, Reddy & Park 2015, doi:10.1007/s10618-014-0384-8.

use partwise::graphs::Graph;
use partwise::guidance::{Advice, Strength};
use partwise::{
    DataMatrix, Init, Labels, Matrix, MethodOptions, Model, Real, Result, Settings, Slot, SolverChoice, fit,
};

use super::{BaseClassifier, CONFIDENCE, Training, TrainingGraph};
use crate::folds::Fold;
use crate::posteriors::logarithms;

/// Iterations and coordinate sweeps.
const STEPS: (usize, usize) = (100, 3);

pub(super) struct SymmetricNmf(pub(super) TrainingGraph);

impl<T: Real> BaseClassifier<T> for SymmetricNmf {
    fn name(&self) -> &'static str {
        match self.0 {
            TrainingGraph::Fused => "WS-SymNMF",
            TrainingGraph::Data => "WS-SymNMF, data alone",
        }
    }

    fn posteriors(&self, training: &Training<'_, T>) -> Result<Matrix<f64>> {
        let (graph, labels) = (training.graph(self.0), training.labels());
        let codes = codes::<T>(graph, labels, training.scores(self.0), STEPS)?;
        Ok(of_codes(training.fold, &codes))
    }
}

/// H (n × c), started at `scores` (n × c), after so many iterations of so many sweeps.
pub(crate) fn codes<T: Real>(
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
    let labels = Advice::labels(labels.clone()).with_strength(Strength::STRONG);
    let settings = Settings {
        solver: SolverChoice::Hals,
        inner_steps: Some(sweeps),
        init: Init::Given(vec![(Slot::Codes, start.clone()), (Slot::Components, start)]),
        max_iterations: iterations,
        tolerance: 0.0,
        threads: 1,
        ..Settings::new(scores.columns())
    };
    let similarities = graph.to_sparse_in::<T>();
    let largest = similarities.summary().max;
    // The published coupling: the scores of candidates were compared with it.
    let options = MethodOptions { coupling: Some(largest * largest), ..MethodOptions::default() };
    Ok(fit(&similarities, &Model::ws_symnmf(labels).with_options(options), &settings)?.codes.cast())
}

/// Posteriors from H.
pub(crate) fn of_codes(fold: &Fold, codes: &Matrix<f64>) -> Matrix<f64> {
    fold.calibrated(&logarithms(codes), CONFIDENCE)
}
