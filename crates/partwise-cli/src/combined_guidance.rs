//! [`CombinedGuidance`]: the combined guidance, the strengths to search, and the notices.

use partwise::guidance::{self as advice, Advice, Topic};
use partwise::recipes::at_scale;
use serde_json::{Value, json};

/// The guidance, and the notices about it.
#[derive(Clone, Debug, Default)]
pub(crate) struct CombinedGuidance {
    pub(crate) guidance: advice::Guidance,
    /// Whether the strength of each item is to be searched, in the order they were given.
    pub(crate) auto_items: Vec<bool>,
    /// The same for the topics.
    pub(crate) auto_topics: Vec<bool>,
    /// The files: kind, name, SHA-256.
    pub(crate) files: Vec<(&'static str, String, String)>,
    pub(crate) notes: Vec<String>,
    /// Sentences on what was chosen for the user.
    pub(crate) chosen: Vec<String>,
}

impl CombinedGuidance {
    /// Whether a strength is to be searched.
    pub(crate) fn searches(&self) -> bool {
        self.auto_items.contains(&true) || self.auto_topics.contains(&true)
    }

    /// The guidance with what is searched at a scale, and the rest as it is.
    pub(crate) fn at(&self, scale: f64) -> advice::Guidance {
        let mut marked = self.guidance.clone();
        let items = marked.advice_mut().iter_mut().zip(&self.auto_items).filter(|(_, auto)| **auto);
        items.for_each(|(item, _)| item.set_strength(advice::Strength::Auto));
        let topics = marked.topics_mut().iter_mut().zip(&self.auto_topics).filter(|(_, auto)| **auto);
        topics.for_each(|(topic, _)| topic.strength = advice::Strength::Auto);
        at_scale(&marked, scale)
    }

    /// What is known, in a line.
    pub(crate) fn summary(&self) -> String {
        let count = |n: usize, one: &str, many: &str| {
            (n > 0).then(|| format!("{n} {}", if n == 1 { one } else { many }))
        };
        let topics = self.guidance.topics();
        let seeds = topics.iter().map(|topic| topic.seeds.len()).sum();
        let mut parts = vec![count(topics.len(), "topic", "topics"), count(seeds, "seed", "seeds")];
        for item in self.guidance.advice() {
            parts.push(match item {
                Advice::Labels { labels, .. } => count(labels.n_labelled(), "label", "labels"),
                Advice::Sets { sets, .. } => {
                    count(sets.iter().flatten().count(), "set of labels", "sets of labels")
                }
                Advice::Memberships { shares, .. } => {
                    let known = |i: &usize| shares.row(*i).iter().any(|s| !s.is_nan());
                    count((0..shares.rows()).filter(known).count(), "membership", "memberships")
                }
                Advice::References { names, .. } => count(names.len(), "reference", "references"),
                Advice::Links { must, cannot, .. } => count(must.len() + cannot.len(), "link", "links"),
                Advice::Graph { .. } => Some("a graph".into()),
                Advice::Spread(_) | Advice::Scorer(_) => None,
                Advice::SampleWeights(_) => Some("weights of the samples".into()),
                Advice::FeatureWeights(_) => Some("weights of the features".into()),
                _ => Some(item.kind().into()),
            });
        }
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// For run.json and the model: the files, and the strength of every item of the guidance that was fitted.
    pub(crate) fn to_json(&self, fitted: &advice::Guidance) -> Value {
        let files: Vec<Value> = self
            .files
            .iter()
            .map(|(kind, file, sha256)| json!({ "kind": kind, "file": file, "sha256": sha256 }))
            .collect();
        let topic = |topic: &Topic| {
            json!({ "name": topic.name, "components": topic.components, "seeds": topic.seeds.len(),
                "forbidden": topic.forbidden.len(), "strength": topic.strength })
        };
        let item = |item: &&Advice| json!({ "kind": item.kind(), "strength": item.strength() });
        json!({
            "files": files,
            "topics": fitted.topics().iter().map(topic).collect::<Vec<_>>(),
            "items": fitted.advice().iter().map(item).collect::<Vec<_>>(),
        })
    }
}
