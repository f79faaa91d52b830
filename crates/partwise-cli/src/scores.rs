//! Clusters against labels: every metric of the registry, over all labelled samples and over those whose
//! labels the fit did not use.

use anyhow::Result;
use partwise::metrics;
use serde_json::{Map, Value, json};

/// The measures over some of the samples.
#[derive(Clone, Debug)]
pub(crate) struct Scores {
    /// "all labelled samples" or "samples whose label the fit did not use".
    pub(crate) over: &'static str,
    /// The name in JSON.
    pub(crate) key: &'static str,
    pub(crate) samples: usize,
    /// (name, value) in the registry's order.
    pub(crate) values: Vec<(&'static str, f64)>,
}

/// How clusters and labels go together.
#[derive(Clone, Debug)]
pub(crate) struct Evaluation {
    pub(crate) scores: Vec<Scores>,
    pub(crate) class_names: Vec<String>,
    /// Component names, and "none" last if some sample has no cluster.
    pub(crate) cluster_names: Vec<String>,
    /// Samples of each class (rows) in each cluster (columns).
    pub(crate) confusion: Vec<Vec<usize>>,
    pub(crate) notes: Vec<String>,
}

impl Evaluation {
    /// Compares. `truth` and `guided` have an entry for each sample; samples without a label don't count.
    pub(crate) fn new(
        truth: &[i32],
        class_names: &[String],
        clusters: &[Option<usize>],
        component_names: &[String],
        guided: &[bool],
    ) -> Result<Self> {
        let k = component_names.len();
        let found: Vec<i32> = clusters.iter().map(|c| c.unwrap_or(k) as i32).collect();
        let labelled: Vec<bool> = truth.iter().map(|label| *label >= 0).collect();
        let held_out: Vec<bool> = labelled.iter().zip(guided).map(|(l, g)| *l && !*g).collect();
        let any_guided = guided.iter().any(|g| *g);
        let over = match (any_guided, held_out.iter().any(|held| *held)) {
            (true, false) => ["all labelled samples, whose labels the fit used", "all"],
            _ => ["all labelled samples", "all"],
        };
        let mut scores = vec![measure(over, truth, &found, &labelled)?];
        if any_guided {
            let over = ["samples whose label the fit did not use", "unlabelled"];
            scores.push(measure(over, truth, &found, &held_out)?);
        }
        let scores: Vec<Scores> = scores.into_iter().flatten().collect();
        let mut notes = Vec::new();
        if any_guided && scores.len() < 2 {
            notes.push(
                "these scores are on labels that the fit used; for an honest score hold some back, as with \
                --labels-per-class 3"
                    .into(),
            );
        }
        let without = found.iter().zip(&labelled).filter(|(c, l)| **l && **c == k as i32).count();
        let mut cluster_names = component_names.to_vec();
        if without > 0 {
            notes.push(format!(
                "{without} labelled samples belong to no component, for their codes are 0; they count as one \
                extra cluster"
            ));
            cluster_names.push("none".into());
        }
        let mut confusion = vec![vec![0; cluster_names.len()]; class_names.len()];
        for (label, cluster) in truth.iter().zip(&found).filter(|(label, _)| **label >= 0) {
            confusion[*label as usize][*cluster as usize] += 1;
        }
        Ok(Evaluation { scores, class_names: class_names.to_vec(), cluster_names, confusion, notes })
    }

    /// A measure over the samples that did not guide, or over all when there are none such.
    pub(crate) fn headline(&self, name: &str) -> Option<f64> {
        let scores = self.scores.last()?;
        scores.values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// For run.json and `evaluate --json`.
    pub(crate) fn to_json(&self) -> Value {
        let mut out = Map::new();
        for scores in &self.scores {
            let mut values = Map::new();
            values.insert("samples".into(), json!(scores.samples));
            values.extend(scores.values.iter().map(|(name, value)| (name.to_string(), json!(value))));
            out.insert(scores.key.into(), Value::Object(values));
        }
        Value::Object(out)
    }

    /// Lines of a table for a person.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for scores in &self.scores {
            lines.push(format!("{} ({}):", scores.over, scores.samples));
            lines.extend(scores.values.iter().map(|(name, value)| format!("    {name:<16}{value:.4}")));
        }
        lines
    }
}

fn measure(
    [over, key]: [&'static str; 2],
    truth: &[i32],
    found: &[i32],
    keep: &[bool],
) -> Result<Option<Scores>> {
    let (truth, found) = (metrics::restricted(truth, keep)?, metrics::restricted(found, keep)?);
    if truth.is_empty() {
        return Ok(None);
    }
    let values = metrics::ALL
        .iter()
        .map(|metric| Ok((metric.name, (metric.measure)(&truth, &found)?)))
        .collect::<Result<_>>()?;
    Ok(Some(Scores { over, key, samples: truth.len(), values }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_that_guided_are_left_out_of_the_second_line() {
        let names = ["a".to_string(), "b".to_string()];
        let clusters = [Some(0), Some(1), Some(0), None, Some(1)];
        let guided = [true, true, false, false, false];
        let found = Evaluation::new(&[0, 1, 1, 0, -1], &names, &clusters, &names, &guided).unwrap();
        let counts: Vec<usize> = found.scores.iter().map(|s| s.samples).collect();
        assert_eq!(counts, [4, 2]);
        assert_eq!(found.confusion, [[1, 0, 1], [1, 1, 0]]);
        assert_eq!(found.cluster_names, ["a", "b", "none"]);
        assert_eq!(found.scores[0].values[0], ("accuracy", 0.5));
    }
}
