//! Label spreading and label propagation, as the library has them ([`partwise::internals::label_spreading`],
//! [`partwise::internals::label_propagation`]), on the neighbour graph.

use partwise::graphs::Graph;
use partwise::{Labels, Result};

pub use partwise::internals::{Spread, label_propagation, label_spreading};

use super::rows;
use super::spectral::{connection_note, self_tuning_graph};
use super::{Outcome, Task};

/// As tables show it.
pub(crate) const SOLVER: &str = "conjugate gradients, to the end";

/// α of the registry, as in the paper.
const SPREADING: f64 = 0.99;

pub(super) fn run_spreading(task: &Task<'_>) -> Result<Outcome> {
    let (graph, labels) = (self_tuning_graph(task.data)?, task.labels("label spreading")?);
    outcome(&graph, labels, label_spreading(&graph, labels, SPREADING)?)
}

pub(super) fn run_propagation(task: &Task<'_>) -> Result<Outcome> {
    let (graph, labels) = (self_tuning_graph(task.data)?, task.labels("label propagation")?);
    outcome(&graph, labels, label_propagation(&graph, labels)?)
}

/// The registry gives every sample a class: the unreached get the commonest one, and that is said.
fn outcome(graph: &Graph, labels: &Labels, found: Spread) -> Result<Outcome> {
    let commonest = rows::largest(labels.counts().into_iter().map(|count| count as f64));
    let classes: Vec<usize> = found.classes.iter().map(|class| class.unwrap_or(commonest)).collect();
    let mut notes: Vec<String> = connection_note(graph).into_iter().collect();
    if !found.unreached.is_empty() {
        notes.push(format!(
            "{} samples are in components of the graph without a label and got the commonest class, \"{}\"",
            found.unreached.len(),
            labels.names()[commonest]
        ));
    }
    Ok(Outcome { coordinates: Some(found.scores), notes, ..Outcome::clusters(&classes) })
}
