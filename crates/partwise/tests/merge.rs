//! Promise: CNMF by merged rows is the published algorithm with the label-constraint matrix A, for both
//! losses; penalties on merged rows count each sample; starts that differ within a class are averaged and
//! reported.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Example, for_examples, product, relative_difference};
use partwise::{Init, Loss, Matrix, Model, Settings, Slot, SolverChoice, fit};

/// A (n × q): one column a class, then one for each unlabelled sample.
fn constraint(example: &Example) -> Matrix<f64> {
    let classes = 1 + *example.labels.iter().max().unwrap();
    let present: Vec<i32> = (0..classes).filter(|c| example.labels.contains(c)).collect();
    let mut next = present.len();
    let columns: Vec<usize> = example
        .labels
        .iter()
        .map(|label| match label {
            -1 => {
                next += 1;
                next - 1
            }
            label => present.iter().position(|c| c == label).unwrap(),
        })
        .collect();
    Matrix::from_fn(example.n, next, |i, q| f64::from(columns[i] == q))
}

/// a ∘ b / c with 0/0 := 0.
fn update(a: &Matrix<f64>, b: &Matrix<f64>, c: &Matrix<f64>) -> Matrix<f64> {
    Matrix::from_fn(a.rows(), a.columns(), |i, j| {
        let (a, b, c) = (a.get(i, j), b.get(i, j), c.get(i, j));
        if a * b == 0.0 { 0.0 } else { a * b / c }
    })
}

/// X/(AZH), 0 where X is 0.
fn ratio(x: &Matrix<f64>, p: &Matrix<f64>) -> Matrix<f64> {
    Matrix::from_fn(
        x.rows(),
        x.columns(),
        |i, j| {
            if x.get(i, j) > 0.0 { x.get(i, j) / p.get(i, j) } else { 0.0 }
        },
    )
}

/// The papers' iterations, H first, on A, Z and H as they are printed. Returns (AZ, H).
fn published(
    example: &Example,
    loss: Loss,
    mut z: Matrix<f64>,
    mut h: Matrix<f64>,
    iterations: usize,
) -> (Matrix<f64>, Matrix<f64>) {
    let (x, a) = (&example.x, constraint(example));
    let at = a.transposed();
    let ones = Matrix::from_fn(example.n, example.d, |_, _| 1.0);
    for _ in 0..iterations {
        match loss {
            Loss::Frobenius => {
                let w = product(&a, &z);
                let wt = w.transposed();
                h = update(&h, &product(&wt, x), &product(&wt, &product(&w, &h)));
                let ht = h.transposed();
                let fitted = product(&w, &h);
                z = update(&z, &product(&at, &product(x, &ht)), &product(&at, &product(&fitted, &ht)));
            }
            Loss::KullbackLeibler => {
                let w = product(&a, &z);
                let wt = w.transposed();
                h = update(&h, &product(&wt, &ratio(x, &product(&w, &h))), &product(&wt, &ones));
                let ht = h.transposed();
                let r = ratio(x, &product(&w, &h));
                z = update(&z, &product(&at, &product(&r, &ht)), &product(&at, &product(&ones, &ht)));
            }
            other => panic!("no updates for {other:?}"),
        }
    }
    (product(&a, &z), h)
}

#[test]
fn merged_rows_are_the_label_constraint_matrix() {
    for_examples(24, |example| {
        let (w, h) = example.factors(1);
        let a = constraint(example);
        let z = Matrix::from_fn(a.columns(), example.k, |q, j| {
            w.get((0..example.n).find(|i| a.get(*i, q) == 1.0).unwrap(), j)
        });
        for &loss in Loss::ALL {
            let model = Model::cnmf(example.labels()).with_loss(loss).unwrap();
            for iterations in [1, 10] {
                let settings = Settings {
                    solver: SolverChoice::Mu,
                    init: Init::Custom { codes: Some(w.clone()), components: Some(h.clone()) },
                    first: Some(Slot::Components),
                    tolerance: 0.0,
                    max_iterations: iterations,
                    ..Settings::new(example.k)
                };
                let (codes, components) = published(example, loss, z.clone(), h.clone(), iterations);
                for fit in [
                    fit(&example.dense::<f64>(), &model, &settings).unwrap(),
                    fit(&example.sparse::<f64>(), &model, &settings).unwrap(),
                ] {
                    let difference = relative_difference(&fit.codes, &codes)
                        .max(relative_difference(&fit.components, &components));
                    assert!(
                        difference < 1e-9,
                        "{loss:?}, {iterations} iterations, {example:?}: {difference}"
                    );
                }
            }
        }
    });
}

#[test]
fn samples_of_a_class_have_the_same_codes_with_every_solver() {
    for_examples(12, |example| {
        for &loss in Loss::ALL {
            let model = Model::cnmf(example.labels()).with_loss(loss).unwrap();
            for solver in partwise::solvers::ALL.iter().filter(|s| s.losses.contains(&loss)) {
                let settings =
                    Settings { solver: solver.choice, max_iterations: 8, ..Settings::new(example.k) };
                let fit = fit(&example.dense::<f64>(), &model, &settings).unwrap();
                for i in (0..example.n).filter(|i| example.labels[*i] >= 0) {
                    let first = example.labels.iter().position(|l| *l == example.labels[i]).unwrap();
                    assert_eq!(fit.codes.row(i), fit.codes.row(first), "{}, {example:?}", solver.name);
                }
            }
        }
    });
}

#[test]
fn penalties_on_merged_rows_count_each_sample() {
    for_examples(24, |example| {
        let (w, h) = example.factors(1);
        for case in common::cases().iter().filter(|case| case.spec.tying == partwise::methods::Tying::Labels)
        {
            for penalty in common::PENALTIES {
                let settings = Settings {
                    init: example.start(1),
                    max_iterations: 0,
                    l1: penalty.1,
                    l2: penalty.2,
                    ..Settings::new(example.k)
                };
                let x = example.dense::<f64>();
                let Some(fit) = common::accepted(fit(&x, &case.model(example), &settings)) else { continue };
                let naive = common::objective(example, case, &settings, &w, &h, &[]);
                let label = format!("{case:?}, penalty {}, {example:?}", penalty.0);
                assert!(
                    (fit.objective - naive).abs() < 1e-10 * naive,
                    "{label}: {} is not {naive}",
                    fit.objective
                );
                assert!(
                    (fit.history[0].objective - naive).abs() < 1e-9 * naive,
                    "{label}: the start's history"
                );
            }
        }
    });
}

#[test]
fn starts_that_differ_within_a_class_are_averaged_and_reported() {
    for_examples(12, |example| {
        let w = example.positive(example.n, example.k, 7);
        let model = Model::cnmf(example.labels());
        let settings = Settings {
            init: Init::Custom { codes: Some(w.clone()), components: None },
            max_iterations: 0,
            ..Settings::new(example.k)
        };
        let fit = fit(&example.dense::<f64>(), &model, &settings).unwrap();
        let notice = fit.notices.iter().find(|n| n.code == "start-averaged").expect("it is reported");
        assert!(notice.message.contains("start at the mean of its samples"), "{}", notice.message);
        for i in 0..example.n {
            let members: Vec<usize> = match example.labels[i] {
                -1 => vec![i],
                class => (0..example.n).filter(|m| example.labels[*m] == class).collect(),
            };
            for j in 0..example.k {
                let mean = members.iter().map(|m| w.get(*m, j)).sum::<f64>() / members.len() as f64;
                assert!((fit.codes.get(i, j) - mean).abs() < 1e-14, "{example:?}: row {i}");
            }
        }
    });
}
