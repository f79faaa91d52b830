//! One reference row for both factors of a symmetric factorization, with a scale that they share.
//!
//! ```text
//! ¼·Σᵢ mᵢ·( ‖h1ᵢ − dᵢrᵢ‖² + ‖h2ᵢ − dᵢrᵢ‖² ),   d ≥ 0 a factor of its own (n × 1),
//!     minimized at dᵢ = rᵢ·(h1ᵢ + h2ᵢ)/(2‖rᵢ‖²)
//! ```
//!
//! H1 is the codes, H2 the components. Seen from d it is a quadratic with one unknown per row.

use crate::engine::quadratic::{Subproblem, dot};
use crate::engine::term::{Cast, Facts, OwnStart, RowGrams, Term};
use crate::engine::{Factors, Loss, Slot};
use crate::foundation::{Matrix, Real};

/// See the module.
#[derive(Clone, Debug)]
pub struct SharedAnchor<T> {
    reference: Matrix<T>,
    weight: Vec<T>,
}

impl<T: Real> SharedAnchor<T> {
    /// `reference` is R (n × k), `weight` (n) holds mᵢ ≥ 0; rows with mᵢ = 0 are free.
    ///
    /// # Panics
    /// When their lengths differ.
    pub fn new(reference: Matrix<T>, weight: Vec<T>) -> Self {
        assert_eq!(reference.rows(), weight.len(), "one weight per row of the reference");
        SharedAnchor { reference, weight }
    }

    /// d (n × 1) at these codes and components; 0 where m or the reference is 0.
    pub fn scales(&self, factors: &Factors<T>) -> Matrix<T> {
        let along = |i: usize| {
            let r = self.reference.row(i);
            let length = dot(r, r);
            let both = self.along(i, factors);
            if self.weight[i] > T::ZERO && length > 0.0 { both / (2.0 * length) } else { 0.0 }
        };
        Matrix::from_fn(self.weight.len(), 1, |i, _| T::from_f64(along(i)))
    }

    /// rᵢ·(h1ᵢ + h2ᵢ).
    fn along(&self, i: usize, factors: &Factors<T>) -> f64 {
        Slot::MAIN.iter().map(|slot| dot(self.reference.row(i), factors.get(*slot).row(i))).sum()
    }

    /// ¼·Σᵢ mᵢ‖uᵢ − dᵢrᵢ‖² of one of the two factors.
    fn value_of(&self, slot: Slot, factors: &Factors<T>) -> f64 {
        let (factor, scales) = (factors.get(slot), factors.get(Slot::Scales));
        let distance = |i: usize| -> f64 {
            let d = scales.get(i, 0).to_f64();
            let pairs = factor.row(i).iter().zip(self.reference.row(i));
            pairs.map(|(u, r)| (u.to_f64() - d * r.to_f64()).powi(2)).sum()
        };
        (0..factor.rows()).map(|i| 0.25 * self.weight[i].to_f64() * distance(i)).sum()
    }
}

impl<T: Real> Term<T> for SharedAnchor<T> {
    fn name(&self) -> String {
        "reference of both factors".into()
    }

    fn facts(&self) -> Facts {
        Facts {
            squared_only: true,
            row_grams: RowGrams::NonNegative,
            own_slot: Some(Slot::Scales),
            ..Facts::default()
        }
    }

    fn value(&self, factors: &Factors<T>, _: Loss) -> f64 {
        Slot::MAIN.iter().map(|slot| self.value_of(*slot, factors)).sum()
    }

    fn depends_on(&self, slot: Slot) -> bool {
        slot.is_main() || slot == Slot::Scales
    }

    fn add_to(&self, slot: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        let Subproblem::Quadratic(q) = subproblem else {
            panic!("a problem with a shared anchor has the Frobenius loss")
        };
        let n = self.weight.len();
        let half = T::from_f64(0.5);
        if slot.is_main() {
            q.penalties.add_shift(n, self.weight.iter().map(|m| half * *m));
            for i in 0..n {
                let (d, r) = (factors.get(Slot::Scales).get(i, 0), self.reference.row(i));
                let pull = half * self.weight[i] * d;
                for (c, r) in q.cross.row_mut(i).iter_mut().zip(r) {
                    *c += pull * *r;
                }
                q.constant += 0.5 * pull.to_f64() * d.to_f64() * dot(r, r);
            }
            q.constant += self.value_of(slot.other(), factors);
            return;
        }
        let lengths = (0..n).map(|i| dot(self.reference.row(i), self.reference.row(i)));
        q.penalties.add_shift(n, self.weight.iter().zip(lengths).map(|(m, l)| *m * T::from_f64(l)));
        for i in 0..n {
            let m = self.weight[i].to_f64();
            q.cross.row_mut(i)[0] += T::from_f64(0.5 * m * self.along(i, factors));
            let squares = |slot: Slot| dot(factors.get(slot).row(i), factors.get(slot).row(i));
            q.constant += 0.25 * m * (squares(Slot::Codes) + squares(Slot::Components));
        }
    }

    fn changes_cross(&self, slot: Slot) -> bool {
        slot.is_main()
    }

    fn own_start(&self, start: &Factors<T>) -> Option<OwnStart<'_, T>> {
        Some(OwnStart::Follows(self.scales(start)))
    }
}

impl Cast for SharedAnchor<f64> {
    type In<T: Real> = SharedAnchor<T>;

    fn cast<T: Real>(&self, _: bool) -> SharedAnchor<T> {
        let weight = self.weight.iter().map(|w| T::from_f64(w.to_f64())).collect();
        SharedAnchor::new(self.reference.cast(), weight)
    }
}
