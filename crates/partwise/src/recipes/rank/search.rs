//! The search over k: which numbers are tried, and what their errors and correlations decide.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::RankProgress;
use super::prediction::Parts;
use super::splits::Splits;
use crate::foundation::pool::Pool;
use crate::foundation::{Real, Result};
use crate::recipes::finished::{FinishedPieces, numbers_of};

/// Differences below this fraction of what the best k predicts do not count.
const NEGLIGIBLE: f64 = 1e-3;
/// A prediction that is worse than the mean is useless, however bad it is: one split must not decide.
const MOST_ERROR: f64 = 2.0;
/// The least ρ(k) of components that are real.
pub(super) const REPLICATES: f64 = 0.7;
/// k beyond the best are no longer tried after this many of the grid that are clearly worse.
const CLEARLY_WORSE: usize = 2;
/// Up to here every k around the answer is tried; beyond, one k stands for its neighbours.
pub(super) const EACH: usize = 16;
/// Splits are kept for the next k if their parts have at most this many values.
const KEPT: usize = 64_000_000;

/// What a search knows so far.
pub(super) struct Search<'s, T: Real> {
    pub(super) splits: Splits<'s, T>,
    pub(super) pool: Pool,
    /// The parts of each split, where there is room for them.
    parts: Vec<OnceLock<Parts<T>>>,
    observe: &'s mut dyn FnMut(RankProgress) -> ControlFlow<()>,
    pub(super) finished: Option<&'s dyn FinishedPieces>,
    /// Of each k the error of each split, relative to that of the mean.
    pub(super) errors: BTreeMap<usize, Vec<f64>>,
    /// Of each k the smallest matched correlation of each split; of the first half of the splits alone, where
    /// those are enough.
    pub(super) correlations: BTreeMap<usize, Vec<f64>>,
    pub(super) stopped: bool,
    /// The k of the grid that are still to be tried.
    pub(super) to_scan: Vec<usize>,
    /// The sum of k over what was computed in this run.
    pub(super) worked: AtomicUsize,
}

/// Whether the parts of all splits stay in memory for the next k.
pub(super) fn keeps_parts<T: Real>(splits: &Splits<'_, T>) -> bool {
    splits.data.n_stored().saturating_mul(2 * splits.count) <= KEPT
}

impl<'s, T: Real> Search<'s, T> {
    pub(super) fn new(
        mut splits: Splits<'s, T>,
        finished: Option<&'s dyn FinishedPieces>,
        observe: &'s mut dyn FnMut(RankProgress) -> ControlFlow<()>,
    ) -> Self {
        // Splits side by side use the threads better than one fit does.
        let all = Pool::new(splits.settings.threads).threads();
        let side_by_side = all.min(splits.count);
        splits.settings.threads = (all / side_by_side).max(1);
        let kept = keeps_parts(&splits);
        Search {
            pool: Pool::new(side_by_side),
            parts: (0..if kept { splits.count } else { 0 }).map(|_| OnceLock::new()).collect(),
            splits,
            observe,
            finished,
            errors: BTreeMap::new(),
            correlations: BTreeMap::new(),
            stopped: false,
            to_scan: Vec::new(),
            worked: AtomicUsize::new(0),
        }
    }

    pub(super) fn all(&self) -> Vec<usize> {
        (0..self.splits.count).collect()
    }

    /// Tries what is needed for an answer in this range.
    pub(super) fn run(&mut self, from: usize, to: usize) -> Result<()> {
        self.scan(from, to)?;
        self.to_scan.clear();
        let coarse = self.predicted(&self.all());
        if coarse <= EACH || self.less_may_do(coarse, to)? {
            self.refine(from, coarse)?;
        }
        self.parts.iter_mut().for_each(|parts| *parts = OnceLock::new());
        self.replicate(from)
    }

    /// The errors of a grid of k, until they are clearly worse than the best.
    fn scan(&mut self, from: usize, to: usize) -> Result<()> {
        let mut worse = 0;
        self.to_scan = grid(from, to);
        while !self.to_scan.is_empty() {
            let k = self.to_scan.remove(0);
            self.error(k)?;
            if self.stopped {
                return Ok(());
            }
            let best = self.best(&self.all());
            let (excess, spread) = excess(&self.errors[&k], &self.errors[&best], &self.all());
            worse = if k > best && excess > 2.0 * spread { worse + 1 } else { 0 };
            if worse == CLEARLY_WORSE {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether k below the predicted one of the grid are worth a try. Where that one ends the range and k
    /// halfway to the one before is not enough, errors still fall, and k beyond the range may be needed.
    fn less_may_do(&mut self, coarse: usize, to: usize) -> Result<bool> {
        if coarse == to {
            let before = self.errors.range(..coarse).next_back().map_or(coarse, |(k, _)| *k);
            self.error((before + coarse).div_ceil(2))?;
        }
        Ok(coarse < to || self.predicted(&self.all()) < coarse)
    }

    /// The errors of further k, so that those around the best and the predicted k are known.
    fn refine(&mut self, from: usize, coarse: usize) -> Result<()> {
        loop {
            let (best, predicted) = (self.best(&self.all()), self.predicted(&self.all()));
            let before = self.errors.range(..predicted).next_back().map_or(from, |(k, _)| *k);
            let next = if predicted > EACH {
                // Between a k that is worse and one that is enough.
                Some((before + predicted).div_ceil(2)).filter(|k| *k > before && *k < predicted)
            } else {
                let around = |k: usize| {
                    let before = self.errors.range(..k).next_back().map_or(k, |(k, _)| *k);
                    let after = self.errors.range(k + 1..).next().map_or(k, |(k, _)| *k);
                    (before..=after.min(EACH)).find(|k| !self.errors.contains_key(k))
                };
                (before..predicted).find(|k| !self.errors.contains_key(k)).or_else(|| around(best))
            };
            let Some(k) = next.filter(|k| *k <= coarse.max(EACH)) else { return Ok(()) };
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
        for chunk in self.all().chunks(self.pool.threads()) {
            // One k is needed for any answer.
            let left = self.splits.count - errors.len();
            if self.asked_to_stop(k, false, left) && !self.errors.is_empty() {
                return Ok(());
            }
            let (splits, parts) = (&self.splits, &self.parts);
            let compute = |split: usize| -> Result<f64> {
                let Some(kept) = parts.get(split) else {
                    return splits.error(&splits.parts(split)?, split, k);
                };
                if kept.get().is_none() {
                    // Each split is worked on by one thread, so nothing else sets it.
                    let _ = kept.set(splits.parts(split)?);
                }
                kept.get().map_or(Ok(MOST_ERROR), |parts| splits.error(parts, split, k))
            };
            let (worked, finished) = (&self.worked, self.finished);
            let of = |split| piece(finished, ("error", k, split), || counted(worked, k, compute(split)));
            for error in self.pool.map(chunk.to_vec(), of) {
                errors.push(error?.min(MOST_ERROR));
            }
        }
        self.errors.insert(k, errors);
        Ok(())
    }

    /// Whether the observer asks for an end, with as many splits of this k to come.
    pub(super) fn asked_to_stop(&mut self, rank: usize, replication: bool, splits_left: usize) -> bool {
        let work = self.work_done(rank, replication, splits_left);
        let progress = RankProgress { fits: self.splits.fits(), rank, replication, work };
        self.stopped |= (self.observe)(progress).is_break();
        self.stopped
    }

    /// The least k that was tried.
    pub(super) fn least(&self) -> usize {
        self.errors.keys().next().copied().unwrap_or(1)
    }

    /// The k with the smallest mean error over these splits.
    pub(super) fn best(&self, drawn: &[usize]) -> usize {
        let of = |k: &usize| mean(&self.errors[k], drawn);
        let best = self.errors.keys().min_by(|a, b| of(a).total_cmp(&of(b)));
        best.copied().unwrap_or(1)
    }

    /// The least k whose error is the best but for what is negligible.
    pub(super) fn predicted(&self, drawn: &[usize]) -> usize {
        let best = self.best(drawn);
        let least = mean(&self.errors[&best], drawn);
        let enough = |k: &usize| mean(&self.errors[k], drawn) - least <= NEGLIGIBLE * (1.0 - least);
        self.errors.keys().copied().find(enough).unwrap_or(best)
    }

    /// Looks for the greatest k, at most the predicted one, whose components replicate, from there downwards.
    fn replicate(&mut self, from: usize) -> Result<()> {
        let most = self.predicted(&self.all());
        let mut failed = most;
        for k in
            (from.max(self.trivial() + 1)..=most).rev().filter(|k| *k <= EACH || *k == most || on_grid(*k))
        {
            self.error(k)?;
            let found = self.replicates(k)?;
            if self.stopped {
                return Ok(());
            }
            if !found {
                failed = k;
                continue;
            }
            // The greatest between this k and the next one that was tried.
            let mut passes = k;
            while k > EACH && failed - passes > 1 {
                let middle = (passes + failed) / 2;
                self.error(middle)?;
                let found = self.replicates(middle)?;
                if self.stopped {
                    return Ok(());
                }
                if found { passes = middle } else { failed = middle }
            }
            return Ok(());
        }
        self.replicate_between(most)
    }

    /// Where nothing returned: the k beyond [`EACH`] that were passed over, from the predicted one downwards,
    /// unless the data are large. Components of too many divide parts, those of too few merge them, so that
    /// the right number may return between two that do not.
    fn replicate_between(&mut self, most: usize) -> Result<()> {
        if !keeps_parts(&self.splits) {
            return Ok(());
        }
        for k in (EACH + 1..most).rev() {
            if self.replicates(k)? {
                return self.error(k);
            }
            if self.stopped {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The greatest k that has no component to match: one component, or the named ones, always return.
    fn trivial(&self) -> usize {
        self.splits.named.max(1)
    }

    /// Whether the components replicate at k.
    fn replicates(&mut self, k: usize) -> Result<bool> {
        let all = self.all();
        if k <= self.trivial() {
            return Ok(true);
        }
        if !self.correlations.contains_key(&k) {
            let mut correlations = Vec::new();
            // The rest could not change it.
            let hopeless = |correlations: &[f64]| {
                correlations.len() >= all.len().div_ceil(2)
                    && correlations.iter().all(|c| *c < 2.0 * REPLICATES - 1.0)
            };
            for chunk in all.chunks(self.pool.threads()) {
                if self.asked_to_stop(k, true, all.len() - correlations.len()) {
                    return Ok(false);
                }
                let (splits, worked, finished) = (&self.splits, &self.worked, self.finished);
                let compute = |split| counted(worked, k, splits.smallest_correlation(split, k));
                let of = |split| piece(finished, ("replication", k, split), || compute(split));
                for correlation in self.pool.map(chunk.to_vec(), of) {
                    if !hopeless(&correlations) {
                        correlations.push(correlation?);
                    }
                }
                if hopeless(&correlations) {
                    break;
                }
            }
            self.correlations.insert(k, correlations);
        }
        Ok(replicability(&self.correlations[&k], &all) >= REPLICATES)
    }

    /// The greatest k ≤ `most` whose components replicate in these splits, by what was computed; one
    /// component always does. `None` where none does.
    pub(super) fn replicated(&self, most: usize, drawn: &[usize]) -> Option<usize> {
        let holds = |k: &usize| {
            let correlations = self.correlations.get(k);
            *k <= self.trivial()
                || correlations.is_some_and(|correlations| replicability(correlations, drawn) >= REPLICATES)
        };
        self.errors.range(..=most).rev().map(|(k, _)| *k).find(holds)
    }
}

/// A number of a split at k, by its name: as kept, or computed and kept.
pub(super) fn piece(
    finished: Option<&dyn FinishedPieces>,
    (name, k, split): (&str, usize, usize),
    compute: impl FnOnce() -> Result<f64>,
) -> Result<f64> {
    let Some(finished) = finished else { return compute() };
    let key = format!("{name}-k{k}-split{split}");
    let numbers = numbers_of(finished, &key, || Ok(vec![compute()?]))?;
    Ok(numbers.first().copied().unwrap_or(f64::NAN))
}

/// The number of a split at k, counted as done.
fn counted(worked: &AtomicUsize, k: usize, number: Result<f64>) -> Result<f64> {
    worked.fetch_add(k, Ordering::Relaxed);
    number
}

/// 1, 2, 3, 4, 6, 8, 12, 16, 24, … and the ends of the range.
fn grid(from: usize, to: usize) -> Vec<usize> {
    let mut grid: Vec<usize> = (from..=to).filter(|k| *k == from || *k == to || on_grid(*k)).collect();
    grid.dedup();
    grid
}

/// Whether k is a power of 2, or one and a half.
fn on_grid(k: usize) -> bool {
    k.is_power_of_two() || (k.is_multiple_of(3) && (k / 3).is_power_of_two())
}

/// The mean of these, by place.
pub(super) fn mean(values: &[f64], drawn: &[usize]) -> f64 {
    drawn.iter().map(|at| values[*at]).sum::<f64>() / drawn.len() as f64
}

/// ρ: the median of the smallest correlations of these splits.
pub(super) fn replicability(correlations: &[f64], drawn: &[usize]) -> f64 {
    let mut sorted: Vec<f64> = drawn.iter().map(|at| correlations[at % correlations.len()]).collect();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 }
}

/// The mean paired difference of `errors` to the best ones, and its standard error.
pub(super) fn excess(errors: &[f64], best: &[f64], drawn: &[usize]) -> (f64, f64) {
    let differences: Vec<f64> = drawn.iter().map(|at| errors[*at] - best[*at]).collect();
    let count = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / count;
    let variance = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}

/// Whether one component is better than the mean of all entries by more than two standard errors.
pub(super) fn clearly_below_one(errors: &[f64]) -> bool {
    let all: Vec<usize> = (0..errors.len()).collect();
    let (excess, spread) = excess(errors, &vec![1.0; errors.len()], &all);
    excess < -2.0 * spread
}
