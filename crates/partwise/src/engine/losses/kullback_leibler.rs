//! D(X‖WH), seen from one factor: N = R·V with R = X/(WH) on the non-zeros, and the column sums of the other
//! factor V.

use std::ops::Range;

use crate::data::DataMatrix;
use crate::engine::Slot;
use crate::foundation::{Matrix, Real};

/// The rows `range` of the numerator of `slot`; `own` is its factor U, `other` is V. Returns Σ x·ln(x/(WH))
/// over them.
pub(crate) fn numerator_rows<T: Real>(
    data: &dyn DataMatrix<T>,
    slot: Slot,
    range: Range<usize>,
    own: &Matrix<T>,
    other: &Matrix<T>,
    out: &mut [T],
) -> f64 {
    match slot {
        Slot::Codes => data.ratio_times(range, own, other, out),
        Slot::Components => data.transpose_ratio_times(range, other, own, out),
        Slot::Labels | Slot::ImageRows | Slot::ImageColumns | Slot::Scales => {
            unreachable!("codes and components alone multiply the data")
        }
    }
}
