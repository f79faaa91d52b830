//! SS-NMF1 (`ssnmf1`): the similarity with links written into it, and its tri-factorization.

use anyhow::{Context, Result};
use partwise::graphs::Graph;
use serde_json::Value;

use crate::golden::{Comparison, Fixture, RunOutput, compare_run, integers, matrix};
use crate::methods::Links;
use crate::methods::ss_nmf1::{SsNmf1Settings, linked_similarity, ss_nmf1};

/// Compares the linked similarity, the objectives and the factors.
pub(super) fn run(fixture: &Fixture, comparison: &mut Comparison) -> Result<()> {
    comparison.tolerance(fixture.tolerance()?);
    let similarity = Graph::from_matrix(&matrix(fixture.problem()?.field("S")?)?)?;
    let must = pairs(fixture.field(&["data", "must"])?)?;
    let cannot = pairs(fixture.field(&["data", "cannot"])?)?;
    let links = Links::new(similarity.n_samples(), must, cannot)?;
    let linked = linked_similarity(&similarity, &links)?;
    comparison.matrix("A", None, &linked.to_matrix(), &fixture.data_matrix("A")?);
    let (memberships, core) = (fixture.init("G")?, fixture.init("T")?);
    compare_run(fixture, comparison, |iterations| {
        let settings = SsNmf1Settings { tolerance: 0.0, max_iterations: iterations };
        let found = ss_nmf1(&linked, memberships.clone(), core.clone(), &settings)?;
        Ok(RunOutput {
            objectives: found.history,
            factors: vec![("G", found.memberships), ("T", found.core)],
        })
    })
}

/// Pairs of samples.
pub(super) fn pairs(value: &Value) -> Result<Vec<(usize, usize)>> {
    let list = value.as_array().context("no list of pairs")?;
    list.iter()
        .map(|pair| {
            let pair = integers(pair)?;
            let [i, j] = pair[..] else { anyhow::bail!("{pair:?} is no pair") };
            Ok((usize::try_from(i)?, usize::try_from(j)?))
        })
        .collect()
}
