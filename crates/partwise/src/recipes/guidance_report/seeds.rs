//! The report on the seeds: does each occur, is it used in its topics, and is its topic still about it?

use std::collections::BTreeMap;

use super::{Reporter, Verdict};
use crate::data::DataMatrix;
use crate::fit::Fit;
use crate::foundation::{Matrix, Real};
use crate::guidance::{Guidance, Plan};

/// Below this much of the weight that a seed has in the samples that contain it, its topic has moved away
/// from it.
const LEAST_KEPT: f64 = 0.5;

/// Of a seed in its topic.
struct Standing {
    /// The share of the seed's use that is in this topic, and in all the topics that it seeds.
    own: f64,
    together: f64,
    /// See the module above.
    kept: f64,
    /// Its place among the features of the topic's component that keeps it best, from 1.
    rank: usize,
}

/// The lengths of the columns.
fn lengths<T: Real>(m: &Matrix<T>) -> Vec<f64> {
    let squares = |j: usize| (0..m.rows()).map(|i| m.get(i, j).to_f64().powi(2)).sum::<f64>();
    (0..m.columns()).map(|j| squares(j).sqrt()).collect()
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
        let sizes = lengths(&fit.codes);
        let label = |f: usize| {
            guidance
                .feature_names()
                .map_or_else(|| format!("feature {f}"), |names| format!("\"{}\"", names[f]))
        };
        let mut seeded_by: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (topic, seeds) in plan.seeds.iter().enumerate() {
            seeds.iter().for_each(|(f, _)| seeded_by.entry(*f).or_default().push(topic));
        }
        for (topic, seeds) in plan.seeds.iter().enumerate() {
            for &(f, _) in seeds {
                let used: Vec<f64> =
                    (0..sizes.len()).map(|j| fit.components.get(j, f).to_f64() * sizes[j]).collect();
                let total: f64 = used.iter().sum();
                let of = |t: usize| (0..used.len()).filter(|j| owner[*j] == t).map(|j| used[j]).sum::<f64>();
                let share = |sum: f64| if total > 0.0 { sum / total } else { 0.0 };
                let own = share(of(topic));
                let together = share(seeded_by[&f].iter().map(|t| of(*t)).sum());
                let (kept, rank) = kept(fit, plan, topic, f);
                let occurs = data.summary().column_sums[f] > 0.0;
                self.seed(topic, &label(f), occurs, &Standing { own, together, kept, rank });
            }
        }
        for notice in plan.notices.iter().filter(|n| n.code == "unknown-feature") {
            let message = notice.message.clone();
            self.push("seed", Vec::new(), None, (Verdict::NoSupport, false), message, Vec::new());
        }
    }

    fn seed(&mut self, topic: usize, label: &str, occurs: bool, standing: &Standing) {
        let &Standing { own, together, kept, rank } = standing;
        let name = self.topics[topic].clone();
        let subject = format!("seed {label} of \"{name}\"");
        let used = together >= 0.5 && own > 0.0;
        let followed = used && kept >= LEAST_KEPT;
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let (verdict, message) = if !occurs {
            (Verdict::NoSupport, format!("{subject} does not occur in the data"))
        } else if followed {
            let message = format!(
                "{subject}: {} of its total weight is in the topic; it is feature number {rank} there",
                percent(own)
            );
            (Verdict::Honoured, message)
        } else if used {
            let message = format!(
                "{subject}: the topic moved away from it; the seed is feature number {rank} there and has {} of \
                the weight that it has in the samples that contain it",
                percent(kept)
            );
            (Verdict::Overruled, message)
        } else {
            let message = format!(
                "{subject}: {} of its total weight is in its topics, but this topic moved away from it",
                percent(together)
            );
            (Verdict::Overruled, message)
        };
        let numbers = vec![("share", own), ("kept", kept), ("rank", rank as f64)];
        self.push("seed", Vec::new(), Some(name), (verdict, followed), message, numbers);
    }
}

/// How much of its weight the seed keeps in the topic's component that keeps most of it, and its place there.
fn kept<T: Real>(fit: &Fit<T>, plan: &Plan, topic: usize, feature: usize) -> (f64, usize) {
    let (mut best, mut rank) = (0.0, fit.components.columns());
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
        }
    }
    (best, rank)
}
