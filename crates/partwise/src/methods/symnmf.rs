//! SymNMF: symmetric NMF of a matrix of similarities.
//!
//! ```text
//! min ‖S − H1·H2ᵀ‖² + μ‖H1 − H2‖²,   S (n × n) symmetric, H1, H2 (n × k) ≥ 0
//! ```
//!
//! The codes are H1, the memberships; the components are H2 (returned as its transpose, k × n). μ = (max S)²
//! unless [`MethodOptions::coupling`](super::MethodOptions) gives it. H1 is updated first. Reference: Kuang,
//! Yun & Park 2015, doi:10.1007/s10898-014-0247-2. Differs: supports every solver, not only block principal
//! pivoting; μ is fixed, not raised on the way.

use super::{Form, Input, Known, MethodSpec, Tying};
use crate::engine::losses::Loss;
use crate::engine::term::ModelTerm;
use crate::foundation::{Error, Result};
use crate::terms::{Coupling, EqualFactors};

pub(super) static SPEC: MethodSpec = MethodSpec {
    name: "symnmf",
    title: "SymNMF",
    summary: "a symmetric similarity matrix as the product of two nearly equal factors",
    objective: "|S - H1 H2'|^2 + mu |H1 - H2|^2",
    needs: "a symmetric matrix of similarities as the data",
    losses: &[Loss::Frobenius],
    tying: Tying::Free,
    form: Form::Symmetric,
    reference: "Kuang, Yun & Park 2015, doi:10.1007/s10898-014-0247-2",
    differs: "supports every solver; mu is constant",
    takes: &[Input::Coupling],
    terms,
    ..super::PLAIN
};

fn terms(known: Known<'_>) -> Result<Vec<Box<dyn ModelTerm>>> {
    Ok(vec![coupling(known)?])
}

/// μ‖H1 − H2‖², or H1 = H2 where no μ is given.
pub(super) fn coupling(known: Known<'_>) -> Result<Box<dyn ModelTerm>> {
    let Some(weight) = known.options.coupling else { return Ok(Box::new(EqualFactors)) };
    if !(weight >= 0.0 && weight.is_finite()) {
        return Err(Error::OutOfRange {
            name: "coupling".into(),
            value: weight.to_string(),
            valid: "a finite number of 0 or more".into(),
        });
    }
    Ok(Box::new(Coupling { weight }))
}
