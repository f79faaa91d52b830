//! Codes and components of a symmetric factorization pulled towards each other.
//!
//! ```text
//! (μ/2)·‖H1 − H2‖²,   H1 = codes (n × k), H2 = components (n × k)
//! ```

use super::penalty::add_ridge;
use crate::engine::quadratic::{Subproblem, dot};
use crate::engine::term::{Cast, Facts, Term};
use crate::engine::{Factors, Loss, Slot};
use crate::foundation::Real;

/// See the module.
#[derive(Clone, Debug)]
pub struct Coupling<T> {
    /// μ ≥ 0.
    pub weight: T,
}

impl<T: Real> Term<T> for Coupling<T> {
    fn name(&self) -> String {
        "distance of codes and components".into()
    }

    fn facts(&self) -> Facts {
        Facts { exact: true, squared_only: true, ..Facts::default() }
    }

    fn value(&self, factors: &Factors<T>, _: Loss) -> f64 {
        let (a, b) = (factors.get(Slot::Codes).as_slice(), factors.get(Slot::Components).as_slice());
        let squares: f64 = a.iter().zip(b).map(|(a, b)| (a.to_f64() - b.to_f64()).powi(2)).sum();
        0.5 * self.weight.to_f64() * squares
    }

    fn add_to(&self, slot: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        add_ridge(subproblem, |_| self.weight.to_f64());
        let Subproblem::Quadratic(q) = subproblem else {
            panic!("a problem with coupled factors has the Frobenius loss")
        };
        let other = factors.get(slot.other()).as_slice();
        for (c, o) in q.cross.as_mut_slice().iter_mut().zip(other) {
            *c += self.weight * *o;
        }
        q.constant += 0.5 * self.weight.to_f64() * dot(other, other);
    }

    fn changes_cross(&self, slot: Slot) -> bool {
        slot.is_main()
    }
}

impl Cast for Coupling<f64> {
    type In<T: Real> = Coupling<T>;

    fn cast<T: Real>(&self, _: bool) -> Coupling<T> {
        Coupling { weight: T::from_f64(self.weight) }
    }
}
