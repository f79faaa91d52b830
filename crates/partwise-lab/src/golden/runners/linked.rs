//! Factors linked by a smoothing matrix (`nsnmf_*`, `nmfdc*`), and factors rescaled by labels (`scnmf*`).

use anyhow::Result;
use partwise::{
    DenseMatrix, Init, Knowledge, Labels, Loss, Matrix, Model, Settings, Slot, SolverChoice, StepRule, fit,
};

use super::nmf::{both_formats, output, settings};
use crate::golden::{Comparison, Fixture, compare_run, integers};

/// Runs `nsnmf_fro` and `nsnmf_kl`.
pub(super) fn run_nsnmf(fixture: &Fixture, comparison: &mut Comparison) -> Result<()> {
    let loss = if fixture.method() == "nsnmf_kl" { Loss::KullbackLeibler } else { Loss::Frobenius };
    let knowledge = Knowledge { smoothing: fixture.hyper("theta")?, ..Knowledge::default() };
    let model = Model::from_name("ns-nmf", knowledge)?.with_loss(loss)?;
    let settings = settings(fixture, SolverChoice::Mu, Slot::Components)?;
    let at = |iterations| Settings { max_iterations: iterations, ..settings.clone() };
    let (dense, sparse) = both_formats(fixture)?;
    comparison.variant("dense");
    compare_run(fixture, comparison, |iterations| Ok(output(fit(&dense, &model, &at(iterations))?)))?;
    comparison.variant("sparse");
    compare_run(fixture, comparison, |iterations| Ok(output(fit(&sparse, &model, &at(iterations))?)))
}

/// Runs `nmfdc` (momentum running on) and `nmfdc_restart`, with the published step.
pub(super) fn run_nmfdc(fixture: &Fixture, comparison: &mut Comparison) -> Result<()> {
    let problem = fixture.problem()?;
    let labels = Labels::from_integers(&integers(problem.field("y")?)?)?;
    let columns = labels.constraint_columns();
    let knowledge = Knowledge {
        labels: Some(labels),
        smoothing: fixture.hyper("delta")?,
        step_rule: StepRule::LargestClass,
        ..Knowledge::default()
    };
    let model = Model::from_name("nmf-dc", knowledge)?;
    let restart = fixture.method() == "nmfdc_restart";
    let z = fixture.init("Z")?;
    let codes = Matrix::from_fn(columns.len(), z.columns(), |i, j| z.get(columns[i] as usize, j));
    let settings = Settings {
        solver: if restart { SolverChoice::Nesterov } else { SolverChoice::Auto },
        inner_steps: if restart { Some(fixture.hyper("inner")? as usize) } else { None },
        init: Init::Custom { codes: Some(codes), components: Some(fixture.init("H")?) },
        first: Some(Slot::Codes),
        tolerance: 0.0,
        ..Settings::new(problem.rank()?)
    };
    let at = |iterations| Settings { max_iterations: iterations, ..settings.clone() };
    let x = problem.dense()?;
    let largest = x.as_slice().iter().fold(0.0f64, |m, v| m.max(*v));
    let scaled = Matrix::from_fn(x.rows(), x.columns(), |i, j| x.get(i, j) / largest);
    let data = DenseMatrix::from_matrix(scaled)?;
    compare_run(fixture, comparison, |iterations| {
        super::cnmf::output(fit(&data, &model, &at(iterations))?, &columns, z.rows())
    })
}

/// Runs `scnmf` and `scnmf_guard`.
pub(super) fn run_scnmf(fixture: &Fixture, comparison: &mut Comparison) -> Result<()> {
    let problem = fixture.problem()?;
    let labels = Labels::from_integers(&problem.labels()?)?;
    let knowledge = Knowledge { labels: Some(labels), ..Knowledge::default() };
    let model = Model::from_name("scnmf", knowledge)?;
    let settings = settings(fixture, SolverChoice::Mu, Slot::Components)?;
    let at = |iterations| Settings { max_iterations: iterations, ..settings.clone() };
    let (dense, sparse) = both_formats(fixture)?;
    for (name, data) in [("dense", &dense as &dyn partwise::DataMatrix<f64>), ("sparse", &sparse)] {
        comparison.variant(name);
        compare_run(fixture, comparison, |iterations| {
            let fit = fit(data, &model, &at(iterations))?;
            let d = fit.rescaling.clone().unwrap_or_default();
            let mut output = output(fit);
            output.factors.push(("d", Matrix::from_vec(d.len(), 1, d)?));
            Ok(output)
        })?;
    }
    Ok(())
}
