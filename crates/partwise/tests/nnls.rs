//! Promise: every solver of the Frobenius loss reaches the same optimum of a one-factor problem, where the
//! KKT conditions hold; block principal pivoting ends, and is no worse than long coordinate descent, on
//! degenerate Grams too.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Example, for_examples, number, relative_difference};
use partwise::{
    DenseMatrix, Fit, Held, Init, Loss, Matrix, Model, Real, Settings, SolverChoice, fit, solve, solvers,
};

fn settings(solver: SolverChoice, rank: usize, iterations: usize) -> Settings {
    Settings { solver, tolerance: 1e-12, max_iterations: iterations, threads: 1, ..Settings::new(rank) }
}

/// Numbers in (−½, ½).
fn signed(rows: usize, columns: usize, seed: u64) -> Matrix<f64> {
    Matrix::from_fn(rows, columns, |i, j| number(seed, i * columns + j) - 0.5)
}

fn codes_of<T: Real>(x: &Matrix<f64>, h: &Matrix<f64>, solver: SolverChoice, iterations: usize) -> Fit<T> {
    let data = DenseMatrix::<T>::from_matrix(x.cast()).unwrap();
    solve(&data, Held::Components(&h.cast()), Loss::Frobenius, &settings(solver, h.rows(), iterations))
        .unwrap()
}

fn squares(m: &Matrix<f64>) -> f64 {
    m.as_slice().iter().map(|v| v * v).sum()
}

/// The largest violation of u ≥ 0, g ≥ 0, u·g = 0 with g = (UH − X)Hᵀ, each entry of g in the scale of its
/// component.
fn violation(x: &Matrix<f64>, h: &Matrix<f64>, u: &Matrix<f64>) -> f64 {
    let (residual, mut worst) = (common::product(u, h), 0.0f64);
    for i in 0..x.rows() {
        let size = x.row(i).iter().map(|v| v * v).sum::<f64>().sqrt();
        for c in 0..h.rows() {
            let length = h.row(c).iter().map(|v| v * v).sum::<f64>().sqrt();
            let g: f64 = (0..x.columns()).map(|j| (residual.get(i, j) - x.get(i, j)) * h.get(c, j)).sum();
            assert!(u.get(i, c) >= 0.0);
            let g = if u.get(i, c) > 0.0 { g.abs() } else { (-g).max(0.0) };
            worst = worst.max(if size * length > 0.0 { g / (size * length) } else { 0.0 });
        }
    }
    worst
}

#[test]
fn all_solvers_reach_the_same_optimum() {
    for_examples(12, |example| {
        let Example { n, k, seed, .. } = *example;
        // Well conditioned and signed: d is well above k.
        let d = 3 * k + 4;
        let cases = [
            (signed(n, d, seed), signed(k, d, seed ^ 1)),
            (example.positive(n, d, 1), example.positive(k, d, 2)),
        ];
        for (at, (x, h)) in cases.iter().enumerate() {
            let optimum = codes_of::<f64>(x, h, SolverChoice::Bpp, 3);
            assert!(violation(x, h, &optimum.codes) < 1e-10, "bpp, {example:?}");
            for solver in solvers::ALL.iter().filter(|s| s.monotone && s.losses.contains(&Loss::Frobenius)) {
                if solver.needs_non_negative && at == 0 {
                    continue;
                }
                // Multiplicative updates only crawl towards zeros.
                let (iterations, tolerance) = if solver.zeros_stay { (20_000, 1e-5) } else { (3_000, 1e-9) };
                let fit = codes_of::<f64>(x, h, solver.choice, iterations);
                let excess = (fit.objective - optimum.objective) / squares(x);
                assert!(excess.abs() < tolerance, "{}, {example:?}: excess {excess}", solver.name);
                if !solver.zeros_stay {
                    let difference = relative_difference(&fit.codes, &optimum.codes);
                    assert!(difference < 1e-6, "{}, {example:?}: difference {difference}", solver.name);
                    assert!(violation(x, h, &fit.codes) < 1e-8, "{}, {example:?}", solver.name);
                }
            }
        }
    });
}

#[test]
fn the_components_are_solved_for_as_the_codes_of_the_transpose() {
    for_examples(12, |example| {
        let (n, d, k) = (3 * example.k + 4, example.n, example.k);
        let (x, w) = (signed(n, d, example.seed), signed(n, k, example.seed ^ 1));
        let data = DenseMatrix::from_matrix(x.clone()).unwrap();
        let settings = settings(SolverChoice::Bpp, k, 2);
        let components = solve(&data, Held::Codes(&w), Loss::Frobenius, &settings).unwrap().components;
        let codes = codes_of::<f64>(&x.transposed(), &w.transposed(), SolverChoice::Bpp, 2).codes;
        assert!(relative_difference(&components.transposed(), &codes) < 1e-10, "{example:?}");
    });
}

/// Held components that make the Gram singular or nearly so.
fn degenerate(example: &Example, d: usize) -> Vec<(&'static str, Matrix<f64>)> {
    let k = example.k + 2;
    let base = signed(k, d, example.seed ^ 5);
    let with = |f: &dyn Fn(usize, usize) -> f64| Matrix::from_fn(k, d, f);
    vec![
        ("a component twice", with(&|c, j| base.get(if c == 1 { 0 } else { c }, j))),
        ("a component of zeros", with(&|c, j| if c == 1 { 0.0 } else { base.get(c, j) })),
        ("a rank of one", with(&|c, j| (1.0 + c as f64) * base.get(0, j))),
        (
            "a sum of two others",
            with(&|c, j| if c == 2 { base.get(0, j) + base.get(1, j) } else { base.get(c, j) }),
        ),
        (
            "nearly twice",
            with(&|c, j| if c == 1 { base.get(0, j) + 1e-7 * base.get(1, j) } else { base.get(c, j) }),
        ),
        (
            "scales from 1e-6 to 1e6",
            with(&|c, j| base.get(c, j) * 10f64.powf(12.0 * c as f64 / (k - 1) as f64 - 6.0)),
        ),
        ("only zeros", with(&|_, _| 0.0)),
    ]
}

#[test]
fn pivoting_is_no_worse_than_long_coordinate_descent_on_degenerate_grams() {
    for_examples(12, |example| {
        // Fewer features than components too.
        for d in [example.k + 1, 2 * example.k + 6] {
            let x = signed(example.n, d, example.seed);
            for (name, h) in degenerate(example, d) {
                let pivoting = codes_of::<f64>(&x, &h, SolverChoice::Bpp, 3);
                let coordinates = codes_of::<f64>(&x, &h, SolverChoice::Hals, 2_000);
                let excess = (pivoting.objective - coordinates.objective) / squares(&x);
                assert!(excess < 1e-9, "{name}, d = {d}, {example:?}: worse by {excess}");
                assert!(pivoting.codes.as_slice().iter().all(|v| v.is_finite() && *v >= 0.0));
            }
        }
    });
}

#[test]
fn single_precision_reaches_the_optimum_of_double_precision() {
    for_examples(12, |example| {
        let d = 3 * example.k + 4;
        let (x, h) = (signed(example.n, d, example.seed), signed(example.k, d, example.seed ^ 1));
        let exact = codes_of::<f64>(&x, &h, SolverChoice::Bpp, 3).objective;
        for solver in solvers::ALL.iter().filter(|s| s.monotone && !s.needs_non_negative) {
            let fit = codes_of::<f32>(&x, &h, solver.choice, 500);
            let excess = (fit.objective - exact) / squares(&x);
            assert!(excess.abs() < 1e-5, "{}, {example:?}: excess {excess}", solver.name);
        }
    });
}

/// Entries on their way to 0 must not linger among the subnormal numbers, on which processors are slow.
#[test]
fn multiplicative_updates_leave_no_subnormal_entries() {
    let parts = |i: usize, j: usize| if (i + j).is_multiple_of(4) { 1.0 + (i % 5) as f32 } else { 0.0 };
    let x = DenseMatrix::from_matrix(Matrix::from_fn(60, 24, parts)).unwrap();
    for &loss in Loss::ALL {
        let model = Model::nmf().with_loss(loss).unwrap();
        let settings = Settings {
            solver: SolverChoice::Mu,
            init: Init::Random,
            tolerance: 0.0,
            max_iterations: 2000,
            threads: 1,
            ..Settings::new(6)
        };
        let fit = fit(&x, &model, &settings).unwrap();
        let entries = || fit.codes.as_slice().iter().chain(fit.components.as_slice());
        assert!(entries().all(|v| *v == 0.0 || v.is_normal()), "{loss:?}");
        assert!(entries().filter(|v| **v == 0.0).count() > 100, "{loss:?}: entries have vanished");
    }
}
