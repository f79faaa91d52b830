//! Purity of a clustering.
//!
//! ```text
//! purity = (1/n) · Σ_clusters max_class |cluster ∩ class|
//! ```
//!
//! Reference: Y. Zhao, G. Karypis, "Empirical and theoretical comparisons of selected criterion functions for
//! document clustering", Machine Learning 55, 2004, doi 10.1023/B:MACH.0000027785.44527.d6. It never falls
//! when a cluster is split, so it compares clusterings with the same number of clusters only.

use super::contingency::Contingency;
use crate::foundation::Result;

/// The fraction of the samples that belong to the most frequent class of their cluster, in (0, 1], for
/// `classes` (n) and `clusters` (n).
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) when the lengths differ, [`Error::Labels`](crate::Error::Labels)
/// when there are no samples or a label is negative.
pub fn purity(classes: &[i32], clusters: &[i32]) -> Result<f64> {
    let table = Contingency::of(classes, clusters)?;
    let mut commonest = vec![0; table.clusters.len()];
    for &(_, cluster, count) in &table.cells {
        commonest[cluster] = count.max(commonest[cluster]);
    }
    Ok(commonest.iter().sum::<u64>() as f64 / table.n_samples as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cluster_counts_its_commonest_class() {
        assert_eq!(purity(&[0, 0, 1, 1, 2], &[3, 3, 3, 4, 4]).unwrap(), 0.6);
        assert_eq!(purity(&[0, 0, 0], &[0, 1, 2]).unwrap(), 1.0);
    }
}
