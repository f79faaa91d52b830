//! SemiGNMF: GNMF on a graph that labels were written into.
//!
//! ```text
//! min ‖X − WH‖² + λ·tr(WᵀL'W),   L' = D' − A',   a'ᵢⱼ = 1 for labelled i ≠ j of one class,
//!                                0 for those of different classes, else aᵢⱼ
//! ```
//!
//! A class of m labelled samples makes m(m − 1)/2 edges, so it is meant for few labels per class. The remarks
//! on λ in GNMF apply here too. Reference: Cai, He, Wu & Han 2008, doi:10.1109/ICDM.2008.57. Differs: as
//! GNMF; label-aware start.

use super::gnmf::{known_graph, smoothing};
use super::{Input, Known, MethodSpec, Result, Terms, publications};
use crate::graphs::Graph;
use crate::guidance::{Labels, Strength};

pub(super) static SPEC: MethodSpec = MethodSpec {
    name: "semi-gnmf",
    estimator: "SemiGNMF",
    title: "SemiGNMF",
    summary: "GNMF on a graph in which samples of the same class are connected and those of different \
        classes are not",
    objective: "|X - W H|^2 + l tr(W' L W), L = D - A, labelled pairs of A overridden",
    needs: "a graph over the samples, and labels",
    reference: "Cai, He, Wu & Han 2008, doi:10.1109/ICDM.2008.57",
    publications: &[publications::CAI_2008],
    differs: "as GNMF; label-aware start with the codes solved first by default",
    takes: &[Input::Graph, Input::Labels],
    strength: Strength::Raw(1.0),
    terms,
    ..super::PLAIN
};

fn terms(known: Known<'_>) -> Terms {
    let (graph, strength) = known_graph(known)?;
    let labels = known.guidance.labels().ok_or_else(|| SPEC.lacks())?;
    Ok(vec![smoothing(&with_labels(graph, labels)?, strength)])
}

/// The graph with its labelled pairs overridden.
fn with_labels(graph: &Graph, labels: &Labels) -> Result<Graph> {
    let mut members = vec![Vec::new(); labels.n_classes()];
    let mut changes = Vec::new();
    for i in 0..labels.n_samples() {
        let Some(class) = labels.class(i) else { continue };
        changes.extend(members[class].iter().map(|&j| (j, i, 1.0)));
        members[class].push(i);
        let others = graph.neighbours(i).0.iter().map(|j| *j as usize);
        changes.extend(
            others.filter(|&j| labels.class(j).is_some_and(|other| other != class)).map(|j| (i, j, 0.0)),
        );
    }
    graph.with_pairs(&changes)
}
