//! Promise: every combination of guidance, start, solver, loss, order, penalty, precision and format is
//! served or refused: a fit with finite factors of 0 or more and the objective that the table of strengths
//! says, or an error. Never a panic.
//!
//! `PARTWISE_COMBINATIONS` sets how many are tried.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod known;

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use known::{Draw, Known};
use partwise::guidance::{Advice, Feature, Strength};
use partwise::recipes::{
    Action, Steering, StrengthRule, auto_strength, fit_guided, guidance_report, suggest, suggest_links, sweep,
};
use partwise::{
    Acceleration, DataMatrix, Fit, Init, Loss, Model, Real, Settings, Slot, SolverChoice, fit, solvers,
};

fn combinations() -> u64 {
    std::env::var("PARTWISE_COMBINATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000)
}

fn settings(draw: &mut Draw, known: &Known) -> Settings {
    let (n, d) = known.x.shape();
    let k = known.rank;
    let solvers: Vec<SolverChoice> =
        std::iter::once(SolverChoice::Auto).chain(solvers::ALL.iter().map(|s| s.choice)).collect();
    let labels = draw.one(&[2, 3]);
    let init = match draw.below(14) {
        at if at < Init::NAMES.len() => Init::from_name(Init::NAMES[at].0).unwrap(),
        9 | 10 => {
            Init::Custom { codes: Some(draw.matrix(n, k, 0.0)), components: Some(draw.matrix(k, d, 0.0)) }
        }
        11 => Init::Custom { codes: None, components: Some(draw.matrix(k, d, 0.1)) },
        12 => Init::Given(vec![
            (Slot::Codes, draw.matrix(n, k, 0.0)),
            (Slot::Labels, draw.matrix(labels, k, 0.0)),
        ]),
        _ => Init::Auto,
    };
    let some = |draw: &mut Draw| if draw.chance(0.15) { 0.05 } else { 0.0 };
    Settings {
        seed: draw.below(5) as u64,
        solver: if draw.chance(0.4) { SolverChoice::Auto } else { draw.one(&solvers) },
        inner_steps: draw.one(&[None, None, Some(1), Some(3)]),
        acceleration: draw.one(&[
            Acceleration::Auto,
            Acceleration::Auto,
            Acceleration::Off,
            Acceleration::On,
        ]),
        init,
        first: draw.one(&[None, None, Some(Slot::Codes), Some(Slot::Components)]),
        max_iterations: draw.one(&[0, 1, 3, 8]),
        tolerance: draw.one(&[0.0, 1e-4, 0.3]),
        threads: 1,
        l1: (some(draw), some(draw)),
        l2: (some(draw), some(draw)),
        ..Settings::new(k)
    }
}

/// What is wrong with a fit.
fn faults<T: Real>(known: &Known, loss: Loss, settings: &Settings, fit: &Fit<T>) -> Option<String> {
    let factors = fit.codes.as_slice().iter().chain(fit.components.as_slice());
    let further = fit.further.iter().flat_map(|(_, factor)| factor.as_slice());
    if factors.chain(further).any(|v| !(v.is_finite() && *v >= T::ZERO)) {
        return Some("factors that are negative or not finite".into());
    }
    let numbers = [fit.objective, fit.loss_value, fit.relative_error, fit.kkt];
    if numbers.iter().any(|v| !v.is_finite()) {
        return Some(format!("numbers that are not finite: {numbers:?}"));
    }
    let penalized = settings.l1 != (0.0, 0.0) || settings.l2 != (0.0, 0.0);
    if penalized {
        return None;
    }
    let naive = known::objective(known, loss, fit);
    let size: f64 = fit.parts.iter().map(|(_, part)| part.abs()).sum();
    let data: f64 = known.x.as_slice().iter().map(|x| 3.0 * x * x).sum();
    let rounding = if T::NAME == "f32" { 3e-4 } else { 1e-8 };
    let allowed = rounding * (size + data + naive);
    // What a profile wants where the component is 0 costs infinitely much.
    if (fit.objective - naive).abs() > allowed {
        return Some(format!("objective {} is not {naive}: {:?}", fit.objective, fit.parts));
    }
    None
}

/// A fit, what reads it, and (for some) recipes around it.
fn try_one<T: Real>(
    data: &dyn DataMatrix<T>,
    known: &Known,
    loss: Loss,
    settings: &Settings,
    draw: &mut Draw,
) -> Result<bool, String> {
    let model = Model::guided(known.guidance.clone()).with_loss(loss).unwrap();
    let found = match fit(data, &model, settings) {
        Ok(found) => found,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            recipes(data, known, loss, settings, draw);
            return Ok(false);
        }
    };
    if let Some(fault) = faults(known, loss, settings, &found) {
        return Err(fault);
    }
    let new = found.transform(data, settings);
    if new.is_ok_and(|new| new.codes.as_slice().iter().any(|w| !(w.is_finite() && *w >= T::ZERO))) {
        return Err("codes of new rows that are negative or not finite".into());
    }
    let _ = guidance_report(data, &known.guidance, &found, settings);
    let _ = (suggest(&found, &[0], 3), suggest_links(&found, 3));
    recipes(data, known, loss, settings, draw);
    Ok(true)
}

/// Only whether they end in a result or an error.
fn recipes<T: Real>(
    data: &dyn DataMatrix<T>,
    known: &Known,
    loss: Loss,
    settings: &Settings,
    draw: &mut Draw,
) {
    let guidance = &known.guidance;
    match draw.below(8) {
        0 => {
            let _ = sweep(data, guidance, loss, settings, &[0.0, 1.0, 10.0]);
        }
        1 => {
            let rule = StrengthRule { max_steps: 2, ..StrengthRule::default() };
            let _ = auto_strength(data, guidance, loss, settings, &rule);
        }
        2 | 3 => {
            let mut quiet = |_: &partwise::Iteration| ControlFlow::Continue(());
            let _ = fit_guided(data, guidance, loss, settings, &mut quiet);
        }
        4 => steer(data, known, loss, settings, draw),
        _ => {}
    }
}

fn steer<T: Real>(data: &dyn DataMatrix<T>, known: &Known, loss: Loss, settings: &Settings, draw: &mut Draw) {
    let mut quiet = |_: &partwise::Iteration| ControlFlow::Continue(());
    let begun = Steering::begin(data, known.guidance.clone(), loss, settings.clone(), &mut quiet);
    let Ok(mut steering) = begun else { return };
    for _ in 0..2 {
        let names = steering.fit().component_names.clone();
        let (one, other) = (draw.one(&names), draw.one(&names));
        let feature = Feature::Index(draw.below(known.x.columns()));
        let actions = [
            Action::Rename { topic: one.clone(), to: "new".into() },
            Action::Merge { keep: one.clone(), with: other.clone() },
            Action::Split { topic: one.clone(), new: "new".into(), seeds: vec![feature.clone()] },
            Action::Delete { topic: one.clone() },
            Action::Move { sample: draw.below(known.x.rows()), to: one.clone() },
            Action::Raise { topic: one.clone(), feature: feature.clone(), by: 2.0 },
            Action::Forbid { topic: one.clone(), feature },
            Action::Pin { topic: one },
        ];
        let _ = steering.apply(&draw.one(&actions), &mut quiet);
    }
}

#[test]
fn every_combination_is_a_fit_or_an_error() {
    let (mut fits, mut wrong) = (0, Vec::new());
    std::panic::set_hook(Box::new(|_| ()));
    for seed in 0..combinations() {
        let mut draw = Draw(seed.wrapping_mul(0x5851_f42d_4c95_7f2d));
        let known = Known::new(&mut draw, 4.0);
        let settings = settings(&mut draw, &known);
        let loss = if draw.chance(0.3) { Loss::KullbackLeibler } else { Loss::Frobenius };
        let (sparse, single) = (draw.chance(0.4), draw.chance(0.2));
        let result = catch_unwind(AssertUnwindSafe(|| match (sparse, single) {
            (false, false) => try_one(&known.dense::<f64>(), &known, loss, &settings, &mut draw),
            (false, true) => try_one(&known.dense::<f32>(), &known, loss, &settings, &mut draw),
            (true, false) => try_one(&known.sparse::<f64>(), &known, loss, &settings, &mut draw),
            (true, true) => try_one(&known.sparse::<f32>(), &known, loss, &settings, &mut draw),
        }));
        let result = result.unwrap_or_else(|panic| Err(format!("a panic: {}", message(panic.as_ref()))));
        fits += usize::from(result == Ok(true));
        if let Err(fault) = result {
            let items: Vec<String> = known.guidance.advice().iter().map(|item| name(item)).collect();
            let topics = known.guidance.topics();
            wrong.push(format!("{seed}: {fault}\n  {loss:?}, sparse {sparse}, f32 {single}, {items:?}, {topics:?}, {settings:?}"));
        }
    }
    let _ = std::panic::take_hook();
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        combinations(),
        wrong[..wrong.len().min(12)].join("\n")
    );
    // Most combinations contradict themselves somewhere; one of eight at least doesn't.
    assert!(fits * 8 > combinations() as usize, "only {fits} of {} are fits", combinations());
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_default()
}

fn name(item: &Advice) -> String {
    let rule = match item {
        Advice::Labels { rule, .. } => format!(" {rule:?}"),
        _ => String::new(),
    };
    let strength = match item.strength() {
        Some(Strength::Relative(s)) => format!(" {s}"),
        Some(Strength::Raw(m)) => format!(" raw {m}"),
        Some(Strength::Auto) => " auto".into(),
        None => String::new(),
    };
    format!("{}{rule}{strength}", item.kind())
}
