//! The seeds of topics: which features they are, the profile of the samples that contain them, and the weight
//! that they keep.

use super::Compiler;
use crate::foundation::{Error, Result};
use crate::guidance::{Feature, Strength};
use crate::terms::{SeedShare, SeedWeights};

impl Compiler<'_> {
    /// The topics' seeds that exist; notices report the others. A feature counts once in a topic, with the
    /// largest of its weights, by whatever name it was given.
    pub(super) fn seeds(&self) -> Result<Vec<Vec<(usize, f64)>>> {
        let mut all = Vec::new();
        for topic in self.guidance.topics() {
            let mut found: Vec<(usize, f64)> = Vec::new();
            for seed in &topic.seeds {
                if !(seed.weight > 0.0 && seed.weight.is_finite()) {
                    let what = format!("the weight of a seed of topic \"{}\"", topic.name);
                    return Err(Error::out_of_range(&what, seed.weight, "a finite number above 0"));
                }
                if let Some(feature) = self.resolve(&seed.feature, &topic.name, "seed")? {
                    match found.iter_mut().find(|(known, _)| *known == feature) {
                        Some((_, weight)) => *weight = weight.max(seed.weight),
                        None => found.push((feature, seed.weight)),
                    }
                }
            }
            all.push(found);
        }
        all.resize(self.topics.len(), Vec::new());
        Ok(all)
    }

    pub(super) fn resolve(&self, feature: &Feature, topic: &str, role: &str) -> Result<Option<usize>> {
        let d = self.shape.features;
        match feature {
            Feature::Index(f) if *f < d => Ok(Some(*f)),
            Feature::Index(f) => Err(Error::out_of_range(
                format!("a {role} of topic \"{topic}\""),
                *f as f64,
                format!("below {d}, the number of features"),
            )),
            Feature::Name(name) => {
                let Some(names) = self.guidance.feature_names() else {
                    return Err(Error::MissingGuidance {
                        model: format!("the {role} \"{name}\" of topic \"{topic}\""),
                        needs:
                            "the names of the features; give them (--feature-names, feature_names), or give \
                            the number of its column (from 0) in place of the name"
                                .into(),
                    });
                };
                if names.len() != d {
                    return Err(Error::shape(
                        "the names of the features",
                        format!("{d}, one a feature"),
                        names.len(),
                    ));
                }
                let mut places = (0..d).filter(|at| names[*at] == *name);
                let found = places.next();
                if let (Some(first), Some(second)) = (found, places.next()) {
                    return Err(Error::Guidance(format!(
                        "the {role} \"{name}\" of topic \"{topic}\" is the name of two features, {first} and \
                        {second} (counted from 0); give its number instead"
                    )));
                }
                Ok(found)
            }
        }
    }

    /// The weight that each topic's seeds keep in it, at half of the σ that keeps them out of other topics.
    /// With strength 1 they are kept out exactly, and keep their weight with strength 0.9: the data must
    /// still decide which samples the topic is in.
    pub(super) fn seed_shares(&mut self, seeds: &[Vec<(usize, f64)>]) {
        let mut parts = Vec::new();
        for (at, topic) in self.guidance.topics().iter().enumerate() {
            let weight = topic.strength.weight().min(Strength::FIRM.weight()) / 4.0;
            for j in self.topics[at].1.clone() {
                let Some(profile) = self.evidence[j].seeded.as_ref().filter(|_| weight > 0.0) else {
                    continue;
                };
                if self.fixed.iter().any(|(fixed, _)| *fixed == j) {
                    continue;
                }
                let is_seed = |f: usize| seeds[at].iter().any(|(seed, _)| *seed == f);
                let others = profile.iter().enumerate().filter(|(f, _)| !is_seed(*f)).map(|(_, r)| *r);
                let mut own: Vec<(usize, f64)> = seeds[at].iter().map(|(f, _)| (*f, profile[*f])).collect();
                own.retain(|(_, r)| *r > 0.0);
                own.sort_unstable_by_key(|(f, _)| *f);
                let other_squares = others.clone().map(|r| r * r).sum();
                let found = |f: &usize| !is_seed(*f) && profile[*f] > 0.0;
                parts.push(SeedWeights {
                    component: j,
                    weight,
                    seeds: own,
                    others: (0..profile.len()).filter(found).collect(),
                    other_squares,
                    other_sum: others.sum(),
                });
            }
        }
        if !parts.is_empty() {
            let mass = self.shape.sum / self.shape.rank as f64;
            self.contributions.push(Box::new(SeedShare::new(parts, mass)));
        }
    }
}
