//! [`TreeSum`]: sums over blocks along a binary tree over their numbers.

use crate::foundation::Real;

/// What can be added up.
pub(crate) trait Part {
    /// Both together; the rows of `later` come after those of this one.
    fn plus(self, later: Self) -> Self;
}

/// Vectors of equal length.
impl<T: Real> Part for Vec<T> {
    fn plus(mut self, later: Self) -> Self {
        self.iter_mut().zip(&later).for_each(|(sum, x)| *sum += *x);
        self
    }
}

/// Nothing adds nothing.
impl<P: Part> Part for Option<P> {
    fn plus(self, later: Self) -> Self {
        match (self, later) {
            (Some(one), Some(other)) => Some(one.plus(other)),
            (one, other) => one.or(other),
        }
    }
}

/// A sum of parts, added along a binary tree over their numbers: 0 and 1, 2 and 3, then these two, and so on.
/// Workers that take aligned runs of blocks get the same bits. As many partial sums are kept as the tree is
/// high.
pub(crate) struct TreeSum<P> {
    /// Partial sums of 2^level parts each, the levels falling.
    parts: Vec<(u32, P)>,
}

impl<P> Default for TreeSum<P> {
    fn default() -> Self {
        TreeSum { parts: Vec::new() }
    }
}

impl<P: Part> TreeSum<P> {
    /// Adds the next part.
    pub(crate) fn add(&mut self, part: P) {
        let (mut level, mut sum) = (0, part);
        while let Some((_, before)) = self.parts.pop_if(|(other, _)| *other == level) {
            sum = before.plus(sum);
            level += 1;
        }
        self.parts.push((level, sum));
    }

    /// The sum, if anything was added. What is left over is added from the end, as if the tree went on with
    /// nothing.
    pub(crate) fn finish(self) -> Option<P> {
        self.parts.into_iter().rev().map(|(_, part)| part).reduce(|sum, before| before.plus(sum))
    }
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
            let found = sum.finish().map_or(0.0, |sum| sum[0]);
            assert_eq!(found.to_bits(), recursive(&parts[..count]).to_bits(), "{count} blocks");
        }
    }
}
