//! The adjusted Rand index.
//!
//! ```text
//! Of all pairs of samples: p together in both, q together in the classes only, r in the clusters only,
//!     s in neither.
//! ARI = 2·(p·s − q·r) / ((p + q)·(q + s) + (p + r)·(r + s))
//! ```
//!
//! Reference: L. Hubert, P. Arabie, "Comparing partitions", Journal of Classification 2, 1985,
//! doi 10.1007/BF01908075; the form above is theirs written in pair counts.

use super::contingency::Contingency;
use crate::foundation::Result;

/// Adjusted Rand index of `classes` (n) and `clusters` (n): 1 for equal partitions, about 0 for independent
/// ones, at least −1. It is 1 when its denominator is 0 (both have one group, or both have only single
/// samples).
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) when the lengths differ, [`Error::Labels`](crate::Error::Labels)
/// when there are no samples or a label is negative.
pub fn adjusted_rand_index(classes: &[i32], clusters: &[i32]) -> Result<f64> {
    let table = Contingency::of(classes, clusters)?;
    let all = pairs(table.n_samples as u64);
    let both: u128 = table.cells.iter().map(|cell| pairs(cell.2)).sum();
    let in_classes: u128 = table.class_sizes.iter().map(|&size| pairs(size)).sum();
    let in_clusters: u128 = table.cluster_sizes.iter().map(|&size| pairs(size)).sum();
    let classes_only = (in_classes - both) as f64;
    let clusters_only = (in_clusters - both) as f64;
    let neither = (all + both - in_classes - in_clusters) as f64;
    let both = both as f64;
    let denominator =
        (both + classes_only) * (classes_only + neither) + (both + clusters_only) * (clusters_only + neither);
    if denominator == 0.0 {
        return Ok(1.0);
    }
    Ok(2.0 * (both * neither - classes_only * clusters_only) / denominator)
}

/// The number of pairs among `count` samples.
fn pairs(count: u64) -> u128 {
    let count = u128::from(count);
    count * count.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_pair_counts() {
        // Of 15 pairs: 2 together in both, 4 in the classes only, 1 in the clusters only, 8 in neither.
        let value = adjusted_rand_index(&[0, 0, 0, 1, 1, 1], &[0, 0, 1, 1, 2, 2]).unwrap();
        assert!((value - 2.0 * (2.0 * 8.0 - 4.0) / (6.0 * 12.0 + 3.0 * 9.0)).abs() < 1e-15);
    }

    #[test]
    fn degenerate_partitions_give_numbers() {
        assert_eq!(adjusted_rand_index(&[0], &[4]).unwrap(), 1.0);
        assert_eq!(adjusted_rand_index(&[0, 0, 0], &[1, 1, 1]).unwrap(), 1.0);
        assert_eq!(adjusted_rand_index(&[0, 1, 2], &[2, 1, 0]).unwrap(), 1.0);
        assert_eq!(adjusted_rand_index(&[0, 0, 0], &[0, 1, 2]).unwrap(), 0.0);
    }
}
