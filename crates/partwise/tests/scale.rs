//! Promise: fit(c·X) = c·fit(X) for c from 1e-9 to 1e9, for every loss and every model whose strengths have
//! no unit.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Case, Example, accepted, cases, for_examples, product, relative_difference};
use partwise::methods::Form;
use partwise::solvers::SolverSpec;
use partwise::{DenseMatrix, Fit, Init, Matrix, Model, Real, Settings, fit};

/// Models without a strength in the units of the codes or components.
fn scale_free() -> impl Iterator<Item = Case> {
    cases().into_iter().filter(|case| {
        let spec = case.spec;
        // SCNMF's rescaling brings the codes to 1 and the components to the size of X, so its gradients of
        // the two factors scale differently, and the stop test with them. Dead components look alike through
        // a smoothing link, so exact solvers have more than one minimizer to pick from. The gradients of
        // SSNMF's factors have different units, and a coupling is in those of the data.
        let drifts = spec.rescales || spec.takes(partwise::methods::Input::Smoothing) || case.takes_graph();
        let other_units = case.coupled || spec.name == "ssnmf";
        // A component that is held at a profile has the profile's unit.
        let held = spec.name == "guided" && case.references;
        !spec.needs.contains("reference") && !drifts && !other_units && !held
    })
}

fn run<T: Real>(
    example: &Example,
    case: &Case,
    solver: &SolverSpec,
    init: &str,
    factor: f64,
    tolerance: f64,
) -> Option<Fit<T>> {
    let shaped = if case.spec.form == Form::Symmetric { &case.example(example) } else { example };
    let x = Matrix::from_fn(shaped.n, shaped.d, |i, j| T::from_f64(factor * shaped.x.get(i, j)));
    let settings = Settings {
        solver: solver.choice,
        init: Init::from_name(init).unwrap(),
        seed: example.seed,
        tolerance,
        max_iterations: 25,
        threads: 1,
        ..Settings::new(example.k)
    };
    accepted(fit(&DenseMatrix::from_matrix(x).unwrap(), &case.model(example), &settings))
}

const STARTS: [&str; 5] = ["random", "labels", "nndsvd", "nndsvda", "nndsvdar"];

/// Calls with every combination, its fit of X itself, and a label.
fn for_fits<T: Real>(
    example: &Example,
    tolerance: f64,
    mut check: impl FnMut(&Case, &SolverSpec, &str, &Fit<T>, &str),
) {
    for case in scale_free() {
        for solver in case.solvers() {
            for init in STARTS {
                let Some(unit) = run::<T>(example, &case, solver, init, 1.0, tolerance) else { continue };
                let label = format!("{case:?}, {}, {init}, {}, {example:?}", solver.name, T::NAME);
                check(&case, solver, init, &unit, &label);
            }
        }
    }
}

fn scaled<T: Real>(m: &Matrix<T>, factor: f64) -> Matrix<f64> {
    Matrix::from_fn(m.rows(), m.columns(), |i, j| m.get(i, j).to_f64() * factor)
}

/// With a power of 4 every product, root and quotient is scaled exactly: then not a bit may differ.
fn exact<T: Real>(example: &Example) {
    for_fits::<T>(example, 1e-3, |case, solver, init, unit, label| {
        // faer's decompositions scale their input for themselves: that of the start, and that of Nesterov's
        // step.
        if init.starts_with("nndsvd") || solver.name.starts_with("nesterov") || case.spec.form == Form::Images
        {
            return;
        }
        for power in [-15, -10, 10, 15] {
            let factor = 4f64.powi(power);
            let got = run::<T>(example, case, solver, init, factor, 1e-3).unwrap();
            let label = format!("{label}, c = 4^{power}");
            assert_eq!((got.iterations, got.stop), (unit.iterations, unit.stop), "{label}");
            let fitted = |f: &Fit<T>, c| product(&scaled(&f.codes, c), &scaled(&f.components, 1.0));
            assert!(fitted(&got, 1.0 / factor) == fitted(unit, 1.0), "{label}: other bits");
            assert_eq!(got.relative_error, unit.relative_error, "{label}");
        }
    });
}

#[test]
fn scaling_by_a_power_of_four_changes_no_bit() {
    for_examples(6, |example| {
        exact::<f64>(example);
        exact::<f32>(example);
    });
}

#[test]
fn scaled_data_have_scaled_factors() {
    for_examples(6, |example| {
        let norm = example.x.as_slice().iter().map(|x| x * x).sum::<f64>().sqrt();
        for_fits::<f64>(example, 1e-3, |case, solver, init, unit, label| {
            // Eigenvalues of opposite signs are equal singular values, so the singular vectors of symmetric
            // data may be any of many, as rounding has it.
            if case.spec.form == Form::Symmetric && init.starts_with("nndsvd") {
                return;
            }
            // From a start that is the solution already, the gradient is rounding: when that has fallen is
            // chance.
            let solved = unit.history[1].kkt.unwrap() < 1e-9 * norm.powf(1.5);
            for factor in [1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9] {
                let got = run::<f64>(example, case, solver, init, factor, 1e-3).unwrap();
                let label = format!("{label}, c = {factor:e}");
                if !solved {
                    assert_eq!((got.iterations, got.stop), (unit.iterations, unit.stop), "{label}");
                }
                let fitted = product(&scaled(&got.codes, 1.0 / factor), &got.components);
                let difference = relative_difference(&fitted, &product(&unit.codes, &unit.components));
                assert!(difference < 1e-6, "{label}: relative difference {difference}");
                let errors = (got.relative_error - unit.relative_error).abs();
                assert!(errors < 1e-6, "{label}: relative errors differ by {errors}");
            }
        });
    });
}

/// The stop test sees the same gradient at any size of the data: single precision must not lose its square.
#[test]
fn a_gradient_too_small_or_large_to_square_does_not_stop_a_fit() {
    let example = Example::new(12, 8, 3, 5);
    for case in scale_free() {
        for solver in case.solvers() {
            let Some(unit) = run::<f32>(&example, &case, solver, "random", 1.0, 1e-2) else { continue };
            for factor in [1e-15, 1e-12, 1e12, 1e15] {
                let scaled = run::<f32>(&example, &case, solver, "random", factor, 1e-2).unwrap();
                let label = format!("{case:?}, {}, c = {factor:e}", solver.name);
                assert!(
                    scaled.iterations.abs_diff(unit.iterations) <= 1,
                    "{label}: {} and {}",
                    scaled.iterations,
                    unit.iterations
                );
                assert!((scaled.relative_error - unit.relative_error).abs() < 1e-3, "{label}");
            }
        }
    }
}

/// Data so small that a gradient vanishes would seem fitted at the start.
#[test]
fn data_too_small_for_the_number_type_are_fitted_in_units_of_their_own() {
    let error = |scale: f64| {
        let x = DenseMatrix::new(2, 2, vec![scale, 2.0 * scale, 3.0 * scale, 0.0]).unwrap();
        fit(&x, &Model::nmf(), &Settings::new(1)).unwrap().relative_error
    };
    assert!((error(1e-200) - error(1.0)).abs() < 1e-6 && error(1.0) > 0.1);
    let x = DenseMatrix::new(2, 2, vec![1e-30f32, 2e-30, 3e-30, 0.0]).unwrap();
    let single = fit(&x, &Model::nmf(), &Settings::new(1)).unwrap().relative_error;
    assert!((single - error(1.0)).abs() < 1e-5, "{single}");
}
