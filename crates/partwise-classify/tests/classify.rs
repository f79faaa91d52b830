//! Promise: a classification has the same bits for any number of threads, follows no scaling of the data,
//! takes sparse as dense data, says what it could not score, and refuses bad input by name.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::number;
use partwise::{DenseMatrix, Error, Labels, Matrix};
use partwise_classify::{
    CandidateGraph, Classification, ClassifySettings, Phase, Predictor, classify, classify_observed, train,
};

const N: usize = 90;
const D: usize = 20;

/// Three classes (sample i is of class i mod 3) of two kinds each, as noisy directions.
fn planted() -> Matrix<f64> {
    Matrix::from_fn(N, D, |i, j| {
        let kind = 2 * (i % 3) + (i / 3) % 2;
        let signal = if j / 3 == kind { 2.0 + number(5, j) } else { 0.0 };
        let noise = number(7, i * D + j);
        signal + if noise < 0.4 { 0.0 } else { noise }
    })
}

fn truth() -> Vec<usize> {
    (0..N).map(|i| i % 3).collect()
}

/// `counts` labels of each class, from the first sample on.
fn labels(counts: [usize; 3]) -> Labels {
    let given: Vec<i32> = (0..N).map(|i| if i / 3 < counts[i % 3] { (i % 3) as i32 } else { -1 }).collect();
    Labels::from_integers(&given).unwrap()
}

fn settings(threads: usize) -> ClassifySettings {
    ClassifySettings { threads, iterations: 10, ..ClassifySettings::default() }
}

fn found(x: &Matrix<f64>, labels: &Labels, threads: usize) -> Classification {
    classify(&DenseMatrix::from_matrix(x.clone()).unwrap(), labels, &settings(threads)).unwrap()
}

fn right(found: &Classification) -> usize {
    found.classes.iter().zip(truth()).filter(|(a, b)| **a == *b).count()
}

#[test]
fn planted_classes_of_two_kinds_each_are_found_from_two_labels_a_class() {
    let found = found(&planted(), &labels([2, 2, 2]), 1);
    assert!(right(&found) >= 85, "{} of {N} are right", right(&found));
    assert_eq!((found.folds, found.held_out), (2, 6));
    let weights: f64 = found.candidates.iter().map(|c| c.weight).sum();
    assert!((weights - 1.0).abs() < 1e-12, "the weights of the candidates sum to {weights}");
    assert!(found.candidates.iter().all(|c| c.score.is_some_and(|score| (0.0..=1.0).contains(&score))));
    assert!(found.candidates.iter().all(|c| c.agreement.is_some_and(|kappa| (-1.0..=1.0).contains(&kappa))));
    assert!(found.candidates.iter().any(|c| c.graph == CandidateGraph::Codes(3)));
    // The search ends, after the first three, at the first number of components that is no better than the
    // best, and not before.
    let mut tried: Vec<(usize, f64)> = Vec::new();
    for (graph, score) in found.candidates.iter().map(|c| (c.graph, c.score.unwrap())) {
        match (graph, tried.last_mut()) {
            (CandidateGraph::Codes(p), Some(last)) if last.0 == p => last.1 = last.1.max(score),
            (CandidateGraph::Codes(p), _) => tried.push((p, score)),
            _ => {}
        }
    }
    let all = ClassifySettings::default().components_per_class;
    let fitting = all.iter().filter(|p| **p * 3 * 4 <= N * 3).count();
    let best = (0..tried.len()).fold(0, |best, at| if tried[at].1 > tried[best].1 { at } else { best });
    assert_eq!(tried.len(), (best + 2).max(3).min(fitting), "{tried:?}");
    for i in 0..N {
        let sum: f64 = found.posteriors.row(i).iter().sum();
        assert!((sum - 1.0).abs() < 1e-12, "the posteriors of sample {i} sum to {sum}");
    }
}

#[test]
fn the_result_has_the_same_bits_for_any_number_of_threads() {
    let (x, labels) = (planted(), labels([2, 3, 2]));
    let one = found(&x, &labels, 1);
    for threads in [2, 7] {
        assert_eq!(found(&x, &labels, threads), one, "{threads} threads");
    }
}

#[test]
fn scaling_the_data_changes_nothing_nor_does_scaling_the_rows_of_many_features() {
    let labels = labels([2, 2, 2]);
    // Powers of two scale without rounding.
    let few = planted();
    let all = Matrix::from_fn(N, D, |i, j| 1024.0 * few.get(i, j));
    assert_eq!(found(&all, &labels, 1), found(&few, &labels, 1));
    let many = Matrix::from_fn(N, 120, |i, j| if j < D { few.get(i, j) } else { 0.0 });
    let rows = Matrix::from_fn(N, 120, |i, j| many.get(i, j) * if i % 2 == 0 { 1024.0 } else { 0.125 });
    let one = found(&many, &labels, 1);
    assert_eq!(one.views.len(), 1, "many features, by their directions alone");
    assert_eq!(found(&rows, &labels, 1), one);
}

/// Two classes in the same directions, one twice as long.
#[test]
fn tables_of_few_features_are_classified_by_what_lengths_say() {
    let noise = |i: usize, j: usize| 0.2 * number(11, i * 3 + j);
    let x = Matrix::from_fn(N, 3, |i, j| (1.0 + (i % 2) as f64) * (1.0 + j as f64) + noise(i, j));
    let given: Vec<i32> = (0..N).map(|i| if i < 6 { (i % 2) as i32 } else { -1 }).collect();
    let found = found(&x, &Labels::from_integers(&given).unwrap(), 1);
    let right = (0..N).filter(|i| found.classes[*i] == i % 2).count();
    assert!(right >= N - 2, "{right} of {N} are right");
    let weight = |name: &str| found.views.iter().find(|view| view.name == name).unwrap().weight;
    assert!(weight("columns") == 1.0 && weight("directions of rows") < 1.0, "{:?}", found.views);
}

/// One sample in ten is of the second class, which differs in two of four measurements.
#[test]
fn classifiers_that_assume_no_sizes_stand_beside_few_columns_and_more_samples_of_unequal_classes_are_right() {
    let n = 300;
    let class = |i: usize| usize::from(i.is_multiple_of(10));
    let row = |i: usize, j: usize| {
        let noise = number(23, i * 4 + j) + number(29, i * 4 + j) + number(31, i * 4 + j);
        [1.0, 100.0, 5.0, 0.1][j] * (noise + if j < 2 { 0.8 * class(i) as f64 } else { 0.0 })
    };
    let table =
        |first: usize| DenseMatrix::from_matrix(Matrix::from_fn(n, 4, |i, j| row(first + i, j))).unwrap();
    let given: Vec<i32> = (0..n)
        .map(|i| match (class(i), i) {
            (0, i) if i <= 5 => 0,
            (1, i) if i < 50 => 1,
            _ => -1,
        })
        .collect();
    let labels = Labels::from_integers(&given).unwrap();
    let (found, predictor) = train(&table(0), &labels, &settings(1)).unwrap();
    let names: Vec<&str> = found.views.iter().map(|view| view.name).collect();
    let simple = ["standardized columns, linear", "standardized columns, kernel"];
    assert_eq!(names, [&["directions of rows", "columns"], &simple[..]].concat());
    assert!(found.views[2..].iter().all(|member| member.score.is_some() && member.weight > 0.0));

    let parts = predictor.parts();
    let part = |name: &str| parts.iter().find(|(known, _)| known == name).map(|(_, part)| part.clone());
    let without = |name: &str| if name.starts_with("standardized/") { None } else { part(name) };
    let views_alone = Predictor::from_parts(&without).unwrap();
    let right = |predictor: &Predictor<f64>| {
        let posteriors = predictor.posteriors(&table(n), 1).unwrap();
        (0..n).filter(|i| (posteriors.get(*i, 1) > posteriors.get(*i, 0)) == (class(n + i) == 1)).count()
    };
    let (with, alone) = (right(&predictor), right(&views_alone));
    assert!(
        with > alone + n / 10,
        "{with} of {n} new rows are right with the simple classifiers, {alone} without"
    );
}

#[test]
fn sparse_data_give_what_dense_data_give() {
    let (x, labels) = (planted(), labels([2, 2, 2]));
    let dense = found(&x, &labels, 1);
    let sparse = classify(&common::sparse::<f64>(&x), &labels, &settings(1)).unwrap();
    assert_eq!(sparse.classes, dense.classes);
    let pairs = sparse.posteriors.as_slice().iter().zip(dense.posteriors.as_slice());
    let apart = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart < 1e-3, "posteriors differ by {apart}");
}

#[test]
fn labelled_samples_keep_their_class_with_unequal_counts_too() {
    let labels = labels([5, 2, 1]);
    let found = found(&planted(), &labels, 1);
    for i in (0..N).filter(|i| labels.class(*i).is_some()) {
        assert_eq!(Some(found.classes[i]), labels.class(i));
        assert_eq!(found.posteriors.get(i, found.classes[i]), 1.0);
    }
    // Three folds; all labels but the single one are held out once, and the single one is reported.
    assert_eq!((found.folds, found.held_out), (3, 7));
    let notice = found.notices.iter().find(|n| n.code == "single-label").unwrap();
    assert!(
        notice.message.contains("1 of 3 classes") && notice.message.contains(": 2;"),
        "{}",
        notice.message
    );
}

#[test]
fn without_a_label_to_hold_out_all_candidates_weigh_the_same_and_that_is_said() {
    let found = found(&planted(), &labels([1, 1, 1]), 1);
    assert_eq!((found.folds, found.held_out), (0, 0));
    let even = 1.0 / found.candidates.len() as f64;
    assert!(
        found
            .candidates
            .iter()
            .all(|c| c.score.is_none() && c.agreement.is_none() && (c.weight - even).abs() < 1e-12)
    );
    assert!(found.base_classifiers.iter().all(|r| r.score.is_none() && r.weight == 1.0));
    assert!(found.refinements.iter().all(|r| r.score.is_none() && r.weight == 1.0));
    assert!(found.notices[0].message.contains("no label can be held out"), "{}", found.notices[0].message);
    // The labels are of the first kind of each class; nothing says where the second belongs.
    let first_kind = (0..N).filter(|i| (i / 3) % 2 == 0);
    let right = first_kind.filter(|i| found.classes[*i] == i % 3).count();
    assert!(right >= 43, "{right} of 45 samples of a labelled kind are right");
}

#[test]
fn bad_input_is_refused_by_name() {
    let refused = |x: Matrix<f64>, labels: &Labels, settings: &ClassifySettings| {
        classify(&DenseMatrix::from_matrix(x).unwrap(), labels, settings).unwrap_err()
    };
    let (x, two, plain) = (planted(), labels([2, 2, 2]), ClassifySettings::default());
    let changed = |value: f64| {
        let mut x = planted();
        x.set(4, 3, value);
        x
    };
    assert!(matches!(refused(changed(-1.0), &two, &plain), Error::Negative { first: (4, 3), .. }));
    assert!(matches!(refused(changed(f64::NAN), &two, &plain), Error::NotFinite { first: (4, 3), .. }));
    let few = Labels::from_integers(&[0, 1]).unwrap();
    assert!(refused(x.clone(), &few, &plain).to_string().contains("2 labels for 90 samples"));
    let one_class = labels([4, 0, 0]);
    assert!(refused(x.clone(), &one_class, &plain).to_string().contains("labelled samples are of class"));
    for (settings, name) in [
        (ClassifySettings { components_per_class: vec![2, 1], ..plain.clone() }, "components per class"),
        (ClassifySettings { components_per_class: vec![], ..plain.clone() }, "components per class"),
        (ClassifySettings { graph_weight: -1.0, ..plain.clone() }, "graph weight"),
        (ClassifySettings { iterations: 0, ..plain.clone() }, "iterations"),
        (ClassifySettings { max_folds: 1, ..plain.clone() }, "folds"),
    ] {
        let message = refused(x.clone(), &two, &settings).to_string();
        assert!(message.contains(name), "{message}");
    }
}

#[test]
fn rows_of_zeros_and_repeated_rows_are_taken() {
    let x = Matrix::from_fn(N, D, |i, j| match i {
        40..45 => 0.0,
        50..60 => planted().get(50 + i % 3, j),
        _ => planted().get(i, j),
    });
    for count in [1, 2] {
        let found = found(&x, &labels([count; 3]), 1);
        assert!(found.posteriors.as_slice().iter().all(|v| v.is_finite()), "{count} labels a class");
    }
}

/// Six classes of twelve samples, each with two weak features of its own. What varies most is the same for
/// all: how strongly three shared patterns light a sample. Neighbours are those of like light.
#[test]
fn the_mixture_finds_classes_that_neighbours_can_not() {
    let (classes, each, d) = (6, 12, 60);
    let x = Matrix::from_fn(classes * each, d, |i, j| {
        let light: f64 = (0..3).map(|l| 3.0 * number(31 + l, i) * number(41 + l, j)).sum();
        let own = if j / 2 == i % classes { 1.5 } else { 0.0 };
        light + own + 0.2 * number(53, i * d + j)
    });
    let given: Vec<i32> =
        (0..classes * each).map(|i| if i / classes < 2 { (i % classes) as i32 } else { -1 }).collect();
    let found = found(&x, &Labels::from_integers(&given).unwrap(), 1);
    let right = (0..classes * each).filter(|i| found.classes[*i] == i % classes).count();
    let (mixture, neighbours) = (weight(&found, "Gaussian mixture"), weight(&found, "neighbours' vote"));
    assert!(mixture > 0.9 && neighbours < 0.5, "{:?}", found.refinements);
    assert!(right >= 65, "{right} of 72 are right");
}

fn weight(found: &Classification, name: &str) -> f64 {
    let of_kind = found.refinements.iter().find(|r| r.name == name);
    of_kind.expect("every refinement is reported").weight
}

/// Four classes of forty short texts: a few of the class's forty words among many more of everyone's. Two
/// texts of a class rarely share a word of their own.
#[test]
fn counts_tell_classes_whose_samples_share_few_words() {
    let (classes, each, own, common) = (4, 40, 40, 30);
    let n = classes * each;
    let mut counts = vec![0.0; n * (classes * own + common)];
    for i in 0..n {
        let row = &mut counts[i * (classes * own + common)..][..classes * own + common];
        for t in 0..6 {
            row[(i % classes) * own + (number(61 + t, i) * own as f64) as usize] += 1.0;
            row[classes * own + (number(71 + t, i) * common as f64) as usize] += 1.0;
        }
    }
    let x = Matrix::from_vec(n, classes * own + common, counts).unwrap();
    let given: Vec<i32> = (0..n).map(|i| if i / classes < 2 { (i % classes) as i32 } else { -1 }).collect();
    let found = found(&x, &Labels::from_integers(&given).unwrap(), 1);
    let right = (0..n).filter(|i| found.classes[*i] == i % classes).count();
    assert!(weight(&found, "multinomial mixture") == 1.0, "{:?}", found.refinements);
    assert!(right >= 145, "{right} of 160 are right");
}

#[test]
fn phases_are_observed_as_they_begin_and_only_numbers_of_components_that_fit_are_tried() {
    let (data, labels) = (DenseMatrix::from_matrix(planted()).unwrap(), labels([2, 2, 2]));
    let observed = |components_per_class: Vec<usize>| {
        let mut phases = Vec::new();
        let settings = ClassifySettings { components_per_class, ..settings(1) };
        let found = classify_observed(&data, &labels, &settings, &mut |phase| phases.push(phase)).unwrap();
        (phases, found.candidates.iter().any(|c| matches!(c.graph, CandidateGraph::Codes(_))))
    };
    let (phases, _) = observed(ClassifySettings::default().components_per_class);
    assert_eq!(phases[..3], [Phase::Columns, Phase::Graphs, Phase::Components { least: 1, most: 3 }]);
    assert_eq!(phases[phases.len() - 2..], [Phase::BaseClassifiers, Phase::Refinements]);
    // 90 samples in 3 classes: 23 components a class are more than three quarters of them.
    let without = vec![Phase::Columns, Phase::Graphs, Phase::BaseClassifiers, Phase::Refinements];
    assert_eq!(observed(vec![23]), (without, false));
    assert_eq!(Phase::Components { least: 1, most: 3 }.to_string(), "1 to 3 components per class");
}
