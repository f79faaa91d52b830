//! Other rules for the number of components, restated: what cNMF's plot, R NMF, SigProfiler, BIC and
//! bi-cross-validation answer.
//!
//! ```text
//! runs            RUNS random starts at each k; components of unit length, matched one to one to those of
//!                 the run with the smallest loss; silhouettes by 1 − cosine, the clusters being the matches
//! silhouette      the k ≥ 2 with the largest mean silhouette (how the plot of cNMF is read)
//! cophenetic      the k ≥ 2 with the largest correlation of consensus and average linkage (R NMF)
//! SigProfiler     RUNS resampled counts at each k; stable: mean silhouette ≥ 0.8 and of each component
//!                 ≥ 0.2; the largest stable k, then down while the losses do not differ (Wilcoxon, 0.05)
//! BIC             nd·ln(RSS/nd) + k(n + d)·ln(nd), or 2·D + k(n + d)·ln(nd) for counts
//! ```

use std::collections::BTreeMap;

use anyhow::Result;
use partwise::internals::generator;
use partwise::metrics::best_matching;
use partwise::{DataMatrix, DenseMatrix, Fit, Loss, Matrix, Model, Settings, fit};

use crate::draw::{below, uniform};
use crate::wilcoxon::wilcoxon;

/// Random starts, or resamplings, at each k.
const RUNS: usize = 10;
/// Iterations of each.
const ITERATIONS: usize = 200;
/// The scale of cosines as whole numbers.
const SCALE: f64 = (1_u64 << 40) as f64;

/// What the rules answer.
pub(super) struct Answers {
    pub(super) silhouette: usize,
    pub(super) cophenetic: usize,
    pub(super) sigprofiler: usize,
    pub(super) bic: usize,
}

/// The answers for k from 1 to `to`.
pub(super) fn answers(data: &DenseMatrix<'static, f64>, loss: Loss, to: usize, seed: u64) -> Result<Answers> {
    let (n, d) = (data.n_samples() as f64, data.n_features() as f64);
    let mut silhouettes = BTreeMap::new();
    let mut cophenetic = BTreeMap::new();
    let mut stability = BTreeMap::new();
    let mut bic = BTreeMap::new();
    for k in 1..=to {
        let runs = runs(|_| Ok(None), data, loss, k, seed)?;
        let best = runs.iter().map(|run| run.loss_value).fold(f64::INFINITY, f64::min);
        let cost = match loss {
            Loss::Frobenius => n * d * (best / (n * d)).max(f64::MIN_POSITIVE).ln(),
            _ => 2.0 * best,
        };
        bic.insert(k, -(cost + k as f64 * (n + d) * (n * d).ln()));
        if k > 1 {
            silhouettes.insert(k, mean(&self::silhouettes(&runs)));
            cophenetic.insert(k, cophenetic_correlation(&consensus(&runs)));
        }
        let resampled = self::runs(|run| Ok(Some(resampled(data, loss, seed + run)?)), data, loss, k, seed)?;
        let each = if k > 1 { self::silhouettes(&resampled) } else { vec![1.0] };
        let losses = resampled.iter().map(|run| run.loss_value).collect::<Vec<f64>>();
        stability.insert(k, (each, losses));
    }
    let largest =
        |of: &BTreeMap<usize, f64>| of.iter().max_by(|a, b| a.1.total_cmp(b.1)).map_or(1, |(k, _)| *k);
    Ok(Answers {
        silhouette: largest(&silhouettes),
        cophenetic: largest(&cophenetic),
        sigprofiler: sigprofiler(&stability),
        bic: largest(&bic),
    })
}

/// The largest stable k, then down while the losses do not differ.
fn sigprofiler(stability: &BTreeMap<usize, (Vec<f64>, Vec<f64>)>) -> usize {
    let stable = |k: &usize| {
        let each = &stability[k].0;
        mean(each) >= 0.8 && each.iter().copied().fold(1.0, f64::min) >= 0.2
    };
    let mut down = stability.keys().rev().copied().filter(stable);
    let Some(mut answer) = down.next() else { return 1 };
    for k in down {
        let pairs = stability[&k].1.iter().zip(&stability[&answer].1);
        let differences: Vec<f64> = pairs.map(|(fewer, more)| fewer - more).collect();
        if wilcoxon(&differences).p < 0.05 {
            break;
        }
        answer = k;
    }
    answer
}

/// Fits from random starts, of the data or of what `resample` gives for a run.
fn runs(
    resample: impl Fn(u64) -> Result<Option<DenseMatrix<'static, f64>>>,
    data: &DenseMatrix<'static, f64>,
    loss: Loss,
    k: usize,
    seed: u64,
) -> Result<Vec<Fit<f64>>> {
    (0..RUNS as u64)
        .map(|run| {
            let other = resample(run)?;
            let settings = Settings {
                seed: seed + run,
                threads: 1,
                max_iterations: ITERATIONS,
                tolerance: 1e-3,
                ..Settings::new(k)
            };
            Ok(fit(other.as_ref().unwrap_or(data), &Model::nmf().with_loss(loss)?, &settings)?)
        })
        .collect()
}

/// Counts drawn again around themselves (Poisson), other data with their samples drawn again.
fn resampled(data: &DenseMatrix<'static, f64>, loss: Loss, seed: u64) -> Result<DenseMatrix<'static, f64>> {
    let mut random = generator(seed, 78);
    let (n, d) = (data.n_samples(), data.n_features());
    let values = data.as_slice();
    if loss == Loss::Frobenius {
        let rows: Vec<usize> = (0..n).map(|_| below(&mut random, n)).collect();
        let matrix = Matrix::from_fn(n, d, |i, j| values[rows[i] * d + j]);
        return Ok(DenseMatrix::from_matrix(matrix)?);
    }
    let mut poisson = |mut mean: f64| {
        let mut count = 0.0;
        // In pieces whose exponential is no underflow.
        while mean > 0.0 {
            let piece = mean.min(60.0);
            let (limit, mut left) = ((-piece).exp(), uniform(&mut random));
            while left > limit {
                count += 1.0;
                left *= uniform(&mut random);
            }
            mean -= piece;
        }
        count
    };
    let matrix = Matrix::from_fn(n, d, |i, j| poisson(values[i * d + j]));
    Ok(DenseMatrix::from_matrix(matrix)?)
}

/// Components of unit length.
fn units(run: &Fit<f64>) -> Matrix<f64> {
    let h = &run.components;
    let size = |c: usize| h.row(c).iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    let sizes: Vec<f64> = (0..h.rows()).map(size).collect();
    Matrix::from_fn(h.rows(), h.columns(), |c, j| h.get(c, j) / sizes[c])
}

/// The mean silhouette of the copies of each component.
fn silhouettes(runs: &[Fit<f64>]) -> Vec<f64> {
    let best = runs.iter().min_by(|a, b| a.loss_value.total_cmp(&b.loss_value)).map(units);
    let Some(best) = best else { return Vec::new() };
    let k = best.rows();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    // The copies of each component of the best run.
    let mut copies: Vec<Vec<Vec<f64>>> = vec![Vec::new(); k];
    for run in runs {
        let own = units(run);
        let weights: Vec<i64> =
            (0..k * k).map(|at| (dot(best.row(at / k), own.row(at % k)) * SCALE) as i64).collect();
        for (c, matched) in best_matching(k, k, &weights).into_iter().enumerate() {
            if let Some(matched) = matched {
                copies[c].push(own.row(matched).to_vec());
            }
        }
    }
    let distance = |a: &[f64], cluster: &[Vec<f64>]| {
        cluster.iter().map(|b| 1.0 - dot(a, b)).sum::<f64>() / cluster.len().max(1) as f64
    };
    (0..k)
        .map(|c| {
            let of = |copy: &Vec<f64>| {
                let size = copies[c].len() as f64;
                let own = distance(copy, &copies[c]) * size / (size - 1.0).max(1.0);
                let others = (0..k).filter(|other| *other != c).map(|other| distance(copy, &copies[other]));
                let other = others.fold(f64::INFINITY, f64::min);
                let largest = own.max(other);
                if largest > 0.0 { (other - own) / largest } else { 0.0 }
            };
            mean(&copies[c].iter().map(of).collect::<Vec<_>>())
        })
        .collect()
}

/// The fraction of runs in which two samples have the same largest code.
fn consensus(runs: &[Fit<f64>]) -> Matrix<f64> {
    let n = runs.first().map_or(0, |run| run.codes.rows());
    let mut shared = Matrix::<f64>::zeros(n, n);
    for run in runs {
        let largest = |i: usize| {
            let row = run.codes.row(i).iter().enumerate();
            row.max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(c, _)| c)
        };
        let clusters: Vec<usize> = (0..n).map(largest).collect();
        for i in 0..n {
            for (j, value) in shared.row_mut(i).iter_mut().enumerate() {
                *value += f64::from(u8::from(clusters[i] == clusters[j])) / runs.len() as f64;
            }
        }
    }
    shared
}

/// The correlation of distances 1 − consensus and the heights at which average linkage joins two samples.
fn cophenetic_correlation(consensus: &Matrix<f64>) -> f64 {
    let n = consensus.rows();
    let mut distance = Matrix::from_fn(n, n, |i, j| 1.0 - consensus.get(i, j));
    let mut members: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
    let mut height = Matrix::<f64>::zeros(n, n);
    let mut chain: Vec<usize> = Vec::new();
    let mut left: Vec<usize> = (0..n).collect();
    while left.len() > 1 {
        if chain.is_empty() {
            chain.push(left[0]);
        }
        let last = chain[chain.len() - 1];
        let before = chain.len().checked_sub(2).map(|at| chain[at]);
        let mut nearest = before.map_or((f64::INFINITY, usize::MAX), |b| (distance.get(last, b), b));
        for other in left.iter().filter(|other| **other != last) {
            if distance.get(last, *other) < nearest.0 {
                nearest = (distance.get(last, *other), *other);
            }
        }
        if Some(nearest.1) != before {
            chain.push(nearest.1);
            continue;
        }
        chain.truncate(chain.len() - 2);
        let (a, b) = (last, nearest.1);
        for i in &members[a] {
            for j in &members[b] {
                height.set(*i, *j, nearest.0);
                height.set(*j, *i, nearest.0);
            }
        }
        let (size_a, size_b) = (members[a].len() as f64, members[b].len() as f64);
        for other in left.iter().filter(|other| **other != a && **other != b) {
            let joined =
                (size_a * distance.get(a, *other) + size_b * distance.get(b, *other)) / (size_a + size_b);
            distance.set(a, *other, joined);
            distance.set(*other, a, joined);
        }
        let moved = std::mem::take(&mut members[b]);
        members[a].extend(moved);
        left.retain(|other| *other != b);
    }
    let pairs = || (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    let x: Vec<f64> = pairs().map(|(i, j)| 1.0 - consensus.get(i, j)).collect();
    let y: Vec<f64> = pairs().map(|(i, j)| height.get(i, j)).collect();
    correlation(&x, &y)
}

fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let (mx, my) = (mean(x), mean(y));
    let sum = |a: &[f64], ma: f64, b: &[f64], mb: f64| {
        a.iter().zip(b).map(|(a, b)| (a - ma) * (b - mb)).sum::<f64>()
    };
    let size = (sum(x, mx, x, mx) * sum(y, my, y, my)).sqrt();
    // One cluster for all is no structure, however well it returns.
    if size > 0.0 { sum(x, mx, y, my) / size } else { 0.0 }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_a_perfect_cophenetic_correlation_and_noise_does_not() {
        let blocks = Matrix::from_fn(12, 12, |i, j| f64::from(u8::from(i / 4 == j / 4)));
        assert!((cophenetic_correlation(&blocks) - 1.0).abs() < 1e-12);
        let mut random = generator(3, 0);
        let noise = Matrix::<f64>::from_fn(12, 12, |_, _| uniform(&mut random));
        let noise =
            Matrix::from_fn(
                12,
                12,
                |i, j| if i == j { 1.0 } else { (noise.get(i, j) + noise.get(j, i)) / 2.0 },
            );
        assert!(cophenetic_correlation(&noise) < 0.9);
    }

    #[test]
    fn separate_parts_are_stable_up_to_their_number() {
        // Three blocks of features, each in a third of the samples.
        let value =
            |i: usize, j: usize| if i / 10 == j / 4 { 5.0 + ((i * 7 + j * 3) % 5) as f64 } else { 0.0 };
        let data = DenseMatrix::from_matrix(Matrix::from_fn(30, 12, value)).unwrap();
        let found = answers(&data, Loss::KullbackLeibler, 5, 1).unwrap();
        assert_eq!((found.sigprofiler, found.cophenetic), (3, 3));
    }
}
