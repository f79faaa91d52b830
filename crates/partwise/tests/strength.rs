//! Promise of the search for a strength: it tries start, start·factor, … for a bounded number of steps, stops
//! at the first strength that does not hold the labels, and answers with the last one that does.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::facts::Facts;
use common::for_examples;
use partwise::recipes::{StrengthRule, search_strength};
use partwise::{AnchorScale, DenseMatrix, Error, Labels, Matrix, Model, Settings, fit};

fn model(labels: Labels, scale: AnchorScale, strength: f64) -> Model {
    Facts { labels: Some(labels), anchor_scale: scale, strength, ..Facts::default() }.model("ws-nmf")
}

#[test]
fn the_trace_is_the_rule() {
    for_examples(8, |example| {
        let x = example.dense::<f64>();
        let settings = Settings { max_iterations: 20, ..Settings::new(example.k) };
        let labels = example.labels();
        for scale in [AnchorScale::Alternating, AnchorScale::Joint] {
            for max_steps in [1, 12] {
                let rule = StrengthRule { max_steps, ..StrengthRule::default() };
                let search =
                    search_strength(&x, &model(labels.clone(), scale, 7.0), &settings, &rule).unwrap();
                assert!((1..=max_steps).contains(&search.trace.len()));
                for (step, (strength, accuracy)) in search.trace.iter().enumerate() {
                    assert_eq!(*strength, rule.start * rule.factor.powi(step as i32), "{example:?}");
                    assert!((0.0..=1.0).contains(accuracy));
                    let last = step + 1 == search.trace.len();
                    assert!(last || *accuracy >= rule.threshold, "{example:?}: it went on after {accuracy}");
                }
                let holds = search.trace.iter().rev().find(|(_, accuracy)| *accuracy >= rule.threshold);
                assert_eq!(search.held, holds.is_some());
                assert_eq!(search.strength, holds.map_or(rule.start, |(strength, _)| *strength));
                // The accuracy is that of a fit with this strength.
                let (strength, accuracy) = search.trace[search.trace.len() - 1];
                let fit = fit(&x, &model(labels.clone(), scale, strength), &settings).unwrap();
                let right = (0..example.n).filter(|i| {
                    let row = fit.codes.row(*i);
                    let largest = (0..row.len()).rev().fold(0, |b, j| if row[j] >= row[b] { j } else { b });
                    labels.class(*i) == Some(largest)
                });
                assert_eq!(right.count() as f64 / labels.n_labelled() as f64, accuracy, "{example:?}");
            }
        }
    });
}

#[test]
fn labels_of_a_symmetric_method_have_a_strength_to_search() {
    let together = |i: usize, j: usize| if i % 3 == j % 3 { 1.0 } else { 0.1 };
    let x = DenseMatrix::from_matrix(Matrix::from_fn(30, 30, together)).unwrap();
    let classes: Vec<i32> = (0..30).map(|i| if i < 6 { i % 3 } else { -1 }).collect();
    let labels = Labels::from_integers(&classes).unwrap();
    for scale in [AnchorScale::Joint, AnchorScale::Alternating] {
        let facts = Facts { labels: Some(labels.clone()), anchor_scale: scale, ..Facts::default() };
        let (model, rule) = (facts.model("ws-symnmf"), StrengthRule::default());
        let found = search_strength(&x, &model, &Settings::new(3), &rule).unwrap();
        assert!(found.held && found.strength <= rule.start, "{found:?}");
    }
    let other = Facts { labels: Some(labels), ..Facts::default() }.model("cnmf");
    let refused = search_strength(&x, &other, &Settings::new(3), &StrengthRule::default());
    let Err(Error::Incompatible { valid, .. }) = refused else { panic!("it has no strength: {refused:?}") };
    assert_eq!(valid, ["method ws-nmf with labels", "method ws-symnmf with labels"]);
}

#[test]
fn without_labelled_samples_there_is_nothing_to_search() {
    for_examples(4, |example| {
        let none = Labels::from_integers(&vec![-1; example.n]).unwrap();
        let model = model(none, AnchorScale::Joint, 1.0);
        let search = search_strength(
            &example.dense::<f64>(),
            &model,
            &Settings::new(example.k),
            &StrengthRule::default(),
        );
        assert!(matches!(search, Err(Error::MissingGuidance { .. })), "{search:?}");
    });
}
