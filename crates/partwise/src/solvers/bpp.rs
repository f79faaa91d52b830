//! Exact non-negative least squares by block principal pivoting.
//!
//! ```text
//! find u ≥ 0, y = (G + δI)u − c + sλ ≥ 0, u·y = 0
//! ```
//!
//! Starts from the support that the row has on entry; rows with the same passive set share one Cholesky factorization.
//! Full exchanges while they help, three more when they don't, then only the largest infeasible index (Murty's rule, which
//! terminates). A column that depends on the passive ones before it is left out with value 0, so a singular Gram is
//! solved too: any minimizer is right there. A row that still has not finished within the bound, or whose value would
//! rise by rounding, is improved by coordinate steps instead, so every call terminates and never raises a row.
//! Computes in `f64` whatever the data are. Reference: Kim & Park 2011, doi:10.1137/110821172.

use super::{NnlsSolver, Rows};
use crate::linalg::Matrix;
use crate::real::Real;

/// Block principal pivoting.
#[derive(Clone, Copy, Debug)]
pub struct Bpp {
    /// Exchanges after which a row is given to coordinate steps, per component.
    exchanges_per_component: usize,
}

impl Default for Bpp {
    fn default() -> Self {
        Bpp { exchanges_per_component: 5 }
    }
}

/// Full exchanges that may fail to lower the number of infeasible entries before the backup rule.
const PATIENCE: u32 = 3;
/// An entry of y counts as negative below −this × the size of its terms.
const DUAL_TOLERANCE: f64 = 1e-13;
/// A pivot counts as zero below this × its diagonal × k.
const PIVOT_TOLERANCE: f64 = 4.0 * f64::EPSILON;
/// Coordinate sweeps of the fallback.
const FALLBACK_SWEEPS: usize = 500;

impl<T: Real> NnlsSolver<T> for Bpp {
    fn prepare(&self, _gram: &Matrix<T>) -> Vec<T> {
        Vec::new()
    }

    fn improve_rows(&self, rows: &Rows<'_, T>, factor: &mut [T], _: &mut [T]) -> f64 {
        let k = rows.rank();
        let gram = rows.gram.cast::<f64>();
        let mut states: Vec<RowState> =
            factor.chunks_exact(k).enumerate().map(|(i, u)| RowState::new(rows, i, u)).collect();
        let squared = states.iter().map(|s| s.squared_projected_gradient(&gram)).sum();
        let mut open: Vec<usize> = (0..states.len()).collect();
        for _ in 0..self.exchanges_per_component * k + 20 {
            solve_groups(&gram, &mut states, &mut open);
            open.retain(|&i| states[i].exchange(&gram));
            if open.is_empty() {
                break;
            }
        }
        for &i in &open {
            states[i].unfinished = true;
        }
        for (state, u) in states.iter().zip(factor.chunks_exact_mut(k)) {
            let solution = state.finish(&gram);
            for (u, x) in u.iter_mut().zip(&solution) {
                *u = T::from_f64(*x);
            }
        }
        squared
    }
}

struct RowState {
    entry: Vec<f64>,
    /// c − sλ.
    cross: Vec<f64>,
    shift: f64,
    passive: Vec<bool>,
    solution: Vec<f64>,
    fewest: usize,
    patience: u32,
    unfinished: bool,
}

impl RowState {
    fn new<T: Real>(rows: &Rows<'_, T>, i: usize, u: &[T]) -> Self {
        let k = u.len();
        let scale = rows.linear_rows.map_or(1.0, |s| s[i].to_f64());
        let cross =
            (0..k).map(|j| rows.cross[i * k + j].to_f64() - scale * rows.linear[j].to_f64()).collect();
        RowState {
            entry: u.iter().map(|v| v.to_f64()).collect(),
            cross,
            shift: rows.shift.map_or(0.0, |s| s[i].to_f64()),
            passive: u.iter().map(|v| *v > T::ZERO).collect(),
            solution: vec![0.0; k],
            fewest: k + 1,
            patience: PATIENCE,
            unfinished: false,
        }
    }

    /// (G + δI)x − c of component j, and the size of its terms.
    fn dual(&self, gram: &Matrix<f64>, x: &[f64], j: usize) -> (f64, f64) {
        let (mut y, mut size) = (self.shift * x[j] - self.cross[j], self.cross[j].abs());
        for (g, v) in gram.row(j).iter().zip(x) {
            y += g * v;
            size += (g * v).abs();
        }
        (y, size)
    }

    fn squared_projected_gradient(&self, gram: &Matrix<f64>) -> f64 {
        (0..self.entry.len())
            .map(|j| {
                let (g, _) = self.dual(gram, &self.entry, j);
                if self.entry[j] > 0.0 || g < 0.0 { g * g } else { 0.0 }
            })
            .sum()
    }

    /// Moves infeasible entries between the sets; false when there are none (the row is solved).
    fn exchange(&mut self, gram: &Matrix<f64>) -> bool {
        let k = self.solution.len();
        let largest = self.solution.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let infeasible: Vec<usize> = (0..k)
            .filter(|&j| {
                if self.passive[j] {
                    self.solution[j] < -f64::EPSILON * largest
                } else {
                    let (y, size) = self.dual(gram, &self.solution, j);
                    y < -DUAL_TOLERANCE * size
                }
            })
            .collect();
        let Some(&last) = infeasible.last() else { return false };
        if infeasible.len() < self.fewest {
            self.fewest = infeasible.len();
            self.patience = PATIENCE;
        } else if self.patience > 0 {
            self.patience -= 1;
        } else {
            self.passive[last] = !self.passive[last];
            return true;
        }
        for j in infeasible {
            self.passive[j] = !self.passive[j];
        }
        true
    }

    fn value(&self, gram: &Matrix<f64>, x: &[f64]) -> f64 {
        (0..x.len()).map(|j| 0.5 * x[j] * (self.dual(gram, x, j).0 - self.cross[j])).sum()
    }

    /// The solution clipped at 0, or coordinate steps from the entry where pivoting failed.
    fn finish(&self, gram: &Matrix<f64>) -> Vec<f64> {
        let clipped: Vec<f64> = self.solution.iter().map(|x| x.max(0.0)).collect();
        let finite = clipped.iter().all(|x| x.is_finite());
        if !self.unfinished && finite && self.value(gram, &clipped) <= self.value(gram, &self.entry) {
            return clipped;
        }
        let mut x = self.entry.clone();
        for _ in 0..FALLBACK_SWEEPS {
            let mut largest_change = 0.0f64;
            for j in 0..x.len() {
                let curvature = gram.get(j, j) + self.shift;
                if curvature > 0.0 {
                    let new = (x[j] - self.dual(gram, &x, j).0 / curvature).max(0.0);
                    largest_change =
                        largest_change.max((new - x[j]).abs() / (new.max(x[j]) + f64::MIN_POSITIVE));
                    x[j] = new;
                }
            }
            if largest_change < 1e-15 {
                break;
            }
        }
        x
    }
}

/// Solves the passive systems of the open rows, one factorization for all rows that share set and shift.
fn solve_groups(gram: &Matrix<f64>, states: &mut [RowState], open: &mut [usize]) {
    open.sort_by(|&a, &b| {
        let (a, b) = (&states[a], &states[b]);
        a.passive.cmp(&b.passive).then(a.shift.total_cmp(&b.shift))
    });
    let mut factorization: Option<Cholesky> = None;
    for &i in open.iter() {
        let state = &mut states[i];
        let reusable =
            factorization.as_ref().is_some_and(|f| f.passive == state.passive && f.shift == state.shift);
        if !reusable {
            factorization = Some(Cholesky::new(gram, &state.passive, state.shift));
        }
        let factor = factorization.as_ref().expect("it was just made");
        factor.solve(&state.cross, &mut state.solution);
        // A column left out as dependent is active from now on.
        state.passive.copy_from_slice(&factor.kept);
    }
}

/// L of (G + δI) restricted to a passive set, without the columns that depend on earlier ones.
struct Cholesky {
    passive: Vec<bool>,
    shift: f64,
    kept: Vec<bool>,
    columns: Vec<usize>,
    lower: Vec<f64>,
}

impl Cholesky {
    fn new(gram: &Matrix<f64>, passive: &[bool], shift: f64) -> Self {
        let k = passive.len();
        let mut columns: Vec<usize> = Vec::new();
        let mut lower: Vec<f64> = Vec::new();
        let mut kept = vec![false; k];
        // Row by row, packed: row r holds r + 1 numbers.
        for j in (0..k).filter(|&j| passive[j]) {
            let r = columns.len();
            let mut row = vec![0.0; r + 1];
            for (c, &column) in columns.iter().enumerate() {
                let above = &lower[c * (c + 1) / 2..][..c + 1];
                let sum: f64 = row[..c].iter().zip(above).map(|(a, b)| a * b).sum();
                row[c] = (gram.get(j, column) - sum) / above[c];
            }
            let diagonal = gram.get(j, j) + shift;
            let pivot = diagonal - row[..r].iter().map(|v| v * v).sum::<f64>();
            if pivot > PIVOT_TOLERANCE * k as f64 * diagonal && pivot.is_finite() {
                row[r] = pivot.sqrt();
                lower.extend_from_slice(&row);
                columns.push(j);
                kept[j] = true;
            }
        }
        Cholesky { passive: passive.to_vec(), shift, kept, columns, lower }
    }

    fn solve(&self, cross: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let r = self.columns.len();
        let row = |i: usize| &self.lower[i * (i + 1) / 2..][..i + 1];
        let mut x = vec![0.0; r];
        for i in 0..r {
            let sum: f64 = row(i)[..i].iter().zip(&x).map(|(a, b)| a * b).sum();
            x[i] = (cross[self.columns[i]] - sum) / row(i)[i];
        }
        for i in (0..r).rev() {
            x[i] /= row(i)[i];
            let solved = x[i];
            for (earlier, l) in x[..i].iter_mut().zip(&row(i)[..i]) {
                *earlier -= l * solved;
            }
        }
        for (column, value) in self.columns.iter().zip(&x) {
            out[*column] = *value;
        }
    }
}
