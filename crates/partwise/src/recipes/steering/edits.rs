//! What the actions do to guidance.

use std::collections::{BTreeMap, BTreeSet};

use crate::foundation::Matrix;
use crate::guidance::{Advice, Guidance, Scorer, Spread, Strength};

/// Every mention of a topic under another name; two columns or entries that come to mean the same are put
/// together.
pub(super) fn rename(guidance: &mut Guidance, from: &str, to: &str) {
    for item in guidance.advice_mut() {
        match item {
            Advice::Labels { labels, .. } => *labels = labels.renamed(from, to),
            Advice::References { names, .. } | Advice::Scorer(Scorer { names, .. }) => {
                names.iter_mut().filter(|n| *n == from).for_each(|n| *n = to.into());
            }
            Advice::Sets { names, sets, .. } => {
                let old = names.iter().position(|n| n == from);
                let known = names.iter().position(|n| n == to);
                match (old, known) {
                    (Some(old), Some(known)) => sets.iter_mut().flatten().for_each(|set| {
                        set.iter_mut().filter(|t| **t as usize == old).for_each(|t| *t = known as u32);
                        set.sort_unstable();
                        set.dedup();
                    }),
                    (Some(old), None) => names[old] = to.into(),
                    _ => {}
                }
                drop_unused(names, sets);
            }
            Advice::Spread(Spread { names, posteriors: shares, .. })
            | Advice::Memberships { names, shares, .. } => {
                let old = names.iter().position(|n| n == from);
                let known = names.iter().position(|n| n == to);
                match (old, known) {
                    (Some(old), Some(known)) => {
                        let sum = |i: usize| shares.get(i, known) + shares.get(i, old);
                        let kept: Vec<usize> = (0..names.len()).filter(|c| *c != old).collect();
                        *shares = Matrix::from_fn(shares.rows(), kept.len(), |i, c| {
                            if kept[c] == known { sum(i) } else { shares.get(i, kept[c]) }
                        });
                        names.remove(old);
                    }
                    (Some(old), None) => names[old] = to.into(),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// Topics that no set has are no longer named.
fn drop_unused(names: &mut Vec<String>, sets: &mut [Option<Vec<u32>>]) {
    let used: BTreeSet<u32> = sets.iter().flatten().flatten().copied().collect();
    let place: BTreeMap<u32, u32> = used.iter().enumerate().map(|(new, old)| (*old, new as u32)).collect();
    *names = used.iter().map(|old| names[*old as usize].clone()).collect();
    sets.iter_mut().flatten().for_each(|set| set.iter_mut().for_each(|t| *t = place[t]));
}

/// Removes the guidance on a topic.
pub(super) fn forget(guidance: &mut Guidance, topic: &str) {
    forget_references(guidance, &[topic]);
    for item in guidance.advice_mut() {
        match item {
            Advice::Labels { labels, .. } => *labels = labels.without(topic),
            Advice::Sets { names, sets, .. } => {
                if let Some(old) = names.iter().position(|n| n == topic) {
                    for set in sets.iter_mut() {
                        if let Some(topics) = set {
                            topics.retain(|t| *t as usize != old);
                            if topics.is_empty() {
                                *set = None;
                            }
                        }
                    }
                }
                drop_unused(names, sets);
            }
            Advice::Spread(Spread { names, posteriors: shares, .. })
            | Advice::Memberships { names, shares, .. } => {
                let kept: Vec<usize> = (0..names.len()).filter(|c| names[*c] != topic).collect();
                *shares = Matrix::from_fn(shares.rows(), kept.len(), |i, c| shares.get(i, kept[c]));
                names.retain(|n| n != topic);
            }
            Advice::Scorer(scorer) => scorer.forget(topic),
            _ => {}
        }
    }
}

/// Leaves out the references of topics.
pub(super) fn forget_references(guidance: &mut Guidance, topics: &[&str]) {
    for item in guidance.advice_mut() {
        if let Advice::References { names, profiles, .. } = item {
            let kept: Vec<usize> =
                (0..names.len()).filter(|r| !topics.contains(&names[*r].as_str())).collect();
            *profiles = Matrix::from_fn(kept.len(), profiles.columns(), |r, f| profiles.get(kept[r], f));
            *names = kept.iter().map(|r| names[*r].clone()).collect();
        }
    }
    guidance
        .advice_mut()
        .retain(|item| !matches!(item, Advice::References { names, .. } if names.is_empty()));
}

/// A sample belongs to one topic, exactly; earlier guidance on it is removed.
pub(super) fn moved(mut guidance: Guidance, sample: usize, to: &str, n: usize) -> Guidance {
    for item in guidance.advice_mut() {
        match item {
            Advice::Labels { labels, .. } => *labels = labels.without_sample(sample),
            Advice::Sets { sets, names, .. } => {
                sets[sample] = None;
                drop_unused(names, sets);
            }
            Advice::Spread(Spread { posteriors: shares, .. }) | Advice::Memberships { shares, .. } => {
                shares.row_mut(sample).iter_mut().for_each(|s| *s = f64::NAN);
            }
            _ => {}
        }
    }
    let mut sets = vec![None; n];
    sets[sample] = Some(vec![0]);
    guidance.with(Advice::Sets { names: vec![to.into()], sets, strength: Strength::HELD })
}
