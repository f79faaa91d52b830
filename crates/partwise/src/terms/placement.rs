//! Rows drawn towards some of the components: what labels, closed sets, memberships, seed words and forbidden
//! words come down to.
//!
//! ```text
//! Frobenius          ½·Σᵢ [ Σⱼ pᵢⱼ·yᵢⱼ² − (Σⱼ vᵢⱼ·yᵢⱼ)² ],   yᵢⱼ = uᵢⱼ·‖v_:ⱼ‖₂ with the other factor v
//! Kullback–Leibler   Σᵢⱼ pᵢⱼ·uᵢⱼ·‖v_:ⱼ‖₁                      (v = 0)
//! ```
//!
//! pᵢⱼ ≥ 0 is what a unit of row i in component j costs; 0 where it belongs. v = σr̂ with p = σ² instead
//! draws the row to a direction r̂: what is not along it costs. Everything is measured in the coordinates y,
//! in which rescaling a component against its partner changes nothing, so a weight has no unit: the same for
//! X and c·X, for n and 10·n samples.
//!
//! Exactly quadratic in the rows. In the other factor it is exactly quadratic without directions; with them
//! the products −‖hⱼ‖‖hₗ‖ are majorized: −xy ≤ ½(x² + y²) − (x̃ + ỹ)(x + y) + ½(x̃ + ỹ)² and −‖h‖ ≤
//! −h·h̃/‖h̃‖.

use std::sync::Arc;

use super::penalty::{add_ridge, column_norms_1};
use crate::engine::quadratic::{RowGroup, Subproblem};
use crate::engine::term::{Cast, ComponentSize, Facts, RowGrams, RowPenalty, Term, Unit};
use crate::engine::{Factors, Loss, Slot, column_squares};
use crate::foundation::{Matrix, Real};

/// Rows with the same rule.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacementRule {
    /// The rows, ascending.
    pub rows: Vec<u32>,
    /// p (k) ≥ 0.
    pub penalty: Vec<f64>,
    /// v (k) ≥ 0, for each direction that the rows are drawn to; Σ v² over all of them is at most p wherever
    /// v is not 0, and each ‖v‖² is at most the least such p.
    pub pulls: Vec<Vec<f64>>,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Placement<T> {
    /// The factor whose rows are drawn.
    pub slot: Slot,
    /// What it stands for in the parts of the objective.
    pub name: &'static str,
    groups: Arc<Vec<RowGroup<T>>>,
}

impl<T: Real> Placement<T> {
    /// The rules of rows of the factor `slot`; each row is in one of them at most.
    pub fn new(slot: Slot, name: &'static str, rules: &[PlacementRule]) -> Self {
        let cast = |v: &Vec<f64>| v.iter().map(|v| T::from_f64(*v)).collect::<Vec<T>>();
        let group = |rule: &PlacementRule| RowGroup {
            penalty: Some(cast(&rule.penalty)),
            pulls: rule.pulls.iter().map(cast).collect(),
            ..RowGroup::plain(rule.rows.clone(), rule.penalty.len())
        };
        Placement { slot, name, groups: Arc::new(rules.iter().map(group).collect()) }
    }

    /// Labelled rows pulled towards the components of their class: ½s²·Σ over the labelled rows i and the
    /// components j of no other than their class. `classes` holds the class (from 0) of each labelled row of
    /// the factor `slot`, `per_class` how many components each class owns, one class after the other;
    /// `strength` is s ≥ 0. It is the row anchor of WS-NMF with the indicator of the class as reference and
    /// the free scale minimized out (METHODS R5), at unit length of the components.
    ///
    /// # Panics
    /// When a component of a class is not below `rank`.
    pub fn classes(
        slot: Slot,
        classes: &[Option<usize>],
        per_class: usize,
        rank: usize,
        strength: f64,
    ) -> Self {
        let weight = strength * strength;
        let count = classes.iter().flatten().max().map_or(0, |last| last + 1);
        assert!(count * per_class <= rank, "each class owns components that there are");
        let mut rules: Vec<PlacementRule> = (0..count)
            .map(|class| {
                let owned = class * per_class..(class + 1) * per_class;
                let penalty = (0..rank).map(|j| if owned.contains(&j) { 0.0 } else { weight }).collect();
                PlacementRule { rows: Vec::new(), penalty, pulls: Vec::new() }
            })
            .collect();
        for (row, class) in classes.iter().enumerate() {
            if let Some(class) = class {
                rules[*class].rows.push(row as u32);
            }
        }
        rules.retain(|rule| !rule.rows.is_empty() && weight > 0.0);
        let name = if slot == Slot::Codes { "labels" } else { "labels of components" };
        Placement::new(slot, name, &rules)
    }

    /// Whether some row is drawn to a direction.
    fn has_directions(&self) -> bool {
        self.groups.iter().any(|group| !group.pulls.is_empty())
    }

    /// Σᵢ pᵢⱼ·uᵢⱼ.
    fn misplaced(&self, factors: &Factors<T>) -> Vec<f64> {
        self.sums_of(factors, |u| u)
    }

    /// Σᵢ pᵢⱼ·uᵢⱼ².
    fn misplaced_squares(&self, factors: &Factors<T>) -> Vec<f64> {
        self.sums_of(factors, |u| u * u)
    }

    /// Σᵢ pᵢⱼ·f(uᵢⱼ).
    fn sums_of(&self, factors: &Factors<T>, f: impl Fn(f64) -> f64) -> Vec<f64> {
        let factor = factors.get(self.slot);
        let mut sums = vec![0.0; factor.columns()];
        let mut of_group = sums.clone();
        for group in self.groups.iter() {
            let Some(penalty) = &group.penalty else { continue };
            of_group.fill(0.0);
            for &row in &group.rows {
                of_group.iter_mut().zip(factor.row(row as usize)).for_each(|(sum, u)| *sum += f(u.to_f64()));
            }
            for ((sum, of_group), p) in sums.iter_mut().zip(&of_group).zip(penalty) {
                *sum += p.to_f64() * of_group;
            }
        }
        sums
    }

    /// Σᵢ (v∘u)(v∘u)ᵀ (k × k).
    fn along(&self, factors: &Factors<T>) -> Matrix<f64> {
        let factor = factors.get(self.slot);
        let k = factor.columns();
        let mut sums = Matrix::<f64>::zeros(k, k);
        let mut product = vec![0.0; k];
        for group in self.groups.iter() {
            for pull in &group.pulls {
                for &row in &group.rows {
                    for ((p, u), v) in product.iter_mut().zip(factor.row(row as usize)).zip(pull) {
                        *p = u.to_f64() * v.to_f64();
                    }
                    for j in (0..k).filter(|j| product[*j] != 0.0) {
                        let pj = product[j];
                        sums.row_mut(j).iter_mut().zip(&product).for_each(|(s, p)| *s += pj * p);
                    }
                }
            }
        }
        sums
    }

    fn add_to_other(&self, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        let misplaced = self.misplaced_squares(factors);
        if !self.has_directions() {
            return add_ridge(subproblem, |j| misplaced[j]);
        }
        let along = self.along(factors);
        let k = misplaced.len();
        let norms: Vec<f64> = column_squares(factors, self.slot.other()).iter().map(|s| s.sqrt()).collect();
        let links = |j: usize| (0..k).filter(move |l| *l != j);
        let linked = |j: usize| links(j).map(|l| along.get(j, l)).sum::<f64>();
        add_ridge(subproblem, |j| (misplaced[j] - along.get(j, j)).max(0.0) + linked(j));
        let drawn = |j: usize| -> f64 {
            if norms[j] == 0.0 {
                return 0.0;
            }
            links(j).map(|l| along.get(j, l) * (norms[j] + norms[l]) / norms[j]).sum()
        };
        let drawn: Vec<T> = (0..k).map(|j| T::from_f64(drawn(j))).collect();
        let mut constant = 0.0;
        for j in 0..k {
            for l in j + 1..k {
                constant += 0.5 * along.get(j, l) * (norms[j] + norms[l]).powi(2);
            }
        }
        let Subproblem::Quadratic(q) = subproblem else { unreachable!("the caller has a quadratic") };
        let other = factors.get(self.slot.other());
        for row in 0..other.rows() {
            for ((c, h), d) in q.cross.row_mut(row).iter_mut().zip(other.row(row)).zip(&drawn) {
                *c += *d * *h;
            }
        }
        q.constant += constant;
        q.majorizer = true;
    }
}

impl<T: Real> Term<T> for Placement<T> {
    fn name(&self) -> String {
        self.name.into()
    }

    fn facts(&self) -> Facts {
        let signed = self.groups.iter().any(|group| !group.is_diagonal());
        Facts {
            squared_only: self.has_directions(),
            row_grams: if signed { RowGrams::Signed } else { RowGrams::NonNegative },
            unit: Some(Unit::Relative),
            size: ComponentSize::Free,
            ..Facts::default()
        }
    }

    fn value(&self, factors: &Factors<T>, loss: Loss) -> f64 {
        let other = self.slot.other();
        if loss != Loss::Frobenius {
            let sums = column_norms_1(factors, other, None);
            return self.misplaced(factors).iter().zip(&sums).map(|(m, s)| m * s).sum();
        }
        let squares = column_squares(factors, other);
        let mut value: f64 = self.misplaced_squares(factors).iter().zip(&squares).map(|(m, s)| m * s).sum();
        if self.has_directions() {
            let along = self.along(factors);
            for j in 0..squares.len() {
                for l in 0..squares.len() {
                    value -= along.get(j, l) * (squares[j] * squares[l]).sqrt();
                }
            }
        }
        0.5 * value
    }

    fn add_to(&self, slot: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        let own = slot == self.slot;
        match subproblem {
            Subproblem::Quadratic(q) if own => {
                let squares = column_squares(factors, self.slot.other());
                q.group_metric = Some(squares.into_iter().map(T::from_f64).collect());
                q.add_groups(self.groups.as_ref().clone());
            }
            Subproblem::KullbackLeibler(m) if own => {
                let sums = column_norms_1(factors, self.slot.other(), None);
                let (rows, k) = m.numerator.shape();
                let mut entries = Matrix::zeros(rows, k);
                for group in self.groups.iter() {
                    let Some(penalty) = &group.penalty else { continue };
                    for &row in &group.rows {
                        for (j, entry) in entries.row_mut(row as usize).iter_mut().enumerate() {
                            *entry = T::from_f64(penalty[j].to_f64() * sums[j]);
                        }
                    }
                }
                m.add_entries(entries);
            }
            Subproblem::KullbackLeibler(m) => {
                for (base, sum) in m.base.iter_mut().zip(self.misplaced(factors)) {
                    *base += T::from_f64(sum);
                }
            }
            Subproblem::Quadratic(_) => self.add_to_other(factors, subproblem),
        }
    }

    fn changes_cross(&self, slot: Slot) -> bool {
        self.slot != slot && slot.is_main() && self.has_directions()
    }

    fn for_new_rows(&self, factors: &Factors<T>, loss: Loss) -> Option<RowPenalty> {
        match loss {
            // What is known of single samples says nothing of new ones.
            _ if self.slot == Slot::Codes => None,
            Loss::KullbackLeibler => {
                Some(RowPenalty { ridge: vec![0.0; factors.rank()], linear: self.misplaced(factors) })
            }
            Loss::Frobenius => Some(RowPenalty::in_codes(self, factors)),
        }
    }
}

impl Cast for Placement<f64> {
    type In<T: Real> = Placement<T>;

    fn cast<T: Real>(&self, _: bool) -> Placement<T> {
        let rule = |group: &RowGroup<f64>| PlacementRule {
            rows: group.rows.clone(),
            penalty: group.penalty.clone().unwrap_or_default(),
            pulls: group.pulls.clone(),
        };
        Placement::new(self.slot, self.name, &self.groups.iter().map(rule).collect::<Vec<_>>())
    }
}
