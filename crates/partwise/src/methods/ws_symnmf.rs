//! WS-SymNMF: weakly supervised symmetric NMF, a reference for the memberships.
//!
//! ```text
//! min ‖S − H1·H2ᵀ‖² + μ‖H1 − H2‖² + ½Σᵢ mᵢ²(‖H1ᵢ − dᵢ·H_ref,i‖² + ‖H2ᵢ − dᵢ·H_ref,i‖²),   d ≥ 0 (n) free
//! ```
//!
//! By default H1 = H2, one factor without μ (as SymNMF); with a coupling they are two, as published. S
//! (n × n) is symmetric; the codes are H1 (n × k), the memberships, and the components H2 (returned as its
//! transpose). d (n × 1) is an extra factor, updated last in each iteration in closed form: dᵢ =
//! H_ref,i·(H1ᵢ + H2ᵢ)/(2‖H_ref,i‖²). H_ref and m are a reference for the codes, or come from labels: the
//! indicator of the class. By default the strength of labels is relative,
//!
//! ```text
//! ½s²·Σ_{i labelled} Σ_{j ≠ class(i)} ( H1_ij²‖H2_:j‖² + H2_ij²‖H1_:j‖² )
//! ```
//!
//! in place of the last sum ([`Placement`](crate::terms::Placement) on either factor, without d);
//! [`Strength::Raw`](crate::guidance::Strength) is the paper's m = s. Reference: Choo, Lee, Reddy & Park
//! 2015, doi:10.1007/s10618-014-0384-8. Differs: one factor by default; labels have a unit-free strength by
//! default; any solver, not only block principal pivoting.

use super::symnmf::coupling;
use super::ws_nmf::{checked_strength, class_anchor, indicator};
use super::{Form, Input, Known, MethodSpec, Tying, publications};
use crate::engine::Slot;
use crate::engine::losses::Loss;
use crate::engine::term::ModelTerm;
use crate::foundation::Result;
use crate::guidance::Strength;
use crate::terms::SharedAnchor;

/// Its name in the registry.
pub(crate) const NAME: &str = "ws-symnmf";

pub(super) static SPEC: MethodSpec = MethodSpec {
    name: NAME,
    estimator: "WSSymNMF",
    title: "WS-SymNMF",
    summary: "symmetric factorization whose memberships are pulled towards references with a chosen strength",
    objective: "|S - H1 H2'|^2 + mu |H1 - H2|^2 + 1/2 sum_i m_i^2 (|H1_i - d_i H_ref,i|^2 \
        + |H2_i - d_i H_ref,i|^2), with H1 = H2 unless mu is given",
    needs: "a symmetric matrix of similarities as the data; labels or reference codes",
    losses: &[Loss::Frobenius],
    tying: Tying::Free,
    form: Form::Symmetric,
    reference: "Choo, Lee, Reddy & Park 2015, doi:10.1007/s10618-014-0384-8",
    publications: &[publications::CHOO_2015],
    differs: "one factor, H1 = H2, by default; labels have a unit-free strength by default; supports every \
        solver",
    takes: &[Input::Labels, Input::CodeReference, Input::ComponentsPerClass, Input::Coupling],
    strength: Strength::STRONG,
    terms,
    in_blocks: false,
    ..super::PLAIN
};

fn terms(known: Known<'_>) -> Result<Vec<Box<dyn ModelTerm>>> {
    let mut terms = vec![coupling(known)?];
    let from_labels = match (known.guidance.labels(), known.guidance.code_reference()) {
        (Some(labels), None) => match checked_strength(SPEC.title, labels, known)? {
            Strength::Raw(weight) => Some(indicator(labels, weight, known.shape)),
            relative => {
                // Half of σ² on either factor.
                let sigma = relative.sigma() * std::f64::consts::FRAC_1_SQRT_2;
                terms.extend(Slot::MAIN.map(|slot| class_anchor(slot, labels, known, sigma)));
                return Ok(terms);
            }
        },
        _ => None,
    };
    let reference = from_labels.as_ref().or(known.guidance.code_reference()).ok_or_else(|| SPEC.lacks())?;
    terms.push(Box::new(SharedAnchor::new(reference.reference.clone(), reference.squared_weights())));
    Ok(terms)
}
