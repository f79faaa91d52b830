//! [`TreeSum`]: sums over blocks along a binary tree over their numbers.

use crate::foundation::Real;

/// What can be added up.
pub(crate) trait Part {
    /// Adds `later`, whose rows come after those of this one. What is left of it has no meaning.
    fn add(&mut self, later: &mut Self);
}

/// Vectors of equal length.
impl<T: Real> Part for Vec<T> {
    fn add(&mut self, later: &mut Self) {
        self.iter_mut().zip(later).for_each(|(sum, x)| *sum += *x);
    }
}

/// Nothing adds nothing.
impl<P: Part> Part for Option<P> {
    fn add(&mut self, later: &mut Self) {
        match (self, later) {
            (Some(one), Some(other)) => one.add(other),
            (one @ None, other) => *one = other.take(),
            (Some(_), None) => {}
        }
    }
}

/// A sum of parts, added along a binary tree over their numbers: 0 and 1, 2 and 3, then these two, and so on.
/// Workers that take aligned runs of blocks get the same bits. As many partial sums are kept as the tree is
/// high.
pub(crate) struct TreeSum<P> {
    /// Partial sums of 2^level parts each, the levels falling.
    parts: Vec<(u32, P)>,
    /// The memory of parts that were added, where it is to be used again.
    spare: Option<Vec<P>>,
}

impl<P> Default for TreeSum<P> {
    fn default() -> Self {
        TreeSum { parts: Vec::new(), spare: None }
    }
}

impl<P: Part> TreeSum<P> {
    /// Adds the next part.
    pub(crate) fn add(&mut self, part: P) {
        let (mut level, mut sum) = (0, part);
        while let Some((_, before)) = self.parts.pop_if(|(other, _)| *other == level) {
            sum = self.plus(before, sum);
            level += 1;
        }
        self.parts.push((level, sum));
    }

    /// The sum, if anything was added. What is left over is added from the end, as if the tree went on with
    /// nothing.
    pub(crate) fn finish(mut self) -> Option<P> {
        self.finish_parts()
    }

    fn finish_parts(&mut self) -> Option<P> {
        let (_, mut sum) = self.parts.pop()?;
        while let Some((_, before)) = self.parts.pop() {
            sum = self.plus(before, sum);
        }
        Some(sum)
    }

    fn plus(&mut self, mut before: P, mut later: P) -> P {
        before.add(&mut later);
        if let Some(spare) = &mut self.spare {
            spare.push(later);
        }
        before
    }
}

impl<T: Real> TreeSum<Vec<T>> {
    /// A sum of large vectors that works in the memory of earlier ones: fresh memory of this size comes from
    /// the system page by page, which costs more than the sum.
    pub(crate) fn in_memory_of(spare: Vec<Vec<T>>) -> Self {
        TreeSum { parts: Vec::new(), spare: Some(spare) }
    }

    /// A vector for the next part. Its values have no meaning.
    pub(crate) fn vector(&mut self, length: usize) -> Vec<T> {
        let spare = self.spare.as_mut().and_then(Vec::pop).filter(|vector| vector.len() == length);
        spare.unwrap_or_else(|| vec![T::ZERO; length])
    }

    /// The sum as one part, and the memory for the next sum.
    pub(crate) fn separate(mut self) -> (Self, Vec<Vec<T>>) {
        let sum = self.finish_parts();
        let spare = self.spare.take().unwrap_or_default();
        (TreeSum { parts: sum.map(|sum| (0, sum)).into_iter().collect(), spare: None }, spare)
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
