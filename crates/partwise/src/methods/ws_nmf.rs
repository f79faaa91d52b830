//! WS-NMF: weakly supervised NMF, references for codes and components.
//!
//! ```text
//! min ‖X − WH‖² + Σᵢ m_W[i]²‖Wᵢ − dᵢ·W_ref,i‖² + Σ_c m_H[c]²‖H_c − H_ref,c‖²,   d ≥ 0 (n) free
//! ```
//!
//! Labels become reference rows: the indicator of the class. By default their strength is relative,
//!
//! ```text
//! min ‖X − WH‖² + s²·Σ_{i labelled} Σ_{j ≠ class(i)} w_ij²‖h_j‖²
//! ```
//!
//! which is the same anchor at unit length of the components ([`Placement`]); [`Strength::Raw`] is the
//! paper's m_W = s. Class j is component j, or owns p components in a row
//! ([`MethodOptions::components_per_class`](super::MethodOptions); j ≠ class(i) is then "not of class(i)"); k
//! may be larger than what the classes own (free components). A graph over the samples adds, at unit length
//! of the components too,
//!
//! ```text
//! λ·Σ_c ‖h_c‖²·w_cᵀLw_c        (λ·tr(WᵀLW) with the raw unit, as in GNMF)
//! ```
//!
//! Reference: Choo, Lee, Reddy & Park 2015, doi:10.1007/s10618-014-0384-8. Differs: eq. 7 prints α, β where
//! eqs. 3 and 6 mean α², β² (weights enter squared here); labels have a unit-free strength by default; d is
//! minimized out exactly instead of alternating (METHODS R5, the same stationary points;
//! [`AnchorScale::Alternating`] is the paper's scheme); any solver but MU for the joint form, not only BPP.

use super::gnmf::{known_graph, smoothing};
use super::{Error, Input, Known, MethodSpec, Result, Shape, Terms, publications};
use crate::engine::Slot;
use crate::engine::term::ModelTerm;
use crate::foundation::Matrix;
use crate::guidance::{CodeReference, Labels, Strength};
use crate::terms::{Placement, RowAnchor};

/// Its name in the registry.
pub(crate) const NAME: &str = "ws-nmf";

pub(super) static SPEC: MethodSpec = MethodSpec {
    name: NAME,
    estimator: "WSNMF",
    title: "WS-NMF",
    summary: "codes and components are pulled towards references with a chosen strength",
    objective: "|X - W H|^2 + sum_i m_W[i]^2 |W_i - d_i W_ref,i|^2 + sum_c m_H[c]^2 |H_c - H_ref,c|^2",
    needs: "labels, reference codes or reference components",
    reference: "Choo, Lee, Reddy & Park 2015, doi:10.1007/s10618-014-0384-8",
    publications: &[publications::CHOO_2015],
    differs: "labels have a unit-free strength by default; the free scale d is fitted exactly; label-aware \
        start with the codes solved first; any solver",
    takes: &[
        Input::Labels,
        Input::CodeReference,
        Input::ComponentReference,
        Input::Graph,
        Input::AnchorScale,
        Input::ComponentsPerClass,
    ],
    strength: Strength::STRONG,
    terms,
    ..super::PLAIN
};

fn terms(known: Known<'_>) -> Terms {
    let (guidance, shape) = (known.guidance, known.shape);
    let mut terms = Vec::new();
    let from_labels = match (guidance.labels(), guidance.code_reference()) {
        (Some(labels), None) => match checked_strength(SPEC.title, labels, known)? {
            Strength::Raw(weight) => Some(indicator(labels, weight, shape)),
            relative => {
                terms.push(class_anchor(Slot::Codes, labels, known, relative.sigma()));
                None
            }
        },
        _ => None,
    };
    if let Some(reference) = from_labels.as_ref().or(guidance.code_reference()) {
        let (rows, weight) = (reference.reference.clone(), reference.squared_weights());
        terms.push(Box::new(RowAnchor::new(Slot::Codes, rows, weight, known.options.anchor_scale)));
    }
    if let Some(reference) = guidance.component_reference() {
        terms.push(Box::new(reference.anchor(shape)));
    }
    if terms.is_empty() {
        return Err(SPEC.lacks());
    }
    if guidance.graph().is_some() {
        let (graph, strength) = known_graph(known)?;
        terms.push(smoothing(graph, strength));
    }
    Ok(terms)
}

/// Labelled rows of `slot` pulled to the components of their class, without a unit.
pub(super) fn class_anchor(slot: Slot, labels: &Labels, known: Known<'_>, sigma: f64) -> Box<dyn ModelTerm> {
    let classes: Vec<Option<usize>> = (0..labels.n_samples()).map(|i| labels.class(i)).collect();
    let per_class = known.options.components_per_class;
    Box::new(Placement::classes(slot, &classes, per_class, known.shape.rank, sigma))
}

/// The strength of labels, in range and with components enough for them.
pub(super) fn checked_strength(title: &str, labels: &Labels, known: Known<'_>) -> Result<Strength> {
    let strength = known.guidance.label_strength().unwrap_or(Strength::FIRM);
    strength.check("strength")?;
    if strength.is_held() {
        return Err(Error::incompatible(
            format!("labels with strength 1 in {title}"),
            "it pulls rows to their class but has no exact form",
            vec!["a strength below 1".into(), format!("method {}", super::guided::SPEC.name)],
        ));
    }
    let per_class = known.options.components_per_class;
    if per_class > 1 && strength.is_raw() {
        return Err(Error::incompatible(
            format!("{per_class} components per class with the raw unit of strength"),
            "the published reference row of a class has one component",
            ["one component per class", "the relative strength"],
        ));
    }
    let needed = labels.n_classes().saturating_mul(per_class);
    if needed > known.shape.rank {
        let owned = if per_class == 1 { "one component".into() } else { format!("{per_class} components") };
        return Err(Error::out_of_range(
            "rank k",
            known.shape.rank,
            format!("at least {needed}, {owned} for each class, with {title}"),
        ));
    }
    Ok(strength)
}

/// Labelled rows become indicators of their class, with weight `strength`.
pub(super) fn indicator(labels: &Labels, strength: f64, shape: Shape) -> CodeReference {
    let is_class = |i: usize, j: usize| labels.class(i) == Some(j);
    CodeReference {
        reference: Matrix::from_fn(labels.n_samples(), shape.rank, |i, j| f64::from(is_class(i, j))),
        weight: (0..labels.n_samples())
            .map(|i| if labels.class(i).is_some() { strength } else { 0.0 })
            .collect(),
    }
}
