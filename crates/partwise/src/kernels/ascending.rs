//! Whether rows of indices are in order.

use super::simd::{Kernel, dispatch};

/// Whether the indices of each row ascend strictly.
pub(crate) fn is_ascending(offsets: &[usize], indices: &[u32]) -> bool {
    dispatch(Ascending { offsets, indices })
}

/// [`is_ascending`] with the instructions of the processor.
struct Ascending<'a> {
    offsets: &'a [usize],
    indices: &'a [u32],
}

impl Kernel for Ascending<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> bool {
        // Without a way out inside of a row: so it becomes vector instructions.
        let in_row = |row: &[u32]| {
            let next = row.get(1..).unwrap_or_default();
            row.iter().zip(next).fold(true, |so_far, (a, b)| so_far & (a < b))
        };
        self.offsets.windows(2).all(|row| in_row(&self.indices[row[0]..row[1]]))
    }
}
