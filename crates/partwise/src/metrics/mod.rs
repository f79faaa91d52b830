//! How good a result is: agreement of a clustering with known classes, multi-label scores, cuts of a graph,
//! sparseness, and the fit of a factorization. Pure functions; one metric per file.
//!
//! Labels are `&[i32]` from 0 on, and any numbers will do: classes and clusters are distinguished only by
//! value. A negative label means "unlabelled" everywhere in Partwise and has no place in a comparison, so it
//! is refused; [`restricted`] keeps the samples that count (for example those whose label was not given to
//! the fit). No function returns NaN: what a formula leaves open is settled in that function's description.
//!
//! ```
//! use partwise::metrics;
//!
//! let truth = [0, 0, 0, 1, 1, 2];
//! let clusters = [7, 7, 4, 4, 4, 5];
//! let matched = metrics::accuracy(&truth, &clusters)?;
//! assert_eq!(matched.accuracy, 5.0 / 6.0);
//! assert_eq!(matched.mapping, [(4, Some(1)), (5, Some(2)), (7, Some(0))]);
//!
//! // The same over the samples that were not labelled for the fit.
//! let unlabelled = [false, true, true, false, true, true];
//! let truth = metrics::restricted(&truth, &unlabelled)?;
//! let clusters = metrics::restricted(&clusters, &unlabelled)?;
//! assert_eq!(metrics::accuracy(&truth, &clusters)?.accuracy, 0.75);
//! # Ok::<(), partwise::Error>(())
//! ```

mod accuracy;
mod assignment;
mod contingency;
mod cuts;
mod f_score;
mod factorization;
mod mutual_information;
mod purity;
mod rand_index;
mod sparseness;

pub use accuracy::{MatchedAccuracy, accuracy};
#[doc(hidden)]
pub use assignment::best_matching;
pub use cuts::{Cuts, cuts};
pub use f_score::{FScores, f_scores};
pub use factorization::{projected_gradient_norm, relative_error};
pub use mutual_information::{nmi_arithmetic, nmi_max};
pub use purity::purity;
pub use rand_index::adjusted_rand_index;
pub use sparseness::sparseness;

use crate::foundation::{Error, Result};

/// One measure of the agreement of a clustering with known classes, as the command line and Python list it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ClusteringMetric {
    /// The name to ask for it by.
    pub name: &'static str,
    /// What it measures, in one line.
    pub summary: &'static str,
    /// The measure, from `(classes, clusters)`. 1 is perfect agreement.
    pub measure: fn(&[i32], &[i32]) -> Result<f64>,
}

/// The registry: every measure of a clustering, in the order in which tables show them.
pub const ALL: &[ClusteringMetric] = &[
    ClusteringMetric {
        name: "accuracy",
        summary: "fraction of samples that are right under the best one-to-one map of clusters to classes",
        measure: |classes, clusters| Ok(accuracy(classes, clusters)?.accuracy),
    },
    ClusteringMetric {
        name: "nmi",
        summary: "mutual information over the larger of the two entropies",
        measure: nmi_max,
    },
    ClusteringMetric {
        name: "nmi-arithmetic",
        summary: "mutual information over the mean of the two entropies",
        measure: nmi_arithmetic,
    },
    ClusteringMetric {
        name: "ari",
        summary: "Rand index corrected for chance",
        measure: adjusted_rand_index,
    },
    ClusteringMetric {
        name: "purity",
        summary: "fraction of samples that belong to the most frequent class of their cluster",
        measure: purity,
    },
];

/// The entries of `values` (n) whose place in `keep` (n) is true, in order: a metric over part of the
/// samples.
///
/// # Errors
/// [`Error::Shape`] when the lengths differ.
#[doc(hidden)]
pub fn restricted<L: Copy>(values: &[L], keep: &[bool]) -> Result<Vec<L>> {
    if values.len() != keep.len() {
        return Err(Error::shape(
            "the choice of samples",
            format!("{} entries (one a label)", values.len()),
            format!("{} entries", keep.len()),
        ));
    }
    Ok(values.iter().zip(keep).filter_map(|(value, &kept)| kept.then_some(*value)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_registered_measure_gives_1_for_a_renaming_and_stays_in_range_otherwise() {
        let classes = [0, 0, 1, 1, 2, 2, 2];
        let renamed = [5, 5, 3, 3, 9, 9, 9];
        let other = [0, 1, 0, 1, 0, 1, 2];
        for metric in ALL {
            assert_eq!((metric.measure)(&classes, &renamed).unwrap(), 1.0, "{}", metric.name);
            let value = (metric.measure)(&classes, &other).unwrap();
            assert!((-1.0..1.0).contains(&value), "{} is {value}", metric.name);
        }
    }

    #[test]
    fn every_registered_measure_refuses_what_it_can_not_compare() {
        for metric in ALL {
            assert!(matches!((metric.measure)(&[], &[]), Err(Error::Labels(_))), "{}: nothing", metric.name);
            assert!(
                matches!((metric.measure)(&[0, 1], &[0]), Err(Error::Shape { .. })),
                "{}: lengths",
                metric.name
            );
            let message = (metric.measure)(&[0, 1, -1], &[0, 1, 1]).unwrap_err().to_string();
            assert!(message.contains("-1") && message.contains("sample 2"), "{}: {message}", metric.name);
        }
    }

    #[test]
    fn restriction_keeps_the_order_and_refuses_another_length() {
        assert_eq!(restricted(&[4, 5, 6], &[true, false, true]).unwrap(), [4, 6]);
        assert!(matches!(restricted(&[4, 5, 6], &[true]), Err(Error::Shape { .. })));
    }
}
