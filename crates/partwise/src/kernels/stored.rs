//! The product of two factors at the stored entries of sparse rows, in `f64`: what exact losses of sparse
//! data are summed from.
//!
//! ```text
//! p_e = U[i, :] · V[j_e, :]   over the stored entries e of row i
//! ```

use std::ops::Range;

use super::gather::{Rows, WIDEST, fold, piece_of, wide_dot, with_few_widths};
use super::logarithm::sum_of_logarithms;
use super::simd::{Kernel, dispatch, multiply_add, prefetch};
use crate::foundation::{Real, once};

/// Entries whose products are visited at once.
const BLOCK: usize = 64;
const LANES: usize = 8;

/// Rows of sparse data beside the factors: `own` has one row per sparse row, `other` one per column, both
/// row-major with k columns.
pub(crate) struct StoredProducts<'a, T> {
    pub(crate) rows: Rows<'a, T>,
    pub(crate) range: Range<usize>,
    pub(crate) own: &'a [T],
    pub(crate) other: &'a [T],
    pub(crate) k: usize,
}

/// What the stored entries and the product of the factors there have to do with each other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Deviation {
    /// Σ (x − p)².
    pub(crate) residual: f64,
    /// Σ p².
    pub(crate) product: f64,
}

/// The [`Deviation`] of some rows.
pub(crate) struct Deviations<'a, T>(pub(crate) StoredProducts<'a, T>);

/// Σ x·ln(x / p) of some rows; `+∞` where p is 0 and x is not.
pub(crate) struct StoredLogarithms<'a, T>(pub(crate) StoredProducts<'a, T>);

impl<T: Real> Kernel for Deviations<'_, T> {
    type Output = Deviation;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> Deviation {
        self.0.visit::<Deviation, FMA>()
    }
}

impl<T: Real> Kernel for StoredLogarithms<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn run<const FMA: bool>(self) -> f64 {
        self.0.visit::<f64, FMA>()
    }
}

once! {
    /// The [`Deviation`] of [`StoredProducts`].
    pub(crate) StoredDeviation<'a, T>(products: StoredProducts<'a, T>) -> Deviation {
        dispatch(Deviations(products))
    }
}

once! {
    /// Σ x·ln(x / p) of [`StoredProducts`].
    pub(crate) StoredDivergence<'a, T>(products: StoredProducts<'a, T>) -> f64 {
        dispatch(StoredLogarithms(products))
    }
}

/// What is summed over blocks of entries. A block may end with x = p = 0.
trait Summed: Default {
    fn add<const FMA: bool>(&mut self, x: &[f64; BLOCK], p: &[f64; BLOCK]);
}

impl Summed for Deviation {
    #[inline(always)]
    fn add<const FMA: bool>(&mut self, x: &[f64; BLOCK], p: &[f64; BLOCK]) {
        let (mut residual, mut product) = ([0.0; LANES], [0.0; LANES]);
        for (x, p) in x.as_chunks::<LANES>().0.iter().zip(p.as_chunks::<LANES>().0) {
            for l in 0..LANES {
                let difference = x[l] - p[l];
                residual[l] = multiply_add::<f64, FMA>(difference, difference, residual[l]);
                product[l] = multiply_add::<f64, FMA>(p[l], p[l], product[l]);
            }
        }
        self.residual += fold(residual);
        self.product += fold(product);
    }
}

impl Summed for f64 {
    #[inline(always)]
    fn add<const FMA: bool>(&mut self, x: &[f64; BLOCK], p: &[f64; BLOCK]) {
        let r = std::array::from_fn(|e| x[e] / p[e]);
        *self += sum_of_logarithms::<f64, BLOCK, FMA>(x, p, &r);
    }
}

impl<T: Real> StoredProducts<'_, T> {
    #[inline(always)]
    fn visit<S: Summed, const FMA: bool>(self) -> S {
        if self.k > WIDEST {
            return visit_wide::<T, S, FMA>(self);
        }
        let mut sums = S::default();
        with_few_widths!(self.k, visit_piece(self, &mut sums));
        sums
    }
}

/// The products for k ≤ B · L, in `L` interleaved sums each, which are added up for many entries at a time.
#[inline(always)]
fn visit_piece<T: Real, const B: usize, const L: usize, const FMA: bool>(
    products: StoredProducts<'_, T>,
    sums: &mut impl Summed,
) {
    let StoredProducts { rows, range, own, other, k } = products;
    let (mut row, mut of_row) = (range.start, None);
    let mut u = [[0.0; L]; B];
    let mut lanes = [[0.0; L]; BLOCK];
    let mut spare = [[T::ZERO; L]; B];
    for block in rows.blocks(range, BLOCK) {
        let mut rest = &mut lanes[..block.len()];
        while !rest.is_empty() {
            let entries = rows.part(&mut row, block.end - rest.len()..block.end);
            if of_row != Some(row) {
                // The zeros beyond k keep the next row out of the products.
                let own = &own[row * k..(row + 1) * k];
                u.as_flattened_mut().iter_mut().zip(own).for_each(|(to, from)| *to = from.to_f64());
                of_row = Some(row);
            }
            let (part, tail) = rest.split_at_mut(entries.len());
            rest = tail;
            let ahead = rows.ahead(entries.clone(), k * size_of::<T>());
            for ((lanes, j), ahead) in part.iter_mut().zip(&rows.indices[entries]).zip(ahead) {
                prefetch(other, *ahead as usize * k, B * L);
                let v = piece_of::<T, B, L>(other, *j as usize * k, &mut spare);
                let mut products = [0.0; L];
                for b in 0..B {
                    for l in 0..L {
                        products[l] = multiply_add::<f64, FMA>(u[b][l], v[b][l].to_f64(), products[l]);
                    }
                }
                *lanes = products;
            }
        }
        let mut p = [0.0; BLOCK];
        p.iter_mut().zip(&lanes[..block.len()]).for_each(|(p, lanes)| *p = fold(*lanes));
        sums.add::<FMA>(&padded(&rows.values[block]), &p);
    }
}

/// The products for any k.
#[inline(always)]
fn visit_wide<T: Real, S: Summed, const FMA: bool>(products: StoredProducts<'_, T>) -> S {
    let StoredProducts { rows, range, own, other, k } = products;
    let mut sums = S::default();
    let mut row = range.start;
    for block in rows.blocks(range, BLOCK) {
        let mut p = [0.0; BLOCK];
        let mut start = block.start;
        while start < block.end {
            let entries = rows.part(&mut row, start..block.end);
            let part = &mut p[start - block.start..entries.end - block.start];
            start = entries.end;
            let u = &own[row * k..(row + 1) * k];
            let ahead = rows.ahead(entries.clone(), size_of_val(u));
            for ((p, j), ahead) in part.iter_mut().zip(&rows.indices[entries]).zip(ahead) {
                prefetch(other, *ahead as usize * k, k);
                let v = &other[*j as usize * k..(*j as usize + 1) * k];
                *p = wide_dot::<T, LANES, FMA>(u, v);
            }
        }
        sums.add::<FMA>(&padded(&rows.values[block]), &p);
    }
    sums
}

/// The values of a block, zeros behind them.
#[inline(always)]
fn padded<T: Real>(values: &[T]) -> [f64; BLOCK] {
    let mut padded = [0.0; BLOCK];
    for (to, from) in padded.iter_mut().zip(values) {
        *to = from.to_f64();
    }
    padded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::gather::tests::{COLUMNS, Example, factor};
    use crate::kernels::simd::{Level, dispatch_at};

    fn check<T: Real>(level: Level, k: usize, range: Range<usize>) {
        let example = Example::<T>::new();
        let rows = example.rows();
        let (own, other) = (factor::<T>(25, k, 7), factor::<T>(COLUMNS, k, 11));
        let products = || StoredProducts { rows, range: range.clone(), own: &own, other: &other, k };
        let deviation = dispatch_at(level, Deviations(products()));
        let logarithms = dispatch_at(level, StoredLogarithms(products()));
        let mut expected = [0.0; 3];
        for i in range.clone() {
            for e in rows.offsets[i]..rows.offsets[i + 1] {
                let (j, x) = (rows.indices[e] as usize, rows.values[e].to_f64());
                let p: f64 = (0..k).map(|c| own[i * k + c].to_f64() * other[j * k + c].to_f64()).sum();
                expected[0] += (x - p).powi(2);
                expected[1] += p * p;
                expected[2] += if x > 0.0 { x * (x / p).ln() } else { 0.0 };
            }
        }
        for (found, expected) in [deviation.residual, deviation.product, logarithms].iter().zip(expected) {
            let difference = (found - expected).abs();
            assert!(difference <= 1e-13 * expected.abs(), "{level:?}, k = {k}: {found} for {expected}");
        }
    }

    #[test]
    fn every_level_and_every_width_gives_the_sums_of_the_plain_loop() {
        for level in Level::available() {
            for k in (1..=70).chain([128, 131]) {
                check::<f64>(level, k, 3..25);
                check::<f32>(level, k, 0..25);
            }
            for range in [6..7, 12..12, 5..7, 24..25] {
                check::<f64>(level, 20, range);
            }
        }
    }

    #[test]
    fn a_product_of_zero_beside_a_value_is_an_infinite_divergence() {
        let rows = Rows { offsets: &[0, 2], indices: &[0, 1], values: &[0.0, 1e-10] };
        let products = StoredProducts { rows, range: 0..1, own: &[1.0], other: &[0.0, 0.0], k: 1 };
        assert_eq!(dispatch_at(Level::Portable, StoredLogarithms(products)), f64::INFINITY);
    }
}
