//! Multiplicative updates for the Kullback–Leibler loss: the exact minimizer of the separable majorizer.
//!
//! ```text
//! without ridge:  u ← u · n / (tb + sλ),   0/0 := 0
//! with ridge a:   u ← the positive root of a·u² + (tb + sλ)·u − n·ũ = 0
//! ```
//!
//! n = (X/(UVᵀ))V comes from the data. The ridge is solved exactly, so the objective never rises
//! (scikit-learn adds it to the denominator instead). Reference: Lee & Seung 2001, "Algorithms for
//! non-negative matrix factorization".

use super::mu::counts_as_zero;
use crate::foundation::Real;
use crate::kernels::simd::{Kernel, dispatch};

/// A chunk of rows of a [`KlMajorizer`](crate::engine::KlMajorizer).
pub(crate) struct KlRows<'a, T> {
    pub(crate) numerator: &'a [T],
    pub(crate) base: &'a [T],
    pub(crate) base_rows: Option<&'a [T]>,
    pub(crate) ridge: &'a [T],
    pub(crate) linear: &'a [T],
    pub(crate) linear_rows: Option<&'a [T]>,
    pub(crate) shift: Option<&'a [T]>,
    /// Linear penalties of the entries (m × k).
    pub(crate) entries: Option<&'a [T]>,
}

/// Updates `factor` (m × k) in place; returns the squared projected gradient on entry, in which entries below
/// 1e-6 of the largest of their row count as 0 (multiplicative updates never reach it).
pub(crate) fn improve_kl_rows<T: Real>(rows: &KlRows<'_, T>, factor: &mut [T]) -> f64 {
    dispatch(Update { rows, factor })
}

struct Update<'a, 'b, T> {
    rows: &'a KlRows<'b, T>,
    factor: &'a mut [T],
}

impl<T: Real> Kernel for Update<'_, '_, T> {
    type Output = f64;

    // Loops over the components of a row without sums along them: each becomes vector instructions.
    #[inline(always)]
    fn run<const FMA: bool>(self) -> f64 {
        let rows = self.rows;
        let k = rows.base.len();
        let (mut linear, mut squares) = (vec![T::ZERO; k], vec![0.0f64; k]);
        let has_ridge = rows.ridge.iter().any(|ridge| *ridge > T::ZERO);
        for (i, u) in self.factor.chunks_exact_mut(k).enumerate() {
            let numerator = &rows.numerator[i * k..(i + 1) * k];
            rows.linear_part(i, &mut linear);
            let shift = rows.shift.map_or(T::ZERO, |s| s[i]);
            let zero = counts_as_zero(largest(u));
            for j in 0..k {
                let gradient = linear[j] + (rows.ridge[j] + shift) * u[j] - numerator[j];
                let counts = u[j] > zero || gradient < T::ZERO;
                let g = if counts { gradient.to_f64() } else { 0.0 };
                squares[j] += g * g;
            }
            if has_ridge || shift > T::ZERO {
                for j in 0..k {
                    u[j] = with_ridge(u[j], numerator[j], linear[j], rows.ridge[j] + shift);
                }
            } else {
                for j in 0..k {
                    u[j] = without_ridge(u[j], numerator[j], linear[j]);
                }
            }
        }
        squares.iter().sum()
    }
}

impl<T: Real> KlRows<'_, T> {
    /// tb + sλ and the penalties of the entries of row `i`.
    #[inline(always)]
    fn linear_part(&self, i: usize, linear: &mut [T]) {
        let k = linear.len();
        let times = self.base_rows.map_or(T::ONE, |t| t[i]);
        let scale = self.linear_rows.map_or(T::ONE, |s| s[i]);
        for ((linear, base), penalty) in linear.iter_mut().zip(self.base).zip(self.linear) {
            *linear = times * *base + scale * *penalty;
        }
        if let Some(entries) = self.entries {
            for (linear, own) in linear.iter_mut().zip(&entries[i * k..(i + 1) * k]) {
                *linear += *own;
            }
        }
    }
}

/// The largest of some numbers that are not negative.
#[inline(always)]
fn largest<T: Real>(numbers: &[T]) -> T {
    const LANES: usize = 8;
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let mut lanes = [T::ZERO; LANES];
    for chunk in chunks {
        for l in 0..LANES {
            lanes[l] = Real::max(lanes[l], chunk[l]);
        }
    }
    lanes.iter().chain(rest).fold(T::ZERO, |largest, u| Real::max(largest, *u))
}

/// The new entry without a ridge. Below the smallest normal number it is 0 (see [`super::mu`]).
#[inline(always)]
fn without_ridge<T: Real>(u: T, numerator: T, linear: T) -> T {
    // A vanishing denominator beside a positive numerator can only be an underflow: stay.
    let new = if linear > T::ZERO { u * (numerator / linear) } else { u };
    if u * numerator <= T::ZERO || new < T::MIN_POSITIVE { T::ZERO } else { new }
}

/// The new entry with a ridge, which may be 0.
#[inline(always)]
fn with_ridge<T: Real>(u: T, numerator: T, linear: T, ridge: T) -> T {
    let product = u * numerator;
    if ridge <= T::ZERO || product <= T::ZERO {
        return without_ridge(u, numerator, linear);
    }
    // The root that does not cancel: 2c/(b + √(b² + 4ac)).
    let (a, b, c) = (ridge.to_f64(), linear.to_f64(), product.to_f64());
    let new = T::from_f64(2.0 * c / (b + (b * b + 4.0 * a * c).sqrt()));
    if new < T::MIN_POSITIVE { T::ZERO } else { new }
}
