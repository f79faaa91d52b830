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
                let (graph, notes) = read_graph(path, source.rows, source.row_names.as_deref())?;
                (graph, [vec![path.display().to_string()], notes].concat().join("; "))
            }
            GraphSource::Neighbours(settings, words) => (neighbour_graph(data, settings)?, words.clone()),
        };
        let isolated = match graph.isolated().len() {
            0 => String::new(),
            count => format!(", {count} isolated samples (without an edge)"),
        };
        let (entries, parts) = (graph.n_entries(), graph.n_components());
        let words = format!(
            "a graph with {entries} entries and {parts} connected components{isolated}, {remark}{origin}"
        );
        Ok((graph, words))
    }
}
