//! Run-time choice of instruction set. A [`Kernel`] is one generic body, compiled for each level; which level runs
//! is found once. Results of the levels differ by rounding (fused multiply-add), never between threads.
// The target-feature calls are unsafe unless the processor has the features; that is checked right here.
#![allow(unsafe_code)]

use std::sync::OnceLock;

use crate::real::Real;

/// A computation compiled for several instruction sets. `FMA` tells whether `mul_add` is a single instruction.
pub(crate) trait Kernel {
    /// What it returns.
    type Output;
    /// The body; implementations must be `#[inline(always)]`, or they will not be compiled for the level.
    fn run<const FMA: bool>(self) -> Self::Output;
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("fma")
            {
                return Level::Avx512;
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                return Level::Avx2;
            }
        }
        Level::Portable
    })
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<true>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<true>()
}

/// Runs the kernel at the best level of this processor.
#[inline]
pub(crate) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    match level() {
        Level::Portable => kernel.run::<false>(),
        // SAFETY: `level` found every enabled feature on this processor.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { run_avx2(kernel) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { run_avx512(kernel) },
    }
}

/// a·b + c: fused where the level has it, two roundings elsewhere (a fused call without the instruction is slow).
#[inline(always)]
pub(crate) fn multiply_add<T: Real, const FMA: bool>(a: T, b: T, c: T) -> T {
    if FMA { Real::mul_add(a, b, c) } else { a * b + c }
}
