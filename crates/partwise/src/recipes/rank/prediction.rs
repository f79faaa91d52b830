//! The error of the prediction of what a split holds out.

use std::cell::RefCell;

use super::Holdout;
use super::splits::{Splits, halves};
use crate::data::DataMatrix;
use crate::engine::Settings;
use crate::engine::losses::Loss;
use crate::fit::{Held, solve};
use crate::foundation::{Matrix, Real, Result};
use crate::guidance::Advice;
use crate::methods::Model;

/// What a prediction has of the product of the margins, so that a count where it is 0 costs a finite amount.
const BACKGROUND: f64 = 0.01;
/// As much of it is tried in a prediction of counts, ascending: the components that fit best give 0 to a word
/// that none of their texts happens to have. Not all of it: components of noise would then cost nothing.
const SHRINKAGE: [f64; 6] = [BACKGROUND, 0.03, 0.1, 0.2, 0.35, 0.5];
/// What is predicted of counts, relative to what is fitted.
const PREDICTED: f64 = 1.0 / 3.0;
/// As many hidden entries are enough, and so large may their fraction be.
const HIDDEN: (f64, f64, f64) = (200_000.0, 0.02, 0.1);
/// Sets of hidden features that samples share.
const PATTERNS: usize = 64;

/// A split whose parts are laid out.
pub(super) enum Parts<T: Real> {
    /// Three quarters of the counts, and the last one.
    Thinned { fitted: Box<dyn DataMatrix<T>>, target: Box<dyn DataMatrix<T>> },
    /// The data with 0 for what is hidden, and the hidden entries (sample, feature, value).
    Entries { fitted: Box<dyn DataMatrix<T>>, model: Model, hidden: Vec<(u32, u32, f64)>, mean: f64 },
    /// Each of two blocks, predicted from the rest but for the other.
    Blocks(Box<[Block<T>; 2]>),
}

/// A block of hidden samples in hidden features.
pub(super) struct Block<T: Real> {
    /// The other samples in the other features.
    fitted: Box<dyn DataMatrix<T>>,
    /// The hidden samples in the other features.
    for_codes: Box<dyn DataMatrix<T>>,
    /// The other samples in the hidden features.
    for_components: Box<dyn DataMatrix<T>>,
    target: Box<dyn DataMatrix<T>>,
}

impl<T: Real> Splits<'_, T> {
    /// The parts of a split.
    pub(super) fn parts(&self, split: usize) -> Result<Parts<T>> {
        match self.holdout {
            Holdout::Thinning => Ok(self.thinned(split)),
            Holdout::Entries => self.hidden_entries(split),
            _ => Ok(Parts::Blocks(Box::new(self.blocks(split)))),
        }
    }

    /// The held-out error at k components, relative to that of the mean of the fitted entries.
    pub(super) fn error(&self, parts: &Parts<T>, split: usize, k: usize) -> Result<f64> {
        match parts {
            Parts::Thinned { fitted, target } => {
                let found = self.best(fitted.as_ref(), &self.model()?, split, k)?;
                let (target, fitted) = (target.as_ref(), fitted.as_ref());
                Ok(self.misfit(target, fitted, PREDICTED, &found.codes, &found.components))
            }
            Parts::Entries { fitted, model, hidden, mean } => {
                let found = self.best(fitted.as_ref(), model, split, k)?;
                let features = found.components.transposed();
                let (mut error, mut of_mean) = (0.0, 0.0);
                for (i, j, x) in hidden {
                    let codes = found.codes.row(*i as usize).iter();
                    let product = codes.zip(features.row(*j as usize)).map(|(w, h)| w.to_f64() * h.to_f64());
                    error += (x - product.sum::<f64>()).powi(2);
                    of_mean += (x - mean).powi(2);
                }
                Ok(if of_mean > 0.0 { error / of_mean } else { 1.0 })
            }
            Parts::Blocks(blocks) => {
                let errors = blocks.iter().map(|block| self.error_of_block(block, split, k));
                Ok(errors.sum::<Result<f64>>()? / 2.0)
            }
        }
    }

    fn thinned(&self, split: usize) -> Parts<T> {
        let (first, second) = (self.stream(split), self.second_stream(split));
        // Both passes go through the entries in the same order.
        let drawn = RefCell::new(Vec::with_capacity(self.data.n_stored()));
        let target = self.data.mapped(&|i, j, x| {
            // Half of a half.
            let half = first.heads(i, j, (x / self.unit).round() as u64);
            let quarter = if half > 0 { second.heads(i, j, half) } else { 0 };
            drawn.borrow_mut().push(T::from_f64(quarter as f64));
            self.unit * quarter as f64
        });
        let drawn = RefCell::new(drawn.into_inner().into_iter());
        let fitted = self.data.mapped(&|_, _, x| {
            let quarter = drawn.borrow_mut().next().map_or(0.0, Real::to_f64);
            self.unit * ((x / self.unit).round() - quarter)
        });
        Parts::Thinned { fitted, target }
    }

    /// The fraction of the entries that are hidden, where single ones are.
    pub(super) fn hidden_share(&self) -> f64 {
        let entries = self.data.n_samples() as f64 * self.data.n_features() as f64;
        (HIDDEN.0 / entries).clamp(HIDDEN.1, HIDDEN.2)
    }

    fn hidden_entries(&self, split: usize) -> Result<Parts<T>> {
        let (n, d) = (self.data.n_samples(), self.data.n_features());
        let share = self.hidden_share();
        let random = self.stream(split);
        // Rows with the same entries share a Gram matrix, so many samples go by few patterns.
        let mut order: Vec<u32> = (0..n as u32).collect();
        random.shuffle(0, &mut order);
        let patterns: Vec<Vec<bool>> = (0..n.min(PATTERNS))
            .map(|at| {
                let mut draws = vec![0.0; d];
                random.fill(1 + at, &mut draws);
                draws.iter().map(|u| *u < share).collect()
            })
            .collect();
        let hides = |i: usize, j: usize| patterns[order[i] as usize % patterns.len()][j];
        let known = Matrix::from_fn(n, d, |i, j| f64::from(!hides(i, j)));
        let guidance = self.guidance.clone().unwrap_or_default().with(Advice::KnownEntries(known));
        let model = Model::guided(guidance).with_loss(self.loss)?;
        let hidden = RefCell::new(Vec::new());
        let fitted = self.data.mapped(&|i, j, x| {
            if hides(i, j) {
                hidden.borrow_mut().push((i as u32, j as u32, x));
                return 0.0;
            }
            x
        });
        let hidden = hidden.into_inner();
        let count = (n * d - hidden.len()).max(1) as f64;
        Ok(Parts::Entries { mean: fitted.summary().sum / count, fitted, model, hidden })
    }

    fn blocks(&self, split: usize) -> [Block<T>; 2] {
        let random = self.stream(split);
        let samples = halves(&random, 0, self.data.n_samples());
        let features = halves(&random, 1, self.data.n_features());
        [0, 1].map(|side| {
            let (held, rest) = (self.rows(&samples[side]), self.rows(&samples[1 - side]));
            let (hidden, seen) = (&features[side], &features[1 - side]);
            Block {
                fitted: rest.without_features(hidden),
                for_codes: held.without_features(hidden),
                for_components: rest.without_features(seen),
                target: held.without_features(seen),
            }
        })
    }

    fn error_of_block(&self, block: &Block<T>, split: usize, k: usize) -> Result<f64> {
        let found = self.best(block.fitted.as_ref(), &self.model()?, split, k)?;
        let seen = block.fitted.summary();
        // What is 0 in all components, or all codes, of the fitted part may be counted in the others: with
        // the Kullback-Leibler loss one more component, the product of the margins, keeps that finite.
        let more = usize::from(self.loss == Loss::KullbackLeibler);
        let settings = Settings { rank: k + more, ..self.settings.clone() };
        let beside = |factor: &Matrix<T>, sums: &[f64]| {
            let share = BACKGROUND * seen.sum.max(f64::MIN_POSITIVE).sqrt() / seen.sum.max(f64::MIN_POSITIVE);
            Matrix::from_fn(factor.rows(), k + more, |i, j| match j < k {
                true => factor.get(i, j),
                false => T::from_f64(share * margin(sums, i)),
            })
        };
        let without = |factor: &Matrix<T>| Matrix::from_fn(factor.rows(), k, |i, j| factor.get(i, j));
        let features = beside(&found.components.transposed(), &seen.column_sums).transposed();
        let held = Held::Components(&features);
        let codes = without(&solve(block.for_codes.as_ref(), held, self.loss, &settings)?.codes);
        let samples = beside(&found.codes, &seen.row_sums);
        let held = Held::Codes(&samples);
        let components = solve(block.for_components.as_ref(), held, self.loss, &settings)?.components;
        let components = without(&components.transposed()).transposed();
        Ok(self.misfit(block.target.as_ref(), block.for_components.as_ref(), 1.0, &codes, &components))
    }

    /// The error of `share`·W·H as a prediction of `target`, relative to that of the mean of `fitted`, of the
    /// same shape. With the Kullback-Leibler loss W·H is shrunk towards the product of the margins, as far as
    /// predicts best.
    fn misfit(
        &self,
        target: &dyn DataMatrix<T>,
        fitted: &dyn DataMatrix<T>,
        share: f64,
        codes: &Matrix<T>,
        components: &Matrix<T>,
    ) -> f64 {
        let (n, d, k) = (target.n_samples(), target.n_features(), codes.columns());
        let seen = fitted.summary();
        let count = (n as f64) * (d as f64);
        let mean = (share * seen.sum / count).max(f64::MIN_POSITIVE);
        let constant = |rows: usize, value: f64| Matrix::from_fn(rows, 1, |_, _| T::from_f64(value));
        let (root, ones) = (constant(n, mean), constant(d, 1.0));
        match self.loss {
            Loss::Frobenius => {
                let of = |u: &Matrix<T>, v: &Matrix<T>| -> f64 {
                    target.sample_chunks().into_iter().map(|rows| target.squared_residual(rows, u, v)).sum()
                };
                let scaled = Matrix::from_fn(n, k, |i, j| T::from_f64(share * codes.get(i, j).to_f64()));
                of(&scaled, &components.transposed()) / of(&root, &ones).max(f64::MIN_POSITIVE)
            }
            Loss::KullbackLeibler => {
                let shrunk = |towards: f64| {
                    Matrix::from_fn(n, k + 1, |i, j| match j < k {
                        true => T::from_f64(share * (1.0 - towards) * codes.get(i, j).to_f64()),
                        false => T::from_f64(share * towards * margin(&seen.row_sums, i) / seen.sum),
                    })
                };
                let v = Matrix::from_fn(d, k + 1, |f, j| match j < k {
                    true => components.get(j, f),
                    false => T::from_f64(margin(&seen.column_sums, f)),
                });
                let of = |u: &Matrix<T>, v: &Matrix<T>| divergence(target, u, v);
                // It is convex in the shrinkage: after it has risen, it rises on.
                let mut least = f64::INFINITY;
                for towards in SHRINKAGE {
                    let found = of(&shrunk(towards), &v);
                    if found >= least {
                        break;
                    }
                    least = found;
                }
                least / of(&root, &ones).max(f64::MIN_POSITIVE)
            }
        }
    }
}

/// D(X ‖ U·Vᵀ).
fn divergence<T: Real>(data: &dyn DataMatrix<T>, u: &Matrix<T>, v: &Matrix<T>) -> f64 {
    let log = data.sample_chunks().into_iter().map(|rows| data.log_divergence(rows, u, v)).sum::<f64>();
    let sums = |m: &Matrix<T>, j: usize| (0..m.rows()).map(|i| m.get(i, j).to_f64()).sum::<f64>();
    let mass: f64 = (0..u.columns()).map(|j| sums(u, j) * sums(v, j)).sum();
    log - data.summary().sum + mass
}

/// The sum of a row or column, with a share of the mean of all, so that it is above 0.
fn margin(sums: &[f64], at: usize) -> f64 {
    let mean = sums.iter().sum::<f64>() / sums.len() as f64;
    (1.0 - BACKGROUND) * sums[at] + BACKGROUND * mean
}
