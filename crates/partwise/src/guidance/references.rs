//! References as WS-NMF is published, by the number of the component and with a weight for each row; and
//! labels as numbers.

use serde::{Deserialize, Serialize};

use super::Strength;
use super::document::{TargetsText, rows};
use crate::engine::{Shape, Slot};
use crate::foundation::checks::{check_non_negative, check_shape, check_weights};
use crate::foundation::{Error, Matrix, Result};
use crate::terms::{ComponentAnchor, LabelView};

/// Reference codes: rows of W that are known, up to scale.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct CodeReference {
    /// W_ref (n × k).
    #[serde(with = "rows", default = "rows::none", skip_serializing_if = "rows::is_empty")]
    pub reference: Matrix<f64>,
    /// m (n), ≥ 0: how strongly each row is pulled to its reference; it enters the objective squared. 0 =
    /// free.
    pub weight: Vec<f64>,
}

/// Reference components: rows of H that are known.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct ComponentReference {
    /// H_ref (m × d) with m ≤ k: the first m components are pulled to these, the rest are free.
    #[serde(with = "rows", default = "rows::none", skip_serializing_if = "rows::is_empty")]
    pub reference: Matrix<f64>,
    /// Weight (m), ≥ 0, of each component; it enters the objective squared. 0 = free.
    pub weight: Vec<f64>,
}

/// Labels as numbers: soft, several a sample, or known in part.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(from = "TargetsText", into = "TargetsText")]
pub struct LabelTargets {
    /// Y (n × c) ≥ 0: how much each sample has of each label, 0 to 1 as a rule.
    pub targets: Matrix<f64>,
    /// M (n × c): 1 where the entry of Y is known, 0 where it is not.
    pub known: Matrix<f64>,
}

impl LabelTargets {
    /// From one table (n × c) in which NaN is not known.
    #[doc(hidden)]
    pub fn of_table(table: &Matrix<f64>) -> Self {
        let (n, c) = table.shape();
        let value = |i, l| Some(table.get(i, l)).filter(|value| !value.is_nan());
        LabelTargets {
            targets: Matrix::from_fn(n, c, |i, l| value(i, l).unwrap_or(0.0)),
            known: Matrix::from_fn(n, c, |i, l| f64::from(value(i, l).is_some())),
        }
    }

    /// 1 for the class of a labelled sample and 0 for the others; unlabelled samples are not known.
    pub(crate) fn of_labels(labels: &super::Labels) -> Self {
        let (n, c) = (labels.n_samples(), labels.n_classes());
        LabelTargets {
            targets: Matrix::from_fn(n, c, |i, l| f64::from(labels.class(i) == Some(l))),
            known: Matrix::from_fn(n, c, |i, _| f64::from(labels.class(i).is_some())),
        }
    }

    /// Shapes, entries and marks.
    pub(crate) fn check(&self, shape: Shape) -> Result<()> {
        let (targets, known) = (&self.targets, &self.known);
        for (what, matrix) in [("the targets of the labels", targets), ("the marks of known labels", known)] {
            let expected = (shape.samples, targets.columns());
            check_shape(what, expected, matrix.shape())?;
            check_non_negative(what, matrix)?;
        }
        match known.as_slice().iter().position(|m| *m != 0.0 && *m != 1.0) {
            None => Ok(()),
            Some(at) => Err(Error::out_of_range(
                format!("the mark of sample {}, label {}", at / known.columns(), at % known.columns()),
                known.as_slice()[at],
                "1 (known) or 0 (unknown)",
            )),
        }
    }
}

impl LabelTargets {
    /// The term of labels that the codes explain; none where its weight is 0 or there are no labels. A
    /// relative strength makes ‖M∘Y‖² count as much as ‖X‖².
    pub(crate) fn view(&self, strength: Strength, shape: Shape) -> Option<LabelView<f64>> {
        let entries = self.targets.as_slice().iter().zip(self.known.as_slice());
        let squares: f64 = entries.map(|(y, m)| m * y * y).sum();
        let weight = match strength {
            Strength::Raw(weight) => weight,
            relative if squares > 0.0 && shape.squared_norm > 0.0 => {
                relative.weight() * (shape.squared_norm / squares)
            }
            relative => relative.weight(),
        };
        (weight > 0.0 && self.targets.columns() > 0)
            .then(|| LabelView::new(&self.targets, &self.known, weight))
    }
}

impl CodeReference {
    /// m², as it enters the objective.
    pub(crate) fn squared_weights(&self) -> Vec<f64> {
        self.weight.iter().map(|m| m * m).collect()
    }
}

impl ComponentReference {
    /// The term that pulls the components to these.
    pub(crate) fn anchor(&self, shape: Shape) -> ComponentAnchor<f64> {
        let known = self.reference.rows();
        let value = |f, c| if c < known { self.reference.get(c, f) } else { 0.0 };
        let by_feature = Matrix::from_fn(shape.features, shape.rank, value);
        let weight = (0..shape.rank).map(|c| self.weight.get(c).map_or(0.0, |m| m * m)).collect();
        ComponentAnchor::new(Slot::Components, by_feature, weight)
    }
}

/// Shapes, weights and entries of the references.
pub(crate) fn check_references(guidance: &super::Guidance, shape: Shape) -> Result<()> {
    if let Some(reference) = guidance.code_reference() {
        check_codes(reference, shape)?;
    }
    match guidance.component_reference() {
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
    check_row_weights("the weights of the reference codes", shape.samples, &reference.weight)?;
    check_non_negative("the reference of the codes", &reference.reference)
}

fn check_components(reference: &ComponentReference, shape: Shape) -> Result<()> {
    let (known, features) = reference.reference.shape();
    if known > shape.rank {
        return Err(Error::out_of_range(
            "rank k",
            shape.rank,
            format!("at least {known}, the number of reference components"),
        ));
    }
    check_shape(
        "the reference components (one row each, d columns)",
        (known, shape.features),
        (known, features),
    )?;
    check_row_weights("the weights of the reference components", known, &reference.weight)?;
    check_non_negative("the reference components", &reference.reference)
}

fn check_row_weights(what: &str, expected: usize, weights: &[f64]) -> Result<()> {
    check_shape(what, (expected, 1), (weights.len(), 1))?;
    check_weights(weights, |at| format!("{what}, entry {at},"))
}
