//! Shares: rows that say how much of a sample belongs to each class, and what makes those of different origin comparable.

use super::super::memberships::largest;
use crate::foundation::Matrix;

/// Rows that sum to 1; a row of zeros becomes even shares.
pub(super) fn row_normalized(mut shares: Matrix<f64>) -> Matrix<f64> {
    for i in 0..shares.rows() {
        let row = shares.row_mut(i);
        let sum: f64 = row.iter().sum();
        let even = 1.0 / row.len() as f64;
        row.iter_mut().for_each(|v| *v = if sum > 0.0 { *v / sum } else { even });
    }
    shares
}

/// `scores` × one scale a class, moved by `power` of what would give each class its part of `sizes` (k, sums to 1), as shares. At power
/// 1 the mean shares are the sizes.
pub(super) fn balanced(scores: &Matrix<f64>, sizes: &[f64], power: f64) -> Matrix<f64> {
    let k = scores.columns();
    let scaled = |scales: &[f64]| {
        row_normalized(Matrix::from_fn(scores.rows(), k, |i, c| scores.get(i, c) * scales[c]))
    };
    let mut scales = vec![1.0f64; k];
    for _ in 0..30 {
        let shares = scaled(&scales);
        let mut means = vec![0.0; k];
        for i in 0..shares.rows() {
            means.iter_mut().zip(shares.row(i)).for_each(|(m, p)| *m += p / shares.rows() as f64);
        }
        let mut sum = 0.0;
        for c in 0..k {
            scales[c] *= (sizes[c] / means[c].max(1e-12)).sqrt();
            sum += scales[c].ln();
        }
        let centre = (sum / k as f64).exp();
        scales.iter_mut().for_each(|s| *s = (*s / centre).clamp(1e-3, 1e3));
    }
    scales.iter_mut().for_each(|s| *s = s.powf(power));
    scaled(&scales)
}

/// The logarithms of scores, from below bounded at 1e-6 of the largest of the row.
pub(super) fn logarithms(scores: &Matrix<f64>) -> Matrix<f64> {
    let mut out = scores.clone();
    for i in 0..out.rows() {
        let row = out.row_mut(i);
        let largest = row.iter().fold(0.0f64, |m, v| m.max(*v));
        let least = if largest > 0.0 { 1e-6 * largest } else { 1.0 };
        row.iter_mut().for_each(|v| *v = v.max(least).ln());
    }
    out
}

/// Shares ∝ exp(g·logarithm), with g such that the mean largest share over the rows of `over` is `confidence`.
pub(super) fn sharpened(logarithms: &Matrix<f64>, over: &[usize], confidence: f64) -> Matrix<f64> {
    let k = logarithms.columns();
    let mean_largest = |g: f64| {
        let largest = |&i: &usize| {
            let row = logarithms.row(i);
            let top = row.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
            1.0 / row.iter().map(|v| (g * (v - top)).exp()).sum::<f64>()
        };
        over.iter().map(largest).sum::<f64>() / over.len().max(1) as f64
    };
    // Where no g makes the shares sharp enough, the largest is as good as any.
    let g = rising_to(confidence, (1e-4f64.ln(), 1e4f64.ln()), |g| mean_largest(g.exp())).exp();
    let mut out = Matrix::zeros(logarithms.rows(), k);
    for i in 0..out.rows() {
        let top = logarithms.row(i).iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
        for (p, v) in out.row_mut(i).iter_mut().zip(logarithms.row(i)) {
            *p = (g * (v - top)).exp();
        }
    }
    row_normalized(out)
}

/// How far predictions of several folds agree on the samples `over`: the mean of Cohen's κ over all pairs of folds, 1 where they are the
/// same, 0 where they agree as often as chance has it for clusters of these sizes. `None` with less than two folds or no sample.
pub(super) fn agreement(predictions: &[Vec<u32>], classes: usize, over: &[usize]) -> Option<f64> {
    let (mut sum, mut pairs) = (0.0, 0);
    for (at, one) in predictions.iter().enumerate() {
        for other in &predictions[at + 1..] {
            sum += kappa(one, other, classes, over)?;
            pairs += 1;
        }
    }
    (pairs > 0).then(|| sum / f64::from(pairs))
}

/// (p − e)/(1 − e), p how often two predictions are the same, e how often by chance. Two that both put all samples into one and the same
/// class say nothing: 0.
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

/// exp(hidden·(worth − best)) of each: a sum over hidden labels, as which a worth is their mean. The largest is 1.
pub(super) fn weights(worths: &[f64], hidden: f64) -> Vec<f64> {
    let best = worths.iter().fold(f64::NEG_INFINITY, |best, worth| best.max(*worth));
    worths.iter().map(|worth| (hidden * (worth - best)).exp()).collect()
}

/// The class with the largest share of each sample.
pub(super) fn classes_of(shares: &Matrix<f64>) -> Vec<u32> {
    (0..shares.rows()).map(|i| largest(shares.row(i)) as u32).collect()
}

/// Where the rising function `f` reaches `level`, or the end of the range (low, high) that is nearest to it: by false position, an end
/// that stays being pulled in (Illinois), which takes a third of the steps of a bisection.
fn rising_to(level: f64, (mut low, mut high): (f64, f64), f: impl Fn(f64) -> f64) -> f64 {
    let (mut below, mut above) = (f(low) - level, f(high) - level);
    if below >= 0.0 || above <= 0.0 {
        return if below >= 0.0 { low } else { high };
    }
    let mut last_moved_low = None;
    for _ in 0..60 {
        let at = (low * above - high * below) / (above - below);
        let value = f(at) - level;
        if value.abs() < 1e-9 || high - low < 1e-7 {
            return at;
        }
        let moved_low = value < 0.0;
        if moved_low {
            (low, below) = (at, value);
        } else {
            (high, above) = (at, value);
        }
        if last_moved_low == Some(moved_low) {
            if moved_low { above *= 0.5 } else { below *= 0.5 }
        }
        last_moved_low = Some(moved_low);
    }
    0.5 * (low + high)
}

/// The mean of the accuracy and of the share of the true class over hidden labels (samples and classes); there is at least one.
pub(super) fn held_out(shares: &Matrix<f64>, hidden: &[(usize, usize)]) -> f64 {
    let right = hidden.iter().filter(|(i, c)| largest(shares.row(*i)) == *c).count() as f64;
    let shared: f64 = hidden.iter().map(|(i, c)| shares.get(*i, *c)).sum();
    0.5 * (right + shared) / hidden.len() as f64
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
        // All in one class: nothing is said.
        assert!(close(agreement(&[vec![0; 8], vec![0; 8]], 2, &over), 0.0));
        assert_eq!(agreement(&[one], 2, &over), None);
    }

    #[test]
    fn the_best_weighs_one_however_many_labels_were_hidden() {
        for hidden in [0.0, 20.0, 1e5] {
            let weights = weights(&[0.9, 1.1, 0.4], hidden);
            assert!(weights[1] == 1.0 && weights.iter().all(|w| (0.0..=1.0).contains(w)), "{weights:?}");
        }
        assert_eq!(weights(&[0.3, 0.3], 1e6), [1.0, 1.0]);
        assert_eq!(weights(&[-0.2, 0.8], 1e5), [0.0, 1.0]);
    }

    #[test]
    fn false_position_finds_what_a_bisection_finds() {
        let confidence = |rows: &[[f64; 3]], level: f64| {
            let logarithms = Matrix::from_fn(rows.len(), 3, |i, j| rows[i][j]);
            let over: Vec<usize> = (0..rows.len()).collect();
            let shares = sharpened(&logarithms, &over, level);
            over.iter().map(|i| shares.row(*i).iter().fold(0.0f64, |m, v| m.max(*v))).sum::<f64>()
                / rows.len() as f64
        };
        let rows = [[0.0, -1e-3, -2e-3], [-5.0, 0.0, -0.1], [-1.0, -1.0, 0.0]];
        assert!((confidence(&rows, 0.7) - 0.7).abs() < 1e-6);
        // Nothing can be told apart: even shares are all there is.
        assert!((confidence(&[[0.0; 3], [1.0; 3]], 0.7) - 1.0 / 3.0).abs() < 1e-12);
    }
}
