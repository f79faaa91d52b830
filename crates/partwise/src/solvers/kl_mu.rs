//! Multiplicative updates for the Kullback–Leibler loss: the exact minimizer of the separable majorizer.
//!
//! ```text
//! without ridge:  u ← u · n / (tb + sλ),   0/0 := 0
//! with ridge a:   u ← the positive root of a·u² + (tb + sλ)·u − n·ũ = 0
//! ```
//!
//! n = (X/(UVᵀ))V comes from the data. The ridge is solved exactly, so the objective never rises (scikit-learn adds it to the
//! denominator instead). Reference: Lee & Seung 2001, "Algorithms for non-negative matrix factorization".

use super::mu::counts_as_zero;
use crate::real::Real;

/// A chunk of rows of a [`KlMajorizer`](crate::KlMajorizer).
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
    let k = rows.base.len();
    let mut squared = 0.0;
    for (i, u) in factor.chunks_exact_mut(k).enumerate() {
        let numerator = &rows.numerator[i * k..(i + 1) * k];
        let times = rows.base_rows.map_or(T::ONE, |t| t[i]);
        let scale = rows.linear_rows.map_or(T::ONE, |s| s[i]);
        let shift = rows.shift.map_or(T::ZERO, |s| s[i]);
        let zero = counts_as_zero(u.iter().fold(T::ZERO, |largest, u| Real::max(largest, *u)));
        for j in 0..k {
            let own = rows.entries.map_or(T::ZERO, |entries| entries[i * k + j]);
            let linear = times * rows.base[j] + scale * rows.linear[j] + own;
            let ridge = rows.ridge[j] + shift;
            let gradient = linear + ridge * u[j] - numerator[j];
            if u[j] > zero || gradient < T::ZERO {
                let g = gradient.to_f64();
                squared += g * g;
            }
            u[j] = update(u[j], numerator[j], linear, ridge);
        }
    }
    squared
}

/// The new entry; below the smallest normal number it is 0 (see [`super::mu`]).
fn update<T: Real>(u: T, numerator: T, linear: T, ridge: T) -> T {
    let new = minimizer(u, numerator, linear, ridge);
    if new < T::MIN_POSITIVE { T::ZERO } else { new }
}

fn minimizer<T: Real>(u: T, numerator: T, linear: T, ridge: T) -> T {
    let product = u * numerator;
    if product <= T::ZERO {
        return T::ZERO;
    }
    if ridge > T::ZERO {
        // The root that does not cancel: 2c/(b + √(b² + 4ac)).
        let (a, b, c) = (ridge.to_f64(), linear.to_f64(), product.to_f64());
        return T::from_f64(2.0 * c / (b + (b * b + 4.0 * a * c).sqrt()));
    }
    // A vanishing denominator beside a positive numerator can only be an underflow: stay.
    if linear > T::ZERO { u * (numerator / linear) } else { u }
}
