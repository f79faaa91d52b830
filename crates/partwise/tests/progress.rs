//! Promise: a fit ends where nothing moves any more: the last 50 iterations together lowered the objective by
//! less than a ten-thousandth of it. What is left is small, whatever the scale of the data, the solver, the
//! method and the loss; a tolerance of 0 never ends it.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod known;

mod common;

use common::facts::Facts;
use known::Draw;
use partwise::guidance::{Advice, Guidance};
use partwise::{
    DenseMatrix, Init, Labels, Loss, Matrix, Model, Settings, SolverChoice, StopReason, fit, solvers,
};

const N: usize = 60;
const D: usize = 30;
const K: usize = 5;

/// Counts of mixtures of topics, with noise.
fn counts(scale: f64) -> Matrix<f64> {
    let mut draw = Draw(4);
    let topics = Matrix::from_fn(K, D, |_, _| draw.number().powi(6));
    let mix = Matrix::from_fn(N, K, |_, _| draw.number().powi(4));
    Matrix::from_fn(N, D, |i, j| {
        let mean: f64 = (0..K).map(|c| mix.get(i, c) * topics.get(c, j)).sum();
        scale * (12.0 * mean * (0.3 + 1.4 * draw.number())).round()
    })
}

fn labels() -> Labels {
    let classes: Vec<i32> = (0..N).map(|i| if i < 12 { (i % 4) as i32 } else { -1 }).collect();
    Labels::from_integers(&classes).unwrap()
}

/// Methods of several kinds, with the losses that they have.
fn models() -> Vec<Model> {
    let known = || Facts { labels: Some(labels()), ..Facts::default() };
    let guided = || Model::guided(Guidance::default().with(Advice::labels(labels())));
    let divergence = |model: Model| model.with_loss(Loss::KullbackLeibler).unwrap();
    vec![
        Model::nmf(),
        divergence(Model::nmf()),
        Model::cnmf(labels()),
        divergence(Model::cnmf(labels())),
        known().model("ws-nmf"),
        known().model("ssnmf"),
        guided(),
        divergence(guided()),
    ]
}

fn name(model: &Model) -> String {
    format!("{} {}", model.spec().name, model.loss().name())
}

#[test]
fn the_defaults_end_near_a_long_run() {
    let x = DenseMatrix::from_matrix(counts(1.0)).unwrap();
    let mut early = 0;
    for model in models() {
        for solver in solvers::ALL.iter().filter(|s| s.losses.contains(&model.loss())) {
            let settings = Settings { solver: solver.choice, threads: 1, ..Settings::new(K) };
            let Ok(found) = fit(&x, &model, &settings) else { continue };
            let long = Settings { max_iterations: 3000, tolerance: 0.0, ..settings };
            let long = fit(&x, &model, &long).unwrap();
            let label = format!("{}, {}", name(&model), solver.name);
            let excess = found.relative_error / long.relative_error - 1.0;
            let ended = found.stop == StopReason::NoProgress;
            assert!(!ended || excess < 4e-3, "{label}: {excess:.1e} above a long run");
            let limited = found.stop == StopReason::IterationLimit;
            assert!(
                !limited || excess < 4e-3 || found.still_improving().is_some(),
                "{label}: {excess:.1e}, in silence"
            );
            let same = (0..found.history.len())
                .all(|at| found.history[at].objective.to_bits() == long.history[at].objective.to_bits());
            assert!(same, "{label}: the rule changes what it watches");
            assert!(found.stop != StopReason::PrecisionFloor, "{label}");
            if found.stop == StopReason::NoProgress {
                early += 1;
                let at = |back: usize| found.history[found.iterations - back].objective;
                assert!(at(50) - at(0) < 1e-4 * at(0), "{label}");
                let before = |back: usize| found.history[found.iterations - 1 - back].objective;
                assert!(
                    found.iterations == 50 || before(50) - before(0) >= 1e-4 * before(0) || !solver.monotone,
                    "{label}: it stops at the first iteration that meets the rule"
                );
                assert!(found.still_improving().is_none());
            }
        }
    }
    assert!(early >= 5, "{early} fits ended by the rule");
}

#[test]
fn the_scale_of_the_data_does_not_matter() {
    // The norm of SSNMF's gradient has parts of several units.
    for model in models().into_iter().filter(|model| model.spec().name != "ssnmf") {
        let run = |scale: f64| {
            let x = DenseMatrix::from_matrix(counts(scale)).unwrap();
            let found = fit(&x, &model, &Settings { threads: 1, ..Settings::new(K) }).unwrap();
            (found.iterations, found.stop)
        };
        // Powers of two leave every bit but the exponent.
        assert_eq!(run(1.0), run(2.0f64.powi(16)), "{}", name(&model));
        assert_eq!(run(1.0), run(2.0f64.powi(-16)), "{}", name(&model));
    }
}

#[test]
fn a_tolerance_of_zero_runs_to_the_limit_and_a_small_one_runs_longer() {
    let x = DenseMatrix::from_matrix(counts(1.0)).unwrap();
    for model in models() {
        let run = |tolerance: f64, max_iterations: usize| {
            let settings = Settings { tolerance, max_iterations, threads: 1, ..Settings::new(K) };
            fit(&x, &model, &settings).unwrap()
        };
        let never = run(0.0, 700);
        assert_eq!((never.iterations, never.stop), (700, StopReason::IterationLimit), "{}", name(&model));
        let (coarse, fine) = (run(1e-4, 5000), run(1e-6, 5000));
        assert!(coarse.stop != StopReason::IterationLimit, "{}", name(&model));
        assert!(
            fine.iterations > coarse.iterations && fine.objective <= coarse.objective,
            "{}",
            name(&model)
        );
    }
}

#[test]
fn exact_data_are_followed_to_their_end() {
    // The objective falls towards 0, so that its share of itself never ends: the gradient does.
    let mut draw = Draw(8);
    let (w, h) = (draw.matrix(30, 3, 0.3), draw.matrix(3, 20, 0.3));
    let product = Matrix::from_fn(30, 20, |i, j| (0..3).map(|c| w.get(i, c) * h.get(c, j)).sum::<f64>());
    let x = DenseMatrix::from_matrix(product).unwrap();
    for solver in [SolverChoice::Auto, SolverChoice::Hals, SolverChoice::Bpp, SolverChoice::Nesterov] {
        let settings = Settings { solver, max_iterations: 5000, threads: 1, ..Settings::new(3) };
        let found = fit(&x, &Model::nmf(), &settings).unwrap();
        assert_eq!(found.stop, StopReason::Converged, "{solver:?}");
        assert!(found.relative_error < 1e-2, "{solver:?}: {}", found.relative_error);
    }
}

#[test]
fn a_fit_from_its_own_end_ends_at_once() {
    let x = DenseMatrix::from_matrix(counts(1.0)).unwrap();
    let model = Model::nmf().with_loss(Loss::KullbackLeibler).unwrap();
    let settings = Settings { max_iterations: 5000, threads: 1, ..Settings::new(K) };
    let first = fit(&x, &model, &settings).unwrap();
    let init = Init::Custom { codes: Some(first.codes.clone()), components: Some(first.components.clone()) };
    let again = fit(&x, &model, &Settings { init, ..settings }).unwrap();
    assert!(again.iterations <= 50, "{} iterations, {:?}", again.iterations, again.stop);
}

#[test]
fn only_a_fit_that_still_gets_better_says_so() {
    let x = DenseMatrix::from_matrix(counts(1.0)).unwrap();
    let run = |max_iterations: usize, tolerance: f64| {
        let settings = Settings { max_iterations, tolerance, threads: 1, ..Settings::new(K) };
        fit(&x, &Model::nmf(), &settings).unwrap().still_improving()
    };
    assert!(run(3, 1e-4).is_some_and(|share| share > 9e-4 && share < 1.0));
    // Also where nearly nothing is left of the objective, it is no more than all of it.
    let exact = DenseMatrix::new(6, 4, (0..24).map(|at| f64::from((at / 4 + 1) * (at % 4 + 1))).collect());
    let settings = Settings { max_iterations: 30, tolerance: 0.0, threads: 1, ..Settings::new(2) };
    let share = fit(&exact.unwrap(), &Model::nmf(), &settings).unwrap().still_improving();
    assert!(share.is_none_or(|share| share <= 1.0), "{share:?}");
    assert_eq!(run(0, 1e-4), None);
    assert_eq!(run(3000, 0.0), None);
}
