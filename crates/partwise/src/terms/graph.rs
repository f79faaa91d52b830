//! Codes of samples that are joined in a graph are drawn together.
//!
//! ```text
//! (λ/2)·tr(WᵀLW) = (λ/4)·Σᵢⱼ aᵢⱼ‖wᵢ − wⱼ‖²,   L = D − A,   D = diag(dᵢ), dᵢ = Σⱼ aᵢⱼ
//! ```
//!
//! It couples the rows of W, which the seam has independent, so it enters as a quadratic formed at the current codes W̃, equal to the
//! term there in value and gradient ([`GraphForm`]):
//!
//! ```text
//! separable        λΣᵢdᵢ‖wᵢ‖² − λ⟨(D + A)W̃, W⟩ + constant      nowhere below the term, since L ⪯ 2D: any solver may minimize it
//! multiplicative   (λ/2)Σᵢdᵢ‖wᵢ‖² − λ⟨AW̃, W⟩ + constant        as published; one multiplicative update lowers the term with it
//! ```
//!
//! The second may lie below the term where A has negative eigenvalues, so minimizing it could raise the objective. A multiplicative
//! update is a gradient step with the curvatures K = ((G + λdᵢ)w̃ᵢ)/w̃ᵢ, and 2K ⪰ G + λL because D + A ⪰ 0, so it never does.

use std::sync::Arc;

use crate::factors::{Factors, Slot};
use crate::graphs::Graph;
use crate::quadratic::{Subproblem, dot};
use crate::real::Real;

/// How the term enters the subproblem of the codes; see the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphForm {
    /// A majorizer with independent rows.
    Separable,
    /// The split of the published multiplicative updates: A to the numerator, D to the denominator. No majorizer, so it is for these
    /// updates only.
    Multiplicative,
}

/// (λ/2)·tr(WᵀLW) on the codes.
#[derive(Clone, Debug)]
pub struct GraphSmoothing<T> {
    graph: Arc<Graph>,
    degrees: Arc<Vec<f64>>,
    weight: T,
    form: GraphForm,
}

impl<T: Real> GraphSmoothing<T> {
    /// `graph` has one node a row of codes; `weight` is λ ≥ 0.
    pub fn new(graph: Graph, weight: T, form: GraphForm) -> Self {
        let degrees = Arc::new(graph.degrees());
        GraphSmoothing { graph: Arc::new(graph), degrees, weight, form }
    }

    /// The same term in another precision and form.
    pub fn cast<U: Real>(&self, form: GraphForm) -> GraphSmoothing<U> {
        let (graph, degrees) = (Arc::clone(&self.graph), Arc::clone(&self.degrees));
        GraphSmoothing { graph, degrees, weight: U::from_f64(self.weight.to_f64()), form }
    }

    pub(super) fn is_weightless(&self) -> bool {
        self.weight == T::ZERO
    }

    pub(super) fn value(&self, factors: &Factors<T>) -> f64 {
        if self.is_weightless() {
            return 0.0;
        }
        let codes = factors.get(Slot::Codes);
        let mut sum = 0.0;
        for i in 0..codes.rows() {
            let (neighbours, weights) = self.graph.neighbours(i);
            for (&j, a) in neighbours.iter().zip(weights).filter(|(j, _)| **j as usize > i) {
                let pairs = codes.row(i).iter().zip(codes.row(j as usize));
                sum += a * pairs.map(|(w, v)| (w.to_f64() - v.to_f64()).powi(2)).sum::<f64>();
            }
        }
        0.5 * self.weight.to_f64() * sum
    }

    pub(super) fn add_to(&self, slot: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        let value = self.value(factors);
        if slot != Slot::Codes || self.is_weightless() {
            return subproblem.add_constant(value);
        }
        let Subproblem::Quadratic(q) = subproblem else {
            panic!("a problem with a graph has the Frobenius loss")
        };
        let codes = factors.get(Slot::Codes);
        let weight = self.weight.to_f64();
        // What the degrees are multiplied by in the numerator, and on the diagonal.
        let (pull, hold) = match self.form {
            GraphForm::Separable => (1.0, 2.0),
            GraphForm::Multiplicative => (0.0, 1.0),
        };
        let shifts: Vec<T> = self.degrees.iter().map(|d| T::from_f64(hold * weight * d)).collect();
        // What the numbers, rounded as they are in T, give at the current codes.
        let mut here = 0.0;
        let mut sums = vec![0.0; codes.columns()];
        for (i, shift) in shifts.iter().enumerate() {
            let row = codes.row(i);
            for (sum, w) in sums.iter_mut().zip(row) {
                *sum = pull * self.degrees[i] * w.to_f64();
            }
            let (neighbours, weights) = self.graph.neighbours(i);
            for (&j, a) in neighbours.iter().zip(weights) {
                for (sum, w) in sums.iter_mut().zip(codes.row(j as usize)) {
                    *sum += a * w.to_f64();
                }
            }
            here += 0.5 * shift.to_f64() * dot(row, row);
            for ((cross, sum), w) in q.cross.row_mut(i).iter_mut().zip(&sums).zip(row) {
                let before = cross.to_f64();
                *cross += T::from_f64(weight * sum);
                here -= (cross.to_f64() - before) * w.to_f64();
            }
        }
        q.penalties.add_shift(codes.rows(), shifts.into_iter());
        q.constant += value - here;
        q.majorizer = true;
    }
}
