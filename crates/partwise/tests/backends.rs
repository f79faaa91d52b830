//! Promise: each backend does what the reference does, in one suite over
//! models × losses × penalties × solvers.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use std::ops::ControlFlow;

use common::{Case, Example, PENALTIES, Penalty, accepted, cases, for_examples, relative_difference};
use partwise::internals::backend::{Backend, CpuBackend, Factors, Problem, ReferenceBackend, fit_on};
use partwise::internals::quadratic::{KlMajorizer, Subproblem};
use partwise::solvers::SolverSpec;
use partwise::{Acceleration, DataMatrix, Init, Iteration, Matrix, Model, Settings, Slot, fit};

/// Rounding of sums in another order.
const TOLERANCE: f64 = 1e-9;

fn close(a: f64, b: f64, what: &str) {
    assert!((a - b).abs() <= TOLERANCE * (1.0 + a.abs().max(b.abs())), "{what}: {a} is not {b}");
}

fn same(a: &Matrix<f64>, b: &Matrix<f64>, what: &str) {
    // Starts are of size 1; what a penalty has driven to 0 is rounding.
    let zeros = Matrix::zeros(b.rows(), b.columns());
    let (difference, size) = (relative_difference(a, b), relative_difference(b, &zeros));
    let difference = if size > 0.0 { difference * size } else { difference };
    assert!(difference <= TOLERANCE * (1.0 + size), "{what}: differ by {difference}, size {size}");
}

fn same_subproblem(a: &Subproblem<f64>, b: &Subproblem<f64>, what: &str) {
    match (a, b) {
        (Subproblem::Quadratic(a), Subproblem::Quadratic(b)) => {
            same(&a.gram, &b.gram, &format!("{what}: gram"));
            same(&a.cross, &b.cross, &format!("{what}: cross"));
            close(a.constant, b.constant, &format!("{what}: constant"));
            assert_eq!(a.groups.len(), b.groups.len(), "{what}: groups");
            assert_eq!(a.majorizer, b.majorizer, "{what}: majorizer");
        }
        (Subproblem::KullbackLeibler(a), Subproblem::KullbackLeibler(b)) => {
            same(&a.numerator, &b.numerator, &format!("{what}: numerator"));
            a.base.iter().zip(&b.base).for_each(|(a, b)| close(*a, *b, &format!("{what}: base")));
            let ones = vec![1.0; a.numerator.rows()];
            let rows = |m: &KlMajorizer<f64>| m.base_rows.clone().unwrap_or_else(|| ones.clone());
            rows(a).iter().zip(&rows(b)).for_each(|(a, b)| close(*a, *b, &format!("{what}: base of a row")));
            close(a.log_sum + a.constant, b.log_sum + b.constant, &format!("{what}: constant"));
        }
        _ => panic!("{what}: two kinds of subproblem"),
    }
}

fn check(example: &Example, sparse: bool, case: &Case, solver: &SolverSpec, penalty: &Penalty) -> bool {
    let example = &case.example(example);
    let (dense, stored) = (example.dense::<f64>(), example.sparse::<f64>());
    let data: &dyn DataMatrix<f64> = if sparse { &stored } else { &dense };
    let settings = Settings {
        solver: solver.choice,
        init: case.start(example, 3),
        l1: penalty.1,
        l2: penalty.2,
        ..Settings::new(example.k)
    };
    let Some((problem, start)) = accepted(Problem::new(data, &case.model(example), &settings)) else {
        return false;
    };
    let what = format!("{case:?}, {}, penalty {}, {example:?}", solver.name, penalty.0);
    for slot in ReferenceBackend::new(&problem, start.clone()).slots() {
        // Both from the same start: after an update a rounded zero may be a zero in the other.
        let what = format!("{what}, {}", slot.name());
        let mut reference = ReferenceBackend::new(&problem, start.clone());
        let mut cpu = Box::new(CpuBackend::new(&problem, start.clone(), 2));
        assert_eq!(cpu.slots(), reference.slots());
        reference.restrict(slot);
        cpu.restrict(slot);
        same_subproblem(cpu.subproblem().unwrap(), reference.subproblem().unwrap(), &what);
        if slot.sees_data() {
            close(cpu.objective(), reference.objective(), &format!("{what}: objective"));
        }
        let (a, b) = (cpu.exact(true), reference.exact(true));
        assert_eq!(a.parts.len(), b.parts.len());
        for ((name, a), (_, b)) in a.parts.iter().zip(&b.parts) {
            close(*a, *b, &format!("{what}: part {name}"));
        }
        close(a.kkt, b.kkt, &format!("{what}: kkt"));
        reference.restrict(slot);
        cpu.restrict(slot);
        close(cpu.improve().sqrt(), reference.improve().sqrt(), &format!("{what}: projected gradient"));
        // Another slot, or the only one, is formed anew from the changed factor.
        let other = cpu.slots().into_iter().find(|other| *other != slot && other.sees_data()).unwrap_or(slot);
        reference.restrict(other);
        cpu.restrict(other);
        close(cpu.objective(), reference.objective(), &format!("{what}: objective after the update"));
        let (a, b) = (cpu.into_factors(), Box::new(reference).into_factors());
        let fitted =
            |f: &Factors<f64>| common::product(f.get(Slot::Codes), &f.get(Slot::Components).transposed());
        // Nearly dependent components leave the factors open, not what they fit.
        let difference = relative_difference(&fitted(&a), &fitted(&b));
        assert!(difference < 1e-6, "{what}: W·H after the update differs by {difference}");
        if !slot.sees_data() {
            let difference = relative_difference(a.get(slot), b.get(slot));
            assert!(difference < 1e-6, "{what}: the update differs by {difference}");
        }
    }
    true
}

#[test]
fn the_cpu_does_what_the_reference_does() {
    for_examples(8, |example| {
        for case in cases() {
            let mut checked = 0;
            for solver in case.solvers() {
                for (at, penalty) in PENALTIES.iter().enumerate() {
                    checked += usize::from(check(example, at % 2 == 1, &case, solver, penalty));
                }
            }
            assert!(checked >= 4, "{case:?}: only {checked} combinations were accepted");
        }
    });
}

#[test]
fn another_backend_runs_the_same_loop() {
    for_examples(8, |example| {
        let (data, model) = (example.dense::<f64>(), Model::nmf());
        let settings = Settings {
            init: Init::Random,
            acceleration: Acceleration::Off,
            max_iterations: 20,
            ..Settings::new(example.k)
        };
        let (problem, start) = Problem::new(&data, &model, &settings).unwrap();
        let mut seen = 0;
        let mut watch = |_: &Iteration| {
            seen += 1;
            ControlFlow::Continue(())
        };
        let place =
            |start| -> Box<dyn Backend<f64> + '_> { Box::new(ReferenceBackend::new(&problem, start)) };
        let there = fit_on(&problem, start, place, &settings, &mut watch).unwrap();
        let here = fit(&data, &model, &settings).unwrap();
        assert!(seen > 1 && seen == there.history.len(), "{seen} iterations were seen");
        for (a, b) in there.history.iter().zip(&here.history) {
            close(a.objective, b.objective, &format!("{example:?}: objective of iteration {}", a.number));
        }
    });
}
