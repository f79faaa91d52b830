//! Splits of the data into a part to fit and a part to predict, and the error of the prediction.

use std::cell::Cell;

use super::{Holdout, RankSettings};
use crate::data::{DataMatrix, RowGroups};
use crate::engine::losses::Loss;
use crate::engine::{Init, Settings};
use crate::fit::{Fit, Held, fit, solve};
use crate::foundation::Stream;
use crate::foundation::{Error, Matrix, Real, Result};
use crate::guidance::{Advice, Guidance};
use crate::methods::Model;

/// Fits need not be more exact than this: the splits differ by more.
const TOLERANCE: f64 = 1e-3;
const ITERATIONS: usize = 100;
/// What a prediction has of the product of the margins, so that a count where it is 0 costs a finite amount.
const BACKGROUND: f64 = 0.01;
/// As many hidden entries are enough, and so large may their fraction be.
const HIDDEN: (f64, f64, f64) = (200_000.0, 0.02, 0.1);
/// Sets of hidden features that samples share.
const PATTERNS: usize = 64;
/// Counts beyond this many units are measurements.
const MOST_UNITS: f64 = 1e9;
/// Streams of random numbers: one for each split.
const STREAM: u64 = 1 << 41;

/// The splits of the data.
pub(super) struct Splits<'s, T: Real> {
    pub(super) data: &'s dyn DataMatrix<T>,
    pub(super) settings: Settings,
    loss: Loss,
    holdout: Holdout,
    /// The unit of counts.
    unit: f64,
    count: usize,
    restarts: usize,
    fits: Cell<usize>,
}

impl<'s, T: Real> Splits<'s, T> {
    pub(super) fn new(
        data: &'s dyn DataMatrix<T>,
        loss: Loss,
        settings: &Settings,
        rank: &RankSettings,
    ) -> Result<Self> {
        let unit = unit_of_counts(data);
        let entries = !data.is_sparse() && loss == Loss::Frobenius;
        let holdout = match rank.holdout {
            Holdout::Auto if unit.is_some() => Holdout::Thinning,
            Holdout::Auto if entries => Holdout::Entries,
            Holdout::Auto => Holdout::Blocks,
            asked => asked,
        };
        let refuse = |reason: &str| {
            Err(Error::Incompatible {
                asked: format!("the holdout \"{}\"", holdout.name()),
                reason: reason.into(),
                valid: vec!["the holdout \"blocks\"".into(), "the holdout \"auto\"".into()],
            })
        };
        match holdout {
            Holdout::Thinning if unit.is_none() => return refuse("the entries are not counts"),
            Holdout::Entries if data.is_sparse() => return refuse("the data are sparse"),
            Holdout::Entries if !entries => return refuse("single entries need the squared loss"),
            _ => {}
        }
        let settings = Settings {
            tolerance: settings.tolerance.max(TOLERANCE),
            max_iterations: settings.max_iterations.min(ITERATIONS),
            ..settings.clone()
        };
        let (count, restarts, fits) = (rank.splits, rank.restarts, Cell::new(0));
        Ok(Splits { data, settings, loss, holdout, unit: unit.unwrap_or(1.0), count, restarts, fits })
    }

    pub(super) fn holdout(&self) -> Holdout {
        self.holdout
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn fits(&self) -> usize {
        self.fits.get()
    }

    pub(super) fn stream(&self, split: usize) -> Stream {
        Stream::numbered(self.settings.seed, STREAM + split as u64)
    }

    /// The held-out error of a split at k components, relative to that of the mean of the fitted entries.
    pub(super) fn error(&self, split: usize, k: usize) -> Result<f64> {
        match self.holdout {
            Holdout::Thinning => self.thinned(split, k),
            Holdout::Entries => self.entries(split, k),
            _ => self.blocks(split, k),
        }
    }

    /// The best of several starts.
    pub(super) fn best(
        &self,
        data: &dyn DataMatrix<T>,
        model: &Model,
        split: usize,
        k: usize,
    ) -> Result<Fit<T>> {
        let mut best: Option<Fit<T>> = None;
        for start in 0..self.restarts {
            let spectral = start == 0 && k <= data.n_samples().min(data.n_features());
            let settings = Settings {
                rank: k,
                init: if spectral { Init::Nndsvda } else { Init::Random },
                seed: self.settings.seed.wrapping_add((split * self.restarts + start) as u64),
                ..self.settings.clone()
            };
            let found = fit(data, model, &settings)?;
            self.fits.set(self.fits.get() + 1);
            if best.as_ref().is_none_or(|best| found.objective < best.objective) {
                best = Some(found);
            }
        }
        Ok(best.expect("there is at least one start"))
    }

    pub(super) fn plain(&self) -> Result<Model> {
        Model::nmf().with_loss(self.loss)
    }

    fn thinned(&self, split: usize, k: usize) -> Result<f64> {
        let random = self.stream(split);
        let heads = |i: usize, j: usize, x: f64| {
            self.unit * random.heads(i, j, (x / self.unit).round() as u64) as f64
        };
        let half = self.data.mapped(&heads);
        let other = self.data.mapped(&|i, j, x| self.unit * (x / self.unit).round() - heads(i, j, x));
        let found = self.best(half.as_ref(), &self.plain()?, split, k)?;
        Ok(self.misfit(other.as_ref(), half.as_ref(), &found.codes, &found.components))
    }

    fn entries(&self, split: usize, k: usize) -> Result<f64> {
        let (n, d) = (self.data.n_samples(), self.data.n_features());
        let share = (HIDDEN.0 / (n as f64 * d as f64)).clamp(HIDDEN.1, HIDDEN.2);
        let random = self.stream(split);
        // Rows with the same entries share a Gram matrix, so many samples go by few patterns.
        let mut order: Vec<u32> = (0..n as u32).collect();
        random.shuffle(0, &mut order);
        let patterns = {
            let mut patterns = Matrix::<f64>::zeros(n.min(PATTERNS), d);
            (0..patterns.rows()).for_each(|at| random.fill(1 + at, patterns.row_mut(at)));
            patterns
        };
        let pattern = |i: usize| order[i] as usize % n.min(PATTERNS);
        let known = Matrix::from_fn(n, d, |i, j| f64::from(patterns.get(pattern(i), j) >= share));
        let guidance = Guidance::default().with(Advice::KnownEntries(known.clone()));
        let shown = self.data.weighted(&|i, j| known.get(i, j));
        let found = self.best(shown.as_ref(), &Model::guided(guidance).with_loss(self.loss)?, split, k)?;
        let (mut sum, mut count) = (0.0, 0.0);
        let visit = |act: &mut dyn FnMut(usize, usize, f64)| {
            let mut x = vec![0.0; d];
            for i in 0..n {
                x.fill(0.0);
                self.data.add_row(i, 1.0, &mut x);
                (0..d).for_each(|j| act(i, j, x[j]));
            }
        };
        visit(&mut |i, j, x| {
            if known.get(i, j) > 0.0 {
                (sum, count) = (sum + x, count + 1.0);
            }
        });
        let mean = sum / f64::max(count, 1.0);
        let (mut error, mut of_mean) = (0.0, 0.0);
        visit(&mut |i, j, x| {
            if known.get(i, j) == 0.0 {
                let product =
                    (0..k).map(|c| found.codes.get(i, c).to_f64() * found.components.get(c, j).to_f64());
                error += (x - product.sum::<f64>()).powi(2);
                of_mean += (x - mean).powi(2);
            }
        });
        Ok(if of_mean > 0.0 { error / of_mean } else { 1.0 })
    }

    /// Two blocks, each predicted from the rest but for the other.
    fn blocks(&self, split: usize, k: usize) -> Result<f64> {
        let (n, d) = (self.data.n_samples(), self.data.n_features());
        let random = self.stream(split);
        let samples = halves(&random, 0, n);
        let features = halves(&random, 1, d);
        let mut error = 0.0;
        for side in 0..2 {
            let (held, rest) = (&samples[side], &samples[1 - side]);
            let (hidden, seen) = (&features[side], &features[1 - side]);
            let fitted = rows(self.data, rest).without_features(hidden);
            let found = self.best(fitted.as_ref(), &self.plain()?, split, k)?;
            let settings = Settings { rank: k, ..self.settings.clone() };
            let seen_part = rows(self.data, held).without_features(hidden);
            let codes =
                solve(seen_part.as_ref(), Held::Components(&found.components), self.loss, &settings)?.codes;
            let hidden_part = rows(self.data, rest).without_features(seen);
            let components =
                solve(hidden_part.as_ref(), Held::Codes(&found.codes), self.loss, &settings)?.components;
            let target = rows(self.data, held).without_features(seen);
            error += self.misfit(target.as_ref(), hidden_part.as_ref(), &codes, &components) / 2.0;
        }
        Ok(error)
    }

    /// The error of W·H as a prediction of `target`, relative to that of the mean of `fitted`, of the same
    /// shape.
    fn misfit(
        &self,
        target: &dyn DataMatrix<T>,
        fitted: &dyn DataMatrix<T>,
        codes: &Matrix<T>,
        components: &Matrix<T>,
    ) -> f64 {
        let (n, d, k) = (target.n_samples(), target.n_features(), codes.columns());
        let seen = fitted.summary();
        let count = (n as f64) * (d as f64);
        let mean = (seen.sum / count).max(f64::MIN_POSITIVE);
        let constant = |rows: usize, value: f64| Matrix::from_fn(rows, 1, |_, _| T::from_f64(value));
        let (root, ones) = (constant(n, mean), constant(d, 1.0));
        match self.loss {
            Loss::Frobenius => {
                let of = |u: &Matrix<T>, v: &Matrix<T>| -> f64 {
                    target.sample_chunks().into_iter().map(|rows| target.squared_residual(rows, u, v)).sum()
                };
                of(codes, &components.transposed()) / of(&root, &ones).max(f64::MIN_POSITIVE)
            }
            Loss::KullbackLeibler => {
                let margin = |sums: &[f64], at: usize| {
                    let mean = seen.sum / sums.len() as f64;
                    (1.0 - BACKGROUND) * sums[at] + BACKGROUND * mean
                };
                let u = Matrix::from_fn(n, k + 1, |i, j| match j < k {
                    true => T::from_f64((1.0 - BACKGROUND) * codes.get(i, j).to_f64()),
                    false => T::from_f64(BACKGROUND * margin(&seen.row_sums, i) / seen.sum),
                });
                let v = Matrix::from_fn(d, k + 1, |f, j| match j < k {
                    true => components.get(j, f),
                    false => T::from_f64(margin(&seen.column_sums, f)),
                });
                let of = |u: &Matrix<T>, v: &Matrix<T>| -> f64 {
                    let log =
                        target.sample_chunks().into_iter().map(|rows| target.log_divergence(rows, u, v));
                    let sums = |m: &Matrix<T>, j: usize| -> f64 {
                        (0..m.rows()).map(|i| m.get(i, j).to_f64()).sum()
                    };
                    let mass: f64 = (0..u.columns()).map(|j| sums(u, j) * sums(v, j)).sum();
                    log.sum::<f64>() - target.summary().sum + mass
                };
                of(&u, &v) / of(&root, &ones).max(f64::MIN_POSITIVE)
            }
        }
    }
}

/// Some of the samples, and where there are others a row of zeros.
pub(super) fn rows<T: Real>(data: &dyn DataMatrix<T>, chosen: &[usize]) -> Box<dyn DataMatrix<T>> {
    let mut group = vec![chosen.len() as u32; data.n_samples()];
    chosen.iter().zip(0u32..).for_each(|(row, at)| group[*row] = at);
    let mut scale = vec![1.0; chosen.len()];
    if chosen.len() < data.n_samples() {
        scale.push(0.0);
    }
    data.grouped(&RowGroups { group, scale })
}

/// `0..count` in two random halves, each ascending.
pub(super) fn halves(random: &Stream, row: usize, count: usize) -> [Vec<usize>; 2] {
    let mut order: Vec<u32> = (0..count as u32).collect();
    random.shuffle(row, &mut order);
    let (first, second) = order.split_at(count / 2);
    [first, second].map(|half| {
        let mut half: Vec<usize> = half.iter().map(|at| *at as usize).collect();
        half.sort_unstable();
        half
    })
}

/// The unit of which every entry is a whole multiple, if the entries are counts: their greatest common
/// divisor. `None` for measurements.
pub(super) fn unit_of_counts<T: Real>(data: &dyn DataMatrix<T>) -> Option<f64> {
    let largest = data.summary().max;
    let precision = 64.0 * T::EPSILON.to_f64();
    let mut unit = data.least_positive();
    if !unit.is_finite() || largest <= 0.0 {
        return None;
    }
    let entry = std::cell::Cell::new(unit);
    let whole = std::cell::Cell::new(true);
    data.mapped(&|_, _, x| {
        let mut unit = entry.get();
        let mut rest = x;
        // Euclid's algorithm; what is left by rounding is 0.
        while whole.get() && rest > largest * precision {
            if largest / unit > MOST_UNITS || unit < largest * 2.0 * precision {
                whole.set(false);
                break;
            }
            let left = (rest - (rest / unit).round() * unit).abs();
            if left <= (rest * precision).max(unit * 1e-6) {
                break;
            }
            (rest, unit) = (unit, left);
        }
        entry.set(unit);
        x
    });
    unit = entry.get();
    // One value alone is no count of anything.
    (whole.get() && largest / unit > 1.5).then_some(unit)
}
