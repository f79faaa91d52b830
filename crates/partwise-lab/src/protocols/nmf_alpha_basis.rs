//! NMF-α's figure 2: Cho & Saul 2011, arXiv:1112.3714: pictures of the basis for three λ.
//!
//! The paper says: on MNIST 4 against 9 larger λ (1e4 to 1e5) turn strokes that both digits share into parts
//! that tell them apart.
//!
//! It leaves open: r, the labelled share of the figure, iterations. Chosen here: a split of
//! [`super::nmf_alpha`] with 10 % labelled, r = 16, 250 iterations, the same start for every λ, ρ = 0, 1, 10.
//! λ's scale is that of S, so of the rows and of the machines' cost: with rows of mean length 1 these are
//! smaller numbers than the paper's; the row says which. λ at ρ = 1 is 31 here, where the references have
//! 6e3. Computed with a program of its own (numpy, 500 labelled of 5,000 rows): pixels / 255 have a mean
//! length of 8.9, and the same machines on them coefficients 79 times smaller, so λ = 2.5e3; on pixels / 255
//! a cost of 0.01 gives λ = 2.9e3, of 0.001 1.2e4 (at mean length 1 a cost of 1 gives 32, of 0.1 131): the
//! references' machines had a cost about four times lower. The paper's 1e4 to 1e5 are those of still lower
//! costs. ρ is free of all this. One against the other: |a − b|/(a + b) of a component's inner products with
//! the mean 4 and the mean 9 of the labelled training rows, averaged: 0 where components are as much in both.
//! Constrained k-means has a test score, and no basis.
//!
//! Reduced: 60 iterations.

use anyhow::{Context, Result};
use partwise::metrics::sparseness;
use partwise::{Loss, Model, SolverChoice};

use super::nmf_alpha::MNIST_STUDY;
use super::nmf_alpha_trial::{Study, Trial};
use super::{Case, Extent, Group, Outcome, Picture, Protocol, Row, Unit};

/// Figure 2.
pub const BASIS: Protocol = Protocol {
    name: "nmf-alpha-basis",
    title: "pictures of NMF-alpha's basis for three lambda, 4 against 9",
    paper: "Cho & Saul 2011, figure 2",
    needs: &["mnist-4-9"],
    draws: 1,
    reduced_draws: 1,
    minutes: 3.0,
    groups: &[Group { name: "bases", title: "rho = 0, 1, 10, and constrained k-means" }],
    cases: |_| vec![Case::new("4 against 9, 10 % labelled")],
    run,
    main_scores: &["test"],
    remarks: &[
        "The paper shows pictures. Compare rho, not lambda, whose scale is that of the support vectors' coefficients. Test rows are never labelled, so there is no score over \"all\".",
    ],
    ..Protocol::PLAIN
};

const RANK: usize = 16;
const SHARE: f64 = 0.1;
const MASSES: [f64; 3] = [0.0, 1.0, 10.0];

fn run(unit: &Unit<'_>) -> Result<Outcome> {
    let set = unit.library.data_set(MNIST_STUDY.set)?;
    let shape = set.image_shape.context("the samples are not images")?;
    let iterations = if unit.extent == Extent::Reduced { 60 } else { MNIST_STUDY.iterations };
    let study = Study { iterations, ..MNIST_STUDY };
    let trial = Trial::new(&study, &set, unit)?;
    let labelled = trial.labelled(SHARE);
    let support = trial.support(labelled, 0.1 * trial.raw(labelled)?.cost)?;
    let mut rows: Vec<Row> = Vec::new();
    let mut pictures: Vec<(String, Vec<Vec<f64>>)> = Vec::new();
    for mass in MASSES {
        let options = trial.alpha_options(&support, mass);
        let lambda = options.discriminative_weight;
        let fitted = if mass > 0.0 {
            trial.fit_alpha(options, RANK)?
        } else {
            trial.fit(&Model::nmf().with_loss(Loss::KullbackLeibler)?, RANK, SolverChoice::Auto)?
        };
        let name = format!("nmf-alpha, rho = {mass}, lambda = {lambda:.1e}");
        let chosen = trial.classify_codes(&trial.codes(&fitted)?, labelled)?;
        let row = trial.row(&name, &chosen, &format!("r = {RANK}"), &trial.solver("mu"));
        let basis: Vec<f64> = fitted.components.as_slice().iter().map(|v| f64::from(*v)).collect();
        let images: Vec<Vec<f64>> = basis.chunks_exact(shape.0 * shape.1).map(<[f64]>::to_vec).collect();
        let apart = trial.one_against_the_other(&images, labelled);
        rows.push(row.with([("basis sparseness", sparseness(&basis)?), ("one against the other", apart)]));
        pictures.push((name, images));
    }
    rows.push(trial.constrained(labelled)?);
    let picture = Picture {
        name: format!("basis-draw-{}", unit.draw),
        title: "Components for growing lambda".into(),
        shape,
        rows: pictures,
    };
    Ok(Outcome { rows, pictures: vec![picture] })
}
