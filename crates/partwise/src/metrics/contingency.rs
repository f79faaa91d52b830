//! [`Contingency`]: how many samples fall in each pair of class and cluster. What the clustering metrics
//! count.

use std::collections::BTreeMap;

use crate::foundation::{Error, Result};

/// The non-empty cells of the table of classes × clusters, and its margins.
#[derive(Debug)]
pub(super) struct Contingency {
    /// The classes that occur, ascending.
    pub(super) classes: Vec<i32>,
    /// The clusters that occur, ascending.
    pub(super) clusters: Vec<i32>,
    /// Samples in each class.
    pub(super) class_sizes: Vec<u64>,
    /// Samples in each cluster.
    pub(super) cluster_sizes: Vec<u64>,
    /// (place of the class, place of the cluster, samples), by class and then by cluster; no empty cells.
    pub(super) cells: Vec<(usize, usize, u64)>,
    /// The number of samples.
    pub(super) n_samples: usize,
}

impl Contingency {
    /// Counts the pairs of `classes` (n) and `clusters` (n).
    pub(super) fn of(classes: &[i32], clusters: &[i32]) -> Result<Self> {
        if classes.len() != clusters.len() {
            return Err(Error::shape(
                "the clusters to compare",
                format!("{} labels (one a known class)", classes.len()),
                format!("{} labels", clusters.len()),
            ));
        }
        if classes.is_empty() {
            return Err(Error::Labels("there are no samples to compare; at least one is needed".into()));
        }
        check_labels("classes", classes)?;
        check_labels("clusters", clusters)?;
        let (class_names, class_of) = ranked(classes);
        let (cluster_names, cluster_of) = ranked(clusters);
        let mut class_sizes = vec![0; class_names.len()];
        let mut cluster_sizes = vec![0; cluster_names.len()];
        let mut counts = BTreeMap::new();
        for (&i, &j) in class_of.iter().zip(&cluster_of) {
            class_sizes[i] += 1;
            cluster_sizes[j] += 1;
            *counts.entry((i, j)).or_insert(0) += 1;
        }
        Ok(Contingency {
            classes: class_names,
            clusters: cluster_names,
            class_sizes,
            cluster_sizes,
            cells: counts.into_iter().map(|((i, j), count)| (i, j, count)).collect(),
            n_samples: classes.len(),
        })
    }
}

/// Refuses a negative label, with its place.
pub(super) fn check_labels(what: &str, labels: &[i32]) -> Result<()> {
    match labels.iter().position(|&label| label < 0) {
        None => Ok(()),
        Some(sample) => Err(Error::Labels(format!(
            "the {what} have the label {} at sample {sample} (counted from 0); a comparison needs labels of 0 or more, \
             so restrict it to the samples that have one",
            labels[sample]
        ))),
    }
}

/// The distinct labels, ascending, and for each sample the place of its label among them.
pub(super) fn ranked(labels: &[i32]) -> (Vec<i32>, Vec<usize>) {
    let mut names = labels.to_vec();
    names.sort_unstable();
    names.dedup();
    let places = labels
        .iter()
        .map(|label| names.binary_search(label).expect("every label is among the names"))
        .collect();
    (names, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_and_margins_count_every_sample_once() {
        let table = Contingency::of(&[3, 3, 1, 1, 1], &[8, 9, 8, 8, 8]).unwrap();
        assert_eq!(table.classes, [1, 3]);
        assert_eq!(table.clusters, [8, 9]);
        assert_eq!(table.cells, [(0, 0, 3), (1, 0, 1), (1, 1, 1)]);
        assert_eq!(table.class_sizes, [3, 2]);
        assert_eq!(table.cluster_sizes, [4, 1]);
        assert_eq!(table.n_samples, 5);
    }
}
