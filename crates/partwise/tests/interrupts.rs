//! Promise: an interrupt ends work, also inside of an iteration, a start or a recipe, on any number of
//! threads; work that nobody interrupts is the same to the bit.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::facts::Facts;
use std::thread;
use std::time::Duration;

use common::number;
use partwise::graphs::{NeighbourGraph, neighbour_graph};
use partwise::guidance::{Advice, Guidance, LabelRule, Strength};
use partwise::recipes::{StrengthRule, auto_scale_observed, scaled, search_strength_observed, sweep};
use partwise::{DenseMatrix, Init, Interrupt, Interrupted, Labels, Loss, Matrix, Model, Settings, fit};

fn data(n: usize, d: usize) -> DenseMatrix<'static, f64> {
    DenseMatrix::from_matrix(Matrix::from_fn(n, d, |i, j| number(3, i * 1000 + j))).unwrap()
}

/// Asks for the end of work that would take much longer. How soon it ends is measured in Python's tests, in
/// CPU time of a process of its own.
fn ends<R>(work: impl FnOnce() -> R) {
    let interrupt = Interrupt::default();
    let other = interrupt.clone();
    let request = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        other.request();
    });
    let result = interrupt.run(work);
    assert_eq!(result.err(), Some(Interrupted), "the work was done before the request");
    request.join().unwrap();
}

#[test]
fn one_long_iteration_ends() {
    let x = data(20_000, 1_000);
    for threads in [1, 3] {
        let settings = Settings { max_iterations: 1, threads, init: Init::Random, ..Settings::new(300) };
        ends(|| fit(&x, &Model::nmf(), &settings));
    }
}

#[test]
fn starts_and_graphs_end() {
    let x = data(20_000, 400);
    let settings = Settings { init: Init::Nndsvd, ..Settings::new(300) };
    ends(|| fit(&x, &Model::nmf(), &settings));
    ends(|| neighbour_graph(&x, &NeighbourGraph::default()));
}

/// What a search had found is known to whoever asked for it, though the search itself is thrown away.
#[test]
fn searches_for_a_strength_and_sweeps_end_and_what_they_found_was_said() {
    let x = data(2_000, 40);
    let classes: Vec<i32> = (0..2_000).map(|i| if i < 40 { i % 4 } else { -1 }).collect();
    let labels = Labels::from_integers(&classes).unwrap();
    let facts = Facts { labels: Some(labels.clone()), ..Facts::default() };
    let (model, rule) =
        (facts.model("ws-nmf"), StrengthRule { max_steps: 1_000_000, ..StrengthRule::default() });
    // Every strength holds all labels at this threshold, so that the search goes on.
    let rule = StrengthRule { threshold: f64::MIN_POSITIVE, factor: 0.999_999, ..rule };
    let settings = Settings { max_iterations: 20, tolerance: 0.0, ..Settings::new(4) };
    let mut found = Vec::new();
    ends(|| search_strength_observed(&x, &model, &settings, &rule, &mut |strength, _| found.push(strength)));
    assert!(found.iter().all(|strength| *strength > 0.0));
    let labels = Advice::Labels { labels, rule: LabelRule::Components, strength: Strength::FIRM };
    let guidance = Guidance::default().with(labels);
    let many: Vec<f64> = (1..1_000_000).map(f64::from).collect();
    ends(|| sweep(&x, &guidance, Loss::Frobenius, &settings, &many));
    let at = |scale| scaled(&guidance, scale);
    ends(|| auto_scale_observed(&x, &at, Loss::Frobenius, &settings, &rule, &mut |_| ()));
}

#[test]
fn work_that_nobody_interrupts_is_the_same_and_an_interrupt_ends_with_its_run() {
    let x = data(300, 40);
    let settings = Settings { max_iterations: 5, ..Settings::new(4) };
    let interrupt = Interrupt::default();
    let watched = interrupt.run(|| fit(&x, &Model::nmf(), &settings)).unwrap().unwrap();
    let bare = fit(&x, &Model::nmf(), &settings).unwrap();
    assert_eq!(watched.codes.as_slice(), bare.codes.as_slice());
    interrupt.request();
    assert!(interrupt.is_requested() && interrupt.run(|| ()).is_err());
    // Outside of its run it is not listened to.
    assert!(fit(&x, &Model::nmf(), &settings).is_ok());
}

#[test]
#[should_panic(expected = "a fault of the work itself")]
fn a_panic_stays_a_panic() {
    let _ = Interrupt::default().run(|| panic!("a fault of the work itself"));
}
