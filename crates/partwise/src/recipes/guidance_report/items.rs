//! The report on items that are neither about single samples nor about seeds: memberships, references,
//! forbidden features, and which function reports on which kind.

use super::{Finding, Plausibility, Reporter, Verdict, feature_label, followed, percent};
use crate::fit::Fit;
use crate::foundation::{Matrix, Real};
use crate::guidance::{Advice, Guidance, Plan};
use crate::recipes::memberships::largest;

/// Up to this difference from the given membership, it is followed.
const CLOSE: f64 = 0.1;
/// From this cosine on, a reference is followed.
const ALIKE: f64 = 0.9;

impl Reporter<'_> {
    /// The findings on an item.
    pub(super) fn add<T: Real>(&mut self, item: &Advice, fit: &Fit<T>, plan: &Plan) {
        match item {
            Advice::Labels { labels, rule, .. } => {
                for i in 0..labels.n_samples() {
                    if let Some(class) = labels.class(i) {
                        self.label(i, &labels.names()[class], *rule);
                    }
                }
            }
            Advice::Sets { names, sets, .. } => self.sets(names, sets),
            Advice::Memberships { names, shares, .. } => self.memberships(names, shares),
            Advice::References { names, profiles, .. } => self.references(names, profiles, fit, plan),
            Advice::Links { must, cannot, .. } => {
                must.iter().for_each(|&pair| self.link(pair, true));
                cannot.iter().for_each(|&pair| self.link(pair, false));
            }
            Advice::Graph { graph, .. } => self.graph(graph),
            Advice::Spread(spread) => self.spread(spread),
            _ => {}
        }
    }

    fn memberships(&mut self, names: &[String], shares: &Matrix<f64>) {
        for i in 0..shares.rows() {
            let known: Vec<(usize, f64)> = names
                .iter()
                .enumerate()
                .filter(|(c, _)| !shares.get(i, *c).is_nan())
                .map(|(c, name)| (self.topic(name), shares.get(i, c)))
                .collect();
            let total: f64 = known.iter().map(|(_, s)| s).sum();
            if known.is_empty() || total == 0.0 {
                continue;
            }
            // Half of the sum of differences between two memberships is what of one lies elsewhere in the
            // other.
            let distance = |row: &[f64]| {
                let inside: f64 = known.iter().map(|(t, _)| row[*t]).sum();
                let part = |t: usize| if inside > 0.0 { row[t] / inside } else { 0.0 };
                known.iter().map(|(t, s)| (s / total - part(*t)).abs()).sum::<f64>() / 2.0
            };
            let (row, free) = (self.guided.row(i), self.free.row(i));
            let (away, free_away) = (distance(row), distance(free));
            let empty = row.iter().all(|s| *s == 0.0);
            let verdict = if empty { Verdict::NoSupport } else { followed(away <= CLOSE) };
            let plausibility = match free_away {
                _ if empty => Plausibility::Unknown,
                // Most of the sample lies elsewhere.
                away if away > 0.5 => Plausibility::Surprising,
                _ => Plausibility::Fits,
            };
            let mut message =
                format!("Sample {i}: its memberships differ by {} from those that were given", percent(away));
            if plausibility == Plausibility::Surprising {
                message.push_str(&format!("; those from its data alone differ by {}", percent(free_away)));
            }
            let numbers =
                vec![("distance", away), ("share", known.iter().map(|(t, _)| row[*t]).sum::<f64>())];
            let (kind, samples) = ("membership", vec![i]);
            self.push(Finding { kind, samples, topic: None, verdict, plausibility, message, numbers });
        }
    }

    fn references<T: Real>(&mut self, names: &[String], profiles: &Matrix<f64>, fit: &Fit<T>, plan: &Plan) {
        for (row, name) in names.iter().enumerate() {
            let earlier = names[..row].iter().filter(|other| *other == name).count();
            let topic = self.topic(name);
            let Some(j) = plan.topics[topic].1.clone().nth(earlier) else { continue };
            let profile = profiles.row(row);
            let all: Vec<f64> =
                (0..fit.components.rows()).map(|c| cosine(profile, fit.components.row(c))).collect();
            let (own, nearest) = (all[j], largest(&all));
            let empty = profile.iter().all(|v| *v == 0.0);
            let closest = own >= all[nearest] - 1e-9;
            let verdict = if empty { Verdict::NoSupport } else { followed(own >= ALIKE && closest) };
            // Another component that looks more like it was not asked to.
            let plausibility = match (empty, closest) {
                (true, _) => Plausibility::Unknown,
                (false, true) => Plausibility::Fits,
                (false, false) => Plausibility::Surprising,
            };
            let elsewhere = if closest {
                String::new()
            } else {
                format!(
                    "; \"{}\" looks more like it (cosine {:.2})",
                    fit.component_names[nearest], all[nearest]
                )
            };
            let message =
                format!("The reference of \"{name}\" and its component have the cosine {own:.2}{elsewhere}");
            let (samples, topic, numbers) = (Vec::new(), Some(name.clone()), vec![("cosine", own)]);
            self.push(Finding { kind: "reference", samples, topic, verdict, plausibility, message, numbers });
        }
    }

    /// Features that must not be in a topic.
    pub(super) fn forbidden<T: Real>(&mut self, guidance: &Guidance, fit: &Fit<T>, plan: &Plan) {
        for (topic, features) in plan.forbidden.iter().enumerate() {
            for &feature in features {
                let weights = plan.topics[topic].1.clone().map(|j| fit.components.get(j, feature).to_f64());
                let kept_out = weights.fold(0.0f64, f64::max) == 0.0;
                let label = feature_label(guidance, feature);
                let place = self.place(topic);
                let message = if kept_out {
                    format!("{label} is kept out of {place}, as you asked")
                } else {
                    format!("{label} is forbidden in {place}, but has weight there")
                };
                self.push(Finding {
                    kind: "forbidden",
                    samples: Vec::new(),
                    topic: Some(self.topics[topic].clone()),
                    verdict: followed(kept_out),
                    plausibility: Plausibility::Unknown,
                    message,
                    numbers: Vec::new(),
                });
            }
        }
    }
}

/// The cosine between a profile and a component; 0 where one of them is 0.
pub(super) fn cosine<T: Real>(profile: &[f64], component: &[T]) -> f64 {
    let product: f64 = profile.iter().zip(component).map(|(r, h)| r * h.to_f64()).sum();
    let squares = |v: &mut dyn Iterator<Item = f64>| v.map(|v| v * v).sum::<f64>();
    let size = squares(&mut profile.iter().copied()) * squares(&mut component.iter().map(|h| h.to_f64()));
    if size > 0.0 { product / size.sqrt() } else { 0.0 }
}
