//! Edge lists: a text table with the header `source,target` or `source,target,weight` is an undirected graph,
//! read as its symmetric adjacency matrix (n × n, sparse).
//!
//! Policies, each with a note: an edge without a weight has weight 1; the same edge twice in one direction is
//! summed; an edge that is listed in both directions counts once, with the larger weight where the two
//! differ; self-loops stay on the diagonal. Nodes are counted from 0, n is the largest index + 1 unless
//! [`ReadOptions::n_nodes`] is larger; without it, a node far beyond the number of edges is refused, and
//! nodes without edges are noted. With [`ReadOptions::node_names`] they may be named.

use crate::error::{Place, Result};
use crate::formats::ReadOptions;
use crate::names::{DataNames, Lookup};
use crate::records::{Records, Spaces, cell, cell_text, split_rule};
use crate::source::Source;
use crate::sparse::Triplets;
use crate::table::{FileKind, Table, counted};
use crate::text::{number, quoted, whole};

/// Whether the first line is the header of an edge list.
pub(crate) fn has_edge_header(text: &[u8]) -> bool {
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let cells: Vec<&[u8]> = line
        .split(|byte| matches!(byte, b',' | b'\t' | b';'))
        .map(|cell| cell.trim_ascii())
        .map(|cell| cell.strip_prefix(b"\"").and_then(|c| c.strip_suffix(b"\"")).unwrap_or(cell))
        .collect();
    matches!(cells[..], [b"source", b"target"] | [b"source", b"target", b"weight"])
}

/// Without a stated number of nodes, as many as these and so many per edge are believed: the others would be
/// samples without any edge.
const FEW_NODES: usize = 1000;
const NODES_AN_EDGE: usize = 8;

/// One line: the smaller node, the larger node, whether they came in that order, and the weight.
type Edge = (u32, u32, bool, f64);

/// Reads an edge list.
pub(crate) fn read(source: &Source, options: &ReadOptions) -> Result<Table> {
    if !has_edge_header(source.text_bytes()) {
        let message = "the first line of an edge list must be source,target or source,target,weight";
        return Err(source.malformed(Place::Line(1), message));
    }
    let (text, delimiter) = split_rule(source.text_bytes(), Spaces::Numbers);
    let mut records = Records::new(source, &text, delimiter);
    let width = records.next()?.map_or(2, csv::ByteRecord::len);
    let mut edges: Vec<Edge> = Vec::new();
    let (mut largest, mut largest_offset) = (0, 0);
    let names = options.node_names.as_deref();
    let nodes = DataNames::of_samples(options.n_nodes.or(names.map(<[String]>::len)).unwrap_or(0), names);
    let mut lookup = names.map(|_| nodes.lookup());
    while records.next()?.is_some() {
        let edge = parse_edge(&records, width, options.n_nodes, lookup.as_mut())?;
        if edges.is_empty() || edge.1 > largest {
            (largest, largest_offset) = (edge.1, records.offset());
        }
        edges.push(edge);
    }
    if edges.is_empty() {
        return Err(source.malformed(Place::Line(1), "the edge list has no edges"));
    }
    // Each node costs memory whether or not it has edges, so a far-off index is taken for a mistake.
    let bound = FEW_NODES + NODES_AN_EDGE * edges.len();
    if options.n_nodes.is_none() && largest as usize >= bound {
        let message = format!(
            "node number {largest} is too large for {} (up to node {}); number the nodes from 0 without \
            large gaps",
            counted(edges.len(), "edge", "edges"),
            bound - 1
        );
        return Err(source.malformed(Place::Line(records.line_at(largest_offset)), message));
    }
    let nodes = options.n_nodes.unwrap_or(largest as usize + 1);
    let (triplets, mut notes) = symmetric(edges);
    notes.extend(lookup.and_then(|lookup| lookup.note("edges")));
    let mut touched = triplets.rows.clone();
    touched.sort_unstable();
    touched.dedup();
    if options.n_nodes.is_none() && touched.len() < nodes {
        notes.push(format!("{} no edge", counted(nodes - touched.len(), "node has", "nodes have")));
    }
    let (values, _) = triplets.compress(nodes, nodes);
    Ok(Table::new(FileKind::Edges, values, notes, &source.sha256))
}

fn parse_edge(
    records: &Records<'_>,
    width: usize,
    nodes: Option<usize>,
    mut lookup: Option<&mut Lookup<'_, '_>>,
) -> Result<Edge> {
    let record = records.current();
    records.expect_width(width, "")?;
    let fault = |column: usize, message: String| {
        records.fault(column, Some(["source", "target", "weight"][column]), message)
    };
    let mut ends = [0u32; 2];
    for (column, end) in ends.iter_mut().enumerate() {
        let bytes = cell(record, column);
        if let Some(lookup) = &mut lookup {
            let found = lookup.sample(&cell_text(record, column));
            *end = found.map_err(|message| fault(column, message))? as u32;
            continue;
        }
        let limit = nodes.map_or(u64::from(u32::MAX), |nodes| (nodes as u64).min(u64::from(u32::MAX)));
        match whole(bytes) {
            Some(index) if index < limit => *end = index as u32,
            Some(index) => return Err(fault(column, format!("node {index} must be in 0..{limit}"))),
            None => {
                let text = quoted(cell_text(record, column).as_bytes());
                return Err(fault(column, format!("{text} is not a node number (0 or more)")));
            }
        }
    }
    let weight = if width == 3 {
        match number(cell(record, 2)).filter(|weight| weight.is_finite()) {
            Some(weight) => weight,
            None => return Err(fault(2, format!("{} is not a number", quoted(cell(record, 2))))),
        }
    } else {
        1.0
    };
    Ok((ends[0].min(ends[1]), ends[0].max(ends[1]), ends[0] <= ends[1], weight))
}

/// Each undirected edge once for each of its ends, and the notes on what had to be decided.
fn symmetric(mut edges: Vec<Edge>) -> (Triplets<f64>, Vec<String>) {
    edges.sort_by_key(|edge| (edge.0, edge.1, edge.2));
    let mut triplets = Triplets::with_capacity(2 * edges.len());
    let (mut loops, mut repeated, mut both, mut different) = (0, 0, 0, 0);
    for group in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (low, high, ..) = group[0];
        let mut sums: [Option<f64>; 2] = [None, None];
        for (_, _, forward, weight) in group {
            let sum = &mut sums[usize::from(*forward)];
            repeated += usize::from(sum.is_some());
            *sum = Some(sum.unwrap_or(0.0) + weight);
        }
        let weight = match sums {
            [Some(backward), Some(forward)] => {
                both += 1;
                different += usize::from(backward != forward);
                backward.max(forward)
            }
            [one, other] => one.or(other).unwrap_or(0.0),
        };
        triplets.push(low, high, weight);
        if low == high {
            loops += 1;
        } else {
            triplets.push(high, low, weight);
        }
    }
    let mut notes = vec!["an undirected edge list was read as a symmetric matrix".to_string()];
    if repeated > 0 {
        notes.push(format!("{} summed", counted(repeated, "repeated edge was", "repeated edges were")));
    }
    if both > 0 {
        let edges = counted(both, "edge is", "edges are");
        let larger = if different > 0 {
            format!(", {different} with the larger of two weights")
        } else {
            String::new()
        };
        notes.push(format!("{edges} listed in both directions and counted once{larger}"));
    }
    if loops > 0 {
        notes.push(format!("{} kept on the diagonal", counted(loops, "self-loop was", "self-loops were")));
    }
    (triplets, notes)
}
