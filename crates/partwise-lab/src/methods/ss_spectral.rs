//! SS-Spectral: spectral clustering of a graph in which links are written.
//!
//! ```text
//! A ← A / max A;   A_ij = A_ji = 1 for must-links, 0 for cannot-links;   then spectral clustering of A
//! ```
//!
//! Reference: as J. Choo, C. Lee, C. K. Reddy, H. Park, "Weakly supervised nonnegative matrix factorization
//! for user-driven clustering", Data Mining and Knowledge Discovery 29, 2015, doi 10.1007/s10618-014-0384-8
//! (section 4.1) describe it, after B. Kulis, S. Basu, I. Dhillon, R. J. Mooney, "Semi-supervised graph
//! clustering: a kernel approach", Machine Learning 74, 2009, doi 10.1007/s10994-008-5084-4. Links are
//! written as given, not closed transitively.

use partwise::Result;
use partwise::graphs::Graph;

use super::links::Links;
use super::spectral::{clusters_of, self_tuning_graph, spectral_embedding};
use super::{Outcome, Task};

/// `graph` scaled to a largest weight of 1, with 1 at must-links and 0 at cannot-links.
///
/// # Errors
/// [`OutOfRange`](partwise::Error::OutOfRange) for a link outside the graph.
pub fn linked_graph(graph: &Graph, links: &Links) -> Result<Graph> {
    let largest = graph.largest_weight();
    let scaled = if largest > 0.0 { graph.mapped(|_, _, weight| weight / largest) } else { graph.clone() };
    let pairs = links.must().iter().map(|&(i, j)| (i, j, 1.0));
    let pairs: Vec<_> = pairs.chain(links.cannot().iter().map(|&(i, j)| (i, j, 0.0))).collect();
    scaled.with_pairs(&pairs)
}

pub(super) fn run(task: &Task<'_>) -> Result<Outcome> {
    let graph = linked_graph(&self_tuning_graph(task.data)?, &task.links("SS-Spectral")?)?;
    clusters_of(spectral_embedding(&graph, task.clusters, task.seed)?, task)
}
