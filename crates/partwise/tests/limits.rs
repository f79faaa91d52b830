//! Promise: guidance that says nothing changes nothing. With strength 0, weights 0, no labels, or one label a
//! class, a fit has the same bits as plain NMF with the same solver, start and order.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::facts::{Facts, Margins};
use common::{Example, for_examples, number};
use partwise::graphs::Graph;
use partwise::{
    AnchorScale, CodeReference, ComponentReference, Fit, Labels, Loss, Matrix, Model, Settings, Slot,
    SupportVectors, fit, solvers,
};

fn settings(example: &Example, solver: &solvers::SolverSpec, first: Slot) -> Settings {
    Settings {
        solver: solver.choice,
        init: example.start(1),
        first: Some(first),
        tolerance: 0.0,
        max_iterations: 6,
        ..Settings::new(example.k)
    }
}

/// Everything but the notices and names.
fn bits(fit: &Fit<f64>) -> (Vec<u64>, Vec<u64>, Vec<u64>) {
    let bits = |values: &mut dyn Iterator<Item = f64>| values.map(f64::to_bits).collect::<Vec<u64>>();
    (
        bits(&mut fit.codes.as_slice().iter().copied()),
        bits(&mut fit.components.as_slice().iter().copied()),
        bits(&mut fit.history.iter().map(|i| i.objective)),
    )
}

/// Labels with one sample a class, at random positions.
fn one_label_a_class(example: &Example) -> Labels {
    let mut labels = vec![-1; example.n];
    for class in 0..example.k.min(3) {
        let free: Vec<usize> = (0..example.n).filter(|i| labels[*i] < 0).collect();
        labels[free[(number(example.seed ^ 0x0e, class) * free.len() as f64) as usize]] = class as i32;
    }
    Labels::from_integers(&labels).unwrap()
}

fn check(example: &Example, loss: Loss, models: &[(&str, Model)]) {
    for solver in solvers::ALL.iter().filter(|s| s.monotone && s.losses.contains(&loss)) {
        for first in Slot::MAIN {
            let settings = settings(example, solver, first);
            let plain = Model::nmf().with_loss(loss).unwrap();
            let expected = fit(&example.dense::<f64>(), &plain, &settings).unwrap();
            let of_sparse = fit(&example.sparse::<f64>(), &plain, &settings).unwrap();
            for (name, model) in models {
                let got = fit(&example.dense::<f64>(), model, &settings).unwrap();
                assert!(
                    bits(&got) == bits(&expected),
                    "{name}, {}, {first:?} first, {example:?}",
                    solver.name
                );
                let got = fit(&example.sparse::<f64>(), model, &settings).unwrap();
                assert!(bits(&got) == bits(&of_sparse), "{name}, sparse, {}, {example:?}", solver.name);
            }
        }
    }
}

#[test]
fn labels_that_say_nothing_leave_nmf() {
    for_examples(16, |example| {
        let none = Labels::from_integers(&vec![-1; example.n]).unwrap();
        for &loss in Loss::ALL {
            let cnmf = |labels: &Labels| Model::cnmf(labels.clone()).with_loss(loss).unwrap();
            let named = Model::nmf().with_loss(loss).unwrap().with_labels(example.labels());
            check(
                example,
                loss,
                &[
                    ("no labels", cnmf(&none)),
                    ("one label a class", cnmf(&one_label_a_class(example))),
                    ("labels for the start and the names only", named),
                ],
            );
        }
    });
}

#[test]
fn margins_without_weight_leave_nmf() {
    for_examples(16, |example| {
        let weightless = |margins| Margins { discriminative_weight: 0.0, ..margins };
        let given = Facts { margins: weightless(common::margins(example)), ..Facts::default() };
        let two: Vec<i32> = (0..example.n).map(|i| i.min(2) as i32 - 1).collect();
        let trained = Facts {
            labels: Some(Labels::from_integers(&two).unwrap()),
            margins: weightless(Margins::default()),
            ..Facts::default()
        };
        let none = SupportVectors::from_matrix(&Matrix::zeros(example.n, 0)).unwrap();
        let none = Margins { support: Some(none), ..Margins::default() };
        let nothing = Facts { margins: none, ..Facts::default() };
        check(
            example,
            Loss::KullbackLeibler,
            &[
                ("weight 0 of given coefficients", given.model("nmf-alpha")),
                ("weight 0 of machines", trained.model("nmf-alpha")),
                ("no machine", nothing.model("nmf-alpha")),
            ],
        );
    });
}

#[test]
fn references_without_weight_leave_nmf() {
    for_examples(16, |example| {
        for scale in [AnchorScale::Fixed, AnchorScale::Alternating, AnchorScale::Joint] {
            let labelled = Facts {
                labels: Some(example.labels()),
                strength: 0.0,
                anchor_scale: scale,
                ..Facts::default()
            };
            let known = example.k.div_ceil(2);
            let referenced = Facts {
                code_reference: Some(CodeReference {
                    reference: example.positive(example.n, example.k, 8),
                    weight: vec![0.0; example.n],
                }),
                component_reference: Some(ComponentReference {
                    reference: example.positive(known, example.d, 9),
                    weight: vec![0.0; known],
                }),
                anchor_scale: scale,
                ..Facts::default()
            };
            let none = Facts {
                labels: Some(Labels::from_integers(&vec![-1; example.n]).unwrap()),
                anchor_scale: scale,
                ..Facts::default()
            };
            let weightless = Facts { labels: Some(example.labels()), label_weight: 0.0, ..Facts::default() };
            let models = [
                ("label weight 0", weightless.model("ssnmf")),
                ("strength 0", labelled.model("ws-nmf")),
                ("weights 0", referenced.model("ws-nmf")),
                ("no labels", none.model("ws-nmf")),
            ];
            if scale == AnchorScale::Joint {
                // Multiplicative updates refuse the joint scale whatever its weights are.
                check_without_mu(example, &models);
            } else {
                check(example, Loss::Frobenius, &models);
            }
        }
    });
}

#[test]
fn a_graph_without_weight_or_edges_leaves_nmf() {
    for_examples(16, |example| {
        let empty = Graph::from_entries(example.n, &[]).unwrap();
        let models = [
            ("weight 0", Model::gnmf(example.graph(), 0.0)),
            ("weight 0, labels", Model::semi_gnmf(example.graph(), 0.0, example.labels())),
            ("no edges", Model::gnmf(empty.clone(), 3.0)),
            ("no edges, one label a class", Model::semi_gnmf(empty, 3.0, one_label_a_class(example))),
        ];
        check(example, Loss::Frobenius, &models);
    });
}

fn check_without_mu(example: &Example, models: &[(&str, Model)]) {
    for solver in solvers::ALL.iter().filter(|s| s.monotone && !s.needs_non_negative) {
        let settings = settings(example, solver, Slot::Components);
        let expected = fit(&example.dense::<f64>(), &Model::nmf(), &settings).unwrap();
        for (name, model) in models {
            let got = fit(&example.dense::<f64>(), model, &settings).unwrap();
            assert!(bits(&got) == bits(&expected), "{name}, {}, {example:?}", solver.name);
        }
    }
}
