//! Promise: WS-NMF with several components a class and a graph has the objective that its page states,
//! descends on it, names what each class owns, and refuses what it can't serve.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::facts::{Facts, Unit};
use common::{Example, for_examples, product};
use partwise::internals::backend::{Backend, CpuBackend, Problem, ReferenceBackend};
use partwise::internals::quadratic::Subproblem;
use partwise::{Error, Init, Matrix, Settings, Slot, SolverChoice, fit};

const PARTS: usize = 2;
const WEIGHT: f64 = 0.6;

fn facts(example: &Example) -> Facts {
    Facts {
        labels: Some(example.labels()),
        strength: 1.5,
        components_per_class: PARTS,
        graph: Some(example.graph()),
        graph_weight: WEIGHT,
        ..Facts::default()
    }
}

fn rank(example: &Example) -> usize {
    PARTS * example.labels().n_classes() + 1
}

fn factors(example: &Example, salt: u64) -> (Matrix<f64>, Matrix<f64>) {
    (example.positive(example.n, rank(example), salt), example.positive(rank(example), example.d, 10 + salt))
}

fn settings(example: &Example, salt: u64) -> Settings {
    let (codes, components) = factors(example, salt);
    let init = Init::Custom { codes: Some(codes), components: Some(components) };
    Settings { init, threads: 1, ..Settings::new(rank(example)) }
}

/// |X − WH|² + s²·Σ over labelled rows and components of other classes of w²|h|² + λ·Σ_c |h_c|²·w_cᵀLw_c, naively.
fn objective(example: &Example, w: &Matrix<f64>, h: &Matrix<f64>) -> f64 {
    let p = product(w, h);
    let mut value: f64 = example.x.as_slice().iter().zip(p.as_slice()).map(|(x, p)| (x - p) * (x - p)).sum();
    let graph = example.graph();
    for c in 0..w.columns() {
        let square: f64 = h.row(c).iter().map(|h| h * h).sum();
        for i in 0..w.rows() {
            if example.labels().class(i).is_some_and(|class| c / PARTS != class) {
                value += 1.5 * 1.5 * square * w.get(i, c).powi(2);
            }
            for j in 0..w.rows() {
                value += 0.5 * WEIGHT * square * graph.weight(i, j) * (w.get(i, c) - w.get(j, c)).powi(2);
            }
        }
    }
    value
}

#[test]
fn the_subproblem_is_the_objective_seen_from_one_factor() {
    for_examples(16, |example| {
        let x = example.dense::<f64>();
        let model = facts(example).model("ws-nmf");
        let (problem, here) = Problem::new(&x, &model, &settings(example, 1)).unwrap();
        let ((w, h), (other_w, other_h)) = (factors(example, 1), factors(example, 2));
        let at_here = objective(example, &w, &h) / 2.0;
        let mut cpu = CpuBackend::new(&problem, here.clone(), 1);
        let mut reference = ReferenceBackend::new(&problem, here.clone());
        for slot in [Slot::Codes, Slot::Components] {
            let (at_there, there) = match slot {
                Slot::Codes => (objective(example, &other_w, &h) / 2.0, other_w.clone()),
                _ => (objective(example, &w, &other_h) / 2.0, other_h.transposed()),
            };
            cpu.restrict(slot);
            reference.restrict(slot);
            for subproblem in [cpu.subproblem().unwrap(), reference.subproblem().unwrap()] {
                let Subproblem::Quadratic(q) = subproblem else { panic!("a quadratic") };
                let value = q.value(here.get(slot), None);
                assert!((value - at_here).abs() <= 1e-10 * at_here, "{example:?}: {value} is not {at_here}");
                let elsewhere = q.value(&there, None);
                if slot == Slot::Codes {
                    assert!(q.majorizer && elsewhere >= at_there * (1.0 - 1e-10), "{elsewhere} < {at_there}");
                } else {
                    assert!(
                        (elsewhere - at_there).abs() <= 1e-10 * at_there,
                        "{elsewhere} is not {at_there}"
                    );
                }
            }
        }
    });
}

#[test]
fn every_solver_that_serves_it_descends_to_the_stated_objective() {
    for_examples(8, |example| {
        let x = example.dense::<f64>();
        for solver in [SolverChoice::Hals, SolverChoice::Bpp, SolverChoice::Nesterov, SolverChoice::Mu] {
            for init in [Init::Exemplars, settings(example, 1).init] {
                let settings = Settings { solver, init, max_iterations: 20, ..settings(example, 1) };
                let fit = fit(&x, &facts(example).model("ws-nmf"), &settings).unwrap();
                let size: f64 = example.x.as_slice().iter().map(|x| x * x).sum();
                for pair in fit.history.windows(2) {
                    let rise = pair[1].objective - pair[0].objective;
                    assert!(rise <= 1e-10 * size, "{solver:?}, {example:?}: a rise of {rise}");
                }
                let naive = objective(example, &fit.codes, &fit.components);
                assert!((fit.objective - naive).abs() <= 1e-9 * size, "{} is not {naive}", fit.objective);
                assert!(fit.rescaling.is_none());
            }
        }
    });
}

#[test]
fn growing_a_component_against_its_codes_evades_no_graph() {
    let example = Example::new(12, 5, 3, 4);
    let (mut w, mut h) = factors(&example, 1);
    let before = objective(&example, &w, &h);
    for i in 0..w.rows() {
        w.set(i, 0, w.get(i, 0) / 8.0);
    }
    h.row_mut(0).iter_mut().for_each(|v| *v *= 8.0);
    let x = example.dense::<f64>();
    let init = Init::Custom { codes: Some(w), components: Some(h) };
    let settings = Settings { init, max_iterations: 0, ..Settings::new(rank(&example)) };
    let after = fit(&x, &facts(&example).model("ws-nmf"), &settings).unwrap().objective;
    assert!((after - before).abs() <= 1e-10 * before, "{after} is not {before}");
}

#[test]
fn each_class_names_what_it_owns() {
    let example = Example::new(12, 5, 3, 4);
    let fit = fit(&example.dense::<f64>(), &facts(&example).model("ws-nmf"), &Settings::new(rank(&example)));
    let names = fit.unwrap().component_names;
    let classes = example.labels().names().to_vec();
    assert_eq!(names[..2], [format!("{} 1", classes[0]), format!("{} 2", classes[0])]);
    assert_eq!(names[names.len() - 1], format!("part {}", names.len()));
}

#[test]
fn what_can_not_be_served_is_refused() {
    let example = Example::new(12, 5, 3, 4);
    let x = example.dense::<f64>();
    let plain = facts(&example);
    let refused = |facts: Facts, name: &str, settings: Settings| {
        fit(&x, &facts.try_model(name).unwrap(), &settings).unwrap_err()
    };
    let enough = Settings::new(rank(&example));
    let raw = Facts { unit: Unit::Raw, ..plain.clone() };
    assert!(matches!(refused(raw, "ws-nmf", enough.clone()), Error::Incompatible { .. }));
    let none = Facts { components_per_class: 0, ..plain.clone() };
    assert!(matches!(refused(none, "ws-nmf", enough.clone()), Error::OutOfRange { .. }));
    assert!(matches!(refused(plain.clone(), "cnmf", enough.clone()), Error::Incompatible { .. }));
    assert!(matches!(refused(plain.clone(), "ws-nmf", Settings::new(2)), Error::OutOfRange { .. }));
    let means = Settings { init: Init::Labels, ..enough };
    assert!(matches!(refused(plain, "ws-nmf", means), Error::Incompatible { .. }));
}
