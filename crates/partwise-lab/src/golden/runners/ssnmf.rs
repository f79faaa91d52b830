//! Semi-supervised NMF (`ssnmf`): multiplicative updates of components, labels and codes.

use anyhow::Result;
use partwise::{
    DataMatrix, DenseMatrix, Fit, Init, Knowledge, LabelTargets, Model, Settings, Slot, SolverChoice,
    SparseMatrix, StrengthUnit, fit,
};

use crate::golden::{Comparison, Fixture, RunOutput, Triplets, compare_run, matrix};

/// Runs `ssnmf`.
pub(super) fn run(fixture: &Fixture, comparison: &mut Comparison) -> Result<()> {
    let known = fixture.field(&["data", "P"]).and_then(matrix).ok();
    let knowledge = Knowledge {
        label_targets: Some(LabelTargets {
            targets: fixture.data_matrix("Y")?,
            known: fixture.data_matrix("M")?,
        }),
        known_entries: known.clone(),
        label_weight: fixture.hyper("lam")?,
        strength_unit: StrengthUnit::Raw,
        ..Knowledge::default()
    };
    let model = Model::ssnmf(knowledge);
    let settings = Settings {
        solver: SolverChoice::Mu,
        init: Init::Given(vec![
            (Slot::Codes, fixture.init("W")?),
            (Slot::Components, fixture.init("H")?.transposed()),
            (Slot::Labels, fixture.init("B")?.transposed()),
        ]),
        first: Some(Slot::Components),
        tolerance: 0.0,
        ..Settings::new(fixture.problem()?.rank()?)
    };
    let at = |iterations| Settings { max_iterations: iterations, ..settings.clone() };
    let mut x = fixture.problem()?.dense()?;
    if let Some(known) = &known {
        x.as_mut_slice().iter_mut().zip(known.as_slice()).for_each(|(x, known)| *x *= known);
    }
    let entries = Triplets::of(&x).entries.into_iter().map(|(i, j, v)| (i as u32, j as u32, v)).collect();
    let (sparse, _) = SparseMatrix::from_triplets(x.rows(), x.columns(), entries)?;
    let dense = DenseMatrix::from_matrix(x)?;
    for (name, data) in [("dense", &dense as &dyn DataMatrix<f64>), ("sparse", &sparse)] {
        comparison.variant(name);
        compare_run(fixture, comparison, |iterations| Ok(output(fit(data, &model, &at(iterations))?)))?;
    }
    Ok(())
}

fn output(mut fit: Fit<f64>) -> RunOutput {
    let further = std::mem::take(&mut fit.further);
    let mut output = super::nmf::output(fit);
    output.factors.extend(further.into_iter().map(|(_, labels)| ("B", labels.transposed())));
    output
}
