//! Promise: a matrix that is symmetric within the rounding of single precision is symmetric, wherever one is
//! needed; one that differs by more is refused with the pair and both values.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod known;

mod common;

use common::facts::Facts;
use known::Draw;
use partwise::graphs::Graph;
use partwise::internals::symmetric_mean;
use partwise::{DenseMatrix, Error, Labels, Matrix, Model, Settings, SparseMatrix, fit};

const N: usize = 12;

/// Products of rows, computed and rounded in single precision in two orders, so that pairs differ by
/// rounding.
fn products() -> Matrix<f64> {
    let mut draw = Draw(3);
    let x = draw.matrix(N, 40, 0.0);
    let dot = |i: usize, j: usize| {
        let term = |f: usize| (x.get(i, f) as f32) * (x.get(j, f) as f32);
        match i < j {
            true => (0..40).map(term).sum::<f32>(),
            false => (0..40).rev().map(term).sum::<f32>(),
        }
    };
    let found = Matrix::from_fn(N, N, |i, j| f64::from(dot(i, j)));
    let differs = (0..N).any(|i| (0..i).any(|j| found.get(i, j) != found.get(j, i)));
    assert!(differs, "the example must not be symmetric to the last bit");
    found
}

fn off_by(share: f64) -> Matrix<f64> {
    let mut matrix = products();
    let largest = matrix.as_slice().iter().fold(0.0f64, |m, v| m.max(*v));
    let value = matrix.get(2, 7);
    matrix.set(7, 2, value + share * largest);
    matrix
}

fn sparse(matrix: &Matrix<f64>) -> SparseMatrix<'static, f64> {
    let (mut begins, mut columns) = (vec![0], Vec::new());
    for i in 0..N {
        columns.extend((0..N as u32).collect::<Vec<_>>());
        begins.push((i + 1) * N);
    }
    SparseMatrix::new(N, N, begins, columns, matrix.as_slice().to_vec()).unwrap()
}

/// Everything that takes a symmetric matrix: what became of it.
fn everywhere(matrix: &Matrix<f64>) -> Vec<(&'static str, Result<(), Error>)> {
    let settings = Settings { max_iterations: 3, threads: 1, ..Settings::new(3) };
    let labels = Labels::from_integers(&[0, 1, 2, -1, -1, -1, -1, -1, -1, -1, -1, -1]).unwrap();
    let known = Facts { labels: Some(labels), ..Facts::default() };
    let (dense, single) = (
        DenseMatrix::from_matrix(matrix.clone()).unwrap(),
        DenseMatrix::from_matrix(matrix.cast::<f32>()).unwrap(),
    );
    let entries: Vec<(usize, usize, f64)> =
        (0..N).flat_map(|i| (0..N).map(move |j| (i, j))).map(|(i, j)| (i, j, matrix.get(i, j))).collect();
    let done = |result: Result<(), Error>| result;
    vec![
        ("symnmf", done(fit(&dense, &Model::symnmf(), &settings).map(drop))),
        ("symnmf, f32", done(fit(&single, &Model::symnmf(), &settings).map(drop))),
        ("symnmf, sparse", done(fit(&sparse(matrix), &Model::symnmf(), &settings).map(drop))),
        ("ws-symnmf", done(fit(&dense, &known.model("ws-symnmf"), &settings).map(drop))),
        ("a graph", done(Graph::from_matrix(matrix).map(drop))),
        ("a graph by entries", done(Graph::from_entries(N, &entries).map(drop))),
        ("a Gram", done(symmetric_mean("G", matrix).map(drop))),
    ]
}

#[test]
fn rounding_of_single_precision_is_symmetric_everywhere() {
    for matrix in [products(), off_by(5e-6)] {
        for (what, result) in everywhere(&matrix) {
            assert!(result.is_ok(), "{what}: {result:?}");
        }
    }
}

#[test]
fn what_is_beyond_rounding_is_refused_with_the_pair_and_both_values() {
    for share in [1e-4, 0.1] {
        let matrix = off_by(share);
        for (what, result) in everywhere(&matrix) {
            let Err(Error::NotSymmetric { pair, values, .. }) = result else { panic!("{what}: {result:?}") };
            let close = |a: f64, b: f64| (a - b).abs() < 1e-5 * b;
            assert_eq!(pair, (2, 7), "{what}");
            assert!(
                close(values.0, matrix.get(2, 7)) && close(values.1, matrix.get(7, 2)),
                "{what}: {values:?}"
            );
        }
    }
}

#[test]
fn both_weights_of_a_pair_are_their_mean() {
    let matrix = products();
    let graph = Graph::from_matrix(&matrix).unwrap();
    for i in 0..N {
        for j in 0..N {
            let mean = 0.5 * (matrix.get(i, j) + matrix.get(j, i));
            assert!(
                (graph.weight(i, j) - mean).abs() <= 1e-12 * mean && graph.weight(i, j) == graph.weight(j, i)
            );
        }
    }
    // An entry that is there one way only, within rounding.
    let graph = Graph::from_entries(3, &[(0, 1, 1.0), (1, 0, 1.0), (0, 2, 2e-6)]).unwrap();
    assert_eq!((graph.weight(0, 2), graph.weight(2, 0)), (1e-6, 1e-6));
}
