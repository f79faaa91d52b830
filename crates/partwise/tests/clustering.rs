//! Promises of k-means: its objective never rises, threads change nothing, empty clusters follow the setting.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::Example;
use partwise::clustering::{EmptyCluster, KMeansSettings, k_means, k_means_from};
use partwise::{DenseMatrix, Matrix};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_objective_of_k_means_never_rises(
        (n, d, values) in (4_usize..40, 1_usize..6).prop_flat_map(|(n, d)| {
            (Just(n), Just(d), prop::collection::vec((0_u8..6).prop_map(f64::from), n * d))
        }),
        k in 1_usize..5,
        seed: u64,
        keep: bool,
    ) {
        let data = DenseMatrix::new(n, d, values.clone()).unwrap();
        let empty = if keep { EmptyCluster::Keep } else { EmptyCluster::Farthest };
        let settings = KMeansSettings { restarts: 1, seed, empty, ..KMeansSettings::default() };
        let found = k_means(&data, k, &settings).unwrap();
        let scale = values.iter().map(|x| x * x).sum::<f64>().max(1.0);
        for pair in found.history.windows(2) {
            prop_assert!(pair[1] <= pair[0] + 1e-12 * scale, "{:?}", found.history);
        }
        prop_assert!((found.objective - found.history[found.history.len() - 1]).abs() <= 1e-12 * scale);
        // At the end every sample is at its nearest centre, and centres are means.
        for i in 0..n {
            let distance = |c: usize| -> f64 {
                (0..d).map(|j| (values[i * d + j] - found.centres.get(c, j)).powi(2)).sum()
            };
            let nearest = (0..k).map(distance).fold(f64::INFINITY, f64::min);
            prop_assert!(distance(found.labels[i]) <= nearest + 1e-12 * scale);
        }
        if !keep {
            let distinct: std::collections::BTreeSet<Vec<u64>> =
                values.chunks(d).map(|row| row.iter().map(|x| *x as u64).collect()).collect();
            let used: std::collections::BTreeSet<usize> = found.labels.iter().copied().collect();
            prop_assert!(used.len() >= k.min(distinct.len()), "{} of {}", used.len(), k);
        }
    }
}

#[test]
fn restarts_are_the_same_for_any_number_of_threads_and_more_of_them_never_hurt() {
    let dense = Example::new(30, 12, 3, 8).dense::<f64>();
    let with = |restarts, threads| {
        let settings = KMeansSettings { restarts, threads, seed: 3, ..KMeansSettings::default() };
        k_means(&dense, 5, &settings).unwrap()
    };
    assert_eq!(with(7, 1), with(7, 2));
    assert_eq!(with(7, 1), with(7, 16));
    assert!(with(20, 1).objective <= with(3, 1).objective);
    let other = KMeansSettings { restarts: 1, seed: 4, ..KMeansSettings::default() };
    let one = KMeansSettings { restarts: 1, seed: 3, ..KMeansSettings::default() };
    assert_ne!(k_means(&dense, 5, &one).unwrap().history, k_means(&dense, 5, &other).unwrap().history);
}

#[test]
fn an_empty_cluster_keeps_its_centre_or_takes_the_farthest_sample() {
    let data = DenseMatrix::new(4, 1, vec![0.0, 1.0, 2.0, 9.0]).unwrap();
    let centres = Matrix::from_vec(2, 1, vec![1.0, 100.0]).unwrap();
    let keep = KMeansSettings { empty: EmptyCluster::Keep, ..KMeansSettings::default() };
    let kept = k_means_from(&data, centres.clone(), &keep).unwrap();
    assert_eq!((kept.labels, kept.centres.get(1, 0)), (vec![0; 4], 100.0));
    let moved = k_means_from(&data, centres, &KMeansSettings::default()).unwrap();
    assert_eq!((moved.labels, moved.objective), (vec![0, 0, 0, 1], 2.0));
}
