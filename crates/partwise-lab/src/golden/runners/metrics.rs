//! The table `metrics.json`.

use anyhow::{Context, Result, bail};
use partwise::{Matrix, metrics};
use serde_json::Value;

use crate::golden::{Comparison, Fixture, Triplets, flat_numbers, integers, matrix};

/// Compares every metric of the table; a kind of case that is not known here fails.
pub(super) fn run(fixture: &Fixture, comparison: &mut Comparison) -> Result<()> {
    let table = fixture.value.as_object().context("no table")?;
    for (kind, content) in table {
        match kind.as_str() {
            "definitions" => {}
            "clustering" => each_case(comparison, kind, content, clustering)?,
            "hoyer" => each_case(comparison, kind, content, hoyer)?,
            "multilabel" => each_case(comparison, kind, content, multilabel)?,
            "cuts" => {
                let name = content["problem"].as_str().context("cuts.problem")?;
                let graph = Triplets::of(&matrix(fixture.problem_named(name)?.field("S")?)?);
                each_case(comparison, kind, &content["cases"], |comparison, case| {
                    cuts(comparison, case, &graph)
                })?;
            }
            "factors" => {
                comparison.variant(kind);
                let name = content["problem"].as_str().context("factors.problem")?;
                factors(comparison, content, &fixture.problem_named(name)?.dense()?)?;
            }
            _ => bail!("cases of the kind \"{kind}\" are not known"),
        }
    }
    Ok(())
}

fn each_case(
    comparison: &mut Comparison,
    kind: &str,
    cases: &Value,
    check: impl Fn(&mut Comparison, &Value) -> Result<()>,
) -> Result<()> {
    for (number, case) in cases.as_array().with_context(|| format!("{kind} has no cases"))?.iter().enumerate()
    {
        comparison.variant(format!("{kind}, case {number}"));
        check(comparison, case).with_context(|| format!("{kind}, case {number}"))?;
    }
    Ok(())
}

fn expected(case: &Value, field: &str) -> Result<f64> {
    case[field].as_f64().with_context(|| format!("{field} is no number"))
}

fn clustering(comparison: &mut Comparison, case: &Value) -> Result<()> {
    let (classes, clusters) = (integers(&case["y_true"])?, integers(&case["y_pred"])?);
    let names = [
        ("accuracy", "accuracy"),
        ("nmi_max", "nmi"),
        ("nmi_arithmetic", "nmi-arithmetic"),
        ("ari", "ari"),
        ("purity", "purity"),
    ];
    for (field, name) in names {
        let metric = metrics::ALL.iter().find(|metric| metric.name == name).context("no such metric")?;
        comparison.number(field, None, (metric.measure)(&classes, &clusters)?, expected(case, field)?);
    }
    Ok(())
}

fn hoyer(comparison: &mut Comparison, case: &Value) -> Result<()> {
    let got = metrics::sparseness(&flat_numbers(&case["V"])?)?;
    comparison.number("sparseness", None, got, expected(case, "sparseness")?);
    Ok(())
}

fn multilabel(comparison: &mut Comparison, case: &Value) -> Result<()> {
    let (truth, predicted) = (matrix(&case["Y_true"])?, matrix(&case["Y_pred"])?);
    let flags = |matrix: &Matrix<f64>| -> Vec<bool> { matrix.as_slice().iter().map(|&v| v != 0.0).collect() };
    let got = metrics::f_scores(&flags(&truth), &flags(&predicted), truth.columns())?;
    comparison.number("macro", None, got.macro_average, expected(case, "macro")?);
    comparison.number("micro", None, got.micro_average, expected(case, "micro")?);
    comparison.number("average", None, got.average, expected(case, "average")?);
    Ok(())
}

fn cuts(comparison: &mut Comparison, case: &Value, graph: &Triplets) -> Result<()> {
    let got = metrics::cuts(&graph.entries, &integers(&case["labels"])?)?;
    comparison.number("total_cut", None, got.total, expected(case, "total_cut")?);
    comparison.number("normalized_cut", None, got.normalized, expected(case, "normalized_cut")?);
    Ok(())
}

fn factors(comparison: &mut Comparison, content: &Value, data: &Matrix<f64>) -> Result<()> {
    let (codes, components) = (matrix(&content["W"])?, matrix(&content["H"])?);
    let error = metrics::relative_error(data, &codes, &components)?;
    comparison.number("relative_error", None, error, expected(content, "relative_error")?);
    let norm = metrics::projected_gradient_norm(data, &codes, &components)?;
    comparison.number("projected_gradient_norm", None, norm, expected(content, "projected_gradient_norm")?);
    let first =
        metrics::projected_gradient_norm(data, &matrix(&content["W_first"])?, &matrix(&content["H_first"])?)?;
    comparison.number(
        "projected_gradient_ratio",
        None,
        norm / first,
        expected(content, "projected_gradient_ratio")?,
    );
    Ok(())
}
