//! SymNMF: symmetric NMF of a matrix of similarities.
//!
//! ```text
//! min ‖S − HHᵀ‖²,   S (n × n) symmetric, H (n × k) ≥ 0
//! min ‖S − H1·H2ᵀ‖² + μ‖H1 − H2‖²,   with μ given
//! ```
//!
//! By default codes and components are one factor H, the memberships: each iteration is one product S·H and
//! exact coordinate steps of a quadratic in H ([`EqualFactors`]), extrapolated; the objective never rises.
//! The start is made from the leading eigenvectors of S, so that no group of samples shares a component with
//! another.
//!
//! With [`MethodOptions::coupling`](super::MethodOptions) it is the published alternation of two factors with
//! a fixed μ, H1 first, from a random start; the papers take μ = (max S)². The codes are H1, the components
//! H2 (returned as its transpose, k × n). Reference: Kuang, Yun & Park 2015, doi:10.1007/s10898-014-0247-2.
//! Differs: one factor by default; every solver, not only block principal pivoting; μ is fixed, not raised on
//! the way.

use super::{Form, Input, Known, MethodSpec, Tying, publications};
use crate::engine::losses::Loss;
use crate::engine::term::ModelTerm;
use crate::foundation::Result;
use crate::terms::{Coupling, EqualFactors};

pub(super) static SPEC: MethodSpec = MethodSpec {
    name: "symnmf",
    estimator: "SymNMF",
    title: "SymNMF",
    summary: "a symmetric similarity matrix as the product of a factor with itself",
    objective: "|S - H1 H2'|^2 + mu |H1 - H2|^2, with H1 = H2 unless mu is given",
    needs: "a symmetric matrix of similarities as the data",
    losses: &[Loss::Frobenius],
    tying: Tying::Free,
    form: Form::Symmetric,
    reference: "Kuang, Yun & Park 2015, doi:10.1007/s10898-014-0247-2",
    publications: &[publications::KUANG_2015],
    differs: "one factor, H1 = H2, by default; supports every solver; mu is constant",
    takes: &[Input::Coupling],
    terms,
    in_blocks: false,
    ..super::PLAIN
};

fn terms(known: Known<'_>) -> Result<Vec<Box<dyn ModelTerm>>> {
    Ok(vec![coupling(known)?])
}

/// μ‖H1 − H2‖², or H1 = H2 where no μ is given.
pub(super) fn coupling(known: Known<'_>) -> Result<Box<dyn ModelTerm>> {
    let Some(weight) = known.options.coupling else { return Ok(Box::new(EqualFactors)) };
    Ok(Box::new(Coupling { weight }))
}
