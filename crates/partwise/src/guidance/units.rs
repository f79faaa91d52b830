//! Guidance for data divided by a number.

use super::{Advice, Guidance, LabelRule, Strength};

impl Guidance {
    /// The guidance on X, for X/c with codes and components each divided by √c: references divided, raw
    /// strengths in the new unit. Relative strengths have none.
    pub(crate) fn divided(&self, c: f64) -> Self {
        let root = c.sqrt();
        let mut divided = self.clone();
        for item in divided.advice_mut() {
            match item {
                Advice::References { profiles, .. } => {
                    profiles.as_mut_slice().iter_mut().for_each(|value| *value /= root);
                }
                Advice::CodeReference(reference) => reference.weight.iter_mut().for_each(|w| *w /= root),
                Advice::ComponentReference(given) => {
                    let values = given.reference.as_mut_slice().iter_mut();
                    values.chain(&mut given.weight).for_each(|value| *value /= root);
                }
                _ => {}
            }
            let Some(Strength::Raw(weight)) = item.strength() else { continue };
            let weight = match item {
                Advice::Labels { rule: LabelRule::View, .. } | Advice::Targets { .. } => weight / c / c,
                Advice::Graph { .. } => weight / c,
                // A weight that enters squared.
                _ => weight / root,
            };
            *item = item.clone().with_strength(Strength::Raw(weight.min(f64::MAX)));
        }
        divided
    }
}
