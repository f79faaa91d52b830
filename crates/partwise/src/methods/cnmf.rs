//! CNMF: constrained NMF, hard labels.
//!
//! ```text
//! min ‖X − AZH‖²   or   min D(X‖AZH),   codes W = AZ
//! ```
//!
//! A (n × q) ties the samples of a class to one row of Z. Solved exactly as plain NMF on q merged rows
//! (METHODS R1, R2), so an iteration costs less than plain NMF's. Parameter-free. With one label per class it
//! is plain NMF (reported). References: Liu & Wu 2010, AAAI-10, 506-511; Kullback–Leibler form: Liu, Wu, Li,
//! Cai & Huang 2012, doi:10.1109/TPAMI.2011.217. Differs: the paper prints the objective unsquared (squared
//! is meant); any solver, not only MU; the default start is label-aware, codes first.

use super::{Input, Loss, MethodSpec, Tying, labels_only, publications};
use crate::guidance::LabelRule;

pub(super) static SPEC: MethodSpec = MethodSpec {
    name: "cnmf",
    estimator: "CNMF",
    title: "CNMF",
    summary: "samples with the same label share one row of codes, exactly",
    objective: "|X - A Z H|^2, or D(X | A Z H)",
    needs: "labels, two or more for at least one class",
    losses: &[Loss::Frobenius, Loss::KullbackLeibler],
    tying: Tying::Labels,
    reference: "Liu & Wu 2010, AAAI-10, 506-511; Liu et al. 2012, doi:10.1109/TPAMI.2011.217",
    publications: &[publications::LIU_2010, publications::LIU_2012],
    differs: "label-aware start with the codes solved first by default; any solver; exact merging of rows",
    takes: &[Input::Labels],
    label_rule: LabelRule::SameCodes,
    terms: labels_only,
    ..super::PLAIN
};
