//! Plain NMF.
//!
//! ```text
//! min ‖P∘(X − WH)‖²   or   min D(X‖WH),   W (n × k) ≥ 0, H (k × d) ≥ 0
//! ```
//!
//! P (n × d) is 1 where X is known (by default everywhere). Reference: Lee & Seung 2001, "Algorithms for
//! non-negative matrix factorization". Differs: supports every solver, and missing entries (squared loss).

use super::{Input, Known, Loss, MethodSpec, Terms, publications};
use crate::engine::term::ModelTerm;
use crate::terms::EntryWeights;

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
    differs: "supports every solver, not only multiplicative updates, and missing entries (squared loss)",
    takes: &[Input::KnownEntries],
    terms,
    ..super::PLAIN
};

fn terms(known: Known<'_>) -> Terms {
    let entries = known.guidance.known_entries().map(EntryWeights::new);
    Ok(entries.map(|term| Box::new(term) as Box<dyn ModelTerm>).into_iter().collect())
}
