//! A canonical order of items of one kind, by what they say and not by when they were given.

use std::cmp::Ordering;

use super::{Advice, Strength};

impl Advice {
    /// The order of two items of one kind: by the classes of labels, the names, the numbers, the strength.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let by_classes = match (self, other) {
            (Advice::Labels { labels: one, .. }, Advice::Labels { labels: two, .. }) => {
                let class =
                    |labels: &crate::Labels| (0..labels.n_samples()).map(|i| labels.class(i)).collect();
                let (one, two): (Vec<_>, Vec<_>) = (class(one), class(two));
                one.cmp(&two)
            }
            _ => Ordering::Equal,
        };
        let strength = |item: &Advice| match item.strength() {
            None | Some(Strength::Auto) => (0, 0),
            Some(Strength::Raw(weight)) => (1, key(weight)),
            Some(Strength::Relative(strength)) => (2, key(strength)),
        };
        by_classes
            .then_with(|| self.names().cmp(other.names()))
            .then_with(|| self.numbers().cmp(&other.numbers()))
            .then_with(|| strength(self).cmp(&strength(other)))
    }

    /// Every number that it holds, but for the classes of labels and the strength.
    fn numbers(&self) -> Vec<i64> {
        let mut numbers: Vec<i64> = match self {
            Advice::Labels { rule, .. } => vec![*rule as i64],
            Advice::Sets { sets, .. } => {
                let set = |set: &Option<Vec<u32>>| match set {
                    None => vec![-1],
                    Some(set) => {
                        std::iter::once(set.len() as i64).chain(set.iter().map(|at| i64::from(*at))).collect()
                    }
                };
                sets.iter().flat_map(set).collect()
            }
            Advice::Links { must, cannot, .. } => {
                let pairs = |pairs: &[(usize, usize)]| -> Vec<i64> {
                    pairs.iter().flat_map(|(a, b)| [*a as i64, *b as i64]).collect()
                };
                [pairs(must), vec![-1], pairs(cannot)].concat()
            }
            Advice::KnownFeatures(lists) => lists.offsets().iter().map(|at| *at as i64).collect(),
            Advice::CodeReference(reference) => reference.weight.iter().copied().map(key).collect(),
            Advice::ComponentReference(reference) => reference.weight.iter().copied().map(key).collect(),
            Advice::Spread(spread) => spread.weights.iter().copied().map(key).collect(),
            _ => Vec::new(),
        };
        let table = self.clone().without_table().1;
        numbers.extend(table.iter().flat_map(|table| table.as_slice()).copied().map(key));
        numbers
    }
}

/// Integers in the order of the numbers; NaN after all others.
fn key(number: f64) -> i64 {
    let bits = number.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Labels;
    use crate::foundation::Matrix;
    use crate::guidance::Guidance;

    #[test]
    fn the_order_of_items_does_not_depend_on_the_order_in_which_they_are_given() {
        let references = |name: &str, value: f64, strength: f64| Advice::References {
            names: vec![name.into()],
            profiles: Matrix::from_fn(1, 2, |_, j| value + j as f64),
            strength: Strength::Relative(strength),
        };
        let links = |must: &[(usize, usize)]| Advice::Links {
            must: must.to_vec(),
            cannot: Vec::new(),
            strength: Strength::FIRM,
        };
        // In the order expected.
        let items = [
            Advice::labels(Labels::from_integers(&[-1, 0]).unwrap()),
            Advice::labels(Labels::from_integers(&[0, 1]).unwrap()),
            references("a", 10.0, 0.5),
            references("b", 2.0, 0.5),
            references("b", 2.0, 0.9),
            references("b", 10.0, 0.5),
            links(&[(0, 1)]),
            links(&[(0, 1), (0, 2)]),
            links(&[(0, 2)]),
        ];
        for first in 0..items.len() {
            let turned = items.iter().cycle().skip(first).take(items.len());
            let guidance = turned.cloned().fold(Guidance::default(), Guidance::with);
            assert_eq!(guidance.advice(), items.iter().collect::<Vec<_>>(), "{first}");
        }
    }

    #[test]
    fn keys_are_in_the_order_of_the_numbers() {
        let numbers = [f64::NEG_INFINITY, -2.0, -0.5, 0.0, 1e-300, 2.0, 10.0, f64::INFINITY, f64::NAN];
        assert!(numbers.map(key).is_sorted());
    }
}
