//! ½‖X − WH‖², seen from one factor: G = VᵀV of the other factor V, C = X·V (codes) or Xᵀ·V (components).

use std::ops::Range;

use crate::data::DataMatrix;
use crate::engine::Slot;
use crate::foundation::{Matrix, Real};

/// The rows `range` of the cross matrix of `slot`; `other` is V.
pub(crate) fn cross_rows<T: Real>(
    data: &dyn DataMatrix<T>,
    slot: Slot,
    range: Range<usize>,
    other: &Matrix<T>,
    out: &mut [T],
) {
    match slot {
        Slot::Codes => data.times(range, other, out),
        Slot::Components => data.transpose_times(range, other, out),
        Slot::Labels | Slot::ImageRows | Slot::ImageColumns | Slot::Scales => {
            unreachable!("codes and components alone multiply the data")
        }
    }
}
