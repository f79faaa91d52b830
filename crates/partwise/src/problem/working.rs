//! The data that the loop works on: the caller's, or copies with features scaled, rows merged, entries weighted.

use super::tying::{TiedRows, merge_constant};
use crate::data::{DataMatrix, RowGroups};
use crate::guidance::Guidance;
use crate::models::Model;
use crate::real::Real;

/// Data with one row a sample: the caller's, or those with their features scaled.
pub(super) enum Original<'a, T> {
    Caller(&'a dyn DataMatrix<T>),
    Own(Box<dyn DataMatrix<T>>),
}

impl<T: Real> Original<'_, T> {
    pub(super) fn data(&self) -> &dyn DataMatrix<T> {
        match self {
            Original::Caller(data) => *data,
            Original::Own(data) => data.as_ref(),
        }
    }

    /// Bytes of a copy.
    pub(super) fn owned_bytes(&self) -> usize {
        match self {
            Original::Caller(_) => 0,
            Original::Own(data) => data.owned_bytes(),
        }
    }
}

/// What the loop works on, and the constant that goes with it. `tied` has s of each working row; tied rows and weights of entries don't
/// meet.
pub(super) fn working<T: Real>(
    data: &dyn DataMatrix<T>,
    model: &Model,
    tied: Option<&(TiedRows, Vec<f64>)>,
    weighted: Option<(Box<dyn DataMatrix<T>>, f64)>,
) -> (Option<Box<dyn DataMatrix<T>>>, f64) {
    match (tied, weighted) {
        (None, None) => (None, 0.0),
        (None, Some((weighted, constant))) => (Some(weighted), constant),
        (Some((tied, scale)), _) => {
            let groups = RowGroups { group: tied.group.clone(), scale: scale.clone() };
            let merged = data.grouped(&groups);
            let constant = merge_constant(data, merged.as_ref(), model, tied);
            (Some(merged), constant)
        }
    }
}

/// The data with each entry times its weight, where entries have weights, and ½·Σ (c − c²)·x².
pub(super) fn weighted_entries<T: Real>(
    data: &dyn DataMatrix<T>,
    model: &Model,
) -> Option<(Box<dyn DataMatrix<T>>, f64)> {
    let weights = model.guidance().and_then(Guidance::entry_weights)?;
    if weights.shape() != (data.n_samples(), data.n_features()) {
        // Refused, with the sizes, when guidance is compiled.
        return None;
    }
    let working = data.weighted(&|i, j| weights.get(i, j));
    let counted = data.weighted(&|i, j| weights.get(i, j).sqrt()).summary().squared_norm;
    let constant = 0.5 * (counted - working.summary().squared_norm);
    Some((working, constant))
}
