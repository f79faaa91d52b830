//! Promise: for random factors, every slot, and every model × loss × penalty, the subproblem is the objective
//! seen from that factor. A majorizer equals it at the expansion point and lies nowhere below it.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Case, Example, PENALTIES, Penalty, accepted, cases, for_examples, objective};
use partwise::internals::backend::{Backend, CpuBackend, Problem, ReferenceBackend};
use partwise::internals::quadratic::Subproblem;
use partwise::methods::Form;
use partwise::{Init, Loss, Matrix, Settings, Slot, SolverChoice};

const TOLERANCE: f64 = 1e-10;

fn settings(example: &Example, penalty: &Penalty, init: Init) -> Settings {
    Settings { init, l1: penalty.1, l2: penalty.2, threads: 1, ..Settings::new(example.k) }
}

/// The value of a subproblem that was formed at `here`, at `there`; and whether it may lie above the
/// objective.
fn value(subproblem: &Subproblem<f64>, here: &Matrix<f64>, there: &Matrix<f64>) -> (f64, bool) {
    match subproblem {
        Subproblem::Quadratic(q) => (q.value(there, Some(&there.gram())), q.majorizer),
        Subproblem::KullbackLeibler(m) => (m.value(here, there), true),
    }
}

fn check(example: &Example, case: &Case, penalty: &Penalty) -> bool {
    let example = &case.example(example);
    let x = example.dense::<f64>();
    let model = case.model(example);
    let at = |salt| settings(example, penalty, case.start(example, salt));
    let Some((problem, here)) = accepted(Problem::new(&x, &model, &at(1))) else { return false };
    let (_, there) = accepted(Problem::new(&x, &model, &at(2))).unwrap();
    let (w, h) = case.factors(example, 1);
    let (other_w, other_h) = case.factors(example, 2);
    let (w, other_w) = (case.codes(example, &w), case.codes(example, &other_w));
    let (h, other_h) = (case.components(example, &h), case.components(example, &other_h));
    let published = if case.loss == Loss::Frobenius && !case.spec.half_objective { 2.0 } else { 1.0 };
    let further: Vec<(Slot, Matrix<f64>)> =
        here.slots().filter(|slot| !slot.is_main()).map(|slot| (slot, here.get(slot).clone())).collect();
    let naive = |w: &Matrix<f64>, h: &Matrix<f64>, further: &[(Slot, Matrix<f64>)]| {
        objective(example, case, &at(1), w, h, further) / published
    };
    let at_here = naive(&w, &h, &further);
    let size = at_here + 0.5 * x_squares(example);
    let label = format!("{case:?}, penalty {}, {example:?}", penalty.0);

    let mut reference = ReferenceBackend::new(&problem, here.clone());
    let mut cpu = CpuBackend::new(&problem, here.clone(), 1);
    for slot in cpu.slots() {
        let at_there = match slot {
            Slot::Codes => naive(&other_w, &h, &further),
            Slot::Components => naive(&w, &other_h, &further),
            _ => {
                let mut changed = further.clone();
                changed
                    .iter_mut()
                    .filter(|(s, _)| *s == slot)
                    .for_each(|(_, f)| *f = there.get(slot).clone());
                naive(&w, &h, &changed)
            }
        };
        // Without the loss where the data are not seen.
        let unseen = if slot.sees_data() { 0.0 } else { reference.exact(false).parts[0].1 };
        reference.restrict(slot);
        cpu.restrict(slot);
        let close = |a: f64, b: f64, what: &str| {
            assert!(
                (a - b).abs() <= TOLERANCE * (size + b.abs()),
                "{label}, {}: {what}: {a} is not {b}",
                slot.name()
            );
        };
        if slot.sees_data() {
            close(reference.objective(), at_here, "objective of the reference");
            close(cpu.objective(), at_here, "objective of the cpu");
        }
        for subproblem in [reference.subproblem().unwrap(), cpu.subproblem().unwrap()] {
            let (here, there) = (here.get(slot), there.get(slot));
            close(value(subproblem, here, here).0 + unseen, at_here, "value at the expansion point");
            let (elsewhere, majorizer) = value(subproblem, here, there);
            let elsewhere = elsewhere + unseen;
            if majorizer {
                let floor = at_there - TOLERANCE * (size + at_there.abs());
                assert!(elsewhere >= floor, "{label}, {}: {elsewhere} is below {at_there}", slot.name());
            } else {
                close(elsewhere, at_there, "value elsewhere");
            }
        }
    }
    true
}

fn x_squares(example: &Example) -> f64 {
    example.x.as_slice().iter().map(|x| x * x).sum()
}

#[test]
fn the_subproblem_is_the_objective_seen_from_one_factor() {
    for_examples(24, |example| {
        for case in cases() {
            let held = PENALTIES.iter().filter(|penalty| check(example, &case, penalty)).count();
            let least = if case.spec.form == Form::Images { 1 } else { 4 };
            assert!(held >= least, "{case:?}: only {held} of the penalties were accepted");
        }
    });
}

/// The published split of a graph for multiplicative updates, which is no majorizer, and the separable
/// majorizer are both tangent to the objective where they are formed: the same value and the same gradient.
#[test]
fn both_forms_of_a_graph_touch_the_objective_at_the_codes() {
    for_examples(16, |example| {
        let x = example.dense::<f64>();
        for case in cases().iter().filter(|case| case.takes_graph()) {
            let formed = |solver| {
                let settings = Settings { solver, init: example.start(1), ..Settings::new(example.k) };
                let (problem, start) = Problem::new(&x, &case.model(example), &settings).unwrap();
                let mut backend = CpuBackend::new(&problem, start.clone(), 1);
                backend.restrict(Slot::Codes);
                let Some(Subproblem::Quadratic(q)) = backend.subproblem() else { panic!("a quadratic") };
                (q.clone(), start.get(Slot::Codes).clone())
            };
            let (separable, codes) = formed(SolverChoice::Hals);
            let (published, _) = formed(SolverChoice::Mu);
            let (w, h) = example.factors(1);
            let here = objective(example, case, &Settings::new(example.k), &w, &h, &[]) / 2.0;
            for q in [&separable, &published] {
                let value = q.value(&codes, None);
                let size = here + 0.5 * x_squares(example);
                assert!((value - here).abs() <= TOLERANCE * size, "{case:?}, {example:?}: {value}, {here}");
            }
            for i in 0..example.n {
                let (a, b) = (
                    separable.gradient_row(i, codes.row(i), None),
                    published.gradient_row(i, codes.row(i), None),
                );
                let size = 1.0 + a.iter().fold(0.0f64, |size, g| size.max(g.abs()));
                let close = a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= TOLERANCE * size);
                assert!(close, "{case:?}, {example:?}, row {i}: {a:?} and {b:?}");
            }
        }
    });
}

/// A component that died: its partner's penalty must still not be underestimated when it comes back.
#[test]
fn a_majorizer_holds_at_a_component_of_zeros() {
    for_examples(16, |example| {
        let case = cases()[0];
        let (w, mut h) = example.factors(1);
        let (_, other_h) = example.factors(2);
        h.row_mut(0).fill(0.0);
        let settings = Settings {
            l1: (0.3, 0.0),
            init: Init::Custom { codes: Some(w.clone()), components: Some(h.clone()) },
            ..Settings::new(example.k)
        };
        let x = example.dense::<f64>();
        let (problem, start) = Problem::new(&x, &case.model(example), &settings).unwrap();
        let mut backend = ReferenceBackend::new(&problem, start);
        backend.restrict(Slot::Components);
        let Some(Subproblem::Quadratic(q)) = backend.subproblem() else { panic!("a quadratic") };
        let naive = |h: &Matrix<f64>| objective(example, &case, &settings, &w, h, &[]) / 2.0;
        let here = q.value(&h.transposed(), None);
        assert!((here - naive(&h)).abs() <= TOLERANCE * here, "{example:?}: {here} is not {}", naive(&h));
        let elsewhere = q.value(&other_h.transposed(), None);
        assert!(
            elsewhere >= naive(&other_h) * (1.0 - TOLERANCE),
            "{example:?}: {elsewhere} < {}",
            naive(&other_h)
        );
    });
}
