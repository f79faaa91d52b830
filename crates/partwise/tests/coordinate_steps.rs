//! Promise: coordinate steps of the Kullback–Leibler loss never raise the divergence, reach a lower one than
//! multiplicative updates do in as many iterations, and are taken on request only; methods whose
//! terms they do not take refuse them. And codes without a report of the error are the same codes.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;

use partwise::{
    DataMatrix, DenseMatrix, Iteration, Loss, Matrix, Model, Real, Settings, SolverChoice, SparseMatrix, fit,
    fit_observed,
};

/// Counts of 4 groups of words in 60 samples, with words that all have; most are 0.
fn counts<T: Real>() -> Matrix<T> {
    Matrix::from_fn(60, 90, |i, j| {
        let own = j % 4 == i % 4 && (i * 7 + j * 5) % 11 < 4;
        let common = (i * 13 + j * 3) % 29 == 0;
        T::from_f64(if own { 1.0 + ((i + j) % 5) as f64 } else { f64::from(u8::from(common)) })
    })
}

fn sparse<T: Real>(x: &Matrix<T>) -> SparseMatrix<'static, T> {
    let places = (0..x.rows()).flat_map(|i| (0..x.columns()).map(move |j| (i, j)));
    let triplets = places.map(|(i, j)| (i as u32, j as u32, x.get(i, j)));
    let stored = triplets.filter(|(_, _, value)| *value > T::ZERO).collect();
    SparseMatrix::from_triplets(x.rows(), x.columns(), stored).unwrap().0
}

fn kl() -> Model {
    Model::nmf().with_loss(Loss::KullbackLeibler).unwrap()
}

fn settings(solver: SolverChoice) -> Settings {
    Settings { solver, tolerance: 0.0, max_iterations: 40, threads: 1, ..Settings::new(4) }
}

fn check_steps<T: Real>(data: &dyn DataMatrix<T>, rounding: f64) {
    let mut objectives = Vec::new();
    let mut observer = |iteration: &Iteration| {
        objectives.push(iteration.objective);
        ControlFlow::Continue(())
    };
    let newton = fit_observed(data, &kl(), &settings(SolverChoice::Newton), &mut observer).unwrap();
    let size = data.summary().sum;
    for pair in objectives.windows(2) {
        assert!(pair[1] <= pair[0] + rounding * size, "{} rises to {}", pair[0], pair[1]);
    }
    // What is recorded on the way is the objective itself.
    let last = objectives.last().unwrap();
    assert!((last - newton.objective).abs() <= 10.0 * rounding * size, "{last} and {}", newton.objective);
    let plain = fit(data, &kl(), &settings(SolverChoice::Mu)).unwrap();
    assert!(newton.objective < plain.objective, "{} and {}", newton.objective, plain.objective);
}

#[test]
fn the_divergence_never_rises_and_ends_below_that_of_multiplicative_updates() {
    check_steps(&sparse(&counts::<f64>()), 1e-12);
    check_steps(&sparse(&counts::<f32>()), 1e-5);
    check_steps(&DenseMatrix::from_matrix(counts::<f64>()).unwrap(), 1e-12);
}

#[test]
fn they_are_taken_on_request_only() {
    let x = sparse(&counts::<f64>());
    let solver = |choice| fit(&x, &kl(), &settings(choice)).unwrap().solver;
    let by_name = |choice: SolverChoice| choice.resolve(Loss::KullbackLeibler).unwrap().name;
    assert_eq!(solver(SolverChoice::Newton), by_name(SolverChoice::Newton));
    assert_eq!(solver(SolverChoice::Auto), by_name(SolverChoice::Mu));
}

#[test]
fn codes_without_an_error_are_the_same_codes() {
    let x = sparse(&counts::<f64>());
    let fitted = fit(&x, &Model::nmf(), &settings(SolverChoice::Auto)).unwrap();
    let exact = Settings { max_iterations: 1, ..settings(SolverChoice::Bpp) };
    let with = fitted.transform(&x, &exact).unwrap();
    let without = fitted.transform(&x, &Settings { factors_only: true, ..exact }).unwrap();
    assert_eq!(with.codes, without.codes);
    assert!(with.objective.is_finite() && without.objective.is_nan() && without.relative_error.is_nan());
}
