//! Graphs of the samples, from a file or of nearest neighbours.

use std::path::Path;

use anyhow::{Context, Result};
use partwise::graphs::{Graph, neighbour_graph};
use partwise::{DataMatrix, Real};
use partwise_io::{Matched, ReadOptions, Values, read_table};

use crate::input::Source;
use crate::request::GraphSource;
use crate::tables::values_by_name;

impl GraphSource {
    /// The graph, and a sentence on it with a `remark`. `data` are scaled.
    pub(crate) fn graph<T: Real>(
        &self,
        source: &Source,
        data: &dyn DataMatrix<T>,
        remark: &str,
    ) -> Result<(Graph, String)> {
        let (graph, origin) = match self {
            GraphSource::File(path) => of_file(path, source)?,
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

/// The graph of a file, and what it is from.
fn of_file(path: &Path, source: &Source) -> Result<(Graph, String)> {
    let options = ReadOptions {
        n_nodes: Some(source.rows),
        node_names: source.row_names.clone(),
        ..ReadOptions::default()
    };
    let table = read_table(path, &options)?;
    let place = || path.display().to_string();
    let origin = [vec![place()], table.notes.clone()].concat().join("; ");
    let columns = source.samples().map(|(names, _)| (names, Matched::COLUMNS_FOR_SAMPLES));
    let values = values_by_name(table, path, source.samples(), columns)?;
    let graph = match values {
        Values::Sparse { rows, columns, indptr, indices, values } if rows == columns => {
            let row = |i: usize| (indptr[i]..indptr[i + 1]).map(move |at| (i, at));
            let entries: Vec<_> =
                (0..rows).flat_map(row).map(|(i, at)| (i, indices[at] as usize, values.get(at))).collect();
            Graph::from_entries(rows, &entries)
        }
        values => Graph::from_matrix(&values.into_matrix(path)?),
    };
    Ok((graph.with_context(place)?, origin))
}
