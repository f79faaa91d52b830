//! Posteriors (n × c): rows that sum to 1, and what makes those of different origin comparable.

use partwise::{Labels, Matrix};

/// Rows that sum to 1; a row of zeros becomes even.
pub(crate) fn normalized(mut posteriors: Matrix<f64>) -> Matrix<f64> {
    for i in 0..posteriors.rows() {
        let row = posteriors.row_mut(i);
        let sum: f64 = row.iter().sum();
        let even = 1.0 / row.len() as f64;
        row.iter_mut().for_each(|v| *v = if sum > 0.0 { *v / sum } else { even });
    }
    posteriors
}

/// Rows that sum to 1; labelled samples have 1 for their own class.
pub(crate) fn with_labels(labels: &Labels, mut posteriors: Matrix<f64>) -> Matrix<f64> {
    // An unfinished solve may leave values slightly below 0.
    posteriors.as_mut_slice().iter_mut().for_each(|v| *v = v.max(0.0));
    for i in 0..posteriors.rows() {
        if let Some(class) = labels.class(i) {
            posteriors.row_mut(i).iter_mut().enumerate().for_each(|(c, v)| *v = f64::from(c == class));
        }
    }
    normalized(posteriors)
}

/// The logarithms of scores, from below bounded at 1e-6 of the largest of the row.
pub(crate) fn logarithms(scores: &Matrix<f64>) -> Matrix<f64> {
    let mut out = scores.clone();
    for i in 0..out.rows() {
        let row = out.row_mut(i);
        let largest = row.iter().fold(0.0f64, |m, v| m.max(*v));
        let least = if largest > 0.0 { 1e-6 * largest } else { 1.0 };
        row.iter_mut().for_each(|v| *v = v.max(least).ln());
    }
    out
}

/// `scores` × one scale per class, moved by `power` of what would give each class its part of `sizes` (c,
/// sums to 1), as posteriors. At power 1 the mean posteriors are the sizes.
pub(crate) fn balanced(scores: &Matrix<f64>, sizes: &[f64], power: f64) -> Matrix<f64> {
    let k = scores.columns();
    let scaled =
        |scales: &[f64]| normalized(Matrix::from_fn(scores.rows(), k, |i, c| scores.get(i, c) * scales[c]));
    let mut scales = vec![1.0f64; k];
    for _ in 0..30 {
        let posteriors = scaled(&scales);
        let mut means = vec![0.0; k];
        for i in 0..posteriors.rows() {
            means.iter_mut().zip(posteriors.row(i)).for_each(|(m, p)| *m += p / posteriors.rows() as f64);
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

/// Posteriors ∝ exp(g·`logits`), with g such that the mean largest posterior over the rows `over` is
/// `confidence`.
pub(crate) fn calibrated(logits: &Matrix<f64>, over: &[usize], confidence: f64) -> Matrix<f64> {
    sharpened(logits, sharpness(logits, over, confidence))
}

/// g, the inverse temperature at which the mean largest posterior over the rows `over` (all if there are
/// none) is `confidence`.
pub(crate) fn sharpness(logits: &Matrix<f64>, over: &[usize], confidence: f64) -> f64 {
    let all: Vec<usize> = if over.is_empty() { (0..logits.rows()).collect() } else { Vec::new() };
    let over = if over.is_empty() { &all[..] } else { over };
    let k = logits.columns();
    let mut below = Vec::with_capacity(over.len() * k);
    for i in over {
        let top = logits.row(*i).iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
        below.extend(logits.row(*i).iter().map(|v| v - top));
    }
    let mean_largest = |g: f64| {
        let largest = |row: &[f64]| 1.0 / row.iter().map(|v| (g * v).exp()).sum::<f64>();
        below.chunks(k).map(largest).sum::<f64>() / over.len().max(1) as f64
    };
    // Where no g makes the posteriors confident enough, the largest is as good as any.
    rising_to(confidence, (1e-4f64.ln(), 1e4f64.ln()), |g| mean_largest(g.exp())).exp()
}

/// Posteriors ∝ exp(g·`logits`).
pub(crate) fn sharpened(logits: &Matrix<f64>, g: f64) -> Matrix<f64> {
    let mut out = Matrix::zeros(logits.rows(), logits.columns());
    for i in 0..out.rows() {
        let top = logits.row(i).iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
        for (p, v) in out.row_mut(i).iter_mut().zip(logits.row(i)) {
            *p = (g * (v - top)).exp();
        }
    }
    normalized(out)
}

/// The class with the largest posterior of each sample.
pub(crate) fn classes(posteriors: &Matrix<f64>) -> Vec<u32> {
    (0..posteriors.rows()).map(|i| largest(posteriors.row(i)) as u32).collect()
}

/// The place of the first largest entry.
pub(crate) fn largest(row: &[f64]) -> usize {
    (0..row.len()).fold(0, |best, j| if row[j] > row[best] { j } else { best })
}

/// Where the rising function `f` reaches `level`, or the end of the range (low, high) that is nearest to it:
/// by false position in its Illinois form, which halves the value at an end that does not move. It takes a
/// third of the steps of a bisection.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn false_position_finds_what_a_bisection_finds() {
        let confidence = |rows: &[[f64; 3]], level: f64| {
            let logits = Matrix::from_fn(rows.len(), 3, |i, j| rows[i][j]);
            let over: Vec<usize> = (0..rows.len()).collect();
            let posteriors = calibrated(&logits, &over, level);
            over.iter().map(|i| posteriors.row(*i).iter().fold(0.0f64, |m, v| m.max(*v))).sum::<f64>()
                / rows.len() as f64
        };
        let rows = [[0.0, -1e-3, -2e-3], [-5.0, 0.0, -0.1], [-1.0, -1.0, 0.0]];
        assert!((confidence(&rows, 0.7) - 0.7).abs() < 1e-6);
        // Nothing can be told apart: even posteriors are all there is.
        assert!((confidence(&[[0.0; 3], [1.0; 3]], 0.7) - 1.0 / 3.0).abs() < 1e-12);
    }
}
