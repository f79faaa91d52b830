//! The steps of cNMF around a consensus of single-cell counts (cells × genes).
//!
//! ```text
//! TPM        counts of a cell times 10⁶ / their sum
//! genes      those with the largest variance / mean of TPM relative to A²·mean + B² (see `genes.rs`)
//! factored   counts of these genes, each divided by its standard deviation
//! spectra    consensus components of the factored data, each with sum 1
//! usages     refitted; then W of TPM of these genes at unit variance for the TPM spectra, as they are given
//! TPM        min over S ≥ 0 of ‖TPM − U·S‖ with U the usages, each cell with sum 1, fixed
//! scores     least squares of TPM at mean 0 and variance 1 on the usages, per gene
//! ```
//!
//! Reference: D. Kotliar et al., "Identifying gene expression programs of cell-type identity and cellular
//! activity with single-cell RNA-seq", eLife 8, 2019, doi:10.7554/eLife.43803; the order of the steps is that
//! of the package cnmf 1.7.1. Cells without a count keep their row, with usages of 0.

mod genes;
mod pooled;
mod programs;

use crate::data::{DataMatrix, DenseMatrix, SparseMatrix};
use crate::foundation::{Error, Matrix, Real, Result, once};
pub use programs::{CellPrograms, SelectionRow, cell_programs};

/// The sum of a cell in TPM.
const TPM: f64 = 1e6;

/// How the components of all fits become one set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConsensusSteps {
    /// Matched to the best fit; see [`consensus_at`](super::consensus_at).
    Matched,
    /// As cNMF: pooled, those with a mean distance of `threshold` or more to their nearest neighbours left
    /// out, clustered by k-means, the median of each cluster.
    Pooled {
        /// The distance, above 0; 2 leaves none out.
        threshold: f64,
    },
}

/// Counts of cells, and what is factored of them.
#[derive(Debug)]
pub struct Cells<'a, T: Real> {
    counts: &'a dyn DataMatrix<T>,
    /// The genes that are factored, ascending.
    pub genes: Vec<usize>,
    /// Their counts at unit variance (cells × genes of them).
    pub factored: Box<dyn DataMatrix<T>>,
    /// The mean of each gene in TPM.
    mean: Vec<f64>,
    /// Its standard deviation in TPM (over n).
    deviation: Vec<f64>,
}

once! {
    /// The body of [`Cells::new`].
    fn chosen<'a, T>(counts: &'a dyn DataMatrix<T>, count: usize) -> Result<Cells<'a, T>> = choose;
}

fn choose<T: Real>(counts: &dyn DataMatrix<T>, count: usize) -> Result<Cells<'_, T>> {
    if count == 0 {
        return Err(Error::out_of_range("the number of genes", 0, "1 or more"));
    }
    let summary = counts.summary();
    if summary.negative > 0 || counts.n_samples() < 2 {
        let reason = if summary.negative > 0 { "they have negative entries" } else { "there is one cell" };
        let asked = "the steps of cNMF for these counts";
        return Err(Error::incompatible(asked, reason, ["counts of 2 or more cells"]));
    }
    let (mean, deviation) = moments(counts, &|cell| per_million(summary.row_sums[cell]), 0.0);
    let genes = genes::most_variable(&mean, &deviation, count);
    if genes.is_empty() {
        let asked = "the steps of cNMF for these counts";
        return Err(Error::incompatible(asked, "no gene varies", ["counts with genes that vary"]));
    }
    let (_, spread) = moments(counts, &|_| 1.0, 1.0);
    let scale: Vec<f64> = genes.iter().map(|gene| inverse(spread[*gene])).collect();
    let factored = columns(counts, &genes, &|_| 1.0, &scale)?;
    Ok(Cells { counts, genes, factored, mean, deviation })
}

impl<'a, T: Real> Cells<'a, T> {
    /// Chooses the `count` genes that vary most, and scales them.
    ///
    /// # Errors
    /// [`Error::Incompatible`] for negative entries, fewer than two cells, or no gene that varies;
    /// [`Error::OutOfRange`] for no genes at all.
    pub fn new(counts: &'a dyn DataMatrix<T>, count: usize) -> Result<Self> {
        chosen(counts, count)
    }

    /// All genes in TPM (cells × genes), as a copy.
    fn tpm(&self) -> Box<dyn DataMatrix<T>> {
        let sums = &self.counts.summary().row_sums;
        self.counts.weighted(&|cell, _| per_million(sums[cell]))
    }

    /// The factored genes in TPM at unit variance, as a copy.
    fn scaled_tpm(&self) -> Result<Box<dyn DataMatrix<T>>> {
        let sums = &self.counts.summary().row_sums;
        let of_cell = |cell: usize| per_million(sums[cell]);
        let n = self.counts.n_samples() as f64;
        // Over n − 1, as the factored counts.
        let scale: Vec<f64> =
            self.genes.iter().map(|g| inverse(self.deviation[*g] * (n / (n - 1.0)).sqrt())).collect();
        columns(self.counts, &self.genes, &of_cell, &scale)
    }
}

fn per_million(sum: f64) -> f64 {
    if sum > 0.0 { TPM / sum } else { 0.0 }
}

fn inverse(deviation: f64) -> f64 {
    if deviation > 0.0 { 1.0 / deviation } else { 1.0 }
}

/// The mean and the standard deviation (over n − `less`) of each column, each row times its factor.
fn moments<T: Real>(
    data: &dyn DataMatrix<T>,
    factor: &dyn Fn(usize) -> f64,
    less: f64,
) -> (Vec<f64>, Vec<f64>) {
    let (n, d) = (data.n_samples(), data.n_features());
    let (mut sums, mut squares) = (vec![0.0; d], vec![0.0; d]);
    for_each_entry(data, &mut |row, feature, value| {
        let value = value * factor(row);
        sums[feature] += value;
        squares[feature] += value * value;
    });
    let means: Vec<f64> = sums.iter().map(|sum| sum / n as f64).collect();
    // Around the mean: the difference of two large sums would lose digits.
    let mut around = vec![0.0; d];
    let mut entries = vec![0.0; d];
    for_each_entry(data, &mut |row, feature, value| {
        around[feature] += (value * factor(row) - means[feature]).powi(2);
        entries[feature] += 1.0;
    });
    let spread =
        |f: usize| ((around[f] + (n as f64 - entries[f]) * means[f].powi(2)) / (n as f64 - less)).sqrt();
    let deviations = (0..d).map(spread).collect();
    (means, deviations)
}

/// Calls `act` for each entry that is not 0: row, column, value.
fn for_each_entry<T: Real>(data: &dyn DataMatrix<T>, act: &mut dyn FnMut(usize, usize, f64)) {
    let mut row = vec![0.0; data.n_features()];
    for i in 0..data.n_samples() {
        data.add_row(i, 1.0, &mut row);
        for feature in data.non_zero_features(i) {
            let feature = feature as usize;
            act(i, feature, row[feature]);
            row[feature] = 0.0;
        }
    }
}

/// Some columns of the data, ascending, each entry times the factor of its row and the scale of its column;
/// sparse stays sparse.
fn columns<T: Real>(
    data: &dyn DataMatrix<T>,
    chosen: &[usize],
    factor: &dyn Fn(usize) -> f64,
    scale: &[f64],
) -> Result<Box<dyn DataMatrix<T>>> {
    let n = data.n_samples();
    let mut place = vec![usize::MAX; data.n_features()];
    chosen.iter().enumerate().for_each(|(at, feature)| place[*feature] = at);
    if !data.is_sparse() {
        let mut out = Matrix::<T>::zeros(n, chosen.len());
        for_each_entry(data, &mut |i, feature, value| {
            if place[feature] < chosen.len() {
                out.set(i, place[feature], T::from_f64(value * factor(i) * scale[place[feature]]));
            }
        });
        return Ok(Box::new(DenseMatrix::from_matrix(out)?));
    }
    let (mut ends, mut indices, mut values) = (vec![0usize; n + 1], Vec::new(), Vec::new());
    for_each_entry(data, &mut |i, feature, value| {
        if place[feature] < chosen.len() {
            indices.push(place[feature] as u32);
            values.push(T::from_f64(value * factor(i) * scale[place[feature]]));
            ends[i + 1] = indices.len();
        }
    });
    for i in 0..n {
        ends[i + 1] = ends[i + 1].max(ends[i]);
    }
    Ok(Box::new(SparseMatrix::new(n, chosen.len(), ends, indices, values)?))
}
