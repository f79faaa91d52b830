//! The exact projected gradient of a [`Quadratic`] whose rows share one Gram.

use std::ops::Range;

use super::Quadratic;
use crate::linalg::Matrix;
use crate::linalg::lanes::{LANES, Lanes, gram_times, padded, squared_projected, turn_in};
use crate::linalg::simd::{Kernel, dispatch};
use crate::real::Real;

/// A quadratic without groups, and its Gram in `f64`.
pub(crate) struct SharedGram<'q, T> {
    pub(super) quadratic: &'q Quadratic<T>,
    /// Padded.
    pub(super) gram: Vec<f64>,
}

impl<T: Real> SharedGram<'_, T> {
    /// The squared norm of the projected gradient of some rows of the current factor, in `f64`.
    pub(crate) fn squared_projected(&self, factor: &Matrix<T>, rows: Range<usize>) -> f64 {
        dispatch(Squares { shared: self, factor, rows })
    }
}

struct Squares<'a, 'q, T> {
    shared: &'a SharedGram<'q, T>,
    factor: &'a Matrix<T>,
    rows: Range<usize>,
}

impl<T: Real> Kernel for Squares<'_, '_, T> {
    type Output = f64;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> f64 {
        let Squares { shared: SharedGram { quadratic, gram }, factor, rows } = self;
        let (k, penalties) = (factor.columns(), &quadratic.penalties);
        let p = padded(k);
        let (mut turned, mut wide) = (vec![[T::ZERO; LANES]; p], vec![[0.0f64; LANES]; p]);
        let mut gradient = wide.clone();
        let mut sum = 0.0;
        for first in rows.clone().step_by(LANES) {
            let some = first..(first + LANES).min(rows.end);
            let (mut shift, mut scale) = ([0.0; LANES], [0.0; LANES]);
            for (lane, i) in some.clone().enumerate() {
                (shift[lane], scale[lane]) =
                    (penalties.shift_row(i).to_f64(), penalties.linear_row(i).to_f64());
            }
            let entries = some.start * k..some.end * k;
            turn_in(&factor.as_slice()[entries.clone()], k, &mut turned);
            for (wide, turned) in wide.iter_mut().zip(&turned) {
                *wide = widened(turned);
            }
            gram_times::<f64, FMA>(gram, &wide, &shift, &mut gradient);
            turn_in(&quadratic.cross.as_slice()[entries], k, &mut turned);
            for j in 0..k {
                let (mut g, c, linear) = (gradient[j], widened(&turned[j]), penalties.linear[j].to_f64());
                for lane in 0..LANES {
                    g[lane] += scale[lane] * linear - c[lane];
                }
                gradient[j] = g;
            }
            sum += squared_projected(k, &wide, &gradient, &[0.0; LANES]);
        }
        sum
    }
}

#[inline(always)]
fn widened<T: Real>(lanes: &Lanes<T>) -> Lanes<f64> {
    let mut wide = [0.0; LANES];
    for lane in 0..LANES {
        wide[lane] = lanes[lane].to_f64();
    }
    wide
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::simd::{Level, dispatch_at};
    use crate::quadratic::{Penalties, Subproblem};

    #[test]
    fn every_level_and_every_number_of_rows_has_the_gradient_of_the_definition() {
        let number = |i: usize, step: usize| ((i * step + 5) % 23) as f32 / 23.0;
        for (n, k) in [(1, 1), (15, 3), (16, 8), (17, 20), (37, 21), (64, 50)] {
            let v = Matrix::from_fn(k + 3, k, |i, j| ((i * 7 + j * 3 + i * j) % 11) as f32 / 11.0);
            let mut quadratic = Quadratic::of_terms((n, k));
            quadratic.gram = v.gram();
            quadratic.cross = Matrix::from_fn(n, k, |i, j| 3.0 * number(i * k + j, 5));
            quadratic.penalties = Penalties {
                linear: (0..k).map(|j| number(j, 3)).collect(),
                linear_rows: Some((0..n).map(|i| number(i, 11)).collect()),
                shift: Some((0..n).map(|i| number(i, 7)).collect()),
            };
            // Every third entry is 0: there only a negative gradient counts.
            let factor = Matrix::from_fn(n, k, |i, j| if (i + j) % 3 == 0 { 0.0 } else { number(i + j, 13) });
            let subproblem = Subproblem::Quadratic(quadratic);
            let Subproblem::Quadratic(quadratic) = &subproblem else { unreachable!() };
            let of_row = |i: usize| -> f64 {
                let gradient = quadratic.gradient_row(i, factor.row(i), None);
                let entries = gradient.iter().zip(factor.row(i));
                entries.map(|(g, u)| if *u > 0.0 { g * g } else { g.min(0.0).powi(2) }).sum()
            };
            let expected: f64 = (0..n).map(of_row).sum();
            assert!(expected > 0.0);
            let shared = subproblem.shared_gram().unwrap();
            for level in Level::available() {
                let of = |rows| dispatch_at(level, Squares { shared: &shared, factor: &factor, rows });
                let (found, halves) = (of(0..n), of(0..n / 2) + of(n / 2..n));
                assert!((found - expected).abs() <= 1e-12 * expected, "{level:?}, {n} x {k}: {found}");
                assert!((halves - expected).abs() <= 1e-12 * expected, "{level:?}, {n} x {k}: {halves}");
            }
        }
    }
}
