//! What each action does to a guidance and to the factors that were fitted by it.

use super::Start;
use super::action::Action;
use super::edits::{forget, forget_references, moved, rename};
use super::parts::Parts;
use crate::data::DataMatrix;
use crate::foundation::{Error, Matrix, Real, Result, nearest};
use crate::guidance::{Advice, Feature, Guidance, Seed, Strength, Topic};

/// The place of a topic among those of the guidance, and its components.
fn place(guidance: &Guidance, name: &str) -> Result<(usize, std::ops::Range<usize>)> {
    let mut begin = 0;
    let topics = guidance.topics();
    for (at, topic) in topics.iter().enumerate() {
        let range = begin..begin + topic.components;
        if topic.name == name {
            return Ok((at, range));
        }
        begin = range.end;
    }
    Err(Error::UnknownName {
        kind: "topic".into(),
        name: name.into(),
        valid: topics.iter().map(|topic| topic.name.clone()).collect(),
    })
}

/// What an action makes of a guidance and of factors.
pub(super) struct Changed {
    pub(super) guidance: Guidance,
    pub(super) start: Start,
    /// The topics that the action changes: they are fitted freely.
    pub(super) free: Vec<String>,
}

/// The guidance after the action, and the factors to start from.
// Long because it has one arm for each action.
pub(super) fn changed<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: &Guidance,
    mut factors: Parts,
    action: &Action,
) -> Result<Changed> {
    let place = |name: &str| place(guidance, name);
    let check_new = |name: &str| check_new(guidance, name);
    let check_feature = |feature: &Feature| check_feature(guidance, feature, data.n_features());
    let mut guidance = guidance.clone();
    let mut free = Vec::new();
    match action {
        Action::Rename { topic, to } => {
            let (at, _) = place(topic)?;
            check_new(to)?;
            rename(&mut guidance, topic, to);
            guidance.topics_mut()[at].name.clone_from(to);
        }
        Action::Merge { keep, with } => {
            let ((to, kept), (from, gone)) = (place(keep)?, place(with)?);
            if to == from {
                return Err(Error::Guidance(format!("topic \"{keep}\" cannot be merged with itself")));
            }
            factors.merge(kept.start, gone.clone());
            let mut merged = guidance.topics()[from].clone();
            let topic = &mut guidance.topics_mut()[to];
            topic.seeds.append(&mut merged.seeds);
            topic.forbidden.retain(|f| !topic.seeds.iter().any(|seed| seed.feature == *f));
            guidance.topics_mut().remove(from);
            forget_references(&mut guidance, &[keep, with]);
            rename(&mut guidance, with, keep);
        }
        Action::Split { topic, new, seeds } => {
            let (at, range) = place(topic)?;
            check_new(new)?;
            for seed in seeds {
                check_feature(seed)?;
            }
            free = vec![topic.clone(), new.clone()];
            factors.split(data, range.clone(), seeds, &guidance)?;
            guidance.topics_mut().insert(at + 1, Topic::new(new.clone()).with_seeds(seeds.iter().cloned()));
            guidance.topics_mut()[at].seeds.retain(|seed| !seeds.contains(&seed.feature));
        }
        Action::Delete { topic } => {
            let (at, range) = place(topic)?;
            if guidance.topics().len() == 1 {
                return Err(Error::Guidance(format!(
                    "topic \"{topic}\" is the only one, so it cannot be deleted"
                )));
            }
            factors.remove(range);
            guidance.topics_mut().remove(at);
            forget(&mut guidance, topic);
        }
        Action::Move { sample, to } => {
            let (_, range) = place(to)?;
            let n = data.n_samples();
            if *sample >= n {
                return Err(Error::out_of_range(
                    "the sample to move",
                    sample,
                    format!("below {n}, the number of samples"),
                ));
            }
            factors.place(*sample, range);
            guidance = moved(guidance, *sample, to, n);
        }
        Action::Raise { topic, feature, by } => {
            if !(*by > 0.0 && by.is_finite()) {
                return Err(Error::out_of_range(
                    "what a seed's weight is multiplied by",
                    by,
                    "a finite number above 0",
                ));
            }
            let (at, _) = place(topic)?;
            check_feature(feature)?;
            free = vec![topic.clone()];
            let topic = &mut guidance.topics_mut()[at];
            topic.forbidden.retain(|f| f != feature);
            match topic.seeds.iter_mut().find(|seed| seed.feature == *feature) {
                Some(seed) => seed.weight *= by,
                None => topic.seeds.push(Seed { feature: feature.clone(), weight: *by }),
            }
        }
        Action::Forbid { topic, feature } => {
            let (at, range) = place(topic)?;
            let column = check_feature(feature)?;
            free = vec![topic.clone()];
            factors.forbid(range, column);
            let topic = &mut guidance.topics_mut()[at];
            topic.seeds.retain(|seed| seed.feature != *feature);
            if !topic.forbidden.contains(feature) {
                topic.forbidden.push(feature.clone());
            }
        }
        Action::Pin { topic } => {
            let (_, range) = place(topic)?;
            forget_references(&mut guidance, &[topic]);
            let profiles = Matrix::from_fn(range.len(), data.n_features(), |q, f| {
                factors.components[range.start + q][f]
            });
            let names = vec![topic.clone(); range.len()];
            guidance = guidance.with(Advice::References { names, profiles, strength: Strength::HELD });
        }
    }
    Ok(Changed { guidance, start: factors.finish(), free })
}

fn check_new(guidance: &Guidance, name: &str) -> Result<()> {
    match place(guidance, name) {
        Ok(_) => Err(Error::Guidance(format!("there is already a topic \"{name}\""))),
        Err(_) => Ok(()),
    }
}

/// The column of a feature that an action names.
fn check_feature(guidance: &Guidance, feature: &Feature, features: usize) -> Result<usize> {
    match feature {
        Feature::Index(at) if *at < features => Ok(*at),
        Feature::Index(at) => {
            Err(Error::out_of_range("a feature", at, format!("below {features}, the number of features")))
        }
        Feature::Name(name) => {
            let names = guidance.feature_names().ok_or_else(|| Error::MissingGuidance {
                model: format!("the feature \"{name}\""),
                needs: "the names of the features, or the number of its column (from 0)".into(),
            })?;
            names.iter().position(|known| known == name).ok_or_else(|| {
                let near = nearest(name, names.iter().map(String::as_str));
                let near = near.map_or(String::new(), |near| format!("; nearest: \"{near}\""));
                Error::Guidance(format!("\"{name}\" is not a feature of the data{near}"))
            })
        }
    }
}
