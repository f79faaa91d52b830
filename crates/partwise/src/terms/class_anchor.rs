//! Labelled rows held to their class, measured at unit length of the components.
//!
//! ```text
//! ½·s²·Σ_{i labelled} Σ_{j not of class(i)} w_ij²·‖h_j‖²
//! ```
//!
//! A class owns one component or several in a row: class c of p components each owns components c·p to c·p + p − 1.
//!
//! It is the row anchor of WS-NMF with the indicator of the class as reference and the free scale minimized out (METHODS R5), in the
//! coordinates w_ij·‖h_j‖ in which rescaling a component against its column of codes changes nothing. So the strength s has no unit: 0 is
//! ignored, 1 weighs a misplaced part as much as the fit does, and the same s means the same for X and c·X, for n and 10·n samples. The
//! published weight has the unit of the components and can be evaded by shrinking the codes and growing the components.
//! Exactly quadratic in either factor.

use std::sync::Arc;

use super::penalty::{add_ridge, column_squares};
use crate::factors::{Factors, Slot};
use crate::quadratic::{RowGroup, Subproblem};
use crate::real::Real;

/// See the module.
#[derive(Clone, Debug)]
pub struct ClassAnchor<T> {
    /// The factor whose labelled rows are held (w above); the other is h.
    pub slot: Slot,
    groups: Arc<Vec<RowGroup<T>>>,
}

impl<T: Real> ClassAnchor<T> {
    /// `classes` holds the class (from 0) of each labelled row of the factor `slot`, `per_class` how many components each class owns;
    /// `strength` is s ≥ 0.
    ///
    /// # Panics
    /// When a component of a class is not below `rank`.
    pub fn new(slot: Slot, classes: &[Option<usize>], per_class: usize, rank: usize, strength: f64) -> Self {
        let weight = T::from_f64(strength * strength);
        let count = classes.iter().flatten().max().map_or(0, |last| last + 1);
        assert!(count * per_class <= rank, "each class owns components that there are");
        let mut groups: Vec<RowGroup<T>> = (0..count)
            .map(|class| {
                let spared = (class * per_class..(class + 1) * per_class).map(|j| j as u32).collect();
                RowGroup { rows: Vec::new(), weight, direction: vec![T::ZERO; rank], spared, added: None }
            })
            .collect();
        for (row, class) in classes.iter().enumerate() {
            if let Some(class) = class {
                groups[*class].rows.push(row as u32);
            }
        }
        groups.retain(|group| !group.rows.is_empty() && weight > T::ZERO);
        ClassAnchor { slot, groups: Arc::new(groups) }
    }

    /// The same anchor in another precision.
    pub fn cast<U: Real>(&self) -> ClassAnchor<U> {
        let cast = |v: &T| U::from_f64(v.to_f64());
        let group = |g: &RowGroup<T>| RowGroup {
            rows: g.rows.clone(),
            weight: cast(&g.weight),
            direction: g.direction.iter().map(cast).collect(),
            spared: g.spared.clone(),
            added: None,
        };
        ClassAnchor { slot: self.slot, groups: Arc::new(self.groups.iter().map(group).collect()) }
    }

    pub(super) fn groups(&self) -> Arc<Vec<RowGroup<T>>> {
        Arc::clone(&self.groups)
    }

    /// s²·Σ over the labelled rows of other classes of w_ij², for each component j.
    fn misplaced(&self, factors: &Factors<T>) -> Vec<f64> {
        let codes = factors.get(self.slot);
        let mut sums = vec![0.0; codes.columns()];
        for group in self.groups.iter() {
            for &row in &group.rows {
                for (j, w) in codes.row(row as usize).iter().enumerate() {
                    if group.spared.binary_search(&(j as u32)).is_err() {
                        sums[j] += group.weight.to_f64() * w.to_f64() * w.to_f64();
                    }
                }
            }
        }
        sums
    }

    pub(super) fn value(&self, factors: &Factors<T>) -> f64 {
        let squares = column_squares(factors, self.slot.other());
        0.5 * self.misplaced(factors).iter().zip(&squares).map(|(m, s)| m * s).sum::<f64>()
    }

    pub(super) fn add_to(&self, slot: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        match (slot, subproblem) {
            (slot, Subproblem::Quadratic(q)) if slot == self.slot => {
                let squares = column_squares(factors, self.slot.other());
                q.group_metric = Some(squares.into_iter().map(T::from_f64).collect());
                q.groups = self.groups();
            }
            (slot, subproblem) if slot == self.slot.other() => {
                let misplaced = self.misplaced(factors);
                add_ridge(subproblem, |j| misplaced[j]);
            }
            _ => panic!("a problem with a class anchor has the Frobenius loss"),
        }
    }
}
