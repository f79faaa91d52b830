//! What became of spread labels: one finding a topic.

use super::{Finding, Plausibility, Reporter, followed};
use crate::guidance::Spread;
use crate::recipes::memberships::largest;

/// The fraction of a topic's samples that must be there for it to be followed.
const MOST_OF_THEM: f64 = 0.95;

impl Reporter<'_> {
    /// How many of the samples that were drawn to a topic have their largest membership in it.
    pub(super) fn spread(&mut self, spread: &Spread) {
        let drawn: Vec<Option<usize>> =
            (0..spread.posteriors.rows()).map(|i| spread.topic(i).map(|(topic, _)| topic)).collect();
        for (c, name) in spread.names.iter().enumerate() {
            let samples: Vec<usize> = (0..drawn.len()).filter(|i| drawn[*i] == Some(c)).collect();
            if samples.is_empty() {
                continue;
            }
            let topic = self.topic(name);
            let there = samples.iter().filter(|i| largest(self.guided.row(**i)) == topic).count();
            let share = there as f64 / samples.len() as f64;
            let message = format!(
                "{there} of {} samples that a classifier put into \"{name}\" have their largest membership in it",
                samples.len()
            );
            self.report.derived.push(Finding {
                kind: "spread",
                samples: Vec::new(),
                topic: Some(name.clone()),
                verdict: followed(share >= MOST_OF_THEM),
                plausibility: Plausibility::Unknown,
                message,
                numbers: vec![("share", share), ("samples", samples.len() as f64)],
            });
        }
    }
}
