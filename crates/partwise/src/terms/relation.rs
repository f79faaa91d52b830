//! Pairs of samples that belong together or apart, at unit length of the components: links and graphs.
//!
//! ```text
//! ½·tr(YᵀLY),   yᵢⱼ = wᵢⱼ·‖hⱼ‖,   L symmetric with tr(YᵀLY) ≥ 0 for Y ≥ 0
//!
//! a graph          L = σ²(I − D^-½AD^-½)        ½σ²·Σ aᵢₗ‖yᵢ/√dᵢ − yₗ/√dₗ‖² over the pairs
//! must-link        L = σ²(D − A)                ½σ²·Σ ‖yᵢ − yₗ‖²
//! cannot-link      L = σ²B                      σ²·Σ yᵢ·yₗ
//! ```
//!
//! Rescaling a component against its codes changes nothing, so σ has no unit and the term can't be evaded by
//! shrinking the codes. It is exactly quadratic in the components (a ridge). It couples the rows of the
//! codes, so it enters there as the separable majorizer ½Σᵢκᵢ‖yᵢ‖² − ⟨(K − L)Ỹ, Y⟩ + constant, with K =
//! diag(κ) ⪰ L.

use std::collections::BTreeMap;

use super::penalty::add_ridge;
use crate::engine::quadratic::{RowGroup, Subproblem};
use crate::engine::term::{Cast, Facts, RowGrams, Term, Unit};
use crate::engine::{Factors, Loss, Slot, column_squares};
use crate::foundation::Real;

/// See the module.
#[derive(Clone, Debug)]
pub struct Relation<T> {
    /// What it stands for in the parts of the objective.
    pub name: &'static str,
    /// L on the diagonal (rows).
    diagonal: Vec<f64>,
    /// κ (rows).
    curvature: Vec<f64>,
    /// L off the diagonal: where the row of each begins, and (column, value).
    begins: Vec<usize>,
    entries: Vec<(u32, f64)>,
    number: std::marker::PhantomData<T>,
}

impl<T: Real> Relation<T> {
    /// L by its diagonal and the entries (i, l, value) off it, both (i, l) and (l, i) present; equal places
    /// are summed. `curvature` is κ; the row sums of |L| when absent.
    pub fn new(
        name: &'static str,
        diagonal: Vec<f64>,
        entries: &[(u32, u32, f64)],
        curvature: Option<Vec<f64>>,
    ) -> Self {
        let mut sums: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        for &(i, l, value) in entries {
            *sums.entry((i, l)).or_default() += value;
        }
        let mut begins = vec![0; diagonal.len() + 1];
        sums.keys().for_each(|(i, _)| begins[*i as usize + 1] += 1);
        (0..diagonal.len()).for_each(|i| begins[i + 1] += begins[i]);
        let entries: Vec<(u32, f64)> = sums.into_iter().map(|((_, l), value)| (l, value)).collect();
        let curvature = curvature.unwrap_or_else(|| {
            let row = |i: usize| entries[begins[i]..begins[i + 1]].iter().map(|(_, v)| v.abs()).sum::<f64>();
            (0..diagonal.len()).map(|i| diagonal[i].abs() + row(i)).collect()
        });
        Relation { name, diagonal, curvature, begins, entries, number: std::marker::PhantomData }
    }

    /// Whether there is a cannot-link, which multiplicative updates do not support.
    fn parts(&self) -> bool {
        self.entries.iter().any(|(_, value)| *value > 0.0)
    }

    fn row(&self, i: usize) -> &[(u32, f64)] {
        &self.entries[self.begins[i]..self.begins[i + 1]]
    }

    /// (LW)ᵢ, into `out` (k).
    fn times(&self, i: usize, factors: &Factors<T>, out: &mut [f64]) {
        let codes = factors.get(Slot::Codes);
        for (o, w) in out.iter_mut().zip(codes.row(i)) {
            *o = self.diagonal[i] * w.to_f64();
        }
        for &(l, value) in self.row(i) {
            for (o, w) in out.iter_mut().zip(codes.row(l as usize)) {
                *o += value * w.to_f64();
            }
        }
    }

    /// wⱼᵀLwⱼ of each component.
    fn forms(&self, factors: &Factors<T>) -> Vec<f64> {
        let codes = factors.get(Slot::Codes);
        let mut sums = vec![0.0; codes.columns()];
        let mut product = vec![0.0; codes.columns()];
        for i in 0..codes.rows() {
            self.times(i, factors, &mut product);
            for ((s, p), w) in sums.iter_mut().zip(&product).zip(codes.row(i)) {
                *s += p * w.to_f64();
            }
        }
        sums.into_iter().map(|s| s.max(0.0)).collect()
    }

    /// Rows by their κ.
    fn groups(&self, k: usize) -> Vec<RowGroup<T>> {
        let mut by_curvature: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for (i, kappa) in self.curvature.iter().enumerate().filter(|(_, kappa)| **kappa > 0.0) {
            by_curvature.entry(kappa.to_bits()).or_default().push(i as u32);
        }
        let group = |(bits, rows): (u64, Vec<u32>)| RowGroup {
            penalty: Some(vec![T::from_f64(f64::from_bits(bits)); k]),
            ..RowGroup::plain(rows, k)
        };
        by_curvature.into_iter().map(group).collect()
    }
}

impl<T: Real> Term<T> for Relation<T> {
    fn name(&self) -> String {
        self.name.into()
    }

    fn facts(&self) -> Facts {
        Facts {
            squared_only: true,
            negative_cross: self.parts(),
            row_grams: RowGrams::NonNegative,
            unit: Some(Unit::Relative),
            ..Facts::default()
        }
    }

    fn value(&self, factors: &Factors<T>, _: Loss) -> f64 {
        let squares = column_squares(factors, Slot::Components);
        0.5 * self.forms(factors).iter().zip(&squares).map(|(f, s)| f * s).sum::<f64>()
    }

    fn add_to(&self, slot: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        if slot == Slot::Components {
            let forms = self.forms(factors);
            return add_ridge(subproblem, |j| forms[j]);
        }
        let value = self.value(factors, Loss::Frobenius);
        let squares = column_squares(factors, Slot::Components);
        let Subproblem::Quadratic(q) = subproblem else {
            panic!("a problem with relations has the Frobenius loss")
        };
        let codes = factors.get(Slot::Codes);
        let k = codes.columns();
        let mut product = vec![0.0; k];
        // What the numbers, rounded as they are in T, give at the current codes.
        let mut here = 0.0;
        for i in 0..codes.rows() {
            let kappa = T::from_f64(self.curvature[i]).to_f64();
            if kappa == 0.0 {
                continue;
            }
            self.times(i, factors, &mut product);
            let row = codes.row(i);
            for (j, cross) in q.cross.row_mut(i).iter_mut().enumerate() {
                let (w, square) = (row[j].to_f64(), T::from_f64(squares[j]).to_f64());
                let before = cross.to_f64();
                *cross += T::from_f64(square * (kappa * w - product[j]));
                here += 0.5 * kappa * square * w * w - (cross.to_f64() - before) * w;
            }
        }
        q.group_metric = Some(squares.into_iter().map(T::from_f64).collect());
        q.add_groups(self.groups(k));
        q.constant += value - here;
        q.majorizer = true;
    }

    fn changes_cross(&self, slot: Slot) -> bool {
        slot == Slot::Codes
    }
}

impl Cast for Relation<f64> {
    type In<T: Real> = Relation<T>;

    fn cast<T: Real>(&self, _: bool) -> Relation<T> {
        Relation {
            name: self.name,
            diagonal: self.diagonal.clone(),
            curvature: self.curvature.clone(),
            begins: self.begins.clone(),
            entries: self.entries.clone(),
            number: std::marker::PhantomData,
        }
    }
}
