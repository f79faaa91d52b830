//! GNMF: graph-regularized NMF, samples that are joined in a graph get similar codes.
//!
//! ```text
//! min ‖X − WH‖² + λ·tr(WᵀLW) = ‖X − WH‖² + (λ/2)·Σᵢⱼ aᵢⱼ‖wᵢ − wⱼ‖²,   L = D − A,   dᵢ = Σⱼ aᵢⱼ
//! ```
//!
//! A (n × n) is a graph over the samples, such as that of their nearest neighbours (the paper: 5 of them, 0-1, heat or dot-product
//! weights). λ has the unit of the squared components, and the published objective has no minimizer: shrinking the codes and growing
//! the components leaves WH and takes the term towards 0. What λ does therefore depends on the start and on when one stops, least
//! with multiplicative updates, which hardly move along that direction.
//! References: Cai, He, Wu & Han 2008, doi:10.1109/ICDM.2008.57; Cai, He, Han & Huang 2011, doi:10.1109/TPAMI.2010.231. Differs:
//! every solver serves it; those but multiplicative updates minimize a separable majorizer
//! ([`GraphSmoothing`](crate::terms::GraphSmoothing)); components are not rescaled to unit length at the end.

use super::{ModelSpec, Shape, Tying};
use crate::engine::losses::Loss;
use crate::engine::term::ModelTerm;
use crate::foundation::{Error, Result};
use crate::graphs::Graph;
use crate::guidance::Knowledge;
use crate::terms::{GraphForm, GraphSmoothing};

pub(super) static SPEC: ModelSpec = ModelSpec {
    name: "gnmf",
    title: "GNMF",
    summary: "samples that are joined in a graph get similar codes",
    objective: "|X - W H|^2 + l tr(W' L W), L = D - A",
    needs: "a graph over the samples",
    losses: &[Loss::Frobenius],
    tying: Tying::Free,
    reference: "Cai, He, Wu & Han 2008, doi:10.1109/ICDM.2008.57; Cai, He, Han & Huang 2011, doi:10.1109/TPAMI.2010.231",
    differs: "any solver (all but multiplicative updates on a separable majorizer); no rescaling at the end",
    terms,
    ..super::PLAIN
};

fn terms(knowledge: &Knowledge, shape: Shape) -> Result<Vec<Box<dyn ModelTerm>>> {
    let graph = known_graph(&SPEC, knowledge, shape)?;
    Ok(smoothing(graph.clone(), knowledge))
}

/// The graph, of as many samples as the data have, beside a valid weight.
pub(super) fn known_graph<'k>(spec: &ModelSpec, knowledge: &'k Knowledge, shape: Shape) -> Result<&'k Graph> {
    let Some(graph) = &knowledge.graph else {
        return Err(Error::MissingGuidance { model: spec.title.into(), needs: spec.needs.into() });
    };
    if graph.n_samples() != shape.samples {
        return Err(Error::Shape {
            what: "the graph over the samples".into(),
            expected: format!("{} samples", shape.samples),
            found: format!("{} samples", graph.n_samples()),
        });
    }
    let weight = knowledge.graph_weight;
    if !(weight >= 0.0 && weight.is_finite()) {
        return Err(Error::OutOfRange {
            name: "graph weight".into(),
            value: weight.to_string(),
            valid: "a finite number of 0 or more".into(),
        });
    }
    Ok(graph)
}

/// The term of the graph. Its form is chosen with the solver, when the problem is made.
pub(super) fn smoothing(graph: Graph, knowledge: &Knowledge) -> Vec<Box<dyn ModelTerm>> {
    let term = GraphSmoothing::new(graph, knowledge.graph_weight, GraphForm::Separable);
    vec![Box::new(term)]
}
