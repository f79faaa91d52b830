//! nsNMF: non-smooth NMF, sparse components through a smoothing matrix.
//!
//! ```text
//! min ‖X − WSH‖²   or   min D(X‖WSH),   S = (1 − θ)I + (θ/k)11ᵀ
//! ```
//!
//! The smoothing of S must be made up for by sparser W and H. θ is
//! [`MethodOptions::smoothing`](super::MethodOptions). Reference: Pascual-Montano et al. 2006,
//! doi:10.1109/TPAMI.2006.60. Differs: any solver; the factors are not normalized during the fit.

use super::{Input, Loss, MethodSpec, PLAIN, publications};

pub(super) static SPEC: MethodSpec = MethodSpec {
    name: "ns-nmf",
    estimator: "NsNMF",
    title: "nsNMF",
    takes: &[Input::Smoothing],
    summary: "a smoothing matrix between the factors, which makes both sparse",
    objective: "|X - W S H|^2, or D(X | W S H), S = (1 - theta) I + (theta/k) 11'",
    losses: &[Loss::Frobenius, Loss::KullbackLeibler],
    reference: "Pascual-Montano et al. 2006, doi:10.1109/TPAMI.2006.60",
    publications: &[publications::PASCUAL_MONTANO_2006],
    differs: "supports every solver; the factors are not normalized during the fit",
    ..PLAIN
};
