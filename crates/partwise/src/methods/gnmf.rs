//! GNMF: graph-regularized NMF, samples that are connected in a graph get similar codes.
//!
//! ```text
//! min ‖X − WH‖² + λ·tr(WᵀLW) = ‖X − WH‖² + (λ/2)·Σᵢⱼ aᵢⱼ‖wᵢ − wⱼ‖²,   L = D − A,   dᵢ = Σⱼ aᵢⱼ
//! ```
//!
//! A (n × n) is a graph over the samples, such as that of their nearest neighbours (the paper: 5 of them,
//! 0-1, heat or dot-product weights). λ has the unit of the squared components, and the published objective
//! has no minimizer: shrinking the codes and growing the components leaves WH and takes the term towards 0.
//! What λ does therefore depends on the start and on when one stops, least with multiplicative updates, which
//! hardly move along that direction. References: Cai, He, Wu & Han 2008, doi:10.1109/ICDM.2008.57; Cai, He,
//! Han & Huang 2011, doi:10.1109/TPAMI.2010.231. Differs: supports every solver; those but multiplicative
//! updates minimize a separable majorizer ([`GraphSmoothing`](crate::terms::GraphSmoothing)); components are
//! not rescaled to unit length at the end.

use super::{Input, Known, MethodSpec, Result, Terms, publications};
use crate::engine::term::ModelTerm;
use crate::graphs::Graph;
use crate::guidance::{Advice, Strength, check_graph, raw_graph};
use crate::terms::GraphSmoothing;

pub(super) static SPEC: MethodSpec = MethodSpec {
    name: "gnmf",
    estimator: "GNMF",
    title: "GNMF",
    summary: "samples that are connected in a graph get similar codes",
    objective: "|X - W H|^2 + l tr(W' L W), L = D - A",
    needs: "a graph over the samples",
    reference: "Cai, He, Wu & Han 2008, doi:10.1109/ICDM.2008.57; Cai, He, Han & Huang 2011, doi:10.1109/TPAMI.2010.231",
    publications: &[publications::CAI_2008, publications::CAI_2011],
    differs: "any solver (all except multiplicative updates use a separable majorizer); no rescaling at the \
        end",
    takes: &[Input::Graph],
    strength: Strength::Raw(1.0),
    terms,
    ..super::PLAIN
};

fn terms(known: Known<'_>) -> Terms {
    let (graph, strength) = known_graph(known)?;
    Ok(vec![smoothing(graph, strength)])
}

/// The graph, of as many samples as the data have, beside a valid strength.
pub(super) fn known_graph(known: Known<'_>) -> Result<(&Graph, Strength)> {
    let item = known.guidance.graph_item().ok_or_else(|| known.spec.lacks())?;
    let Advice::Graph { graph, .. } = item else { return Err(known.spec.lacks()) };
    check_graph(graph, known.shape)?;
    Ok((graph, item.strength_in_fit("graph weight")?))
}

/// The term of the graph: published with a raw strength, measured at unit length of the components with a
/// relative one.
pub(super) fn smoothing(graph: &Graph, strength: Strength) -> Box<dyn ModelTerm> {
    Box::new(match strength {
        Strength::Raw(lambda) => raw_graph(graph, lambda),
        relative => GraphSmoothing::relative(graph.clone(), relative.weight()),
    })
}
