//! Non-negative least squares (`nnls`): the codes of the rows Bᵀ with the components Aᵀ held, by block
//! principal pivoting.

use anyhow::{Context, Result};
use partwise::{DenseMatrix, Held, Loss, Matrix, Settings, SolverChoice, solve};
use serde_json::Value;

use crate::golden::{Comparison, Fixture, matrix, numbers};

/// Compares every case; the minimizer only where the table says that it is the only one and well determined.
pub(super) fn run(fixture: &Fixture, comparison: &mut Comparison) -> Result<()> {
    for case in fixture.field(&["cases"])?.as_array().context("no cases")? {
        let name = case["name"].as_str().context("a case without a name")?;
        comparison.variant(format!("case \"{name}\""));
        one_case(comparison, case).with_context(|| format!("case \"{name}\""))?;
    }
    Ok(())
}

fn one_case(comparison: &mut Comparison, case: &Value) -> Result<()> {
    let (a, b) = (matrix(&case["A"])?, matrix(&case["B"])?);
    let k = a.columns();
    let settings =
        Settings { solver: SolverChoice::Bpp, tolerance: 0.0, max_iterations: 1, ..Settings::new(k) };
    let data = DenseMatrix::from_matrix(b.transposed())?;
    let fit = solve(&data, Held::Components(&a.transposed()), Loss::Frobenius, &settings)?;
    let x = fit.codes.transposed();
    comparison.holds("X", None, x.as_slice().iter().all(|v| *v >= 0.0), "a negative entry");
    for (column, expected) in numbers(&case["residual_norms"])?.into_iter().enumerate() {
        let residual =
            |i: usize| b.get(i, column) - (0..k).map(|j| a.get(i, j) * x.get(j, column)).sum::<f64>();
        let norm = (0..a.rows()).map(|i| residual(i).powi(2)).sum::<f64>().sqrt();
        comparison.number("residual_norms", Some(column), norm, expected);
    }
    let note = case["note"].as_str().unwrap_or_default();
    let unique = case["unique"].as_bool().context("unique")?;
    if unique && !note.contains("rather than x") {
        // Entries are compared in the scale of their column, as the notes ask.
        let scale: Vec<f64> =
            (0..k).map(|j| (0..a.rows()).map(|i| a.get(i, j).powi(2)).sum::<f64>().sqrt()).collect();
        let scaled = |m: &Matrix<f64>| Matrix::from_fn(k, m.columns(), |j, c| scale[j] * m.get(j, c));
        comparison.matrix("X", None, &scaled(&x), &scaled(&matrix(&case["X"])?));
    }
    Ok(())
}
