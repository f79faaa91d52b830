//! The report on the seeds: does each occur, is it used in its topics, is its topic still about it, and are
//! the samples that contain it there?

use std::collections::BTreeMap;

use super::{Finding, Plausibility, Reporter, Verdict, feature_label, followed, percent};
use crate::data::{DataMatrix, times};
use crate::fit::Fit;
use crate::foundation::{Matrix, Real};
use crate::guidance::{Guidance, Plan};
use crate::recipes::memberships::{clusters, largest};

/// Below this much of the weight that a seed has in the samples that contain it, its topic has moved away
/// from it.
const LEAST_KEPT: f64 = 0.5;
/// From this share of its weight on, a seed is used by its topic only.
const ONLY: f64 = 0.95;

/// Of a seed in its topic.
struct Standing {
    /// The share of the seed's use that is in this topic, and in all the topics that it seeds.
    own: f64,
    together: f64,
    /// See the module above.
    kept: f64,
    /// Its place among the features of the topic's component that keeps it best, from 1: by weight, and by
    /// weight times the share of the feature's use that is in the component.
    rank: usize,
    distinct_rank: usize,
    /// The place whose samples contain most of it, and whether that is a topic of this seed; `None` where no
    /// sample has codes.
    most: Option<(usize, bool)>,
}

/// From this rank on a feature hardly matters in a component of `features` features.
pub(super) fn unimportant_from(features: usize) -> usize {
    (features / 4).clamp(8, 50)
}

/// How much of each feature's use is in each component (k × d): hⱼ_f·‖wⱼ‖ over its sum.
fn uses<T: Real>(fit: &Fit<T>) -> Matrix<f64> {
    let (k, d) = fit.components.shape();
    let squares = |j: usize| (0..fit.codes.rows()).map(|i| fit.codes.get(i, j).to_f64().powi(2)).sum::<f64>();
    let sizes: Vec<f64> = (0..k).map(|j| squares(j).sqrt()).collect();
    let mut out = Matrix::from_fn(k, d, |j, f| fit.components.get(j, f).to_f64() * sizes[j]);
    for f in 0..d {
        let total: f64 = (0..k).map(|j| out.get(j, f)).sum();
        if total > 0.0 {
            (0..k).for_each(|j| out.set(j, f, out.get(j, f) / total));
        }
    }
    out
}

impl Reporter<'_> {
    /// Each seed of each topic.
    pub(super) fn seeds<T: Real>(
        &mut self,
        data: &dyn DataMatrix<T>,
        guidance: &Guidance,
        fit: &Fit<T>,
        plan: &Plan,
        owner: &[usize],
    ) {
        let mut seeded_by: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (topic, seeds) in plan.seeds.iter().enumerate() {
            seeds.iter().for_each(|(f, _)| seeded_by.entry(*f).or_default().push(topic));
        }
        let features: Vec<usize> = seeded_by.keys().copied().collect();
        let (uses, places) = (uses(fit), self.places_of(data, &features));
        for (topic, seeds) in plan.seeds.iter().enumerate() {
            for &(f, _) in seeds {
                let of = |t: usize| -> f64 {
                    (0..owner.len()).filter(|j| owner[*j] == t).map(|j| uses.get(j, f)).sum()
                };
                let (kept, rank, distinct_rank) = kept(fit, &uses, plan, topic, f);
                let most = places[features.partition_point(|seed| *seed < f)];
                let standing = Standing {
                    own: of(topic),
                    together: seeded_by[&f].iter().map(|t| of(*t)).sum(),
                    kept,
                    rank,
                    distinct_rank,
                    most: most.map(|place| (place, seeded_by[&f].contains(&place))),
                };
                let occurs = data.summary().column_sums[f] > 0.0;
                self.seed(topic, &feature_label(guidance, f), occurs, &standing, data.n_features());
            }
        }
        for notice in plan.notices.iter().filter(|n| n.code == "unknown-feature") {
            let (verdict, message) = (Verdict::NoSupport, notice.message.clone());
            self.push(Finding {
                kind: "seed",
                samples: Vec::new(),
                topic: None,
                verdict,
                plausibility: Plausibility::Unknown,
                message,
                numbers: Vec::new(),
            });
        }
    }

    /// The place whose samples contain most of each of these features, on average.
    fn places_of<T: Real>(&self, data: &dyn DataMatrix<T>, features: &[usize]) -> Vec<Option<usize>> {
        if features.is_empty() {
            return Vec::new();
        }
        let mut wanted = Matrix::<f64>::zeros(data.n_features(), features.len());
        features.iter().enumerate().for_each(|(at, f)| wanted.set(*f, at, 1.0));
        let found = times(data, &wanted);
        let mut sums = Matrix::<f64>::zeros(features.len(), self.places.len());
        for (i, place) in clusters(&self.guided).into_iter().enumerate() {
            let Some(place) = place else { continue };
            (0..features.len()).for_each(|at| sums.set(at, place, sums.get(at, place) + found.get(i, at)));
        }
        let mut counts = vec![0usize; self.places.len()];
        clusters(&self.guided).into_iter().flatten().for_each(|place| counts[place] += 1);
        // A mean over few samples says little: as if each place had some more, without the feature.
        let more = 0.1 * data.n_samples() as f64 / self.places.len() as f64;
        let mean = |at: usize, place: usize| sums.get(at, place) / (counts[place] as f64 + more);
        let most = |at: usize| {
            let means: Vec<f64> = (0..counts.len()).map(|place| mean(at, place)).collect();
            Some(largest(&means)).filter(|place| means[*place] > 0.0)
        };
        (0..features.len()).map(most).collect()
    }

    fn seed(&mut self, topic: usize, label: &str, occurs: bool, standing: &Standing, features: usize) {
        let &Standing { own, together, kept, rank, distinct_rank, most } = standing;
        let place = self.place(topic);
        let used = together >= 0.5 && own > 0.0;
        let verdict = if occurs { followed(used && kept >= LEAST_KEPT) } else { Verdict::NoSupport };
        let plausibility = match most {
            Some((_, true)) => Plausibility::Fits,
            Some((_, false)) => Plausibility::Surprising,
            None => Plausibility::Unknown,
        };
        let use_of = match own {
            own if own >= ONLY => format!("{label} is used by {place} only ({})", percent(own)),
            own if own >= 0.5 => format!("{label} is used mostly by {place} ({})", percent(own)),
            own => format!("{} of the use of {label} is in {place}", percent(own)),
        };
        let mut message = if !occurs {
            format!("{label}, a seed of {place}, does not occur in the data")
        } else if used && kept < LEAST_KEPT {
            format!(
                "{use_of}, but {place} moved away from it: the seed is number {rank} of its features, with {} \
                of the weight that it has in the samples that contain it",
                percent(kept)
            )
        } else if used && rank >= unimportant_from(features) {
            format!("{use_of}, but hardly matters there (number {rank} of its features): check the topic")
        } else if used {
            format!("{use_of}, and is number {rank} of its features")
        } else {
            format!("{use_of}, which moved away from it")
        };
        if let Some((most, false)) = most {
            message.push_str(&format!("; the samples that contain most of it are in {}", self.place(most)));
        }
        let numbers = vec![
            ("share", own),
            ("kept", kept),
            ("rank", rank as f64),
            ("distinct rank", distinct_rank as f64),
        ];
        let topic = Some(self.topics[topic].clone());
        self.push(Finding {
            kind: "seed",
            samples: Vec::new(),
            topic,
            verdict,
            plausibility,
            message,
            numbers,
        });
    }
}

/// How much of its weight the seed keeps in the topic's component that keeps most of it, and its two ranks
/// there.
fn kept<T: Real>(
    fit: &Fit<T>,
    uses: &Matrix<f64>,
    plan: &Plan,
    topic: usize,
    feature: usize,
) -> (f64, usize, usize) {
    let d = fit.components.columns();
    let (mut best, mut rank, mut distinct_rank) = (0.0, d, d);
    for j in plan.topics[topic].1.clone() {
        let row = fit.components.row(j);
        let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|v| v * v).sum::<f64>().sqrt();
        let length = norm(&mut row.iter().map(|h| h.to_f64()));
        let Some(profile) = &plan.evidence[j].seeded else { continue };
        let wanted = profile[feature] / norm(&mut profile.iter().copied());
        let kept = row[feature].to_f64() / length / wanted;
        if kept > best {
            best = kept;
            rank = 1 + row.iter().filter(|h| **h > row[feature]).count();
            let distinct = |f: usize| row[f].to_f64() * uses.get(j, f);
            distinct_rank = 1 + (0..d).filter(|f| distinct(*f) > distinct(feature)).count();
        }
    }
    (best, rank, distinct_rank)
}
