//! Accuracy of a clustering under the best one-to-one map of clusters to classes.
//!
//! ```text
//! accuracy = (1/n) · max_m Σ_i [class_i = m(cluster_i)]   over one-to-one maps m
//! ```
//!
//! Reference: W. Xu, X. Liu, Y. Gong, "Document clustering based on non-negative matrix factorization", SIGIR
//! 2003, doi 10.1145/860435.860485 (section 5.2). The map is found exactly (the assignment problem).

use super::assignment::best_matching;
use super::contingency::Contingency;
use crate::foundation::Result;

/// What [`accuracy`] finds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MatchedAccuracy {
    /// The fraction of samples whose cluster is mapped to their class, in [0, 1].
    pub accuracy: f64,
    /// How many samples that is.
    pub correct: usize,
    /// For each cluster that occurs, ascending, the class it is mapped to. Clusters beyond the number of
    /// classes have none (`None`), and so has a cluster that shares no sample with the classes that are left.
    pub mapping: Vec<(i32, Option<i32>)>,
}

/// Accuracy of `clusters` (n) against known `classes` (n). With more clusters than classes the surplus
/// clusters count as wrong; with fewer, the surplus classes do. The table of classes × clusters is held in
/// full.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) when the lengths differ, [`Error::Labels`](crate::Error::Labels)
/// when there are no samples or a label is negative.
pub fn accuracy(classes: &[i32], clusters: &[i32]) -> Result<MatchedAccuracy> {
    let table = Contingency::of(classes, clusters)?;
    let n_classes = table.classes.len();
    let mut shared = vec![0_i64; table.clusters.len() * n_classes];
    for &(class, cluster, count) in &table.cells {
        shared[cluster * n_classes + class] = i64::try_from(count).expect("counts of samples fit in 63 bits");
    }
    let matching = best_matching(table.clusters.len(), n_classes, &shared);
    let mut correct = 0;
    let mut mapping = Vec::with_capacity(table.clusters.len());
    for (cluster, class) in matching.into_iter().enumerate() {
        let matched = class.filter(|class| shared[cluster * n_classes + class] > 0);
        correct += matched.map_or(0, |class| shared[cluster * n_classes + class] as usize);
        mapping.push((table.clusters[cluster], matched.map(|class| table.classes[class])));
    }
    Ok(MatchedAccuracy { accuracy: correct as f64 / table.n_samples as f64, correct, mapping })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surplus_clusters_count_as_wrong() {
        let matched = accuracy(&[0, 0, 0, 0], &[1, 1, 2, 3]).unwrap();
        assert_eq!(matched.accuracy, 0.5);
        assert_eq!(matched.mapping, [(1, Some(0)), (2, None), (3, None)]);
    }

    #[test]
    fn surplus_classes_count_as_wrong() {
        let matched = accuracy(&[0, 1, 2, 2], &[6, 6, 6, 6]).unwrap();
        assert_eq!((matched.correct, matched.mapping), (2, vec![(6, Some(2))]));
    }

    #[test]
    fn the_map_is_the_best_one_and_not_the_greedy_one() {
        // Cluster 0 has most of class 0, but giving class 0 to cluster 1 is better in total.
        let classes = [0, 0, 0, 1, 1, 0, 0];
        let clusters = [0, 0, 0, 0, 0, 1, 1];
        assert_eq!(accuracy(&classes, &clusters).unwrap().correct, 4);
        assert_eq!(accuracy(&classes, &clusters).unwrap().mapping, [(0, Some(1)), (1, Some(0))]);
    }
}
