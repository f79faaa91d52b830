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
//! which is the same anchor at unit length of the components ([`Placement`]); [`StrengthUnit::Raw`] is the paper's m_W = s.
//! Class j is component j, or owns p components in a row ([`Knowledge::components_per_class`]; j ≠ class(i) is then "not of class(i)");
//! k may be larger than what the classes own (free components). A graph over the samples adds, at unit length of the components too,
//!
//! ```text
//! λ·Σ_c ‖h_c‖²·w_cᵀLw_c        (λ·tr(WᵀLW) with the raw unit, as in GNMF)
//! ```
//!
//! Reference: Choo, Lee, Reddy & Park 2015, doi:10.1007/s10618-014-0384-8. Differs: eq. 7 prints α, β where eqs. 3 and 6 mean
//! α², β² (weights enter squared here); labels are held with a strength without a unit by default; d is minimized out exactly instead of alternating (METHODS R5,
//! the same stationary points; [`AnchorScale::Alternating`] is the paper's scheme); any solver but MU for the joint form, not only BPP.

use super::gnmf::{known_graph, smoothing};
use super::{Form, ModelSpec, Shape, Tying};
use crate::engine::Slot;
use crate::engine::losses::Loss;
use crate::engine::term::ModelTerm;
use crate::foundation::checks::check_non_negative;
use crate::foundation::{Error, Matrix, Result};
use crate::guidance::{CodeReference, ComponentReference, Knowledge, Labels, StrengthUnit};
use crate::terms::{ComponentAnchor, GraphSmoothing, Placement, RowAnchor};

/// Its name in the registry.
pub(crate) const NAME: &str = "ws-nmf";

pub(super) static SPEC: ModelSpec = ModelSpec {
    name: NAME,
    title: "WS-NMF",
    summary: "codes and components are pulled towards references with a chosen strength",
    objective: "|X - W H|^2 + sum_i m_W[i]^2 |W_i - d_i W_ref,i|^2 + sum_c m_H[c]^2 |H_c - H_ref,c|^2",
    needs: "labels, reference codes or reference components",
    losses: &[Loss::Frobenius],
    tying: Tying::Free,
    form: Form::Matrix,
    reference: "Choo, Lee, Reddy & Park 2015, doi:10.1007/s10618-014-0384-8",
    differs: "labels are held with a strength without a unit by default; the free scale d is minimized out exactly; label-aware start with the codes solved first; any solver",
    terms,
    ..super::PLAIN
};

fn terms(knowledge: &Knowledge, shape: Shape) -> Result<Vec<Box<dyn ModelTerm>>> {
    let mut terms = Vec::new();
    let from_labels = match (&knowledge.labels, &knowledge.code_reference) {
        (Some(labels), None) => {
            check_strength(SPEC.title, labels, knowledge, shape)?;
            if knowledge.strength_unit == StrengthUnit::Relative {
                terms.push(class_anchor(Slot::Codes, labels, knowledge, shape, knowledge.strength));
                None
            } else {
                Some(indicator(labels, knowledge.strength, shape))
            }
        }
        _ => None,
    };
    if let Some(reference) = from_labels.as_ref().or(knowledge.code_reference.as_ref()) {
        let weight = reference.weight.iter().map(|m| m * m).collect();
        let anchor = RowAnchor::new(Slot::Codes, reference.reference.clone(), weight, knowledge.anchor_scale);
        terms.push(Box::new(anchor));
    }
    if let Some(reference) = &knowledge.component_reference {
        let known = reference.reference.rows();
        let value = |f, c| if c < known { reference.reference.get(c, f) } else { 0.0 };
        let by_feature = Matrix::from_fn(shape.features, shape.rank, value);
        let weight = (0..shape.rank).map(|c| reference.weight.get(c).map_or(0.0, |m| m * m)).collect();
        terms.push(Box::new(ComponentAnchor::new(Slot::Components, by_feature, weight)));
    }
    if terms.is_empty() {
        return Err(Error::MissingGuidance { model: SPEC.title.into(), needs: SPEC.needs.into() });
    }
    if knowledge.graph.is_some() {
        let graph = known_graph(&SPEC, knowledge, shape)?.clone();
        if knowledge.strength_unit == StrengthUnit::Relative {
            let term = GraphSmoothing::relative(graph, knowledge.graph_weight);
            terms.push(Box::new(term));
        } else {
            terms.extend(smoothing(graph, knowledge));
        }
    }
    Ok(terms)
}

/// Labelled rows of `slot` held to the components of their class, without a unit.
pub(super) fn class_anchor(
    slot: Slot,
    labels: &Labels,
    knowledge: &Knowledge,
    shape: Shape,
    strength: f64,
) -> Box<dyn ModelTerm> {
    let classes: Vec<Option<usize>> = (0..labels.n_samples()).map(|i| labels.class(i)).collect();
    let per_class = knowledge.components_per_class;
    Box::new(Placement::classes(slot, &classes, per_class, shape.rank, strength))
}

/// The strength of labels, and components enough for them.
pub(super) fn check_strength(
    title: &str,
    labels: &Labels,
    knowledge: &Knowledge,
    shape: Shape,
) -> Result<()> {
    let strength = knowledge.strength;
    if !(strength >= 0.0 && strength.is_finite()) {
        return Err(Error::OutOfRange {
            name: "strength".into(),
            value: strength.to_string(),
            valid: "a finite number of 0 or more".into(),
        });
    }
    let per_class = knowledge.components_per_class;
    if per_class == 0 {
        return Err(Error::OutOfRange {
            name: "components per class".into(),
            value: "0".into(),
            valid: "1 or more".into(),
        });
    }
    if per_class > 1 && knowledge.strength_unit == StrengthUnit::Raw {
        return Err(Error::Incompatible {
            asked: format!("{per_class} components per class with the raw unit of strength"),
            reason: "the published reference row of a class has one component".into(),
            valid: vec!["one component per class".into(), "the relative strength".into()],
        });
    }
    if labels.n_classes().saturating_mul(per_class) > shape.rank {
        let owned = if per_class == 1 { "one component".into() } else { format!("{per_class} components") };
        return Err(Error::OutOfRange {
            name: "rank k".into(),
            value: shape.rank.to_string(),
            valid: format!(
                "at least {}, {owned} for each class, with {title}",
                labels.n_classes().saturating_mul(per_class)
            ),
        });
    }
    Ok(())
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

/// Shapes, weights and entries of the references.
pub(crate) fn check_references(knowledge: &Knowledge, shape: Shape) -> Result<()> {
    if let Some(reference) = &knowledge.code_reference {
        check_codes(reference, shape)?;
    }
    match &knowledge.component_reference {
        Some(reference) => check_components(reference, shape),
        None => Ok(()),
    }
}

fn check_codes(reference: &CodeReference, shape: Shape) -> Result<()> {
    check_shape(
        "the reference of the codes (n x k)",
        (shape.samples, shape.rank),
        reference.reference.shape(),
    )?;
    check_weights("the weights of the reference codes", shape.samples, &reference.weight)?;
    check_non_negative("the reference of the codes", &reference.reference)
}

fn check_components(reference: &ComponentReference, shape: Shape) -> Result<()> {
    let (known, features) = reference.reference.shape();
    if known > shape.rank {
        return Err(Error::OutOfRange {
            name: "rank k".into(),
            value: shape.rank.to_string(),
            valid: format!("at least {known}, the number of reference components"),
        });
    }
    check_shape(
        "the reference components (one row each, d columns)",
        (known, shape.features),
        (known, features),
    )?;
    check_weights("the weights of the reference components", known, &reference.weight)?;
    check_non_negative("the reference components", &reference.reference)
}

fn check_shape(what: &str, expected: (usize, usize), found: (usize, usize)) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(Error::Shape {
        what: what.into(),
        expected: format!("{} x {}", expected.0, expected.1),
        found: format!("{} x {}", found.0, found.1),
    })
}

fn check_weights(what: &str, expected: usize, weights: &[f64]) -> Result<()> {
    check_shape(what, (expected, 1), (weights.len(), 1))?;
    match weights.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
        None => Ok(()),
        Some(at) => Err(Error::OutOfRange {
            name: format!("{what}, entry {at},"),
            value: weights[at].to_string(),
            valid: "a finite number of 0 or more".into(),
        }),
    }
}
