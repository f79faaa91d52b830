//! What keeps the other topics as they are while one is changed.

use std::collections::BTreeSet;

use super::action::{Action, Others};
use crate::foundation::Matrix;
use crate::guidance::{Advice, Guidance, Scorer, Spread, Strength};

/// The guidance for the refit: the topics that are not `free` are tied to their components (k × d).
pub(super) fn tied(
    guidance: &Guidance,
    components: &Matrix<f64>,
    free: &[String],
    action: &Action,
    others: Others,
) -> Guidance {
    let strength = if others == Others::Fixed { Strength::HELD } else { Strength::FIRM };
    let known = with_references(guidance);
    let (mut names, mut rows, mut begin) = (Vec::new(), Vec::new(), 0);
    for topic in guidance.topics() {
        let range = begin..begin + topic.components;
        begin = range.end;
        // What was merged stays one topic in any case.
        let merged = matches!(action, Action::Merge { keep, .. } if *keep == topic.name);
        let wanted = merged || (others != Others::Free && !free.contains(&topic.name));
        let empty = |j: usize| components.row(j).iter().all(|h| *h == 0.0);
        if wanted && !known.contains(&topic.name) && !range.clone().any(empty) {
            names.extend(range.clone().map(|_| topic.name.clone()));
            rows.extend(range);
        }
    }
    if names.is_empty() {
        return guidance.clone();
    }
    let profiles = Matrix::from_fn(rows.len(), components.columns(), |r, f| components.get(rows[r], f));
    guidance.clone().with(Advice::References { names, profiles, strength })
}

/// The topics that have references of their own.
fn with_references(guidance: &Guidance) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for item in guidance.advice() {
        if let Advice::References { names, .. } = item {
            out.extend(names.iter().cloned());
        }
    }
    out
}

/// The topics of which nothing is known but their name: their components can be exchanged.
pub(super) fn without_guidance(guidance: &Guidance) -> BTreeSet<String> {
    let plain = guidance.topics().iter().filter(|t| t.seeds.is_empty() && t.forbidden.is_empty());
    let mut out: BTreeSet<String> = plain.map(|topic| topic.name.clone()).collect();
    for item in guidance.advice() {
        let names: Vec<String> = match item {
            Advice::Labels { labels, .. } => labels.names().to_vec(),
            Advice::Sets { names, .. }
            | Advice::Memberships { names, .. }
            | Advice::References { names, .. }
            | Advice::Spread(Spread { names, .. })
            | Advice::Scorer(Scorer { names, .. }) => names.clone(),
            _ => Vec::new(),
        };
        names.iter().for_each(|name| {
            out.remove(name);
        });
    }
    out
}
