//! Promise: NMF-α keeps the machines that its labels ask for: one for two classes, one against one for more,
//! one a label; sparse data give sparse combined rows and the same fit; corrected codes have the inner
//! products of the approximation; new rows have codes that depend on nothing but the row.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::facts::{Facts, Margins};
use common::{Example, for_examples, number, product, relative_difference};
use partwise::internals::svm::{SvmSettings, train};
use partwise::internals::train_machines;
use partwise::{DataMatrix, DenseMatrix, Init, LabelSets, Labels, Matrix, Settings, Slot, fit};

/// Three classes with some features of their own, every third sample unlabelled.
fn classes(n: usize, d: usize, density: f64) -> (Matrix<f64>, Vec<i32>) {
    let class = |i: usize| i % 3;
    let x = Matrix::from_fn(n, d, |i, j| {
        let r = number(77, i * d + j);
        let own = if j % 3 == class(i) { 2.0 * density } else { 0.5 * density };
        if r < own { 1.0 + r } else { 0.0 }
    });
    (x, (0..n).map(|i| if (i / 3) % 3 == 0 { -1 } else { class(i) as i32 }).collect())
}

/// The machines of these facts.
fn machines<T: partwise::Real>(
    x: &dyn DataMatrix<T>,
    facts: &Facts,
    threads: usize,
) -> partwise::internals::Machines {
    let guidance = facts.model("nmf-alpha").guidance().clone();
    train_machines(x, &guidance, facts.margins.cost, threads).unwrap()
}

fn labelled(labels: &[i32], margins: Margins) -> Facts {
    Facts { labels: Some(Labels::from_integers(labels).unwrap()), margins, ..Facts::default() }
}

/// The rows and targets of each machine, from the definition.
fn expected_columns(x: &DenseMatrix<'_, f64>, targets: &[Vec<i8>]) -> Matrix<f64> {
    let mut s = Matrix::zeros(x.n_samples(), 2 * targets.len());
    for (t, targets_of) in targets.iter().enumerate() {
        let samples: Vec<usize> = (0..targets_of.len()).filter(|i| targets_of[*i] != 0).collect();
        let y: Vec<i8> = samples.iter().map(|i| targets_of[*i]).collect();
        let machine = train(x, &samples, &y, &SvmSettings::default()).unwrap();
        for ((i, y), alpha) in samples.iter().zip(y).zip(machine.alpha) {
            s.set(*i, if y > 0 { t } else { targets.len() + t }, alpha);
        }
    }
    s
}

#[test]
fn each_kind_of_labels_has_its_machines() {
    let (x, labels) = classes(30, 12, 0.4);
    let x = DenseMatrix::from_matrix(x).unwrap();
    let pair = |a: i32, b: i32| -> Vec<i8> {
        labels.iter().map(|l| if *l == a { 1 } else { -i8::from(*l == b) }).collect()
    };
    let all = machines(&x, &labelled(&labels, Margins::default()), 1);
    assert_eq!((all.machines, all.converged), (3, 3));
    assert!(all.largest_gap <= 1e-6);
    assert_eq!(all.support.to_matrix(), expected_columns(&x, &[pair(0, 1), pair(0, 2), pair(1, 2)]));

    let two: Vec<i32> = labels.iter().map(|l| if *l == 1 { -1 } else { *l }).collect();
    let binary = machines(&x, &labelled(&two, Margins::default()), 1);
    assert_eq!(binary.support.to_matrix(), expected_columns(&x, &[pair(0, 2)]));

    // Label 0: class 0 or 1; label 1: class 1. They replace the labels.
    let set = |l: &i32| (*l >= 0).then(|| [vec![0], vec![0, 1], vec![]][*l as usize].clone());
    let label_sets = Some(LabelSets::new(2, labels.iter().map(set).collect()).unwrap());
    let has = |label: u32| -> Vec<i8> {
        let target = |set: Vec<u32>| if set.contains(&label) { 1 } else { -1 };
        labels.iter().map(|l| set(l).map_or(0, target)).collect()
    };
    let margins = Margins { label_sets, ..Margins::default() };
    let sets = machines(&x, &labelled(&labels, margins), 1);
    assert_eq!(sets.support.to_matrix(), expected_columns(&x, &[has(0), has(1)]));
}

#[test]
fn any_number_of_threads_trains_the_same_machines() {
    let (x, labels) = classes(60, 12, 0.4);
    let (dense, sparse) = (DenseMatrix::from_matrix(x.clone()).unwrap(), common::sparse::<f64>(&x));
    for x in [&dense as &dyn DataMatrix<f64>, &sparse] {
        let train = |threads| machines(x, &labelled(&labels, Margins::default()), threads);
        let one = train(1);
        assert!(one.machines > 1 && !one.support.entries().is_empty());
        assert!([2, 7].into_iter().all(|threads| train(threads) == one));
    }
}

#[test]
fn given_coefficients_are_those_of_training() {
    let (x, labels) = classes(30, 12, 0.4);
    let x = DenseMatrix::from_matrix(x).unwrap();
    let margins = Margins { discriminative_weight: 3.0, cost: 0.2, ..Margins::default() };
    let trained = labelled(&labels, margins.clone());
    let support = Some(machines(&x, &trained, 1).support);
    let given = labelled(&labels, Margins { support, ..margins });
    let settings = Settings { max_iterations: 20, ..Settings::new(4) };
    let a = fit(&x, &trained.model("nmf-alpha"), &settings).unwrap();
    let b = fit(&x, &given.model("nmf-alpha"), &settings).unwrap();
    assert_eq!((&a.codes, &a.components, a.objective), (&b.codes, &b.components, b.objective));
    assert!(a.parts.iter().any(|(name, value)| name == "margins" && *value > 0.0), "{:?}", a.parts);
    assert_eq!(a.component_names, ["0", "1", "2", "part 4"]);
}

/// Keeping the directions is what the weight is for: the approximation of SᵀX improves, that of X pays.
#[test]
fn a_larger_weight_keeps_the_directions_better() {
    let (x, labels) = classes(60, 24, 0.3);
    let x = DenseMatrix::from_matrix(x).unwrap();
    let at = |discriminative_weight: f64| {
        let margins = Margins { discriminative_weight, ..Margins::default() };
        let settings = Settings { tolerance: 0.0, max_iterations: 400, ..Settings::new(3) };
        let fit = fit(&x, &labelled(&labels, margins).model("nmf-alpha"), &settings).unwrap();
        (fit.parts[0].1, fit.parts[1].1 / discriminative_weight)
    };
    let (weak, strong) = (at(1e-3), at(100.0));
    assert!(strong.1 < 0.5 * weak.1, "the machines' divergence: {} and {}", strong.1, weak.1);
    assert!(strong.0 > weak.0, "the data's divergence: {} and {}", strong.0, weak.0);
}

#[test]
fn sparse_data_give_the_fit_of_dense_data() {
    // Dense enough for SᵀX to fill up, and so sparse that it does not: then it is smaller than its dense
    // form.
    for (d, density, stays_sparse) in [(12, 0.4, false), (400, 0.01, true)] {
        let (x, labels) = classes(45, d, density);
        let (dense, sparse) = (DenseMatrix::from_matrix(x.clone()).unwrap(), common::sparse::<f64>(&x));
        let model = labelled(&labels, Margins::default()).model("nmf-alpha");
        for first in Slot::MAIN {
            let settings = Settings {
                init: Init::Random,
                first: Some(first),
                tolerance: 0.0,
                max_iterations: 6,
                ..Settings::new(3)
            };
            let (a, b) = (fit(&dense, &model, &settings).unwrap(), fit(&sparse, &model, &settings).unwrap());
            assert!(relative_difference(&a.codes, &b.codes) < 1e-10);
            assert!(relative_difference(&a.components, &b.components) < 1e-10);
            assert!((a.objective - b.objective).abs() < 1e-10 * a.objective);
            assert_eq!(b.working_bytes < a.working_bytes, stays_sparse, "d = {d}");
        }
    }
}

#[test]
fn corrected_codes_have_the_inner_products_of_the_approximation() {
    for_examples(12, |example: &Example| {
        let facts = Facts { margins: common::margins(example), ..Facts::default() };
        let settings = Settings { max_iterations: 5, ..Settings::new(example.k) };
        let fit = fit(&example.dense::<f64>(), &facts.model("nmf-alpha"), &settings).unwrap();
        let (corrected, p) = (fit.corrected_codes(), product(&fit.codes, &fit.components));
        assert_eq!(corrected.shape(), (example.n, example.k));
        let products = |m: &Matrix<f64>| product(m, &m.transposed());
        let difference = relative_difference(&products(&corrected), &products(&p));
        assert!(difference < 1e-12, "{example:?}: {difference}");
    });
}

#[test]
fn the_codes_of_a_new_row_depend_on_the_row_alone() {
    for_examples(12, |example: &Example| {
        let facts = Facts { margins: common::margins(example), ..Facts::default() };
        let settings = Settings { max_iterations: 5, tolerance: 0.0, ..Settings::new(example.k) };
        let x = example.dense::<f64>();
        let fit = fit(&x, &facts.model("nmf-alpha"), &settings).unwrap();
        let all = fit.transform(&x, &settings).unwrap();
        assert_eq!(all.init, "constant");
        let last = DenseMatrix::new(1, example.d, x.row(example.n - 1).to_vec()).unwrap();
        let one = fit.transform(&last, &Settings { seed: 9, ..settings }).unwrap();
        for (a, b) in one.codes.row(0).iter().zip(all.codes.row(example.n - 1)) {
            assert!((a - b).abs() <= 1e-13 * (1.0 + b.abs()), "{example:?}: {a} and {b}");
        }
    });
}
