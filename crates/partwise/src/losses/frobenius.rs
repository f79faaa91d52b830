//! ½‖X − WH‖², seen from one factor: G = VᵀV of the other factor V, C = X·V (codes) or Xᵀ·V (components).

use std::ops::Range;

use crate::data::DataMatrix;
use crate::factors::{Factors, Slot};
use crate::real::Real;

/// The rows `range` of the cross matrix of `slot`.
pub(crate) fn cross_rows<T: Real>(
    data: &dyn DataMatrix<T>,
    slot: Slot,
    range: Range<usize>,
    factors: &Factors<T>,
    out: &mut [T],
) {
    let other = factors.get(slot.other());
    match slot {
        Slot::Codes => data.times(range, other, out),
        Slot::Components => data.transpose_times(range, other, out),
        Slot::Labels | Slot::ImageRows | Slot::ImageColumns | Slot::Scales => {
            unreachable!("codes and components alone multiply the data")
        }
    }
}
