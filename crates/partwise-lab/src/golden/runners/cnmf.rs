//! Label-constrained NMF (`cnmf`, `cnmf_kl` and their all-labelled twins), through the exact merging of rows.

use anyhow::{Context, Result};
use partwise::{Fit, Init, Labels, Loss, Matrix, Model, Settings, Slot, SolverChoice, fit};

use super::nmf::both_formats;
use crate::golden::{Comparison, Fixture, RunOutput, compare_run, integers};

/// Runs `cnmf*`.
pub(super) fn run(fixture: &Fixture, comparison: &mut Comparison) -> Result<()> {
    let problem = fixture.problem()?;
    let all = fixture.method().ends_with("_alllabelled");
    let labels = Labels::from_integers(&integers(problem.field(if all { "y_true" } else { "y" })?)?)?;
    let columns = labels.constraint_columns();
    let constraint = fixture.data_matrix("A")?;
    let agrees = columns.iter().enumerate().all(|(i, &q)| constraint.get(i, q as usize) == 1.0);
    comparison.holds("A", None, agrees, "the label-constraint matrix differs from the labels' own");
    let kl = fixture.method().starts_with("cnmf_kl");
    let model = Model::cnmf(labels).with_loss(if kl { Loss::KullbackLeibler } else { Loss::Frobenius })?;
    let z = fixture.init("Z")?;
    let codes = Matrix::from_fn(columns.len(), z.columns(), |i, j| z.get(columns[i] as usize, j));
    let settings = Settings {
        solver: SolverChoice::Mu,
        init: Init::Custom { codes: Some(codes), components: Some(fixture.init("H")?) },
        first: Some(Slot::Components),
        tolerance: 0.0,
        ..Settings::new(problem.rank()?)
    };
    let at = |iterations| Settings { max_iterations: iterations, ..settings.clone() };
    let (dense, sparse) = both_formats(fixture)?;
    comparison.variant("dense");
    compare_run(fixture, comparison, |i| output(fit(&dense, &model, &at(i))?, &columns, z.rows()))?;
    comparison.variant("sparse");
    compare_run(fixture, comparison, |i| output(fit(&sparse, &model, &at(i))?, &columns, z.rows()))
}

/// W, H, and Z: the row of W of the first sample of each column of A.
pub(super) fn output(fit: Fit<f64>, columns: &[u32], rows: usize) -> Result<RunOutput> {
    let first =
        |q: usize| columns.iter().position(|&c| c as usize == q).context("a column of A without a sample");
    let origins = (0..rows).map(first).collect::<Result<Vec<usize>>>()?;
    let z = Matrix::from_fn(rows, fit.codes.columns(), |q, j| fit.codes.get(origins[q], j));
    let mut output = super::nmf::output(fit);
    output.factors.push(("Z", z));
    Ok(output)
}
