//! NCW-NMF: NMF weighted as in normalized cuts.
//!
//! ```text
//! min Σᵢ γᵢ‖xᵢ − wᵢH‖²,   γᵢ = 1/(XXᵀ1)ᵢ, 0 where that is 0
//! ```
//!
//! Plain NMF on Γ^½X with Γ^½W, the codes kept in the original scale; rows of zeros get zero codes. It is the
//! baseline that the CNMF paper calls "NMF". Reference: Xu, Liu & Gong 2003, doi:10.1145/860435.860485.
//! Differs: any solver.

use super::{MethodSpec, Tying, no_terms, publications};

pub(super) static SPEC: MethodSpec = MethodSpec {
    name: "ncw-nmf",
    estimator: "NCWNMF",
    title: "NCW-NMF",
    summary: "plain factorization with rows weighted as in normalized cuts",
    objective: "sum_i g_i |x_i - w_i H|^2, g_i = 1/(X X' 1)_i",
    needs: "nothing",
    tying: Tying::NormalizedCut,
    reference: "Xu, Liu & Gong 2003, doi:10.1145/860435.860485",
    publications: &[publications::XU_2003],
    differs: "supports every solver, not only multiplicative updates",
    terms: no_terms,
    ..super::PLAIN
};
