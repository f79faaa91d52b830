//! Held-out scores, the agreement of folds, and the weights that follow from them.

use partwise::Matrix;

use crate::posteriors::largest;

/// The mean of the accuracy and of the posterior of the true class over held-out labels (samples and
/// classes); there is at least one.
pub(crate) fn held_out_score(posteriors: &Matrix<f64>, held_out: &[(usize, usize)]) -> f64 {
    let right = held_out.iter().filter(|(i, c)| largest(posteriors.row(*i)) == *c).count() as f64;
    let of_truth: f64 = held_out.iter().map(|(i, c)| posteriors.get(*i, *c)).sum();
    0.5 * (right + of_truth) / held_out.len() as f64
}

/// exp(held_out·(score − best)) of each: the score is a mean over held-out labels, and the exponent is their
/// sum. The largest weight is 1.
pub(crate) fn weights(scores: &[f64], held_out: f64) -> Vec<f64> {
    let best = scores.iter().fold(f64::NEG_INFINITY, |best, score| best.max(*score));
    scores.iter().map(|score| (held_out * (score - best)).exp()).collect()
}

/// How far the predictions of several folds agree on the samples `over`: the mean of Cohen's κ over all pairs
/// of folds, 1 where they are the same, 0 where they agree as often as chance has it for clusters of these
/// sizes. `None` with fewer than two folds or no sample.
pub(crate) fn agreement(predictions: &[Vec<u32>], classes: usize, over: &[usize]) -> Option<f64> {
    let (mut sum, mut pairs) = (0.0, 0);
    for (at, one) in predictions.iter().enumerate() {
        for other in &predictions[at + 1..] {
            sum += kappa(one, other, classes, over)?;
            pairs += 1;
        }
    }
    (pairs > 0).then(|| sum / f64::from(pairs))
}

/// (p − e)/(1 − e), p how often two predictions are the same, e how often by chance. Two that both put all
/// samples into one and the same class carry no evidence: 0.
fn kappa(one: &[u32], other: &[u32], classes: usize, over: &[usize]) -> Option<f64> {
    if over.is_empty() {
        return None;
    }
    let (mut first, mut second, mut same) = (vec![0.0; classes], vec![0.0; classes], 0.0);
    let part = 1.0 / over.len() as f64;
    for &i in over {
        first[one[i] as usize] += part;
        second[other[i] as usize] += part;
        same += if one[i] == other[i] { part } else { 0.0 };
    }
    let chance: f64 = first.iter().zip(&second).map(|(a, b)| a * b).sum();
    Some(if chance < 1.0 - 1e-12 { (same - chance) / (1.0 - chance) } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_is_one_for_the_same_nothing_for_chance_and_counts_the_samples_that_are_asked_for() {
        let over: Vec<usize> = (0..8).collect();
        let one = vec![0, 0, 0, 0, 1, 1, 1, 1];
        let half = vec![0, 0, 1, 1, 0, 0, 1, 1];
        let close = |a: Option<f64>, b: f64| a.is_some_and(|a| (a - b).abs() < 1e-12);
        assert!(close(agreement(&[one.clone(), one.clone()], 2, &over), 1.0));
        assert!(close(agreement(&[one.clone(), half.clone()], 2, &over), 0.0));
        // Three folds: the pairs are (one, one), (one, half) twice.
        assert!(close(agreement(&[one.clone(), one.clone(), half.clone()], 2, &over), 1.0 / 3.0));
        assert!(close(agreement(&[one.clone(), half], 2, &[0, 1, 6, 7]), 1.0));
        // All in one class: no evidence.
        assert!(close(agreement(&[vec![0; 8], vec![0; 8]], 2, &over), 0.0));
        assert_eq!(agreement(&[one], 2, &over), None);
    }

    #[test]
    fn the_best_weighs_one_however_many_labels_were_held_out() {
        for held_out in [0.0, 20.0, 1e5] {
            let weights = weights(&[0.9, 1.1, 0.4], held_out);
            assert!(weights[1] == 1.0 && weights.iter().all(|w| (0.0..=1.0).contains(w)), "{weights:?}");
        }
        assert_eq!(weights(&[0.3, 0.3], 1e6), [1.0, 1.0]);
        assert_eq!(weights(&[-0.2, 0.8], 1e5), [0.0, 1.0]);
    }
}
