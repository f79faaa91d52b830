//! Codes and components of a symmetric factorization as one factor.
//!
//! ```text
//! H1 = H2 = H:   f(H) = ½‖S − HHᵀ‖²
//! in its place, as a function of U:   ½‖S − UHᵀ‖² + ½·tr((U − H)·HᵀH·(U − H)ᵀ)
//! ```
//!
//! The gradient of the second at U = H is half of that of the first, and its curvature is twice that of
//! ½‖S − UHᵀ‖², which is what U in both places comes to where S − HHᵀ has no large negative eigenvalue. The
//! backend compares objectives and shortens a step that was too long. In the multiplicative form its update
//! is H ∘ (½ + ½·SH/(HHᵀH)): Ding, He & Simon 2005, doi:10.1137/1.9781611972757.70.

use crate::engine::quadratic::{Subproblem, dot};
use crate::engine::term::{Cast, EachChunk, Facts, Term, one_by_one};
use crate::engine::{Factors, Loss, Slot};
use crate::foundation::Real;
use crate::foundation::pool::fixed_chunks;
use crate::kernels::gemm::{self, Output, View, ViewMut};

/// Rows that are multiplied at once.
const ROWS: usize = 512;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct EqualFactors;

impl<T: Real> Term<T> for EqualFactors {
    fn name(&self) -> String {
        "distance of codes and components".into()
    }

    fn facts(&self) -> Facts {
        Facts { squared_only: true, equal_factors: true, ..Facts::default() }
    }

    fn value(&self, _: &Factors<T>, _: Loss) -> f64 {
        0.0
    }

    fn add_to(&self, slot: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        self.add_to_by(slot, factors, subproblem, &one_by_one);
    }

    fn add_to_by(
        &self,
        slot: Slot,
        factors: &Factors<T>,
        subproblem: &mut Subproblem<T>,
        each_chunk: &EachChunk<'_, T>,
    ) {
        let Subproblem::Quadratic(q) = subproblem else {
            panic!("a problem with equal factors has the Frobenius loss")
        };
        // The first of the terms: so far this is HᵀH.
        let (factor, gram) = (factors.get(slot), q.gram.clone());
        let (rows, k) = factor.shape();
        each_chunk(&fixed_chunks(rows, ROWS), q.cross.as_mut_slice(), k, &|range, cross| {
            let cross = ViewMut::new(cross, range.len(), k);
            gemm::matmul(cross, Output::Add, View::of(factor).rows(range), View::of(&gram));
            0.0
        });
        q.gram.as_mut_slice().iter_mut().for_each(|value| *value += *value);
        q.constant += 0.5 * dot(gram.as_slice(), gram.as_slice());
        q.majorizer = true;
    }

    fn changes_cross(&self, _: Slot) -> bool {
        true
    }
}

impl Cast for EqualFactors {
    type In<T: Real> = EqualFactors;

    fn cast<T: Real>(&self, _: bool) -> EqualFactors {
        EqualFactors
    }
}
