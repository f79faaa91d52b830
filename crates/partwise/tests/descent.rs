//! Promise: the objective never rises by more than rounding, for every model × solver × loss × penalty that
//! goes together.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::{PENALTIES, accepted, cases, for_examples};
use partwise::{Real, Settings, fit};

/// Runs everything that goes together; returns how many fits that were.
fn run<T: Real>(example: &common::Example, tolerance: f64) -> usize {
    let mut fits = 0;
    for case in cases() {
        let example = &case.example(example);
        let size: f64 = example.x.as_slice().iter().map(|x| x * x).sum();
        let (dense, sparse) = (example.dense::<T>(), example.sparse::<T>());
        for solver in case.solvers().filter(|solver| solver.monotone) {
            for penalty in &PENALTIES {
                let settings = Settings {
                    solver: solver.choice,
                    seed: example.seed,
                    tolerance: 0.0,
                    max_iterations: 15,
                    threads: 1,
                    l1: penalty.1,
                    l2: penalty.2,
                    ..Settings::new(example.k)
                };
                let model = case.model(example);
                let result = match fits % 2 {
                    0 => fit(&dense, &model, &settings),
                    _ => fit(&sparse, &model, &settings),
                };
                let Some(fit) = accepted(result) else { continue };
                fits += 1;
                for pair in fit.history.windows(2) {
                    let rise = pair[1].objective - pair[0].objective;
                    // The objective itself is rounded too: beside large terms ‖X‖² is not its size.
                    let size = size.max(pair[0].objective.abs());
                    assert!(
                        rise <= tolerance * size,
                        "{case:?}, {}, penalty {}, {}: iteration {} rises by {rise} from {}, size {size}; {example:?}",
                        solver.name,
                        penalty.0,
                        T::NAME,
                        pair[1].number,
                        pair[0].objective,
                    );
                }
            }
        }
    }
    fits
}

#[test]
fn the_objective_never_rises_in_f64() {
    for_examples(10, |example| assert!(run::<f64>(example, 1e-12) > 100));
}

#[test]
fn the_objective_never_rises_in_f32() {
    for_examples(6, |example| assert!(run::<f32>(example, 1e-5) > 100));
}
