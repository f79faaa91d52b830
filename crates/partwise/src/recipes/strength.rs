//! The 95 % rule of WS-NMF: the smallest strength at which the labels are still followed.
//!
//! ```text
//! β = start, start·factor, …: fit from the same start; accuracy = share of labelled samples with
//!     argmax W = label;
//! stop at the first accuracy below the threshold; the answer is the last β before it
//! ```
//!
//! Reference: Choo, Lee, Reddy & Park 2015, doi:10.1007/s10618-014-0384-8, section 3.3. Differs: the steps
//! are bounded (the published rule may never stop).

use super::memberships::largest;
use crate::data::DataMatrix;
use crate::engine::Settings;
use crate::fit::fit;
use crate::foundation::{Error, Real, Result};
use crate::guidance::Strength;
use crate::methods::{self, Input, MethodSpec, Model};

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrengthRule {
    /// The first σ (the first m with a raw strength), > 0. Default 100.
    pub start: f64,
    /// What it is multiplied by at each step, in (0, 1). Default ½.
    pub factor: f64,
    /// The share of labelled samples that must keep their label, in (0, 1]. Default 0.95.
    pub threshold: f64,
    /// Steps at most, ≥ 1. Default 30.
    pub max_steps: usize,
}

impl Default for StrengthRule {
    fn default() -> Self {
        StrengthRule { start: 100.0, factor: 0.5, threshold: 0.95, max_steps: 30 }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StrengthSearch {
    /// The answer. The first strength when even that is below the threshold (`held` is then false).
    pub strength: f64,
    /// Whether the labels were followed at `strength`.
    pub held: bool,
    /// (β, accuracy) in the order tried.
    pub trace: Vec<(f64, f64)>,
}

/// Searches the strength of the labels of WS-NMF or WS-SymNMF; the model's own strength is ignored.
///
/// # Errors
/// [`Error::MissingGuidance`] without labelled samples, [`Error::Incompatible`] for a model without a
/// strength, [`Error::OutOfRange`] for the rule's numbers, and those of [`fit`].
pub fn search_strength<T: Real>(
    data: &dyn DataMatrix<T>,
    model: &Model,
    settings: &Settings,
    rule: &StrengthRule,
) -> Result<StrengthSearch> {
    search_strength_observed(data, model, settings, rule, &mut |_, _| ())
}

/// As [`search_strength`], calling `tell` with each strength and its accuracy as soon as they are known.
///
/// # Errors
/// As [`search_strength`].
#[doc(hidden)]
pub fn search_strength_observed<T: Real>(
    data: &dyn DataMatrix<T>,
    model: &Model,
    settings: &Settings,
    rule: &StrengthRule,
    tell: &mut dyn FnMut(f64, f64),
) -> Result<StrengthSearch> {
    rule.check()?;
    let labels = model.labels().filter(|l| l.n_labelled() > 0).ok_or_else(|| Error::MissingGuidance {
        model: "the search for a strength".into(),
        needs: "labelled samples".into(),
    })?;
    if !with_strength().any(|spec| spec.name == model.spec.name) || model.guidance.code_reference().is_some()
    {
        return Err(Error::incompatible(
            format!("the search for a strength of {}", model.spec.title),
            "only labels of a method with references, without reference codes, have a strength",
            with_strength().map(|spec| format!("method {} with labels", spec.name)).collect::<Vec<_>>(),
        ));
    }
    let raw = model.guidance.label_strength().is_some_and(Strength::is_raw);
    let per_class = model.options.components_per_class.max(1);
    let mut search = StrengthSearch { strength: rule.start, held: false, trace: Vec::new() };
    let mut strength = rule.start;
    for _ in 0..rule.max_steps {
        let candidate = model.clone().with_strength(if raw {
            Strength::Raw(strength)
        } else {
            Strength::of_sigma(strength)
        });
        let fit = fit(data, &candidate, settings)?;
        let labelled = (0..labels.n_samples()).filter_map(|i| labels.class(i).map(|class| (i, class)));
        let agree = labelled.filter(|(i, class)| largest(fit.codes.row(*i)) / per_class == *class).count();
        let accuracy = agree as f64 / labels.n_labelled() as f64;
        search.trace.push((strength, accuracy));
        tell(strength, accuracy);
        if accuracy < rule.threshold {
            break;
        }
        (search.strength, search.held) = (strength, true);
        strength *= rule.factor;
    }
    Ok(search)
}

/// The methods whose labels have a strength to search.
fn with_strength() -> impl Iterator<Item = &'static MethodSpec> {
    let takes = |spec: &&MethodSpec| spec.takes(Input::Labels) && spec.takes(Input::ComponentsPerClass);
    methods::ALL.iter().copied().filter(takes)
}

impl StrengthRule {
    /// Refuses numbers out of their range.
    pub(super) fn check(&self) -> Result<()> {
        let rule = self;
        let fault = |name: &str, value: String, valid: &str| Err(Error::out_of_range(name, value, valid));
        if !(rule.start > 0.0 && rule.start.is_finite()) {
            return fault("the first strength", rule.start.to_string(), "a finite number above 0");
        }
        if !(rule.factor > 0.0 && rule.factor < 1.0) {
            return fault("the factor of the strength", rule.factor.to_string(), "between 0 and 1");
        }
        if !(rule.threshold > 0.0 && rule.threshold <= 1.0) {
            return fault("the threshold", rule.threshold.to_string(), "above 0 and at most 1");
        }
        if rule.max_steps == 0 {
            return fault("the number of steps", "0".into(), "1 or more");
        }
        Ok(())
    }
}
