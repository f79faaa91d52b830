//! `--strength auto`: searches the smallest strength that is followed.

use std::cell::RefCell;

use anyhow::{Result, anyhow};
use partwise::guidance::{Advice, Strength};
use partwise::recipes::{StrengthRule, auto_scale_observed, search_strength_observed};
use partwise::{Model, Real};

use crate::combined_guidance::CombinedGuidance;
use crate::job::Job;
use partwise_report::interrupt;

/// The 95 % rule: sets the strength of the job.
pub(crate) fn find_strength<T: Real>(job: &mut Job<'_, T>) -> Result<()> {
    let rule = StrengthRule::default();
    let (data, tried) = (job.data.matrix(), Tried::new("strength", &rule));
    let mut tell = |strength, accuracy| tried.add(strength, accuracy);
    let search = || search_strength_observed(data, &job.model, &job.settings, &rule, &mut tell);
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
    let held = if found.held {
        "the smallest at which 95 % of the labels are followed"
    } else {
        "at which fewer than 95 % of the labels are followed"
    };
    job.chosen.push(format!("strength {} ({held}; {} fits)", found.strength, found.trace.len()));
    Ok(())
}

/// The least strengths that are followed: sets those of the job that are to be searched.
pub(crate) fn find_strengths<T: Real>(job: &mut Job<'_, T>, composed: &CombinedGuidance) -> Result<()> {
    let rule = StrengthRule::default();
    let (loss, data) = (job.model.loss(), job.data.matrix());
    let tried = Tried::new("times the default strengths", &rule);
    let mut tell = |point: &partwise::recipes::SweepPoint| tried.add(point.scale, point.agreement);
    let at = |scale| composed.at(scale);
    let search = || auto_scale_observed(data, &at, loss, &job.settings, &rule, &mut tell);
    let (scale, trace) = interrupt::work(search).map_err(|stopped| tried.so_far(stopped))??;
    job.model = Model::guided(composed.at(scale)).with_loss(loss)?;
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
        let message = format!("the search for a strength was stopped; {found}{advice}");
        anyhow!(stopped).context(message)
    }
}
