//! [`Pages`]: numbers of our own in large memory pages, where the system gives them.
//!
//! The transpose of sparse data is written once in scattered places. In pages of 4 KiB, most of the time goes
//! into looking pages up. Linux has pages of 2 MiB for memory that asks for them; NumPy asks for arrays from
//! the same size on. Rarely it has to make room for them first, which takes as long as it saves in two or
//! three fits.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use memmap2::MmapMut;

/// From so many bytes on, pages are asked for.
const LEAST_BYTES: usize = 4 << 20;

/// A fixed number of numbers.
pub(super) enum Pages<N> {
    Vec(Vec<N>),
    Mapped { map: MmapMut, bytes: usize, numbers: PhantomData<N> },
}

impl<N: Pod> Pages<N> {
    /// Zeros.
    pub(super) fn zeroed(count: usize) -> Self {
        Self::mapped(count).unwrap_or_else(|| Pages::Vec(vec![N::zeroed(); count]))
    }

    /// Whether they lie in pages that were asked for.
    pub(super) fn are_large(&self) -> bool {
        matches!(self, Pages::Mapped { .. })
    }

    fn mapped(count: usize) -> Option<Self> {
        let bytes = count.checked_mul(size_of::<N>()).filter(|bytes| *bytes >= LEAST_BYTES)?;
        #[cfg(target_os = "linux")]
        {
            let map = MmapMut::map_anon(bytes).ok()?;
            // Without large pages it is memory as any other.
            let _ = map.advise(memmap2::Advice::HugePage);
            Some(Pages::Mapped { map, bytes, numbers: PhantomData })
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = bytes;
            None
        }
    }
}

impl<N: Pod> Deref for Pages<N> {
    type Target = [N];

    fn deref(&self) -> &[N] {
        match self {
            Pages::Vec(values) => values,
            // A mapping begins at a page, so at a multiple of every number's size.
            Pages::Mapped { map, bytes, .. } => bytemuck::cast_slice(&map[..*bytes]),
        }
    }
}

impl<N: Pod> DerefMut for Pages<N> {
    fn deref_mut(&mut self) -> &mut [N] {
        match self {
            Pages::Vec(values) => values,
            Pages::Mapped { map, bytes, .. } => bytemuck::cast_slice_mut(&mut map[..*bytes]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_numbers_are_zeros_that_can_be_written() {
        for count in [0, 3, LEAST_BYTES / 8, LEAST_BYTES / 8 + 1000] {
            let mut pages = Pages::<f64>::zeroed(count);
            assert_eq!(pages.len(), count);
            assert!(pages.iter().all(|value| *value == 0.0));
            if let Some(last) = pages.last_mut() {
                *last = 5.0;
            }
            assert_eq!(pages.iter().sum::<f64>(), if count > 0 { 5.0 } else { 0.0 });
        }
    }
}
