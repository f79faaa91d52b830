//! The exact projected gradient of a [`Quadratic`]: in tiles where rows share its Gram, row by row where they
//! have their own.

use std::ops::Range;

use super::{Quadratic, RowGroup, squared_projected_row};
use crate::foundation::{Matrix, Real};
use crate::kernels::lanes::{
    LANES, Lanes, gram_times, padded, padded_gram, squared_projected, turn_in_placed,
};
use crate::kernels::simd::{Kernel, dispatch};

/// A quadratic, its Gram in `f64`, and which rows have one of their own.
pub(crate) struct ProjectedGradient<'q, T> {
    quadratic: &'q Quadratic<T>,
    /// Padded.
    gram: Vec<f64>,
    /// The group of each row; empty without groups.
    group_of: Vec<Option<&'q RowGroup<T>>>,
    /// Entries up to this share of the largest of their row count as 0.
    zero_share: f64,
}

impl<'q, T: Real> ProjectedGradient<'q, T> {
    pub(super) fn new(quadratic: &'q Quadratic<T>, zero_share: f64) -> Self {
        let rows = if quadratic.groups.is_empty() { 0 } else { quadratic.cross.rows() };
        let mut group_of = vec![None; rows];
        for group in quadratic.groups.iter() {
            group.rows.iter().for_each(|&row| group_of[row as usize] = Some(group));
        }
        ProjectedGradient { quadratic, gram: padded_gram(&quadratic.gram.cast()), group_of, zero_share }
    }

    fn group(&self, row: usize) -> Option<&'q RowGroup<T>> {
        self.group_of.get(row).copied().flatten()
    }

    /// The squared norm of the projected gradient of some rows of the current factor, in `f64`.
    pub(crate) fn squared_norm(&self, factor: &Matrix<T>, rows: Range<usize>) -> f64 {
        let free: Vec<u32> = rows.clone().filter(|&i| self.group(i).is_none()).map(|i| i as u32).collect();
        let shared = dispatch(Squares { of: self, factor, rows: &free });
        let own = |i: usize| {
            let u = factor.row(i);
            self.group(i)
                .map(|group| self.quadratic.gradient_row(i, u, Some(group)))
                .map(|gradient| squared_projected_row(&gradient, u, self.zero_share))
        };
        shared + rows.filter_map(own).sum::<f64>()
    }
}

struct Squares<'a, 'q, T> {
    of: &'a ProjectedGradient<'q, T>,
    factor: &'a Matrix<T>,
    /// Rows in no group.
    rows: &'a [u32],
}

impl<T: Real> Kernel for Squares<'_, '_, T> {
    type Output = f64;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> f64 {
        let Squares { of: ProjectedGradient { quadratic, gram, zero_share, .. }, factor, rows } = self;
        let (k, penalties) = (factor.columns(), &quadratic.penalties);
        let p = padded(k);
        let (mut turned, mut wide) = (vec![[T::ZERO; LANES]; p], vec![[0.0f64; LANES]; p]);
        let mut gradient = wide.clone();
        let mut sum = 0.0;
        for some in rows.chunks(LANES) {
            let (mut shift, mut scale) = ([0.0; LANES], [0.0; LANES]);
            for (lane, i) in some.iter().map(|i| *i as usize).enumerate() {
                (shift[lane], scale[lane]) =
                    (penalties.shift_row(i).to_f64(), penalties.linear_row(i).to_f64());
            }
            turn_in_placed(factor.as_slice(), some, k, &mut turned);
            for (wide, turned) in wide.iter_mut().zip(&turned) {
                *wide = widened(turned);
            }
            gram_times::<f64, FMA>(gram, &wide, &shift, &mut gradient);
            turn_in_placed(quadratic.cross.as_slice(), some, k, &mut turned);
            for j in 0..k {
                let (mut g, c, linear) = (gradient[j], widened(&turned[j]), penalties.linear[j].to_f64());
                for lane in 0..LANES {
                    g[lane] += scale[lane] * linear - c[lane];
                }
                gradient[j] = g;
            }
            let mut zero = [0.0; LANES];
            if *zero_share > 0.0 {
                for wide in &wide[..k] {
                    for lane in 0..LANES {
                        zero[lane] = f64::max(zero[lane], wide[lane] * zero_share);
                    }
                }
            }
            sum += squared_projected(k, &wide, &gradient, &zero);
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
    use crate::engine::quadratic::Penalties;
    use crate::kernels::simd::{Level, dispatch_at};
    use std::sync::Arc;

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
            // Every fifth row has a Gram of its own.
            let grouped = |i: usize| i % 5 == 1;
            let group = RowGroup {
                penalty: Some((0..k).map(|j| number(j, 17)).collect()),
                ..RowGroup::plain((0..n as u32).filter(|i| grouped(*i as usize)).collect(), k)
            };
            let expected =
                |quadratic: &Quadratic<f32>, rows: Range<usize>, counts: &dyn Fn(usize) -> bool| {
                    let of_row = |i: usize| -> f64 {
                        let group = quadratic.groups.first().filter(|_| grouped(i));
                        let gradient = quadratic.gradient_row(i, factor.row(i), group);
                        let entries = gradient.iter().zip(factor.row(i));
                        entries.map(|(g, u)| if *u > 0.0 { g * g } else { g.min(0.0).powi(2) }).sum()
                    };
                    rows.filter(|i| counts(*i)).map(of_row).sum::<f64>()
                };
            let close = |found: f64, expected: f64| {
                assert!((found - expected).abs() <= 1e-12 * expected, "{n} x {k}: {found} for {expected}");
            };
            for groups in [Vec::new(), vec![group]] {
                quadratic.groups = Arc::new(groups);
                let free = |i: usize| quadratic.groups.is_empty() || !grouped(i);
                let projected = ProjectedGradient::new(&quadratic, 0.0);
                let places: Vec<u32> = (0..n as u32).filter(|i| free(*i as usize)).collect();
                for level in Level::available() {
                    let of = |rows| dispatch_at(level, Squares { of: &projected, factor: &factor, rows });
                    close(of(&places), expected(&quadratic, 0..n, &free));
                }
                for rows in [0..n, n / 2..n] {
                    let all = expected(&quadratic, rows.clone(), &|_| true);
                    assert!(all > 0.0);
                    close(projected.squared_norm(&factor, rows), all);
                }
            }
        }
    }
}
