//! Backends: who holds X, the factors and the subproblems, and where the arithmetic runs. Only scalars leave
//! a backend until the end.

mod coordinates;
mod cpu;
mod extrapolation;
mod in_blocks;
mod over_rows;
mod reference;
mod solving;

pub use cpu::CpuBackend;
pub(crate) use cpu::threads_for;
pub use reference::ReferenceBackend;

use crate::engine::{Factors, Slot, Transfer, Transferred};
use crate::foundation::Real;

/// The objective and its parts, computed anew from the factors without expansions that cancel.
#[derive(Clone, Debug, PartialEq)]
pub struct Exact {
    /// (name, value) of the loss and of each term, in the half form.
    pub parts: Vec<(String, f64)>,
    /// Norm of the projected gradient of the half objective over all slots, at the current factors.
    pub kkt: f64,
}

impl Exact {
    /// What nobody asked for.
    pub(crate) fn unknown() -> Self {
        Exact { parts: vec![("fit".into(), f64::NAN)], kkt: f64::NAN }
    }
}

/// A place where a factorization runs.
pub trait Backend<T: Real> {
    /// The slots in the order of one iteration.
    fn slots(&self) -> Vec<Slot>;

    /// Forms the subproblem of a slot at the current factors.
    fn restrict(&mut self, slot: Slot);

    /// The half objective that the last update told; `None` where a slot must be restricted to know it.
    fn told_objective(&self) -> Option<f64> {
        None
    }

    /// The half objective at the current factors, computed from the last restricted subproblem, which must
    /// contain a product with the data.
    fn objective(&mut self) -> f64;

    /// Lowers the slot that was restricted last; returns the squared norm of the projected gradient on entry.
    fn improve(&mut self) -> f64;

    /// The exact objective, and with `gradient` the exact projected gradient (NaN without).
    fn exact(&mut self, gradient: bool) -> Exact;

    /// Brings together what several processes have of the state, before it is saved.
    fn gather(&mut self) {}

    /// What the backend remembers from iteration to iteration, to or from a checkpoint.
    ///
    /// # Errors
    /// When the bytes can't be written or read, or are those of another problem.
    fn transfer(&mut self, _: &mut Transfer<'_>) -> Transferred {
        Err(std::io::Error::other("this backend has no checkpoints"))
    }

    /// The factors, in working rows.
    fn into_factors(self: Box<Self>) -> Factors<T>;
}
