//! From consensus spectra to what cNMF reports of each k: usages, TPM, scores, a reference for starCAT.

use super::pooled::Pool;
use super::{Cells, ConsensusSteps, TPM};
use crate::data::{DataMatrix, transpose_times};
use crate::engine::Settings;
use crate::engine::losses::Loss;
use crate::fit::{Held, solve};
use crate::foundation::{Matrix, Real, Result, once};
use crate::kernels::symmetric_eigen;
use crate::methods::Model;
use crate::recipes::FinishedPieces;
use crate::recipes::consensus::{Consensus, codes_for, consensus_at, exact};

/// Eigenvalues below this fraction of the largest count as 0, as do variances below it.
const NEGLIGIBLE: f64 = 1e-12;

/// The programs of one k.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CellPrograms<T> {
    /// Consensus spectra of the factored genes (k × genes of them), each with sum 1.
    pub spectra: Matrix<T>,
    /// Usages (cells × k).
    pub usages: Matrix<T>,
    /// Spectra of all genes in TPM (k × genes).
    pub tpm: Matrix<T>,
    /// Scores of all genes (k × genes): by how many standard deviations a unit of usage raises a gene.
    pub scores: Matrix<f64>,
    /// The reference for starCAT (k × factored genes): spectra with sum 10⁶ over all genes, each gene divided
    /// by its standard deviation.
    pub reference: Matrix<f64>,
    /// How the k compares with others.
    pub selection: SelectionRow,
    /// Components that the density threshold left out; 0 for the matched consensus.
    pub left_out: usize,
}

/// What cNMF's plot for the choice of k shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelectionRow {
    /// k.
    pub rank: usize,
    /// The mean silhouette of the pooled components, without a density threshold.
    pub silhouette: f64,
    /// ‖X − UH‖² of the factored data.
    pub squared_error: f64,
}

once! {
    /// The programs of the finished fits of `ranked` = (rank, restarts), and their matched consensus; `None`
    /// where fewer than two are finished. The fits are those of [`Cells::factored`].
    ///
    /// # Errors
    /// Faults of the finished and of [`solve`]; a threshold that leaves too few components.
    pub fn cell_programs<'a, T>(
        cells: &'a Cells<'a, T>,
        model: &'a Model,
        settings: &'a Settings,
        ranked: (usize, usize),
        steps: ConsensusSteps,
        finished: &'a dyn FinishedPieces,
    ) -> Result<Option<(CellPrograms<T>, Consensus<T>)>> = programs;
}

/// The body of [`cell_programs`].
fn programs<T: Real>(
    cells: &Cells<'_, T>,
    model: &Model,
    settings: &Settings,
    (rank, restarts): (usize, usize),
    steps: ConsensusSteps,
    finished: &dyn FinishedPieces,
) -> Result<Option<(CellPrograms<T>, Consensus<T>)>> {
    let factored = cells.factored.as_ref();
    let Some(matched) = consensus_at(factored, model, settings, rank, restarts, finished)? else {
        return Ok(None);
    };
    let Some(pool) = Pool::of::<T>(finished, rank, restarts)? else { return Ok(None) };
    let all = pool.clusters(2.0)?;
    let (spectra, usages, squared_error, left_out) = match steps {
        ConsensusSteps::Matched => {
            let error = matched.summary.loss_value;
            (matched.components.clone(), matched.codes.clone(), error, 0)
        }
        ConsensusSteps::Pooled { threshold } => {
            let error = codes_for(factored, &all.spectra.cast::<T>(), model.loss(), settings)?.loss_value;
            let clusters = pool.clusters(threshold)?;
            let spectra = clusters.spectra.cast::<T>();
            let usages = codes_for(factored, &spectra, model.loss(), settings)?.codes;
            let (spectra, usages) = by_usage(&spectra, &usages);
            (spectra, usages, error, clusters.left_out)
        }
    };
    let selection = SelectionRow { rank, silhouette: all.silhouette, squared_error };
    drop(pool);
    let (tpm, scores) = of_all_genes(cells, model.loss(), settings, &usages)?;
    let scaled = Matrix::<T>::from_fn(rank, cells.genes.len(), |c, g| {
        let gene = cells.genes[g];
        T::from_f64(tpm.get(c, gene).to_f64() / cells.deviation[gene])
    });
    let usages = codes_for(cells.scaled_tpm()?.as_ref(), &scaled, model.loss(), settings)?.codes;
    let sums: Vec<f64> = (0..rank).map(|c| tpm.row(c).iter().map(|x| x.to_f64()).sum()).collect();
    let reference = Matrix::from_fn(rank, cells.genes.len(), |c, g| {
        if sums[c] > 0.0 { scaled.get(c, g).to_f64() * TPM / sums[c] } else { 0.0 }
    });
    Ok(Some((CellPrograms { spectra, usages, tpm, scores, reference, selection, left_out }, matched)))
}

/// Each row with sum 1; rows of zeros stay.
fn shares<T: Real>(usages: &Matrix<T>) -> Matrix<T> {
    let sums: Vec<f64> = (0..usages.rows()).map(|i| usages.row(i).iter().map(|u| u.to_f64()).sum()).collect();
    Matrix::from_fn(usages.rows(), usages.columns(), |i, c| match sums[i] > 0.0 {
        true => T::from_f64(usages.get(i, c).to_f64() / sums[i]),
        false => T::ZERO,
    })
}

/// Programs in the order of their shares of all cells, the largest first.
fn by_usage<T: Real>(spectra: &Matrix<T>, usages: &Matrix<T>) -> (Matrix<T>, Matrix<T>) {
    let shares = shares(usages);
    let total = |c: usize| (0..shares.rows()).map(|i| shares.get(i, c).to_f64()).sum::<f64>();
    let totals: Vec<f64> = (0..shares.columns()).map(total).collect();
    let mut order: Vec<usize> = (0..totals.len()).collect();
    order.sort_by(|a, b| totals[*b].total_cmp(&totals[*a]).then(a.cmp(b)));
    let spectra = Matrix::from_fn(spectra.rows(), spectra.columns(), |c, g| spectra.get(order[c], g));
    let usages = Matrix::from_fn(usages.rows(), usages.columns(), |i, c| usages.get(i, order[c]));
    (spectra, usages)
}

/// Spectra of all genes in TPM for these usages, and scores.
fn of_all_genes<T: Real>(
    cells: &Cells<'_, T>,
    loss: Loss,
    settings: &Settings,
    usages: &Matrix<T>,
) -> Result<(Matrix<T>, Matrix<f64>)> {
    let data = cells.tpm();
    let exact = exact(usages.columns(), loss, settings);
    let tpm = solve(data.as_ref(), Held::Codes(&shares(usages)), loss, &exact)?.components;
    Ok((tpm, scores(cells, data.as_ref(), usages)))
}

/// (UᵀU)⁻¹ Uᵀ Z (k × genes) with Z the TPM at mean 0 and variance 1.
fn scores<T: Real>(cells: &Cells<'_, T>, tpm: &dyn DataMatrix<T>, usages: &Matrix<T>) -> Matrix<f64> {
    let wide: Matrix<f64> = usages.cast();
    let (k, d) = (wide.columns(), cells.mean.len());
    let sums: Vec<f64> = (0..k).map(|c| (0..wide.rows()).map(|i| wide.get(i, c)).sum()).collect();
    let products = transpose_times(tpm, &wide);
    let right = Matrix::from_fn(k, d, |c, g| {
        let deviation = cells.deviation[g].powi(2).max(NEGLIGIBLE).sqrt();
        (products.get(g, c) - sums[c] * cells.mean[g]) / deviation
    });
    let (values, vectors) = symmetric_eigen(&wide.gram());
    let most = values.iter().copied().fold(0.0, f64::max);
    let inverse: Vec<f64> =
        values.iter().map(|v| if *v > NEGLIGIBLE * most { 1.0 / v } else { 0.0 }).collect();
    let solver = Matrix::from_fn(k, k, |a, b| {
        (0..k).map(|e| vectors.get(a, e) * inverse[e] * vectors.get(b, e)).sum::<f64>()
    });
    Matrix::from_fn(k, d, |c, g| (0..k).map(|b| solver.get(c, b) * right.get(b, g)).sum())
}
