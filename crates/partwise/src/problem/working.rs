//! The data that the loop works on: the caller's, or copies with features scaled, rows merged, entries
//! weighted.

use super::tying::merge_constant;
use crate::data::{DataMatrix, RowGroups};
use crate::engine::problem::TiedRows;
use crate::foundation::Real;
use crate::guidance::Guidance;
use crate::methods::Model;

/// Data with each entry times its weight, and the weights under a root, for what they leave of the size of
/// the data.
pub(super) struct WeightedEntries<T> {
    /// c∘x.
    pub(super) data: Box<dyn DataMatrix<T>>,
    /// √c∘x.
    rooted: Box<dyn DataMatrix<T>>,
}

impl<T: Real> WeightedEntries<T> {
    /// ½·Σ (c − c²)·x², each row times s² where `groups` is given.
    fn constant(&self, groups: Option<&RowGroups>) -> f64 {
        let size = |data: &dyn DataMatrix<T>| match groups {
            None => data.summary().squared_norm,
            Some(groups) => data.grouped(groups).summary().squared_norm,
        };
        0.5 * (size(self.rooted.as_ref()) - size(self.data.as_ref()))
    }
}

/// What the loop works on where it isn't `data` themselves, and the constant that goes with it. `tied` has s
/// of each working row. Where entries have weights, samples may have weights too, but don't share rows.
pub(super) fn working<T: Real>(
    data: &dyn DataMatrix<T>,
    model: &Model,
    tied: Option<&(TiedRows, Vec<f64>)>,
    weighted: Option<&WeightedEntries<T>>,
) -> (Option<Box<dyn DataMatrix<T>>>, f64) {
    let Some((tied, scale)) = tied else { return (None, weighted.map_or(0.0, |w| w.constant(None))) };
    let groups = RowGroups { group: tied.group.clone(), scale: scale.clone() };
    let merged = data.grouped(&groups);
    let constant = match weighted {
        Some(weighted) => weighted.constant(Some(&groups)),
        None => merge_constant(data, merged.as_ref(), model, tied),
    };
    (Some(merged), constant)
}

/// The data with each entry times its weight, where entries have weights.
pub(super) fn weighted_entries<T: Real>(
    data: &dyn DataMatrix<T>,
    model: &Model,
) -> Option<WeightedEntries<T>> {
    let weights = model.composed().and_then(Guidance::entry_weights)?;
    if weights.shape() != (data.n_samples(), data.n_features()) {
        // Refused, with the sizes, when guidance is compiled.
        return None;
    }
    Some(WeightedEntries {
        data: data.weighted(&|i, j| weights.get(i, j)),
        rooted: data.weighted(&|i, j| weights.get(i, j).sqrt()),
    })
}
