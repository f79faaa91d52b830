//! SCNMF: NMF whose components are rescaled by the labels after each iteration.
//!
//! ```text
//! min ‖X − WH‖² by multiplicative updates; then d_j = Σ_{class(i) = j} w_ij / Σ_{labelled} w_ij²,
//!     W ← WD, H ← D⁻¹H
//! ```
//!
//! Component j belongs to class j; components beyond the classes are free and keep their scale. W·H is that
//! of plain NMF at every iteration, and the d's telescope into one (METHODS R8): what the method gains comes
//! from the final scale of the columns and from its start, which the paper does not state. So the label-aware
//! start is the default here. Reference: Lan et al. 2014 (SCNMF). Differs: d_j is 1 where it would be
//! undefined or would overflow (see `engine/rescaling.rs`); supports every solver.

use super::{Input, MethodSpec, PLAIN, SolverChoice, labels_only, publications};

pub(super) static SPEC: MethodSpec = MethodSpec {
    name: "scnmf",
    estimator: "SCNMF",
    title: "SCNMF",
    summary: "plain factorization whose components are rescaled by the labels",
    objective: "|X - W H|^2",
    needs: "labels, and at least as many components as classes",
    solver: SolverChoice::Mu,
    rescales: true,
    reference: "Lan et al. 2014 (SCNMF)",
    publications: &[publications::LAN_2014],
    differs: "keeps the scale where it is undefined; label-aware start by default; supports every solver",
    takes: &[Input::Labels],
    terms: labels_only,
    ..PLAIN
};
