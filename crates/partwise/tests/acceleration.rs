//! Promise: acceleration leaves what is found as it is and gets there in fewer iterations. The objective
//! never rises, the result is the point whose objective is reported, and any number of threads gives the same
//! bits.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::facts::Facts;
use common::{Case, Example, accepted, cases, for_examples, number};
use partwise::{Acceleration, DataMatrix, Fit, Init, Loss, Model, Real, Settings, Slot, SolverChoice, fit};

fn settings(example: &Example, acceleration: Acceleration) -> Settings {
    Settings {
        acceleration,
        tolerance: 0.0,
        max_iterations: 40,
        threads: 1,
        seed: example.seed,
        ..Settings::new(example.k)
    }
}

/// Low rank and noise: something to find, slowly.
fn parts() -> Example {
    let mut example = Example::new(12, 4, 6, 5);
    (example.n, example.d) = (150, 90);
    let (n, d, r) = (example.n, example.d, 9);
    let part = |seed, i: usize, c: usize| {
        let v = number(seed, i * r + c);
        if v < 0.5 { 0.0 } else { v }
    };
    example.x = partwise::Matrix::from_fn(n, d, |i, j| {
        (0..r).map(|c| part(1, i, c) * part(2, j, c)).sum::<f64>() + 0.05 * number(3, i * d + j)
    });
    example
}

/// Fits every model that can be accelerated; returns how many fits that were.
fn never_rises<T: Real>(example: &Example, tolerance: f64) -> usize {
    let mut fits = 0;
    for case in cases() {
        let example = &case.example(example);
        let size: f64 = example.x.as_slice().iter().map(|x| x * x).sum();
        for solver in [SolverChoice::Hals, SolverChoice::Mu] {
            let settings = Settings { solver, ..settings(example, Acceleration::On) };
            let model = case.model(example);
            let result = match fits % 2 {
                0 => fit(&example.dense::<T>(), &model, &settings),
                _ => fit(&example.sparse::<T>(), &model, &settings),
            };
            let Some(fit) = accepted(result) else { continue };
            fits += 1;
            for pair in fit.history.windows(2) {
                let (before, after) = (pair[0].objective, pair[1].objective);
                let allowed = tolerance * size.max(before.abs());
                assert!(after - before <= allowed, "{case:?}, {solver:?}: {before} to {after}; {example:?}");
            }
            let last = fit.history.last().unwrap().objective;
            let allowed = 10.0 * tolerance * size.max(last.abs());
            assert!(
                (fit.objective - last).abs() <= allowed,
                "{case:?}, {solver:?}: {last}, {}",
                fit.objective
            );
        }
    }
    fits
}

#[test]
fn the_objective_never_rises_and_is_that_of_the_result() {
    for_examples(6, |example| assert!(never_rises::<f64>(example, 1e-12) > 10));
    for_examples(2, |example| assert!(never_rises::<f32>(example, 1e-5) > 10));
}

#[test]
fn fewer_iterations_reach_what_plain_ones_reach() {
    let example = parts();
    for &loss in Loss::ALL {
        let model = Model::nmf().with_loss(loss).unwrap();
        let at = |acceleration| {
            let settings = Settings { max_iterations: 200, ..settings(&example, acceleration) };
            fit(&example.dense::<f64>(), &model, &settings).unwrap()
        };
        let (plain, fast) = (at(Acceleration::Off), at(Acceleration::Auto));
        // Within 1 % of the gain of the plain iterations from the start.
        let (start, end) = (plain.history[0].objective, plain.history.last().unwrap().objective);
        let wanted = end + 0.01 * (start - end);
        let reached = |fit: &Fit<f64>| fit.history.iter().position(|i| i.objective <= wanted).unwrap();
        assert!(
            2 * reached(&fast) <= reached(&plain) + 4,
            "{loss:?}: {} and {}",
            reached(&fast),
            reached(&plain)
        );
    }
}

/// Texts of twenty topics, whose words are as frequent as the words of a language: counts, most of them 0.
fn texts() -> Example {
    let mut example = Example::new(12, 4, 9, 8);
    let (n, d, k, length) = (500, 1200, 20, 60);
    (example.n, example.d, example.k) = (n, d, k);
    let mut counts = vec![0.0; n * d];
    for i in 0..n {
        for t in 0..length {
            let draw = |seed| number(seed, i * length + t);
            let topic = if draw(1) < 0.6 { i % k } else { (i / k) % k };
            // A word by its rank, and where the topic has it.
            let rank = (draw(2).powi(4) * d as f64) as usize;
            let word = if draw(3) < 0.6 { (rank * 7 + topic * 61) % d } else { rank };
            counts[i * d + word] += 1.0;
        }
    }
    example.x = partwise::Matrix::from_vec(n, d, counts).unwrap();
    example
}

#[test]
fn multiplied_entries_that_grow_from_next_to_nothing_are_not_waited_for() {
    fn at<T: Real>(acceleration: Acceleration, max_iterations: usize) -> f64 {
        let example = texts();
        let model = Model::nmf().with_loss(Loss::KullbackLeibler).unwrap();
        let settings = Settings { max_iterations, ..settings(&example, acceleration) };
        fit(&example.sparse::<T>(), &model, &settings).unwrap().objective
    }
    let plain = at::<f64>(Acceleration::Off, 400);
    assert!(at::<f64>(Acceleration::Auto, 100) <= plain);
    assert!(at::<f32>(Acceleration::Auto, 100) <= plain);
}

#[test]
fn zeros_of_the_start_stay_zero_under_multiplied_updates() {
    let example = texts();
    let start = |rows: usize, seed| {
        partwise::Matrix::from_fn(rows, example.k, |i, j| {
            if (i + j) % 4 == 0 { 0.0 } else { number(seed, i * example.k + j) }
        })
    };
    let (codes, components) = (start(example.n, 11), start(example.d, 12));
    for &loss in Loss::ALL {
        let init = Init::Given(vec![(Slot::Codes, codes.clone()), (Slot::Components, components.clone())]);
        let settings = Settings { init, solver: SolverChoice::Mu, ..settings(&example, Acceleration::On) };
        let found = fit(&example.sparse::<f64>(), &Model::nmf().with_loss(loss).unwrap(), &settings).unwrap();
        for i in 0..example.n {
            for j in (0..example.k).filter(|j| (i + j) % 4 == 0) {
                assert_eq!(found.codes.get(i, j), 0.0, "{loss:?}");
            }
        }
        for f in 0..example.d {
            for j in (0..example.k).filter(|j| (f + j) % 4 == 0) {
                assert_eq!(found.components.get(j, f), 0.0, "{loss:?}");
            }
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let mut example = parts();
    (example.n, example.d) = (1500, 40);
    example.x = partwise::Matrix::from_fn(1500, 40, |i, j| {
        let v = number(9, i * 40 + j);
        if v < 0.6 { 0.0 } else { v }
    });
    let (dense, sparse) = (example.dense::<f64>(), example.sparse::<f64>());
    for &loss in Loss::ALL {
        for data in [&dense as &dyn DataMatrix<f64>, &sparse] {
            let at = |threads| {
                let settings = Settings { threads, ..settings(&example, Acceleration::On) };
                let fit = fit(data, &Model::nmf().with_loss(loss).unwrap(), &settings).unwrap();
                let factors = fit.codes.as_slice().iter().chain(fit.components.as_slice()).copied();
                factors.chain(fit.history.iter().map(|i| i.objective)).map(f64::to_bits).collect::<Vec<_>>()
            };
            let one = at(1);
            for threads in [2, 7] {
                assert!(at(threads) == one, "{loss:?}, {threads} threads, {data:?}");
            }
        }
    }
}

/// Low rank, noise and labels, in a shape that is cut into several chunks of every kind.
fn large() -> Example {
    let mut example = Example::new(12, 4, 3, 11);
    (example.n, example.d) = (1100, 300);
    let (n, d, r) = (example.n, example.d, 5);
    let part = |seed, i: usize, c: usize| {
        let v = number(seed, i * r + c);
        if v < 0.7 { 0.0 } else { v }
    };
    example.x = partwise::Matrix::from_fn(n, d, |i, j| {
        let noise = number(3, i * d + j);
        let signal = (0..r).map(|c| part(1, i, c) * part(2, j, c)).sum::<f64>();
        if noise < 0.9 { signal } else { signal + 0.2 * noise }
    });
    example.labels = (0..n).map(|i| if i % 7 == 0 { (i % 3) as i32 } else { -1 }).collect();
    example
}

/// Calls `check` with every model, loss and solver that can be accelerated; returns how many there are.
fn for_accelerated(example: &Example, check: impl Fn(&str, &Model, SolverChoice, &Example)) -> usize {
    let mut found = 0;
    for case in cases() {
        let example = &case.example(example);
        for solver in [SolverChoice::Hals, SolverChoice::Mu] {
            let model = case.model(example);
            let probe = Settings { solver, max_iterations: 0, ..settings(example, Acceleration::On) };
            if accepted(fit(&example.dense::<f64>(), &model, &probe)).is_some() {
                found += 1;
                check(&format!("{case:?}, {solver:?}"), &model, solver, example);
            }
        }
    }
    found
}

#[test]
fn guided_methods_get_the_same_bits_from_any_number_of_threads() {
    let found = for_accelerated(&large(), |what, model, solver, example| {
        let (dense, sparse) = (example.dense::<f64>(), example.sparse::<f64>());
        for data in [&dense as &dyn DataMatrix<f64>, &sparse] {
            let at = |threads| {
                let settings =
                    Settings { solver, threads, max_iterations: 5, ..settings(example, Acceleration::On) };
                let fit = fit(data, model, &settings).unwrap();
                let factors = fit.codes.as_slice().iter().chain(fit.components.as_slice()).copied();
                factors.chain(fit.history.iter().map(|i| i.objective)).map(f64::to_bits).collect::<Vec<_>>()
            };
            let one = at(1);
            assert!(at(3) == one, "{what}");
        }
    });
    assert!(found > 10, "{found}");
}

#[test]
fn guided_methods_end_as_low_and_as_still_as_plain_iterations_do() {
    let mut example = Example::new(12, 4, 3, 11);
    let large = large();
    (example.n, example.d) = (90, 60);
    example.x = partwise::Matrix::from_fn(90, 60, |i, j| large.x.get(i, j));
    example.labels = large.labels[..90].to_vec();
    let found = for_accelerated(&example, |what, model, solver, example| {
        let at = |acceleration| {
            let settings = Settings { solver, max_iterations: 200, ..settings(example, acceleration) };
            fit(&example.dense::<f64>(), model, &settings).unwrap()
        };
        let (plain, fast) = (at(Acceleration::Off), at(Acceleration::On));
        let (start, first) = (plain.history[0].objective, plain.history[1].kkt.unwrap());
        // Local minima differ a little in height.
        let allowed = plain.objective + 0.02 * (start - plain.objective);
        assert!(fast.objective <= allowed, "{what}: {} beside {}", fast.objective, plain.objective);
        // Multiplicative updates are far from still after so many iterations, accelerated or not.
        let allowed = 2.0 * plain.kkt + 1e-3 * first;
        let is_still = solver == SolverChoice::Mu || fast.kkt <= allowed;
        assert!(is_still, "{what}: gradient {} beside {} of {first}", fast.kkt, plain.kkt);
    });
    assert!(found > 10, "{found}");
}

#[test]
fn a_solver_that_is_named_takes_plain_iterations() {
    let example = parts();
    for (loss, solver) in [(Loss::Frobenius, SolverChoice::Hals), (Loss::KullbackLeibler, SolverChoice::Mu)] {
        let model = Model::nmf().with_loss(loss).unwrap();
        let named = Settings { solver, ..settings(&example, Acceleration::Auto) };
        let off = settings(&example, Acceleration::Off);
        let codes = |settings: &Settings| fit(&example.dense::<f64>(), &model, settings).unwrap().codes;
        assert_eq!(codes(&named), codes(&off));
        assert_ne!(codes(&settings(&example, Acceleration::Auto)), codes(&off));
    }
}

#[test]
fn guided_divergences_are_accelerated_and_published_methods_as_published() {
    let fits = |case: &Case, acceleration| {
        let example = case.example(&Example::new(12, 4, 5, 7));
        let settings = Settings { max_iterations: 8, ..settings(&example, acceleration) };
        let fit = accepted(fit(&example.dense::<f64>(), &case.model(&example), &settings));
        fit.map(|fit| (fit.codes, fit.components, fit.objective))
    };
    let mut counts = [0, 0];
    let divergences = cases().into_iter().filter(|case| case.loss == Loss::KullbackLeibler);
    for case in divergences.filter(|case| case.spec.name != "nmf") {
        let (Some(usual), Some(off)) = (fits(&case, Acceleration::Auto), fits(&case, Acceleration::Off))
        else {
            continue;
        };
        let is_guided = case.spec.name == "guided";
        counts[usize::from(is_guided)] += 1;
        assert_eq!(usual != off, is_guided, "{case:?}");
    }
    assert!(counts[0] > 1 && counts[1] > 1, "{counts:?}");
}

#[test]
fn a_start_from_labels_takes_plain_iterations() {
    let example = parts();
    let labels = partwise::Labels::from_integers(&[0, 1, 2].repeat(50)).unwrap();
    let model = Model::nmf().with_labels(labels);
    let with = |acceleration| {
        let settings = Settings { init: Init::Labels, ..settings(&example, acceleration) };
        fit(&example.dense::<f64>(), &model, &settings).unwrap().codes
    };
    assert_eq!(with(Acceleration::Auto), with(Acceleration::Off));
}

#[test]
fn what_cannot_be_accelerated_is_refused_with_the_reason() {
    let example = parts();
    let refusal = |model: &Model, solver| {
        let settings = Settings { solver, ..settings(&example, Acceleration::On) };
        fit(&example.dense::<f64>(), model, &settings).unwrap_err().to_string()
    };
    let message = refusal(&Model::nmf(), SolverChoice::Bpp);
    assert!(message.contains("bpp") && message.contains("acceleration off"), "{message}");
    let labels = partwise::Labels::from_integers(&[0, 1, -1].repeat(50)).unwrap();
    let facts = Facts { labels: Some(labels), ..Facts::default() };
    let message = refusal(&facts.model("ssnmf"), SolverChoice::Hals);
    assert!(message.contains("other than codes and components"), "{message}");
}

#[test]
fn dense_and_sparse_forms_take_the_same_steps() {
    for &loss in Loss::ALL {
        let (example, model) = (parts(), Model::nmf().with_loss(loss).unwrap());
        let settings = Settings { max_iterations: 10, ..settings(&example, Acceleration::Auto) };
        let dense = fit(&example.dense::<f64>(), &model, &settings).unwrap();
        let sparse = fit(&example.sparse::<f64>(), &model, &settings).unwrap();
        for (a, b) in dense.history.iter().zip(&sparse.history) {
            assert!((a.objective - b.objective).abs() <= 1e-9 * a.objective, "{a:?} and {b:?}");
        }
    }
}
