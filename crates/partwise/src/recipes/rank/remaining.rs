//! How much of the work of a search is done: what is to come depends on what is found.

use std::sync::atomic::Ordering;

use super::search::{EACH, Search};
use crate::foundation::Real;

impl<T: Real> Search<'_, T> {
    /// About which fraction of the work of this run is done, before so many more splits of `rank`.
    pub(super) fn work_done(&self, rank: usize, replication: bool, splits_left: usize) -> f64 {
        let done = self.worked.load(Ordering::Relaxed) as f64;
        let mut left = rank * splits_left;
        if !replication {
            let later: usize = self.to_scan.iter().sum();
            left += (later + self.to_refine(rank) + self.to_replicate()) * self.splits.count;
        }
        done / (done + left as f64).max(1.0)
    }

    /// The sum of the k between those that were tried, around the best and the predicted one; without `now`.
    fn to_refine(&self, now: usize) -> usize {
        if self.errors.is_empty() {
            return 0;
        }
        let gaps = |k: usize| {
            let before = self.errors.range(..k).next_back().map_or(k, |(k, _)| *k);
            let after = self.errors.range(k + 1..).next().map_or(k, |(k, _)| *k);
            before..=after.min(EACH)
        };
        let all = self.all();
        let around = [gaps(self.best(&all)), gaps(self.predicted(&all))];
        (1..=EACH)
            .filter(|k| around.iter().any(|gap| gap.contains(k)))
            .filter(|k| *k != now && !self.errors.contains_key(k) && !self.to_scan.contains(k))
            .sum()
    }

    /// The predicted k, whose components are compared at the end.
    fn to_replicate(&self) -> usize {
        if self.errors.is_empty() { 1 } else { self.predicted(&self.all()) }
    }
}
