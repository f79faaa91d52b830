//! SS-NMF (called SS-NMF1 in the comparison of WS-NMF): symmetric tri-factorization of a similarity in which
//! links are written.
//!
//! ```text
//! A (n × n): the similarity, + its maximum at must-links, − its maximum at cannot-links, clipped at 0
//! minimize ‖A − G T Gᵀ‖²,   G (n × k) ≥ 0, T (k × k) ≥ 0 symmetric
//! T ← T ∘ (GᵀAG) / (GᵀG T GᵀG);   G ← G ∘ [(A G T) / (G T GᵀG T)]^¼;   in this order, 0/0 := 0
//! ```
//!
//! Reference: Y. Chen, M. Rege, M. Dong, J. Hua, "Non-negative matrix factorization for semi-supervised data
//! clustering", Knowledge and Information Systems 17, 2008, doi 10.1007/s10115-008-0134-6. What differs: the
//! exponent ¼, with which the objective can't rise, and the clipping are this project's choice. The registry
//! uses the self-tuning neighbour graph as the similarity: the Gaussian kernel of the paper with σ = 1e-5 is
//! the identity on rows of unit length. The cluster of a sample is the largest entry of its row of G.
//!
//! The objective is of fourth degree in G, so it does not fit the library's quadratic subproblems; hence a
//! loop of its own.

use partwise::graphs::Graph;
use partwise::{Error, Matrix, Result};

use super::links::Links;
use super::rows::{self, dot};
use super::spectral::{connection_note, self_tuning_graph};
use super::{Outcome, Task};
use crate::draw::{generator, uniform};

/// The settings of [`ss_nmf1`].
///
/// | setting | default | range |
/// |---|---|---|
/// | `tolerance` | 1e-6 | ≥ 0; the fall of the objective in one iteration, relative to it, at which to stop; 0 runs to the limit |
/// | `max_iterations` | 500 | any |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SsNmf1Settings {
    /// The relative fall at which to stop.
    pub tolerance: f64,
    /// The most iterations.
    pub max_iterations: usize,
}

impl Default for SsNmf1Settings {
    fn default() -> Self {
        SsNmf1Settings { tolerance: 1e-6, max_iterations: 500 }
    }
}

/// A tri-factorization.
#[derive(Clone, Debug, PartialEq)]
pub struct SsNmf1 {
    /// G (n × k).
    pub memberships: Matrix<f64>,
    /// T (k × k).
    pub core: Matrix<f64>,
    /// ‖A − GTGᵀ‖² by iteration, the start's first.
    pub history: Vec<f64>,
}

/// The similarity with links written into it.
///
/// # Errors
/// [`Error::OutOfRange`] for a link outside the graph.
pub fn linked_similarity(similarity: &Graph, links: &Links) -> Result<Graph> {
    links.check_within(similarity.n_samples())?;
    let largest = similarity.largest_weight();
    let weight = |i, j, change: f64| (i, j, (similarity.weight(i, j) + change).max(0.0));
    let pairs = links.must().iter().map(|&(i, j)| weight(i, j, largest));
    let pairs: Vec<_> = pairs.chain(links.cannot().iter().map(|&(i, j)| weight(i, j, -largest))).collect();
    similarity.with_pairs(&pairs)
}

/// Factors `similarity` (n × n) from the start `memberships` (n × k) and `core` (k × k, symmetric).
///
/// # Errors
/// [`Error::Shape`] when the shapes don't fit; [`Error::NotFinite`] and [`Error::Negative`] for such a start;
/// [`Error::OutOfRange`] for a negative tolerance.
pub fn ss_nmf1(
    similarity: &Graph,
    memberships: Matrix<f64>,
    core: Matrix<f64>,
    settings: &SsNmf1Settings,
) -> Result<SsNmf1> {
    check(similarity, &memberships, &core, settings)?;
    let (mut g, mut t) = (memberships, core);
    let squared_norm: f64 = similarity.entries().iter().map(|entry| entry.2 * entry.2).sum();
    let (mut image, mut gram) = (similarity.times(&g), g.gram());
    let mut history = vec![objective(squared_norm, &g, &t, &image, &gram)];
    for _ in 0..settings.max_iterations {
        let numerator = cross(&g, &image);
        let denominator = product(&product(&gram, &t), &gram);
        scale(&mut t, &numerator, &denominator, |ratio| ratio);
        let numerator = product(&image, &t);
        let denominator = product(&g, &product(&product(&t, &gram), &t));
        scale(&mut g, &numerator, &denominator, |ratio| ratio.sqrt().sqrt());
        (image, gram) = (similarity.times(&g), g.gram());
        let value = objective(squared_norm, &g, &t, &image, &gram);
        let before = history[history.len() - 1];
        history.push(value);
        if settings.tolerance > 0.0 && before - value <= settings.tolerance * before {
            break;
        }
    }
    Ok(SsNmf1 { memberships: g, core: t, history })
}

/// As the registry runs it: G random on (0, 1), T = I + 0.1.
pub(super) fn run(task: &Task<'_>) -> Result<Outcome> {
    let links = task.links("SS-NMF1")?;
    rows::check_count("the number of clusters", task.clusters, task.data.n_samples())?;
    let graph = self_tuning_graph(task.data)?;
    let mut random = generator(task.seed, 0);
    let k = task.clusters;
    // 1 − a number on [0, 1): a start must not have zeros.
    let memberships = Matrix::from_fn(graph.n_samples(), k, |_, _| 1.0 - uniform(&mut random));
    let core = Matrix::from_fn(k, k, |i, j| 0.1 + f64::from(i == j));
    let similarity = linked_similarity(&graph, &links)?;
    let found = ss_nmf1(&similarity, memberships, core, &SsNmf1Settings::default())?;
    let label = |i: usize| rows::largest(found.memberships.row(i).iter().copied());
    let labels: Vec<usize> = (0..graph.n_samples()).map(label).collect();
    Ok(Outcome {
        coordinates: Some(found.memberships.clone()),
        notes: connection_note(&graph).into_iter().collect(),
        ..Outcome::clusters(&labels)
    })
}

fn check(
    similarity: &Graph,
    memberships: &Matrix<f64>,
    core: &Matrix<f64>,
    settings: &SsNmf1Settings,
) -> Result<()> {
    let (n, k) = (similarity.n_samples(), memberships.columns());
    for (what, matrix, expected) in
        [("the starting memberships", memberships, (n, k)), ("the starting core", core, (k, k))]
    {
        if matrix.shape() != expected || k == 0 {
            return Err(Error::Shape {
                what: what.into(),
                expected: format!("{} x {}", expected.0, expected.1.max(1)),
                found: format!("{} x {}", matrix.rows(), matrix.columns()),
            });
        }
        let place = |at: usize| (at / k, at % k);
        let values = matrix.as_slice();
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::NotFinite {
                what: what.into(),
                nan: values.iter().filter(|value| value.is_nan()).count(),
                infinite: values.iter().filter(|value| value.is_infinite()).count(),
                first: place(at),
            });
        }
        if let Some(at) = values.iter().position(|value| *value < 0.0) {
            let count = values.iter().filter(|value| **value < 0.0).count();
            return Err(Error::Negative { what: what.into(), count, first: place(at), value: values[at] });
        }
    }
    if settings.tolerance.is_nan() || settings.tolerance < 0.0 {
        return Err(rows::out_of_range("the tolerance of SS-NMF1", settings.tolerance, "0 or more"));
    }
    Ok(())
}

/// ‖A − GTGᵀ‖² = ‖A‖² − 2⟨AG, GT⟩ + ⟨GᵀG T GᵀG, T⟩ from `image` = AG and `gram` = GᵀG.
fn objective(
    squared_norm: f64,
    g: &Matrix<f64>,
    t: &Matrix<f64>,
    image: &Matrix<f64>,
    gram: &Matrix<f64>,
) -> f64 {
    let mixed = dot(image.as_slice(), product(g, t).as_slice());
    let own = dot(product(&product(gram, t), gram).as_slice(), t.as_slice());
    squared_norm - 2.0 * mixed + own
}

/// `factor` ∘ power(numerator / denominator), with 0/0 := 0.
fn scale(
    factor: &mut Matrix<f64>,
    numerator: &Matrix<f64>,
    denominator: &Matrix<f64>,
    power: impl Fn(f64) -> f64,
) {
    let ratios = numerator.as_slice().iter().zip(denominator.as_slice());
    for (value, (above, below)) in factor.as_mut_slice().iter_mut().zip(ratios) {
        *value *= if *below > 0.0 { power(above / below) } else { 0.0 };
    }
}

/// A · B, B small: row by row of B, so that entries that follow one another in memory are worked on together.
fn product(a: &Matrix<f64>, b: &Matrix<f64>) -> Matrix<f64> {
    let mut out = Matrix::zeros(a.rows(), b.columns());
    for i in 0..a.rows() {
        for (l, value) in a.row(i).iter().enumerate() {
            out.row_mut(i).iter_mut().zip(b.row(l)).for_each(|(sum, b)| *sum += value * b);
        }
    }
    out
}

/// Aᵀ · B (k × k).
fn cross(a: &Matrix<f64>, b: &Matrix<f64>) -> Matrix<f64> {
    let mut out: Matrix<f64> = Matrix::zeros(a.columns(), b.columns());
    for i in 0..a.rows() {
        for (r, value) in a.row(i).iter().enumerate() {
            out.row_mut(r).iter_mut().zip(b.row(i)).for_each(|(sum, b)| *sum += value * b);
        }
    }
    out
}
