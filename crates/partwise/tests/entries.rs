//! Promise: entries count as much as is said. What is not known has no say, in whatever way it is told, and
//! what is left out comes back.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::number;
use partwise::guidance::{Advice, FeatureLists, Guidance};
use partwise::{
    DataMatrix, DenseMatrix, Error, Fit, Matrix, Model, Settings, SolverChoice, SparseMatrix, fit,
};

const N: usize = 40;
const D: usize = 30;

/// Of rank 2, exactly, all entries positive.
fn planted(seed: u64) -> Matrix<f64> {
    let part = |salt: u64, at: usize| 0.2 + number(seed ^ salt, at);
    Matrix::from_fn(N, D, |i, j| {
        (0..2).map(|q| part(1, 2 * i + q).powi(3) * part(2, 2 * j + q).powi(3)).sum()
    })
}

fn known(seed: u64) -> Matrix<f64> {
    Matrix::from_fn(N, D, |i, j| f64::from(number(seed ^ 7, i * D + j) < 0.5))
}

fn masked(x: &Matrix<f64>, known: &Matrix<f64>) -> Matrix<f64> {
    Matrix::from_fn(N, D, |i, j| x.get(i, j) * known.get(i, j))
}

fn listed(known: &Matrix<f64>) -> FeatureLists {
    (0..N).map(|i| (0..D as u32).filter(|j| known.get(i, *j as usize) > 0.0).collect()).collect()
}

fn run(x: &dyn DataMatrix<f64>, advice: Advice, solver: SolverChoice, iterations: usize) -> Fit<f64> {
    let settings = Settings { solver, tolerance: 0.0, max_iterations: iterations, ..Settings::new(2) };
    fit(x, &Model::guided(Guidance::default().with(advice)), &settings).unwrap()
}

fn product(fit: &Fit<f64>, i: usize, j: usize) -> f64 {
    (0..2).map(|q| fit.codes.get(i, q) * fit.components.get(q, j)).sum()
}

fn sparse(x: &Matrix<f64>) -> SparseMatrix<'static, f64> {
    let (mut offsets, mut places, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..N {
        for (j, value) in x.row(i).iter().enumerate().filter(|(_, v)| **v != 0.0) {
            places.push(j as u32);
            values.push(*value);
        }
        offsets.push(places.len());
    }
    SparseMatrix::new(N, D, offsets, places, values).unwrap()
}

/// Half of the entries is not known; they come back, from marks, from lists (dense and sparse data) and from
/// weights of 0.
#[test]
fn what_is_not_known_comes_back() {
    for seed in 0..3 {
        let (x, known) = (planted(seed), known(seed));
        let left = masked(&x, &known);
        let dense = DenseMatrix::from_matrix(left.clone()).unwrap();
        let full = DenseMatrix::from_matrix(x.clone()).unwrap();
        let thin = sparse(&left);
        for solver in [SolverChoice::Hals, SolverChoice::Bpp] {
            let iterations = 800;
            let fits = [
                run(&dense, Advice::KnownEntries(known.clone()), solver, iterations),
                run(&dense, Advice::KnownFeatures(listed(&known)), solver, iterations),
                run(&thin, Advice::KnownFeatures(listed(&known)), solver, iterations),
                run(&full, Advice::EntryWeights(known.clone()), solver, iterations),
            ];
            for (way, fit) in fits.iter().enumerate() {
                let of = |unknown: bool| {
                    let counts = |i: usize, j: usize| (known.get(i, j) == 0.0) == unknown;
                    let all = (0..N * D).map(|at| (at / D, at % D)).filter(|(i, j)| counts(*i, *j));
                    let (mut error, mut size) = (0.0, 0.0);
                    for (i, j) in all {
                        error += (x.get(i, j) - product(fit, i, j)).powi(2);
                        size += x.get(i, j).powi(2);
                    }
                    (error / size).sqrt()
                };
                assert!(of(true) < 0.02, "{solver:?}, way {way}, seed {seed}: {}", of(true));
                assert!(
                    (fit.relative_error - of(false)).abs() < 1e-6,
                    "{} {}",
                    fit.relative_error,
                    of(false)
                );
            }
        }
    }
}

/// The objective is the weighted one, it never rises, and what counts nothing changes no bit.
#[test]
fn weights_of_entries_are_the_objective() {
    for seed in 0..3 {
        let mut x = planted(seed);
        let weights = Matrix::from_fn(N, D, |i, j| match number(seed ^ 9, i * D + j) {
            r if r < 0.2 => 0.0,
            r if r < 0.4 => 1.0,
            r => 3.0 * r,
        });
        (0..N * D).for_each(|at| {
            let (i, j) = (at / D, at % D);
            x.set(i, j, x.get(i, j) + 0.3 * number(seed ^ 11, at));
        });
        let data = DenseMatrix::from_matrix(x.clone()).unwrap();
        let advice = || Advice::EntryWeights(weights.clone());
        for solver in [SolverChoice::Hals, SolverChoice::Bpp, SolverChoice::Nesterov] {
            let done = run(&data, advice(), solver, 30);
            let mut naive = 0.0;
            for i in 0..N {
                for j in 0..D {
                    naive += weights.get(i, j) * (x.get(i, j) - product(&done, i, j)).powi(2);
                }
            }
            assert!((done.objective - naive).abs() < 1e-9 * naive, "{solver:?}: {} {naive}", done.objective);
            let falls = done.history.windows(2).all(|w| w[1].objective <= w[0].objective * (1.0 + 1e-12));
            assert!(falls, "{solver:?}");

            let other = Matrix::from_fn(N, D, |i, j| {
                if weights.get(i, j) == 0.0 { 9.0 * number(seed, i + j) } else { x.get(i, j) }
            });
            let again = run(&DenseMatrix::from_matrix(other).unwrap(), advice(), solver, 30);
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9 * (1.0 + b.abs());
            assert!(near(again.objective, done.objective), "{} {}", again.objective, done.objective);
        }
    }
}

#[test]
fn faults_are_named() {
    let x = DenseMatrix::from_matrix(planted(0)).unwrap();
    let fails = |items: Vec<Advice>| {
        let guidance = items.into_iter().fold(Guidance::default(), Guidance::with);
        fit(&x, &Model::guided(guidance), &Settings::new(2)).unwrap_err().to_string()
    };
    let ones = || Matrix::from_fn(N, D, |_, _| 1.0);
    let negative = Matrix::from_fn(N, D, |i, j| if (i, j) == (3, 4) { -1.0 } else { 1.0 });
    let said = fails(vec![Advice::EntryWeights(negative)]);
    assert!(said.contains("row 3, column 4") && said.contains("0 or more"), "{said}");
    let said = fails(vec![Advice::EntryWeights(Matrix::zeros(N, 2))]);
    assert!(said.contains("40 x 30") && said.contains("40 x 2"), "{said}");
    let all: Vec<u32> = (0..D as u32).collect();
    let mut lists = vec![all.clone(); N];
    lists[5] = vec![2, 30];
    let said = fails(vec![Advice::KnownFeatures(lists.clone().into())]);
    assert!(said.contains("row 5, column 0") || said.contains("below 30"), "{said}");
    lists[5] = all.iter().rev().copied().collect();
    let said = fails(vec![Advice::KnownFeatures(lists.clone().into())]);
    assert!(said.contains("sample 5") && said.contains("ascending"), "{said}");
    lists[5] = all[1..].to_vec();
    let said = fails(vec![Advice::KnownFeatures(lists.into())]);
    assert!(said.contains("row 5, column 0"), "{said}");
    let said = fails(vec![Advice::KnownFeatures(vec![all; 3].into())]);
    assert!(said.contains("40") && said.contains('3'), "{said}");
    let said = fails(vec![Advice::EntryWeights(ones()), Advice::KnownEntries(ones())]);
    assert!(said.contains("twice"), "{said}");
    let kl = Model::guided(Guidance::default().with(Advice::EntryWeights(ones())));
    let kl = kl.with_loss(partwise::Loss::KullbackLeibler).unwrap();
    assert!(matches!(fit(&x, &kl, &Settings::new(2)), Err(Error::Incompatible { .. })));
}
