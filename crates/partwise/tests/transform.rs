//! Promise: the codes of new rows are those that the fit gave its own unguided rows, to 1e-6 with tight
//! tolerances; a finished fit is a start from which nothing moves.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Case, Example, accepted, cases, relative_difference};
use partwise::methods::{Form, Tying};
use partwise::{
    DataMatrix, DenseMatrix, Fit, Held, Init, Loss, Matrix, Model, Settings, Slot, SolverChoice, fit, solve,
};

fn examples() -> impl Iterator<Item = Example> {
    (0..2).map(|seed| Example::new(24, 12, 3, 100 + seed))
}

fn tight(example: &Example, solver: SolverChoice, penalty: &common::Penalty) -> Settings {
    Settings {
        solver,
        tolerance: 1e-10,
        max_iterations: 20_000,
        threads: 1,
        l1: penalty.1,
        l2: penalty.2,
        ..Settings::new(example.k)
    }
}

/// Whether the objective has no minimizer: labels pull with a strength in the units of the codes, which is
/// cancelled bit by bit as the codes shrink and the components grow, so that HALS follows for ever. So it is
/// with the weight of a graph.
fn drifts(case: &Case) -> bool {
    (case.spec.needs.contains("reference") && !case.references) || case.takes_graph()
}

/// The rows that nothing is known about.
fn unguided(example: &Example, case: &Case) -> Vec<usize> {
    let facts = case.facts(example);
    let isolated = facts.graph.as_ref().map(|graph| graph.isolated());
    let unjoined = |i: &usize| isolated.as_ref().is_none_or(|isolated| isolated.contains(i));
    let unlabelled =
        |i: usize| example.labels[i] < 0 || case.spec.needs == "nothing" || case.spec.name == "gnmf";
    let free = |i: &usize| match (&facts.code_reference, &facts.label_targets) {
        (Some(reference), _) => reference.weight[*i] == 0.0,
        (None, Some(targets)) => targets.known.row(*i).iter().all(|m| *m == 0.0),
        (None, None) if case.spec.name == "guided" => i.is_multiple_of(3) && unlabelled(*i),
        (None, None) => unlabelled(*i) && unjoined(i),
    };
    (0..example.n).filter(free).collect()
}

fn rows(m: &Matrix<f64>, rows: &[usize]) -> Matrix<f64> {
    Matrix::from_fn(rows.len(), m.columns(), |i, j| m.get(rows[i], j))
}

#[test]
fn new_rows_get_the_codes_of_the_unguided_rows() {
    let mut checked = 0;
    for example in examples() {
        // Beside the fit, symmetric models hold the codes near the components, which a new row has none of.
        let applies = |case: &Case| case.loss == Loss::Frobenius && case.spec.form != Form::Symmetric;
        // A new row with unknown entries can't be told from one of zeros.
        let applies = |case: &Case| applies(case) && !(case.spec.name == "ssnmf" && case.references);
        // The graph joins (nearly) all samples.
        let applies = |case: &Case| applies(case) && (case.spec.name != "guided" || case.references);
        for case in cases().into_iter().filter(applies) {
            let example = case.example(&example);
            let x = example.dense::<f64>();
            let free = unguided(&example, &case);
            assert!(free.len() > 3, "{case:?}");
            for penalty in common::PENALTIES {
                // A row's weight in NCW-NMF depends on all the data, so beside a penalty a new row has other
                // codes.
                if case.spec.tying == Tying::NormalizedCut && penalty.0 != "none" {
                    continue;
                }
                for solver in [SolverChoice::Hals, SolverChoice::Bpp] {
                    let mut settings = tight(&example, solver, &penalty);
                    if drifts(&case) {
                        // The penalty that a scale-free one leaves for the codes follows the drift too.
                        if solver == SolverChoice::Hals || penalty.0 != "none" {
                            continue;
                        }
                        // The codes of block principal pivoting are exact for the components before them.
                        settings =
                            Settings { first: Some(Slot::Components), max_iterations: 500, ..settings };
                    }
                    let Some(fit) = accepted(fit(&x, &case.model(&example), &settings)) else { continue };
                    let coded = fit.transform(&x, &settings).unwrap();
                    let difference =
                        relative_difference(&rows(&coded.codes, &free), &rows(&fit.codes, &free));
                    let label = format!("{case:?}, {}, penalty {}, {example:?}", fit.solver, penalty.0);
                    assert!(
                        difference < 1e-6,
                        "{label}: {difference}, fit {:?} {}, codes {:?} {}",
                        fit.stop,
                        fit.iterations,
                        coded.stop,
                        coded.iterations
                    );
                    assert_eq!(coded.components, fit.components, "{label}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 60, "{checked}");
}

/// Kullback-Leibler codes crawl, so they are compared by the objective.
#[test]
fn new_rows_fit_as_well_for_kullback_leibler() {
    for example in examples() {
        let x = example.dense::<f64>();
        let model = Model::nmf().with_loss(Loss::KullbackLeibler).unwrap();
        let settings = Settings { max_iterations: 3_000, tolerance: 1e-8, ..Settings::new(example.k) };
        let fit = fit(&x, &model, &settings).unwrap();
        let coded = fit.transform(&x, &settings).unwrap();
        let difference = (coded.objective - fit.objective).abs() / fit.objective;
        assert!(difference < 1e-5, "{example:?}: {} and {}", coded.objective, fit.objective);
    }
}

/// A feature that is new in the new rows has no part: whatever the codes, the divergence there would be
/// infinite.
#[test]
fn features_that_no_component_has_are_left_out_of_the_codes() {
    for example in examples() {
        let (n, d) = (example.n, example.d);
        let known = Matrix::from_fn(n, d, |i, j| if j == 2 { 0.0 } else { example.x.get(i, j) });
        let model = Model::nmf().with_loss(Loss::KullbackLeibler).unwrap();
        let settings = Settings { max_iterations: 30, tolerance: 0.0, ..Settings::new(example.k) };
        let dense = DenseMatrix::from_matrix(known.clone()).unwrap();
        let fit = fit(&dense, &model, &settings).unwrap();
        let new = Matrix::from_fn(n, d, |i, j| if j == 2 { 1.0 + i as f64 } else { known.get(i, j) });
        let expected = fit.transform(&dense, &settings).unwrap();
        assert!(expected.notices.iter().all(|notice| notice.code != "unknown-features"));
        let (stored, new) = (common::sparse::<f64>(&new), DenseMatrix::from_matrix(new).unwrap());
        for data in [&new as &dyn DataMatrix<f64>, &stored] {
            let coded = fit.transform(data, &settings).unwrap();
            assert!(relative_difference(&coded.codes, &expected.codes) < 1e-12, "{example:?}");
            let notice = coded.notices.iter().find(|notice| notice.code == "unknown-features").unwrap();
            assert!(notice.message.contains("data are ignored: 1, the first 2 ("), "{}", notice.message);
        }
    }
}

/// A sample that is there twice has the memberships of its twin.
#[test]
fn a_new_row_of_similarities_belongs_where_its_twin_does() {
    let n = 12;
    let similarity = |i: usize, j: usize| if i % 3 == j % 3 { 1.0 + 0.01 * (i + j) as f64 } else { 0.05 };
    let x = DenseMatrix::from_matrix(Matrix::from_fn(n, n, similarity)).unwrap();
    let settings = Settings { max_iterations: 300, ..Settings::new(3) };
    let fit = fit(&x, &Model::symnmf(), &settings).unwrap();
    let rows = DenseMatrix::from_matrix(Matrix::from_fn(5, n, similarity)).unwrap();
    let coded = fit.transform(&rows, &settings).unwrap();
    for i in 0..5 {
        for (new, old) in coded.codes.row(i).iter().zip(fit.codes.row(i)) {
            assert!((new - old).abs() < 0.05, "{i}: {new} and {old}");
        }
    }
}

#[test]
fn either_factor_is_solved_for_with_the_other_held() {
    for example in examples() {
        let x = example.dense::<f64>();
        for solver in [SolverChoice::Hals, SolverChoice::Bpp] {
            let settings = tight(&example, solver, &common::NO_PENALTY);
            let fit = fit(&x, &Model::nmf(), &settings).unwrap();
            let codes = solve(&x, Held::Components(&fit.components), Loss::Frobenius, &settings).unwrap();
            let components = solve(&x, Held::Codes(&fit.codes), Loss::Frobenius, &settings).unwrap();
            assert!(relative_difference(&codes.codes, &fit.codes) < 1e-6, "{example:?}");
            assert!(relative_difference(&components.components, &fit.components) < 1e-6, "{example:?}");
            assert_eq!(components.codes, fit.codes);
        }
    }
}

fn restarted(example: &Example, fit: &Fit<f64>, settings: &Settings) -> Settings {
    let mut factors = vec![(Slot::Codes, fit.codes.clone())];
    if !fit.further.iter().any(|(slot, _)| *slot == Slot::ImageRows) {
        factors.push((Slot::Components, fit.components.transposed()));
    }
    factors.extend(fit.further.iter().filter(|(slot, _)| *slot != Slot::Scales).cloned());
    let init = Init::Given(factors);
    assert_eq!(fit.codes.shape(), (example.n, example.k));
    Settings { init, ..settings.clone() }
}

/// The tolerance is relative to the first iteration, which a finished fit begins at its end: so what is
/// promised is that it stays.
#[test]
fn a_finished_fit_is_a_start_from_which_nothing_moves() {
    for example in examples() {
        for case in cases().into_iter().filter(|case| case.loss == Loss::Frobenius && !drifts(case)) {
            let example = case.example(&example);
            let x = example.dense::<f64>();
            let settings = tight(&example, SolverChoice::Hals, &common::NO_PENALTY);
            let model = case.model(&example);
            let done = fit(&x, &model, &settings).unwrap();
            let again = Settings { max_iterations: 20, ..restarted(&example, &done, &settings) };
            let again = fit(&x, &model, &again).unwrap();
            let label = format!("{case:?}, {example:?}");
            let change = (again.objective - done.objective).abs() / done.objective;
            assert!(change < 1e-12, "{label}: the objective changes by {change}");
            assert!(relative_difference(&again.codes, &done.codes) < 1e-6, "{label}");
            assert!(relative_difference(&again.components, &done.components) < 1e-6, "{label}");
        }
    }
}
