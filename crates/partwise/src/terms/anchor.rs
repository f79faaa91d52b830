//! Anchors: a factor pulled towards a reference, row by row ([`RowAnchor`]) or component by component
//! ([`ComponentAnchor`]).
//!
//! A row anchor may have a free scale dᵢ ≥ 0: ½mᵢ‖uᵢ − dᵢrᵢ‖², minimized at dᵢ = uᵢ·rᵢ/‖rᵢ‖². There are two
//! ways to deal with it. Alternating: dᵢ from the current row, fixed during the update (the published WS-NMF;
//! a majorizer). Joint: put the minimizer in, which leaves ½mᵢ·u(I − r̂r̂ᵀ)uᵀ, a Gram of the row's own
//! (METHODS R5): the same stationary points, faster.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::engine::quadratic::{RowGroup, Subproblem, dot};
use crate::engine::term::{Cast, Facts, NeedsCodes, RowGrams, Term, Unit};
use crate::engine::{Factors, Loss, Slot};
use crate::foundation::{Matrix, Real, names};

/// What becomes of the scale dᵢ of a row anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum AnchorScale {
    /// dᵢ = 1.
    Fixed,
    /// dᵢ from the row before its update.
    Alternating,
    /// dᵢ minimized out exactly.
    #[default]
    Joint,
}

names! {
    #[doc(hidden)]
    AnchorScale, "anchor scale", { Joint = "joint", Alternating = "alternating", Fixed = "fixed" }
}

/// ½·Σᵢ mᵢ‖uᵢ − dᵢrᵢ‖². Rows with mᵢ = 0 are free; rows whose reference is zero are pulled
/// towards zero.
#[derive(Clone, Debug)]
pub struct RowAnchor<T> {
    /// The factor it is on.
    pub slot: Slot,
    reference: Matrix<T>,
    weight: Vec<T>,
    pub(crate) scale: AnchorScale,
    groups: Arc<Vec<RowGroup<T>>>,
}

impl<T: Real> RowAnchor<T> {
    /// `reference` is rows × k, `weight` (rows) holds mᵢ ≥ 0.
    ///
    /// # Panics
    /// When their lengths differ.
    pub fn new(slot: Slot, reference: Matrix<T>, weight: Vec<T>, scale: AnchorScale) -> Self {
        assert_eq!(reference.rows(), weight.len(), "one weight per row of the reference");
        let groups = Arc::new(match scale {
            AnchorScale::Joint => group_rows(&reference, &weight),
            _ => Vec::new(),
        });
        RowAnchor { slot, reference, weight, scale, groups }
    }

    fn is_joint(&self) -> bool {
        self.scale == AnchorScale::Joint
    }

    /// dᵢ of each row: 1 when fixed; u·r/‖r‖² otherwise, 0 where m or r is 0.
    pub fn scales(&self, factor: &Matrix<T>) -> Vec<f64> {
        (0..factor.rows()).map(|i| self.scale_of(i, factor.row(i))).collect()
    }

    fn scale_of(&self, i: usize, u: &[T]) -> f64 {
        if self.scale == AnchorScale::Fixed {
            return 1.0;
        }
        let r = self.reference.row(i);
        let length = dot(r, r);
        if self.weight[i] > T::ZERO && length > 0.0 { dot(u, r) / length } else { 0.0 }
    }
}

impl<T: Real> Term<T> for RowAnchor<T> {
    fn name(&self) -> String {
        format!("reference of {}", self.slot.name())
    }

    fn facts(&self) -> Facts {
        let signed = self.groups.iter().any(|group| !group.is_diagonal());
        Facts {
            exact: self.scale != AnchorScale::Alternating,
            squared_only: true,
            row_grams: match self.is_joint() {
                false => RowGrams::None,
                true if signed => RowGrams::Signed,
                true => RowGrams::NonNegative,
            },
            unit: Some(Unit::Raw),
            ..Facts::default()
        }
    }

    fn value(&self, factors: &Factors<T>, _: Loss) -> f64 {
        self.value_of_rows(0..factors.get(self.slot).rows(), factors)
    }

    fn needs_codes(&self) -> NeedsCodes {
        // An alternating scale is part of the subproblem at the current codes.
        match (self.slot, self.scale) {
            (Slot::Codes, AnchorScale::Alternating) => NeedsCodes::All,
            (slot, _) => NeedsCodes::of_rows(slot),
        }
    }

    fn value_of_rows(&self, rows: Range<usize>, factors: &Factors<T>) -> f64 {
        let factor = factors.get(self.slot);
        let mut value = 0.0;
        for i in rows.filter(|&i| self.weight[i] > T::ZERO) {
            let (u, r) = (factor.row(i), self.reference.row(i));
            let d = self.scale_of(i, u);
            let distance: f64 = u.iter().zip(r).map(|(u, r)| (u.to_f64() - d * r.to_f64()).powi(2)).sum();
            value += 0.5 * self.weight[i].to_f64() * distance;
        }
        value
    }

    fn depends_on(&self, slot: Slot) -> bool {
        slot == self.slot
    }

    fn add_to(&self, _: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        let Subproblem::Quadratic(q) = subproblem else {
            panic!("a problem with a row anchor has the Frobenius loss")
        };
        if self.is_joint() {
            if q.groups.is_empty() {
                q.groups = Arc::clone(&self.groups);
            } else {
                q.add_groups(self.groups.to_vec());
            }
            return;
        }
        let factor = factors.get(self.slot);
        q.penalties.add_shift(factor.rows(), self.weight.iter().copied());
        for i in (0..factor.rows()).filter(|&i| self.weight[i] > T::ZERO) {
            let (d, r) = (self.scale_of(i, factor.row(i)), self.reference.row(i));
            let pull = T::from_f64(self.weight[i].to_f64() * d);
            for (c, r) in q.cross.row_mut(i).iter_mut().zip(r) {
                *c += pull * *r;
            }
            q.constant += 0.5 * self.weight[i].to_f64() * d * d * dot(r, r);
        }
        q.majorizer |= self.scale == AnchorScale::Alternating;
    }

    fn changes_cross(&self, slot: Slot) -> bool {
        slot == self.slot && !self.is_joint()
    }
}

impl Cast for RowAnchor<f64> {
    type In<T: Real> = RowAnchor<T>;

    fn cast<T: Real>(&self, _: bool) -> RowAnchor<T> {
        let weight = self.weight.iter().map(|w| T::from_f64(w.to_f64())).collect();
        RowAnchor::new(self.slot, self.reference.cast(), weight, self.scale)
    }
}

/// Rows with equal weight and direction, in the order of their first row.
fn group_rows<T: Real>(reference: &Matrix<T>, weight: &[T]) -> Vec<RowGroup<T>> {
    let mut groups: Vec<RowGroup<T>> = Vec::new();
    let mut known: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
    for i in (0..reference.rows()).filter(|&i| weight[i] > T::ZERO) {
        let r = reference.row(i);
        let length = dot(r, r).sqrt();
        let unit = |v: &T| if length > 0.0 { T::from_f64(v.to_f64() / length) } else { T::ZERO };
        let direction: Vec<T> = r.iter().map(unit).collect();
        let mut key: Vec<u64> = direction.iter().map(|v| v.to_f64().to_bits()).collect();
        key.push(weight[i].to_f64().to_bits());
        let group = *known.entry(key).or_insert_with(|| {
            let plain = RowGroup::plain(Vec::new(), direction.len());
            groups.push(RowGroup { weight: weight[i], direction, ..plain });
            groups.len() - 1
        });
        groups[group].rows.push(i as u32);
    }
    groups
}

/// ½·Σⱼ mⱼ‖u_:ⱼ − r_:ⱼ‖².
#[derive(Clone, Debug)]
pub struct ComponentAnchor<T> {
    /// The factor it is on.
    pub slot: Slot,
    reference: Matrix<T>,
    weight: Vec<T>,
}

impl<T: Real> ComponentAnchor<T> {
    /// `reference` is rows × k in the layout of the slot, `weight` (k) holds mⱼ ≥ 0.
    ///
    /// # Panics
    /// When their lengths differ.
    pub fn new(slot: Slot, reference: Matrix<T>, weight: Vec<T>) -> Self {
        assert_eq!(reference.columns(), weight.len(), "one weight per component");
        ComponentAnchor { slot, reference, weight }
    }
}

impl<T: Real> Term<T> for ComponentAnchor<T> {
    fn name(&self) -> String {
        format!("reference of {} by component", self.slot.name())
    }

    fn facts(&self) -> Facts {
        Facts { exact: true, squared_only: true, unit: Some(Unit::Raw), ..Facts::default() }
    }

    fn value(&self, factors: &Factors<T>, _: Loss) -> f64 {
        self.value_of_rows(0..factors.get(self.slot).rows(), factors)
    }

    fn needs_codes(&self) -> NeedsCodes {
        NeedsCodes::of_rows(self.slot)
    }

    fn value_of_rows(&self, rows: Range<usize>, factors: &Factors<T>) -> f64 {
        let factor = factors.get(self.slot);
        let mut value = 0.0;
        for i in rows {
            for (j, (u, r)) in factor.row(i).iter().zip(self.reference.row(i)).enumerate() {
                let difference = u.to_f64() - r.to_f64();
                value += 0.5 * self.weight[j].to_f64() * difference * difference;
            }
        }
        value
    }

    fn depends_on(&self, slot: Slot) -> bool {
        slot == self.slot
    }

    fn add_to(&self, _: Slot, _: &Factors<T>, subproblem: &mut Subproblem<T>) {
        let Subproblem::Quadratic(q) = subproblem else {
            panic!("a problem with a component anchor has the Frobenius loss")
        };
        for (j, w) in self.weight.iter().enumerate() {
            let value = q.gram.get(j, j) + *w;
            q.gram.set(j, j, value);
        }
        for i in 0..self.reference.rows() {
            let r = self.reference.row(i);
            for (j, c) in q.cross.row_mut(i).iter_mut().enumerate() {
                *c += self.weight[j] * r[j];
                q.constant += 0.5 * self.weight[j].to_f64() * r[j].to_f64() * r[j].to_f64();
            }
        }
    }

    fn changes_cross(&self, slot: Slot) -> bool {
        slot == self.slot
    }
}

impl Cast for ComponentAnchor<f64> {
    type In<T: Real> = ComponentAnchor<T>;

    fn cast<T: Real>(&self, _: bool) -> ComponentAnchor<T> {
        let weight = self.weight.iter().map(|w| T::from_f64(w.to_f64())).collect();
        ComponentAnchor::new(self.slot, self.reference.cast(), weight)
    }
}
