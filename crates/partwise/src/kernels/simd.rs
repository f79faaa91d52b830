//! One kernel body, compiled once for each instruction set and chosen at run time.
//!
//! A kernel is a value whose [`Kernel::run`] is `#[inline(always)]`, as is everything that it calls in its
//! inner loop. [`dispatch`] inlines it into a function that has the wide instructions enabled. The bodies are
//! portable Rust; nothing but the calls into those functions and the prefetch is `unsafe`, and only in this
//! file.
#![allow(unsafe_code)]

use crate::foundation::Real;

/// The instruction sets that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// What every processor of the target has.
    Portable,
    /// 256-bit vectors with fused multiply-add.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512-bit vectors with fused multiply-add.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// The best level of this processor. The standard library caches the detection.
    pub(crate) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if Level::Avx512.is_available() {
                return Level::Avx512;
            }
            if Level::Avx2.is_available() {
                return Level::Avx2;
            }
        }
        Level::Portable
    }

    /// Whether this processor can run this level.
    pub(crate) fn is_available(self) -> bool {
        match self {
            Level::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                Level::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512dq")
            }
        }
    }
}

#[cfg(test)]
impl Level {
    /// The levels that this processor can run.
    pub(crate) fn available() -> Vec<Level> {
        let all = [
            Level::Portable,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2,
            #[cfg(target_arch = "x86_64")]
            Level::Avx512,
        ];
        all.into_iter().filter(|level| level.is_available()).collect()
    }
}

/// A kernel with its arguments.
pub(crate) trait Kernel {
    /// What it returns.
    type Output;

    /// Runs it; must be `#[inline(always)]`. `FMA` says that [`multiply_add`] is one instruction here.
    fn run<const FMA: bool>(self) -> Self::Output;
}

/// Runs a kernel at the best level of this processor.
pub(crate) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    dispatch_at(Level::detect(), kernel)
}

/// Runs a kernel at a given level.
///
/// # Panics
/// When this processor does not have the level.
pub(crate) fn dispatch_at<K: Kernel>(level: Level, kernel: K) -> K::Output {
    assert!(level.is_available(), "this processor lacks {level:?}");
    match level {
        // Every 64-bit Arm processor fuses; the x86 baseline does not.
        Level::Portable if cfg!(target_arch = "aarch64") => kernel.run::<true>(),
        Level::Portable => kernel.run::<false>(),
        // SAFETY: the assertion above has checked that the processor has the features.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { run_avx2(kernel) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { run_avx512(kernel) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<true>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma")]
fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<true>()
}

/// `a · b + c`, fused where that is one instruction (elsewhere it would be a slow library call).
#[inline(always)]
pub(crate) fn multiply_add<T: Real, const FMA: bool>(a: T, b: T, c: T) -> T {
    if FMA { Real::mul_add(a, b, c) } else { a * b + c }
}

/// Asks for the cache lines of `values[start .. start + count]`, which begin at a multiple of 16 bytes. A
/// hint only: any `start` is allowed.
#[inline(always)]
pub(crate) fn prefetch<T>(values: &[T], start: usize, count: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        const LINE: usize = 64;
        const ALIGNMENT: usize = 16;
        let first = values.as_ptr().wrapping_add(start).cast::<i8>();
        let bytes = count * size_of::<T>();
        // The lines before the last, at most; and the last.
        let before = (LINE - ALIGNMENT + bytes).saturating_sub(1) / LINE;
        for line in 0..before {
            // SAFETY: a prefetch never faults, whatever the address; SSE is in the x86-64 baseline.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(first.wrapping_add(line * LINE)) };
        }
        // SAFETY: as above.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(first.wrapping_add(bytes.saturating_sub(1))) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, start, count);
}
