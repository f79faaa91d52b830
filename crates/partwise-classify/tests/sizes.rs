//! Promise: class sizes that the user knows are those of the answer, for the samples of the fit and for new
//! rows; the labels may tell them; wrong sizes are refused by name.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::number;
use partwise::{DenseMatrix, Error, Labels, Matrix};
use partwise_classify::{ClassSizes, Classification, ClassifySettings, Predictor, classify, train};

const N: usize = 200;
/// One of so many samples is of the small class.
const RARE: usize = 10;

/// Two classes that overlap in their directions; the second is small. In 4 or in 120 features.
fn rows(first: usize, n: usize, d: usize) -> DenseMatrix<'static, f64> {
    let value = |i: usize, j: usize| {
        let at = first + i;
        let own = usize::from(at.is_multiple_of(RARE)) == j % 2;
        let noise = number(3, at * d + j) + number(11, at * d + j);
        if own { noise + 1.1 / (d as f64).sqrt() } else { noise }
    };
    DenseMatrix::from_matrix(Matrix::from_fn(n, d, value)).unwrap()
}

/// `counts` labels of each class, from the first sample on.
fn labels(counts: [usize; 2]) -> Labels {
    let mut seen = [0; 2];
    let given: Vec<i32> = (0..N)
        .map(|i| {
            let class = usize::from(i.is_multiple_of(RARE));
            seen[class] += 1;
            if seen[class] <= counts[class] { class as i32 } else { -1 }
        })
        .collect();
    Labels::with_names(&given, &["common".to_string(), "rare".to_string()]).unwrap()
}

fn settings(class_sizes: ClassSizes) -> ClassifySettings {
    ClassifySettings { class_sizes, iterations: 10, threads: 1, ..ClassifySettings::default() }
}

fn of(common: f64, rare: f64) -> ClassSizes {
    ClassSizes::Of(vec![("rare".into(), rare), ("common".into(), common)])
}

fn mean_rare(posteriors: &Matrix<f64>) -> f64 {
    (0..posteriors.rows()).map(|i| posteriors.get(i, 1)).sum::<f64>() / posteriors.rows() as f64
}

fn right(classes: impl Iterator<Item = usize>, first: usize) -> usize {
    classes.zip(first..).filter(|(class, at)| *class == usize::from(at.is_multiple_of(RARE))).count()
}

fn largest(posteriors: &Matrix<f64>) -> impl Iterator<Item = usize> {
    (0..posteriors.rows()).map(|i| usize::from(posteriors.get(i, 1) > posteriors.get(i, 0)))
}

fn found(d: usize, counts: [usize; 2], sizes: ClassSizes) -> (Classification, Predictor<f64>) {
    train(&rows(0, N, d), &labels(counts), &settings(sizes)).unwrap()
}

#[test]
fn mean_posteriors_are_the_given_sizes_and_more_samples_are_right() {
    for d in [4, 120] {
        let (plain, _) = found(d, [3, 3], ClassSizes::Unknown);
        let (sized, predictor) = found(d, [3, 3], of(0.9, 0.1));
        let mean = mean_rare(&sized.posteriors);
        assert!((mean - 0.1).abs() < 1e-3, "{mean} with {d} features");
        assert_eq!(sized.class_sizes, [0.9, 0.1]);
        let (before, after) = (right(plain.classes.into_iter(), 0), right(sized.classes.into_iter(), 0));
        assert!(after > before, "{before}, with sizes {after} of {N} with {d} features");
        // New rows.
        let new = predictor.posteriors(&rows(N, N, d), 1).unwrap();
        let mean = mean_rare(&new);
        assert!((0.03..0.2).contains(&mean), "{mean} of new rows with {d} features");
        let after = right(largest(&new), N);
        assert!(after * 10 > N * 8, "{after} of {N} new rows with {d} features");
    }
}

#[test]
fn the_parts_of_a_predictor_have_the_sizes_too() {
    for d in [4, 120] {
        let (_, predictor) = found(d, [3, 3], of(0.9, 0.1));
        let parts = predictor.parts();
        let find = |name: &str| parts.iter().find(|(known, _)| known == name).map(|(_, p)| p.clone());
        let again = Predictor::from_parts(&find).unwrap();
        let new = rows(N, 20, d);
        assert_eq!(again.posteriors(&new, 1).unwrap(), predictor.posteriors(&new, 1).unwrap());
        assert!(find("sizes").is_some());
        let without = |name: &str| find(name).filter(|_| name != "sizes");
        let unsized_ = Predictor::from_parts(&without).unwrap().posteriors(&new, 1).unwrap();
        assert!(mean_rare(&unsized_) > mean_rare(&again.posteriors(&new, 1).unwrap()));
    }
}

#[test]
fn parts_percentages_and_counts_are_the_same_and_the_user_hears_of_it() {
    let (parts, _) = found(4, [3, 3], of(0.9, 0.1));
    let (percent, _) = found(4, [3, 3], of(90.0, 10.0));
    assert_eq!(parts.classes, percent.classes);
    let codes = |found: &Classification| found.notices.iter().map(|notice| notice.code).collect::<Vec<_>>();
    assert!(!codes(&parts).contains(&"class-sizes"));
    assert!(codes(&percent).contains(&"class-sizes"), "{:?}", percent.notices);
    assert!(percent.notices.iter().any(|notice| notice.message.contains("sum to 100")));
}

#[test]
fn sizes_of_the_labels_are_their_counts() {
    let (by_labels, _) = found(4, [9, 1], ClassSizes::OfLabels);
    let (given, _) = found(4, [9, 1], of(0.9, 0.1));
    assert_eq!(by_labels.posteriors, given.posteriors);
}

#[test]
fn wrong_sizes_are_refused_by_name() {
    let refused = |sizes: &[(&str, f64)]| {
        let sizes = ClassSizes::Of(sizes.iter().map(|(name, size)| (name.to_string(), *size)).collect());
        classify(&rows(0, N, 4), &labels([3, 3]), &settings(sizes)).unwrap_err()
    };
    let unknown = refused(&[("common", 0.5), ("rate", 0.5)]);
    assert!(
        matches!(&unknown, Error::UnknownName { name, valid, .. } if name == "rate" && valid.len() == 2),
        "{unknown}"
    );
    for size in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        let error = refused(&[("common", 0.5), ("rare", size)]);
        assert!(matches!(&error, Error::OutOfRange { name, .. } if name.contains("rare")), "{error}");
    }
    let missing = refused(&[("common", 1.0)]).to_string();
    assert!(missing.contains("no class size for rare"), "{missing}");
    let twice = refused(&[("common", 0.5), ("rare", 0.2), ("rare", 0.3)]).to_string();
    assert!(twice.contains("\"rare\" has two sizes"), "{twice}");
}
