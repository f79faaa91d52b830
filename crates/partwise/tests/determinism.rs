//! Promise: the same seed gives the same bits for any number of threads, with or without an observer or a
//! time limit; another seed gives another start.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use std::ops::ControlFlow;
use std::time::Duration;

use common::{Example, accepted, cases, for_examples, number};
use partwise::guidance::{Guidance, Topic};
use partwise::{DataMatrix, Fit, Init, Iteration, Loss, Model, Settings, fit, fit_observed};

fn bits(fit: &Fit<f64>) -> Vec<u64> {
    let numbers = [fit.objective, fit.kkt, fit.relative_error];
    let history = fit.history.iter().flat_map(|i| [i.objective, i.kkt.unwrap_or(-1.0)]);
    let further = fit.further.iter().flat_map(|(_, factor)| factor.as_slice());
    let factors = fit.codes.as_slice().iter().chain(fit.components.as_slice()).chain(further).copied();
    factors.chain(numbers).chain(history).map(f64::to_bits).collect()
}

/// Large enough that every kind of chunk occurs more than once: samples, features, solves.
fn large() -> Example {
    let mut example = Example::new(12, 4, 3, 11);
    (example.n, example.d) = (1100, 300);
    let (n, d) = (example.n, example.d);
    example.x = partwise::Matrix::from_fn(n, d, |i, j| {
        let r = number(3, i * d + j);
        if r < 0.9 { 0.0 } else { r }
    });
    example.labels = (0..n).map(|i| if i % 7 == 0 { (i % 3) as i32 } else { -1 }).collect();
    example
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let example = large();
    let dense = example.dense::<f64>();
    assert!(dense.sample_chunks().len() > 1 && dense.feature_chunks().len() > 1);
    let mut fits = 0;
    for case in cases() {
        let example = case.example(&example);
        let (dense, sparse) = (example.dense::<f64>(), example.sparse::<f64>());
        for solver in case.solvers() {
            for data in [&dense as &dyn DataMatrix<f64>, &sparse] {
                let at = |threads| {
                    let settings = Settings {
                        solver: solver.choice,
                        tolerance: 0.0,
                        max_iterations: 2,
                        threads,
                        ..Settings::new(example.k)
                    };
                    fit(data, &case.model(&example), &settings)
                };
                let Some(one) = accepted(at(1)) else { continue };
                assert_eq!(one.threads, 1);
                for threads in [2, 7] {
                    let many = at(threads).unwrap();
                    assert_eq!(many.threads, threads);
                    assert!(bits(&many) == bits(&one), "{case:?}, {}, {threads} threads", solver.name);
                }
                fits += 1;
            }
        }
    }
    assert!(fits > 20);
}

/// Sparse data store their columns for many iterations only.
#[test]
fn a_few_iterations_have_the_bits_of_a_longer_fit_that_stopped_there() {
    let example = large();
    for k in [3, 8, 70] {
        let settings = Settings { tolerance: 0.0, threads: 1, ..Settings::new(k) };
        for iterations in [0, 1, 2] {
            let mut stop = |iteration: &Iteration| match iteration.number == iterations {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            };
            let longer = fit_observed(&example.sparse::<f64>(), &Model::nmf(), &settings, &mut stop).unwrap();
            assert_eq!(longer.iterations, iterations);
            for threads in [1, 2, 7] {
                let few = Settings { max_iterations: iterations, threads, ..settings.clone() };
                let few = fit(&example.sparse::<f64>(), &Model::nmf(), &few).unwrap();
                assert!(bits(&few) == bits(&longer), "k = {k}, {iterations} iterations, {threads} threads");
            }
        }
    }
}

#[test]
fn the_seed_decides_the_start() {
    for_examples(12, |example| {
        let x = example.dense::<f64>();
        for &(name, _) in Init::NAMES {
            if ["nndsvd", "nndsvda", "exemplars", "spectral"].contains(&name) {
                // Nothing random is in these (exemplars: where each class owns one component), or they are
                // for symmetric data only.
                continue;
            }
            let at = |seed| {
                let settings = Settings {
                    init: Init::from_name(name).unwrap(),
                    seed,
                    max_iterations: 0,
                    ..Settings::new(example.k)
                };
                let model = match name {
                    "guided" => Model::guided(Guidance::new([Topic::new("one")])),
                    _ => Model::nmf().with_labels(example.labels()),
                };
                bits(&fit(&x, &model, &settings).unwrap())
            };
            assert!(at(1) == at(1), "{name}, {example:?}");
            assert!(at(1) != at(2), "{name}, {example:?}");
        }
    });
}

#[test]
fn watching_and_time_limits_change_nothing() {
    for_examples(12, |example| {
        let x = example.dense::<f64>();
        for &loss in Loss::ALL {
            let model = Model::nmf().with_loss(loss).unwrap();
            let settings = Settings { max_iterations: 10, ..Settings::new(example.k) };
            let plain = fit(&x, &model, &settings).unwrap();
            let mut seen = Vec::new();
            let mut watch = |iteration: &Iteration| {
                seen.push(*iteration);
                ControlFlow::Continue(())
            };
            let limited = Settings { time_limit: Some(Duration::from_secs(3600)), ..settings };
            let watched = fit_observed(&x, &model, &limited, &mut watch).unwrap();
            assert!(bits(&watched) == bits(&plain), "{example:?}");
            assert_eq!(seen, watched.history);
        }
    });
}

/// The rows of a random start do not depend on how many components, samples or features there are.
#[test]
fn a_start_grows_without_changing_its_directions() {
    for_examples(12, |example| {
        let x = example.dense::<f64>();
        let at = |rank| {
            let settings = Settings { init: Init::Random, max_iterations: 0, ..Settings::new(rank) };
            fit(&x, &Model::nmf(), &settings).unwrap().codes
        };
        let (small, large) = (at(example.k), at(example.k + 2));
        let ratio = ((example.k + 2) as f64 / example.k as f64).sqrt();
        for i in 0..example.n {
            for j in 0..example.k {
                let (a, b) = (small.get(i, j), large.get(i, j) * ratio);
                assert!((a - b).abs() <= 1e-14 * a, "{example:?}: row {i}, component {j}: {a} and {b}");
            }
        }
    });
}

#[test]
fn a_fit_too_small_for_threads_uses_one_where_all_may_be_used() {
    let example = Example::new(12, 4, 3, 11);
    let used = |threads| {
        let settings = Settings { threads, max_iterations: 1, ..Settings::new(example.k) };
        fit(&example.dense::<f64>(), &Model::nmf(), &settings).unwrap().threads
    };
    assert_eq!((used(0), used(1), used(3)), (1, 1, 3));
}
