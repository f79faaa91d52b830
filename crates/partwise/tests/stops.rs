//! Promise: each stop reason is reached and true; the history starts at the start; the reported objective is
//! exact and the sum of its parts; planted factors are found by every solver from every start; degenerate
//! data give finite results.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use std::ops::ControlFlow;
use std::time::Duration;

use common::{Example, accepted, cases, for_examples, number, product, relative_difference};
use partwise::{
    DenseMatrix, Init, Iteration, Labels, Loss, Matrix, Model, Settings, StopReason, fit, fit_observed,
    solvers,
};

#[test]
fn each_reason_to_stop_is_reached() {
    let example = Example::new(14, 10, 3, 21);
    let x = example.dense::<f64>();
    for &loss in Loss::ALL {
        let model = Model::nmf().with_loss(loss).unwrap();
        // Under multiplicative updates an entry that should be 0 keeps its gradient until it underflows, so
        // the gradient falls little for Kullback-Leibler.
        let tolerance = if loss == Loss::Frobenius { 1e-3 } else { 0.3 };
        let plain = Settings { max_iterations: 100_000, tolerance, ..Settings::new(example.k) };
        let converged = fit(&x, &model, &plain).unwrap();
        assert_eq!(converged.stop, StopReason::Converged);
        let kkt = |i: usize| converged.history[i].kkt.unwrap();
        let last = converged.history.len() - 1;
        assert!(kkt(last) <= tolerance * kkt(1));
        assert!(
            (1..last).all(|i| kkt(i) > tolerance * kkt(1)),
            "it stops at the first that meets the tolerance"
        );

        let limited = fit(&x, &model, &Settings { max_iterations: 1, ..plain.clone() }).unwrap();
        assert_eq!((limited.stop, limited.iterations), (StopReason::IterationLimit, 1));

        let late = fit(&x, &model, &Settings { time_limit: Some(Duration::ZERO), ..plain.clone() }).unwrap();
        assert_eq!((late.stop, late.iterations), (StopReason::TimeLimit, 0));

        let mut at_one =
            |i: &Iteration| if i.number == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let observed = fit_observed(&x, &model, &plain, &mut at_one).unwrap();
        assert_eq!((observed.stop, observed.iterations), (StopReason::Observer, 1));

        let narrow = example.dense::<f32>();
        let exhausted = fit(&narrow, &model, &Settings { tolerance: 1e-30, ..plain.clone() }).unwrap();
        assert_eq!(exhausted.stop, StopReason::PrecisionFloor);
        assert!(exhausted.iterations < 100_000);
    }
}

#[test]
fn a_tolerance_of_zero_runs_to_the_limit() {
    for_examples(6, |example| {
        for &loss in Loss::ALL {
            let model = Model::nmf().with_loss(loss).unwrap();
            let settings = Settings { tolerance: 0.0, max_iterations: 300, ..Settings::new(example.k) };
            let fit = fit(&example.dense::<f32>(), &model, &settings).unwrap();
            assert_eq!((fit.iterations, fit.stop), (300, StopReason::IterationLimit), "{example:?}");
        }
    });
}

#[test]
fn the_history_begins_at_the_start_and_the_objective_is_exact() {
    for_examples(10, |example| {
        for case in cases() {
            let example = &case.example(example);
            let (w, h) = case.factors(example, 1);
            for penalty in common::PENALTIES {
                for iterations in [0, 4] {
                    let settings = Settings {
                        init: case.start(example, 1),
                        tolerance: 0.0,
                        max_iterations: iterations,
                        l1: penalty.1,
                        l2: penalty.2,
                        ..Settings::new(example.k)
                    };
                    let x = example.dense::<f64>();
                    let Some(fit) = accepted(fit(&x, &case.model(example), &settings)) else { continue };
                    let label = format!("{case:?}, penalty {}, {example:?}", penalty.0);
                    assert_eq!(fit.history.len(), iterations + 1, "{label}");
                    assert!(fit.history.iter().enumerate().all(|(i, step)| step.number == i), "{label}");
                    assert!(fit.history[0].kkt.is_none() && fit.history[1..].iter().all(|i| i.kkt.is_some()));
                    if iterations == 0 {
                        let start = case.codes(example, &w);
                        let difference = relative_difference(&fit.codes, &start);
                        assert!(difference < 1e-14, "{label}: the codes are not the start");
                        let composed = case.spec.form == partwise::methods::Form::Images;
                        assert!(composed || fit.components == case.components(example, &h), "{label}");
                    }
                    let naive = common::objective(
                        example,
                        &case,
                        &settings,
                        &fit.codes,
                        &fit.components,
                        &fit.further,
                    );
                    let close = |a: f64| (a - naive).abs() <= 1e-10 * (1.0 + naive);
                    assert!(close(fit.objective), "{label}: {} is not {naive}", fit.objective);
                    assert!(close(fit.history[iterations].objective), "{label}: the last of the history");
                    let sum: f64 = fit.parts.iter().map(|(_, value)| value).sum();
                    assert!(
                        (sum - fit.objective).abs() <= 1e-12 * (1.0 + naive),
                        "{label}: parts {:?}",
                        fit.parts
                    );
                    assert!(fit.kkt.is_finite() && fit.relative_error.is_finite());
                }
            }
        }
    });
}

/// X = W·H with a pure sample and a pure feature for each component, so that no other factors give it.
fn planted(seed: u64) -> (Matrix<f64>, Matrix<f64>, Vec<i32>) {
    let (n, d, k) = (24, 15, 3);
    let pure = |i: usize, j: usize, salt: u64| {
        if i < 2 * k { f64::from(i % k == j) } else { (number(seed ^ salt, i * k + j) - 0.3).max(0.0) }
    };
    let w = Matrix::from_fn(n, k, |i, j| pure(i, j, 1));
    let h = Matrix::from_fn(k, d, |j, f| 2.0 * pure(f, j, 2));
    (w, h, (0..n).map(|i| if i < 2 * k { (i % k) as i32 } else { -1 }).collect())
}

fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[test]
fn planted_factors_are_found_by_every_solver_from_every_start() {
    let mut found = 0;
    for seed in 0..3 {
        let (w, h, labels) = planted(seed);
        let x = DenseMatrix::from_matrix(product(&w, &h)).unwrap();
        for &loss in Loss::ALL {
            let model = Model::nmf().with_loss(loss).unwrap();
            let model = model.with_labels(Labels::from_integers(&labels).unwrap());
            for solver in solvers::ALL.iter().filter(|s| s.monotone && s.losses.contains(&loss)) {
                for &(init, _) in Init::NAMES {
                    let settings = Settings {
                        solver: solver.choice,
                        init: Init::from_name(init).unwrap(),
                        tolerance: 1e-9,
                        max_iterations: 3_000,
                        ..Settings::new(3)
                    };
                    let Some(fit) = accepted(fit(&x, &model, &settings)) else { continue };
                    let label = format!("{loss:?}, {}, {init}, seed {seed}", solver.name);
                    let error = relative_difference(&product(&fit.codes, &fit.components), &product(&w, &h));
                    assert!(error < 2e-3, "{label}: relative error {error}");
                    for c in 0..3 {
                        let best =
                            (0..3).map(|j| cosine(h.row(c), fit.components.row(j))).fold(0.0, f64::max);
                        assert!(best > 0.999, "{label}: component {c} is found to a cosine of {best}");
                    }
                    found += 1;
                }
            }
        }
    }
    assert!(found >= 3 * 5 * 6);
}

/// x of a row and column.
type Value = fn(usize, usize) -> f64;

#[test]
fn degenerate_data_give_finite_results() {
    let mut fits = 0;
    for (n, d) in [(1, 1), (1, 4), (4, 1), (5, 3)] {
        let kinds: [(&str, Value); 3] = [
            ("zeros", |_, _| 0.0),
            ("one entry", |i, j| if i == 0 && j == 0 { 3.0 } else { 0.0 }),
            ("a constant", |_, _| 2.5),
        ];
        for (kind, value) in kinds {
            for k in [1, 2, 6] {
                let mut example = Example::new(n, d, k, 9);
                example.x = Matrix::from_fn(n, d, value);
                for case in cases() {
                    let example = case.example(&example);
                    for solver in case.solvers() {
                        for &(init, _) in Init::NAMES {
                            let settings = Settings {
                                solver: solver.choice,
                                init: Init::from_name(init).unwrap(),
                                max_iterations: 30,
                                threads: 1,
                                ..Settings::new(k)
                            };
                            if ["labels", "exemplars"].contains(&init) && case.references {
                                continue;
                            }
                            let label =
                                format!("{kind} {n} x {d}, k = {k}, {case:?}, {}, {init}", solver.name);
                            // A published start copies references and may so hold zeros where X has none: it
                            // is refused then.
                            let result = fit(&example.dense::<f64>(), &case.model(&example), &settings);
                            // Starts that know nothing of the guidance may hold zeros where a profile has
                            // none: refused too.
                            let from_data =
                                ["published", "exemplars"].contains(&init) || init.starts_with("nndsvd");
                            if from_data && matches!(result, Err(partwise::Error::Start(_))) {
                                continue;
                            }
                            let Some(fit) = accepted(result) else { continue };
                            let factors = fit.codes.as_slice().iter().chain(fit.components.as_slice());
                            assert!(factors.into_iter().all(|v| v.is_finite() && *v >= 0.0), "{label}");
                            let numbers = [fit.objective, fit.kkt, fit.relative_error];
                            assert!(numbers.iter().all(|v| v.is_finite()), "{label}: {numbers:?}");
                            assert!(fit.history.iter().all(|i| i.objective.is_finite()), "{label}");
                            if case.spec.needs == "nothing" && !solver.zeros_stay && solver.monotone {
                                assert!(fit.relative_error < 1e-2, "{label}: {}", fit.relative_error);
                            }
                            fits += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(fits > 1000);
}
