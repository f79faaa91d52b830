//! Guidance on components by their features: references, forbidden features, and which features seeds keep to
//! themselves.

use std::collections::BTreeMap;

use super::Compiler;
use crate::engine::Slot;
use crate::foundation::checks::{check_non_negative, check_shape};
use crate::foundation::{Error, Matrix, Notice, Result};
use crate::guidance::Strength;
use crate::guidance::rules::RowRules;
use crate::terms::{ComponentAnchor, ComponentDirection};

impl Compiler<'_> {
    pub(super) fn add_references(
        &mut self,
        names: &[String],
        profiles: &Matrix<f64>,
        strength: Strength,
    ) -> Result<()> {
        let d = profiles.columns();
        let expected = (names.len(), self.shape.features);
        check_shape(
            "the references (one row for each name, one column a feature)",
            expected,
            profiles.shape(),
        )?;
        check_non_negative("the references", profiles)?;
        let (mut drawn, mut anchored) = (Vec::new(), Vec::new());
        for (row, name) in names.iter().enumerate() {
            let range = self.components(name);
            let taken = self.taken.entry(range.start).or_default();
            let Some(j) = range.clone().nth(*taken) else {
                return Err(Error::Guidance(format!(
                    "topic \"{name}\" has more references than components ({}); give it more components, or \
                    leave references out",
                    range.len()
                )));
            };
            *taken += 1;
            let profile = self.permitted(name, profiles.row(row).to_vec(), strength)?;
            if profile.iter().all(|v| *v == 0.0) {
                self.notices.push(Notice {
                    code: "empty-reference",
                    message: format!("the reference of \"{name}\" is all zero; it is left out"),
                });
                continue;
            }
            self.evidence[j].profile = Some(profile.clone());
            match strength {
                Strength::Relative(s) if s >= 1.0 => self.fixed.push((j, profile)),
                Strength::Relative(s) if s > 0.0 => drawn.push((j, profile)),
                Strength::Relative(_) | Strength::Auto => {}
                Strength::Raw(_) => anchored.push((j, profile)),
            }
        }
        if !drawn.is_empty() {
            let components = drawn.iter().map(|(j, _)| *j).collect();
            let weights = vec![strength.weight(); drawn.len()];
            let mass = self.shape.sum / self.shape.rank as f64;
            let columns = Matrix::from_fn(d, drawn.len(), |f, c| drawn[c].1[f]);
            let term = ComponentDirection::new(components, columns, weights, mass);
            self.contributions.push(Box::new(term));
        }
        if !anchored.is_empty() {
            let (mut reference, mut weight) = (Matrix::zeros(d, self.shape.rank), vec![0.0; self.shape.rank]);
            for (j, profile) in &anchored {
                weight[*j] = strength.weight();
                (0..d).for_each(|f| reference.set(f, *j, profile[f]));
            }
            let anchor = ComponentAnchor::new(Slot::Components, reference, weight);
            self.contributions.push(Box::new(anchor));
        }
        Ok(())
    }

    /// A profile without what is forbidden in its topic.
    fn permitted(&mut self, name: &str, mut profile: Vec<f64>, strength: Strength) -> Result<Vec<f64>> {
        let Some(at) = self.guidance.topics().iter().position(|topic| topic.name == name) else {
            return Ok(profile);
        };
        let against: Vec<usize> = self.forbidden[at].iter().copied().filter(|f| profile[*f] > 0.0).collect();
        let Some(first) = against.first() else { return Ok(profile) };
        if strength.is_held() {
            return Err(Error::Guidance(format!(
                "the reference of topic \"{name}\", held exactly, has feature {first}, which is forbidden in it"
            )));
        }
        self.notices.push(Notice {
            code: "forbidden-in-reference",
            message: format!(
                "features of the reference of topic \"{name}\" that are forbidden in it are left out: {}, the first {first}",
                against.len()
            ),
        });
        against.iter().for_each(|f| profile[*f] = 0.0);
        Ok(profile)
    }

    /// The features that are forbidden in each topic.
    pub(super) fn forbidden(&self, seeds: &[Vec<(usize, f64)>]) -> Result<Vec<Vec<usize>>> {
        let mut all = Vec::new();
        for (at, topic) in self.guidance.topics().iter().enumerate() {
            let mut found = Vec::new();
            for feature in &topic.forbidden {
                let Some(feature) = self.resolve(feature, &topic.name, "forbidden feature")? else {
                    continue;
                };
                if seeds[at].iter().any(|(seed, _)| *seed == feature) {
                    return Err(Error::Guidance(format!(
                        "feature {feature} is a seed of topic \"{}\" and forbidden in it",
                        topic.name
                    )));
                }
                found.push(feature);
            }
            all.push(found);
        }
        Ok(all)
    }

    pub(super) fn feature_rules(&mut self, seeds: &[Vec<(usize, f64)>]) -> Result<RowRules> {
        let k = self.shape.rank;
        let mut rules = RowRules::new(k);
        let mut seeded: BTreeMap<usize, (Vec<bool>, f64)> = BTreeMap::new();
        let guidance = self.guidance;
        for (at, topic) in guidance.topics().iter().enumerate() {
            for &(feature, weight) in &seeds[at] {
                let entry = seeded.entry(feature).or_insert_with(|| (vec![false; k], 0.0));
                self.topics[at].1.clone().for_each(|j| entry.0[j] = true);
                let cost =
                    if topic.strength.weight() == 0.0 { 0.0 } else { topic.strength.weight() * weight };
                entry.1 = entry.1.max(cost);
            }
        }
        for (feature, (allowed, weight)) in &seeded {
            rules.keep_within(*feature, allowed, *weight);
        }
        for (at, features) in self.forbidden.iter().enumerate() {
            for &feature in features {
                let range = self.topics[at].1.clone();
                let allowed: Vec<bool> = (0..k).map(|j| !range.contains(&j)).collect();
                rules.keep_within(feature, &allowed, f64::INFINITY);
            }
        }
        let fixed: Vec<usize> = self.fixed.iter().map(|(j, _)| *j).collect();
        rules.free_components(&fixed);
        Ok(rules)
    }
}
