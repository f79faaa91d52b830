//! SSNMF: semi-supervised NMF, labels as a second view of the samples.
//!
//! ```text
//! min ‖P∘(X − W·H)‖² + λ‖M∘(Y − W·B)‖²,   W (n × k), H (k × d), B (k × c) ≥ 0
//! ```
//!
//! Y (n × c) holds the labels, M (n × c) is 1 where they are known: [`Knowledge::label_targets`] (soft, several a sample, partly
//! known), or [`Knowledge::labels`], one class a sample. B is a factor of its own, held as its transpose (c × k), updated after
//! the components. λ is [`Knowledge::label_weight`] times ‖X‖²/‖M∘Y‖², so that it has no unit; as it is with [`StrengthUnit::Raw`].
//! With λ = 0 there is no B and the model is NMF.
//! P (n × d) is 1 where X is known, [`Knowledge::known_entries`]; all of X when absent.
//! Reference: Lee, Yoo & Choi 2010, doi:10.1109/LSP.2009.2027163. Differs: λ has no unit by default; every solver serves it, not
//! only multiplicative updates.

use super::{Form, ModelSpec, Shape, Tying};
use crate::engine::losses::Loss;
use crate::engine::term::ModelTerm;
use crate::foundation::checks::check_non_negative;
use crate::foundation::{Error, Matrix, Result};
use crate::guidance::{Knowledge, LabelTargets, StrengthUnit};
use crate::terms::{EntryWeights, LabelView};

/// Its name in the registry.
pub(crate) const NAME: &str = "ssnmf";

pub(super) static SPEC: ModelSpec = ModelSpec {
    name: NAME,
    title: "SSNMF",
    summary: "the codes explain the labels too, linearly, beside the data",
    objective: "|P * (X - W H)|^2 + lambda |M * (Y - W B)|^2",
    needs: "labels, or targets for several labels a sample",
    losses: &[Loss::Frobenius],
    tying: Tying::Free,
    form: Form::Matrix,
    reference: "Lee, Yoo & Choi 2010, doi:10.1109/LSP.2009.2027163",
    differs: "the weight of the labels has no unit by default; every solver serves it",
    terms,
    ..super::PLAIN
};

fn terms(knowledge: &Knowledge, shape: Shape) -> Result<Vec<Box<dyn ModelTerm>>> {
    let weight = knowledge.label_weight;
    if !(weight >= 0.0 && weight.is_finite()) {
        return Err(Error::OutOfRange {
            name: "label weight".into(),
            value: weight.to_string(),
            valid: "a finite number of 0 or more".into(),
        });
    }
    let from_labels = knowledge.labels.as_ref().map(|labels| {
        let (n, c) = (labels.n_samples(), labels.n_classes());
        LabelTargets {
            targets: Matrix::from_fn(n, c, |i, l| f64::from(labels.class(i) == Some(l))),
            known: Matrix::from_fn(n, c, |i, _| f64::from(labels.class(i).is_some())),
        }
    });
    let Some(given) = knowledge.label_targets.as_ref().or(from_labels.as_ref()) else {
        return Err(Error::MissingGuidance { model: SPEC.title.into(), needs: SPEC.needs.into() });
    };
    check(given, shape)?;
    let squares: f64 =
        given.targets.as_slice().iter().zip(given.known.as_slice()).map(|(y, m)| m * y * y).sum();
    let unit = match knowledge.strength_unit {
        StrengthUnit::Relative if squares > 0.0 && shape.squared_norm > 0.0 => shape.squared_norm / squares,
        _ => 1.0,
    };
    let mut terms: Vec<Box<dyn ModelTerm>> = Vec::new();
    if weight > 0.0 && given.targets.columns() > 0 {
        terms.push(Box::new(LabelView::new(&given.targets, &given.known, weight * unit)));
    }
    if let Some(known) = &knowledge.known_entries {
        terms.push(Box::new(EntryWeights::new(known)));
    }
    Ok(terms)
}

fn check(given: &LabelTargets, shape: Shape) -> Result<()> {
    let (targets, known) = (&given.targets, &given.known);
    for (what, matrix) in [("the targets of the labels", targets), ("the marks of known labels", known)] {
        let expected = (shape.samples, targets.columns());
        if matrix.shape() != expected {
            return Err(Error::Shape {
                what: what.into(),
                expected: format!("{} x {}", expected.0, expected.1),
                found: format!("{} x {}", matrix.rows(), matrix.columns()),
            });
        }
        check_non_negative(what, matrix)?;
    }
    match known.as_slice().iter().position(|m| *m != 0.0 && *m != 1.0) {
        None => Ok(()),
        Some(at) => Err(Error::OutOfRange {
            name: format!("the mark of sample {}, label {}", at / known.columns(), at % known.columns()),
            value: known.as_slice()[at].to_string(),
            valid: "1 (known) or 0 (unknown)".into(),
        }),
    }
}
