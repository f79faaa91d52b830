//! `--strength auto`: searches the smallest strength that is followed.

use std::cell::RefCell;

use anyhow::{Result, anyhow};
use partwise::guidance::{Advice, Strength};
use partwise::recipes::{StrengthRule, SweepPoint, auto_scale_observed, search_strength_observed};
use partwise::{Model, Real};

use crate::job::Job;
use partwise_report::interrupt;

/// Searches the strengths of guidance that are to be found, or that of the labels of a published method, and
/// sets them.
pub(crate) fn find<T: Real>(job: &mut Job<'_, T>) -> Result<()> {
    if job.takes_anything() { of_guidance(job) } else { of_labels(job) }
}

/// The 95 % rule.
fn of_labels<T: Real>(job: &mut Job<'_, T>) -> Result<()> {
    let rule = StrengthRule::default();
    let tried = Tried::new("strength", &rule);
    let mut tell = |strength, accuracy| tried.add(strength, accuracy);
    let search = || search_strength_observed(job.data, &job.model, &job.settings, &rule, &mut tell);
    let found = interrupt::work(search).map_err(|stopped| tried.so_far(stopped))??;
    let raw = job.model.guidance().label_strength().is_some_and(Strength::is_raw);
    let strength = if raw { Strength::Raw(found.strength) } else { Strength::of_sigma(found.strength) };
    let mut model = job.model.clone().with_strength(strength);
    for item in model.guidance_mut().advice_mut() {
        if let Advice::ComponentReference(reference) = item {
            reference.weight.fill(found.strength);
        }
    }
    job.model = model;
    let held = if found.held { "the smallest at which" } else { "at which fewer than" };
    job.chosen.push(format!(
        "strength: {} ({held} 95 % of the labels are followed; {} fits)",
        found.strength,
        found.trace.len()
    ));
    Ok(())
}

/// The same rule for guidance of any kind.
fn of_guidance<T: Real>(job: &mut Job<'_, T>) -> Result<()> {
    let rule = StrengthRule::default();
    let (loss, known) = (job.model.loss(), job.known);
    let tried = Tried::new("times the default strengths", &rule);
    let mut tell = |point: &SweepPoint| tried.add(point.scale, point.agreement);
    let at = |scale| known.at(scale);
    let search = || auto_scale_observed(job.data, &at, loss, &job.settings, &rule, &mut tell);
    let (scale, trace) = interrupt::work(search).map_err(|stopped| tried.so_far(stopped))??;
    job.model = Model::guided(known.at(scale)).with_loss(loss)?;
    let followed = trace.iter().find(|point| point.scale == scale).map_or(0.0, |point| point.agreement);
    let held = if followed >= rule.threshold { "the smallest that follows" } else { "which does not follow" };
    job.chosen.push(format!(
        "strengths: {scale} times their default ({held} {:.0} % of the guidance; {} fits)",
        100.0 * rule.threshold,
        trace.len()
    ));
    Ok(())
}

/// What a search has found by the time that it is interrupted.
struct Tried {
    what: &'static str,
    threshold: f64,
    /// (strength, share that is followed).
    pairs: RefCell<Vec<(f64, f64)>>,
}

impl Tried {
    fn new(what: &'static str, rule: &StrengthRule) -> Self {
        Tried { what, threshold: rule.threshold, pairs: RefCell::default() }
    }

    fn add(&self, strength: f64, followed: f64) {
        self.pairs.borrow_mut().push((strength, followed));
    }

    /// The interruption, with what was found before it.
    fn so_far(&self, stopped: interrupt::Stopped) -> anyhow::Error {
        let pairs = self.pairs.borrow();
        let tried: Vec<String> =
            pairs.iter().map(|(s, share)| format!("{s} follows {:.0} %", 100.0 * share)).collect();
        let found = match tried.is_empty() {
            true => "no fit was finished".to_string(),
            false => format!("tried so far ({}): {}", self.what, tried.join(", ")),
        };
        let best = pairs.iter().rev().find(|(_, share)| *share >= self.threshold);
        let advice =
            best.map_or(String::new(), |(s, _)| format!("; the smallest strength that was followed is {s}"));
        anyhow!(stopped).context(format!("the search for a strength was stopped; {found}{advice}"))
    }
}
