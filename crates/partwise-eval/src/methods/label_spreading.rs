//! Label spreading and label propagation: labels flow along the edges of a graph.
//!
//! ```text
//! spreading:    F = (1 − α)(I − α D^-½ A D^-½)⁻¹ Y    (n × c), 0 < α < 1: labelled samples may change
//! propagation:  F_l = Y_l,   (D_uu − A_uu) F_u = A_ul Y_l: labelled samples keep their class
//! class of sample i: argmax_c F_ic, ties to the lower class
//! ```
//!
//! References: D. Zhou, O. Bousquet, T. N. Lal, J. Weston, B. Schölkopf, "Learning with local and global consistency",
//! NIPS 2003 (spreading); X. Zhu, Z. Ghahramani, J. Lafferty, "Semi-supervised learning using Gaussian fields and harmonic
//! functions", ICML 2003 (propagation, without their class mass normalization).
//! What differs: both are the limits of the papers' iterations, found by conjugate gradients to a relative residual of 1e-10.
//! A sample in a component of the graph without a label has no class by either; see [`Spread::unreached`].

use partwise::graphs::Graph;
use partwise::{Labels, Matrix, Result};

use super::rows::{self, dot};
use super::spectral::{connection_note, self_tuning_graph};
use super::{Outcome, Task};

/// α of the registry, as in the paper.
const SPREADING: f64 = 0.99;

/// Labels that have flowed.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// F (n × c).
    pub scores: Matrix<f64>,
    /// The class of each sample (n); `None` for the unreached.
    pub classes: Vec<Option<usize>>,
    /// Samples in components of the graph without a label, ascending.
    pub unreached: Vec<usize>,
}

/// Label spreading over `graph` (n samples) with `alpha` between 0 and 1 (both excluded).
///
/// # Errors
/// [`Shape`](partwise::Error::Shape) when labels are not one a sample; [`Labels`](partwise::Error::Labels) when none is labelled; [`OutOfRange`](partwise::Error::OutOfRange) for α.
pub fn label_spreading(graph: &Graph, labels: &Labels, alpha: f64) -> Result<Spread> {
    super::check_label_count(graph.n_samples(), labels)?;
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(rows::out_of_range("alpha of label spreading", alpha, "between 0 and 1"));
    }
    let normalized = graph.normalized();
    let apply = |f: &[f64]| {
        let product = times_vector(&normalized, f);
        f.iter().zip(product).map(|(f, product)| f - alpha * product).collect()
    };
    let given = |class: usize| -> Vec<f64> {
        (0..graph.n_samples())
            .map(|i| if labels.class(i) == Some(class) { 1.0 - alpha } else { 0.0 })
            .collect()
    };
    let columns = (0..labels.n_classes()).map(|class| conjugate_gradients(&apply, &given(class))).collect();
    Ok(spread(graph, labels, columns))
}

/// Label propagation over `graph` (n samples).
///
/// # Errors
/// [`Shape`](partwise::Error::Shape) when labels are not one a sample; [`Labels`](partwise::Error::Labels) when none is labelled.
pub fn label_propagation(graph: &Graph, labels: &Labels) -> Result<Spread> {
    let n = graph.n_samples();
    super::check_label_count(n, labels)?;
    let reached = reached(graph, labels);
    let degrees = graph.degrees();
    // In the variables D^½ f the diagonal is 1, which conjugate gradients like; samples that no label reaches stay at 0.
    let free: Vec<bool> = (0..n).map(|i| labels.class(i).is_none() && reached[i]).collect();
    let scale: Vec<f64> = (0..n).map(|i| if free[i] { 1.0 / degrees[i].sqrt() } else { 0.0 }).collect();
    let apply = |f: &[f64]| {
        let scaled: Vec<f64> = f.iter().zip(&scale).map(|(f, scale)| f * scale).collect();
        let product = times_vector(graph, &scaled);
        (0..n).map(|i| f[i] - scale[i] * product[i]).collect()
    };
    let column = |class: usize| {
        let known: Vec<f64> = (0..n).map(|i| f64::from(labels.class(i) == Some(class))).collect();
        let right: Vec<f64> =
            times_vector(graph, &known).into_iter().zip(&scale).map(|(value, scale)| scale * value).collect();
        let solved = conjugate_gradients(&apply, &right);
        (0..n).map(|i| if free[i] { scale[i] * solved[i] } else { known[i] }).collect()
    };
    let columns = (0..labels.n_classes()).map(column).collect();
    Ok(spread(graph, labels, columns))
}

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

fn spread(graph: &Graph, labels: &Labels, columns: Vec<Vec<f64>>) -> Spread {
    let n = graph.n_samples();
    let scores = Matrix::from_fn(n, columns.len(), |i, c| columns[c][i]);
    let reached = reached(graph, labels);
    let classes = (0..n).map(|i| reached[i].then(|| rows::largest(scores.row(i).iter().copied()))).collect();
    Spread { scores, classes, unreached: (0..n).filter(|i| !reached[*i]).collect() }
}

/// Whether the component of each sample has a label.
fn reached(graph: &Graph, labels: &Labels) -> Vec<bool> {
    let components = graph.components();
    let mut has_label = vec![false; components.len()];
    for (i, component) in components.iter().enumerate() {
        has_label[*component] |= labels.class(i).is_some();
    }
    components.iter().map(|component| has_label[*component]).collect()
}

fn times_vector(graph: &Graph, vector: &[f64]) -> Vec<f64> {
    let entry = |i: usize| {
        let (neighbours, weights) = graph.neighbours(i);
        neighbours.iter().zip(weights).map(|(j, weight)| weight * vector[*j as usize]).sum()
    };
    (0..graph.n_samples()).map(entry).collect()
}

/// x with A x = b for a symmetric positive definite operator.
fn conjugate_gradients(apply: &impl Fn(&[f64]) -> Vec<f64>, b: &[f64]) -> Vec<f64> {
    let mut x = vec![0.0; b.len()];
    let mut residual = b.to_vec();
    let mut direction = b.to_vec();
    let mut size = dot(b, b);
    let enough = 1e-20 * size;
    for _ in 0..10 * b.len() + 100 {
        if size <= enough {
            break;
        }
        let image = apply(&direction);
        let step = size / dot(&direction, &image);
        for i in 0..x.len() {
            x[i] += step * direction[i];
            residual[i] -= step * image[i];
        }
        let next = dot(&residual, &residual);
        let share = next / size;
        direction.iter_mut().zip(&residual).for_each(|(d, r)| *d = r + share * *d);
        size = next;
    }
    x
}
