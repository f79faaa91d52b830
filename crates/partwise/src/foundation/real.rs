//! The one type parameter of the public API: [`Real`], that is `f32` or `f64`; and [`Once`], work that is
//! compiled once for each of them.
//!
//! A generic function is compiled in every crate that calls it. For the large bodies of code (matrix
//! products, the kernels of sparse data, the loop) that takes far too long, so [`Real::once`] calls one of
//! two functions without type parameters.

use std::fmt::{Debug, Display};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

mod sealed {
    pub trait Sealed: bytemuck::Pod {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// `f32` or `f64`, sealed. Data, factors and kernels are generic over it; sums that cancel are taken in
/// `f64`.
pub trait Real:
    sealed::Sealed
    + Copy
    + Debug
    + Display
    + Default
    + PartialOrd
    + Send
    + Sync
    + Sum
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + 'static
{
    /// 0.
    #[doc(hidden)]
    const ZERO: Self;
    /// 1.
    #[doc(hidden)]
    const ONE: Self;
    /// The gap between 1 and the next number.
    #[doc(hidden)]
    const EPSILON: Self;
    /// The smallest positive normal number.
    #[doc(hidden)]
    const MIN_POSITIVE: Self;
    /// `"f32"` or `"f64"`.
    #[doc(hidden)]
    const NAME: &'static str;
    /// Rounds from `f64`.
    fn from_f64(value: f64) -> Self;
    /// Widens to `f64`, exactly.
    fn to_f64(self) -> f64;
    /// `self · a + b` with one rounding. Slow outside a function that has the `fma` feature enabled.
    #[doc(hidden)]
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// Square root.
    #[doc(hidden)]
    fn sqrt(self) -> Self;
    /// Natural logarithm.
    #[doc(hidden)]
    fn ln(self) -> Self;
    /// Neither NaN nor infinite.
    #[doc(hidden)]
    fn is_finite(self) -> bool;
    /// The larger of two numbers (the other one if one is NaN).
    #[doc(hidden)]
    fn max(self, other: Self) -> Self;
    /// Does the work in this number type.
    #[doc(hidden)]
    fn once<'a, W: Once>(input: W::In<'a, Self>) -> W::Out<'a, Self>;
}

/// Work on numbers of one type, with one function for each type that there is.
pub trait Once {
    /// What it is done on.
    type In<'a, T: Real>;
    /// What comes of it.
    type Out<'a, T: Real>;
    /// In single precision.
    fn in_f32<'a>(input: Self::In<'a, f32>) -> Self::Out<'a, f32>;
    /// In double precision.
    fn in_f64<'a>(input: Self::In<'a, f64>) -> Self::Out<'a, f64>;
}

macro_rules! real {
    ($t:ident, $in_own:ident) => {
        impl Real for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const EPSILON: Self = $t::EPSILON;
            const MIN_POSITIVE: Self = $t::MIN_POSITIVE;
            const NAME: &'static str = stringify!($t);
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                $t::mul_add(self, a, b)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $t::sqrt(self)
            }
            #[inline(always)]
            fn ln(self) -> Self {
                $t::ln(self)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                $t::is_finite(self)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                $t::max(self, other)
            }
            #[inline(always)]
            fn once<'a, W: Once>(input: W::In<'a, Self>) -> W::Out<'a, Self> {
                W::$in_own(input)
            }
        }
    };
}
real!(f32, in_f32);
real!(f64, in_f64);
