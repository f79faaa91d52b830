//! What guidance adds to the comparison: whether labels that are hidden are found again, how far the named
//! components move, and whether a topic would gain from a second component.

use std::collections::BTreeMap;

use super::choice::{GuidedRank, GuidedRow};
use super::replication::cosines;
use super::search::{Search, excess, mean, piece};
use super::splits::Splits;
use crate::fit::Fit;
use crate::foundation::{Matrix, Real, Result};
use crate::guidance::{Advice, Guidance};
use crate::labels::Labels;
use crate::recipes::memberships::{ShareOf, largest, shares};

/// The fraction of the labels of each class that is hidden.
const HIDDEN: f64 = 0.2;
/// Rows of random numbers of the splits, beyond those of samples and features.
const LABELS_ROW: usize = 5;
/// As many topics are asked whether they want to be two.
const MOST_TOPICS: usize = 20;

impl<T: Real> Search<'_, T> {
    /// The numbers of each k that was tried near the answer, and what holds for all.
    pub(super) fn judge_guidance(
        &mut self,
        answer: usize,
    ) -> Result<(GuidedRank, BTreeMap<usize, GuidedRow>)> {
        let named = self.splits.named;
        let mut rows = BTreeMap::new();
        let hidden = self.splits.hidden_labels(0).map_or(0, |(_, hidden)| hidden.len());
        let mut first: Option<Matrix<T>> = None;
        let near: Vec<usize> = self.errors.range(..=answer + 2).map(|(k, _)| *k).collect();
        for k in near {
            if self.asked_to_stop(k, true, self.splits.count) {
                break;
            }
            let whole = self.splits.best(self.splits.data, &self.splits.model()?, 0, k)?;
            let components = named_components(&whole, named);
            let drift = first.as_ref().map_or(0.0, |first| {
                let cosines = cosines(first, &components);
                1.0 - (0..named).map(|c| cosines.get(c, c)).fold(1.0, f64::min)
            });
            first.get_or_insert(components);
            let agreement = match hidden {
                0 => None,
                _ => {
                    let (splits, finished) = (&self.splits, self.finished);
                    let of = |split| piece(finished, ("agreement", k, split), || splits.agreement(split, k));
                    let found = self.pool.map(self.all(), of);
                    let found = found.into_iter().collect::<Result<Vec<f64>>>()?;
                    Some(mean(&found, &self.all()))
                }
            };
            rows.insert(k, GuidedRow { agreement, drift });
        }
        let topic_in_two = if self.stopped { None } else { self.topic_in_two(answer)? };
        let labels = self.splits.guidance.as_ref().and_then(Guidance::labels).map_or(0, Labels::n_labelled);
        Ok((GuidedRank { named, labels, hidden_labels: hidden, topic_in_two }, rows))
    }

    /// The topic whose second component lowers the held-out error more than a further free component does.
    fn topic_in_two(&mut self, answer: usize) -> Result<Option<String>> {
        let (all, splits) = (self.all(), &self.splits);
        let Some(guidance) = &splits.guidance else { return Ok(None) };
        if answer >= splits.data.n_samples().min(splits.data.n_features()) {
            return Ok(None);
        }
        let errors_with = |guidance: &Guidance| -> Result<Vec<f64>> {
            let other = splits.with_guidance(guidance.clone());
            let of = |split: usize| other.error(&other.parts(split)?, split, answer + 1);
            self.pool.map(all.clone(), of).into_iter().collect()
        };
        let now = &self.errors[&answer];
        let free = errors_with(guidance)?;
        let mut best: Option<(f64, String)> = None;
        for (name, components) in guidance.all_topics().into_iter().take(MOST_TOPICS) {
            let errors = errors_with(&guidance.clone().with_components(&[(name.clone(), components + 1)]))?;
            let clearly_below = |others: &[f64]| {
                let (excess, spread) = excess(&errors, others, &all);
                excess < -2.0 * spread
            };
            let error = mean(&errors, &all);
            if clearly_below(now) && clearly_below(&free) && best.as_ref().is_none_or(|best| error < best.0) {
                best = Some((error, name));
            }
        }
        Ok(best.map(|(_, name)| name))
    }
}

impl<T: Real> Splits<'_, T> {
    /// The labels without a fifth of each class, and the samples whose labels are hidden with their classes.
    /// `None` without labels.
    fn hidden_labels(&self, split: usize) -> Option<(Labels, Vec<(usize, usize)>)> {
        let labels = self.guidance.as_ref()?.labels()?;
        let mut order: Vec<u32> = (0..labels.n_samples() as u32).collect();
        self.stream(split).shuffle(LABELS_ROW, &mut order);
        let mut left: Vec<usize> = labels.counts().iter().map(|count| hidden_of(*count)).collect();
        let mut kept = labels.to_integers();
        let mut hidden = Vec::new();
        for sample in order.into_iter().map(|sample| sample as usize) {
            if let Some(class) = labels.class(sample).filter(|class| left[*class] > 0) {
                left[class] -= 1;
                kept[sample] = -1;
                hidden.push((sample, class));
            }
        }
        // Each class keeps a label, so the names stay those of the classes.
        Some((Labels::with_names(&kept, labels.names()).ok()?, hidden))
    }

    /// The fraction of the hidden labels whose sample is most in a component of its class.
    fn agreement(&self, split: usize, k: usize) -> Result<f64> {
        let Some((labels, hidden)) = self.hidden_labels(split) else { return Ok(0.0) };
        let names = labels.names().to_vec();
        let mut guidance = self.guidance.clone().unwrap_or_default();
        for item in guidance.advice_mut() {
            if let Advice::Labels { labels: own, .. } = item {
                *own = labels.clone();
            }
        }
        // The place of the components of each class among the named ones.
        let mut owners = Vec::new();
        for (name, components) in guidance.all_topics() {
            let class = names.iter().position(|class| *class == name);
            owners.extend(std::iter::repeat_n(class, components));
        }
        let other = self.with_guidance(guidance);
        let fit = other.best(self.data, &other.model()?, split, k)?;
        let shares = shares(&fit.codes, &fit.components, ShareOf::of_loss(self.loss));
        let right = hidden.iter().filter(|(sample, class)| {
            owners.get(largest(shares.row(*sample))).copied().flatten() == Some(*class)
        });
        Ok(right.count() as f64 / hidden.len().max(1) as f64)
    }
}

/// As many labels of a class are hidden: none of a single one.
fn hidden_of(count: usize) -> usize {
    if count < 2 { 0 } else { ((HIDDEN * count as f64).round() as usize).clamp(1, count - 1) }
}

fn named_components<T: Real>(fit: &Fit<T>, named: usize) -> Matrix<T> {
    Matrix::from_fn(named, fit.components.columns(), |c, j| fit.components.get(c, j))
}
