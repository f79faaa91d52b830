//! Promise: features count as much as is said, in every solver and loss; components come back without the
//! weights, and new rows are encoded with them.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::number;
use partwise::guidance::{Advice, Guidance, LabelRule, Strength, Topic};
use partwise::recipes::guidance_report;
use partwise::{
    DenseMatrix, Error, Fit, Init, Labels, Loss, Matrix, Model, Settings, Slot, SolverChoice, SparseMatrix,
    fit,
};

const N: usize = 24;
const D: usize = 12;
const K: usize = 3;

fn data(seed: u64) -> Matrix<f64> {
    let part = |salt: u64, at: usize| number(seed ^ salt, at).powi(2);
    Matrix::from_fn(N, D, |i, j| {
        let clean: f64 = (0..K).map(|q| part(1, K * i + q) * part(2, K * j + q)).sum();
        clean + 0.2 * number(seed ^ 3, i * D + j)
    })
}

fn weights(seed: u64) -> Vec<f64> {
    (0..D).map(|j| if j % 5 == 4 { 0.0 } else { 0.1 + 4.0 * number(seed ^ 5, j) }).collect()
}

fn dense(x: &Matrix<f64>) -> DenseMatrix<'static, f64> {
    DenseMatrix::from_matrix(x.clone()).unwrap()
}

fn start(columns: &[usize]) -> Init {
    let codes = Matrix::from_fn(N, K, |i, q| 0.1 + number(11, K * i + q));
    let components = Matrix::from_fn(K, columns.len(), |q, j| 0.1 + number(12, K * columns[j] + q));
    Init::Custom { codes: Some(codes), components: Some(components) }
}

fn model(guidance: Guidance, loss: Loss) -> Model {
    let model = Model::guided(guidance);
    if loss == Loss::KullbackLeibler { model.with_loss(loss).unwrap() } else { model }
}

fn run(x: &Matrix<f64>, guidance: Guidance, loss: Loss, solver: SolverChoice, init: Init) -> Fit<f64> {
    let settings = Settings { solver, init, tolerance: 0.0, max_iterations: 40, ..Settings::new(K) };
    fit(&dense(x), &model(guidance, loss), &settings).unwrap()
}

fn product(fit: &Fit<f64>, i: usize, j: usize) -> f64 {
    (0..K).map(|q| fit.codes.get(i, q) * fit.components.get(q, j)).sum()
}

/// Σ c·loss of each entry, from its definition.
fn naive(x: &Matrix<f64>, fit: &Fit<f64>, loss: Loss, weight: impl Fn(usize, usize) -> f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..N {
        for j in (0..D).filter(|j| weight(i, *j) > 0.0) {
            let (x, y) = (x.get(i, j), product(fit, i, j));
            let part = match loss {
                Loss::Frobenius => (x - y).powi(2),
                Loss::KullbackLeibler => (if x > 0.0 { x * (x / y).ln() } else { 0.0 }) - x + y,
                other => panic!("no formula for {other:?}"),
            };
            sum += weight(i, j) * part;
        }
    }
    sum
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + b.abs())
}

const WAYS: [(Loss, SolverChoice); 5] = [
    (Loss::Frobenius, SolverChoice::Hals),
    (Loss::Frobenius, SolverChoice::Bpp),
    (Loss::Frobenius, SolverChoice::Nesterov),
    (Loss::Frobenius, SolverChoice::Mu),
    (Loss::KullbackLeibler, SolverChoice::Auto),
];

#[test]
fn weights_of_features_are_the_objective() {
    for (loss, solver) in WAYS {
        for seed in 0..3 {
            let (x, c) = (data(seed), weights(seed));
            let weighted = Advice::FeatureWeights(c.clone());
            let done = run(&x, Guidance::default().with(weighted.clone()), loss, solver, Init::Random);
            let expected = naive(&x, &done, loss, |_, j| c[j]);
            assert!(near(done.loss_value, expected, 1e-9), "{loss:?} {solver:?}: {}", done.loss_value);
            let falls = done.history.windows(2).all(|w| w[1].objective <= w[0].objective * (1.0 + 1e-9));
            assert!(falls, "{loss:?} {solver:?}");
            assert!(done.notices.iter().any(|notice| notice.code == "ignored-features"));

            let of_rows: Vec<f64> = (0..N).map(|i| 0.5 + number(seed ^ 8, i)).collect();
            let both =
                Guidance::default().with(weighted.clone()).with(Advice::SampleWeights(of_rows.clone()));
            let done = run(&x, both, loss, solver, Init::Random);
            let expected = naive(&x, &done, loss, |i, j| of_rows[i] * c[j]);
            assert!(near(done.loss_value, expected, 1e-9), "rows too, {loss:?} {solver:?}");

            let labels =
                Labels::from_integers(&(0..N as i32).map(|i| i % 3 - 1).collect::<Vec<_>>()).unwrap();
            let rule = LabelRule::SameCodes;
            let shared = Advice::Labels { labels, rule, strength: Strength::HELD };
            let done = run(&x, Guidance::default().with(weighted).with(shared), loss, solver, Init::Random);
            let expected = naive(&x, &done, loss, |_, j| c[j]);
            assert!(near(done.loss_value, expected, 1e-9), "merged rows, {loss:?} {solver:?}");
            assert_eq!(done.codes.row(1), done.codes.row(4));
        }
    }
}

#[test]
fn a_whole_weight_is_a_feature_that_comes_so_often_and_no_weight_one_that_is_not_there() {
    let times: Vec<usize> = (0..D).map(|j| [1, 3, 0, 2][j % 4]).collect();
    let columns: Vec<usize> = (0..D).flat_map(|j| vec![j; times[j]]).collect();
    let x = data(4);
    let repeated = Matrix::from_fn(N, columns.len(), |i, at| x.get(i, columns[at]));
    let all: Vec<usize> = (0..D).collect();
    for (loss, solver) in WAYS {
        let known =
            Guidance::default().with(Advice::FeatureWeights(times.iter().map(|t| *t as f64).collect()));
        let weighted = run(&x, known, loss, solver, start(&all));
        let plain = run(&repeated, Guidance::default(), loss, solver, start(&columns));
        assert!(near(weighted.objective, plain.objective, 1e-8), "{loss:?} {solver:?}");
        for i in 0..N {
            for q in 0..K {
                let (a, b) = (weighted.codes.get(i, q), plain.codes.get(i, q));
                assert!(near(a, b, 1e-6), "{loss:?} {solver:?}: codes {a} {b}");
            }
        }
        for (at, &j) in columns.iter().enumerate() {
            for q in 0..K {
                let (a, b) = (weighted.components.get(q, j), plain.components.get(q, at));
                assert!(near(a, b, 1e-6), "{loss:?} {solver:?}: components {a} {b}");
            }
        }
        assert!((0..K).all(|q| weighted.components.get(q, 2) == 0.0), "an ignored feature is 0");
    }
}

#[test]
fn only_the_ratios_of_weights_count_and_even_ones_change_nothing() {
    let names = ["a".to_string(), "b".to_string()];
    let given: Vec<i32> = (0..N as i32).map(|i| if i < 6 { i % 2 } else { -1 }).collect();
    let told = |scale: f64, c: &[f64]| {
        Guidance::new([Topic::new("a").with_seeds([0, 3]), Topic::new("b").without([1])])
            .with(Advice::labels(Labels::with_names(&given, &names).unwrap()))
            .with(Advice::FeatureWeights(c.iter().map(|c| scale * c).collect()))
    };
    let x = data(6);
    for (loss, solver) in [(Loss::Frobenius, SolverChoice::Hals), (Loss::KullbackLeibler, SolverChoice::Auto)]
    {
        for c in [weights(6), vec![1.0; D]] {
            let one = run(&x, told(1.0, &c), loss, solver, Init::Auto);
            let other = run(&x, told(1e4, &c), loss, solver, Init::Auto);
            let same = |f: &dyn Fn(usize, usize) -> (f64, f64)| {
                (0..N).all(|i| (0..D).all(|j| near(f(i, j).0, f(i, j).1, 1e-6)))
            };
            assert!(same(&|i, j| (product(&one, i, j), product(&other, i, j))), "{loss:?}");
            if c[0] == 1.0 && c[4] == 1.0 {
                let mut plain = told(1.0, &c);
                plain.advice_mut().pop();
                let plain = run(&x, plain, loss, solver, Init::Auto);
                assert!(same(&|i, j| (product(&one, i, j), product(&plain, i, j))), "{loss:?}: even weights");
            }
        }
    }
}

#[test]
fn new_rows_are_encoded_at_the_weights() {
    let (x, c) = (data(7), weights(7));
    for loss in [Loss::Frobenius, Loss::KullbackLeibler] {
        let known = Guidance::default().with(Advice::FeatureWeights(c.clone()));
        let done = run(&x, known, loss, SolverChoice::Auto, Init::Random);
        assert_eq!(done.encoding().feature_weights.as_ref(), Some(&c));
        // What an ignored feature holds changes nothing.
        let new = Matrix::from_fn(N, D, |i, j| if c[j] == 0.0 { 7.0 } else { x.get(N - 1 - i, j) });
        let how = Settings { max_iterations: 4000, tolerance: 0.0, ..Settings::new(K) };
        let found = done.transform(&dense(&new), &how).unwrap();
        assert_eq!(found.components, done.components);
        for i in 0..N {
            for q in 0..K {
                let gradient: f64 = (0..D)
                    .map(|j| {
                        let (h, x, y) = (done.components.get(q, j), new.get(i, j), product(&found, i, j));
                        c[j] * h
                            * if loss == Loss::Frobenius {
                                y - x
                            } else if y > 0.0 {
                                1.0 - x / y
                            } else {
                                0.0
                            }
                    })
                    .sum();
                let w = found.codes.get(i, q);
                assert!(gradient > -1e-4 && (w * gradient).abs() < 1e-4, "{loss:?}: {w} {gradient}");
            }
        }
    }
}

#[test]
fn references_come_back_and_are_reported_as_the_data_weigh_them() {
    let (x, c) = (data(9), weights(9).iter().map(|c| c + 0.5).collect::<Vec<f64>>());
    let profile = Matrix::from_fn(1, D, |_, j| 0.1 + number(31, j));
    let told = |strength| {
        Guidance::default().with(Advice::FeatureWeights(c.clone())).with(Advice::References {
            names: vec!["old".into()],
            profiles: profile.clone(),
            strength,
        })
    };
    let held = run(&x, told(Strength::HELD), Loss::Frobenius, SolverChoice::Hals, Init::Auto);
    for j in 0..D {
        assert!(near(held.components.get(0, j), profile.get(0, j), 1e-12), "feature {j}");
    }
    let settings = Settings { solver: SolverChoice::Hals, ..Settings::new(K) };
    let report = guidance_report(&dense(&x), &told(Strength::HELD), &held, &settings).unwrap();
    assert_eq!(report.agreement(), 1.0);
    // Pulled, the cosine that counts is that of the weighted profiles.
    let pulled = run(&x, told(Strength::Relative(0.99)), Loss::Frobenius, SolverChoice::Hals, Init::Auto);
    let dot =
        |a: &dyn Fn(usize) -> f64, b: &dyn Fn(usize) -> f64| (0..D).map(|j| c[j] * a(j) * b(j)).sum::<f64>();
    let (h, r) = (|j: usize| pulled.components.get(0, j), |j: usize| profile.get(0, j));
    let cosine = dot(&h, &r) / (dot(&h, &h) * dot(&r, &r)).sqrt();
    assert!(cosine > 0.99, "{cosine}");
}

#[test]
fn sparse_data_give_the_same() {
    let (x, c) = (data(10), weights(10));
    let thin = Matrix::from_fn(N, D, |i, j| if (i + j) % 3 == 0 { 0.0 } else { x.get(i, j) });
    let (mut offsets, mut places, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..N {
        for (j, value) in thin.row(i).iter().enumerate().filter(|(_, v)| **v != 0.0) {
            places.push(j as u32);
            values.push(*value);
        }
        offsets.push(places.len());
    }
    let sparse = SparseMatrix::new(N, D, offsets, places, values).unwrap();
    let known = || Guidance::default().with(Advice::FeatureWeights(c.clone()));
    let settings = Settings { tolerance: 0.0, max_iterations: 20, ..Settings::new(K) };
    let one = fit(&dense(&thin), &Model::guided(known()), &settings).unwrap();
    let other = fit(&sparse, &Model::guided(known()), &settings).unwrap();
    assert!(near(one.objective, other.objective, 1e-9));
    let given =
        Init::Given(vec![(Slot::Codes, one.codes.clone()), (Slot::Components, one.components.transposed())]);
    let again = fit(&sparse, &Model::guided(known()), &Settings { init: given, ..settings }).unwrap();
    // A start is taken as components come back: without the weights.
    assert!(again.history[0].objective <= one.objective * (1.0 + 1e-6), "{}", again.history[0].objective);
}

#[test]
fn wrong_weights_are_refused_with_what_is_valid() {
    let fails = |weights: Vec<f64>| {
        let known = Guidance::default().with(Advice::FeatureWeights(weights));
        fit(&dense(&data(0)), &Model::guided(known), &Settings::new(K)).unwrap_err()
    };
    let mut negative = vec![1.0; D];
    negative[5] = -1.0;
    for (weights, parts) in [
        (vec![1.0; 3], &["one for each of the 12 features", "3"][..]),
        (negative, &["the weight of feature 5", "-1", "0 or more"]),
        (vec![0.0; D], &["above 0"]),
    ] {
        let message = fails(weights).to_string();
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    }
    let twice = Guidance::default()
        .with(Advice::FeatureWeights(vec![1.0; D]))
        .with(Advice::FeatureWeights(vec![1.0; D]));
    let error = fit(&dense(&data(0)), &Model::guided(twice), &Settings::new(K)).unwrap_err();
    assert!(matches!(&error, Error::Guidance(said) if said.contains("twice")), "{error}");
}
