//! A consensus as cNMF makes it: the components of all fits in one pool, those far from their neighbours left
//! out, clustered by k-means, the median of each cluster.

use super::super::matching::middle;
use super::super::restarts::Restart;
use crate::clustering::{KMeansSettings, k_means};
use crate::data::DenseMatrix;
use crate::foundation::{Error, Matrix, Real, Result};
use crate::recipes::FinishedPieces;

/// Neighbours of a component, as a fraction of the number of fits.
const NEIGHBOURS: f64 = 0.3;
/// Starts of k-means, and their random seed.
const STARTS: usize = 10;
const SEED: u64 = 1;

/// The components of all finished fits of one k, at unit length.
pub(super) struct Pool {
    rank: usize,
    fits: usize,
    /// (fits·k) × genes.
    rows: Matrix<f64>,
    /// Between all of them.
    distances: Matrix<f64>,
}

/// Clusters of a pool.
pub(super) struct Clusters {
    /// The median of each cluster, with sum 1 (k × genes).
    pub(super) spectra: Matrix<f64>,
    /// Components that were left out.
    pub(super) left_out: usize,
    /// The mean silhouette, −1 to 1; 0 for one cluster.
    pub(super) silhouette: f64,
}

impl Pool {
    /// `None` where fewer than two fits are finished.
    pub(super) fn of<T: Real>(
        finished: &dyn FinishedPieces,
        rank: usize,
        restarts: usize,
    ) -> Result<Option<Self>> {
        let (mut values, mut fits, mut genes) = (Vec::new(), 0, 0);
        for number in 0..restarts {
            let Some(fit) = Restart::<T>::find(finished, rank, number)? else { continue };
            fits += 1;
            genes = fit.components.columns();
            for c in 0..rank {
                let row = fit.components.row(c);
                let length = row.iter().map(|h| h.to_f64().powi(2)).sum::<f64>().sqrt();
                values.extend(row.iter().map(|h| if length > 0.0 { h.to_f64() / length } else { 0.0 }));
            }
        }
        if fits < 2 {
            return Ok(None);
        }
        let rows = Matrix::from_vec(fits * rank, genes, values)?;
        let gram = rows.transposed().gram();
        let distances = Matrix::from_fn(gram.rows(), gram.rows(), |a, b| {
            let squared = gram.get(a, a) + gram.get(b, b) - 2.0 * gram.get(a, b);
            if a == b { 0.0 } else { squared.max(0.0).sqrt() }
        });
        Ok(Some(Pool { rank, fits, rows, distances }))
    }

    /// The mean distance of each component to its nearest neighbours.
    fn densities(&self) -> Vec<f64> {
        let neighbours = ((NEIGHBOURS * self.fits as f64) as usize).clamp(1, self.rows.rows() - 1);
        let density = |a: usize| {
            let mut of_row: Vec<f64> = self.distances.row(a).to_vec();
            // Itself, at distance 0, is among them.
            of_row.select_nth_unstable_by(neighbours, f64::total_cmp);
            of_row[..=neighbours].iter().sum::<f64>() / neighbours as f64
        };
        (0..self.rows.rows()).map(density).collect()
    }

    /// The clusters of the components whose mean distance to their neighbours is below `threshold`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a threshold that leaves fewer than k of them.
    pub(super) fn clusters(&self, threshold: f64) -> Result<Clusters> {
        let densities = self.densities();
        // Distances of rows at unit length are 2 at most: 2 leaves nothing out.
        let kept: Vec<usize> =
            (0..self.rows.rows()).filter(|a| threshold >= 2.0 || densities[*a] < threshold).collect();
        if kept.len() < self.rank {
            let least = densities.iter().copied().fold(f64::INFINITY, f64::min);
            let valid = format!(
                "larger: it leaves {} components of the {} fits with k = {} (the least mean distance is \
                {least:.3}); 2 leaves none out",
                kept.len(),
                self.fits,
                self.rank
            );
            return Err(Error::out_of_range("the density threshold", threshold, valid));
        }
        let rows = Matrix::from_fn(kept.len(), self.rows.columns(), |a, g| self.rows.get(kept[a], g));
        let settings = KMeansSettings { restarts: STARTS, seed: SEED, ..KMeansSettings::default() };
        let labels = k_means(&DenseMatrix::from_matrix(rows)?, self.rank, &settings)?.labels;
        let mut spectra = Matrix::zeros(self.rank, self.rows.columns());
        for c in 0..self.rank {
            let members: Vec<usize> =
                kept.iter().zip(&labels).filter(|(_, label)| **label == c).map(|(row, _)| *row).collect();
            self.median(&members, spectra.row_mut(c));
        }
        let silhouette = self.silhouette(&kept, &labels);
        Ok(Clusters { spectra, left_out: self.rows.rows() - kept.len(), silhouette })
    }

    /// The entrywise median of some components, with sum 1.
    fn median(&self, members: &[usize], out: &mut [f64]) {
        let mut entries = vec![0.0; members.len()];
        for (gene, out) in out.iter_mut().enumerate().filter(|_| !members.is_empty()) {
            entries.iter_mut().zip(members).for_each(|(entry, row)| *entry = self.rows.get(*row, gene));
            *out = middle(&mut entries);
        }
        let sum: f64 = out.iter().sum();
        if sum > 0.0 {
            out.iter_mut().for_each(|entry| *entry /= sum);
        }
    }

    /// The mean of (b − a) / max(a, b), with a the mean distance to the own cluster and b that to the nearest
    /// other one.
    fn silhouette(&self, kept: &[usize], labels: &[usize]) -> f64 {
        let mut counts = vec![0usize; self.rank];
        labels.iter().for_each(|label| counts[*label] += 1);
        if counts.iter().filter(|count| **count > 0).count() < 2 {
            return 0.0;
        }
        let of = |at: usize| {
            let mut sums = vec![0.0; self.rank];
            let row = self.distances.row(kept[at]);
            kept.iter().zip(labels).for_each(|(other, label)| sums[*label] += row[*other]);
            let own = labels[at];
            if counts[own] < 2 {
                return 0.0;
            }
            let inside = sums[own] / (counts[own] - 1) as f64;
            let others = (0..self.rank).filter(|c| *c != own && counts[*c] > 0);
            let outside = others.map(|c| sums[c] / counts[c] as f64).fold(f64::INFINITY, f64::min);
            let most = inside.max(outside);
            if most > 0.0 { (outside - inside) / most } else { 0.0 }
        };
        (0..kept.len()).map(of).sum::<f64>() / kept.len() as f64
    }
}
