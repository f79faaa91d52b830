//! Components that keep the weight of some of their features: a topic stays at its seeds, and is free in all
//! else.
//!
//! ```text
//! Frobenius          ½·Σⱼ σⱼ²·‖wⱼ‖²·(‖hⱼ‖² − (ρⱼ·hⱼ·ûⱼ + √(1 − ρⱼ²)·‖hⱼ beside the seeds‖)²)
//! Kullback–Leibler   Σⱼ σⱼ²·m·[Σ_seeds qⱼ_f·ln(qⱼ_f/sⱼ_f) + (1 − Σq)·ln((1 − Σq)/(1 − Σ_seeds sⱼ_f))],
//!                    sⱼ = hⱼ/‖hⱼ‖₁, m = ΣX/k
//! ```
//!
//! r is what the samples that hold the seeds look like, û its seeds at unit length, ρ = ‖r on the seeds‖/‖r‖,
//! q = r/‖r‖₁. It is the cost of [`ComponentDirection`] with the best profile among those that have the seeds
//! of r and any other features: at each step that profile is r's seeds with the component's own other
//! features, which majorizes (the maximum over profiles is at least its value at one of them; the logarithm
//! of a sum is concave).

use super::direction::ComponentDirection;
use crate::engine::quadratic::Subproblem;
use crate::engine::term::{Cast, Facts, RowPenalty, Term, Unit};
use crate::engine::{Factors, Loss, Slot};
use crate::foundation::{Matrix, Real};

/// Of one component.
#[derive(Clone, Debug, PartialEq)]
pub struct SeedWeights {
    /// Which component.
    pub component: usize,
    /// σ².
    pub weight: f64,
    /// The seeds and their entries of r, > 0, ascending.
    pub seeds: Vec<(usize, f64)>,
    /// The other features with an entry of r above 0, ascending.
    pub others: Vec<usize>,
    /// ‖r‖₂² beside the seeds.
    pub other_squares: f64,
    /// ‖r‖₁ beside the seeds.
    pub other_sum: f64,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct SeedShare {
    parts: Vec<SeedWeights>,
    /// m.
    mass: f64,
}

impl SeedShare {
    /// `mass` is m.
    pub fn new(parts: Vec<SeedWeights>, mass: f64) -> Self {
        SeedShare { parts, mass }
    }

    /// The direction term that equals it at these factors, and lies above it elsewhere.
    fn here<T: Real>(&self, factors: &Factors<T>, squared: bool) -> ComponentDirection<T> {
        let h = factors.get(Slot::Components);
        let mut profiles = Matrix::zeros(h.rows(), self.parts.len());
        for (at, part) in self.parts.iter().enumerate() {
            let own = |f: usize| h.get(f, part.component).to_f64();
            let size = |v: f64| if squared { v * v } else { v };
            // Summed without the seeds: as a difference, what is left of a component of seeds alone would be
            // rounding.
            let is_seed = |f: usize| part.seeds.binary_search_by_key(&f, |seed| seed.0).is_ok();
            let all: f64 = (0..h.rows()).filter(|f| !is_seed(*f)).map(|f| size(own(f))).sum();
            let (wanted, found) =
                if squared { (part.other_squares.sqrt(), all.sqrt()) } else { (part.other_sum, all) };
            // A component without any other feature has no direction there: each that the samples have is as
            // good.
            let others = part.others.len().max(1) as f64;
            let even = if squared { wanted / others.sqrt() } else { wanted / others };
            let is_other = |f: usize| part.others.binary_search(&f).is_ok();
            let other = |f: usize| match found > 0.0 {
                true => own(f) * (wanted / found),
                false if is_other(f) => even,
                false => 0.0,
            };
            (0..h.rows()).for_each(|f| profiles.set(f, at, T::from_f64(other(f))));
            part.seeds.iter().for_each(|(f, r)| profiles.set(*f, at, T::from_f64(*r)));
        }
        let components = self.parts.iter().map(|part| part.component).collect();
        let weights = self.parts.iter().map(|part| part.weight).collect();
        ComponentDirection::new(components, profiles, weights, self.mass)
    }
}

impl<T: Real> Term<T> for SeedShare {
    fn name(&self) -> String {
        "weight of the seeds".into()
    }

    fn facts(&self) -> Facts {
        Facts { unit: Some(Unit::Relative), ..Facts::default() }
    }

    fn value(&self, factors: &Factors<T>, loss: Loss) -> f64 {
        self.here(factors, loss == Loss::Frobenius).value(factors, loss)
    }

    fn add_to(&self, slot: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        let squared = matches!(subproblem, Subproblem::Quadratic(_));
        self.here(factors, squared).add_to(slot, factors, subproblem);
    }

    fn changes_cross(&self, slot: Slot) -> bool {
        slot == Slot::Components
    }

    fn for_new_rows(&self, factors: &Factors<T>, loss: Loss) -> Option<RowPenalty> {
        (loss == Loss::Frobenius).then(|| RowPenalty::in_codes(self, factors))
    }
}

impl Cast for SeedShare {
    type In<T: Real> = SeedShare;

    fn cast<T: Real>(&self, _: bool) -> SeedShare {
        self.clone()
    }
}
