//! A tile: [`LANES`] rows of a factor on their side (see [`lanes`](crate::kernels::lanes)) with what their
//! solver needs beside them.

use super::Rows;
use crate::foundation::Real;
use crate::kernels::lanes::{LANES, Lanes, padded, turn_in, turn_in_placed, turn_out, turn_out_placed};

/// One tile: the rows and their linear part c − sλ, and the shift of each lane.
pub(super) struct Tile<T> {
    /// u, one vector per (padded) component.
    pub(super) rows: Vec<Lanes<T>>,
    /// c (the numerator part, without the penalty).
    pub(super) cross: Vec<Lanes<T>>,
    /// δ.
    pub(super) shift: Lanes<T>,
    /// s, the multiplier of the linear penalty.
    pub(super) linear_rows: Lanes<T>,
}

impl<T: Real> Tile<T> {
    pub(super) fn new(rank: usize) -> Self {
        let p = padded(rank);
        Tile {
            rows: vec![[T::ZERO; LANES]; p],
            cross: vec![[T::ZERO; LANES]; p],
            shift: [T::ZERO; LANES],
            linear_rows: [T::ZERO; LANES],
        }
    }

    /// Loads the rows `first..first + count` of those that are meant (`count ≤ LANES`); the lanes beyond hold
    /// zeros.
    #[inline(always)]
    pub(super) fn load(&mut self, rows: &Rows<'_, T>, factor: &[T], first: usize, count: usize) {
        let k = rows.rank();
        let entries = first * k..(first + count) * k;
        match rows.places {
            None => {
                turn_in(&factor[entries.clone()], k, &mut self.rows);
                turn_in(&rows.cross[entries], k, &mut self.cross);
            }
            Some(places) => {
                let places = &places[first..first + count];
                turn_in_placed(factor, places, k, &mut self.rows);
                turn_in_placed(rows.cross, places, k, &mut self.cross);
            }
        }
        self.shift = [T::ZERO; LANES];
        if let Some(shift) = rows.shift {
            for (lane, value) in self.shift[..count].iter_mut().enumerate() {
                *value = shift[rows.place(first + lane)];
            }
        }
        self.linear_rows = [T::ONE; LANES];
        if let Some(scale) = rows.linear_rows {
            for (lane, value) in self.linear_rows[..count].iter_mut().enumerate() {
                *value = scale[rows.place(first + lane)];
            }
        }
    }

    /// Subtracts sλ from c. For solvers that don't need the parts apart.
    #[inline(always)]
    pub(super) fn fold_linear(&mut self, linear: &[T]) {
        let scale = self.linear_rows;
        for (cross, l) in self.cross.iter_mut().zip(linear) {
            if *l != T::ZERO {
                let mut folded = *cross;
                for lane in 0..LANES {
                    folded[lane] -= *l * scale[lane];
                }
                *cross = folded;
            }
        }
    }

    /// Writes the rows back.
    #[inline(always)]
    pub(super) fn store(&self, rows: &Rows<'_, T>, factor: &mut [T], first: usize, count: usize) {
        let k = rows.rank();
        match rows.places {
            None => turn_out(&self.rows, k, &mut factor[first * k..(first + count) * k]),
            Some(places) => turn_out_placed(&self.rows, k, &places[first..first + count], factor),
        }
    }
}

/// gradient −= c of a tile.
#[inline(always)]
pub(super) fn subtract<T: Real>(rank: usize, gradient: &mut [Lanes<T>], tile: &Tile<T>) {
    for (gradient, cross) in gradient[..rank].iter_mut().zip(&tile.cross) {
        let mut difference = *gradient;
        for lane in 0..LANES {
            difference[lane] -= cross[lane];
        }
        *gradient = difference;
    }
}
