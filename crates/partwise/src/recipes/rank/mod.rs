//! How many components the data support: held-out prediction and replication, both over the number k of
//! components.
//!
//! ```text
//! prediction    the data are split S times into a part to fit and a part to predict, with the same splits
//!               for every k;  k_prediction: the least k whose mean excess over the best error is at most
//!               its standard error over the splits, or a thousandth of what the best one predicts
//! replication   the samples are halved at random, the components of the halves matched one to one by cosine;
//!               ρ(k): the median over splits of the smallest matched cosine;
//!               k_replication: the greatest k ≤ k_prediction with ρ(k) ≥ 0.7
//! answer        min(k_prediction, k_replication)
//! ```
//!
//! Counts are split by thinning: T ~ Binomial(X, ½) is fitted, X − T is predicted; the two are independent if
//! X is Poisson. Other data hide some of their entries, or blocks of them (see [`Holdout`]). References:
//! thinning, Neufeld et al. 2024, JMLR 25; held-out blocks, Owen & Perry 2009, doi:10.1214/08-AOAS227.

mod choice;
mod replication;
mod splits;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::data::DataMatrix;
use crate::engine::Settings;
use crate::engine::losses::Loss;
use crate::foundation::draw::{below, generator};
use crate::foundation::{Error, Real, Result, once};
pub use choice::{Holdout, RankChoice, RankProgress, RankRow, RankSettings};
use splits::Splits;

once! {
    /// How many components `data` support, for plain NMF with this loss. `settings` hold for all fits; their
    /// rank and start are not used. `observe` is called before the fits of each split, and may end the
    /// search: the answer is then that of what has been tried.
    ///
    /// The answer depends on the seed, but not on the number of threads or the unit of the data. It is the
    /// same for each range of k that holds it.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a range or a number of splits that is not valid; [`Error::Incompatible`]
    /// for a [`Holdout`] that the data do not allow; [`Error::Empty`] where all entries are 0, or fewer than
    /// four samples or features; the faults of [`fit`](crate::fit()).
    pub fn select_rank<'a, T>(
        data: &'a dyn DataMatrix<T>,
        loss: Loss,
        settings: &'a Settings,
        rank: &'a RankSettings,
        observe: &'a mut dyn FnMut(RankProgress) -> ControlFlow<()>,
    ) -> Result<RankChoice> = selected;
}

/// The loss that suits the data: Kullback–Leibler for counts, the squared loss for others.
pub fn loss_for_rank<T: Real>(data: &dyn DataMatrix<T>) -> Loss {
    if splits::unit_of_counts(data).is_some() { Loss::KullbackLeibler } else { Loss::Frobenius }
}

/// What a search knows so far.
struct Search<'s, T: Real> {
    splits: Splits<'s, T>,
    observe: &'s mut dyn FnMut(RankProgress) -> ControlFlow<()>,
    /// Of each k the error of each split, relative to that of the mean.
    errors: BTreeMap<usize, Vec<f64>>,
    /// Of each k the smallest matched cosine of each split.
    cosines: BTreeMap<usize, Vec<f64>>,
    stopped: bool,
}

/// Differences below this fraction of what the best k predicts do not count.
const NEGLIGIBLE: f64 = 1e-3;
/// A prediction that is worse than the mean is useless, however bad it is: one split must not decide.
const MOST_ERROR: f64 = 2.0;
/// The least ρ(k) of components that are real.
const REPLICATES: f64 = 0.7;
/// Resamplings of the splits.
const RESAMPLINGS: usize = 200;
/// The stream of the resamplings.
const RESAMPLING: u64 = 1 << 40;
/// k beyond the best are no longer tried after this many of the grid that are clearly worse.
const CLEARLY_WORSE: usize = 2;

/// The body of [`select_rank`].
fn selected<T: Real>(
    data: &dyn DataMatrix<T>,
    loss: Loss,
    settings: &Settings,
    rank: &RankSettings,
    observe: &mut dyn FnMut(RankProgress) -> ControlFlow<()>,
) -> Result<RankChoice> {
    let (from, to) = range(data, rank)?;
    // Far from 1 the squares of the data would leave the range of numbers.
    let largest = data.summary().max;
    let moderate = (-99.0..99.0).contains(&largest.log10());
    let divided = (!moderate).then(|| data.divided(2f64.powf(largest.log2().floor()), 0.0));
    let splits = Splits::new(divided.as_deref().unwrap_or(data), loss, settings, rank)?;
    let holdout = splits.holdout();
    let mut search =
        Search { splits, observe, errors: BTreeMap::new(), cosines: BTreeMap::new(), stopped: false };
    search.predict(from, to)?;
    let all: Vec<usize> = (0..rank.splits).collect();
    let k_prediction = search.predicted(&all);
    search.replicate(k_prediction, from)?;
    let found = search.replicated(k_prediction, &all);
    let answer = found.unwrap_or_else(|| search.least());
    let mut random = generator(settings.seed, RESAMPLING);
    let same = (0..RESAMPLINGS)
        .filter(|_| {
            let drawn: Vec<usize> = all.iter().map(|_| below(&mut random, all.len())).collect();
            search.replicated(search.predicted(&drawn), &drawn) == found
        })
        .count();
    let best = search.best(&all);
    let useful = clearly_below_one(&search.errors[&answer]);
    Ok(RankChoice {
        rank: answer,
        k_prediction,
        k_replication: answer,
        structure: useful || answer > 1 && found.is_some() && clearly_below_one(&search.errors[&best]),
        confidence: same as f64 / RESAMPLINGS as f64,
        at_limit: k_prediction == to,
        none_returns: found.is_none(),
        stopped: search.stopped,
        holdout,
        loss,
        table: search
            .errors
            .iter()
            .map(|(k, errors)| {
                let (excess, excess_error) = excess(errors, &search.errors[&best], &all);
                let replication = search.cosines.get(k).map(|cosines| median(cosines, &all));
                RankRow { rank: *k, error: mean(errors, &all), excess, excess_error, replication }
            })
            .collect(),
    })
}

/// The k that can be compared.
fn range<T: Real>(data: &dyn DataMatrix<T>, rank: &RankSettings) -> Result<(usize, usize)> {
    let fault = |name: &str, value: usize, valid: String| {
        Err(Error::OutOfRange { name: name.into(), value: value.to_string(), valid })
    };
    if rank.from == 0 || rank.from > rank.to {
        return fault("the least k", rank.from, format!("from 1 to the greatest k, {}", rank.to));
    }
    if rank.splits < 2 {
        return fault("the number of splits", rank.splits, "2 or more".into());
    }
    if rank.restarts == 0 {
        return fault("the number of restarts", 0, "1 or more".into());
    }
    let (n, d) = (data.n_samples(), data.n_features());
    if n < 4 || d < 4 || data.summary().sum == 0.0 {
        return Err(Error::Incompatible {
            asked: format!("a number of components for {n} samples and {d} features"),
            reason: match data.summary().sum == 0.0 {
                true => "every entry is 0".into(),
                false => "parts of them are held out".to_string(),
            },
            valid: vec!["4 or more samples and features with entries above 0".into()],
        });
    }
    // Half of the samples must hold the components, too.
    let most = (n / 2).min(d).max(1);
    if rank.from > most {
        return fault("the least k", rank.from, format!("at most {most}, of {n} samples and {d} features"));
    }
    Ok((rank.from, rank.to.min(most)))
}

impl<T: Real> Search<'_, T> {
    /// The errors of every k that may be the answer: a grid first, then all k around the best.
    fn predict(&mut self, from: usize, to: usize) -> Result<()> {
        let all: Vec<usize> = (0..self.splits.count()).collect();
        let mut worse = 0;
        for k in grid(from, to) {
            self.error(k)?;
            if self.stopped {
                return Ok(());
            }
            let best = self.best(&all);
            let (excess, spread) = excess(&self.errors[&k], &self.errors[&best], &all);
            worse = if k > best && excess > 2.0 * spread { worse + 1 } else { 0 };
            if worse == CLEARLY_WORSE {
                break;
            }
        }
        loop {
            let (best, predicted) = (self.best(&all), self.predicted(&all));
            let known: Vec<usize> = self.errors.keys().copied().collect();
            let before = known.iter().rev().find(|k| **k < predicted).copied().unwrap_or(from);
            let after = known.iter().find(|k| **k > best).copied().unwrap_or(best);
            let Some(k) = (before..=after).find(|k| !self.errors.contains_key(k)) else { return Ok(()) };
            self.error(k)?;
            if self.stopped {
                return Ok(());
            }
        }
    }

    /// The errors of all splits at k; nothing where the search is stopped before the last one.
    fn error(&mut self, k: usize) -> Result<()> {
        if self.errors.contains_key(&k) {
            return Ok(());
        }
        let mut errors = Vec::new();
        for split in 0..self.splits.count() {
            // One k is needed for any answer.
            if self.asked_to_stop(k, false) && !self.errors.is_empty() {
                return Ok(());
            }
            errors.push(self.splits.error(split, k)?.min(MOST_ERROR));
        }
        self.errors.insert(k, errors);
        Ok(())
    }

    fn asked_to_stop(&mut self, rank: usize, replication: bool) -> bool {
        let progress = RankProgress { fits: self.splits.fits(), rank, replication };
        self.stopped = self.stopped || (self.observe)(progress).is_break();
        self.stopped
    }

    /// The least k that was tried.
    fn least(&self) -> usize {
        self.errors.keys().next().copied().unwrap_or(1)
    }

    /// The k with the smallest mean error over these splits.
    fn best(&self, drawn: &[usize]) -> usize {
        let of = |k: &usize| mean(&self.errors[k], drawn);
        let best = self.errors.keys().min_by(|a, b| of(a).total_cmp(&of(b)));
        best.copied().unwrap_or(1)
    }

    /// The least k whose error is the best but for one standard error.
    fn predicted(&self, drawn: &[usize]) -> usize {
        let best = self.best(drawn);
        let enough = |k: &usize| {
            let (excess, spread) = excess(&self.errors[k], &self.errors[&best], drawn);
            excess <= spread.max(NEGLIGIBLE * (1.0 - mean(&self.errors[&best], drawn)))
        };
        self.errors.keys().copied().find(enough).unwrap_or(best)
    }

    /// Looks for the greatest k ≤ `most` whose components replicate, from there downwards.
    fn replicate(&mut self, most: usize, from: usize) -> Result<()> {
        let all: Vec<usize> = (0..self.splits.count()).collect();
        for k in (from.max(2)..=most).rev() {
            self.error(k)?;
            let mut cosines = Vec::new();
            for split in &all {
                if self.asked_to_stop(k, true) {
                    return Ok(());
                }
                cosines.push(self.splits.smallest_cosine(*split, k)?);
            }
            let found = median(&cosines, &all) >= REPLICATES;
            self.cosines.insert(k, cosines);
            if found {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The greatest k ≤ `most` whose components replicate in these splits, by what was computed; one
    /// component always does. `None` where none does.
    fn replicated(&self, most: usize, drawn: &[usize]) -> Option<usize> {
        let holds = |k: &usize| {
            *k == 1 || self.cosines.get(k).is_some_and(|cosines| median(cosines, drawn) >= REPLICATES)
        };
        self.errors.range(..=most).rev().map(|(k, _)| *k).find(holds)
    }
}

/// 1, 2, 3, 4, 6, 8, 12, 16, 24, … and the ends of the range.
fn grid(from: usize, to: usize) -> Vec<usize> {
    let mut grid = vec![from, to];
    let mut step = 1;
    while step <= to {
        grid.extend([step, step + step / 2].into_iter().filter(|k| (from..=to).contains(k)));
        step *= 2;
    }
    grid.sort_unstable();
    grid.dedup();
    grid
}

/// The mean of these, by place.
fn mean(values: &[f64], drawn: &[usize]) -> f64 {
    drawn.iter().map(|at| values[*at]).sum::<f64>() / drawn.len() as f64
}

fn median(values: &[f64], drawn: &[usize]) -> f64 {
    let mut sorted: Vec<f64> = drawn.iter().map(|at| values[*at]).collect();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 }
}

/// The mean paired difference of `errors` to the best ones, and its standard error.
fn excess(errors: &[f64], best: &[f64], drawn: &[usize]) -> (f64, f64) {
    let differences: Vec<f64> = drawn.iter().map(|at| errors[*at] - best[*at]).collect();
    let count = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / count;
    let variance = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

/// Whether one component is better than the mean of all entries by more than two standard errors.
fn clearly_below_one(errors: &[f64]) -> bool {
    let all: Vec<usize> = (0..errors.len()).collect();
    let (excess, spread) = excess(errors, &vec![1.0; errors.len()], &all);
    excess < -2.0 * spread
}
