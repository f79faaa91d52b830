//! Members of an ensemble: scored on held-out labels, weighted, and multiplied.

use partwise::{Labels, Matrix};

use crate::folds::Fold;
use crate::posteriors::{classes, normalized, with_labels};
use crate::result::Member;
use crate::scores::{agreement, held_out_score, weights};

/// Posteriors below this count as this in a product, so that one member alone rules out no class.
const LEAST_POSTERIOR: f64 = 1e-12;

/// What weights are computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quality {
    /// The held-out score.
    Score,
    /// The held-out score and the agreement of the folds.
    ScoreAndAgreement,
}

impl Quality {
    /// 0 for all if no label could be held out.
    pub(crate) fn of(self, member: &Member) -> f64 {
        let agreement = match self {
            Quality::Score => 0.0,
            Quality::ScoreAndAgreement => member.agreement.unwrap_or(0.0),
        };
        member.score.map_or(0.0, |score| score + agreement)
    }
}

/// Scores the posteriors that each of `names` has in `posteriors` (one list per fold) and weighs them by
/// exp(held_out·(quality − best)). If no label could be held out, all weights are 1.
pub(crate) fn weighed(
    folds: &[Fold],
    posteriors: &[impl AsRef<[Matrix<f64>]>],
    names: &[&'static str],
    held_out: f64,
    quality: Quality,
) -> Vec<Member> {
    let held_out_folds = &folds[1..];
    let member = |(at, name): (usize, &&'static str)| {
        let of_folds: Vec<&Matrix<f64>> =
            posteriors[1..].iter().map(|of_fold| &of_fold.as_ref()[at]).collect();
        let scores = held_out_folds.iter().zip(&of_folds).map(|(fold, p)| held_out_score(p, &fold.held_out));
        let predictions: Vec<Vec<u32>> = of_folds.iter().map(|p| classes(p)).collect();
        Member {
            name,
            score: (!of_folds.is_empty()).then(|| scores.sum::<f64>() / of_folds.len() as f64),
            agreement: agreement(&predictions, folds[0].labels.n_classes(), &folds[0].unlabelled),
            weight: 1.0,
        }
    };
    let mut members: Vec<Member> = names.iter().enumerate().map(member).collect();
    let qualities: Vec<f64> = members.iter().map(|member| quality.of(member)).collect();
    members.iter_mut().zip(weights(&qualities, held_out)).for_each(|(member, weight)| member.weight = weight);
    members
}

/// Posteriors ∝ Π posteriorsₑ^weightₑ; labelled samples keep their class.
pub(crate) fn product(labels: &Labels, posteriors: &[Matrix<f64>], members: &[Member]) -> Matrix<f64> {
    let weights = members.iter().map(|member| member.weight);
    with_labels(labels, product_of(posteriors[0].shape(), posteriors.iter().zip(weights)))
}

/// Posteriors (n × k) ∝ Π posteriorsₑ^weightₑ.
pub(crate) fn product_of<'p>(
    (n, k): (usize, usize),
    members: impl Iterator<Item = (&'p Matrix<f64>, f64)>,
) -> Matrix<f64> {
    let mut logs = Matrix::zeros(n, k);
    for (posteriors, weight) in members {
        for (sum, posterior) in logs.as_mut_slice().iter_mut().zip(posteriors.as_slice()) {
            *sum += weight * posterior.max(LEAST_POSTERIOR).ln();
        }
    }
    for i in 0..n {
        let row = logs.row_mut(i);
        let top = row.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
        row.iter_mut().for_each(|v| *v = (*v - top).exp());
    }
    normalized(logs)
}
