//! Smoothing over a graph: neighbours vote. It is right where classes are no more than connected.

use partwise::{Matrix, Real, Result};

use super::{FIRST_ALPHA, Refinement, Start, smoothed};
use crate::posteriors::logarithms;

/// Over the fused graph: what all refinements start from.
pub(super) struct Neighbours;

impl<T: Real> Refinement<T> for Neighbours {
    fn name(&self) -> &'static str {
        "neighbours' vote"
    }

    fn posteriors(&self, start: &Start<'_, T>) -> Result<Matrix<f64>> {
        Ok(start.calibrated(&logarithms(&start.posteriors)))
    }
}

/// Once more, over the neighbours in the discriminant space.
pub(super) struct DiscriminantNeighbours;

impl<T: Real> Refinement<T> for DiscriminantNeighbours {
    fn name(&self) -> &'static str {
        "neighbours among discriminants"
    }

    fn posteriors(&self, start: &Start<'_, T>) -> Result<Matrix<f64>> {
        let smoothed = smoothed(start.discriminant_graph(), start.fold, &start.posteriors, FIRST_ALPHA)?;
        Ok(start.calibrated(&logarithms(&smoothed)))
    }
}
