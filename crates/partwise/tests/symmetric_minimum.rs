//! Promise: a symmetric factorization reaches the minimum of ‖S − HHᵀ‖², with one factor that comes twice;
//! with a coupling between two factors it is the published alternation.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod known;

use known::Draw;
use partwise::{
    Acceleration, Advice, DataMatrix, DenseMatrix, Fit, Init, Labels, Matrix, MethodOptions, Model, Real,
    Settings, Slot, SolverChoice, SparseMatrix, fit,
};

/// S = HHᵀ of a planted H (n × k) with a block for each component, and some noise in every entry or, for
/// sparse data, in few.
fn planted(n: usize, k: usize, noise: f64, dense: bool, seed: u64) -> (Matrix<f64>, Matrix<f64>) {
    let mut draw = Draw(seed);
    let h = Matrix::from_fn(n, k, |i, j| match (i % k == j, draw.chance(0.15)) {
        (true, _) => 0.5 + draw.number(),
        (false, true) if dense => 0.4 * draw.number(),
        _ => 0.0,
    });
    let mut s = Matrix::from_fn(n, n, |i, j| h.row(i).iter().zip(h.row(j)).map(|(a, b)| a * b).sum::<f64>());
    for i in 0..n {
        for j in 0..=i {
            let more = if dense || draw.chance(0.02) { noise * draw.number() } else { 0.0 };
            let value = s.get(i, j) + more;
            s.set(i, j, value);
            s.set(j, i, value);
        }
    }
    (s, h)
}

fn data<T: Real>(s: &Matrix<f64>, sparse: bool) -> Box<dyn DataMatrix<T>> {
    let n = s.rows();
    if !sparse {
        return Box::new(DenseMatrix::from_matrix(s.cast::<T>()).unwrap());
    }
    let (mut begins, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..n {
        for (j, value) in s.row(i).iter().enumerate().filter(|(_, value)| **value != 0.0) {
            columns.push(j as u32);
            values.push(T::from_f64(*value));
        }
        begins.push(columns.len());
    }
    Box::new(SparseMatrix::new(n, n, begins, columns, values).unwrap())
}

/// ‖S − HHᵀ‖/‖S‖.
fn error(s: &Matrix<f64>, h: &Matrix<f64>) -> f64 {
    let (mut left, mut all) = (0.0, 0.0);
    for i in 0..s.rows() {
        for j in 0..s.rows() {
            let product: f64 = h.row(i).iter().zip(h.row(j)).map(|(a, b)| a * b).sum();
            left += (s.get(i, j) - product).powi(2);
            all += s.get(i, j).powi(2);
        }
    }
    (left / all).sqrt()
}

fn settings(k: usize) -> Settings {
    Settings { threads: 1, ..Settings::new(k) }
}

/// Projected gradient steps on ‖S − HHᵀ‖² from the planted factor, each the largest that lowers it: written
/// from the formula alone.
fn long_reference(s: &Matrix<f64>, start: &Matrix<f64>) -> f64 {
    let (n, k) = start.shape();
    let (mut h, mut best, mut step) = (start.clone(), error(s, start), 1e-3);
    for _ in 0..400 {
        let gram = h.gram();
        let gradient = Matrix::from_fn(n, k, |i, j| {
            let along: f64 = (0..k).map(|l| h.get(i, l) * gram.get(l, j)).sum();
            let product: f64 = (0..n).map(|l| s.get(i, l) * h.get(l, j)).sum();
            along - product
        });
        step *= 2.0;
        loop {
            let next = Matrix::from_fn(n, k, |i, j| (h.get(i, j) - step * gradient.get(i, j)).max(0.0));
            let found = error(s, &next);
            if found <= best {
                (h, best) = (next, found);
                break;
            }
            step *= 0.5;
            if step < 1e-12 {
                return best;
            }
        }
    }
    best
}

#[test]
fn the_minimum_is_reached_on_planted_dense_and_sparse_data() {
    fn check<T: Real>(s: &Matrix<f64>, wanted: f64, k: usize, sparse: bool) {
        let data = data::<T>(s, sparse);
        for seed in 0..3 {
            let fit = fit(data.as_ref(), &Model::symnmf(), &Settings { seed, ..settings(k) }).unwrap();
            let found = error(s, &fit.codes.cast());
            assert!(found <= 1.001 * wanted, "{}: {found} in place of {wanted}, seed {seed}", T::NAME);
            assert!((fit.relative_error - found).abs() < 1e-4 * found);
            assert_eq!(fit.symmetric_error, Some(fit.relative_error));
            assert_eq!(fit.components, fit.codes.transposed(), "one factor");
            assert!(fit.iterations < 100, "{} iterations", fit.iterations);
        }
    }
    for (n, k, dense) in [(90, 6, true), (120, 8, false)] {
        let (s, h) = planted(n, k, 0.3, dense, 5);
        let wanted = long_reference(&s, &h);
        assert!(wanted > 0.01, "there is something left to reach");
        for sparse in [false, true] {
            check::<f64>(&s, wanted, k, sparse);
            check::<f32>(&s, wanted, k, sparse);
        }
    }
}

#[test]
fn every_solver_comes_near_the_minimum_from_a_random_start() {
    let (s, h) = planted(60, 3, 0.2, true, 8);
    let (wanted, data) = (long_reference(&s, &h), data::<f64>(&s, false));
    let solvers =
        [SolverChoice::Auto, SolverChoice::Hals, SolverChoice::Bpp, SolverChoice::Nesterov, SolverChoice::Mu];
    for solver in solvers {
        let settings = Settings { solver, init: Init::Random, max_iterations: 2000, ..settings(3) };
        let found = fit(data.as_ref(), &Model::symnmf(), &settings).unwrap();
        let error = error(&s, &found.codes);
        assert!(error <= 1.01 * wanted, "{}: {error} in place of {wanted}", found.solver);
    }
}

#[test]
fn similarities_times_a_number_give_the_same_memberships() {
    let (s, _) = planted(60, 4, 0.2, true, 3);
    let labels: Vec<i32> = (0..60).map(|i| if i < 8 { i % 4 } else { -1 }).collect();
    let labels = Labels::from_integers(&labels).unwrap();
    for model in [Model::symnmf(), Model::ws_symnmf(Advice::labels(labels))] {
        for init in [Init::Auto, Init::Random] {
            let at = |scale: f64| {
                let scaled = Matrix::from_fn(60, 60, |i, j| scale * s.get(i, j));
                let settings = Settings { init: init.clone(), ..settings(4) };
                fit(data::<f64>(&scaled, false).as_ref(), &model, &settings).unwrap()
            };
            let one = at(1.0);
            for scale in [1e-200, 1e-9, 4.0, 1e3, 1e200] {
                let other = at(scale);
                for (a, b) in one.codes.as_slice().iter().zip(other.codes.as_slice()) {
                    let (a, b) = (*a, *b / scale.sqrt());
                    assert!((a - b).abs() < 1e-3, "{}, {scale}: {a} and {b}", model.spec().name);
                }
            }
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (s, _) = planted(700, 5, 0.2, false, 4);
    let labels: Vec<i32> = (0..700).map(|i| if i < 20 { i % 5 } else { -1 }).collect();
    let labels = Labels::from_integers(&labels).unwrap();
    for sparse in [false, true] {
        let data = data::<f32>(&s, sparse);
        for model in [Model::symnmf(), Model::ws_symnmf(Advice::labels(labels.clone()))] {
            let at = |threads| -> Vec<u64> {
                let settings = Settings { threads, max_iterations: 12, tolerance: 0.0, ..Settings::new(5) };
                let fit: Fit<f32> = fit(data.as_ref(), &model, &settings).unwrap();
                let objectives = fit.history.iter().map(|iteration| iteration.objective);
                fit.codes
                    .as_slice()
                    .iter()
                    .map(|v| f64::from(*v))
                    .chain(objectives)
                    .map(f64::to_bits)
                    .collect()
            };
            assert!(at(1) == at(2) && at(1) == at(4), "{}, sparse {sparse}", model.spec().name);
        }
    }
}

#[test]
fn the_objective_never_rises_where_similarities_are_far_from_positive_semi_definite() {
    // Two groups that are similar to each other only: the eigenvalues are ± the same.
    let n = 30;
    let mut draw = Draw(6);
    let mut s = Matrix::zeros(n, n);
    for i in 0..n {
        for j in 0..i {
            let value = if i % 2 == j % 2 { 0.0 } else { 0.5 + draw.number() };
            s.set(i, j, value);
            s.set(j, i, value);
        }
    }
    for (init, acceleration, solver) in [
        (Init::Auto, Acceleration::Auto, SolverChoice::Auto),
        (Init::Random, Acceleration::Auto, SolverChoice::Auto),
        (Init::Random, Acceleration::Off, SolverChoice::Bpp),
        (Init::Random, Acceleration::On, SolverChoice::Mu),
    ] {
        let settings =
            Settings { init, acceleration, solver, tolerance: 0.0, max_iterations: 60, ..settings(4) };
        let fit = fit(data::<f64>(&s, false).as_ref(), &Model::symnmf(), &settings).unwrap();
        let size = 1e-12 * fit.history[0].objective;
        assert!(fit.history.windows(2).all(|pair| pair[1].objective <= pair[0].objective + size));
        assert_eq!(fit.components, fit.codes.transposed());
    }
}

#[test]
fn penalties_of_either_factor_are_those_of_the_one() {
    let (s, _) = planted(40, 3, 0.2, true, 2);
    let data = data::<f64>(&s, false);
    let at = |l1, l2| {
        let settings = Settings { l1, l2, init: Init::Random, ..settings(3) };
        fit(data.as_ref(), &Model::symnmf(), &settings).unwrap()
    };
    let (one, other, both) =
        (at((2e-3, 0.0), (0.0, 4e-3)), at((0.0, 2e-3), (4e-3, 0.0)), at((1e-3, 1e-3), (2e-3, 2e-3)));
    assert_eq!(one.codes, other.codes);
    assert_eq!(one.codes, both.codes);
    assert!(at((0.0, 0.0), (0.0, 0.0)).objective < both.objective);
}

/// One iteration by hand: for each factor, every coordinate in turn to its minimum.
fn published(s: &Matrix<f64>, [one, two]: &mut [Matrix<f64>; 2], mu: f64) {
    let (n, k) = one.shape();
    for side in 0..2 {
        let (own, other) = if side == 0 { (&mut *one, &*two) } else { (&mut *two, &*one) };
        let gram = other.gram();
        for i in 0..n {
            for j in 0..k {
                let product: f64 = (0..n).map(|l| s.get(i, l) * other.get(l, j)).sum();
                let along: f64 = (0..k).map(|l| own.get(i, l) * gram.get(l, j)).sum();
                let slope = along + mu * own.get(i, j) - product - mu * other.get(i, j);
                own.set(i, j, (own.get(i, j) - slope / (gram.get(j, j) + mu)).max(0.0));
            }
        }
    }
}

#[test]
fn with_a_coupling_it_is_the_published_alternation() {
    let (s, _) = planted(30, 3, 0.2, true, 7);
    let largest = s.as_slice().iter().fold(0.0f64, |most, value| most.max(*value));
    let mut draw = Draw(11);
    let mut factors = [draw.matrix(30, 3, 0.0), draw.matrix(30, 3, 0.0)];
    let start = vec![(Slot::Codes, factors[0].clone()), (Slot::Components, factors[1].clone())];
    let options = MethodOptions { coupling: Some(largest * largest), ..MethodOptions::default() };
    let settings = Settings { init: Init::Given(start), tolerance: 0.0, max_iterations: 6, ..settings(3) };
    let fit =
        fit(data::<f64>(&s, false).as_ref(), &Model::symnmf().with_options(options), &settings).unwrap();
    for _ in 0..6 {
        published(&s, &mut factors, largest * largest);
    }
    let components = fit.components.transposed();
    for (found, expected) in [(&fit.codes, &factors[0]), (&components, &factors[1])] {
        for (a, b) in found.as_slice().iter().zip(expected.as_slice()) {
            assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} and {b}");
        }
    }
    assert!((fit.symmetric_error.unwrap() - error(&s, &fit.codes)).abs() < 1e-9);
}
