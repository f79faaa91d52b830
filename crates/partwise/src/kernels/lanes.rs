//! Rows of a factor turned on their side: [`LANES`] rows become the lanes of vectors, one vector per
//! component. What is sequential along the components of a row but independent between rows keeps the
//! processor's vectors full for any rank this way, without horizontal sums.
//!
//! In loops over lanes, vectors are copied out, worked on and stored: where such a loop reads through one
//! reference and writes through another, or branches, the compiler takes lanes one by one. Where an outer
//! loop could become vectors itself, it would gather them from memory, which is dearer: an index that is
//! checked each time prevents that.

use super::simd::multiply_add;
use crate::foundation::{Matrix, Real};

/// Rows that are turned together.
pub(crate) const LANES: usize = 16;
/// Components are padded to a multiple of this, so that the Gram product has no remainder loop.
const BLOCK: usize = 4;

pub(crate) type Lanes<T> = [T; LANES];

/// k rounded up to whole blocks.
pub(crate) fn padded(rank: usize) -> usize {
    rank.div_ceil(BLOCK) * BLOCK
}

/// The Gram padded with zeros to `padded(k)` rows and columns.
pub(crate) fn padded_gram<T: Real>(gram: &Matrix<T>) -> Vec<T> {
    let (k, p) = (gram.columns(), padded(gram.columns()));
    let mut out = vec![T::ZERO; p * p];
    for i in 0..k {
        out[i * p..i * p + k].copy_from_slice(gram.row(i));
    }
    out
}

/// Rows and components that are turned at once.
const TURNED: usize = 4;

/// Up to [`LANES`] rows of k values become lanes: `lanes[j][i] = rows[i·k + j]`; the lanes beyond hold zeros.
#[inline(always)]
pub(crate) fn turn_in<T: Real>(rows: &[T], k: usize, lanes: &mut [Lanes<T>]) {
    turn_in_by(rows, rows.len() / k, |at| at, k, lanes);
}

/// As [`turn_in`] of the rows at some places.
#[inline(always)]
pub(crate) fn turn_in_placed<T: Real>(rows: &[T], places: &[u32], k: usize, lanes: &mut [Lanes<T>]) {
    turn_in_by(rows, places.len(), |at| places[at] as usize, k, lanes);
}

/// Block by block, each of which becomes some shuffles of registers. (A plain loop becomes scattered stores,
/// the dearest way.)
#[inline(always)]
fn turn_in_by<T: Real>(
    rows: &[T],
    count: usize,
    place: impl Fn(usize) -> usize,
    k: usize,
    lanes: &mut [Lanes<T>],
) {
    if count < LANES {
        lanes.fill([T::ZERO; LANES]);
    }
    let row = |at: usize| &rows[place(at) * k..(place(at) + 1) * k];
    let (whole, quads) = (k / TURNED * TURNED, count / TURNED * TURNED);
    for first in (0..quads).step_by(TURNED) {
        let quad = [row(first), row(first + 1), row(first + 2), row(first + 3)];
        for j in (0..whole).step_by(TURNED) {
            let mut block = [[T::ZERO; TURNED]; TURNED];
            for (values, row) in block.iter_mut().zip(quad) {
                values.copy_from_slice(&row[j..j + TURNED]);
            }
            for c in 0..TURNED {
                let column = [block[0][c], block[1][c], block[2][c], block[3][c]];
                lanes[j + c][first..first + TURNED].copy_from_slice(&column);
            }
        }
        for (r, row) in quad.iter().enumerate() {
            for j in whole..k {
                lanes[j][first + r] = row[j];
            }
        }
    }
    for at in quads..count {
        let row = row(at);
        for j in 0..k {
            lanes[j][at] = row[j];
        }
    }
}

/// The way back: `rows[i·k + j] = lanes[j][i]`.
#[inline(always)]
pub(crate) fn turn_out<T: Real>(lanes: &[Lanes<T>], k: usize, rows: &mut [T]) {
    turn_out_by(lanes, k, rows.len() / k, |at| at, rows);
}

/// As [`turn_out`], to the rows at some places.
#[inline(always)]
pub(crate) fn turn_out_placed<T: Real>(lanes: &[Lanes<T>], k: usize, places: &[u32], rows: &mut [T]) {
    turn_out_by(lanes, k, places.len(), |at| places[at] as usize, rows);
}

#[inline(always)]
fn turn_out_by<T: Real>(
    lanes: &[Lanes<T>],
    k: usize,
    count: usize,
    place: impl Fn(usize) -> usize,
    rows: &mut [T],
) {
    let (whole, quads) = (k / TURNED * TURNED, count / TURNED * TURNED);
    for first in (0..quads).step_by(TURNED) {
        let starts = [place(first) * k, place(first + 1) * k, place(first + 2) * k, place(first + 3) * k];
        for j in (0..whole).step_by(TURNED) {
            let mut block = [[T::ZERO; TURNED]; TURNED];
            for (c, values) in block.iter_mut().enumerate() {
                values.copy_from_slice(&lanes[j + c][first..first + TURNED]);
            }
            for (r, start) in starts.iter().enumerate() {
                let row = [block[0][r], block[1][r], block[2][r], block[3][r]];
                rows[start + j..start + j + TURNED].copy_from_slice(&row);
            }
        }
        for (r, start) in starts.iter().enumerate() {
            for j in whole..k {
                rows[start + j] = lanes[j][first + r];
            }
        }
    }
    for at in quads..count {
        let row = &mut rows[place(at) * k..(place(at) + 1) * k];
        for j in 0..k {
            row[j] = lanes[j][at];
        }
    }
}

/// `out[j] = Σ_l G[j][l]·u[l] + δ·u[j]`, with the Gram padded to p × p and symmetric.
#[inline(always)]
pub(crate) fn gram_times<T: Real, const FMA: bool>(
    gram: &[T],
    u: &[Lanes<T>],
    shift: &Lanes<T>,
    out: &mut [Lanes<T>],
) {
    let p = u.len();
    for j in (0..p).step_by(BLOCK) {
        let mut sums = [[T::ZERO; LANES]; BLOCK];
        for (l, v) in u.iter().enumerate() {
            // Row l for column l: the Gram is symmetric to the last bit.
            let weights = &gram[l * p + j..l * p + j + BLOCK];
            for b in 0..BLOCK {
                sums[b] = plus_multiple::<T, FMA>(sums[b], weights[b], v);
            }
        }
        for b in 0..BLOCK {
            let (mut sum, v) = (sums[b], u[j + b]);
            for lane in 0..LANES {
                sum[lane] = multiply_add::<T, FMA>(shift[lane], v[lane], sum[lane]);
            }
            out[j + b] = sum;
        }
    }
}

/// `sum + weight · v`.
#[inline(always)]
pub(crate) fn plus_multiple<T: Real, const FMA: bool>(
    mut sum: Lanes<T>,
    weight: T,
    v: &Lanes<T>,
) -> Lanes<T> {
    for lane in 0..LANES {
        sum[lane] = multiply_add::<T, FMA>(weight, v[lane], sum[lane]);
    }
    sum
}

/// Σ of squares of the projected gradient: g where u > `zero`, min(g, 0) elsewhere. `zero` is 0, or what a
/// solver that can't reach 0 counts as 0 in each row.
#[inline(always)]
pub(crate) fn squared_projected<T: Real>(
    rank: usize,
    u: &[Lanes<T>],
    gradient: &[Lanes<T>],
    zero: &Lanes<T>,
) -> f64 {
    // In f64: the square of a gradient leaves the range of f32 long before the data do.
    let mut sums = [0.0f64; LANES];
    for j in 0..rank {
        for lane in 0..LANES {
            let g = gradient[j][lane];
            let free = u[j][lane] > zero[lane] || g < T::ZERO;
            let g = if free { g.to_f64() } else { 0.0 };
            sums[lane] += g * g;
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_turned_in_and_out_are_the_rows_whatever_their_number_and_length() {
        for k in [1, 3, 4, 5, 8, 21] {
            for count in 1..=LANES {
                let rows: Vec<f32> = (1..=count * k).map(|value| value as f32).collect();
                let mut lanes = vec![[-1.0; LANES]; padded(k)];
                turn_in(&rows, k, &mut lanes);
                for (j, lanes) in lanes[..k].iter().enumerate() {
                    for (lane, value) in lanes.iter().enumerate() {
                        let expected = if lane < count { rows[lane * k + j] } else { 0.0 };
                        assert_eq!(*value, expected, "row {lane} of {count}, component {j} of {k}");
                    }
                }
                let mut back = vec![0.0; count * k];
                turn_out(&lanes, k, &mut back);
                assert_eq!(back, rows, "{count} x {k}");
                // The same rows from every other place, and back to where they were.
                let places: Vec<u32> = (0..count as u32).map(|at| 2 * at + 1).collect();
                let mut spread = vec![-1.0; 2 * count * k];
                for (place, row) in places.iter().zip(rows.chunks_exact(k)) {
                    spread[*place as usize * k..][..k].copy_from_slice(row);
                }
                let mut placed = vec![[-1.0; LANES]; padded(k)];
                turn_in_placed(&spread, &places, k, &mut placed);
                assert_eq!(placed[..k], lanes[..k], "{count} x {k}");
                let mut back = vec![-1.0; 2 * count * k];
                turn_out_placed(&placed, k, &places, &mut back);
                assert_eq!(back, spread, "{count} x {k}");
            }
        }
    }
}
