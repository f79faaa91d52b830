//! k-means: Lloyd's iteration from k-means++ starts.
//!
//! ```text
//! minimize Σᵢ ‖xᵢ − μ_{zᵢ}‖²   over labels z (n) and centres μ (k × d)
//! z ← the nearest centre (ties to the lower number);   μ_c ← the mean of its samples
//! k-means++: the first centre is a random sample, each next one sample i with probability ∝
//!     its squared distance to the
//! nearest centre so far
//! ```
//!
//! References: S. P. Lloyd, "Least squares quantization in PCM", IEEE Transactions on Information Theory 28,
//! 1982, doi 10.1109/TIT.1982.1056489; D. Arthur, S. Vassilvitskii, "k-means++: the advantages of careful
//! seeding", SODA 2007. Samples that coincide with a centre are never drawn; when all do, the next centre is
//! a sample drawn uniformly.

use super::rows;
use crate::data::{self, DataMatrix};
use crate::foundation::Matrix;
use crate::foundation::draw::{Generator, below, generator, uniform};
use crate::foundation::interrupt;
use crate::foundation::pool::Pool;
use crate::foundation::{Error, Result};

/// What happens to a cluster that has lost all its samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EmptyCluster {
    /// Its centre stays where it is, and it may stay empty.
    Keep,
    /// Its centre moves to the sample that is farthest from its own centre (ties to the lower number), among
    /// clusters of more than one sample. The objective falls by this.
    #[default]
    Farthest,
}

/// The settings of k-means.
///
/// | setting | default | range |
/// |---|---|---|
/// | `restarts` | 20 | ≥ 1; the result with the lowest objective counts, ties to the first |
/// | `max_iterations` | 300 | ≥ 1 for each start |
/// | `empty` | `Farthest` | – |
/// | `seed` | 0 | any; start r depends on (seed, r) only |
/// | `threads` | 1 | ≥ 1; restarts are shared out; the result does not depend on it |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KMeansSettings {
    /// How many starts are tried.
    pub restarts: usize,
    /// The most iterations from each start.
    pub max_iterations: usize,
    /// What happens to empty clusters.
    pub empty: EmptyCluster,
    /// The seed of the starts.
    pub seed: u64,
    /// Threads for the restarts.
    pub threads: usize,
}

impl Default for KMeansSettings {
    fn default() -> Self {
        KMeansSettings {
            restarts: 20,
            max_iterations: 300,
            empty: EmptyCluster::default(),
            seed: 0,
            threads: 1,
        }
    }
}

/// A clustering by k-means.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct KMeans {
    /// The cluster of each sample (n).
    pub labels: Vec<usize>,
    /// The centres (k × d).
    pub centres: Matrix<f64>,
    /// Σᵢ ‖xᵢ − μ_{zᵢ}‖².
    pub objective: f64,
    /// The objective after each assignment, the start's first; it never rises but by rounding.
    pub history: Vec<f64>,
    /// Whether the labels stopped changing within the limit.
    pub converged: bool,
}

/// k-means of `data` (n × d) with `k` clusters: the best of several starts by k-means++.
///
/// # Errors
/// [`Error::OutOfRange`] when k is 0 or above n, or a setting is 0; [`Error::NotFinite`] for such data.
pub fn k_means(data: &dyn DataMatrix<f64>, k: usize, settings: &KMeansSettings) -> Result<KMeans> {
    check(data, k, settings)?;
    let norms = rows::squared_norms(data);
    let one = |restart: usize| {
        let mut random = generator(settings.seed, restart as u64);
        let centres = plus_plus(data, &norms, k, Matrix::zeros(0, data.n_features()), &mut random);
        lloyd(data, &norms, centres, settings, |_| None)
    };
    let pool = Pool::new(settings.threads.min(settings.restarts));
    let found = pool.map((0..settings.restarts).collect(), one);
    let best =
        found.into_iter().reduce(|best, next| if next.objective < best.objective { next } else { best });
    Ok(best.expect("there is at least one start"))
}

/// k-means of `data` (n × d) from given `centres` (k × d); `restarts`, `seed` and `threads` play no part.
///
/// # Errors
/// As [`k_means`], and [`Error::Shape`] when the centres have another number of features.
#[doc(hidden)]
pub fn k_means_from(
    data: &dyn DataMatrix<f64>,
    centres: Matrix<f64>,
    settings: &KMeansSettings,
) -> Result<KMeans> {
    check(data, centres.rows(), settings)?;
    check_centres(data, &centres)?;
    Ok(lloyd(data, &rows::squared_norms(data), centres, settings, |_| None))
}

/// Refuses a number of clusters outside 1..=n, a setting of 0, and data that are not finite.
pub fn check(data: &dyn DataMatrix<f64>, k: usize, settings: &KMeansSettings) -> Result<()> {
    rows::check_count("the number of clusters", k, data.n_samples())?;
    for (name, value) in [
        ("the number of restarts", settings.restarts),
        ("the limit of iterations", settings.max_iterations),
        ("the number of threads", settings.threads),
    ] {
        if value == 0 {
            return Err(rows::out_of_range(name, 0, "at least 1"));
        }
    }
    rows::check_finite(data)
}

/// Refuses centres of another number of features than the data.
pub fn check_centres(data: &dyn DataMatrix<f64>, centres: &Matrix<f64>) -> Result<()> {
    if centres.columns() == data.n_features() {
        return Ok(());
    }
    Err(Error::shape(
        "the starting centres",
        format!("clusters x {} features", data.n_features()),
        format!("{} x {}", centres.rows(), centres.columns()),
    ))
}

/// ‖μ_c‖² − 2 xᵢ·μ_c (n × k): the squared distances but for ‖xᵢ‖², which all clusters share.
pub fn scores(data: &dyn DataMatrix<f64>, centres: &Matrix<f64>) -> Matrix<f64> {
    let mut scores = data::times(data, &centres.transposed());
    let norms: Vec<f64> = (0..centres.rows()).map(|c| rows::dot(centres.row(c), centres.row(c))).collect();
    for i in 0..scores.rows() {
        for (score, norm) in scores.row_mut(i).iter_mut().zip(&norms) {
            *score = norm - 2.0 * *score;
        }
    }
    scores
}

/// Σᵢ ‖xᵢ − μ_{zᵢ}‖², from the differences: the residual of X ≈ U·μ with U the indicators of the clusters.
pub fn scatter(data: &dyn DataMatrix<f64>, labels: &[usize], centres: &Matrix<f64>) -> f64 {
    let indicators = Matrix::from_fn(labels.len(), centres.rows(), |i, c| f64::from(labels[i] == c));
    let features = centres.transposed();
    data.sample_chunks().into_iter().map(|chunk| data.squared_residual(chunk, &indicators, &features)).sum()
}

/// `given` (m × d), continued to k centres by k-means++.
pub fn plus_plus(
    data: &dyn DataMatrix<f64>,
    norms: &[f64],
    k: usize,
    given: Matrix<f64>,
    random: &mut Generator,
) -> Matrix<f64> {
    let (n, d) = (data.n_samples(), data.n_features());
    let mut centres = Matrix::zeros(k, d);
    let mut nearest = vec![f64::INFINITY; n];
    let known = given.rows().min(k);
    if known > 0 {
        let scores = scores(data, &given);
        for c in 0..known {
            centres.row_mut(c).copy_from_slice(given.row(c));
            for i in 0..n {
                nearest[i] = nearest[i].min((norms[i] + scores.get(i, c)).max(0.0));
            }
        }
    }
    for c in known..k {
        let total: f64 = nearest.iter().sum();
        let chosen =
            if c == 0 || total == 0.0 { below(random, n) } else { weighted(&nearest, total, random) };
        data.add_row(chosen, 1.0, centres.row_mut(c));
        for i in 0..n {
            nearest[i] = nearest[i].min(data.squared_distance(i, chosen));
        }
    }
    centres
}

/// A place, drawn in proportion to the weights.
fn weighted(weights: &[f64], total: f64, random: &mut Generator) -> usize {
    let mut left = uniform(random) * total;
    let mut last = 0;
    for (place, &weight) in weights.iter().enumerate() {
        if weight > 0.0 {
            last = place;
            left -= weight;
            if left < 0.0 {
                break;
            }
        }
    }
    last
}

/// Lloyd's iteration. A sample that `fixed` names a cluster for stays there.
pub fn lloyd(
    data: &dyn DataMatrix<f64>,
    norms: &[f64],
    mut centres: Matrix<f64>,
    settings: &KMeansSettings,
    fixed: impl Fn(usize) -> Option<usize>,
) -> KMeans {
    let mut history = Vec::new();
    let mut assign = |centres: &mut Matrix<f64>| {
        let (mut labels, mut distances) = assigned(data, norms, centres, &fixed);
        if settings.empty == EmptyCluster::Farthest {
            refill(data, &mut labels, &mut distances, centres, &fixed);
        }
        history.push(distances.iter().sum());
        labels
    };
    let mut labels = assign(&mut centres);
    let mut converged = false;
    for _ in 0..settings.max_iterations {
        interrupt::check();
        centres = rows::means(data, |i| Some(labels[i]), &centres);
        let next = assign(&mut centres);
        converged = next == labels;
        labels = next;
        if converged {
            break;
        }
    }
    let objective = scatter(data, &labels, &centres);
    KMeans { labels, centres, objective, history, converged }
}

/// The nearest centre of each sample, and the squared distance.
fn assigned(
    data: &dyn DataMatrix<f64>,
    norms: &[f64],
    centres: &Matrix<f64>,
    fixed: impl Fn(usize) -> Option<usize>,
) -> (Vec<usize>, Vec<f64>) {
    let scores = scores(data, centres);
    let label = |i: usize| fixed(i).unwrap_or_else(|| rows::smallest(scores.row(i).iter().copied()));
    let labels: Vec<usize> = (0..norms.len()).map(label).collect();
    let distances = labels.iter().enumerate().map(|(i, &c)| (norms[i] + scores.get(i, c)).max(0.0)).collect();
    (labels, distances)
}

/// Moves the centres of empty clusters to the farthest samples.
fn refill(
    data: &dyn DataMatrix<f64>,
    labels: &mut [usize],
    distances: &mut [f64],
    centres: &mut Matrix<f64>,
    fixed: impl Fn(usize) -> Option<usize>,
) {
    let mut counts = vec![0_usize; centres.rows()];
    labels.iter().for_each(|&c| counts[c] += 1);
    for c in 0..counts.len() {
        if counts[c] > 0 {
            continue;
        }
        let free = |i: usize| fixed(i).is_none() && counts[labels[i]] > 1;
        let far = rows::largest((0..labels.len()).map(|i| if free(i) { distances[i] } else { -1.0 }));
        // Every sample may be fixed, or sit on its centre.
        if !free(far) || distances[far] == 0.0 {
            continue;
        }
        counts[labels[far]] -= 1;
        counts[c] = 1;
        labels[far] = c;
        distances[far] = 0.0;
        centres.row_mut(c).fill(0.0);
        data.add_row(far, 1.0, centres.row_mut(c));
    }
}
