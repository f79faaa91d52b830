//! Promise: the result does not depend on how the data are stored: dense = sparse, f32 ≈ f64, and the
//! transposed problem has the swapped factors.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Case, Example, accepted, cases, for_examples, relative_difference};
use partwise::internals::backend::{Backend, CpuBackend, Problem};
use partwise::methods::Tying;
use partwise::solvers::SolverSpec;
use partwise::{DenseMatrix, Fit, Init, Loss, Model, Settings, Slot, fit, solvers};

fn settings(example: &Example, solver: &SolverSpec, iterations: usize) -> Settings {
    Settings {
        solver: solver.choice,
        seed: example.seed,
        tolerance: 0.0,
        max_iterations: iterations,
        threads: 1,
        ..Settings::new(example.k)
    }
}

/// Calls with every case, solver, and the example as the case takes it.
fn every_fit(example: &Example, mut check: impl FnMut(&Example, &Case, &SolverSpec)) {
    for case in cases() {
        let example = case.example(example);
        case.solvers().for_each(|solver| check(&example, &case, solver));
    }
}

fn difference(a: &Fit<f64>, b: &Fit<f64>) -> f64 {
    relative_difference(&a.codes, &b.codes).max(relative_difference(&a.components, &b.components))
}

#[test]
fn dense_and_sparse_data_start_at_the_same_bits_and_agree() {
    for_examples(12, |example| {
        every_fit(example, |example, case, solver| {
            let (dense, sparse) = (example.dense::<f64>(), example.sparse::<f64>());
            let model = case.model(example);
            let start = |fit: Option<Fit<f64>>| fit.map(|fit| (fit.codes, fit.components));
            let none = settings(example, solver, 0);
            let (a, b) = (accepted(fit(&dense, &model, &none)), accepted(fit(&sparse, &model, &none)));
            if a.as_ref().is_some_and(|fit| matches!(fit.init, "labels" | "guided")) {
                // A label-aware or guided start ends with a solve, whose product with X is summed in another
                // order.
                let (a, b) = (a.unwrap(), b.unwrap());
                assert!(difference(&a, &b) < 1e-12, "{case:?}, {}, {example:?}", solver.name);
            } else {
                assert_eq!(start(a), start(b), "{case:?}, {}, {example:?}", solver.name);
            }
            let few = settings(example, solver, 5);
            let Some(a) = accepted(fit(&dense, &model, &few)) else { return };
            let b = fit(&sparse, &model, &few).unwrap();
            assert!(
                difference(&a, &b) < 1e-10,
                "{case:?}, {}, {example:?}: {}",
                solver.name,
                difference(&a, &b)
            );
            let objectives = (a.objective - b.objective).abs() / (1.0 + a.objective);
            assert!(objectives < 1e-10, "{case:?}, {}: {} and {}", solver.name, a.objective, b.objective);
        });
    });
}

#[test]
fn single_precision_follows_double_precision() {
    for_examples(24, |example| {
        // With (nearly) more components than features a minimizer is not the only one, and rounding picks
        // another.
        if 2 * example.k > example.n.min(example.d) {
            return;
        }
        every_fit(example, |example, case, solver| {
            let (narrow, wide) = (example.dense::<f32>(), example.dense::<f64>());
            // Dead components look alike through a smoothing link: a minimizer is not the only one then
            // either.
            if case.spec.takes(partwise::methods::Input::Smoothing) {
                return;
            }
            // Tied rows are fewer than the samples.
            if case.spec.tying == Tying::Labels {
                let rows = example.labels().constraint_columns().iter().max().map_or(0, |q| *q as usize + 1);
                if 2 * example.k > rows {
                    return;
                }
            }
            let model = case.model(example);
            let few = settings(example, solver, 3);
            let Some(a) = accepted(fit(&narrow, &model, &few)) else { return };
            let b = fit(&wide, &model, &few).unwrap();
            let product = |w, h| common::product(w, h);
            let difference = relative_difference(
                &product(&a.codes.cast(), &a.components.cast()),
                &product(&b.codes, &b.components),
            );
            // Single precision has 1e-7; a few updates of nearly dependent components lose three digits of
            // it.
            assert!(difference < 1e-3, "{case:?}, {}, {example:?}: {difference}", solver.name);
            let objectives = (a.objective - b.objective).abs();
            let size: f64 = example.x.as_slice().iter().map(|x| x * x).sum();
            assert!(
                objectives < 1e-4 * size,
                "{case:?}, {}: {} and {}",
                solver.name,
                a.objective,
                b.objective
            );
        });
    });
}

#[test]
fn the_transposed_problem_has_the_swapped_factors() {
    for_examples(12, |example| {
        let (w, h) = example.factors(1);
        let transposed = DenseMatrix::from_matrix(example.x.transposed()).unwrap();
        for &loss in Loss::ALL {
            for solver in solvers::ALL.iter().filter(|s| s.losses.contains(&loss)) {
                for (name, l1, l2) in common::PENALTIES {
                    let model = Model::nmf().with_loss(loss).unwrap();
                    let settings = Settings {
                        init: Init::Custom { codes: Some(w.clone()), components: Some(h.clone()) },
                        first: Some(Slot::Codes),
                        l1,
                        l2,
                        ..settings(example, solver, 5)
                    };
                    // The penalties are normalized by the other dimension, which is swapped with the factors.
                    let swapped = Settings {
                        init: Init::Custom { codes: Some(h.transposed()), components: Some(w.transposed()) },
                        first: Some(Slot::Components),
                        l1: (l1.1, l1.0),
                        l2: (l2.1, l2.0),
                        ..settings.clone()
                    };
                    let a = fit(&example.dense::<f64>(), &model, &settings).unwrap();
                    let b = fit(&transposed, &model, &swapped).unwrap();
                    let difference = relative_difference(&a.codes, &b.components.transposed())
                        .max(relative_difference(&a.components, &b.codes.transposed()));
                    assert!(difference < 1e-9, "{}, {name}, {example:?}: {difference}", solver.name);
                    assert!(
                        (a.objective - b.objective).abs() < 1e-9 * (1.0 + a.objective),
                        "{}",
                        solver.name
                    );
                }
            }
        }
    });
}

/// The number of stored zeros changes nothing.
#[test]
fn stored_zeros_are_zeros() {
    for_examples(12, |example| {
        let with = {
            let triplets = (0..example.n)
                .flat_map(|i| (0..example.d).map(move |j| (i, j)))
                .map(|(i, j)| (i as u32, j as u32, example.x.get(i, j)))
                .collect();
            partwise::SparseMatrix::from_triplets(example.n, example.d, triplets).unwrap().0
        };
        let without = example.sparse::<f64>();
        for &loss in Loss::ALL {
            let model = Model::nmf().with_loss(loss).unwrap();
            let settings = Settings { tolerance: 0.0, max_iterations: 5, ..Settings::new(example.k) };
            let (a, b) = (fit(&with, &model, &settings).unwrap(), fit(&without, &model, &settings).unwrap());
            assert!(difference(&a, &b) < 1e-10, "{example:?}");
            let (problem, start) = Problem::new(&with, &model, &settings).unwrap();
            let mut backend = CpuBackend::new(&problem, start, 1);
            backend.restrict(Slot::Codes);
            assert!(backend.objective().is_finite());
        }
    });
}
