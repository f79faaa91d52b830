//! Promise: rows that the classification did not see are predicted about as well as those that it saw, each
//! row for itself; the parts of a predictor give the same bits back, and damaged parts are refused.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::{number, sparse};
use partwise::{DataMatrix, DenseMatrix, Error, Labels, Matrix, Real};
use partwise_classify::{ClassifySettings, Part, Predictor, train};

const CLASSES: usize = 3;
const D: usize = 30;

/// Row i is of class i % 3, of one of two kinds: two groups of features of its own, and noise.
fn rows(range: std::ops::Range<usize>) -> Matrix<f64> {
    let first = range.start;
    Matrix::from_fn(range.len(), D, |i, j| {
        let i = first + i;
        let kind = (i % CLASSES) * 2 + (i / CLASSES) % 2;
        let own = if j / 5 == kind { 1.0 + number(5, i) } else { 0.0 };
        let shared = if j / 10 == i % CLASSES { 0.6 } else { 0.0 };
        own + shared + 1.2 * number(7, i * D + j)
    })
}

fn trained<T: Real>(data: &dyn DataMatrix<T>) -> Predictor<T> {
    let label = |i: usize| if i < 4 * CLASSES { (i % CLASSES) as i32 } else { -1 };
    let labels = Labels::from_integers(&(0..data.n_samples()).map(label).collect::<Vec<i32>>()).unwrap();
    let settings = ClassifySettings { iterations: 10, threads: 1, ..ClassifySettings::default() };
    train(data, &labels, &settings).unwrap().1
}

/// As [`rows`], but behind the labelled ones most rows are of the first class: simple classifiers take part.
fn unequal() -> Matrix<f64> {
    let all = rows(0..150);
    let kept: Vec<usize> = (0..150).filter(|i| *i < 4 * CLASSES || i % CLASSES == 0 || i % 15 == 1).collect();
    Matrix::from_fn(kept.len(), D, |i, j| all.get(kept[i], j))
}

fn dense(matrix: Matrix<f64>) -> DenseMatrix<'static, f64> {
    DenseMatrix::from_matrix(matrix).unwrap()
}

fn again<T: Real>(predictor: &Predictor<T>) -> Predictor<T> {
    let parts = predictor.parts();
    Predictor::from_parts(&|name| parts.iter().find(|(known, _)| known == name).map(|(_, p)| p.clone()))
        .unwrap()
}

#[test]
fn new_rows_are_predicted_as_well_as_those_of_the_fit_and_each_for_itself() {
    let predictor = trained(&dense(rows(0..120)));
    let found = predictor.posteriors(&dense(rows(120..420)), 1).unwrap();
    let right = |found: &Matrix<f64>, first: usize| {
        let class =
            |i: usize| (0..CLASSES).fold(0, |b, c| if found.get(i, c) > found.get(i, b) { c } else { b });
        (0..found.rows()).filter(|i| class(*i) == (first + i) % CLASSES).count()
    };
    assert!(right(&found, 120) >= 285, "{} of 300 new rows are right", right(&found, 120));
    // More rows than are computed together, in another order of threads, and a few alone.
    assert_eq!(predictor.posteriors(&dense(rows(120..420)), 3).unwrap(), found);
    let few = predictor.posteriors(&dense(rows(400..420)), 1).unwrap();
    for i in 0..20 {
        for c in 0..CLASSES {
            let (alone, among) = (few.get(i, c), found.get(280 + i, c));
            assert!((alone - among).abs() < 1e-9, "row {i}: {alone} alone, {among} among others");
        }
    }
    for i in 0..300 {
        let sum: f64 = found.row(i).iter().sum();
        assert!((sum - 1.0).abs() < 1e-12, "the posteriors of row {i} sum to {sum}");
    }
}

#[test]
fn rows_of_many_features_are_compared_by_direction_and_a_row_of_zeros_has_posteriors() {
    let wide = |x: Matrix<f64>, scales: [f64; 2]| {
        let value = |i: usize, j: usize| if j < D { x.get(i, j) * scales[i % 2] } else { 0.0 };
        dense(Matrix::from_fn(x.rows(), 120, value))
    };
    let predictor = trained(&wide(rows(0..120), [1.0; 2]));
    let plain = predictor.posteriors(&wide(rows(120..140), [1.0; 2]), 1).unwrap();
    let scaled = wide(rows(120..140), [1024.0, 0.125]);
    assert_eq!(predictor.posteriors(&scaled, 1).unwrap(), plain);
    let predictor = trained(&dense(rows(0..120)));
    let mut with_zeros = rows(120..140);
    with_zeros.row_mut(3).fill(0.0);
    let found = predictor.posteriors(&dense(with_zeros), 1).unwrap();
    let sum: f64 = found.row(3).iter().sum();
    assert!((sum - 1.0).abs() < 1e-12 && found.row(3).iter().all(|p| p.is_finite()), "{:?}", found.row(3));
}

#[test]
fn the_parts_give_the_same_bits_for_dense_and_sparse_data_of_both_precisions() {
    let thinned = |range| {
        let x = rows(range);
        Matrix::from_fn(x.rows(), D, |i, j| if x.get(i, j) > 0.6 { x.get(i, j) } else { 0.0 })
    };
    let data = (dense(thinned(0..120)), dense(thinned(120..150)));
    let predictor = trained(&data.0);
    let found = predictor.posteriors(&data.1, 1).unwrap();
    assert_eq!(again(&predictor).posteriors(&data.1, 1).unwrap(), found);
    let (train_rows, new) = (sparse::<f32>(&thinned(0..120)), sparse::<f32>(&thinned(120..150)));
    let predictor = trained(&train_rows);
    let of_sparse = predictor.posteriors(&new, 1).unwrap();
    assert_eq!(again(&predictor).posteriors(&new, 1).unwrap(), of_sparse);
    let apart = of_sparse.as_slice().iter().zip(found.as_slice()).map(|(a, b)| (a - b).abs());
    assert!(apart.fold(0.0, f64::max) < 0.05, "sparse data of single precision give other posteriors");
}

/// What becomes of a part, by its name.
type Change<'c> = &'c dyn Fn(&str, Part<f64>) -> Option<Part<f64>>;

#[test]
fn damaged_parts_are_refused_by_name() {
    let parts = trained(&dense(unequal())).parts();
    let with = |change: Change<'_>| {
        Predictor::<f64>::from_parts(&|name| {
            let found = parts.iter().find(|(known, _)| known == name);
            found.and_then(|(_, part)| change(name, part.clone()))
        })
    };
    let as_matrix = |part: Part<f64>| match part {
        Part::Data(matrix) | Part::Double(matrix) => matrix,
    };
    for (name, _) in &parts {
        // Discriminants and mixtures may be missing; all others are needed.
        let needed = !name.ends_with("/weights") || name.starts_with("standardized/");
        if needed && name != "space0/components" {
            let missing = with(&|at, part| (at != name).then_some(part));
            assert!(matches!(missing, Err(Error::Shape { .. })), "without {name}");
        }
        let wider = with(&|at, part| {
            let matrix = as_matrix(part);
            let more = usize::from(at == name);
            Some(Part::Double(Matrix::from_fn(matrix.rows() + more, matrix.columns() + more, |i, j| {
                if i < matrix.rows() && j < matrix.columns() { matrix.get(i, j) } else { 0.0 }
            })))
        });
        assert!(wider.is_err(), "{name} with one more row and column");
        let broken = with(&|at, part| {
            let mut matrix = as_matrix(part);
            if at == name {
                matrix.as_mut_slice()[0] = f64::NAN;
            }
            Some(Part::Double(matrix))
        });
        let message = broken.unwrap_err().to_string();
        assert!(message.contains(name.as_str()), "{name}: {message}");
    }
}

#[test]
fn files_from_before_the_classifiers_beside_columns_are_read_and_predict_without_them() {
    let predictor = trained(&dense(unequal()));
    let parts: Vec<(String, Part<f64>)> =
        predictor.parts().into_iter().filter(|(name, _)| !name.starts_with("standardized/")).collect();
    assert!(parts.len() < predictor.parts().len());
    let find = |name: &str| parts.iter().find(|(known, _)| known == name).map(|(_, part)| part.clone());
    let before = Predictor::from_parts(&find).unwrap();
    assert_eq!(before.parts().len(), parts.len());
    let new = dense(rows(60..90));
    let [one, other] = [&predictor, &before].map(|predictor| predictor.posteriors(&new, 1).unwrap());
    assert!(one != other && other.as_slice().iter().all(|p| p.is_finite()));
}

#[test]
fn rows_of_any_unit_are_predicted_alike_also_where_squares_leave_the_range_of_the_numbers() {
    fn check<T: Real>(powers: &[i32]) {
        let scaled = |x: Matrix<f64>, power: i32| {
            let x = Matrix::from_fn(x.rows(), D, |i, j| T::from_f64(x.get(i, j) * 2f64.powi(power)));
            DenseMatrix::from_matrix(x).unwrap()
        };
        let of = |power: i32| {
            let predictor = trained(&scaled(unequal(), power));
            let new = scaled(rows(60..90), power);
            let found = predictor.posteriors(&new, 1).unwrap();
            assert_eq!(again(&predictor).posteriors(&new, 1).unwrap(), found, "2^{power}");
            found
        };
        let one = of(0);
        for &power in powers {
            let other = of(power);
            let pairs = other.as_slice().iter().zip(one.as_slice());
            let largest = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(largest < 1e-4, "2^{power} of {}: {largest}", T::NAME);
        }
    }
    check::<f64>(&[210, 1000, -210, -1000]);
    check::<f32>(&[60, 120, -60]);
}

#[test]
fn bad_rows_are_refused() {
    let predictor = trained(&dense(rows(0..60)));
    let refused = |x: Matrix<f64>| predictor.posteriors(&dense(x), 1).unwrap_err();
    let changed = |value: f64| {
        let mut x = rows(60..70);
        x.set(2, 1, value);
        x
    };
    assert!(matches!(refused(changed(-1.0)), Error::Negative { first: (2, 1), .. }));
    assert!(matches!(refused(changed(f64::NAN)), Error::NotFinite { first: (2, 1), .. }));
    let message = refused(Matrix::zeros(4, D + 1)).to_string();
    assert!(message.contains("30 features") && message.contains("31 features"), "{message}");
}
