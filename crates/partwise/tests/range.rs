//! Promise: numbers at the ends of the range. Data whose squares or products leave the range of the number
//! type have the fit of the same data in other units, for every method, solver, loss, start, type and format;
//! where they can't, the error says what to do. A fit that ended as "converged" has finite numbers.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::facts::{Facts, Unit};
use common::{Case, Example, PENALTIES, accepted, cases};
use partwise::guidance::{Advice, Guidance, LabelRule, Strength};
use partwise::solvers::SolverSpec;
use partwise::{
    DataMatrix, DenseMatrix, Error, Fit, Held, Init, Loss, Matrix, Model, Real, Settings, SolverChoice,
    StopReason, fit, solve,
};

/// Numbers that bring data out of the range and back: powers of 16, so that nothing is rounded.
fn factors<T: Real>() -> [f64; 2] {
    let power = if T::NAME == "f32" { 100 } else { 660 };
    [2f64.powi(-power), 2f64.powi(power)]
}

fn times<T: Real>(matrix: &Matrix<f64>, factor: f64) -> Matrix<T> {
    Matrix::from_fn(matrix.rows(), matrix.columns(), |i, j| T::from_f64(matrix.get(i, j) * factor))
}

/// What has a unit, for data times c.
fn facts_times(facts: Facts, graph: bool, c: f64) -> Facts {
    let (mut facts, root) = (facts, c.sqrt());
    if facts.unit == Unit::Raw {
        facts.strength *= root;
        facts.label_weight = facts.label_weight * c * c;
    }
    if graph {
        facts.graph_weight *= c;
    }
    facts.coupling = facts.coupling.map(|weight| weight * c);
    if let Some(reference) = &mut facts.code_reference {
        reference.weight.iter_mut().for_each(|weight| *weight *= root);
    }
    if let Some(reference) = &mut facts.component_reference {
        reference.reference = times(&reference.reference, root);
        reference.weight.iter_mut().for_each(|weight| *weight *= root);
    }
    if let Some(guidance) = &mut facts.guidance {
        let mut scaled: Guidance = guidance.clone();
        for item in scaled.advice_mut() {
            if let Advice::References { profiles, .. } = item {
                *profiles = times(profiles, root);
            }
        }
        facts.guidance = Some(scaled);
    }
    facts
}

fn settings(example: &Example, solver: &SolverSpec, init: &str) -> Settings {
    Settings {
        solver: solver.choice,
        init: Init::from_name(init).unwrap(),
        seed: example.seed,
        tolerance: 1e-3,
        max_iterations: 15,
        threads: 1,
        ..Settings::new(example.k)
    }
}

/// X times c as it is stored.
fn stored<T: Real>(example: &Example, c: f64, sparse: bool) -> Box<dyn DataMatrix<T>> {
    let x = times::<f64>(&example.x, c);
    if sparse {
        Box::new(common::sparse::<T>(&x))
    } else {
        Box::new(DenseMatrix::from_matrix(x.cast::<T>()).unwrap())
    }
}

fn finite<T: Real>(fit: &Fit<T>, label: &str) {
    let numbers = [fit.objective, fit.loss_value, fit.relative_error, fit.kkt];
    assert!(numbers.iter().all(|v| v.is_finite()), "{label}: {numbers:?}");
    let all = |m: &Matrix<T>| m.as_slice().iter().all(|v| v.is_finite());
    assert!(all(&fit.codes) && all(&fit.components) && fit.further.iter().all(|(_, m)| all(m)), "{label}");
    assert!(
        fit.history.iter().all(|i| i.objective.is_finite() && i.kkt.is_none_or(f64::is_finite)),
        "{label}: the history"
    );
}

/// W·H/c, in f64.
fn product<T: Real>(fit: &Fit<T>, c: f64) -> Matrix<f64> {
    let part = |m: &Matrix<T>, by: f64| times::<f64>(&m.cast(), by);
    common::product(&part(&fit.codes, 1.0 / c), &part(&fit.components, 1.0))
}

fn same_fit<T: Real>(example: &Example, starts: &[&str]) -> usize {
    let mut compared = 0;
    for case in cases() {
        let example = case.example(example);
        for solver in case.solvers() {
            for init in starts {
                for sparse in [false, true] {
                    compared += same_fit_of::<T>(&case, &example, solver, init, sparse);
                }
            }
        }
    }
    compared
}

fn same_fit_of<T: Real>(
    case: &Case,
    example: &Example,
    solver: &SolverSpec,
    init: &str,
    sparse: bool,
) -> usize {
    let settings = settings(example, solver, init);
    let Some(unit) =
        accepted(fit(stored::<T>(example, 1.0, sparse).as_ref(), &case.model(example), &settings))
    else {
        return 0;
    };
    // Squares of the data's unit must be numbers where a raw weight goes with them.
    let raw = case.unit == Unit::Raw && T::NAME == "f64";
    let factors = if raw { [2f64.powi(-240), 2f64.powi(240)] } else { factors::<T>() };
    for c in factors {
        let label = format!("{case:?}, {}, {init}, {}, sparse {sparse}, c = {c:e}", solver.name, T::NAME);
        let facts = facts_times(case.facts(example), case.takes_graph(), c);
        let model = facts.try_model(case.spec.name).unwrap().with_loss(case.loss).unwrap();
        let got = fit(stored::<T>(example, c, sparse).as_ref(), &model, &settings);
        let got = got.unwrap_or_else(|error| panic!("{label}: {error}"));
        finite(&got, &label);
        assert_eq!((got.iterations, got.stop), (unit.iterations, unit.stop), "{label}");
        assert_eq!(got.relative_error, unit.relative_error, "{label}");
        // The smallest entries of f32 factors lose digits.
        let allowed = if T::NAME == "f32" { 1e-6 } else { 0.0 };
        let difference = common::relative_difference(&product(&got, c), &product(&unit, 1.0));
        assert!(difference <= allowed, "{label}: {difference}");
        assert!(got.notices.iter().any(|notice| notice.code == "divided"), "{label}: {:?}", got.notices);
    }
    1
}

#[test]
fn data_out_of_range_have_the_fit_of_the_same_data_in_other_units() {
    let example = Example::new(12, 8, 3, 5);
    let starts = ["auto", "random", "nndsvda"];
    let compared = [same_fit::<f64>(&example, &starts), same_fit::<f32>(&example, &starts)];
    assert!(compared.iter().all(|count| *count > 100), "{compared:?}");
}

#[test]
fn penalties_and_given_starts_are_in_the_units_of_the_data() {
    let example = Example::new(12, 8, 3, 5);
    for &loss in Loss::ALL {
        let model = Model::nmf().with_loss(loss).unwrap();
        for (name, l1, l2) in PENALTIES {
            let one_sided = (l1.0 + l2.0 > 0.0) != (l1.1 + l2.1 > 0.0);
            for c in [2f64.powi(-240), 2f64.powi(240)] {
                let (of_l1, of_l2) = if one_sided { (c, c * c) } else { (c.sqrt(), c) };
                let of_loss = if loss == Loss::Frobenius { c * c } else { c };
                let start = |by: f64| Init::Custom {
                    codes: Some(times(&example.factors(1).0, by)),
                    components: Some(times(&example.factors(1).1, by)),
                };
                let at = |init: Init, by_l1: f64, by_l2: f64| Settings {
                    init,
                    l1: (l1.0 * by_l1, l1.1 * by_l1),
                    l2: (l2.0 * by_l2, l2.1 * by_l2),
                    max_iterations: 10,
                    ..Settings::new(example.k)
                };
                let unit = fit(&example.dense::<f64>(), &model, &at(start(1.0), 1.0, 1.0)).unwrap();
                let scaled = at(start(c.sqrt()), of_loss / of_l1, of_loss / of_l2);
                let label = format!("{name}, {}, c = {c:e}", loss.name());
                let got = fit(stored::<f64>(&example, c, false).as_ref(), &model, &scaled);
                let got = got.unwrap_or_else(|error| panic!("{label}: {error}"));
                assert!(
                    common::relative_difference(&product(&got, c), &product(&unit, 1.0)) < 1e-12,
                    "{label}"
                );
            }
        }
    }
}

/// Rows of numbers without full precision, and numbers of all sizes, beside ordinary ones.
fn mixed<T: Real>() -> Vec<(&'static str, Matrix<T>)> {
    let plain = Example::new(12, 8, 3, 9).x;
    let (small, large) = if T::NAME == "f32" { (1e-44, 1e30) } else { (1e-310, 1e300) };
    let with = |value: &dyn Fn(usize, usize, f64) -> f64| {
        Matrix::from_fn(12, 8, |i, j| T::from_f64(value(i, j, plain.get(i, j) + 0.1)))
    };
    vec![
        ("a tiny row", with(&|i, _, x| if i == 3 { x * small } else { x })),
        ("a tiny column", with(&|_, j, x| if j == 2 { x * small } else { x })),
        ("one tiny entry", with(&|i, j, x| if (i, j) == (0, 0) { small } else { x })),
        ("one huge entry", with(&|i, j, x| if (i, j) == (0, 0) { large } else { x })),
        ("all sizes", with(&|i, j, x| x * large.powf(((i * 8 + j) % 13) as f64 / 6.0 - 1.0))),
    ]
}

fn mixed_sizes<T: Real>() {
    for (what, x) in mixed::<T>() {
        let wide = x.cast::<f64>();
        let largest = wide.as_slice().iter().fold(0.0f64, |m, v| m.max(*v));
        let unit = 2f64.powi(-(largest.log2() as i32));
        for &loss in Loss::ALL {
            for solver in partwise::solvers::ALL.iter().filter(|s| s.losses.contains(&loss)) {
                for init in ["random", "nndsvda"] {
                    for sparse in [false, true] {
                        let label = format!("{what}, {}, {}, {init}, {}", loss.name(), solver.name, T::NAME);
                        let data: Box<dyn DataMatrix<T>> = match sparse {
                            true => Box::new(common::sparse::<T>(&wide)),
                            false => Box::new(DenseMatrix::from_matrix(x.clone()).unwrap()),
                        };
                        let settings = Settings {
                            solver: solver.choice,
                            init: Init::from_name(init).unwrap(),
                            max_iterations: 60,
                            ..Settings::new(2)
                        };
                        let model = Model::nmf().with_loss(loss).unwrap();
                        let got = match fit(data.as_ref(), &model, &settings) {
                            // Coordinate steps divide by squares of products, which may leave the range: an
                            // error, never a wrong result.
                            Err(Error::Overflow { .. }) if solver.choice == SolverChoice::Newton => continue,
                            got => got.unwrap_or_else(|e| panic!("{label}: {e}")),
                        };
                        finite(&got, &label);
                        if loss == Loss::Frobenius {
                            let scaled = times::<f64>(&wide, unit);
                            let found = common::product(
                                &times(&got.codes.cast(), unit),
                                &got.components.cast::<f64>(),
                            );
                            let error = common::relative_difference(&found, &scaled);
                            assert!(
                                (error - got.relative_error).abs() < 1e-3,
                                "{label}: {error} and {got:?}"
                            );
                        }
                        let codes = got
                            .transform(data.as_ref(), &settings)
                            .unwrap_or_else(|e| panic!("{label}: {e}"));
                        finite(&codes, &format!("{label}: transform"));
                    }
                }
            }
        }
    }
}

#[test]
fn tiny_and_huge_entries_beside_ordinary_ones_give_finite_results() {
    mixed_sizes::<f64>();
    mixed_sizes::<f32>();
}

#[test]
fn one_factor_is_solved_for_at_the_ends_of_the_range() {
    let example = Example::new(12, 8, 3, 5);
    for &loss in Loss::ALL {
        for solver in partwise::solvers::ALL.iter().filter(|s| s.losses.contains(&loss)) {
            let settings = settings(&example, solver, "random");
            let model = Model::nmf().with_loss(loss).unwrap();
            let unit = fit(&example.dense::<f64>(), &model, &settings).unwrap();
            for (of_data, of_factor) in [(660, 0), (-660, 0), (0, 400), (0, -400), (660, 400), (-660, -400)] {
                let (c, b) = (2f64.powi(of_data), 2f64.powi(of_factor));
                let data = stored::<f64>(&example, c, false);
                let label = format!("{}, {}, X·{c:e}, H·{b:e}", loss.name(), solver.name);
                let codes: Matrix<f64> = times(&unit.codes, b);
                let components: Matrix<f64> = times(&unit.components, b);
                for held in [Held::Codes(&codes), Held::Components(&components)] {
                    let got = solve(data.as_ref(), held, loss, &settings)
                        .unwrap_or_else(|e| panic!("{label}: {e}"));
                    finite(&got, &label);
                    let difference = (got.relative_error - unit.relative_error).abs();
                    assert!(got.relative_error <= unit.relative_error + 0.05, "{label}: {difference}");
                }
            }
            // What a fit left as penalties of the codes has a unit too.
            let penalized = Settings { l2: (0.02, 0.02), ..settings.clone() };
            let Some(fitted) = accepted(fit(&example.dense::<f64>(), &model, &penalized)) else { continue };
            let plain = fitted.transform(&example.dense::<f64>(), &penalized).unwrap();
            for c in factors::<f64>() {
                let of_loss = if loss == Loss::Frobenius { c } else { 1.0 };
                let at = Settings { l2: (0.02 * of_loss, 0.02 * of_loss), ..penalized.clone() };
                let data = stored::<f64>(&example, c, true);
                let got = fit(data.as_ref(), &model, &at).unwrap().transform(data.as_ref(), &at).unwrap();
                let difference = (got.relative_error - plain.relative_error).abs();
                assert!(difference < 1e-6, "{}, {}, c = {c:e}: {difference}", loss.name(), solver.name);
            }
        }
    }
}

#[test]
fn raw_strengths_are_in_the_units_of_the_data() {
    let example = Example::new(12, 8, 3, 5);
    let raw = |rule: LabelRule, m: f64| {
        let labels = Advice::Labels { labels: example.labels(), rule, strength: Strength::Raw(m) };
        Model::guided(Guidance::new([]).with(labels))
    };
    let settings = settings(&example, SolverChoice::Hals.resolve(Loss::Frobenius).unwrap(), "random");
    for (rule, power) in [(LabelRule::Components, 0.5), (LabelRule::View, 2.0)] {
        let unit = fit(&example.dense::<f64>(), &raw(rule, 1.3), &settings).unwrap();
        for c in [2f64.powi(-240), 2f64.powi(240)] {
            let data = stored::<f64>(&example, c, false);
            let got = fit(data.as_ref(), &raw(rule, 1.3 * c.powf(power)), &settings).unwrap();
            assert_eq!(got.relative_error, unit.relative_error, "{rule:?}, c = {c:e}");
        }
    }
}

/// The projected gradient that the stop test met and the one at the end are one norm, multiplicative updates
/// included.
#[test]
fn the_gradient_at_the_end_is_that_of_the_stop_test() {
    let example = Example::new(30, 12, 3, 6);
    for &loss in Loss::ALL {
        for solver in partwise::solvers::ALL.iter().filter(|s| s.losses.contains(&loss)) {
            let settings = Settings {
                solver: solver.choice,
                max_iterations: 3000,
                tolerance: 1e-6,
                ..Settings::new(example.k)
            };
            let got =
                fit(&example.dense::<f64>(), &Model::nmf().with_loss(loss).unwrap(), &settings).unwrap();
            let last = got.history.last().unwrap().kkt.unwrap();
            if got.stop == StopReason::Converged {
                assert!(
                    got.kkt < 3.0 * last,
                    "{}, {}: {} at the end, {last} met",
                    loss.name(),
                    solver.name,
                    got.kkt
                );
            }
        }
    }
}
