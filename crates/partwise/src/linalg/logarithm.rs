//! Σ x·ln(x / p), the costly part of the Kullback–Leibler divergence, many logarithms at a time.

use crate::linalg::simd::{Kernel, dispatch, multiply_add};
use crate::real::Real;

/// How many pairs wait before their logarithms are taken together.
pub(crate) const BLOCK: usize = 64;
const LANES: usize = 8;

/// Accumulates Σ x·ln(x / p) over the pairs with x > 0, in `f64`. The sum depends only on the sequence of the pairs.
/// A pair with p = 0 adds +∞.
pub(crate) struct LogSum {
    x: [f64; BLOCK],
    p: [f64; BLOCK],
    waiting: usize,
    total: f64,
}

impl LogSum {
    /// An empty sum.
    pub(crate) fn new() -> Self {
        LogSum { x: [0.0; BLOCK], p: [1.0; BLOCK], waiting: 0, total: 0.0 }
    }

    /// Adds pairs: `x[i]` with `p[i]`, for slices of one length.
    pub(crate) fn extend<X: Real, P: Real>(&mut self, mut x: &[X], mut p: &[P]) {
        assert_eq!(x.len(), p.len(), "each x has its p");
        while !x.is_empty() {
            let count = x.len().min(BLOCK - self.waiting);
            let place = self.waiting..self.waiting + count;
            for (to, from) in self.x[place.clone()].iter_mut().zip(x) {
                *to = from.to_f64();
            }
            for (to, from) in self.p[place].iter_mut().zip(p) {
                *to = from.to_f64();
            }
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
        self.x[self.waiting..].fill(0.0);
        self.p[self.waiting..].fill(1.0);
        self.waiting = 0;
        self.total += match dispatch(BlockSum { x: &self.x, p: &self.p }) {
            Some(sum) => sum,
            None => careful_sum(&self.x, &self.p),
        };
    }
}

/// The sum where some quotient is zero, subnormal, infinite or NaN: ln x − ln p can't leave the range.
#[cold]
fn careful_sum(x: &[f64], p: &[f64]) -> f64 {
    x.iter().zip(p).filter(|(x, _)| **x > 0.0).map(|(x, p)| x * (x.ln() - p.ln())).sum()
}

struct BlockSum<'a> {
    x: &'a [f64; BLOCK],
    p: &'a [f64; BLOCK],
}

impl Kernel for BlockSum<'_> {
    /// `None` when a quotient is outside the normal positive numbers.
    type Output = Option<f64>;

    // Three plain loops over arrays: each becomes vector instructions, as one loop with all of it does not.
    #[inline(always)]
    fn run<const FMA: bool>(self) -> Option<f64> {
        const LEAST: u64 = f64::MIN_POSITIVE.to_bits();
        const MOST: u64 = f64::MAX.to_bits();
        let (mut terms, mut outside) = ([0.0; BLOCK], 0);
        for i in 0..BLOCK {
            let counts = self.x[i] > 0.0;
            let ratio = if counts { self.x[i] / self.p[i] } else { 1.0 };
            outside |= u64::from(ratio.to_bits().wrapping_sub(LEAST) > MOST - LEAST);
            terms[i] = ratio;
        }
        if outside != 0 {
            return None;
        }
        for term in &mut terms {
            *term = ln_normal::<FMA>(*term);
        }
        let mut sums = [0.0; LANES];
        for (x, terms) in self.x.as_chunks::<LANES>().0.iter().zip(terms.as_chunks::<LANES>().0) {
            for l in 0..LANES {
                sums[l] = multiply_add::<f64, FMA>(x[l].max(0.0), terms[l], sums[l]);
            }
        }
        Some(sums.iter().sum())
    }
}

/// Replaces the products p by the quotients x / p, and adds the pairs (x, p) to the sum; both after products below
/// the smallest normal number have been replaced by it.
pub(crate) struct Divide<'a, T> {
    pub(crate) values: &'a [T],
    pub(crate) products: &'a mut [T],
    pub(crate) sum: &'a mut LogSum,
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

/// ln of a positive normal number to less than one unit in the last place, without branches so that it becomes
/// vector instructions. The method and the coefficients are those of fdlibm's `e_log.c` (Sun Microsystems, 1993):
/// r = 2^e · m with m in [√½, √2), s = (m − 1)/(m + 1), ln m = 2 atanh s by a minimax polynomial in s².
#[inline(always)]
fn ln_normal<const FMA: bool>(r: f64) -> f64 {
    const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    const ONE: u64 = 0x3ff0_0000_0000_0000;
    const MANTISSA: u64 = 0x000f_ffff_ffff_ffff;
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    // Odd and even coefficients, highest first.
    const ODD: [f64; 4] = [
        1.479_819_860_511_658_6e-1,
        1.818_357_216_161_805e-1,
        2.857_142_874_366_239e-1,
        6.666_666_666_666_735e-1,
    ];
    const EVEN: [f64; 3] = [1.531_383_769_920_937_3e-1, 2.222_219_843_214_978_4e-1, 3.999_999_999_940_942e-1];

    let shifted = r.to_bits().wrapping_add(ONE - SQRT_HALF);
    // An integer below 2^52 put into the mantissa of 2^52 is that number plus 2^52: a conversion that AVX2 has too.
    let exponent =
        f64::from_bits((shifted >> 52) | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0);
    let m = f64::from_bits((shifted & MANTISSA).wrapping_add(SQRT_HALF));

    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let mut odd = ODD[0];
    for c in &ODD[1..] {
        odd = multiply_add::<f64, FMA>(odd, w, *c);
    }
    let mut even = EVEN[0];
    for c in &EVEN[1..] {
        even = multiply_add::<f64, FMA>(even, w, *c);
    }
    let polynomial = multiply_add::<f64, FMA>(even, w, odd * z);
    let half_square = 0.5 * f * f;
    let correction = s * (half_square + polynomial) + exponent * LN2_LOW;
    exponent * LN2_HIGH - ((half_square - correction) - f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::simd::{Level, dispatch_at};

    #[test]
    fn logarithms_are_those_of_the_standard_library_to_two_units() {
        let mut r = 2.3e-308;
        while r < 1e308 {
            for factor in [1.0, 1.0 + 1e-15, 0.999_999, 1.37] {
                let r: f64 = r * factor;
                let (plain, fused) = (ln_normal::<false>(r), ln_normal::<true>(r));
                let bound = 2.0 * f64::EPSILON * r.ln().abs() + 1e-300;
                assert!((plain - r.ln()).abs() <= bound, "{r}: {plain}");
                assert!((fused - r.ln()).abs() <= bound, "{r}: {fused}");
            }
            r *= 1.0173;
        }
        assert_eq!(ln_normal::<false>(1.0), 0.0);
        assert_eq!(ln_normal::<true>(1.0), 0.0);
    }

    #[test]
    fn every_level_gives_the_sum_of_the_plain_loop() {
        let x: [f64; BLOCK] = std::array::from_fn(|i| (i % 7) as f64 * 0.37);
        let p: [f64; BLOCK] = std::array::from_fn(|i| 0.1 + (i * i % 11) as f64);
        let expected: f64 = (0..BLOCK).filter(|i| x[*i] > 0.0).map(|i| x[i] * (x[i] / p[i]).ln()).sum();
        for level in Level::available() {
            let found = dispatch_at(level, BlockSum { x: &x, p: &p }).unwrap();
            assert!((found - expected).abs() <= 1e-13 * expected.abs(), "{level:?}: {found} and {expected}");
        }
    }

    #[test]
    fn quotients_outside_the_normal_numbers_are_summed_with_care() {
        let sum = |pairs: &[(f64, f64)]| {
            let mut sum = LogSum::new();
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
