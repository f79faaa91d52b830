//! Promises of the comparison methods, over the registry where they hold for every method: dense and sparse
//! data agree, the same seed gives the same result, easy data are solved, guidance that is missing or wrong
//! is refused.

mod common;

use common::groups;
use partwise::clustering::KMeansSettings;
use partwise::draw_labels;
use partwise::graphs::{Closeness, Graph};
use partwise::{DataMatrix, DenseMatrix, Error, Labels, Matrix, metrics};
use partwise_io::digits;
use partwise_lab::methods::label_spreading::{label_propagation, label_spreading};
use partwise_lab::methods::mpck_means::{MpckSettings, mpck_means};
use partwise_lab::methods::nearest_neighbours::nearest_neighbour_classes;
use partwise_lab::methods::pck_means::{PckSettings, pck_means};
use partwise_lab::methods::seeded_k_means::{constrained_k_means, seeded_k_means};
use partwise_lab::methods::spectral::spectral_embedding;
use partwise_lab::methods::ss_nmf1::{SsNmf1Settings, ss_nmf1};
use partwise_lab::methods::transductive_svm::{TransductiveSettings, transductive_classes, transductive_svm};
use partwise_lab::methods::{self, Links, Needs, Task};
use proptest::prelude::*;

#[test]
fn every_method_solves_easy_data_in_both_formats_and_repeats_itself() {
    let (dense, sparse, classes) = groups(15, 4);
    let labels = Labels::from_integers(&draw_labels(&classes, 3, 1)).unwrap();
    for method in methods::ALL {
        let task = Task { labels: Some(&labels), seed: 5, ..Task::new(&dense, 3) };
        let outcome = (method.run)(&task).unwrap_or_else(|error| panic!("{}: {error}", method.name));
        let accuracy = metrics::accuracy(&classes, &outcome.labels).unwrap().accuracy;
        assert_eq!(accuracy, 1.0, "{}", method.name);
        assert_eq!((method.run)(&task).unwrap(), outcome, "{} again", method.name);
        let threads = (method.run)(&Task { threads: 3, ..task }).unwrap();
        assert_eq!(threads, outcome, "{} with 3 threads", method.name);
        let sparse = (method.run)(&Task { data: &sparse, ..task }).unwrap();
        assert_eq!(sparse.labels, outcome.labels, "{} on sparse data", method.name);
        if let Some(coordinates) = &outcome.coordinates {
            assert_eq!(coordinates.rows(), classes.len(), "{}", method.name);
        }
    }
}

#[test]
fn methods_on_real_digits_are_well_above_chance_and_guidance_does_not_hurt_much() {
    let digits = digits();
    let kept: Vec<usize> = (0..300).collect();
    let values = kept.iter().flat_map(|i| digits.images[i * 64..(i + 1) * 64].to_vec()).collect();
    let data = DenseMatrix::new(300, 64, values).unwrap();
    let classes: Vec<i32> = kept.iter().map(|i| digits.labels[*i]).collect();
    let labels = Labels::from_integers(&draw_labels(&classes, 8, 2)).unwrap();
    for method in methods::ALL {
        let outcome = (method.run)(&Task { labels: Some(&labels), ..Task::new(&data, 10) }).unwrap();
        let accuracy = metrics::accuracy(&classes, &outcome.labels).unwrap().accuracy;
        println!("{:<20} {accuracy:.3} {:?}", method.name, outcome.notes);
        assert!(accuracy > 0.45, "{}: {accuracy}", method.name);
    }
}

#[test]
fn every_method_refuses_to_run_without_what_it_needs() {
    let (dense, _, classes) = groups(4, 1);
    let short = Labels::from_integers(&[0, 1]).unwrap();
    let none = Labels::from_integers(&vec![-1; classes.len()]).unwrap();
    let mut names: Vec<&str> = Vec::new();
    for method in methods::ALL {
        assert!(!names.contains(&method.name), "{} is listed twice", method.name);
        names.push(method.name);
        let bare = (method.run)(&Task::new(&dense, 3));
        if method.needs == Needs::Nothing {
            assert!(bare.is_ok(), "{}", method.name);
            let many = (method.run)(&Task::new(&dense, 13)).unwrap_err();
            assert!(matches!(many, Error::OutOfRange { .. }), "{}: {many}", method.name);
            continue;
        }
        assert!(matches!(bare, Err(Error::MissingGuidance { .. })), "{}", method.name);
        let wrong = (method.run)(&Task { labels: Some(&short), ..Task::new(&dense, 3) }).unwrap_err();
        assert!(wrong.to_string().contains("2 entries"), "{}: {wrong}", method.name);
        let empty = (method.run)(&Task { labels: Some(&none), ..Task::new(&dense, 3) }).unwrap_err();
        assert!(empty.to_string().contains("no sample is labelled"), "{}: {empty}", method.name);
    }
    let message = methods::named("k-medians").unwrap_err().to_string();
    assert!(message.contains("k-medians") && message.contains("pck-means"), "{message}");
}

#[test]
fn every_method_refuses_numbers_that_are_none() {
    let classes = [0, 1, 0, 1, -1, -1];
    let labels = Labels::from_integers(&classes).unwrap();
    let mut values: Vec<f64> = (0..12).map(f64::from).collect();
    values[7] = f64::NAN;
    let data = DenseMatrix::new(6, 2, values).unwrap();
    for method in methods::ALL {
        let error = (method.run)(&Task { labels: Some(&labels), ..Task::new(&data, 2) }).unwrap_err();
        assert!(matches!(error, Error::NotFinite { first: (3, 1), .. }), "{}: {error}", method.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_objective_of_pck_means_never_rises(n in 6_usize..40, seed: u64, k in 2_usize..4) {
        let (dense, _, classes) = groups(n, seed);
        let labels = Labels::from_integers(&draw_labels(&classes, 3, seed)).unwrap();
        let links = Links::all_pairs(&labels);
        let found = pck_means(&dense, k, &links, &PckSettings { seed, ..PckSettings::default() }).unwrap();
        for pair in found.history.windows(2) {
            prop_assert!(pair[1] <= pair[0] * (1.0 + 1e-12), "{:?}", found.history);
        }
        let found = mpck_means(&dense, k, &links, &MpckSettings { seed, ..MpckSettings::default() }).unwrap();
        for pair in found.history.windows(2) {
            prop_assert!(pair[1] <= pair[0] + 1e-9 * pair[0].abs(), "{:?}", found.history);
        }
    }
}

#[test]
fn constrained_samples_keep_their_class_where_seeded_ones_may_move() {
    let data = DenseMatrix::new(5, 1, vec![0.0, 1.0, 10.0, 11.0, 0.5]).unwrap();
    // The last sample is labelled against the evidence.
    let labels = Labels::from_integers(&[0, -1, 1, -1, 1]).unwrap();
    let settings = KMeansSettings::default();
    assert_eq!(constrained_k_means(&data, 2, &labels, &settings).unwrap().labels, [0, 0, 1, 1, 1]);
    assert_eq!(seeded_k_means(&data, 2, &labels, &settings).unwrap().labels, [0, 0, 1, 1, 0]);
    // A third cluster starts where no class is.
    let more = seeded_k_means(&data, 3, &labels, &settings).unwrap();
    assert_eq!(more.centres.rows(), 3);
    let message = seeded_k_means(&data, 1, &labels, &settings).unwrap_err().to_string();
    assert!(message.contains("2 classes") && message.contains("2 clusters or more"), "{message}");
}

#[test]
fn dear_links_are_kept_and_free_ones_are_not() {
    let data = DenseMatrix::new(6, 1, vec![0.0, 1.0, 2.0, 10.0, 11.0, 12.0]).unwrap();
    let links = Links::new(6, vec![(2, 3)], vec![(0, 1)]).unwrap();
    let with =
        |price| PckSettings { must_price: Some(price), cannot_price: Some(price), ..PckSettings::default() };
    let free = pck_means(&data, 2, &links, &with(0.0)).unwrap();
    assert_eq!(free.labels[0], free.labels[1]);
    let dear = pck_means(&data, 2, &links, &with(1e6)).unwrap();
    assert_eq!(dear.labels[2], dear.labels[3]);
    assert_ne!(dear.labels[0], dear.labels[1]);
    for price in [-1.0, f64::NAN] {
        assert!(matches!(pck_means(&data, 2, &links, &with(price)), Err(Error::OutOfRange { .. })));
        let settings = MpckSettings { must_price: price, ..MpckSettings::default() };
        assert!(matches!(mpck_means(&data, 2, &links, &settings), Err(Error::OutOfRange { .. })));
    }
    let far = Links::new(9, vec![(0, 8)], vec![]).unwrap();
    let message = pck_means(&data, 2, &far, &with(1.0)).unwrap_err().to_string();
    assert!(message.contains("(0, 8)") && message.contains("6 samples"), "{message}");
    assert!(mpck_means(&data, 2, &far, &MpckSettings::default()).is_err());
}

#[test]
fn a_large_sparse_graph_is_embedded_as_its_components() {
    // Five rings of 200 samples: too many to decompose whole, and five eigenvalues that are equal.
    let ring = |r: usize| (0..200).map(move |i| (200 * r + i, 200 * r + (i + 1) % 200, 1.0));
    let edges: Vec<_> = (0..5).flat_map(ring).flat_map(|(i, j, w)| [(i, j, w), (j, i, w)]).collect();
    let graph = Graph::from_entries(1000, &edges).unwrap();
    let embedding = spectral_embedding(&graph, 5, 3).unwrap();
    assert!(
        embedding.eigenvalues.iter().all(|value| (value - 1.0).abs() < 1e-6),
        "{:?}",
        embedding.eigenvalues
    );
    assert!(embedding.notes.iter().any(|note| note.contains("5 components")), "{:?}", embedding.notes);
    let points = &embedding.points;
    let product =
        |i: usize, j: usize| points.row(i).iter().zip(points.row(j)).map(|(a, b)| a * b).sum::<f64>();
    assert!((product(0, 199) - 1.0).abs() < 1e-3 && product(0, 200).abs() < 1e-3);
}

#[test]
fn labels_flow_as_far_as_edges_go() {
    let edges = [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (4, 5, 1.0)];
    let both: Vec<_> = edges.iter().flat_map(|&(i, j, w)| [(i, j, w), (j, i, w)]).collect();
    let graph = Graph::from_entries(7, &both).unwrap();
    let labels = Labels::from_integers(&[0, -1, -1, 1, -1, -1, -1]).unwrap();
    let found = label_propagation(&graph, &labels).unwrap();
    // On a path the harmonic function is linear.
    for (i, expected) in [1.0, 2.0 / 3.0, 1.0 / 3.0, 0.0].into_iter().enumerate() {
        assert!((found.scores.get(i, 0) - expected).abs() < 1e-9, "{}", found.scores.get(i, 0));
    }
    assert_eq!(found.unreached, [4, 5, 6]);
    assert_eq!(found.classes, [Some(0), Some(0), Some(1), Some(1), None, None, None]);
    let spread = label_spreading(&graph, &labels, 0.9).unwrap();
    assert_eq!((spread.classes, spread.unreached), (found.classes, found.unreached));
    for alpha in [0.0, 1.0, f64::NAN] {
        assert!(matches!(label_spreading(&graph, &labels, alpha), Err(Error::OutOfRange { .. })));
    }
    assert!(label_propagation(&graph, &Labels::from_integers(&[0, 1]).unwrap()).is_err());
}

/// (I − αS) F = (1 − α) Y, entry by entry.
#[test]
fn label_spreading_solves_its_equation() {
    let (dense, _, classes) = groups(10, 2);
    let labels = Labels::from_integers(&draw_labels(&classes, 2, 0)).unwrap();
    let graph = partwise::graphs::neighbour_graph(&dense, &Default::default()).unwrap();
    let found = label_spreading(&graph, &labels, 0.99).unwrap();
    let flowed = graph.normalized().times(&found.scores);
    for i in 0..classes.len() {
        for c in 0..3 {
            let left = found.scores.get(i, c) - 0.99 * flowed.get(i, c);
            let right = if labels.class(i) == Some(c) { 0.01 } else { 0.0 };
            assert!((left - right).abs() < 1e-10, "{left} and {right}");
        }
    }
}

#[test]
fn the_nearest_neighbours_vote_and_a_tie_goes_to_the_nearest() {
    let data = DenseMatrix::new(5, 1, vec![0.0, 2.0, 3.0, 9.0, 1.2]).unwrap();
    let labels = Labels::from_integers(&[0, 1, 1, 0, -1]).unwrap();
    let class = |k| nearest_neighbour_classes(&data, &labels, k, Closeness::Euclidean).unwrap()[4];
    assert_eq!([class(1), class(2), class(3), class(4)], [1, 1, 1, 1]);
    let directions = DenseMatrix::new(3, 2, vec![5.0, 0.0, 0.1, 0.1, 9.0, 8.0]).unwrap();
    let labels = Labels::from_integers(&[0, 1, -1]).unwrap();
    let cosine = nearest_neighbour_classes(&directions, &labels, 1, Closeness::Cosine).unwrap();
    let euclidean = nearest_neighbour_classes(&directions, &labels, 1, Closeness::Euclidean).unwrap();
    assert_eq!((cosine[2], euclidean[2]), (1, 0));
    for k in [0, 3] {
        assert!(nearest_neighbour_classes(&directions, &labels, k, Closeness::Euclidean).is_err());
    }
}

#[test]
fn unlabelled_samples_move_the_border_of_the_transductive_machine_into_the_gap() {
    // Labels alone put the border of the second feature in the middle of a cluster.
    let mut values = vec![1.0, 0.0, 0.0, 1.0];
    let mut targets = vec![1_i8, -1];
    for i in 0..10 {
        values.extend([1.0 + 0.02 * f64::from(i), 0.3]);
        values.extend([0.6 - 0.02 * f64::from(i), 1.0]);
        targets.extend([0, 0]);
    }
    let data = DenseMatrix::new(22, 2, values).unwrap();
    let found = transductive_svm(&data, &targets, &TransductiveSettings::default()).unwrap();
    for (i, target) in found.targets.iter().enumerate() {
        assert_eq!(*target, if i % 2 == 0 { 1 } else { -1 }, "sample {i}");
    }
    assert_eq!(found.targets.iter().filter(|target| **target == 1).count(), 11);
    for (targets, part) in
        [(vec![1_i8; 3], "3 entries"), (vec![1; 22], "needs both"), (vec![7; 22], "target 7")]
    {
        let error =
            transductive_svm(&data, &targets, &TransductiveSettings::default()).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    let settings = TransductiveSettings { positive_share: Some(1.0), ..TransductiveSettings::default() };
    assert!(matches!(transductive_svm(&data, &targets, &settings), Err(Error::OutOfRange { .. })));
    let settings = TransductiveSettings { cost: 0.0, ..TransductiveSettings::default() };
    assert!(transductive_svm(&data, &targets, &settings).unwrap_err().to_string().contains("cost C"));
}

#[test]
fn the_machines_of_several_classes_are_those_of_each_class_alone() {
    // Several classes work on inner products, one class on rows.
    let (dense, _, classes) = groups(12, 9);
    let given = draw_labels(&classes, 2, 3);
    let labels = Labels::from_integers(&given).unwrap();
    let settings = TransductiveSettings::default();
    let alone: Vec<Vec<f64>> = (0..3)
        .map(|class| {
            let target = |label: &i32| {
                if *label < 0 {
                    0
                } else if *label == class {
                    1
                } else {
                    -1
                }
            };
            let targets: Vec<i8> = given.iter().map(target).collect();
            let machine = transductive_svm(&dense, &targets, &settings).unwrap().machine;
            machine.decision_values(&dense).unwrap()
        })
        .collect();
    let largest = |i: usize| (0..3).fold(0, |best, c| if alone[c][i] > alone[best][i] { c } else { best });
    let expected: Vec<usize> = (0..classes.len()).map(largest).collect();
    assert_eq!(transductive_classes(&dense, &labels, &settings).unwrap(), expected);
}

#[test]
fn the_objective_of_ss_nmf1_never_rises_and_a_bad_start_is_refused() {
    let (dense, _, _) = groups(8, 6);
    let data: &dyn DataMatrix<f64> = &dense;
    let graph = partwise::graphs::neighbour_graph(data, &Default::default()).unwrap();
    let start = |k: usize| Matrix::from_fn(24, k, |i, j| 0.1 + ((i * 7 + j * 3) % 5) as f64);
    let core = |k: usize| Matrix::from_fn(k, k, |i, j| 0.1 + f64::from(i == j));
    let settings = SsNmf1Settings { tolerance: 0.0, max_iterations: 80 };
    let found = ss_nmf1(&graph, start(3), core(3), &settings).unwrap();
    for pair in found.history.windows(2) {
        assert!(pair[1] <= pair[0] + 1e-12 * found.history[0], "{:?}", found.history);
    }
    assert!(matches!(ss_nmf1(&graph, start(3), core(2), &settings), Err(Error::Shape { .. })));
    let mut negative = start(3);
    negative.set(4, 1, -2.0);
    let refused = ss_nmf1(&graph, negative, core(3), &settings);
    assert!(matches!(refused, Err(Error::Negative { first: (4, 1), .. })));
    let mut broken = core(3);
    broken.set(2, 2, f64::NAN);
    assert!(matches!(ss_nmf1(&graph, start(3), broken, &settings), Err(Error::NotFinite { .. })));
}
