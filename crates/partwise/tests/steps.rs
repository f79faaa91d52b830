//! Promise of NMF-DC's step by class (METHODS R3): with many labels a class it is where the published step is
//! after 200 iterations in at most 80, and with one label a class both are the same step.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::facts::Facts;
use common::number;
use partwise::{DenseMatrix, Init, Labels, Matrix, Settings, StepRule, fit};

const CLASSES: usize = 5;

/// As the paper generates data: 0.2·(class centre) + 0.8·noise, all uniform on [0, 1], divided by the largest
/// entry.
fn generated(n: usize, d: usize, seed: u64) -> DenseMatrix<'static, f64> {
    let value = |i: usize, j: usize| {
        0.2 * number(2 * seed, (i % CLASSES) * d + j) + 0.8 * number(2 * seed + 1, i * d + j)
    };
    let x = Matrix::from_fn(n, d, value);
    let largest = x.as_slice().iter().fold(0.0_f64, |largest, v| v.max(largest));
    DenseMatrix::from_matrix(Matrix::from_fn(n, d, |i, j| x.get(i, j) / largest)).unwrap()
}

/// The objective after 0, 1, 2, … iterations.
fn objectives(x: &DenseMatrix<'static, f64>, labels: &[i32], step_rule: StepRule, seed: u64) -> Vec<f64> {
    let labels = Some(Labels::from_integers(labels).unwrap());
    let facts = Facts { labels, step_rule, ..Facts::default() };
    let settings = Settings {
        init: Init::Random,
        seed,
        tolerance: 0.0,
        max_iterations: 200,
        threads: 1,
        ..Settings::new(CLASSES)
    };
    let fit = fit(x, &facts.try_model("nmf-dc").unwrap(), &settings).unwrap();
    assert_eq!((fit.solver, fit.iterations), ("nesterov-running", 200));
    fit.history.iter().map(|iteration| iteration.objective).collect()
}

#[test]
fn the_step_by_class_needs_80_iterations_for_what_the_published_step_needs_200() {
    for seed in 0..5 {
        let x = generated(600, 400, seed);
        // 60 % labelled: 72 of 120 samples of each class.
        let labels: Vec<i32> =
            (0..600).map(|i| if (i / CLASSES) % 5 < 3 { (i % CLASSES) as i32 } else { -1 }).collect();
        let published = objectives(&x, &labels, StepRule::LargestClass, seed);
        let by_class = objectives(&x, &labels, StepRule::OwnClass, seed);
        assert_eq!(published[0], by_class[0], "the same start");
        let reached = by_class.iter().position(|objective| *objective <= published[200]);
        assert!(reached.is_some_and(|iterations| iterations <= 80), "seed {seed}: {reached:?}");
    }
}

#[test]
fn with_classes_of_one_label_the_steps_are_the_same() {
    let x = generated(60, 40, 9);
    let labels: Vec<i32> = (0..60).map(|i| if i < CLASSES { i as i32 } else { -1 }).collect();
    let run = |rule| objectives(&x, &labels, rule, 1);
    assert_eq!(run(StepRule::LargestClass), run(StepRule::OwnClass));
}
