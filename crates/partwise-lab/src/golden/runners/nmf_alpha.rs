//! NMF-α (`nmfalpha`): the factors, corrected codes and codes of new rows from the stored S, and the machines
//! against it.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use partwise::internals::train_machines;
use partwise::{
    Advice, DataMatrix, DenseMatrix, Guidance, Labels, Matrix, MethodOptions, Model, Settings, Slot,
    SolverChoice, SparseMatrix, Strength, SupportVectors, fit,
};

use super::nmf::{both_formats, output, settings};
use crate::golden::{Comparison, Fixture, compare_run, integers, matrix};

/// The machines are trained to a relative duality gap of 1e-6, at which their directions are known to about
/// its root.
const DIRECTION_TOLERANCE: f64 = 5e-3;

/// Runs `nmfalpha`.
pub(super) fn run(fixture: &Fixture, comparison: &mut Comparison) -> Result<()> {
    let stored = fixture.data_matrix("S")?;
    let options = MethodOptions {
        discriminative_weight: fixture.hyper("lam")?,
        support: Some(Arc::new(SupportVectors::from_matrix(&stored)?)),
        ..MethodOptions::default()
    };
    let model = Model::nmf_alpha(Guidance::default()).with_options(options);
    let settings = settings(fixture, SolverChoice::Mu, Slot::Components)?;
    let at = |iterations| Settings { max_iterations: iterations, ..settings.clone() };
    let (dense, sparse) = both_formats(fixture)?;
    for (form, data) in [("dense", &dense as &dyn DataMatrix<f64>), ("sparse", &sparse)] {
        comparison.variant(form);
        compare_run(fixture, comparison, |i| Ok(output(fit(data, &model, &at(i))?)))?;
        let corrected = fit(data, &model, &at(5))?.corrected_codes();
        let expected = matrix(fixture.field(&["expected_corrected_after_5"])?)?;
        comparison.matrix("corrected codes", Some(5), &corrected, &expected);
    }
    new_rows(fixture, comparison, &dense, &model, &at)?;
    let guidance = machine_guidance(fixture)?;
    let cost = fixture.field(&["data", "svm_C"])?.as_f64().context("svm_C")?;
    let trained = train_machines(&dense, &guidance, cost, 1)?;
    comparison.holds(
        "machines",
        None,
        trained.converged == trained.machines,
        &format!("{} of {} converged", trained.converged, trained.machines),
    );
    let support = trained.support.to_matrix();
    comparison.tolerance(DIRECTION_TOLERANCE);
    comparison.variant("dense");
    comparison.matrix("directions", None, &directions(&dense, &support), &directions(&dense, &stored));
    let of_sparse = train_machines(&sparse, &guidance, cost, 1)?.support.to_matrix();
    comparison.variant("sparse");
    comparison.matrix("directions", None, &directions(&dense, &of_sparse), &directions(&dense, &stored));
    Ok(())
}

/// Codes of the first rows at the components after 5 iterations.
fn new_rows(
    fixture: &Fixture,
    comparison: &mut Comparison,
    data: &DenseMatrix<'static, f64>,
    model: &Model,
    at: &dyn Fn(usize) -> Settings,
) -> Result<()> {
    let expected = matrix(fixture.field(&["expected_transform", "W"])?)?;
    let steps = fixture.field(&["expected_transform", "n_iter"])?.as_u64().context("n_iter")? as usize;
    let start = fixture.field(&["expected_transform", "start"])?.as_str().context("start")?;
    ensure!(start == "all entries 1/k", "the start \"{start}\" is not known");
    let rows = Matrix::from_fn(expected.rows(), data.n_features(), |i, j| data.row(i)[j]);
    let fitted = fit(data, model, &at(5))?;
    let (of_dense, triplets) = (DenseMatrix::from_matrix(rows.clone())?, {
        let place = |i: usize| (i / rows.columns(), i % rows.columns());
        let stored = rows.as_slice().iter().enumerate().filter(|(_, v)| **v != 0.0);
        stored.map(|(i, v)| (place(i).0 as u32, place(i).1 as u32, *v)).collect()
    });
    let (of_sparse, _) = SparseMatrix::from_triplets(rows.rows(), rows.columns(), triplets)?;
    for (form, data) in [("dense", &of_dense as &dyn DataMatrix<f64>), ("sparse", &of_sparse)] {
        comparison.variant(form);
        let coded = fitted.transform(data, &at(steps))?;
        comparison.matrix("codes of new rows", Some(steps), &coded.codes, &expected);
    }
    Ok(())
}

/// What the fixture's machines were trained on.
fn machine_guidance(fixture: &Fixture) -> Result<Guidance> {
    let problem = fixture.problem()?;
    let Ok(sets) = problem.field("Y") else {
        return Ok(Labels::from_integers(&problem.labels()?)?.into());
    };
    let (sets, labelled) = (matrix(sets)?, integers(problem.field("labelled")?)?);
    let set = |i: usize| (0..sets.columns()).filter(|j| sets.get(i, *j) > 0.0).map(|j| j as u32).collect();
    let of_sample = labelled.iter().enumerate().map(|(i, known)| (*known == 1).then(|| set(i))).collect();
    let names = (0..sets.columns()).map(|label| label.to_string()).collect();
    Ok(Advice::Sets { names, sets: of_sample, strength: Strength::FIRM }.into())
}

/// Xᵀ(α₊ − α₋) of each machine (p × d), which is unique where α is not.
fn directions(data: &DenseMatrix<'static, f64>, support: &Matrix<f64>) -> Matrix<f64> {
    let machines = support.columns() / 2;
    Matrix::from_fn(machines, data.n_features(), |t, j| {
        let alpha = |i: usize| support.get(i, t) - support.get(i, machines + t);
        (0..data.n_samples()).map(|i| alpha(i) * data.row(i)[j]).sum::<f64>()
    })
}
