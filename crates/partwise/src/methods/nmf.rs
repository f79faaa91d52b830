//! Plain NMF.
//!
//! ```text
//! min ‖X − WH‖²   or   min D(X‖WH),   W (n × k) ≥ 0, H (k × d) ≥ 0
//! ```
//!
//! Reference: Lee & Seung 2001, "Algorithms for non-negative matrix factorization". Differs: supports every
//! solver.

use super::{Loss, MethodSpec, no_terms, publications};

pub(super) static SPEC: MethodSpec = MethodSpec {
    name: "nmf",
    estimator: "NMF",
    title: "NMF",
    summary: "plain factorization without guidance (labels, if given, are used only for the start and for \
        names)",
    objective: "|X - W H|^2, or D(X | W H)",
    needs: "nothing",
    losses: &[Loss::Frobenius, Loss::KullbackLeibler],
    reference: "Lee & Seung 2001, NIPS 13, 556-562",
    publications: &[publications::LEE_SEUNG_2001],
    differs: "supports every solver, not only multiplicative updates",
    terms: no_terms,
    ..super::PLAIN
};
