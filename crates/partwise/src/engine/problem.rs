//! [`Problem`]: the checked problem that the loop and the backends work on. Once it exists, nothing inside is
//! checked again.
//!
//! Its rows may be merged and weighted, its columns weighted: a change of variables that is undone when the
//! fit is returned.

use std::ops::Range;

use crate::data::DataMatrix;
use crate::engine::column_squares;
use crate::engine::losses::{Loss, images};
use crate::engine::quadratic::NEAR_ZERO;
use crate::engine::solvers::SolverSpec;
use crate::engine::term::{NeedsCodes, Penalty, Term};
use crate::engine::{Factors, Rescaling, Slot, Smoothing};
use crate::foundation::{Matrix, Notice, Real};

/// Data + model + settings, checked and merged.
pub struct Problem<'a, T: Real> {
    pub(crate) original: Original<'a, T>,
    /// Merged and weighted rows; the original data when absent.
    pub(crate) working: Option<Box<dyn DataMatrix<T>>>,
    /// How much features count, and what the columns of X and of H are multiplied by in here; 1 when absent.
    pub(crate) features: Option<FeatureScale>,
    pub(crate) tied: Option<TiedRows>,
    pub(crate) loss: Loss,
    pub(crate) contributions: Vec<Box<dyn Term<T>>>,
    /// Half objective of the original data minus that of the working data, at equal W·H (with weights of
    /// entries: of what does not depend on W·H).
    pub(crate) merge_constant: f64,
    pub(crate) order: Vec<Slot>,
    /// Whether the data are similarities of the samples.
    pub(crate) symmetric: bool,
    /// S between the factors.
    pub(crate) smoothing: Option<Smoothing>,
    /// What happens to both factors after each iteration.
    pub(crate) rescaling: Option<Rescaling>,
    /// The share of a gradient solver's step that each working row of codes takes; 1 when absent.
    pub(crate) row_steps: Option<Vec<T>>,
    /// What the half objective is multiplied by to give the published one.
    pub(crate) published_factor: f64,
    /// Whether the start ends with the codes solved at its components.
    pub(crate) solve_codes: bool,
    pub(crate) solver: &'static SolverSpec,
    pub(crate) inner_steps: Option<usize>,
    /// Sweeps of codes and components, where HALS is accelerated.
    pub(crate) accelerated: Option<[usize; 2]>,
    pub(crate) init: &'static str,
    /// The names of the first components, where guidance gives them.
    pub(crate) component_names: Vec<String>,
    pub(crate) notices: Vec<Notice>,
}

/// Data with one row per sample: the caller's, or those with their features scaled.
pub(crate) enum Original<'a, T> {
    Caller(&'a dyn DataMatrix<T>),
    Own(Box<dyn DataMatrix<T>>),
}

impl<T: Real> Original<'_, T> {
    pub(crate) fn data(&self) -> &dyn DataMatrix<T> {
        match self {
            Original::Caller(data) => *data,
            Original::Own(data) => data.as_ref(),
        }
    }

    /// Bytes of a copy.
    pub(crate) fn owned_bytes(&self) -> usize {
        match self {
            Original::Caller(_) => 0,
            Original::Own(data) => data.owned_bytes(),
        }
    }
}

/// The change of variables on the rows.
#[derive(Clone, Debug)]
pub(crate) struct TiedRows {
    /// Working row of each sample.
    pub(crate) group: Vec<u32>,
    /// First sample of each working row.
    pub(crate) first_sample: Vec<u32>,
    /// Samples in each working row.
    pub(crate) count: Vec<f64>,
    /// t of each working row.
    pub(crate) codes_scale: Vec<f64>,
}

/// c and S (d).
#[derive(Clone, Debug)]
pub(crate) struct FeatureScale {
    /// c.
    pub(crate) weights: Vec<f64>,
    /// The diagonal of S.
    pub(crate) scale: Vec<f64>,
}

impl<'a, T: Real> Problem<'a, T> {
    /// The data that the loop works on.
    pub fn data(&self) -> &dyn DataMatrix<T> {
        self.working.as_deref().unwrap_or(self.original.data())
    }

    /// The data with one row per sample: the caller's, each entry times its weight where features or entries
    /// have weights.
    pub fn original(&self) -> &dyn DataMatrix<T> {
        if self.tied.is_none() { self.data() } else { self.original.data() }
    }

    /// Bytes of merged and combined rows (0 when there are none).
    pub(crate) fn merged_bytes(&self) -> usize {
        let combined: usize = self.contributions.iter().map(|c| c.owned_bytes()).sum();
        combined + self.original.owned_bytes() + self.working.as_ref().map_or(0, |data| data.owned_bytes())
    }

    /// Whether the objective on the caller's data is that of the working data plus a constant (labels), so
    /// that it can be computed exactly there; false for weighted rows, whose objective is that of the working
    /// data.
    pub(crate) fn is_merged(&self) -> bool {
        self.tied.as_ref().is_some_and(|t| t.count.iter().any(|c| *c > 1.0))
    }

    /// Whether rows are weighted without being merged.
    pub(crate) fn is_weighted(&self) -> bool {
        self.tied.is_some() && !self.is_merged()
    }

    /// What counts as 0 in the projected gradient of a slot, as a share of the largest entry of the row: the
    /// same in the updates and at the end. Scales have a closed form whatever the solver.
    pub(crate) fn zero_share(&self, slot: Slot) -> f64 {
        if self.solver.zeros_stay && !slot.has_closed_form() { NEAR_ZERO } else { 0.0 }
    }

    /// Whether an update needs the codes of all rows at once, beside sums over them.
    pub(crate) fn needs_all_codes(&self) -> bool {
        self.contributions.iter().any(|c| c.needs_codes() == NeedsCodes::All)
            || matches!(self.rescaling, Some(Rescaling::Labels(_)))
    }

    /// The rows of the codes that an update of this process is about: those of its row blocks, where several
    /// processes share them and need no others.
    pub(crate) fn own_codes(&self) -> Range<usize> {
        match self.data().blocks() {
            Some(blocks) if !self.needs_all_codes() => blocks.own_rows(),
            _ => 0..self.data().n_samples(),
        }
    }

    /// Whether codes and components are one factor.
    pub(crate) fn has_equal_factors(&self) -> bool {
        self.contributions.iter().any(|c| c.facts().equal_factors)
    }

    /// Whether there are image rows and image columns, whose products are the components.
    fn has_images(&self) -> bool {
        self.order.contains(&Slot::ImageRows)
    }

    /// Brings the components up to date where they follow from other factors, after a change of `slot`.
    pub(crate) fn follow(&self, factors: &mut Factors<T>, slot: Slot) {
        if self.has_images() && slot != Slot::Codes {
            let (rows, columns) = (factors.get(Slot::ImageRows), factors.get(Slot::ImageColumns));
            *factors.get_mut(Slot::Components) = images::compose(rows, columns);
        }
        if self.has_equal_factors() && slot == Slot::Codes {
            let [codes, components] = factors.main_mut();
            components.as_mut_slice().copy_from_slice(codes.as_slice());
        }
    }

    /// One factor of two whose product it is to resemble, where codes and components are one: the mean of
    /// both, each of their components at equal length.
    pub(crate) fn make_equal(&self, factors: &mut Factors<T>) {
        if !self.has_equal_factors() || factors.get(Slot::Codes) == factors.get(Slot::Components) {
            return;
        }
        let lengths = Slot::MAIN.map(|slot| column_squares(factors, slot));
        let share = |own: f64, other: f64| if own > 0.0 { 0.5 * (other / own).sqrt().sqrt() } else { 0.0 };
        let [codes, components] = factors.main_mut();
        for row in 0..codes.rows() {
            for (j, (u, v)) in codes.row_mut(row).iter_mut().zip(components.row(row)).enumerate() {
                let (a, b) = (lengths[0][j], lengths[1][j]);
                *u = T::from_f64(share(a, b) * u.to_f64() + share(b, a) * v.to_f64());
            }
        }
        self.follow(factors, Slot::Codes);
    }

    /// Puts the fixed entries of a slot where they are fixed; whether that changed anything.
    pub(crate) fn place_fixed(&self, factors: &mut Factors<T>, slot: Slot) -> bool {
        let mut placed = false;
        for contribution in &self.contributions {
            placed |= contribution.place(slot, factors);
        }
        placed
    }

    /// Codes and components are 0 from the start where a sample or a feature counts nothing: nothing may
    /// depend on them.
    pub(crate) fn ignore_weightless(&self, start: &mut Factors<T>) {
        if let Some(tied) = &self.tied {
            for q in (0..tied.codes_scale.len()).filter(|q| tied.codes_scale[*q] == 0.0) {
                start.get_mut(Slot::Codes).row_mut(q).fill(T::ZERO);
            }
        }
        let Some(features) = &self.features else { return };
        for f in (0..features.scale.len()).filter(|f| features.scale[*f] == 0.0) {
            start.get_mut(Slot::Components).row_mut(f).fill(T::ZERO);
        }
    }

    /// W (n × k) from the working codes.
    pub(crate) fn untie(&self, codes: &Matrix<T>) -> Matrix<T> {
        let Some(tied) = &self.tied else { return codes.clone() };
        let row = |i: usize, j: usize| {
            let q = tied.group[i] as usize;
            let scale = tied.codes_scale[q];
            if scale > 0.0 { T::from_f64(codes.get(q, j).to_f64() / scale) } else { T::ZERO }
        };
        Matrix::from_fn(tied.group.len(), codes.columns(), row)
    }

    /// H (d × k, transposed) as the caller knows it, from the loop's.
    pub(crate) fn unscaled(&self, components: Matrix<T>) -> Matrix<T> {
        match &self.features {
            None => components,
            Some(features) => unscaled_rows(&components, &features.scale),
        }
    }

    /// The loop's H (d × k, transposed), from one that the caller knows.
    pub(crate) fn scaled(&self, components: Matrix<T>) -> Matrix<T> {
        match &self.features {
            None => components,
            Some(features) => scaled_rows(&components, &features.scale),
        }
    }

    /// The working row of a sample.
    pub(crate) fn row_of(&self, sample: usize) -> usize {
        self.tied.as_ref().map_or(sample, |tied| tied.group[sample] as usize)
    }

    /// Working rows: their first samples, and t.
    pub(crate) fn row_origin(&self, row: usize) -> (usize, f64) {
        match &self.tied {
            None => (row, 1.0),
            Some(tied) => (tied.first_sample[row] as usize, tied.codes_scale[row]),
        }
    }

    /// Whether nothing but penalties depends on the factor of a slot where its partner is 0: it is 0 then
    /// too. (No step could bring it there, since it has no curvature.)
    pub(crate) fn vanishes_with_partner(&self, slot: Slot) -> bool {
        slot.is_main()
            && self.contributions.iter().any(|c| c.penalty() == Some(Penalty::Plain(slot)))
            && self.contributions.iter().all(|c| c.penalty().is_some())
    }
}

/// A feature factor (d × k) times S.
pub(crate) fn scaled_rows<T: Real>(factor: &Matrix<T>, scale: &[f64]) -> Matrix<T> {
    let (rows, k) = factor.shape();
    Matrix::from_fn(rows, k, |f, j| T::from_f64(factor.get(f, j).to_f64() * scale[f]))
}

/// A feature factor (d × k) without S; 0 where S is.
pub(crate) fn unscaled_rows<T: Real>(factor: &Matrix<T>, scale: &[f64]) -> Matrix<T> {
    let (rows, k) = factor.shape();
    let value = |f: usize, j: usize| if scale[f] > 0.0 { factor.get(f, j).to_f64() / scale[f] } else { 0.0 };
    Matrix::from_fn(rows, k, |f, j| T::from_f64(value(f, j)))
}
