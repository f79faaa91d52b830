//! Linear support vector machines on one representation of the samples, their cost chosen on validation rows.

use anyhow::Result;
use partwise::internals::svm::{Cost, Svm, SvmLoss, SvmSettings, train};
use partwise::metrics::f_scores;
use partwise::{DataMatrix, DenseMatrix, Matrix};

/// Machines that only have to classify need no more.
const GAP: f64 = 1e-3;
const MAX_PASSES: usize = 300;

/// What a classification is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// One label: the share of samples that are on the right side, in %. No bias.
    Accuracy,
    /// One of several classes: the share of samples whose class has the largest value, in %. No bias.
    Classes,
    /// Several labels: the mean of macro- and micro-averaged F, in %. The machines have a bias (a constant
    /// feature), since labels are rare.
    AverageF,
}

impl Measure {
    /// Of predictions against the truth (n × labels, row-major).
    pub(super) fn of(self, truth: &[bool], predicted: &[bool], labels: usize) -> Result<f64> {
        match self {
            Measure::Accuracy => {
                let right = truth.iter().zip(predicted).filter(|(is, said)| is == said).count();
                Ok(100.0 * right as f64 / truth.len() as f64)
            }
            Measure::Classes => {
                let rows = truth.chunks_exact(labels).zip(predicted.chunks_exact(labels));
                let right = rows.filter(|(is, said)| is == said).count();
                Ok(100.0 * (right * labels) as f64 / truth.len() as f64)
            }
            Measure::AverageF => Ok(100.0 * f_scores(truth, predicted, labels)?.average),
        }
    }
}

/// Rows with their labels.
pub(super) struct Part<'a> {
    pub(super) rows: &'a dyn DataMatrix<f64>,
    /// Rows × labels, row-major.
    pub(super) truth: &'a [bool],
}

/// The machines whose cost was the best on the validation rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Chosen {
    pub(super) cost: f64,
    pub(super) validation: f64,
    pub(super) test: f64,
}

/// Trains one machine a label on the first `labelled` rows of `training` for each cost, takes the cost that
/// is best on `validation` (the first of equals), and measures it on `test`.
pub(super) fn choose_cost(
    [training, validation, test]: [&Part<'_>; 3],
    labelled: usize,
    labels: usize,
    measure: Measure,
    loss: SvmLoss,
    costs: &[f64],
) -> Result<Chosen> {
    let mut best: Option<(Chosen, Vec<Option<Svm>>)> = None;
    for &cost in costs {
        let machines = train_all(training, labelled, labels, loss, cost)?;
        let validation =
            measure.of(validation.truth, &predict(validation.rows, &machines, measure)?, labels)?;
        if best.as_ref().is_none_or(|(chosen, _)| validation > chosen.validation) {
            best = Some((Chosen { cost, validation, test: 0.0 }, machines));
        }
    }
    let (chosen, machines) = best.expect("there is at least one cost");
    let test = measure.of(test.truth, &predict(test.rows, &machines, measure)?, labels)?;
    Ok(Chosen { test, ..chosen })
}

/// One machine a label; none where the labelled rows all have it or all lack it.
fn train_all(
    training: &Part<'_>,
    labelled: usize,
    labels: usize,
    loss: SvmLoss,
    cost: f64,
) -> Result<Vec<Option<Svm>>> {
    let samples: Vec<usize> = (0..labelled).collect();
    let cost = Cost::Same(cost);
    let settings = SvmSettings { cost, loss, tolerance: GAP, max_passes: MAX_PASSES, ..Default::default() };
    let machine = |label: usize| {
        let has = |sample: &usize| training.truth[sample * labels + label];
        let targets: Vec<i8> = samples.iter().map(|sample| if has(sample) { 1 } else { -1 }).collect();
        let one_sided = targets.windows(2).all(|pair| pair[0] == pair[1]);
        if one_sided { Ok(None) } else { Ok(Some(train(training.rows, &samples, &targets, &settings)?)) }
    };
    (0..labels).map(machine).collect()
}

/// Rows × labels, row-major.
fn predict(rows: &dyn DataMatrix<f64>, machines: &[Option<Svm>], measure: Measure) -> Result<Vec<bool>> {
    let values: Vec<Option<Vec<f64>>> = machines
        .iter()
        .map(|machine| machine.as_ref().map(|machine| machine.decision_values(rows)).transpose())
        .collect::<std::result::Result<_, _>>()?;
    Ok(said(&values, rows.n_samples(), measure))
}

/// Which labels values stand for (rows × labels, row-major): those above 0, or the largest for one of several
/// classes. A label without values is never said.
pub(super) fn said(values: &[Option<Vec<f64>>], rows: usize, measure: Measure) -> Vec<bool> {
    let mut said = vec![false; rows * values.len()];
    for (sample, row) in said.chunks_exact_mut(values.len()).enumerate() {
        let value = |label: usize| values[label].as_ref().map_or(f64::NEG_INFINITY, |all| all[sample]);
        if measure == Measure::Classes {
            let better = |best: usize, label: usize| if value(label) > value(best) { label } else { best };
            row[(0..values.len()).fold(0, better)] = true;
        } else {
            row.iter_mut().enumerate().for_each(|(label, said)| *said = value(label) > 0.0);
        }
    }
    said
}

/// Rows of codes as classifiers get them: times `scale`, with a feature that is 1 everywhere if they need a
/// bias.
pub(super) fn features(
    codes: &Matrix<f64>,
    scale: f64,
    measure: Measure,
) -> Result<DenseMatrix<'static, f64>> {
    let k = codes.columns();
    let columns = k + usize::from(measure == Measure::AverageF);
    let value = |i: usize, j: usize| if j < k { scale * codes.get(i, j) } else { 1.0 };
    Ok(DenseMatrix::from_matrix(Matrix::from_fn(codes.rows(), columns, value))?)
}

/// 1 over the mean length of the rows: costs then mean about the same for every representation.
pub(super) fn unit_scale(lengths: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = lengths.len() as f64;
    let sum: f64 = lengths.sum();
    if sum > 0.0 { count / sum } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_is_chosen_on_validation_rows_and_a_bias_finds_a_shifted_border() {
        // Positive between 3 and 5, not so between 0 and 1: no border through the origin separates them.
        let codes =
            Matrix::from_fn(40, 1, |i, _| if i > 20 { 1.0 + 0.1 * i as f64 } else { 0.05 * i as f64 });
        let truth: Vec<bool> = (0..40).map(|i| i > 20).collect();
        let with = features(&codes, 1.0, Measure::AverageF).unwrap();
        let without = features(&codes, 1.0, Measure::Accuracy).unwrap();
        let at = |rows: &DenseMatrix<'static, f64>, measure| {
            let part = Part { rows, truth: &truth };
            choose_cost([&part, &part, &part], 40, 1, measure, SvmLoss::Hinge, &[1e-3, 1e3]).unwrap()
        };
        let biased = at(&with, Measure::AverageF);
        assert_eq!((biased.cost, biased.test, biased.validation), (1e3, 100.0, 100.0));
        assert!(at(&without, Measure::Accuracy).test < 60.0);
    }
}
