//! MPCK-means: PCK-means that learns a metric for each cluster.
//!
//! ```text
//! minimize Σᵢ (‖xᵢ − μ_c‖²_{A_c} − log det A_c), c = zᵢ
//!   + w  Σ_{must (i,j), zᵢ ≠ zⱼ}   ½(‖xᵢ − xⱼ‖²_{A_{zᵢ}} + ‖xᵢ − xⱼ‖²_{A_{zⱼ}})
//!   + w' Σ_{cannot (i,j), zᵢ = zⱼ} (F_{A_{zᵢ}} − ‖xᵢ − xⱼ‖²_{A_{zᵢ}})
//! A_c = diag(a_c),  ‖v‖²_A = Σ a v²,  F_A = Σ_f a_f (max_f − min_f)²
//! z: one pass in the order of the samples, each to its cheapest cluster given the others (ties to the lower
//!     number);
//! μ_c ← the mean of its samples;   a_cf ← n_c / (its scatter along f + what broken links add)
//! ```
//!
//! Reference: M. Bilenko, S. Basu, R. J. Mooney, "Integrating constraints and metric learning in
//! semi-supervised clustering", ICML 2004, doi 10.1145/1015330.1015360. What differs: diagonal metrics only;
//! F from the ranges of the features in place of the farthest pair; samples in their order in place of a
//! random one; and a floor under the denominators of a (see [`MpckSettings`]).
//!
//! A pass gets the distances of all samples to all centres at once, as Σ a x² − 2 Σ aμ x + Σ aμ²: two
//! products with the data.

use std::cell::RefCell;

use partwise::{DataMatrix, Matrix, Result};

use super::links::Links;
use super::pck_means::{k_means_settings, start};
use super::rows;
use super::{Outcome, Task};
use partwise::internals::{check, check_centres, scores};

/// The settings of [`mpck_means`].
///
/// | setting | default | range |
/// |---|---|---|
/// | `must_price` | 1 | ≥ 0 |
/// | `cannot_price` | 1 | ≥ 0 |
/// | `floor` | 1e-6 | > 0; denominators of a_c are at least this share of their mean over the features |
/// | `max_iterations` | 100 | ≥ 1 |
/// | `seed` | 0 | any; the clusters that no link starts |
///
/// A feature that is constant in a cluster would otherwise have an infinite weight there. A cluster without a
/// sample keeps centre and metric, and one whose denominators are all 0 keeps its metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MpckSettings {
    /// w, the price of a broken must-link.
    pub must_price: f64,
    /// w', the price of a broken cannot-link.
    pub cannot_price: f64,
    /// The least share of the mean that a denominator of the metric has.
    pub floor: f64,
    /// The most iterations.
    pub max_iterations: usize,
    /// The seed of starts that links leave open.
    pub seed: u64,
}

impl Default for MpckSettings {
    fn default() -> Self {
        MpckSettings { must_price: 1.0, cannot_price: 1.0, floor: 1e-6, max_iterations: 100, seed: 0 }
    }
}

/// A clustering by MPCK-means.
#[derive(Clone, Debug, PartialEq)]
pub struct MpckMeans {
    /// The cluster of each sample (n).
    pub labels: Vec<usize>,
    /// The centres (k × d).
    pub centres: Matrix<f64>,
    /// The diagonals of the metrics (k × d).
    pub metrics: Matrix<f64>,
    /// The objective; it may be negative.
    pub objective: f64,
    /// The objective after each iteration.
    pub history: Vec<f64>,
    /// Whether a pass changed nothing within the limit.
    pub converged: bool,
}

/// MPCK-means of `data` (n × d) with `k` clusters, which start as those of PCK-means.
/// Time n·d an iteration for sparse data too, and k times the stored entries.
///
/// # Errors
/// [`OutOfRange`](partwise::Error::OutOfRange) when k is 0 or above n, a price or the floor is outside its
/// range, a link leads outside the data, or no iteration is allowed;
/// [`NotFinite`](partwise::Error::NotFinite) for such data.
pub fn mpck_means(
    data: &dyn DataMatrix<f64>,
    k: usize,
    links: &Links,
    settings: &MpckSettings,
) -> Result<MpckMeans> {
    check(data, k, &k_means_settings(settings.max_iterations))?;
    links.check_within(data.n_samples())?;
    mpck_means_from(data, start(data, k, links, settings.seed), links, settings)
}

/// MPCK-means of `data` (n × d) from given `centres` (k × d) and metrics of ones.
///
/// # Errors
/// As [`mpck_means`], and [`Shape`](partwise::Error::Shape) when the centres have another number of features.
pub fn mpck_means_from(
    data: &dyn DataMatrix<f64>,
    centres: Matrix<f64>,
    links: &Links,
    settings: &MpckSettings,
) -> Result<MpckMeans> {
    check(data, centres.rows(), &k_means_settings(settings.max_iterations))?;
    check_centres(data, &centres)?;
    links.check_within(data.n_samples())?;
    for (name, value) in [
        ("the price of a must-link", settings.must_price),
        ("the price of a cannot-link", settings.cannot_price),
    ] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(rows::out_of_range(name, value, "0 or more, and finite"));
        }
    }
    if !(settings.floor > 0.0 && settings.floor < 1.0) {
        return Err(rows::out_of_range("the floor of the metric", settings.floor, "between 0 and 1"));
    }
    let mut state = State::new(data, centres, links, settings);
    let mut history = Vec::new();
    let mut converged = false;
    let mut previous = Vec::new();
    for _ in 0..settings.max_iterations {
        state.assign();
        state.centres = rows::means(data, |i| Some(state.labels[i]), &state.centres);
        state.learn_metrics();
        history.push(state.objective());
        converged = previous == state.labels;
        if converged {
            break;
        }
        previous.clone_from(&state.labels);
    }
    let objective = *history.last().expect("there is at least one iteration");
    let State { labels, centres, metrics, .. } = state;
    Ok(MpckMeans { labels, centres, metrics, objective, history, converged })
}

pub(super) fn run(task: &Task<'_>) -> Result<Outcome> {
    let settings = MpckSettings { seed: task.seed, ..MpckSettings::default() };
    let found = mpck_means(task.data, task.clusters, &task.links("MPCK-means")?, &settings)?;
    Ok(Outcome::clusters(&found.labels))
}

struct State<'a> {
    data: &'a dyn DataMatrix<f64>,
    links: &'a Links,
    /// The data with every entry squared (n × d).
    squares: Box<dyn DataMatrix<f64>>,
    partners: (Vec<Vec<usize>>, Vec<Vec<usize>>),
    settings: &'a MpckSettings,
    /// (max_f − min_f)² (d).
    squared_ranges: Vec<f64>,
    labels: Vec<usize>,
    centres: Matrix<f64>,
    metrics: Matrix<f64>,
}

impl<'a> State<'a> {
    fn new(
        data: &'a dyn DataMatrix<f64>,
        centres: Matrix<f64>,
        links: &'a Links,
        settings: &'a MpckSettings,
    ) -> Self {
        let (n, d) = (data.n_samples(), data.n_features());
        let first = scores(data, &centres);
        let labels = (0..n).map(|i| rows::smallest(first.row(i).iter().copied())).collect();
        let (mut low, mut high) = (vec![f64::INFINITY; d], vec![f64::NEG_INFINITY; d]);
        for i in 0..n {
            for (j, value) in row(data, i).into_iter().enumerate() {
                low[j] = low[j].min(value);
                high[j] = high[j].max(value);
            }
        }
        let squared_ranges = low.iter().zip(&high).map(|(low, high)| (high - low) * (high - low)).collect();
        let metrics = Matrix::from_fn(centres.rows(), d, |_, _| 1.0);
        let partners = links.partners(n);
        let squares = squares(data);
        State { data, links, squares, partners, settings, squared_ranges, labels, centres, metrics }
    }

    /// One pass over the samples.
    fn assign(&mut self) {
        let k = self.centres.rows();
        let log_determinants: Vec<f64> = (0..k).map(|c| self.log_determinant(c)).collect();
        let ranges: Vec<f64> = (0..k).map(|c| rows::dot(self.metrics.row(c), &self.squared_ranges)).collect();
        let distances = self.distances();
        for i in 0..self.data.n_samples() {
            let mut costs: Vec<f64> =
                distances.row(i).iter().zip(&log_determinants).map(|(near, log)| near - log).collect();
            let linked = !self.partners.0[i].is_empty() || !self.partners.1[i].is_empty();
            let sample = if linked { row(self.data, i) } else { Vec::new() };
            for &j in &self.partners.0[i] {
                let (partner, other) = (row(self.data, j), self.labels[j]);
                let theirs = self.distance(other, &sample, &partner);
                for c in (0..k).filter(|c| *c != other) {
                    let ours = self.distance(c, &sample, &partner);
                    costs[c] += self.settings.must_price * 0.5 * (ours + theirs);
                }
            }
            for &j in &self.partners.1[i] {
                let c = self.labels[j];
                let near = self.distance(c, &sample, &row(self.data, j));
                costs[c] += self.settings.cannot_price * (ranges[c] - near);
            }
            self.labels[i] = rows::smallest(costs);
        }
    }

    /// ‖xᵢ − μ_c‖²_{A_c} (n × k).
    fn distances(&self) -> Matrix<f64> {
        let (k, d) = self.centres.shape();
        let weighted = Matrix::from_fn(d, k, |j, c| self.metrics.get(c, j) * self.centres.get(c, j));
        let mut distances = rows::times(&*self.squares, &self.metrics.transposed());
        let products = rows::times(self.data, &weighted);
        let constants: Vec<f64> =
            (0..k).map(|c| (0..d).map(|j| weighted.get(j, c) * self.centres.get(c, j)).sum()).collect();
        for i in 0..distances.rows() {
            let row = distances.row_mut(i).iter_mut().zip(products.row(i)).zip(&constants);
            row.for_each(|((distance, product), constant)| *distance += constant - 2.0 * product);
        }
        distances
    }

    fn learn_metrics(&mut self) {
        let mut denominators: Matrix<f64> = Matrix::zeros(self.centres.rows(), self.centres.columns());
        let mut counts = vec![0_usize; self.centres.rows()];
        for (i, &c) in self.labels.iter().enumerate() {
            counts[c] += 1;
            let sample = row(self.data, i);
            add_squares(denominators.row_mut(c), 1.0, &sample, self.centres.row(c));
        }
        for &(i, j) in self.links.must() {
            if self.labels[i] != self.labels[j] {
                let (one, other) = (row(self.data, i), row(self.data, j));
                for c in [self.labels[i], self.labels[j]] {
                    add_squares(denominators.row_mut(c), 0.5 * self.settings.must_price, &one, &other);
                }
            }
        }
        for &(i, j) in self.links.cannot() {
            if self.labels[i] == self.labels[j] {
                let out = denominators.row_mut(self.labels[i]);
                add_squares(out, -self.settings.cannot_price, &row(self.data, i), &row(self.data, j));
                for (value, range) in out.iter_mut().zip(&self.squared_ranges) {
                    *value += self.settings.cannot_price * range;
                }
            }
        }
        for c in 0..counts.len() {
            let row = denominators.row(c);
            let floor = self.settings.floor * row.iter().sum::<f64>() / row.len() as f64;
            if counts[c] > 0 && floor > 0.0 {
                for (metric, value) in self.metrics.row_mut(c).iter_mut().zip(row) {
                    *metric = counts[c] as f64 / value.max(floor);
                }
            }
        }
    }

    fn objective(&self) -> f64 {
        let log_determinants: Vec<f64> = (0..self.centres.rows()).map(|c| self.log_determinant(c)).collect();
        let mut total = 0.0;
        for (i, &c) in self.labels.iter().enumerate() {
            total += self.distance(c, &row(self.data, i), self.centres.row(c)) - log_determinants[c];
        }
        for &(i, j) in self.links.must() {
            let (a, b) = (self.labels[i], self.labels[j]);
            if a != b {
                let (one, other) = (row(self.data, i), row(self.data, j));
                let both = self.distance(a, &one, &other) + self.distance(b, &one, &other);
                total += self.settings.must_price * 0.5 * both;
            }
        }
        for &(i, j) in self.links.cannot() {
            let c = self.labels[i];
            if c == self.labels[j] {
                let near = self.distance(c, &row(self.data, i), &row(self.data, j));
                let far = rows::dot(self.metrics.row(c), &self.squared_ranges);
                total += self.settings.cannot_price * (far - near);
            }
        }
        total
    }

    fn log_determinant(&self, cluster: usize) -> f64 {
        self.metrics.row(cluster).iter().map(|a| a.ln()).sum()
    }

    /// ‖x − y‖² in the metric of a cluster.
    fn distance(&self, cluster: usize, x: &[f64], y: &[f64]) -> f64 {
        self.metrics.row(cluster).iter().zip(x).zip(y).map(|((a, x), y)| a * (x - y) * (x - y)).sum()
    }
}

/// The data with every entry squared.
fn squares(data: &dyn DataMatrix<f64>) -> Box<dyn DataMatrix<f64>> {
    // Entries are asked for sample by sample, so one sample in full is kept.
    let kept = RefCell::new((usize::MAX, Vec::new()));
    data.weighted(&|i, j| {
        let mut kept = kept.borrow_mut();
        if kept.0 != i {
            *kept = (i, row(data, i));
        }
        kept.1[j]
    })
}

/// A sample in full (d).
fn row(data: &dyn DataMatrix<f64>, sample: usize) -> Vec<f64> {
    let mut row = vec![0.0; data.n_features()];
    data.add_row(sample, 1.0, &mut row);
    row
}

/// `out` += weight · (x − y)², feature by feature.
fn add_squares(out: &mut [f64], weight: f64, x: &[f64], y: &[f64]) {
    for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
        *out += weight * (x - y) * (x - y);
    }
}
