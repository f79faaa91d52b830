//! Non-negative tensor factorization (`ntf`): multiplicative updates of image rows, image columns and codes.

use anyhow::{Context, Result};
use partwise::{
    DataMatrix, DenseMatrix, Fit, Init, Matrix, Model, Settings, Slot, SolverChoice, SparseMatrix, fit,
};

use crate::golden::{Comparison, Fixture, RunOutput, Triplets, compare_run, flat_numbers, integers};

/// Runs `ntf`.
pub(super) fn run(fixture: &Fixture, comparison: &mut Comparison) -> Result<()> {
    let problem = fixture.problem()?;
    let shape = integers(problem.field("shape")?)?;
    let [n, p, q] = shape[..] else { anyhow::bail!("{shape:?} is not the shape of a stack of images") };
    let (n, p, q) = (usize::try_from(n)?, usize::try_from(p)?, usize::try_from(q)?);
    let mut values = Vec::with_capacity(n * p * q);
    for image in problem.field("T")?.as_array().context("T is no list of images")? {
        values.extend(flat_numbers(image)?);
    }
    let x = Matrix::from_vec(n, p * q, values)?;
    let settings = Settings {
        solver: SolverChoice::Mu,
        init: Init::Given(vec![
            (Slot::Codes, fixture.init("W")?),
            (Slot::ImageRows, fixture.init("U")?),
            (Slot::ImageColumns, fixture.init("V")?),
        ]),
        tolerance: 0.0,
        ..Settings::new(problem.rank()?)
    };
    let at = |iterations| Settings { max_iterations: iterations, ..settings.clone() };
    let model = Model::ntf((p, q));
    let entries = Triplets::of(&x).entries.into_iter().map(|(i, j, v)| (i as u32, j as u32, v)).collect();
    let (sparse, _) = SparseMatrix::from_triplets(n, p * q, entries)?;
    let dense = DenseMatrix::from_matrix(x)?;
    for (name, data) in [("dense", &dense as &dyn DataMatrix<f64>), ("sparse", &sparse)] {
        comparison.variant(name);
        compare_run(fixture, comparison, |iterations| Ok(output(fit(data, &model, &at(iterations))?)))?;
    }
    Ok(())
}

fn output(fit: Fit<f64>) -> RunOutput {
    let name = |slot| if slot == Slot::ImageRows { "U" } else { "V" };
    let further = fit.further.into_iter().map(|(slot, factor)| (name(slot), factor));
    RunOutput {
        objectives: fit.history.iter().map(|iteration| iteration.objective).collect(),
        factors: [("W", fit.codes)].into_iter().chain(further).collect(),
    }
}
