//! Weakly supervised NMF (`wsnmf`, `wsnmf_soft`, `wsnmf_beta_search`): the paper's alternation, by block
//! principal pivoting.

use anyhow::{Context, Result};
use partwise::internals::terms::RowAnchor;
use partwise::recipes::{StrengthRule, search_strength};
use partwise::{
    Advice, AnchorScale, CodeReference, ComponentReference, DenseMatrix, Guidance, Init, Labels, Matrix,
    MethodOptions, Model, Settings, Slot, SolverChoice, Strength, fit,
};

use super::nmf::{both_formats, output, settings};
use crate::golden::{Comparison, Fixture, compare_run, integers, matrix};

/// Runs `wsnmf` and `wsnmf_soft`.
pub(super) fn run(fixture: &Fixture, comparison: &mut Comparison) -> Result<()> {
    let reference = fixture.data_matrix("W_ref")?;
    let weight = fixture.data_vector("m_W")?;
    let codes = CodeReference { reference: reference.clone(), weight: weight.clone() };
    let components =
        ComponentReference { reference: fixture.data_matrix("H_ref")?, weight: fixture.data_vector("m_H")? };
    let guidance = Guidance::from(Advice::CodeReference(codes)).with(Advice::ComponentReference(components));
    let model = alternating(guidance);
    let settings = settings(fixture, SolverChoice::Bpp, Slot::Components)?;
    let at = |iterations| Settings { max_iterations: iterations, ..settings.clone() };
    let squared = weight.iter().map(|m| m * m).collect();
    let anchor = RowAnchor::new(Slot::Codes, reference, squared, AnchorScale::Alternating);
    let with_scales = |fit: partwise::Fit<f64>| -> Result<_> {
        let scales = anchor.scales(&fit.codes);
        let mut output = output(fit);
        output.factors.push(("d", Matrix::from_vec(scales.len(), 1, scales)?));
        Ok(output)
    };
    let (dense, sparse) = both_formats(fixture)?;
    comparison.variant("dense");
    compare_run(fixture, comparison, |iterations| with_scales(fit(&dense, &model, &at(iterations))?))?;
    for (iterations, expected) in fixture.expected_projected_gradient_norms()? {
        let got = fit(&dense, &model, &at(iterations))?.kkt;
        comparison.number("projected_gradient_norm", Some(iterations), got, expected);
    }
    comparison.variant("sparse");
    compare_run(fixture, comparison, |iterations| with_scales(fit(&sparse, &model, &at(iterations))?))
}

/// The model, by the paper's alternation.
fn alternating(guidance: impl Into<Guidance>) -> Model {
    let options = MethodOptions { anchor_scale: AnchorScale::Alternating, ..MethodOptions::default() };
    Model::ws_nmf(guidance).with_options(options)
}

/// Runs `wsnmf_beta_search`: the 95 % rule.
pub(super) fn run_search(fixture: &Fixture, comparison: &mut Comparison) -> Result<()> {
    let problem = fixture.problem()?;
    let own = fixture.field(&["X"])?;
    let x = if own.is_object() || own.is_array() { matrix(own)? } else { problem.dense()? };
    let labels = Labels::from_integers(&integers(problem.field("y")?)?)?;
    // The search sets the weight; only its unit counts.
    let model = alternating(Advice::labels(labels).with_strength(Strength::Raw(1.0)));
    let settings = Settings {
        solver: SolverChoice::Bpp,
        init: Init::Custom { codes: Some(fixture.init("W")?), components: Some(fixture.init("H")?) },
        first: Some(Slot::Components),
        tolerance: 0.0,
        max_iterations: fixture.hyper("n_iter")? as usize,
        ..Settings::new(problem.rank()?)
    };
    let rule = StrengthRule {
        start: fixture.hyper("start")?,
        factor: fixture.hyper("factor")?,
        threshold: fixture.hyper("threshold")?,
        ..StrengthRule::default()
    };
    let search = search_strength(&DenseMatrix::from_matrix(x)?, &model, &settings, &rule)?;
    let expected = fixture.field(&["expected", "beta"])?.as_f64().context("expected.beta")?;
    comparison.number("beta", None, search.strength, expected);
    let trace = search.trace.iter().flat_map(|(beta, accuracy)| [*beta, *accuracy]).collect();
    let trace = Matrix::from_vec(search.trace.len(), 2, trace)?;
    comparison.matrix("trace", None, &trace, &matrix(fixture.field(&["expected", "trace"])?)?);
    Ok(())
}
