//! Codes of connected samples in a graph are pulled together.
//!
//! ```text
//! (λ/2)·tr(WᵀLW) = (λ/4)·Σᵢⱼ aᵢⱼ‖wᵢ − wⱼ‖²,   L = D − A,   D = diag(dᵢ), dᵢ = Σⱼ aᵢⱼ
//! ```
//!
//! It couples the rows of W, which the seam has independent, so it enters as a quadratic formed at the
//! current codes W̃, equal to the term there in value and gradient ([`GraphForm`]):
//!
//! ```text
//! separable        λΣᵢdᵢ‖wᵢ‖² − λ⟨(D + A)W̃, W⟩ + constant      nowhere below the term,
//!                                                               since L ⪯ 2D: any solver may minimize it
//! multiplicative   (λ/2)Σᵢdᵢ‖wᵢ‖² − λ⟨AW̃, W⟩ + constant        as published; one multiplicative
//!                                                               update lowers the term with it
//! ```
//!
//! The second may lie below the term where A has negative eigenvalues, so minimizing it could raise the
//! objective. A multiplicative update is a gradient step with the curvatures K = ((G + λdᵢ)w̃ᵢ)/w̃ᵢ, and 2K ⪰
//! G + λL because D + A ⪰ 0, so it never does.
//!
//! Relative, the term is measured at unit length of the components ([`GraphSmoothing::relative`]), so that λ
//! has no unit and growing the components against the codes can't evade it:
//!
//! ```text
//! (λ/2)·Σ_c m_c·w_cᵀLw_c,   m_c = ‖h_c‖²
//! ```
//!
//! The majorizer then has the curvature 2λdᵢ·max m for every component; from the components the term is a
//! ridge, λ·w_cᵀLw_c for each.

use std::sync::Arc;

use super::penalty::add_ridge;
use crate::engine::quadratic::{Subproblem, dot};
use crate::engine::term::{Cast, ComponentSize, Facts, Term};
use crate::engine::{Factors, Loss, Slot, column_squares};
use crate::foundation::{Matrix, Real};
use crate::graphs::Graph;
use crate::kernels::simd::{Kernel, dispatch};

/// How the term enters the subproblem of the codes; see the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphForm {
    /// A majorizer with independent rows.
    Separable,
    /// The split of the published multiplicative updates: A to the numerator, D to the denominator. No
    /// majorizer, so it is for these updates only.
    Multiplicative,
}

/// (λ/2)·tr(WᵀLW) on the codes.
#[derive(Clone, Debug)]
pub struct GraphSmoothing<T> {
    graph: Arc<Graph>,
    degrees: Arc<Vec<f64>>,
    weight: T,
    form: GraphForm,
    relative: bool,
}

impl<T: Real> GraphSmoothing<T> {
    /// `graph` has one node per row of codes; `weight` is λ ≥ 0.
    pub fn new(graph: Graph, weight: T, form: GraphForm) -> Self {
        let degrees = Arc::new(graph.degrees());
        GraphSmoothing { graph: Arc::new(graph), degrees, weight, form, relative: false }
    }

    /// The term measured at unit length of the components; see the module. It is always separable.
    pub fn relative(graph: Graph, weight: T) -> Self {
        GraphSmoothing { relative: true, ..Self::new(graph, weight, GraphForm::Separable) }
    }

    fn is_weightless(&self) -> bool {
        self.weight == T::ZERO
    }

    /// w_cᵀLw_c of each component (k).
    fn energies(&self, codes: &Matrix<T>) -> Vec<f64> {
        dispatch(Energies { graph: &self.graph, codes })
    }

    /// m (k), where the term is relative.
    fn metric(&self, factors: &Factors<T>) -> Option<Vec<f64>> {
        self.relative.then(|| column_squares(factors, Slot::Components))
    }
}

impl<T: Real> Term<T> for GraphSmoothing<T> {
    fn name(&self) -> String {
        "graph".into()
    }

    fn facts(&self) -> Facts {
        Facts {
            squared_only: true,
            size: if self.relative { ComponentSize::BestAtUnit } else { ComponentSize::Free },
            ..Facts::default()
        }
    }

    fn value(&self, factors: &Factors<T>, _: Loss) -> f64 {
        if self.is_weightless() {
            return 0.0;
        }
        let energies = self.energies(factors.get(Slot::Codes));
        let sum: f64 = match self.metric(factors) {
            None => energies.iter().sum(),
            Some(metric) => energies.iter().zip(&metric).map(|(energy, m)| energy * m).sum(),
        };
        0.5 * self.weight.to_f64() * sum
    }

    fn add_to(&self, slot: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        if slot == Slot::Components && self.relative && !self.is_weightless() {
            let (weight, energies) = (self.weight.to_f64(), self.energies(factors.get(Slot::Codes)));
            return add_ridge(subproblem, |j| weight * energies[j]);
        }
        let value = self.value(factors, Loss::Frobenius);
        if slot != Slot::Codes || self.is_weightless() {
            return subproblem.add_constant(value);
        }
        let Subproblem::Quadratic(q) = subproblem else {
            panic!("a problem with a graph has the Frobenius loss")
        };
        let codes = factors.get(Slot::Codes);
        let weight = self.weight.to_f64();
        let metric = self.metric(factors).unwrap_or_else(|| vec![1.0; codes.columns()]);
        let largest = metric.iter().fold(0.0f64, |largest, m| largest.max(*m));
        // What the degrees are multiplied by on the diagonal.
        let hold = match self.form {
            GraphForm::Separable => 2.0 * largest,
            GraphForm::Multiplicative => 1.0,
        };
        let shifts: Vec<T> = self.degrees.iter().map(|d| T::from_f64(hold * weight * d)).collect();
        // What the numbers, rounded as they are in T, give at the current codes.
        let mut here = 0.0;
        let mut sums = vec![0.0; codes.columns()];
        for (i, shift) in shifts.iter().enumerate() {
            let row = codes.row(i);
            dispatch(Neighbours { graph: &self.graph, codes, sample: i, sums: &mut sums });
            here += 0.5 * shift.to_f64() * dot(row, row);
            let own = self.degrees[i];
            for (c, (cross, w)) in q.cross.row_mut(i).iter_mut().zip(row).enumerate() {
                // The diagonal less what the gradient of the term takes of it: hold − m, never below 0.
                let pulled = (hold - metric[c]) * own * w.to_f64() + metric[c] * sums[c];
                let before = cross.to_f64();
                *cross += T::from_f64(weight * pulled);
                here -= (cross.to_f64() - before) * w.to_f64();
            }
        }
        q.penalties.add_shift(codes.rows(), shifts.into_iter());
        q.constant += value - here;
        q.majorizer = true;
    }

    fn changes_cross(&self, slot: Slot) -> bool {
        slot == Slot::Codes && !self.is_weightless()
    }
}

impl Cast for GraphSmoothing<f64> {
    type In<T: Real> = GraphSmoothing<T>;

    fn cast<T: Real>(&self, multiplicative: bool) -> GraphSmoothing<T> {
        let (graph, degrees) = (Arc::clone(&self.graph), Arc::clone(&self.degrees));
        let form = match multiplicative && !self.relative {
            true => GraphForm::Multiplicative,
            false => GraphForm::Separable,
        };
        GraphSmoothing {
            graph,
            degrees,
            weight: T::from_f64(self.weight.to_f64()),
            form,
            relative: self.relative,
        }
    }
}

/// w_cᵀLw_c of each component (k).
struct Energies<'a, T> {
    graph: &'a Graph,
    codes: &'a Matrix<T>,
}

impl<T: Real> Kernel for Energies<'_, T> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> Vec<f64> {
        let Energies { graph, codes } = self;
        let mut sums = vec![0.0; codes.columns()];
        for i in 0..codes.rows() {
            let (neighbours, weights) = graph.neighbours(i);
            for (&j, a) in neighbours.iter().zip(weights).filter(|(j, _)| **j as usize > i) {
                let pairs = codes.row(i).iter().zip(codes.row(j as usize));
                for (sum, (w, v)) in sums.iter_mut().zip(pairs) {
                    let difference = w.to_f64() - v.to_f64();
                    *sum += a * difference * difference;
                }
            }
        }
        sums
    }
}

/// Σⱼ aᵢⱼwⱼ (k) of one sample i.
struct Neighbours<'a, T> {
    graph: &'a Graph,
    codes: &'a Matrix<T>,
    sample: usize,
    sums: &'a mut [f64],
}

impl<T: Real> Kernel for Neighbours<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        self.sums.fill(0.0);
        let (neighbours, weights) = self.graph.neighbours(self.sample);
        for (&j, a) in neighbours.iter().zip(weights) {
            for (sum, w) in self.sums.iter_mut().zip(self.codes.row(j as usize)) {
                *sum += a * w.to_f64();
            }
        }
    }
}
