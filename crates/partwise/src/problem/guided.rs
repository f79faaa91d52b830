//! Guidance that the loss or the solver does not support.

use crate::engine::losses::Loss;
use crate::engine::solvers::SolverSpec;
use crate::engine::term::{Term, Unit};
use crate::foundation::{Error, Real, Result};
use crate::methods::{Model, Tying};

/// Refuses guidance that the loss or the solver does not support.
pub(super) fn check_guidance<T: Real>(
    solver: &SolverSpec,
    model: &Model,
    contributions: &[Box<dyn Term<T>>],
) -> Result<()> {
    let composed = model.spec.tying == Tying::Guidance;
    let refuse = |asked: String, reason: &str, valid: &[&str]| {
        Err(Error::incompatible(asked, reason, valid.iter().copied()))
    };
    for contribution in contributions {
        let name = contribution.name();
        let facts = contribution.facts();
        if facts.squared_only && model.loss != Loss::Frobenius {
            let guidance =
                "labels with the rule \"components\" or \"same-codes\", sets, seeds and references";
            let valid = ["loss frobenius", guidance];
            return refuse(
                format!("{name} with the {} loss", model.loss.name()),
                "there is no update that never increases the objective",
                if composed { &valid } else { &valid[..1] },
            );
        }
        if composed && facts.negative_cross && model.loss == Loss::Frobenius && solver.needs_non_negative {
            return refuse(
                format!("{name} with solver \"{}\"", solver.name),
                "its cross matrix would have negative entries, on which multiplicative updates are not valid",
                &["solver hals", "solver bpp", "solver nesterov"],
            );
        }
    }
    if !composed {
        return Ok(());
    }
    let measured_in = |unit: Unit| contributions.iter().any(|c| c.facts().unit == Some(unit));
    if measured_in(Unit::Raw) && measured_in(Unit::Relative) {
        return refuse(
            "references with raw weights together with items with a strength from 0 to 1".into(),
            "they are measured in different units",
            &["a strength from 0 to 1 for all", "raw weights for all"],
        );
    }
    Ok(())
}
