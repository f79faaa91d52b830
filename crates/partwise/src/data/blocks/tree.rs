//! [`TreeSum`]: sums over blocks along a binary tree over their numbers.

use crate::foundation::Real;

/// A sum of vectors, added along a binary tree over their numbers: 0 and 1, 2 and 3, then these two, and so
/// on. Workers that take aligned runs of blocks get the same bits. As many partial sums are kept as the tree
/// is high.
pub(crate) struct TreeSum<T> {
    /// Partial sums of 2^level vectors each, the levels falling.
    parts: Vec<(u32, Vec<T>)>,
}

impl<T> Default for TreeSum<T> {
    fn default() -> Self {
        TreeSum { parts: Vec::new() }
    }
}

impl<T: Real> TreeSum<T> {
    /// Adds the next vector.
    pub(crate) fn add(&mut self, part: Vec<T>) {
        let (mut level, mut sum) = (0, part);
        while let Some((_, before)) = self.parts.pop_if(|(other, _)| *other == level) {
            sum = added(before, &sum);
            level += 1;
        }
        self.parts.push((level, sum));
    }

    /// The sum; empty when nothing was added. What is left over is added from the end, as if the tree went on
    /// with nothing.
    pub(crate) fn finish(self) -> Vec<T> {
        let mut parts = self.parts.into_iter().rev().map(|(_, part)| part);
        let last = parts.next().unwrap_or_default();
        parts.fold(last, |sum, before| added(before, &sum))
    }
}

fn added<T: Real>(mut sum: Vec<T>, other: &[T]) -> Vec<T> {
    sum.iter_mut().zip(other).for_each(|(sum, x)| *sum += *x);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same tree, from above.
    fn recursive(parts: &[f32]) -> f32 {
        match parts {
            [] => 0.0,
            [only] => *only,
            _ => {
                let half = parts.len().next_power_of_two() / 2;
                recursive(&parts[..half]) + recursive(&parts[half..])
            }
        }
    }

    #[test]
    fn sums_are_those_of_the_binary_tree_over_the_numbers_of_the_blocks() {
        let parts: Vec<f32> = (0..37).map(|i| 1.0 / (1.0 + i as f32 * 0.7)).collect();
        for count in 0..parts.len() {
            let mut sum = TreeSum::default();
            parts[..count].iter().for_each(|x| sum.add(vec![*x]));
            let found = sum.finish().first().copied().unwrap_or(0.0);
            assert_eq!(found.to_bits(), recursive(&parts[..count]).to_bits(), "{count} blocks");
        }
    }
}
