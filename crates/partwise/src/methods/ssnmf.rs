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

use super::{Form, Input, Known, MethodSpec, Tying};
use crate::engine::losses::Loss;
use crate::engine::term::ModelTerm;
use crate::foundation::{Error, Result};
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
    losses: &[Loss::Frobenius],
    tying: Tying::Free,
    form: Form::Matrix,
    reference: "Lee, Yoo & Choi 2010, doi:10.1109/LSP.2009.2027163",
    differs: "the weight of the labels is unit-free by default; supports every solver",
    takes: &[Input::Labels, Input::LabelTargets, Input::KnownEntries],
    label_rule: LabelRule::View,
    strength: Strength::EVEN,
    terms,
    ..super::PLAIN
};

fn terms(known: Known<'_>) -> Result<Vec<Box<dyn ModelTerm>>> {
    let guidance = known.guidance;
    let from_labels = guidance.labels().map(LabelTargets::of_labels);
    let given = guidance.targets().or(from_labels.as_ref()).ok_or_else(|| SPEC.lacks())?;
    let strength = guidance.label_strength().unwrap_or(SPEC.strength);
    strength.check("label weight")?;
    if strength.is_held() {
        return Err(Error::Incompatible {
            asked: format!("labels with strength 1 in {}", SPEC.title),
            reason: "it predicts labels from the codes and has no exact form".into(),
            valid: vec!["a strength below 1".into()],
        });
    }
    given.check(known.shape)?;
    let mut terms: Vec<Box<dyn ModelTerm>> = Vec::new();
    terms.extend(given.view(strength, known.shape).map(|view| Box::new(view) as Box<dyn ModelTerm>));
    if let Some(known) = guidance.known_entries() {
        terms.push(Box::new(EntryWeights::new(known)));
    }
    Ok(terms)
}
