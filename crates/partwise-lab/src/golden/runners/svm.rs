//! Linear support vector machines (`svm`), on dense and on sparse rows.

use anyhow::{Context, Result};
use partwise::internals::svm::{Cost, SvmSettings, train};
use partwise::{DataMatrix, DenseMatrix, Matrix, SparseMatrix};
use serde_json::Value;

use crate::golden::{Comparison, Fixture, Triplets, matrix, numbers};

/// The table's tolerance, of w and α and of the gap.
const TOLERANCE: f64 = 1e-6;

/// Compares every case; α only where the table says that it is the only one.
pub(super) fn run(fixture: &Fixture, comparison: &mut Comparison) -> Result<()> {
    comparison.tolerance(TOLERANCE);
    for case in fixture.field(&["cases"])?.as_array().context("no cases")? {
        let name = case["name"].as_str().context("a case without a name")?;
        let x = matrix(&case["X"])?;
        let (n, d) = x.shape();
        let (indptr, columns, values) = Triplets::of(&x).compressed_rows();
        let indices: Vec<u32> = columns.into_iter().map(|column| column as u32).collect();
        let sparse = SparseMatrix::new(n, d, indptr, indices, values)?;
        for (form, data) in
            [("dense", &DenseMatrix::from_matrix(x)? as &dyn DataMatrix<f64>), ("sparse", &sparse)]
        {
            comparison.variant(format!("case \"{name}\", {form} data"));
            one_case(comparison, case, data).with_context(|| format!("case \"{name}\""))?;
        }
    }
    Ok(())
}

fn one_case(comparison: &mut Comparison, case: &Value, data: &dyn DataMatrix<f64>) -> Result<()> {
    let targets: Vec<i8> = numbers(&case["y"])?.into_iter().map(|y| y as i8).collect();
    let samples: Vec<usize> = (0..targets.len()).collect();
    let cost = match case["C"].as_f64() {
        Some(cost) => Cost::Same(cost),
        None => Cost::Each(numbers(&case["C"])?),
    };
    // The optimum is flat in w: a gap of ε leaves w off by √ε, so the gap must be far below the tolerance of
    // w.
    let settings =
        SvmSettings { cost: cost.clone(), tolerance: 1e-13, max_passes: 200_000, ..SvmSettings::default() };
    let trained = train(data, &samples, &targets, &settings)?;
    let column = |values: &[f64]| Matrix::from_fn(values.len(), 1, |i, _| values[i]);
    comparison.matrix("w", None, &column(&trained.weights), &column(&numbers(&case["w"])?));
    if case["alpha_unique"].as_bool().context("alpha_unique")? {
        comparison.matrix("alpha", None, &column(&trained.alpha), &column(&numbers(&case["alpha"])?));
    }
    for (place, alpha) in trained.alpha.iter().enumerate() {
        let most = match &cost {
            Cost::Same(cost) => *cost,
            Cost::Each(costs) => costs[place],
        };
        let inside = (0.0..=most).contains(alpha);
        comparison.holds("alpha", None, inside, &format!("entry {place} is {alpha}, outside [0, {most}]"));
    }
    comparison.number("primal", None, trained.primal, case["primal"].as_f64().context("primal")?);
    comparison.number("dual", None, trained.dual, case["dual"].as_f64().context("dual")?);
    let allowed = TOLERANCE * trained.primal.max(1.0);
    comparison.holds("gap", None, trained.gap <= allowed, &format!("{} is over {allowed}", trained.gap));
    Ok(())
}
