//! Spherical k-means: groups of samples that point the same way, whatever their lengths.
//!
//! ```text
//! maximize Σᵢ cos(xᵢ, m_g(i))   over groups g (n) and directions m (k × d, of length 1)
//! g ← the largest product (ties to the lower number);   m_g ← the sum of the unit rows of the group,
//!     at length 1
//! ```
//!
//! The best of `RESTARTS` starts by k-means++ on the cosines. Reference: I. S. Dhillon, D. S. Modha, "Concept
//! decompositions for large sparse text data using clustering", Machine Learning 42, 2001,
//! doi:10.1023/A:1007612920971.

use crate::data::DataMatrix;
use crate::foundation::draw::{Generator, below, generator, uniform};
use crate::foundation::{Matrix, Real};

/// Starts, and iterations of each.
const RESTARTS: u64 = 4;
const ITERATIONS: usize = 12;

/// The directions of groups.
pub(crate) struct Directions {
    /// One row (d) of length 1 per group.
    rows: Vec<Vec<f64>>,
}

impl Directions {
    /// Of `count` groups of some samples, 1 or more of each.
    pub(crate) fn of<T: Real>(data: &dyn DataMatrix<T>, samples: &[usize], count: usize, seed: u64) -> Self {
        let units = units(data, samples);
        let search = Search { data, samples, units: &units, count: count.min(samples.len()) };
        let found = (0..RESTARTS).map(|restart| search.run(&mut generator(seed, restart)));
        let best = found.reduce(|best, next| if next.1 > best.1 { next } else { best });
        Directions { rows: best.expect("there is at least one start").0 }
    }

    /// The group of a sample.
    pub(crate) fn nearest<T: Real>(&self, data: &dyn DataMatrix<T>, sample: usize) -> usize {
        nearest(data, sample, &self.rows).0
    }

    /// The means of the unit rows of the groups (groups × d) over some samples; the direction of a group
    /// without any of them.
    pub(crate) fn means<T: Real>(&self, data: &dyn DataMatrix<T>, samples: &[usize]) -> Matrix<f64> {
        let units = units(data, samples);
        let mut means = Matrix::zeros(self.rows.len(), data.n_features());
        let mut counts = vec![0usize; self.rows.len()];
        for (&i, unit) in samples.iter().zip(&units) {
            let group = self.nearest(data, i);
            data.add_row(i, *unit, means.row_mut(group));
            counts[group] += 1;
        }
        for (group, count) in counts.into_iter().enumerate() {
            match count {
                0 => means.row_mut(group).copy_from_slice(&self.rows[group]),
                _ => means.row_mut(group).iter_mut().for_each(|mean| *mean /= count as f64),
            }
        }
        means
    }
}

/// 1/‖xᵢ‖ of some samples; 0 for a row of zeros.
pub(crate) fn units<T: Real>(data: &dyn DataMatrix<T>, samples: &[usize]) -> Vec<f64> {
    let mut row = vec![0.0; data.n_features()];
    let mut unit = |i: usize| {
        row.fill(0.0);
        data.add_row(i, 1.0, &mut row);
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 { 1.0 / length } else { 0.0 }
    };
    samples.iter().map(|i| unit(*i)).collect()
}

/// The direction with the largest product, the first of equals, and the product.
fn nearest<T: Real>(data: &dyn DataMatrix<T>, sample: usize, rows: &[Vec<f64>]) -> (usize, f64) {
    let products = rows.iter().map(|row| data.row_dot(sample, row)).enumerate();
    products.reduce(|best, next| if next.1 > best.1 { next } else { best }).unwrap_or_default()
}

/// One search from one start.
struct Search<'s, T: Real> {
    data: &'s dyn DataMatrix<T>,
    samples: &'s [usize],
    units: &'s [f64],
    count: usize,
}

impl<T: Real> Search<'_, T> {
    /// The directions, and the sum of the cosines.
    fn run(&self, random: &mut Generator) -> (Vec<Vec<f64>>, f64) {
        let mut rows = self.start(random);
        let mut total = 0.0;
        for _ in 0..ITERATIONS {
            let mut sums = vec![vec![0.0; self.data.n_features()]; self.count];
            total = 0.0;
            for (&i, unit) in self.samples.iter().zip(self.units) {
                let (group, product) = nearest(self.data, i, &rows);
                total += product * unit;
                self.data.add_row(i, *unit, &mut sums[group]);
            }
            for (row, mut sum) in rows.iter_mut().zip(sums) {
                let length = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
                // A group that lost its samples keeps its direction.
                if length > 0.0 {
                    sum.iter_mut().for_each(|x| *x /= length);
                    *row = sum;
                }
            }
        }
        (rows, total)
    }

    /// k-means++: each next direction is that of a sample, drawn by 1 − its largest cosine so far.
    fn start(&self, random: &mut Generator) -> Vec<Vec<f64>> {
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(self.count);
        let mut away = vec![1.0; self.samples.len()];
        while rows.len() < self.count {
            let drawn = uniform(random) * away.iter().sum::<f64>();
            let mut sum = 0.0;
            let reached = away.iter().position(|distance| {
                sum += distance;
                sum > drawn
            });
            let at = reached.unwrap_or_else(|| below(random, self.samples.len()));
            let mut row = vec![0.0; self.data.n_features()];
            self.data.add_row(self.samples[at], self.units[at], &mut row);
            for (q, &i) in self.samples.iter().enumerate() {
                let cosine = self.data.row_dot(i, &row) * self.units[q];
                away[q] = f64::min(away[q], (1.0 - cosine).max(0.0));
            }
            rows.push(row);
        }
        rows
    }
}
