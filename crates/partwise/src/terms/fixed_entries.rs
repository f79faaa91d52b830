//! Fixed entries of a factor: whole components at given values, or single entries at zero.
//!
//! In the quadratic of a row the fixed entries u_h and the free ones u_f separate: G_fh·u_h goes from the
//! cross matrix of the free ones, and the fixed ones get a quadratic of their own, ½a(u − h)², whose
//! minimizer is the fixed value. So it supports every solver that minimizes the quadratic. Entries fixed at
//! zero leave the Gram of their row. The term adds nothing to the objective and comes after all others.

use std::sync::Arc;

use crate::engine::quadratic::{KlMajorizer, Quadratic, RowGroup, Subproblem};
use crate::engine::term::{Cast, Facts, NeedsCodes, RowGrams, Term};
use crate::engine::{Factors, Loss, Slot};
use crate::foundation::{Matrix, Real};

/// See the module.
#[derive(Clone, Debug)]
pub struct FixedEntries<T> {
    /// The factor.
    pub slot: Slot,
    /// The fixed columns, ascending.
    columns: Vec<usize>,
    /// Their values (rows × fixed columns).
    values: Matrix<T>,
    zeros: Arc<Vec<RowGroup<T>>>,
}

impl<T: Real> FixedEntries<T> {
    /// `columns` of the factor `slot` (rows × rank) at `values` (rows × fixed columns), and in each row of a
    /// pattern its entries (rank) at zero.
    ///
    /// # Panics
    /// When there is not one column of values for each column.
    pub fn new(
        slot: Slot,
        columns: Vec<usize>,
        values: &Matrix<f64>,
        zeros: &[(Vec<u32>, Vec<bool>)],
    ) -> Self {
        assert_eq!(columns.len(), values.columns(), "one column of values for each fixed column");
        let group = |(rows, held): &(Vec<u32>, Vec<bool>)| RowGroup {
            held: Some(held.clone()),
            ..RowGroup::plain(rows.clone(), held.len())
        };
        let zeros = Arc::new(zeros.iter().map(group).collect());
        FixedEntries { slot, columns, values: values.cast(), zeros }
    }

    fn each_zero(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.zeros.iter().flat_map(|group| {
            let held = group.held.as_deref().unwrap_or_default();
            let columns = move || held.iter().enumerate().filter(|(_, held)| **held).map(|(j, _)| j);
            group.rows.iter().flat_map(move |&i| columns().map(move |j| (i as usize, j)))
        })
    }

    /// See the module.
    fn part_columns(&self, q: &mut Quadratic<T>) {
        if self.columns.is_empty() {
            return;
        }
        let k = q.gram.columns();
        let largest = (0..k).map(|j| q.gram.get(j, j).to_f64()).fold(0.0f64, f64::max);
        // A power of two, so that (a·h)/a is h.
        let own = if largest > 0.0 { 2f64.powi(largest.log2().round() as i32) } else { 1.0 };
        let free: Vec<usize> = (0..k).filter(|j| self.columns.binary_search(j).is_err()).collect();
        for i in 0..q.cross.rows() {
            let held = self.values.row(i);
            let (mut before, mut after) = (0.0, 0.0);
            for (at, &j) in self.columns.iter().enumerate() {
                let h = held[at].to_f64();
                let met = self.columns.iter().zip(held).map(|(&l, v)| q.gram.get(j, l).to_f64() * v.to_f64());
                before += 0.5 * h * met.sum::<f64>() - q.cross.get(i, j).to_f64() * h;
                let penalty = q.penalties.linear_row(i).to_f64() * q.penalties.linear[j].to_f64();
                let cross = (own + q.penalties.shift_row(i).to_f64()) * h + penalty;
                after += 0.5 * own * h * h - cross * h;
                q.cross.set(i, j, T::from_f64(cross));
            }
            for &l in &free {
                let met = self.columns.iter().zip(held).map(|(&j, v)| q.gram.get(l, j).to_f64() * v.to_f64());
                let cross = q.cross.get(i, l).to_f64() - met.sum::<f64>();
                q.cross.set(i, l, T::from_f64(cross));
            }
            q.constant += before - after;
        }
        for &j in &self.columns {
            for l in 0..k {
                q.gram.set(j, l, T::ZERO);
                q.gram.set(l, j, T::ZERO);
            }
            q.gram.set(j, j, T::from_f64(own));
        }
    }

    /// The numerator at which a multiplicative update leaves the fixed columns unchanged.
    fn stay(&self, m: &mut KlMajorizer<T>, factors: &Factors<T>) {
        let factor = factors.get(self.slot);
        for i in 0..factor.rows() {
            for &j in &self.columns {
                let gradient = T::from_f64(m.gradient_row(i, factor.row(i))[j]);
                let value = m.numerator.get(i, j) + gradient;
                m.numerator.set(i, j, value);
            }
        }
    }
}

impl<T: Real> Term<T> for FixedEntries<T> {
    fn name(&self) -> String {
        "fixed entries".into()
    }

    fn facts(&self) -> Facts {
        Facts {
            exact: true,
            negative_cross: !self.columns.is_empty(),
            row_grams: RowGrams::NonNegative,
            fixes_entries: true,
            ..Facts::default()
        }
    }

    fn value(&self, _: &Factors<T>, _: Loss) -> f64 {
        0.0
    }

    fn needs_codes(&self) -> NeedsCodes {
        if self.slot == Slot::Codes { NeedsCodes::All } else { NeedsCodes::Nothing }
    }

    fn depends_on(&self, slot: Slot) -> bool {
        slot == self.slot
    }

    fn add_to(&self, _: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        match subproblem {
            Subproblem::Quadratic(q) => {
                self.part_columns(q);
                self.each_zero().for_each(|(i, j)| q.cross.set(i, j, T::ZERO));
                if !self.zeros.is_empty() {
                    q.add_groups(self.zeros.as_ref().clone());
                }
            }
            Subproblem::KullbackLeibler(m) => {
                self.stay(m, factors);
                self.each_zero().for_each(|(i, j)| m.numerator.set(i, j, T::ZERO));
            }
        }
    }

    fn changes_cross(&self, slot: Slot) -> bool {
        slot == self.slot
    }

    fn place(&self, slot: Slot, factors: &mut Factors<T>) -> bool {
        if slot != self.slot {
            return false;
        }
        let differs = {
            let factor = factors.get(self.slot);
            let column = |(at, &j): (usize, &usize)| {
                (0..factor.rows()).any(|i| factor.get(i, j) != self.values.get(i, at))
            };
            self.columns.iter().enumerate().any(column)
                || self.each_zero().any(|(i, j)| factor.get(i, j) != T::ZERO)
        };
        if differs {
            let factor = factors.get_mut(self.slot);
            for (at, &j) in self.columns.iter().enumerate() {
                (0..factor.rows()).for_each(|i| factor.set(i, j, self.values.get(i, at)));
            }
            self.each_zero().for_each(|(i, j)| factor.set(i, j, T::ZERO));
        }
        differs
    }
}

impl Cast for FixedEntries<f64> {
    type In<T: Real> = FixedEntries<T>;

    fn cast<T: Real>(&self, _: bool) -> FixedEntries<T> {
        let pattern = |g: &RowGroup<f64>| (g.rows.clone(), g.held.clone().unwrap_or_default());
        let zeros: Vec<_> = self.zeros.iter().map(pattern).collect();
        FixedEntries::new(self.slot, self.columns.clone(), &self.values, &zeros)
    }
}
