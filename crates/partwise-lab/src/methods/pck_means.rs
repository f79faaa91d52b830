//! PCK-means: k-means with a price on each link that is broken.
//!
//! ```text
//! minimize Σᵢ ‖xᵢ − μ_{zᵢ}‖² + w·#{must-links with zᵢ ≠ zⱼ} + w'·#{cannot-links with zᵢ = zⱼ}
//! z: one pass in the order of the samples, each to its cheapest cluster given the others (ties to the lower
//!     number);
//! μ_c ← the mean of its samples (an empty cluster keeps its centre); until a pass changes nothing
//! ```
//!
//! Reference: S. Basu, A. Banerjee, R. J. Mooney, "Active semi-supervision for pairwise constrained
//! clustering", SDM 2004; the comparison of WS-NMF cites Bilenko et al. 2004 for it. What differs: the paper
//! visits samples in random order. The default price is the mean squared distance of a sample to the mean of
//! all, so results do not change with the unit of the data. Clusters beyond the groups of the must-links
//! start by k-means++ (the paper perturbs the global mean). Must-links are not closed transitively.

use partwise::{DataMatrix, Matrix, Result};

use super::links::Links;
use super::rows;
use super::{Outcome, Task};
use crate::draw::generator;
use partwise::clustering::KMeansSettings;
use partwise::internals::{check, check_centres, plus_plus, scatter, scores};

/// The settings of [`pck_means`].
///
/// | setting | default | range |
/// |---|---|---|
/// | `must_price` | the mean squared distance to the mean | ≥ 0 |
/// | `cannot_price` | the same | ≥ 0 |
/// | `max_iterations` | 300 | ≥ 1 |
/// | `seed` | 0 | any; the clusters that no link starts |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PckSettings {
    /// w, the price of a broken must-link.
    pub must_price: Option<f64>,
    /// w', the price of a broken cannot-link.
    pub cannot_price: Option<f64>,
    /// The most iterations.
    pub max_iterations: usize,
    /// The seed of starts that links leave open.
    pub seed: u64,
}

impl Default for PckSettings {
    fn default() -> Self {
        PckSettings { must_price: None, cannot_price: None, max_iterations: 300, seed: 0 }
    }
}

/// A clustering by PCK-means.
#[derive(Clone, Debug, PartialEq)]
pub struct PckMeans {
    /// The cluster of each sample (n).
    pub labels: Vec<usize>,
    /// The centres (k × d).
    pub centres: Matrix<f64>,
    /// The objective, links and all.
    pub objective: f64,
    /// The objective after each iteration; it never rises but by rounding.
    pub history: Vec<f64>,
    /// Whether a pass changed nothing within the limit.
    pub converged: bool,
}

/// PCK-means of `data` (n × d) with `k` clusters, which start at the means of the groups that must-links
/// make, the largest first and then those that are far and large.
///
/// # Errors
/// [`OutOfRange`](partwise::Error::OutOfRange) when k is 0 or above n, a price is negative or not finite, a
/// link leads outside the data, or no iteration is allowed; [`NotFinite`](partwise::Error::NotFinite) for
/// such data.
pub fn pck_means(
    data: &dyn DataMatrix<f64>,
    k: usize,
    links: &Links,
    settings: &PckSettings,
) -> Result<PckMeans> {
    check(data, k, &k_means_settings(settings.max_iterations))?;
    links.check_within(data.n_samples())?;
    pck_means_from(data, start(data, k, links, settings.seed), links, settings)
}

/// PCK-means of `data` (n × d) from given `centres` (k × d).
///
/// # Errors
/// As [`pck_means`], and [`Shape`](partwise::Error::Shape) when the centres have another number of features.
pub fn pck_means_from(
    data: &dyn DataMatrix<f64>,
    mut centres: Matrix<f64>,
    links: &Links,
    settings: &PckSettings,
) -> Result<PckMeans> {
    let n = data.n_samples();
    check(data, centres.rows(), &k_means_settings(settings.max_iterations))?;
    check_centres(data, &centres)?;
    links.check_within(n)?;
    let prices = (
        price("the price of a must-link", settings.must_price, data)?,
        price("the price of a cannot-link", settings.cannot_price, data)?,
    );
    let partners = links.partners(n);
    let first = scores(data, &centres);
    let mut labels: Vec<usize> = (0..n).map(|i| rows::smallest(first.row(i).iter().copied())).collect();
    let mut history = Vec::new();
    let mut converged = false;
    let mut previous = Vec::new();
    for _ in 0..settings.max_iterations {
        let mut costs = scores(data, &centres);
        for i in 0..n {
            let costs = costs.row_mut(i);
            for &j in &partners.0[i] {
                // Leaving a must-link costs the same everywhere but in the partner's cluster.
                costs[labels[j]] -= prices.0;
            }
            for &j in &partners.1[i] {
                costs[labels[j]] += prices.1;
            }
            labels[i] = rows::smallest(costs.iter().copied());
        }
        centres = rows::means(data, |i| Some(labels[i]), &centres);
        history.push(scatter(data, &labels, &centres) + broken(links, &labels, prices));
        converged = previous == labels;
        if converged {
            break;
        }
        previous.clone_from(&labels);
    }
    let objective = *history.last().expect("there is at least one iteration");
    Ok(PckMeans { labels, centres, objective, history, converged })
}

pub(super) fn run(task: &Task<'_>) -> Result<Outcome> {
    let settings = PckSettings { seed: task.seed, ..PckSettings::default() };
    let found = pck_means(task.data, task.clusters, &task.links("PCK-means")?, &settings)?;
    Ok(Outcome::clusters(&found.labels))
}

pub(super) fn k_means_settings(max_iterations: usize) -> KMeansSettings {
    KMeansSettings { max_iterations, ..KMeansSettings::default() }
}

fn broken(links: &Links, labels: &[usize], prices: (f64, f64)) -> f64 {
    let must = links.must().iter().filter(|(i, j)| labels[*i] != labels[*j]).count();
    let cannot = links.cannot().iter().filter(|(i, j)| labels[*i] == labels[*j]).count();
    prices.0 * must as f64 + prices.1 * cannot as f64
}

fn price(name: &str, given: Option<f64>, data: &dyn DataMatrix<f64>) -> Result<f64> {
    match given {
        Some(price) if price >= 0.0 && price.is_finite() => Ok(price),
        Some(price) => Err(rows::out_of_range(name, price, "0 or more, and finite")),
        None => {
            let mean = rows::mean(data);
            let centre = Matrix::from_fn(1, mean.len(), |_, j| mean[j]);
            Ok(scatter(data, &vec![0; data.n_samples()], &centre) / data.n_samples() as f64)
        }
    }
}

/// The starting centres (k × d): means of the groups of the must-links (of two samples or more), chosen
/// farthest first with distances weighted by size, then k-means++.
pub(super) fn start(data: &dyn DataMatrix<f64>, k: usize, links: &Links, seed: u64) -> Matrix<f64> {
    let (n, d) = (data.n_samples(), data.n_features());
    let group = links.groups(n);
    let count = group.iter().max().map_or(0, |last| last + 1);
    let mut sizes = vec![0_usize; count];
    group.iter().for_each(|&g| sizes[g] += 1);
    let large: Vec<usize> = (0..count).filter(|&g| sizes[g] > 1).collect();
    let place = |i: usize| large.binary_search(&group[i]).ok();
    let means = rows::means(data, place, &Matrix::zeros(large.len(), d));
    let mut chosen: Vec<usize> = Vec::new();
    let mut nearest = vec![1.0; large.len()];
    while chosen.len() < k.min(large.len()) {
        let value = |g: usize| if chosen.contains(&g) { -1.0 } else { nearest[g] * sizes[large[g]] as f64 };
        let next = rows::largest((0..large.len()).map(value));
        for g in 0..large.len() {
            let distance: f64 =
                means.row(g).iter().zip(means.row(next)).map(|(a, b)| (a - b) * (a - b)).sum();
            nearest[g] = if chosen.is_empty() { distance } else { nearest[g].min(distance) };
        }
        chosen.push(next);
    }
    let given = Matrix::from_fn(chosen.len(), d, |c, j| means.get(chosen[c], j));
    let mut random = generator(seed, 0);
    plus_plus(data, &rows::squared_norms(data), k, given, &mut random)
}
