//! How much of a graph a clustering cuts.
//!
//! ```text
//! total      = Σ over ordered pairs (i, j) of S_ij·[c_i ≠ c_j]
//! normalized = Σ over clusters of (its part of that sum) / volume,   volume = the sum of its rows of S
//! ```
//!
//! Reference: J. Shi, J. Malik, "Normalized cuts and image segmentation", IEEE Transactions on Pattern
//! Analysis and Machine Intelligence 22, 2000, doi 10.1109/34.868688.

use super::contingency::{check_labels, ranked};
use crate::foundation::{Error, Result};

/// What [`cuts`] finds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Cuts {
    /// The weight between different clusters; a symmetric graph counts each edge twice, as its matrix does.
    pub total: f64,
    /// The sum over clusters of the share of their weight that is cut, in [0, number of clusters]; a cluster
    /// without any weight adds 0.
    pub normalized: f64,
}

/// The cuts of the graph with `edges` (row, column, weight), summed where a pair comes twice, by `clusters`
/// (n). Only stored entries count: a symmetric graph lists both (i, j) and (j, i).
///
/// # Errors
/// [`Error::Labels`] when there are no samples or a label is negative; [`Error::OutOfRange`] for an edge to a
/// sample that isn't there; [`Error::NotFinite`] and [`Error::Negative`] for such weights.
pub fn cuts(edges: &[(usize, usize, f64)], clusters: &[i32]) -> Result<Cuts> {
    if clusters.is_empty() {
        return Err(Error::Labels(
            "there are no samples whose graph could be cut; at least one is needed".into(),
        ));
    }
    check_labels("clusters", clusters)?;
    check_edges(edges, clusters.len())?;
    let (names, cluster_of) = ranked(clusters);
    let mut volume = vec![0.0; names.len()];
    let mut cut = vec![0.0; names.len()];
    for &(i, j, weight) in edges {
        volume[cluster_of[i]] += weight;
        if cluster_of[i] != cluster_of[j] {
            cut[cluster_of[i]] += weight;
        }
    }
    let share = |(&cut, &volume): (&f64, &f64)| if volume > 0.0 { cut / volume } else { 0.0 };
    Ok(Cuts { total: cut.iter().sum(), normalized: cut.iter().zip(&volume).map(share).sum() })
}

fn check_edges(edges: &[(usize, usize, f64)], n_samples: usize) -> Result<()> {
    let what = || "the weights of the graph".to_string();
    if let Some(&(i, j, _)) = edges.iter().find(|edge| edge.0 >= n_samples || edge.1 >= n_samples) {
        return Err(Error::out_of_range(
            "an edge of the graph",
            format!("({i}, {j})"),
            format!("between samples 0 to {}", n_samples - 1),
        ));
    }
    if let Some(&(i, j, _)) = edges.iter().find(|edge| !edge.2.is_finite()) {
        return Err(Error::NotFinite {
            what: what(),
            nan: edges.iter().filter(|edge| edge.2.is_nan()).count(),
            infinite: edges.iter().filter(|edge| edge.2.is_infinite()).count(),
            first: (i, j),
        });
    }
    if let Some(&(i, j, value)) = edges.iter().find(|edge| edge.2 < 0.0) {
        let count = edges.iter().filter(|edge| edge.2 < 0.0).count();
        return Err(Error::Negative { what: what(), count, first: (i, j), value });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: [(usize, usize, f64); 4] = [(0, 1, 2.0), (1, 0, 2.0), (1, 2, 3.0), (2, 1, 3.0)];

    #[test]
    fn the_cut_of_a_path_of_three() {
        let found = cuts(&PATH, &[0, 0, 1]).unwrap();
        // Volumes 7 and 3, each with 3 of it cut.
        assert_eq!(found.total, 6.0);
        assert!((found.normalized - (3.0 / 7.0 + 1.0)).abs() < 1e-15);
    }

    #[test]
    fn one_cluster_cuts_nothing_and_a_lonely_one_adds_0() {
        assert_eq!(cuts(&PATH, &[5, 5, 5]).unwrap(), Cuts { total: 0.0, normalized: 0.0 });
        assert_eq!(cuts(&[(0, 0, 1.0)], &[0, 1]).unwrap(), Cuts { total: 0.0, normalized: 0.0 });
    }

    #[test]
    fn edges_that_can_not_be_cut_are_refused() {
        assert!(matches!(cuts(&[(0, 9, 1.0)], &[0, 1]), Err(Error::OutOfRange { .. })));
        assert!(matches!(cuts(&[(0, 1, f64::NAN)], &[0, 1]), Err(Error::NotFinite { first: (0, 1), .. })));
        assert!(matches!(cuts(&[(0, 1, -1.0)], &[0, 1]), Err(Error::Negative { count: 1, .. })));
        assert!(matches!(cuts(&[], &[]), Err(Error::Labels(_))));
    }
}
