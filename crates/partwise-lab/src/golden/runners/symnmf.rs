//! Symmetric NMF (`symnmf`), weakly supervised too (`wssymnmf`, `wssymnmf_soft`): the papers' alternation, by
//! block principal pivoting.

use anyhow::Result;
use partwise::{
    Advice, CodeReference, DataMatrix, DenseMatrix, Fit, Guidance, Init, MethodOptions, Model, Settings,
    SolverChoice, SparseMatrix, fit,
};

use crate::golden::{Comparison, Fixture, RunOutput, Triplets, compare_run, matrix};

/// Runs `symnmf` and `wssymnmf*`.
pub(super) fn run(fixture: &Fixture, comparison: &mut Comparison) -> Result<()> {
    let similarities = matrix(fixture.problem()?.field("S")?)?;
    let mut guidance = Guidance::default();
    let guided = fixture.method() != "symnmf";
    if guided {
        guidance = guidance.with(Advice::CodeReference(CodeReference {
            reference: fixture.data_matrix("H_ref")?,
            weight: fixture.data_vector("m")?,
        }));
    }
    let options = MethodOptions { coupling: Some(fixture.hyper("mu")?), ..MethodOptions::default() };
    let name = if guided { "ws-symnmf" } else { "symnmf" };
    let model = Model::from_name(name, guidance)?.with_options(options);
    let settings = Settings {
        solver: SolverChoice::Bpp,
        init: Init::Custom {
            codes: Some(fixture.init("H1")?),
            components: Some(fixture.init("H2")?.transposed()),
        },
        tolerance: 0.0,
        ..Settings::new(fixture.problem()?.rank()?)
    };
    let at = |iterations| Settings { max_iterations: iterations, ..settings.clone() };
    let entries = Triplets::of(&similarities).entries;
    let entries = entries.into_iter().map(|(i, j, v)| (i as u32, j as u32, v)).collect();
    let (sparse, _) = SparseMatrix::from_triplets(similarities.rows(), similarities.columns(), entries)?;
    let dense = DenseMatrix::from_matrix(similarities)?;
    for (name, data) in [("dense", &dense as &dyn DataMatrix<f64>), ("sparse", &sparse)] {
        comparison.variant(name);
        compare_run(fixture, comparison, |iterations| Ok(output(fit(data, &model, &at(iterations))?)))?;
        for (iterations, expected) in fixture.expected_projected_gradient_norms()? {
            let got = fit(data, &model, &at(iterations))?.kkt;
            comparison.number("projected_gradient_norm", Some(iterations), got, expected);
        }
    }
    Ok(())
}

fn output(fit: Fit<f64>) -> RunOutput {
    let further = fit.further.into_iter().map(|(_, scales)| ("d", scales));
    RunOutput {
        objectives: fit.history.iter().map(|iteration| iteration.objective).collect(),
        factors: [("H1", fit.codes), ("H2", fit.components.transposed())]
            .into_iter()
            .chain(further)
            .collect(),
    }
}
