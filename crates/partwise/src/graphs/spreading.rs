//! Label spreading and label propagation: labels flow along the edges of a graph.
//!
//! ```text
//! spreading:    F = (1 − α)(I − α D^-½ A D^-½)⁻¹ Y    (n × c), 0 < α < 1: labelled samples may change
//! propagation:  F_l = Y_l,   (D_uu − A_uu) F_u = A_ul Y_l: labelled samples keep their class
//! class of sample i: argmax_c F_ic, ties to the lower class
//! ```
//!
//! References: D. Zhou, O. Bousquet, T. N. Lal, J. Weston, B. Schölkopf, "Learning with local and global
//! consistency", NIPS 2003 (spreading); X. Zhu, Z. Ghahramani, J. Lafferty, "Semi-supervised learning using
//! Gaussian fields and harmonic functions", ICML 2003 (propagation, without their class mass normalization).
//! What differs: both are the limits of the papers' iterations, found by conjugate gradients, one for each
//! class side by side, to a relative residual of 1e-10. A sample in a component of the graph without a label
//! has no class by either; see [`Spread::unreached`].

use super::Graph;
use crate::foundation::{Error, Matrix, Result};
use crate::kernels::conjugate_gradients;
use crate::labels::Labels;

/// The relative residual to which scores are found.
const RESIDUAL: f64 = 1e-10;

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
/// [`Error::Labels`] when labels are not one per sample, or none is labelled; [`Error::OutOfRange`] for α.
pub fn label_spreading(graph: &Graph, labels: &Labels, alpha: f64) -> Result<Spread> {
    check_labels(graph, labels)?;
    check_alpha(alpha)?;
    let scores = spread_scores(&graph.normalized(), &indicator(labels), alpha, RESIDUAL)?;
    Ok(spread(graph, labels, scores))
}

/// F = (1 − α)(I − αS)⁻¹Y for a graph S without an eigenvalue above 1 (one that is
/// [`normalized`](Graph::normalized), or a weighted mean of such) and seeds Y (n × c), to a relative residual
/// of `residual` in each column. A row is 0 where no seed is connected.
///
/// # Errors
/// [`Error::Shape`] when the seeds have not one row per sample; [`Error::OutOfRange`] for α outside (0, 1) or
/// a residual outside (0, 1).
pub fn spread_scores(graph: &Graph, seeds: &Matrix<f64>, alpha: f64, residual: f64) -> Result<Matrix<f64>> {
    check_alpha(alpha)?;
    if !(residual > 0.0 && residual < 1.0) {
        return Err(Error::out_of_range("the residual of label spreading", residual, "between 0 and 1"));
    }
    if seeds.rows() != graph.n_samples() {
        return Err(Error::shape(
            "the seeds of label spreading",
            format!("{} rows", graph.n_samples()),
            format!("{} rows", seeds.rows()),
        ));
    }
    let apply = |f: &Matrix<f64>| {
        let mut image = graph.times(f);
        image.as_mut_slice().iter_mut().zip(f.as_slice()).for_each(|(g, f)| *g = f - alpha * *g);
        image
    };
    let given = Matrix::from_fn(seeds.rows(), seeds.columns(), |i, c| (1.0 - alpha) * seeds.get(i, c));
    Ok(conjugate_gradients(&apply, given, residual))
}

/// Label propagation over `graph` (n samples).
///
/// # Errors
/// [`Error::Labels`] when labels are not one per sample, or none is labelled.
pub fn label_propagation(graph: &Graph, labels: &Labels) -> Result<Spread> {
    check_labels(graph, labels)?;
    let n = graph.n_samples();
    let reached = reached(graph, labels);
    let degrees = graph.degrees();
    // In the variables D^½ f the diagonal is 1, which conjugate gradients like; samples that no label reaches
    // stay at 0.
    let free: Vec<bool> = (0..n).map(|i| labels.class(i).is_none() && reached[i]).collect();
    let scale: Vec<f64> = (0..n).map(|i| if free[i] { 1.0 / degrees[i].sqrt() } else { 0.0 }).collect();
    let scaled = |f: &Matrix<f64>| Matrix::from_fn(n, f.columns(), |i, c| scale[i] * f.get(i, c));
    let apply = |f: &Matrix<f64>| {
        let product = graph.times(&scaled(f));
        Matrix::from_fn(n, f.columns(), |i, c| f.get(i, c) - scale[i] * product.get(i, c))
    };
    let known = indicator(labels);
    let right = scaled(&graph.times(&known));
    let solved = conjugate_gradients(&apply, right, RESIDUAL);
    let score = |i: usize, c: usize| if free[i] { scale[i] * solved.get(i, c) } else { known.get(i, c) };
    let scores = Matrix::from_fn(n, known.columns(), score);
    Ok(spread(graph, labels, scores))
}

/// Y (n × c): 1 at the class of a labelled sample.
fn indicator(labels: &Labels) -> Matrix<f64> {
    let is_class = |i: usize, c: usize| f64::from(labels.class(i) == Some(c));
    Matrix::from_fn(labels.n_samples(), labels.n_classes(), is_class)
}

fn spread(graph: &Graph, labels: &Labels, scores: Matrix<f64>) -> Spread {
    let n = graph.n_samples();
    let reached = reached(graph, labels);
    let largest = |row: &[f64]| (0..row.len()).fold(0, |best, c| if row[c] > row[best] { c } else { best });
    let classes = (0..n).map(|i| reached[i].then(|| largest(scores.row(i)))).collect();
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

fn check_labels(graph: &Graph, labels: &Labels) -> Result<()> {
    if labels.n_samples() != graph.n_samples() {
        return Err(Error::Labels(format!(
            "the labels have {} entries for a graph of {} samples; one for each sample is needed (-1 for unlabelled)",
            labels.n_samples(),
            graph.n_samples()
        )));
    }
    if labels.n_labelled() == 0 {
        return Err(Error::Labels("no sample is labelled; at least one is needed for labels to flow".into()));
    }
    Ok(())
}

fn check_alpha(alpha: f64) -> Result<()> {
    if alpha > 0.0 && alpha < 1.0 {
        return Ok(());
    }
    Err(Error::out_of_range("alpha of label spreading", alpha, "between 0 and 1"))
}
