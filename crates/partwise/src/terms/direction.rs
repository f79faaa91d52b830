//! Components drawn to a profile that is known up to its size: reference components, the signatures of a
//! topic.
//!
//! ```text
//! Frobenius          ½·Σⱼ σⱼ²·‖wⱼ‖²·(‖hⱼ‖² − (hⱼ·r̂ⱼ)²)                      ‖r̂‖₂ = 1
//! Kullback–Leibler   Σⱼ σⱼ²·m·Σ_f rⱼ_f·ln(rⱼ_f / (hⱼ_f/‖hⱼ‖₁))              ‖r‖₁ = 1, m = ΣX/k
//! ```
//!
//! What of a component is not along its profile costs, as much as its share in the data weighs, so σ has no
//! unit and growing or shrinking a component changes nothing. With the Kullback–Leibler loss it is a prior of
//! pseudo-counts, as heavy as σ² times an average component. Exact in the codes. In the components −(h·r̂)²
//! is majorized by its tangent, ln‖h‖ likewise.

use super::penalty::{add_ridge, column_norms_1};
use crate::engine::quadratic::Subproblem;
use crate::engine::term::{Cast, Facts, RowPenalty, Term, Unit};
use crate::engine::{Factors, Loss, Slot, column_squares};
use crate::foundation::{Matrix, Real};

/// See the module.
#[derive(Clone, Debug)]
pub struct ComponentDirection<T> {
    /// The components that are drawn.
    components: Vec<usize>,
    /// Their profiles as given (d × components drawn).
    profiles: Matrix<T>,
    /// σ² of each.
    weights: Vec<f64>,
    /// m.
    mass: f64,
}

impl<T: Real> ComponentDirection<T> {
    /// `profiles` (d × number of `components`) are non-negative and none is all zero; `weights` holds σ² of
    /// each; `mass` is m.
    ///
    /// # Panics
    /// When their numbers differ.
    pub fn new(components: Vec<usize>, profiles: Matrix<T>, weights: Vec<f64>, mass: f64) -> Self {
        assert_eq!(components.len(), profiles.columns(), "one profile for each component");
        assert_eq!(components.len(), weights.len(), "one weight for each component");
        ComponentDirection { components, profiles, weights, mass }
    }

    fn profile(&self, at: usize) -> impl Iterator<Item = f64> + Clone + '_ {
        (0..self.profiles.rows()).map(move |f| self.profiles.get(f, at).to_f64())
    }

    /// h·r̂ of each.
    fn along(&self, factors: &Factors<T>) -> Vec<(f64, f64)> {
        let h = factors.get(Slot::Components);
        let of = |(at, &j): (usize, &usize)| {
            let length = self.profile(at).map(|r| r * r).sum::<f64>().sqrt();
            let product: f64 = self.profile(at).enumerate().map(|(f, r)| r * h.get(f, j).to_f64()).sum();
            (product / length, length)
        };
        self.components.iter().enumerate().map(of).collect()
    }

    fn divergence(&self, factors: &Factors<T>) -> f64 {
        let (h, sums) = (factors.get(Slot::Components), column_norms_1(factors, Slot::Components, None));
        let mut value = 0.0;
        for (at, &j) in self.components.iter().enumerate() {
            // A component without mass has no shape that could differ.
            if self.weights[at] * self.mass == 0.0 || sums[j] == 0.0 {
                continue;
            }
            let total: f64 = self.profile(at).sum();
            let shares = self.profile(at).map(|r| r / total).enumerate().filter(|(_, r)| *r > 0.0);
            let terms = shares.map(|(f, r)| r * (r * sums[j] / h.get(f, j).to_f64()).ln());
            value += self.weights[at] * self.mass * terms.sum::<f64>();
        }
        value
    }

    fn add_counts(&self, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        let value = self.divergence(factors);
        let (h, sums) = (factors.get(Slot::Components), column_norms_1(factors, Slot::Components, None));
        let Subproblem::KullbackLeibler(m) = subproblem else { unreachable!("the caller has a majorizer") };
        m.constant += value;
        for (at, &j) in self.components.iter().enumerate() {
            let counts = self.weights[at] * self.mass;
            let total: f64 = self.profile(at).sum();
            for (f, r) in self.profile(at).enumerate() {
                let here = h.get(f, j).to_f64();
                if here > 0.0 {
                    let numerator = m.numerator.get(f, j) + T::from_f64(counts * r / (total * here));
                    m.numerator.set(f, j, numerator);
                }
            }
            if sums[j] > 0.0 {
                m.base[j] += T::from_f64(counts / sums[j]);
                m.constant -= counts;
            }
        }
    }
}

impl<T: Real> Term<T> for ComponentDirection<T> {
    fn name(&self) -> String {
        "references".into()
    }

    fn facts(&self) -> Facts {
        Facts { unit: Some(Unit::Relative), ..Facts::default() }
    }

    fn value(&self, factors: &Factors<T>, loss: Loss) -> f64 {
        if loss != Loss::Frobenius {
            return self.divergence(factors);
        }
        let codes = column_squares(factors, Slot::Codes);
        let components = column_squares(factors, Slot::Components);
        let along = self.along(factors);
        let part = |(at, &j): (usize, &usize)| {
            self.weights[at] * codes[j] * (components[j] - along[at].0 * along[at].0).max(0.0)
        };
        0.5 * self.components.iter().enumerate().map(part).sum::<f64>()
    }

    fn add_to(&self, slot: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        if let Subproblem::KullbackLeibler(_) = subproblem {
            return match slot {
                Slot::Components => self.add_counts(factors, subproblem),
                _ => subproblem.add_constant(self.divergence(factors)),
            };
        }
        let along = self.along(factors);
        let place = |j: usize| self.components.iter().position(|c| *c == j);
        if slot == Slot::Codes {
            let squares = column_squares(factors, Slot::Components);
            return add_ridge(subproblem, |j| {
                place(j).map_or(0.0, |at| self.weights[at] * (squares[j] - along[at].0.powi(2)).max(0.0))
            });
        }
        let squares = column_squares(factors, Slot::Codes);
        add_ridge(subproblem, |j| place(j).map_or(0.0, |at| self.weights[at] * squares[j]));
        let Subproblem::Quadratic(q) = subproblem else { unreachable!("the other loss was dealt with") };
        for (at, &j) in self.components.iter().enumerate() {
            let (product, length) = along[at];
            let weight = self.weights[at] * squares[j];
            let pull = weight * product / length;
            for f in 0..self.profiles.rows() {
                let value = q.cross.get(f, j) + T::from_f64(pull * self.profiles.get(f, at).to_f64());
                q.cross.set(f, j, value);
            }
            q.constant += 0.5 * weight * product * product;
        }
        q.majorizer = true;
    }

    fn changes_cross(&self, slot: Slot) -> bool {
        slot == Slot::Components
    }

    fn for_new_rows(&self, factors: &Factors<T>, loss: Loss) -> Option<RowPenalty> {
        (loss == Loss::Frobenius).then(|| RowPenalty::in_codes(self, factors))
    }
}

impl Cast for ComponentDirection<f64> {
    type In<T: Real> = ComponentDirection<T>;

    fn cast<T: Real>(&self, _: bool) -> ComponentDirection<T> {
        ComponentDirection {
            components: self.components.clone(),
            profiles: self.profiles.cast(),
            weights: self.weights.clone(),
            mass: self.mass,
        }
    }
}
