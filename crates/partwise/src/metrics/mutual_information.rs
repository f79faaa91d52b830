//! Normalized mutual information of classes and clusters.
//!
//! ```text
//! MI  = Σ_ij (n_ij/n) · ln(n·n_ij / (a_i·b_j))        n_ij: samples of class i in cluster j;
//!                                                     a, b: the margins
//! NMI = MI / max(H(classes), H(clusters))             or over the mean of the two entropies
//! ```
//!
//! References: by the maximum, H. Liu, Z. Wu, "Non-negative matrix factorization with constraints", AAAI
//! 2010, eq. 23; both forms, N. X. Vinh, J. Epps, J. Bailey, "Information theoretic measures for clusterings
//! comparison", JMLR 11, 2010, pages 2837–2854 (no DOI).

use super::contingency::Contingency;
use crate::foundation::Result;

/// Mutual information of `classes` (n) and `clusters` (n) over the larger of their entropies, in [0, 1];
/// 1 when both entropies are 0 (one class, one cluster).
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) when the lengths differ, [`Error::Labels`](crate::Error::Labels)
/// when there are no samples or a label is negative.
pub fn nmi_max(classes: &[i32], clusters: &[i32]) -> Result<f64> {
    normalized(classes, clusters, f64::max)
}

/// Mutual information of `classes` (n) and `clusters` (n) over the mean of their entropies, in [0, 1];
/// 1 when both entropies are 0.
///
/// # Errors
/// As [`nmi_max`].
pub fn nmi_arithmetic(classes: &[i32], clusters: &[i32]) -> Result<f64> {
    normalized(classes, clusters, |a, b| 0.5 * (a + b))
}

fn normalized(classes: &[i32], clusters: &[i32], scale: fn(f64, f64) -> f64) -> Result<f64> {
    let table = Contingency::of(classes, clusters)?;
    let n = table.n_samples as f64;
    // Equal partitions have 1 exactly, whatever the order in which logarithms are summed.
    if table.cells.len() == table.classes.len() && table.cells.len() == table.clusters.len() {
        return Ok(1.0);
    }
    let information: f64 = table
        .cells
        .iter()
        .map(|&(i, j, count)| {
            let expected = table.class_sizes[i] as f64 * table.cluster_sizes[j] as f64;
            count as f64 / n * (n * count as f64 / expected).ln()
        })
        .sum();
    let scale = scale(entropy(&table.class_sizes, n), entropy(&table.cluster_sizes, n));
    // The scale is above 0: both entropies vanish only for one class and one cluster, which are equal
    // partitions.
    Ok((information / scale).clamp(0.0, 1.0))
}

/// −Σ p·ln p over the shares of `sizes` in `n`.
fn entropy(sizes: &[u64], n: f64) -> f64 {
    -sizes.iter().map(|&size| size as f64 / n * (size as f64 / n).ln()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_even_independent_halves_share_nothing() {
        assert_eq!(nmi_max(&[0, 0, 1, 1], &[0, 1, 0, 1]).unwrap(), 0.0);
        assert_eq!(nmi_arithmetic(&[0, 0, 1, 1], &[0, 1, 0, 1]).unwrap(), 0.0);
    }

    #[test]
    fn a_refinement_has_all_the_information_and_the_larger_entropy() {
        // MI = H(classes) = ln 2, H(clusters) = ln 4.
        let (classes, clusters) = ([0, 0, 1, 1], [0, 1, 2, 3]);
        assert!((nmi_max(&classes, &clusters).unwrap() - 0.5).abs() < 1e-15);
        assert!((nmi_arithmetic(&classes, &clusters).unwrap() - 2.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn one_class_or_one_cluster_gives_a_number() {
        assert_eq!(nmi_max(&[0, 0, 0], &[0, 0, 0]).unwrap(), 1.0);
        assert_eq!(nmi_max(&[0, 0, 0], &[0, 1, 2]).unwrap(), 0.0);
        assert_eq!(nmi_arithmetic(&[0, 1, 2], &[0, 0, 0]).unwrap(), 0.0);
    }
}
