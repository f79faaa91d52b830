//! Which component divides from k to k + 1, near the answer.

use super::choice::RankStep;
use super::replication::{cosines, matching};
use super::search::Search;
use crate::foundation::{Matrix, Real, Result};

/// Features that stand for a component.
const FEATURES: usize = 5;

impl<T: Real> Search<'_, T> {
    /// The steps to the answer and beyond it, between fits of all data.
    pub(super) fn steps(&mut self, answer: usize) -> Result<Vec<RankStep>> {
        let most = self.splits.data.n_samples().min(self.splits.data.n_features());
        let from = answer.saturating_sub(1).max(self.splits.named).max(1);
        let mut steps = Vec::new();
        let mut before: Option<Matrix<T>> = None;
        for k in from..=(answer + 1).min(most) {
            if self.asked_to_stop(k, true, 1) {
                break;
            }
            let fit = self.splits.best(self.splits.data, &self.splits.model()?, 0, k)?;
            if let Some(before) = &before {
                steps.extend(step(before, &fit.components));
            }
            before = Some(fit.components);
        }
        Ok(steps)
    }
}

/// What becomes of k components among k + 1.
fn step<T: Real>(before: &Matrix<T>, after: &Matrix<T>) -> Option<RankStep> {
    let cosines = cosines(before, after);
    let matched = matching(&cosines);
    let new = (0..after.rows()).find(|b| !matched.contains(&Some(*b)))?;
    let parent = (0..before.rows()).max_by(|a, b| cosines.get(*a, new).total_cmp(&cosines.get(*b, new)))?;
    let others = (0..before.rows()).filter(|a| *a != parent);
    let unchanged = others.filter_map(|a| Some(cosines.get(a, matched[a]?))).fold(1.0, f64::min);
    Some(RankStep {
        from: before.rows(),
        parent: leading(before, parent),
        into: [leading(after, matched[parent]?), leading(after, new)],
        cosine: cosines.get(parent, new),
        unchanged,
    })
}

/// The features with the largest values of a component.
fn leading<T: Real>(components: &Matrix<T>, component: usize) -> Vec<usize> {
    let row = components.row(component);
    let mut features: Vec<usize> = (0..row.len()).filter(|j| row[*j] > T::ZERO).collect();
    features.sort_by(|a, b| row[*b].to_f64().total_cmp(&row[*a].to_f64()));
    features.truncate(FEATURES);
    features
}
