//! Graphs of the samples, from a file or of nearest neighbours.

use anyhow::Result;
use partwise::graphs::{Graph, neighbour_graph};
use partwise::{DataMatrix, Real};
use partwise_io::read_graph;

use crate::input::Source;
use crate::request::GraphSource;

impl GraphSource {
    /// The graph, and a sentence on it with a `remark`. `data` are scaled.
    pub(crate) fn graph<T: Real>(
        &self,
        source: &Source,
        data: &dyn DataMatrix<T>,
        remark: &str,
    ) -> Result<(Graph, String)> {
        let (graph, origin) = match self {
            GraphSource::File(path) => {
                let (graph, notes, _) = read_graph(path, &source.names())?;
                (graph, [vec![path.display().to_string()], notes].concat().join("; "))
            }
            GraphSource::Neighbours(settings, words) => (neighbour_graph(data, settings)?, words.clone()),
        };
        let words = graph_in_words(&graph, remark, &origin);
        Ok((graph, words))
    }
}

/// A graph in a sentence, with a `remark` and where it is from.
pub(crate) fn graph_in_words(graph: &Graph, remark: &str, origin: &str) -> String {
    let isolated = match graph.isolated().len() {
        0 => String::new(),
        count => format!(", {count} isolated samples (without an edge)"),
    };
    let (entries, parts) = (graph.n_entries(), graph.n_components());
    format!("graph: {entries} entries and {parts} connected components{isolated}, {remark}{origin}")
}
