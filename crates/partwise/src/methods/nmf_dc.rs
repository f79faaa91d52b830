//! NMF-DC: CNMF with a smoothing link, by an accelerated gradient.
//!
//! ```text
//! min ½‖X − AZSH‖²,   S = (1 − δ)I + (δ/k)11ᵀ,   codes W = AZ
//! ```
//!
//! A ties the samples of a class to one row of Z, as in CNMF; δ is
//! [`MethodOptions::smoothing`](super::MethodOptions). Reference: Yang et al. 2018 (NMF-DC). Published: one
//! Nesterov step a factor and iteration, the momentum running on (solver `nesterov-running`), with the step
//! of the largest class for every row ([`StepRule::LargestClass`](crate::StepRule)), or restarted inner steps
//! (solver `nesterov`). Differs: by default each merged row takes the step that its own number of samples
//! allows (METHODS R3); supports every solver; the caller divides X by its maximum if that is wanted.

use super::{Input, MethodSpec, PLAIN, SolverChoice, Tying, labels_only, publications};
use crate::guidance::LabelRule;

pub(super) static SPEC: MethodSpec = MethodSpec {
    name: "nmf-dc",
    estimator: "NMFDC",
    title: "NMF-DC",
    summary: "samples with the same label share one row of codes, with a smoothing matrix between the \
        factors",
    objective: "1/2 |X - A Z S H|^2, S = (1 - delta) I + (delta/k) 11'",
    needs: "labels, two or more for at least one class",
    tying: Tying::Labels,
    solver: SolverChoice::NesterovRunning,
    half_objective: true,
    reference: "Yang et al. 2018 (NMF-DC)",
    publications: &[publications::YANG_2018],
    differs: "each merged row has its own step by default; supports every solver",
    takes: &[Input::Labels, Input::Smoothing, Input::StepRule],
    label_rule: LabelRule::SameCodes,
    terms: labels_only,
    ..PLAIN
};
