//! Graph-regularized NMF (`gnmf_binary`, `gnmf_dot`, `gnmf_heat`) and its labelled form (`semignmf`): the
//! published multiplicative updates.

use anyhow::Result;
use partwise::graphs::{Graph, NeighbourGraph, Weights, neighbour_graph};
use partwise::{Labels, Model, Settings, Slot, SolverChoice, fit};

use super::nmf::{both_formats, output, settings};
use crate::golden::{Comparison, Fixture, compare_run, integers};

/// Runs `gnmf_*` on the graph of the fixture.
pub(super) fn run(fixture: &Fixture, comparison: &mut Comparison) -> Result<()> {
    let graph = Graph::from_matrix(&fixture.data_matrix("G")?)?;
    run_model(fixture, comparison, &Model::gnmf(graph, fixture.hyper("lam")?))
}

/// Runs `semignmf`: on the graph of nearest neighbours, whose labelled pairs the model overrides.
pub(super) fn run_labelled(fixture: &Fixture, comparison: &mut Comparison) -> Result<()> {
    let neighbours = fixture.hyper("p")? as usize;
    let build = NeighbourGraph {
        neighbours,
        weights: Weights::Binary,
        isolate_zero_rows: false,
        ..NeighbourGraph::default()
    };
    let graph = neighbour_graph(&both_formats(fixture)?.0, &build)?;
    let labels = Labels::from_integers(&integers(fixture.problem()?.field("y")?)?)?;
    run_model(fixture, comparison, &Model::semi_gnmf(graph, fixture.hyper("lam")?, labels))
}

fn run_model(fixture: &Fixture, comparison: &mut Comparison, model: &Model) -> Result<()> {
    let settings = settings(fixture, SolverChoice::Mu, Slot::Components)?;
    let at = |iterations| Settings { max_iterations: iterations, ..settings.clone() };
    let (dense, sparse) = both_formats(fixture)?;
    comparison.variant("dense");
    compare_run(fixture, comparison, |iterations| Ok(output(fit(&dense, model, &at(iterations))?)))?;
    comparison.variant("sparse");
    compare_run(fixture, comparison, |iterations| Ok(output(fit(&sparse, model, &at(iterations))?)))
}
