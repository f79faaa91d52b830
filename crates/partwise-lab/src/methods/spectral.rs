//! Spectral clustering.
//!
//! ```text
//! V (n × k) = the eigenvectors of D^-½ A D^-½ for its k largest eigenvalues;
//!     embedding: V's rows, each of length 1
//! clusters: k-means on the embedding
//! ```
//!
//! References: A. Y. Ng, M. I. Jordan, Y. Weiss, "On spectral clustering: analysis and an algorithm", NIPS
//! 2001; the graph of L. Zelnik-Manor, P. Perona, "Self-tuning spectral clustering", NIPS 2004 (7
//! neighbours), but k-means in place of their rotation. A sample without an edge has a row of zeros.

use partwise::graphs::{Graph, NeighbourGraph, Weights, neighbour_graph};
use partwise::{DataMatrix, Matrix, Result};

use super::eigen::largest_eigenpairs;
use super::rows;
use super::{Outcome, Task};
use partwise::clustering::{KMeansSettings, k_means};

/// As tables show it.
pub(crate) const SOLVER: &str = "eigenvectors; Lloyd, at most 300 iterations, the best of 20 starts";

/// The neighbours of each sample in the graphs of the registry.
pub(super) const NEIGHBOURS: usize = 7;

/// The samples of a graph as points.
#[derive(Clone, Debug, PartialEq)]
pub struct SpectralEmbedding {
    /// The k largest eigenvalues of the normalized graph, descending, at most 1.
    pub eigenvalues: Vec<f64>,
    /// The points (n × k), of length 1 or 0.
    pub points: Matrix<f64>,
    /// What should be known about it: a disconnected graph, eigenvectors of little accuracy.
    pub notes: Vec<String>,
}

/// The spectral embedding of `graph` in k dimensions.
///
/// # Errors
/// [`OutOfRange`](partwise::Error::OutOfRange) when k is 0 or above n.
pub fn spectral_embedding(graph: &Graph, k: usize, seed: u64) -> Result<SpectralEmbedding> {
    let n = graph.n_samples();
    rows::check_count("the number of clusters", k, n)?;
    let normalized = graph.normalized();
    let found = largest_eigenpairs(n, k, -1.0, seed, |block| normalized.times(block));
    let mut notes: Vec<String> = found.note().into_iter().collect();
    notes.extend(connection_note(graph));
    let mut points = found.vectors;
    for i in 0..n {
        let row = points.row_mut(i);
        let norm = rows::dot(row, row).sqrt();
        if norm > 0.0 {
            row.iter_mut().for_each(|value| *value /= norm);
        }
    }
    Ok(SpectralEmbedding { eigenvalues: found.values, points, notes })
}

/// What there is to say about the connection of a graph: nothing if it is connected.
pub(super) fn connection_note(graph: &Graph) -> Option<String> {
    let count = graph.n_components();
    (count > 1).then(|| {
        let isolated = graph.isolated().len();
        format!("the graph is disconnected: {count} components, {isolated} samples without an edge")
    })
}

/// Clusters the points of an embedding by k-means (20 restarts).
pub(super) fn clusters_of(embedding: SpectralEmbedding, task: &Task<'_>) -> Result<Outcome> {
    let settings = KMeansSettings { seed: task.seed, threads: task.threads, ..KMeansSettings::default() };
    let points = partwise::DenseMatrix::from_matrix(embedding.points.clone())?;
    let found = k_means(&points, task.clusters, &settings)?;
    Ok(Outcome {
        coordinates: Some(embedding.points),
        notes: embedding.notes,
        ..Outcome::clusters(&found.labels)
    })
}

/// The self-tuning graph of the registry.
pub(super) fn self_tuning_graph(data: &dyn DataMatrix<f64>) -> Result<Graph> {
    let most = data.n_samples().saturating_sub(1).max(1);
    let neighbours = NEIGHBOURS.min(most);
    let weights = Weights::SelfTuning { scale_neighbour: neighbours };
    neighbour_graph(data, &NeighbourGraph { neighbours, weights, ..NeighbourGraph::default() })
}

pub(super) fn run(task: &Task<'_>) -> Result<Outcome> {
    let graph = self_tuning_graph(task.data)?;
    clusters_of(spectral_embedding(&graph, task.clusters, task.seed)?, task)
}
