//! Promises of the support vector machine: the duality gap closes, dense and sparse rows agree, shrinking and
//! the order of the samples change nothing but the time, and bad input is refused with its place.

use partwise::internals::svm::{Cost, Svm, SvmLoss, SvmSettings, inner_products, train, train_on_products};
use partwise::{DataMatrix, DenseMatrix, Error, Matrix, SparseMatrix, StopReason};
use proptest::prelude::*;

/// Rows of small counts, many of them 0, and targets that alternate with some noise.
fn problem(n: usize, d: usize, seed: u64) -> (Vec<f64>, Vec<i8>) {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 40
    };
    let targets: Vec<i8> = (0..n).map(|i| if i % 2 == 0 { 1 } else { -1 }).collect();
    let mut values = Vec::with_capacity(n * d);
    for i in 0..n {
        for j in 0..d {
            let typical = (j % 2 == i % 2) as u64;
            values.push(if next() % 3 == 0 { (next() % 4 + 2 * typical) as f64 } else { 0.0 });
        }
    }
    (values, targets)
}

fn sparse(n: usize, d: usize, values: &[f64]) -> SparseMatrix<'static, f64> {
    let entries = values.iter().enumerate().filter(|(_, x)| **x != 0.0);
    let triplets = entries.map(|(at, x)| ((at / d) as u32, (at % d) as u32, *x)).collect();
    SparseMatrix::from_triplets(n, d, triplets).expect("the places are inside").0
}

fn trained(data: &dyn DataMatrix<f64>, targets: &[i8], settings: &SvmSettings) -> Svm {
    let samples: Vec<usize> = (0..targets.len()).collect();
    train(data, &samples, targets, settings).expect("the problem is a valid one")
}

fn assert_close(one: &[f64], other: &[f64], tolerance: f64) {
    let largest = one.iter().fold(1e-12, |largest: f64, value| largest.max(value.abs()));
    for (a, b) in one.iter().zip(other) {
        assert!((a - b).abs() <= tolerance * largest, "{a} and {b} of {largest}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_gap_closes_and_the_box_holds(n in 4_usize..40, d in 1_usize..25, seed: u64, cost in 0.01_f64..20.0) {
        let (values, targets) = problem(n, d, seed);
        let dense = DenseMatrix::new(n, d, values).unwrap();
        let settings =
            SvmSettings { cost: Cost::Same(cost), max_passes: 200_000, seed, ..SvmSettings::default() };
        let svm = trained(&dense, &targets, &settings);
        prop_assert_eq!(svm.stop, StopReason::Converged);
        prop_assert!(svm.gap <= 1e-6 * svm.primal && svm.gap >= -1e-9 * svm.primal, "{}", svm.gap);
        prop_assert!((svm.primal - svm.dual - svm.gap).abs() <= 1e-12 * svm.primal);
        prop_assert!(svm.alpha.iter().all(|alpha| (0.0..=cost).contains(alpha)));
        // The primal at w = 0 is the sum of the costs; the best one is no larger.
        prop_assert!(svm.primal <= n as f64 * cost * (1.0 + 1e-6));
    }
}

#[test]
fn the_squared_hinge_is_at_its_least_where_its_gradient_is_0_in_both_forms() {
    for (n, d, cost) in [(12, 30, 1.0), (40, 6, 0.2), (40, 6, 50.0)] {
        let (mut values, targets) = problem(n, d, 5);
        values[..d].fill(0.0);
        let dense = DenseMatrix::new(n, d, values.clone()).unwrap();
        let settings = SvmSettings {
            loss: SvmLoss::SquaredHinge,
            cost: Cost::Same(cost),
            tolerance: 1e-13,
            max_passes: 1_000_000,
            ..SvmSettings::default()
        };
        let svm = trained(&dense, &targets, &settings);
        assert!(svm.gap.abs() <= 1e-12 * svm.primal, "{} of {}", svm.gap, svm.primal);
        // w - 2C sum of violation * y * x is the gradient of the primal; alpha is 2C times the violation.
        let mut gradient = svm.weights.clone();
        for i in 0..n {
            let row = &values[i * d..(i + 1) * d];
            let product: f64 = row.iter().zip(&svm.weights).map(|(x, w)| x * w).sum();
            let y = f64::from(targets[i]);
            let violation = (1.0 - y * product).max(0.0);
            assert!((svm.alpha[i] - 2.0 * cost * violation).abs() <= 1e-4 * cost, "sample {i}");
            for (g, x) in gradient.iter_mut().zip(row) {
                *g -= 2.0 * cost * violation * y * x;
            }
        }
        let largest = svm.weights.iter().fold(0.0f64, |m, w| m.max(w.abs()));
        assert!(gradient.iter().all(|g| g.abs() <= 1e-4 * (1.0 + cost) * largest), "{gradient:?}");
        assert_close(&svm.weights, &trained(&sparse(n, d, &values), &targets, &settings).weights, 1e-6);
        let all: Vec<usize> = (0..n).collect();
        let products = inner_products(&dense, &all).unwrap();
        let other = train_on_products(&products, &targets, &settings).unwrap();
        assert!((other.primal - svm.primal).abs() <= 1e-9 * svm.primal);
        assert_close(&other.alpha, &svm.alpha, 1e-4);
    }
}

#[test]
fn a_smaller_tolerance_closes_the_gap_further() {
    let (values, targets) = problem(30, 50, 3);
    let data = DenseMatrix::new(30, 50, values).unwrap();
    for tolerance in [1e-2, 1e-5, 1e-8, 1e-11] {
        let svm = trained(&data, &targets, &SvmSettings { tolerance, ..SvmSettings::default() });
        assert!(svm.gap <= tolerance * svm.primal, "{} at {tolerance}", svm.gap);
    }
}

#[test]
fn dense_and_sparse_rows_shrinking_or_not_and_any_order_give_the_same_weights() {
    let (n, d) = (60, 40);
    let (values, targets) = problem(n, d, 7);
    let dense = DenseMatrix::new(n, d, values.clone()).unwrap();
    let sparse = sparse(n, d, &values);
    let settings = SvmSettings { tolerance: 1e-13, ..SvmSettings::default() };
    let first = trained(&dense, &targets, &settings);
    assert_eq!(first, trained(&dense, &targets, &settings), "the same seed gives the same bits");
    assert_close(&first.weights, &trained(&sparse, &targets, &settings).weights, 1e-6);
    let whole = SvmSettings { shrinking: false, ..settings.clone() };
    assert_close(&first.weights, &trained(&dense, &targets, &whole).weights, 1e-6);
    let reordered = SvmSettings { seed: 99, ..settings };
    assert_close(&first.weights, &trained(&sparse, &targets, &reordered).weights, 1e-6);
}

#[test]
fn the_way_training_ends_is_told() {
    let data = DenseMatrix::new(3, 2, vec![1.0, 0.0, 0.0, 1.0, 0.0, 0.0]).unwrap();
    let targets = [1, -1, 1];
    let settings = SvmSettings { cost: Cost::Same(3.0), tolerance: 0.0, ..SvmSettings::default() };
    let exact = trained(&data, &targets, &settings);
    assert_eq!(exact.stop, StopReason::PrecisionFloor);
    // The sample of zeros can't be moved: its α is C.
    assert_eq!((exact.alpha, exact.weights), (vec![1.0, 1.0, 3.0], vec![1.0, -1.0]));
    let (values, targets) = problem(40, 5, 1);
    let data = DenseMatrix::new(40, 5, values).unwrap();
    let short = trained(&data, &targets, &SvmSettings { max_passes: 1, ..SvmSettings::default() });
    assert_eq!((short.stop, short.iterations), (StopReason::IterationLimit, 1));
    assert!(short.gap > 1e-6 * short.primal);
}

#[test]
fn chosen_samples_are_as_their_own_data() {
    let (n, d) = (20, 12);
    let (values, targets) = problem(n, d, 5);
    let all = DenseMatrix::new(n, d, values.clone()).unwrap();
    let samples: Vec<usize> = (0..n).filter(|i| i % 3 != 0).collect();
    let part: Vec<f64> = samples.iter().flat_map(|i| values[i * d..(i + 1) * d].to_vec()).collect();
    let part = DenseMatrix::new(samples.len(), d, part).unwrap();
    let targets: Vec<i8> = samples.iter().map(|i| targets[*i]).collect();
    let settings = SvmSettings::default();
    assert_eq!(train(&all, &samples, &targets, &settings).unwrap(), trained(&part, &targets, &settings));
}

#[test]
fn distances_and_products_of_rows_are_those_of_the_plain_sums_in_both_forms() {
    let (n, d) = (9, 21);
    let (values, _) = problem(n, d, 11);
    let dense = DenseMatrix::new(n, d, values.clone()).unwrap();
    let sparse = sparse(n, d, &values);
    let vector: Vec<f64> = (0..d).map(|j| 1.0 / (j + 1) as f64).collect();
    for i in 0..n {
        let product: f64 = (0..d).map(|j| values[i * d + j] * vector[j]).sum();
        for data in [&dense as &dyn DataMatrix<f64>, &sparse] {
            assert!((data.row_dot(i, &vector) - product).abs() <= 1e-13 * product.abs().max(1.0));
            let mut products = vec![1e3; n];
            data.row_products(i..i + 1, &mut products);
            for other in 0..n {
                let product: f64 = (0..d).map(|j| values[i * d + j] * values[other * d + j]).sum();
                assert!((products[other] - product).abs() <= 1e-13 * product.max(1.0));
                let distance: f64 = (0..d).map(|j| (values[i * d + j] - values[other * d + j]).powi(2)).sum();
                assert_eq!(data.squared_distance(i, other), distance);
            }
        }
    }
}

#[test]
fn bad_input_is_refused_with_its_place() {
    let data = DenseMatrix::new(4, 2, vec![1.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 2.0]).unwrap();
    let (all, y) = ([0, 1, 2, 3], [1, -1, 1, -1]);
    let defaults = SvmSettings::default();
    for cost in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let settings = SvmSettings { cost: Cost::Same(cost), ..defaults.clone() };
        let message = train(&data, &all, &y, &settings).unwrap_err().to_string();
        assert!(message.contains("cost C") && message.contains("positive"), "{message}");
    }
    let each = SvmSettings { cost: Cost::Each(vec![1.0, 1.0, 0.0, 1.0]), ..defaults.clone() };
    assert!(train(&data, &all, &y, &each).unwrap_err().to_string().contains("sample 2"));
    let short = SvmSettings { cost: Cost::Each(vec![1.0]), ..defaults.clone() };
    assert!(matches!(train(&data, &all, &y, &short), Err(Error::Shape { .. })));
    let message = train(&data, &all, &[1, -1, 0, 1], &defaults).unwrap_err().to_string();
    assert!(message.contains("sample 2") && message.contains("target 0"), "{message}");
    let message = train(&data, &all, &[1; 4], &defaults).unwrap_err().to_string();
    assert!(message.contains("needs both"), "{message}");
    assert!(matches!(train(&data, &all, &y[..3], &defaults), Err(Error::Shape { .. })));
    assert!(matches!(train(&data, &[0, 1, 2, 9], &y, &defaults), Err(Error::OutOfRange { .. })));
    for settings in [
        SvmSettings { tolerance: -1.0, ..defaults.clone() },
        SvmSettings { tolerance: f64::NAN, ..defaults.clone() },
        SvmSettings { max_passes: 0, ..defaults.clone() },
    ] {
        assert!(matches!(train(&data, &all, &y, &settings), Err(Error::OutOfRange { .. })));
    }
    let broken = DenseMatrix::new(2, 1, vec![f64::NAN, 1.0]).unwrap();
    assert!(matches!(train(&broken, &[0, 1], &[1, -1], &defaults), Err(Error::NotFinite { .. })));
    let svm = train(&data, &all, &y, &defaults).unwrap();
    let wider = DenseMatrix::new(1, 3, vec![1.0; 3]).unwrap();
    assert!(matches!(svm.decision_values(&wider), Err(Error::Shape { .. })));
}

#[test]
fn training_on_inner_products_finds_the_same_machine() {
    let (n, d) = (40, 25);
    let (values, targets) = problem(n, d, 11);
    let dense = DenseMatrix::new(n, d, values.clone()).unwrap();
    let samples: Vec<usize> = (0..n).collect();
    for data in [&dense as &dyn DataMatrix<f64>, &sparse(n, d, &values)] {
        let products = inner_products(data, &samples).unwrap();
        for cost in [Cost::Same(0.01), Cost::Each((0..n).map(|i| 0.02 * (1 + i) as f64).collect())] {
            let settings =
                SvmSettings { cost, tolerance: 1e-10, max_passes: 200_000, ..SvmSettings::default() };
            let svm = trained(data, &targets, &settings);
            let found = train_on_products(&products, &targets, &settings).unwrap();
            assert_eq!(found.stop, StopReason::Converged);
            assert_close(&found.values, &svm.decision_values(data).unwrap(), 1e-4);
            assert!(
                (found.primal - svm.primal).abs() <= 1e-9 * svm.primal,
                "{} {}",
                found.primal,
                svm.primal
            );
            assert!(found.gap <= 1e-10 * found.primal && found.gap >= -1e-9 * found.primal);
        }
    }
    let products = inner_products(&dense, &samples[..3]).unwrap();
    let settings = SvmSettings::default();
    let refused = |targets: &[i8]| train_on_products(&products, targets, &settings).unwrap_err();
    assert!(matches!(refused(&[1, -1]), Error::Shape { .. }));
    assert!(matches!(refused(&[1, 1, 1]), Error::Labels(_)));
    let wide = Matrix::from_fn(2, 3, |_, _| 1.0);
    assert!(matches!(train_on_products(&wide, &[1, -1], &settings), Err(Error::Shape { .. })));
    let unknown = Matrix::from_fn(2, 2, |i, _| if i == 1 { f64::NAN } else { 1.0 });
    let error = train_on_products(&unknown, &[1, -1], &settings).unwrap_err();
    assert!(matches!(error, Error::NotFinite { nan: 2, first: (1, 0), .. }), "{error}");
    assert!(matches!(inner_products(&dense, &[40]), Err(Error::OutOfRange { .. })));
}
