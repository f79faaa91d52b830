//! Data whose squares or products leave the range of the number type, divided by a power of 16.

use std::ops::RangeInclusive;

use super::DataMatrix;
use crate::foundation::Real;

/// Largest power of 2 by which data are divided, up or down: its reciprocal is a normal number too.
const MAX_POWER: i32 = 1000;

/// The least and largest maximum of data that can be squared and multiplied without a loss.
pub(crate) fn safe_range<T: Real>() -> RangeInclusive<f64> {
    if T::NAME == "f32" { 1e-15..=1e15 } else { 1e-60..=1e60 }
}

/// The power of 16 that brings `max` to 1 to 16, where it is out of range; else 1. Its square root and fourth
/// root are exact too.
pub(crate) fn divisor(max: f64, range: &RangeInclusive<f64>) -> f64 {
    if max == 0.0 || range.contains(&max) {
        return 1.0;
    }
    let power = (max.log2() / 4.0).floor() as i32 * 4;
    2f64.powi(power.clamp(-MAX_POWER, MAX_POWER))
}

/// The size of the largest entry, negative ones included (an upper bound where there are negative ones).
pub(crate) fn largest_size<T: Real>(data: &dyn DataMatrix<T>) -> f64 {
    let summary = data.summary();
    match summary.first_negative {
        None => summary.max,
        Some(_) => summary.squared_norm.sqrt().min(f64::MAX).max(summary.max),
    }
}

/// The divided data and the divisor, for data out of range; none for others, and for those with faults.
pub fn in_range<T: Real>(data: &dyn DataMatrix<T>) -> Option<(Box<dyn DataMatrix<T>>, f64)> {
    if data.summary().first_not_finite.is_some() {
        return None;
    }
    let divisor = divisor(largest_size(data), &safe_range::<T>());
    (divisor != 1.0).then(|| (data.divided(divisor, 0.0), divisor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors_are_powers_of_16_that_bring_the_largest_entry_near_1() {
        for max in [1e-320, 1e-200, 1e-61, 1e61, 1e200, 1.7e308] {
            let c = divisor(max, &safe_range::<f64>());
            let power = c.log2();
            assert_eq!(power, power.round());
            assert_eq!(power as i32 % 4, 0, "{max:e}");
            let bounded = power.abs() == f64::from(MAX_POWER);
            assert!((1.0..16.0).contains(&(max / c)) || bounded, "{max:e}");
        }
        assert!([1e-60, 1.0, 1e60, 0.0].iter().all(|max| divisor(*max, &safe_range::<f64>()) == 1.0));
    }
}
