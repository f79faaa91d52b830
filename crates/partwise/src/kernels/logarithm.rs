//! Σ x·ln(x / p), the costly part of the Kullback–Leibler divergence, many logarithms at a time.

use crate::foundation::{Once, Real};
use crate::kernels::simd::{Kernel, dispatch, multiply_add};

/// How many pairs wait before their logarithms are taken together.
pub(crate) const BLOCK: usize = 64;
const LANES: usize = 8;

/// Accumulates Σ x·ln(x / p) over the pairs with x > 0; the logarithms are those of `T`, their sum is in
/// `f64`. It depends only on the sequence of the pairs. A pair with p = 0 adds +∞.
pub(crate) struct LogSum<T> {
    x: [T; BLOCK],
    p: [T; BLOCK],
    waiting: usize,
    total: f64,
}

impl<T: Real> LogSum<T> {
    /// An empty sum.
    pub(crate) fn new() -> Self {
        LogSum { x: [T::ZERO; BLOCK], p: [T::ONE; BLOCK], waiting: 0, total: 0.0 }
    }

    /// Adds pairs: `x[i]` with `p[i]`, for slices of one length.
    pub(crate) fn extend<X: Real>(&mut self, mut x: &[X], mut p: &[T]) {
        assert_eq!(x.len(), p.len(), "each x has its p");
        while !x.is_empty() {
            let count = x.len().min(BLOCK - self.waiting);
            let place = self.waiting..self.waiting + count;
            for (to, from) in self.x[place.clone()].iter_mut().zip(x) {
                *to = T::from_f64(from.to_f64());
            }
            self.p[place].copy_from_slice(&p[..count]);
            (x, p) = (&x[count..], &p[count..]);
            self.waiting += count;
            if self.waiting == BLOCK {
                self.flush();
            }
        }
    }

    /// The sum.
    pub(crate) fn finish(mut self) -> f64 {
        self.flush();
        self.total
    }

    #[inline(never)]
    fn flush(&mut self) {
        self.x[self.waiting..].fill(T::ZERO);
        self.p[self.waiting..].fill(T::ONE);
        self.waiting = 0;
        self.total += dispatch(BlockSum { x: &self.x, p: &self.p });
    }
}

/// Σ x·ln(x / p) over the pairs with x > 0 of one block.
struct BlockSum<'a, T> {
    x: &'a [T; BLOCK],
    p: &'a [T; BLOCK],
}

impl<T: Real> Kernel for BlockSum<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> f64 {
        let mut r = [T::ZERO; BLOCK];
        for i in 0..BLOCK {
            r[i] = self.x[i] / self.p[i];
        }
        sum_of_logarithms::<T, BLOCK, FMA>(self.x, self.p, &r)
    }
}

/// Σ x·ln r over the pairs with x > 0 of one block, with the quotients r = x / p at hand.
//
// Plain loops over arrays: each becomes vector instructions, as one loop with all of it does not.
#[inline(always)]
pub(crate) fn sum_of_logarithms<T: Real, const N: usize, const FMA: bool>(
    x: &[T; N],
    p: &[T; N],
    r: &[T; N],
) -> f64 {
    let mut terms = [T::ZERO; N];
    for i in 0..N {
        terms[i] = if x[i] > T::ZERO { r[i] } else { T::ONE };
    }
    if !T::once::<Logarithms<N, FMA>>(&mut terms) {
        return careful_sum(x, p);
    }
    let mut sums = [0.0; LANES];
    for (x, terms) in x.as_chunks::<LANES>().0.iter().zip(terms.as_chunks::<LANES>().0) {
        for l in 0..LANES {
            sums[l] = multiply_add::<f64, FMA>(Real::max(x[l], T::ZERO).to_f64(), terms[l].to_f64(), sums[l]);
        }
    }
    sums.iter().sum()
}

/// The sum where some quotient is zero, subnormal, infinite or NaN: ln x − ln p can't leave the range.
#[cold]
#[inline(never)]
fn careful_sum<T: Real, const N: usize>(x: &[T; N], p: &[T; N]) -> f64 {
    let pairs = x.iter().zip(p).map(|(x, p)| (x.to_f64(), p.to_f64()));
    pairs.filter(|(x, _)| *x > 0.0).map(|(x, p)| x * (x.ln() - p.ln())).sum()
}

/// Replaces the products p by the quotients x / p, and adds the pairs (x, p) to the sum; both after products
/// below the smallest normal number have been replaced by it.
pub(crate) struct Divide<'a, T> {
    pub(crate) values: &'a [T],
    pub(crate) products: &'a mut [T],
    pub(crate) sum: &'a mut LogSum<T>,
}

impl<T: Real> Kernel for Divide<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        for p in &mut *self.products {
            *p = p.max(T::MIN_POSITIVE);
        }
        self.sum.extend(self.values, self.products);
        for (x, p) in self.values.iter().zip(self.products) {
            *p = *x / *p;
        }
    }
}

/// Replaces numbers by their natural logarithms, each to less than one unit in the last place; false, and
/// nothing of use in them, when one is not a positive normal number.
struct Logarithms<const N: usize, const FMA: bool>;

impl<const N: usize, const FMA: bool> Once for Logarithms<N, FMA> {
    type In<'a, T: Real> = &'a mut [T; N];
    type Out<'a, T: Real> = bool;

    #[inline(always)]
    fn in_f32<'a>(numbers: Self::In<'a, f32>) -> Self::Out<'a, f32> {
        single::<N, FMA>(numbers)
    }

    #[inline(always)]
    fn in_f64<'a>(numbers: Self::In<'a, f64>) -> Self::Out<'a, f64> {
        double::<N, FMA>(numbers)
    }
}

/// Logarithms in one number type without branches, so that it becomes vector instructions. The method and the
/// coefficients are those of fdlibm's `e_log.c` and `e_logf.c` (Sun Microsystems, 1993): r = 2^e · m with m
/// in [√½, √2), s = (m − 1)/(m + 1), ln m = 2 atanh s by a minimax polynomial in s².
macro_rules! logarithms {
    (
        $name:ident: $t:ident, $bits:ident, mantissa: $mantissa_bits:literal, sqrt_half: $sqrt_half:literal, ln2: $high:literal + $low:literal,
        odd: $odd:expr, even: $even:expr, exponent: $exponent:expr
    ) => {
        #[inline(always)]
        fn $name<const N: usize, const FMA: bool>(numbers: &mut [$t; N]) -> bool {
            const LEAST: $bits = $t::MIN_POSITIVE.to_bits();
            const MOST: $bits = $t::MAX.to_bits();
            let mut outside = 0;
            for r in &*numbers {
                outside |= $bits::from(r.to_bits().wrapping_sub(LEAST) > MOST - LEAST);
            }
            if outside != 0 {
                return false;
            }
            for r in numbers {
                *r = ln_normal::<FMA>(*r);
            }
            return true;

            #[inline(always)]
            fn ln_normal<const FMA: bool>(r: $t) -> $t {
                const SQRT_HALF: $bits = $sqrt_half;
                const MANTISSA: $bits = (1 << $mantissa_bits) - 1;
                let shifted = r.to_bits().wrapping_add((1.0 as $t).to_bits() - SQRT_HALF);
                let exponent: $t = $exponent(shifted);
                let m = $t::from_bits((shifted & MANTISSA).wrapping_add(SQRT_HALF));

                let f = m - 1.0;
                let s = f / (2.0 + f);
                let z = s * s;
                let w = z * z;
                let mut odd = $odd[0];
                for c in &$odd[1..] {
                    odd = multiply_add::<$t, FMA>(odd, w, *c);
                }
                let mut even = $even[0];
                for c in &$even[1..] {
                    even = multiply_add::<$t, FMA>(even, w, *c);
                }
                let polynomial = multiply_add::<$t, FMA>(even, w, odd * z);
                let half_square = 0.5 * f * f;
                let correction = s * (half_square + polynomial) + exponent * $low;
                exponent * $high - ((half_square - correction) - f)
            }
        }
    };
}

// Odd and even coefficients, highest first.
logarithms!(
    double: f64, u64, mantissa: 52, sqrt_half: 0x3fe6_a09e_667f_3bcd, ln2: 6.931_471_803_691_238e-1 + 1.908_214_929_270_587_7e-10,
    odd: [1.479_819_860_511_658_6e-1, 1.818_357_216_161_805e-1, 2.857_142_874_366_239e-1, 6.666_666_666_666_735e-1],
    even: [1.531_383_769_920_937_3e-1, 2.222_219_843_214_978_4e-1, 3.999_999_999_940_942e-1],
    // An integer below 2^52 put into the mantissa of 2^52 is that number plus 2^52: a conversion that AVX2
    // has too.
    exponent: |shifted: u64| f64::from_bits((shifted >> 52) | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0)
);
logarithms!(
    single: f32, u32, mantissa: 23, sqrt_half: 0x3f35_04f3, ln2: 6.931_381e-1 + 9.058_001e-6,
    odd: [2.849_878_7e-1, 6.666_666e-1],
    even: [2.427_907_9e-1, 4.000_097_2e-1],
    exponent: |shifted: u32| ((shifted >> 23) as i32 - 127) as f32
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::simd::{Level, dispatch_at};

    /// The logarithm of one number, among ones.
    fn ln<T: Real, const FMA: bool>(r: T) -> T {
        let mut numbers = [T::ONE; BLOCK];
        numbers[BLOCK - 2] = r;
        assert!(T::once::<Logarithms<BLOCK, FMA>>(&mut numbers), "{r} is a normal number");
        assert!(numbers[..BLOCK - 2].iter().all(|ln| *ln == T::ZERO), "ln 1 is 0 exactly");
        numbers[BLOCK - 2]
    }

    fn check_logarithms<T: Real>(largest: f64) {
        let mut r = T::MIN_POSITIVE.to_f64() * 1.01;
        while r < largest {
            for factor in [1.0, 1.0 + 1e-15, 0.999_999, 1.37] {
                let number = T::from_f64(r * factor);
                let expected = number.to_f64().ln();
                let bound = 2.0 * T::EPSILON.to_f64() * expected.abs() + 1e-300;
                for found in [ln::<T, false>(number), ln::<T, true>(number)] {
                    assert!((found.to_f64() - expected).abs() <= bound, "{number}: {found} for {expected}");
                }
            }
            r *= 1.0173;
        }
    }

    #[test]
    fn logarithms_are_those_of_the_standard_library_to_two_units() {
        check_logarithms::<f64>(1e308);
        check_logarithms::<f32>(2e38);
    }

    #[test]
    fn only_normal_positive_numbers_have_logarithms() {
        for outside in [0.0, -1.0, f32::NAN, f32::INFINITY, f32::MIN_POSITIVE / 2.0] {
            let mut numbers = [1.0; BLOCK];
            numbers[3] = outside;
            assert!(!f32::once::<Logarithms<BLOCK, false>>(&mut numbers), "{outside}");
            let mut numbers = numbers.map(f64::from);
            numbers[3] =
                if outside == f32::MIN_POSITIVE / 2.0 { f64::MIN_POSITIVE / 2.0 } else { numbers[3] };
            assert!(!f64::once::<Logarithms<BLOCK, false>>(&mut numbers), "{outside}");
        }
    }

    fn check_sum<T: Real>(tolerance: f64) {
        let x: [T; BLOCK] = std::array::from_fn(|i| T::from_f64((i % 7) as f64 * 0.37));
        let p: [T; BLOCK] = std::array::from_fn(|i| T::from_f64(0.1 + (i * i % 11) as f64));
        let terms = (0..BLOCK).map(|i| (x[i].to_f64(), p[i].to_f64())).filter(|(x, _)| *x > 0.0);
        let expected: f64 = terms.map(|(x, p)| x * (x / p).ln()).sum();
        for level in Level::available() {
            let found = dispatch_at(level, BlockSum { x: &x, p: &p });
            assert!(
                (found - expected).abs() <= tolerance * expected.abs(),
                "{level:?}: {found} and {expected}"
            );
        }
    }

    #[test]
    fn every_level_gives_the_sum_of_the_plain_loop() {
        check_sum::<f64>(1e-13);
        check_sum::<f32>(1e-6);
    }

    #[test]
    fn quotients_outside_the_normal_numbers_are_summed_with_care() {
        let sum = |pairs: &[(f64, f64)]| {
            let mut sum = LogSum::<f64>::new();
            for (x, p) in pairs {
                sum.extend(&[*x], &[*p]);
            }
            sum.finish()
        };
        assert_eq!(sum(&[]), 0.0);
        assert_eq!(sum(&[(0.0, 0.0), (2.0, 2.0)]), 0.0);
        assert_eq!(sum(&[(1.0, 1.0), (2.0, 0.0)]), f64::INFINITY);
        let huge = sum(&[(1e300, 1e-300)]);
        assert!((huge / (1e300 * 600.0 * std::f64::consts::LN_10) - 1.0).abs() < 1e-14, "{huge}");
        assert!(sum(&[(1.0, f64::NAN)]).is_nan());
    }
}
