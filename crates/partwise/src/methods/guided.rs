//! Guided NMF: one model for all guidance.
//!
//! ```text
//! min ‖X − WH‖² + costs of the items of the guidance,   or   min D(X‖WH) + costs
//! ```
//!
//! Every cost, and what a strength means, stands in the table of [`Strength`](crate::guidance::Strength).
//! Exact items add no penalty: samples that share one row of codes are merged, entries are fixed at zero,
//! components at their profile. The published methods are special cases: CNMF (labels as the same codes,
//! exact), WS-NMF (labels, memberships or references, raw), SSNMF (labels as a view), GNMF (a graph, raw).

use super::{Input, Known, Loss, MethodSpec, Terms, Tying, publications};

/// Its name in the registry.
pub(crate) const NAME: &str = "guided";

pub(super) static SPEC: MethodSpec = MethodSpec {
    name: NAME,
    estimator: "GuidedNMF",
    title: "guided NMF",
    summary: "all guidance in one model: labels, seed words, references, links, a graph",
    objective: "|X - W H|^2, or D(X | W H), + one penalty per item of guidance",
    needs: "guidance",
    losses: &[Loss::Frobenius, Loss::KullbackLeibler],
    tying: Tying::Guidance,
    reference: "new in Partwise; generalizes CNMF, WS-NMF, SSNMF and GNMF",
    publications: &[
        publications::LIU_2010,
        publications::CHOO_2015,
        publications::LEE_2010,
        publications::CAI_2011,
    ],
    differs: "it is in no publication",
    takes: &[Input::Guidance],
    terms,
    ..super::PLAIN
};

/// None of its own: guidance is compiled with the data at hand, when the problem is put together.
fn terms(known: Known<'_>) -> Terms {
    if known.guidance.is_empty() { Err(SPEC.lacks()) } else { Ok(Vec::new()) }
}
