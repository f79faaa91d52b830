//! Cases without effect: weights that are all 0, items that have no effect, factors that end at 0.

use super::Problem;
use crate::data::DataMatrix;
use crate::engine::{Factors, Slot};
use crate::foundation::{Error, Notice, Real, Result};
use crate::guidance::{Advice, Plan};
use crate::methods::Model;

/// Refuses weights and marks that leave nothing to fit. (Those of features are looked at with their scale.)
pub(super) fn check_something_counts<T: Real>(data: &dyn DataMatrix<T>, model: &Model) -> Result<()> {
    let zeros = |values: &[f64]| !values.is_empty() && values.iter().all(|v| *v == 0.0);
    let empty = |what: &str, valid: &str| Err(Error::out_of_range(what, "0", format!("above 0: {valid}")));
    for item in model.guidance.advice() {
        match item {
            Advice::SampleWeights(weights) if zeros(weights) => {
                return empty("the largest sample weight", "at least one sample must have a weight above 0");
            }
            // Another shape is an error of its own, reported later.
            Advice::EntryWeights(weights)
                if weights.shape() == (data.n_samples(), data.n_features()) && zeros(weights.as_slice()) =>
            {
                return empty(
                    "the largest weight of an entry",
                    "at least one entry must have a weight above 0",
                );
            }
            Advice::KnownEntries(known) if zeros(known.as_slice()) => {
                return empty("the number of known entries", "at least one entry must be known");
            }
            Advice::KnownFeatures(known) if known.features().is_empty() => {
                return empty("the number of known features", "at least one entry must be known");
            }
            _ => {}
        }
    }
    Ok(())
}

/// Reports items that have no effect.
pub(super) fn empty_items(model: &Model) -> Vec<Notice> {
    let zeros = |values: &[f64]| values.iter().all(|v| *v == 0.0);
    let mut notices = Vec::new();
    let mut add = |what: &str, why: &str| {
        notices.push(Notice { code: "empty-item", message: format!("the {what} have no effect: {why}") });
    };
    for item in model.guidance.advice() {
        let why = match item {
            // Of a published method: `check_labels` says it.
            Advice::Labels { .. } if model.composed().is_none() => continue,
            Advice::Labels { labels, .. } if labels.n_labelled() == 0 => "no sample is labelled",
            Advice::Targets { targets, .. } if zeros(targets.known.as_slice()) => "all are unknown",
            Advice::CodeReference(reference) if zeros(&reference.weight) => "all its weights are 0",
            Advice::ComponentReference(reference) if zeros(&reference.weight) => "all its weights are 0",
            Advice::Sets { sets, .. } if sets.iter().all(Option::is_none) => "no sample has a set",
            Advice::Memberships { shares, .. } if shares.as_slice().iter().all(|s| s.is_nan()) => {
                "all memberships are unknown"
            }
            Advice::Spread(spread) if spread.posteriors.as_slice().iter().all(|p| p.is_nan()) => {
                "nothing is derived"
            }
            Advice::References { names, .. } if names.is_empty() => "there is no profile",
            Advice::Links { must, cannot, .. } if must.is_empty() && cannot.is_empty() => "there is no pair",
            Advice::Graph { graph, .. } if graph.n_entries() == 0 => "the graph has no edge",
            _ => continue,
        };
        add(item.kind(), why);
    }
    notices
}

/// Reports seeds and forbidden features that no sample has. `zero_columns` ascends.
pub(super) fn absent_features(model: &Model, plan: Option<&Plan>, zero_columns: &[usize]) -> Vec<Notice> {
    let (Some(plan), Some(guidance)) = (plan, model.composed()) else { return Vec::new() };
    let mut notices = Vec::new();
    let name = |feature: usize| {
        guidance
            .feature_names()
            .and_then(|names| names.get(feature))
            .map_or(feature.to_string(), |name| format!("\"{name}\""))
    };
    let seeds = plan.seeds.iter().map(|seeds| seeds.iter().map(|(feature, _)| *feature).collect::<Vec<_>>());
    for (role, by_topic) in
        [("seeds", seeds.collect::<Vec<_>>()), ("forbidden features", plan.forbidden.clone())]
    {
        for ((topic, _), features) in plan.topics.iter().zip(by_topic) {
            let absent: Vec<String> =
                features.into_iter().filter(|f| zero_columns.binary_search(f).is_ok()).map(name).collect();
            if !absent.is_empty() {
                notices.push(Notice {
                    code: "absent-features",
                    message: format!(
                        "{role} of topic \"{topic}\" that no sample has, so they have no effect: {}",
                        absent.join(", ")
                    ),
                });
            }
        }
    }
    notices
}

/// Reports components, or whole factors, that ended at 0 though the data are not.
pub(crate) fn zero_factors<T: Real>(problem: &Problem<'_, T>, factors: &Factors<T>) -> Option<Notice> {
    if problem.data().summary().sum <= 0.0 {
        return None;
    }
    let k = factors.rank();
    let mut alive = [vec![false; k], vec![false; k]];
    for (alive, slot) in alive.iter_mut().zip(Slot::MAIN) {
        let factor = factors.get(slot);
        for i in 0..factor.rows() {
            if alive.iter().all(|alive| *alive) {
                break;
            }
            alive.iter_mut().zip(factor.row(i)).for_each(|(alive, v)| *alive |= *v > T::ZERO);
        }
    }
    let zero: Vec<usize> = (0..k).filter(|j| !(alive[0][*j] && alive[1][*j])).collect();
    if zero.is_empty() {
        return None;
    }
    let penalties: Vec<String> =
        problem.contributions.iter().filter(|c| c.penalty().is_some()).map(|c| c.name()).collect();
    let cause = match penalties.is_empty() {
        true => String::new(),
        false => format!("; lower the penalties ({})", penalties.join(", ")),
    };
    let message = if zero.len() == k {
        format!("every component is 0, so W*H is 0: the penalties and the guidance outweigh the data{cause}")
    } else {
        let list: Vec<String> = zero.iter().take(10).map(|j| (j + 1).to_string()).collect();
        let more = if zero.len() > 10 { format!(" and {} more", zero.len() - 10) } else { String::new() };
        format!(
            "{} of {k} components are 0 (number {}{more}); the data need fewer components{cause}",
            zero.len(),
            list.join(", ")
        )
    };
    Some(Notice { code: if zero.len() == k { "all-components-zero" } else { "zero-components" }, message })
}
