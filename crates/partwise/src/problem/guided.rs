//! What guidance the loss or the solver can't serve.

use crate::engine::losses::Loss;
use crate::engine::solvers::SolverSpec;
use crate::foundation::{Error, Real, Result};
use crate::methods::{Model, Tying};
use crate::terms::Contribution;

/// Refuses guidance that the loss or the solver can't serve.
pub(super) fn check_guidance<T: Real>(
    solver: &SolverSpec,
    model: &Model,
    contributions: &[Contribution<T>],
) -> Result<()> {
    if model.spec.tying != Tying::Guidance {
        return Ok(());
    }
    let refuse = |asked: String, reason: &str, valid: &[&str]| {
        let valid = valid.iter().map(|v| v.to_string()).collect();
        Err(Error::Incompatible { asked, reason: reason.into(), valid })
    };
    for contribution in contributions {
        let name = contribution.name();
        let squared_only = match contribution {
            Contribution::Relation(_)
            | Contribution::GraphSmoothing(_)
            | Contribution::RowAnchor(_)
            | Contribution::ComponentAnchor(_)
            | Contribution::LabelView(_)
            | Contribution::EntryWeights(_) => true,
            Contribution::Placement(placement) => placement.has_directions(),
            _ => false,
        };
        if squared_only && model.loss != Loss::Frobenius {
            return refuse(
                format!("{name} with the {} loss", model.loss.name()),
                "no update that never raises the objective is known for them",
                &["loss frobenius", "labels as components or as the same codes, sets, seeds and references"],
            );
        }
        let parts = match contribution {
            Contribution::Relation(relation) => relation.parts(),
            Contribution::Held(held) => held.has_columns() && model.loss == Loss::Frobenius,
            _ => false,
        };
        if parts && solver.needs_non_negative {
            return refuse(
                format!("{name} with solver \"{}\"", solver.name),
                "its cross matrix would have negative entries, on which multiplicative updates are not valid",
                &["solver hals", "solver bpp", "solver nesterov"],
            );
        }
    }
    let raw = contributions
        .iter()
        .any(|c| matches!(c, Contribution::RowAnchor(_) | Contribution::ComponentAnchor(_)));
    let relative = contributions.iter().any(|c| {
        matches!(
            c,
            Contribution::Placement(_)
                | Contribution::Relation(_)
                | Contribution::ComponentDirection(_)
                | Contribution::SeedShare(_)
        )
    });
    if raw && relative {
        return refuse(
            "raw anchors beside items with a strength from 0 to 1".into(),
            "they are measured in different units",
            &["a strength from 0 to 1 for all", "raw weights for all"],
        );
    }
    Ok(())
}
