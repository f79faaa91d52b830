//! What became of spread labels: one finding a topic.

use super::{Finding, Reporter, Verdict, largest};
use crate::guidance::Spread;

/// The fraction of a topic's samples that must be there for it to be honoured.
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
            let followed = share >= MOST_OF_THEM;
            let verdict = if followed { Verdict::Honoured } else { Verdict::Overruled };
            let message = format!(
                "spread to \"{name}\": {there} of {} samples that a classifier put there have their largest \
                membership in it",
                samples.len()
            );
            let numbers =
                vec![("share", share), ("samples", samples.len() as f64), ("followed", f64::from(followed))];
            self.report.derived.push(Finding {
                kind: "spread",
                samples: Vec::new(),
                topic: Some(name.clone()),
                verdict,
                message,
                numbers,
            });
        }
    }
}
