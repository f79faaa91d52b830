//! Cannot-links in a form that one fit can follow.

use crate::guidance::{Advice, Guidance, Strength};

/// The same guidance, with strength 0.9 for its exact cannot-links.
pub(super) fn without_exact_cannot_links(guidance: &Guidance) -> Guidance {
    let mut soft = guidance.clone();
    let mut parted = Vec::new();
    for item in soft.advice_mut() {
        if let Advice::Links { cannot, strength, .. } = item
            && strength.is_held()
            && !cannot.is_empty()
        {
            let cannot = std::mem::take(cannot);
            parted.push(Advice::Links { must: Vec::new(), cannot, strength: Strength::FIRM });
        }
    }
    parted.into_iter().fold(soft, Guidance::with)
}
