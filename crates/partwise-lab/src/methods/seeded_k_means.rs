//! Seeded and constrained k-means.
//!
//! ```text
//! start: μ_c = the mean of the samples labelled c; then as k-means
//! seeded: labelled samples may move;   constrained: they keep their class
//! ```
//!
//! Reference: S. Basu, A. Banerjee, R. J. Mooney, "Semi-supervised clustering by seeding", ICML 2002. What
//! differs: clusters beyond the classes start by k-means++ from the class means (the paper perturbs the
//! global mean).

use partwise::{DataMatrix, Error, Labels, Matrix, Result};

use super::rows;
use super::{Outcome, Task};
use crate::draw::generator;
use partwise::clustering::{KMeans, KMeansSettings};
use partwise::internals::{check, lloyd, plus_plus};

/// As tables show it, with the limit of [`KMeansSettings`].
pub(crate) const SOLVER: &str = "Lloyd from the labels, at most 300 iterations";

/// k-means of `data` (n × d) with `k` clusters that starts from the class means. Cluster c is class c.
/// `restarts` plays no part.
///
/// # Errors
/// As [`k_means`](partwise::clustering::k_means()); [`Error::Shape`] when labels are not one a sample;
/// [`Error::Labels`] when no sample is labelled; [`Error::Incompatible`] when there are more classes than
/// clusters.
pub fn seeded_k_means(
    data: &dyn DataMatrix<f64>,
    k: usize,
    labels: &Labels,
    settings: &KMeansSettings,
) -> Result<KMeans> {
    let (norms, centres) = start(data, k, labels, settings)?;
    Ok(lloyd(data, &norms, centres, settings, |_| None))
}

/// As [`seeded_k_means`], and labelled samples stay in their class's cluster.
///
/// # Errors
/// As [`seeded_k_means`].
pub fn constrained_k_means(
    data: &dyn DataMatrix<f64>,
    k: usize,
    labels: &Labels,
    settings: &KMeansSettings,
) -> Result<KMeans> {
    let (norms, centres) = start(data, k, labels, settings)?;
    Ok(lloyd(data, &norms, centres, settings, |i| labels.class(i)))
}

fn start(
    data: &dyn DataMatrix<f64>,
    k: usize,
    labels: &Labels,
    settings: &KMeansSettings,
) -> Result<(Vec<f64>, Matrix<f64>)> {
    check(data, k, settings)?;
    super::check_labels(data, labels)?;
    let classes = labels.n_classes();
    if classes > k {
        return Err(Error::Incompatible {
            asked: format!("{k} clusters"),
            reason: format!("the labels have {classes} classes, and each starts a cluster"),
            valid: vec![format!("{classes} clusters or more")],
        });
    }
    let means = rows::means(data, |i| labels.class(i), &Matrix::zeros(classes, data.n_features()));
    let norms = rows::squared_norms(data);
    let mut random = generator(settings.seed, 0);
    let centres = plus_plus(data, &norms, k, means, &mut random);
    Ok((norms, centres))
}

pub(super) fn run(task: &Task<'_>) -> Result<Outcome> {
    let settings = KMeansSettings { seed: task.seed, ..KMeansSettings::default() };
    let found = seeded_k_means(task.data, task.clusters, task.labels("seeded k-means")?, &settings)?;
    Ok(Outcome::clusters(&found.labels))
}

pub(super) fn run_constrained(task: &Task<'_>) -> Result<Outcome> {
    let settings = KMeansSettings { seed: task.seed, ..KMeansSettings::default() };
    let found =
        constrained_k_means(task.data, task.clusters, task.labels("constrained k-means")?, &settings)?;
    Ok(Outcome::clusters(&found.labels))
}
