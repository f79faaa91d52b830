//! SSNMF: semi-supervised NMF, labels as a second view of the samples.
//!
//! ```text
//! min ‖P∘(X − W·H)‖² + λ‖M∘(Y − W·B)‖²,   W (n × k), H (k × d), B (k × c) ≥ 0
//! ```
//!
//! Y (n × c) contains the labels, M (n × c) is 1 where they are known: label targets (soft, several per
//! sample, partly known), or labels, one class per sample. B is an extra factor, stored as its transpose (c ×
//! k), updated after the components. λ is σ² of the strength times ‖X‖²/‖M∘Y‖², so that it has no unit; with
//! [`Strength::Raw`] it is the strength itself. With λ = 0 there is no B and the model is NMF. P (n × d) is 1
//! where X is known (by default everywhere). Reference: Lee, Yoo & Choi 2010, doi:10.1109/LSP.2009.2027163.
//! Differs: λ has no unit by default; supports every solver, not only multiplicative updates.

use super::{Input, Known, MethodSpec, Terms, publications};
use crate::engine::term::ModelTerm;
use crate::guidance::{LabelRule, LabelTargets, Strength};
use crate::terms::EntryWeights;

/// Its name in the registry.
pub(crate) const NAME: &str = "ssnmf";

pub(super) static SPEC: MethodSpec = MethodSpec {
    name: NAME,
    estimator: "SSNMF",
    title: "SSNMF",
    summary: "the codes also predict the labels linearly",
    objective: "|P * (X - W H)|^2 + lambda |M * (Y - W B)|^2",
    needs: "labels, or targets for several labels per sample",
    reference: "Lee, Yoo & Choi 2010, doi:10.1109/LSP.2009.2027163",
    publications: &[publications::LEE_2010],
    differs: "the weight of the labels is unit-free by default; supports every solver",
    takes: &[Input::Labels, Input::LabelTargets, Input::KnownEntries],
    label_rule: LabelRule::View,
    strength: Strength::EVEN,
    terms,
    ..super::PLAIN
};

fn terms(known: Known<'_>) -> Terms {
    let guidance = known.guidance;
    let from_labels = guidance.labels().map(LabelTargets::of_labels);
    let given = guidance.targets().or(from_labels.as_ref()).ok_or_else(|| SPEC.lacks())?;
    let item = guidance.label_item();
    let strength = item.map_or(Ok(SPEC.strength), |item| item.strength_in_fit("label weight"))?;
    given.check(known.shape)?;
    let mut terms: Vec<Box<dyn ModelTerm>> = Vec::new();
    terms.extend(given.view(strength, known.shape).map(|view| Box::new(view) as Box<dyn ModelTerm>));
    if let Some(known) = guidance.known_entries() {
        terms.push(Box::new(EntryWeights::new(known)));
    }
    Ok(terms)
}
