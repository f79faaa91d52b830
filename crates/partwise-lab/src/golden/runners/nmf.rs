//! Plain NMF by each solver (`nmf_*`), components first and codes first, on dense and on sparse data.

use anyhow::Result;
use partwise::{DenseMatrix, Fit, Init, Loss, Model, Settings, Slot, SolverChoice, SparseMatrix, fit};

use crate::golden::{Comparison, Fixture, RunOutput, Triplets, compare_run};

/// The objectives of the history, and the named factors of a fit.
pub(super) fn output(fit: Fit<f64>) -> RunOutput {
    RunOutput {
        objectives: fit.history.iter().map(|iteration| iteration.objective).collect(),
        factors: vec![("W", fit.codes), ("H", fit.components)],
    }
}

/// X of the problem, dense and sparse.
pub(super) fn both_formats(
    fixture: &Fixture,
) -> Result<(DenseMatrix<'static, f64>, SparseMatrix<'static, f64>)> {
    let dense = fixture.problem()?.dense()?;
    let triplets = Triplets::of(&dense);
    let entries = triplets.entries.iter().map(|&(i, j, v)| (i as u32, j as u32, v)).collect();
    let (sparse, _) = SparseMatrix::from_triplets(dense.rows(), dense.columns(), entries)?;
    Ok((DenseMatrix::from_matrix(dense)?, sparse))
}

/// The settings of a fixture: its start, and nothing but the iteration limit to stop it.
pub(super) fn settings(fixture: &Fixture, solver: SolverChoice, first: Slot) -> Result<Settings> {
    Ok(Settings {
        solver,
        init: Init::Custom { codes: Some(fixture.init("W")?), components: Some(fixture.init("H")?) },
        first: Some(first),
        tolerance: 0.0,
        ..Settings::new(fixture.problem()?.rank()?)
    })
}

/// Runs `nmf_*`.
pub(super) fn run(fixture: &Fixture, comparison: &mut Comparison) -> Result<()> {
    let method = fixture.method();
    let first = if method.ends_with("_wfirst") { Slot::Codes } else { Slot::Components };
    let solver = match method.trim_end_matches("_wfirst") {
        "nmf_hals" => SolverChoice::Hals,
        "nmf_anls_bpp" => SolverChoice::Bpp,
        "nmf_nenmf" => SolverChoice::Nesterov,
        _ => SolverChoice::Mu,
    };
    let model = match method {
        "nmf_ncw" => Model::ncw_nmf(),
        _ if method.starts_with("nmf_mu_kl") => Model::nmf().with_loss(Loss::KullbackLeibler)?,
        _ => Model::nmf(),
    };
    let mut settings = settings(fixture, solver, first)?;
    if solver == SolverChoice::Nesterov {
        settings.inner_steps = Some(fixture.hyper("inner")? as usize);
    }
    let at = |iterations| Settings { max_iterations: iterations, ..settings.clone() };
    let (dense, sparse) = both_formats(fixture)?;
    comparison.variant("dense");
    compare_run(fixture, comparison, |iterations| Ok(output(fit(&dense, &model, &at(iterations))?)))?;
    comparison.variant("sparse");
    compare_run(fixture, comparison, |iterations| Ok(output(fit(&sparse, &model, &at(iterations))?)))
}
