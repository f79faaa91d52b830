//! Refinement by self-training: posteriors of all samples are learned from in place of the labels of a few.
//!
//! The product of the base classifiers is smoothed over the fused graph. Each refinement learns from that;
//! they are scored and weighed as base classifiers are, and their product is smoothed once more. Held-out
//! labels are as many of each class and so cannot tell refinements apart that differ by the class sizes they
//! find; the agreement of the folds can, which is why it weighs here.

mod gaussian_mixture;
mod multinomial_mixture;
mod neighbours;

use partwise::graphs::Graph;
use partwise::internals::Pool;
use partwise::internals::spread_scores;
use partwise::{Matrix, Real, Result};

use crate::base::label_spreading::RESIDUAL;
use crate::ensemble::{Quality, product, weighed};
use crate::folds::Fold;
use crate::graphs::{Prepared, graph_of_points};
use crate::posteriors::with_labels;
use crate::result::Member;
use crate::scores::weights;
use gaussian_mixture::GaussianMixture;
use multinomial_mixture::MultinomialMixture;
use neighbours::{DiscriminantNeighbours, Neighbours};

/// α of the first smoothing, and of the one over discriminants.
const FIRST_ALPHA: f64 = 0.9;
/// α of the smoothing of the result.
const LAST_ALPHA: f64 = 0.8;
/// The mean largest posterior of the unlabelled samples at which refinements are compared.
const CONFIDENCE: f64 = 0.8;

/// Learns from posteriors of all samples.
trait Refinement<T: Real>: Sync {
    /// Its name in running text.
    fn name(&self) -> &'static str;

    /// Posteriors (n × c) of all samples, calibrated; labelled samples keep their class.
    fn posteriors(&self, start: &Start<'_, T>) -> Result<Matrix<f64>>;
}

/// All, in the order of [`Classification::refinements`](crate::Classification::refinements). The first two
/// smooth over a graph each.
fn refinements<T: Real>() -> &'static [&'static dyn Refinement<T>] {
    const { &[&Neighbours, &DiscriminantNeighbours, &GaussianMixture, &MultinomialMixture] }
}

/// What the refinements of a fold start from.
struct Start<'t, T: Real> {
    prepared: &'t Prepared<'t, T>,
    fold: &'t Fold,
    /// The product of the base classifiers, smoothed over the fused graph (n × c).
    posteriors: Matrix<f64>,
    fused: &'t Graph,
    /// The graph of the samples in the space of the discriminants that `posteriors` give; none where the
    /// classes explain all there is, so that there is no such space.
    discriminant: Option<Graph>,
}

impl<'t, T: Real> Start<'t, T> {
    fn new(
        prepared: &'t Prepared<'t, T>,
        fold: &'t Fold,
        fused: &'t Graph,
        base: &Matrix<f64>,
    ) -> Result<Self> {
        let posteriors = smoothed(fused, fold, base, FIRST_ALPHA)?;
        let points = gaussian_mixture::discriminant_space(prepared.rows.as_ref(), &posteriors);
        let discriminant = points.map(graph_of_points).transpose()?;
        Ok(Start { prepared, fold, posteriors, fused, discriminant })
    }

    fn discriminant_graph(&self) -> &Graph {
        self.discriminant.as_ref().unwrap_or(self.fused)
    }

    /// Posteriors ∝ exp(g·`logits`), as confident as refinements are compared at.
    fn calibrated(&self, logits: &Matrix<f64>) -> Matrix<f64> {
        with_labels(&self.fold.labels, self.fold.calibrated(logits, CONFIDENCE))
    }
}

/// The posteriors of all samples, and how each refinement did. `fused` holds the fused graph of each fold and
/// `products` its product of the base classifiers; `held_out` is the number of held-out labels.
pub(crate) fn refine<T: Real>(
    prepared: &Prepared<'_, T>,
    folds: &[Fold],
    fused: &[Graph],
    products: &[Matrix<f64>],
    held_out: f64,
    pool: &Pool,
) -> Result<(Matrix<f64>, Vec<Member>)> {
    let starts = (0..folds.len()).collect();
    let starts = pool.map(starts, |v: usize| Start::new(prepared, &folds[v], &fused[v], &products[v]));
    let starts = starts.into_iter().collect::<Result<Vec<_>>>()?;
    let refinements = refinements::<T>();
    let tasks: Vec<(usize, usize)> =
        (0..folds.len()).flat_map(|v| (0..refinements.len()).map(move |r| (v, r))).collect();
    let posteriors = pool.map(tasks, |(v, r)| refinements[r].posteriors(&starts[v]));
    let posteriors = posteriors.into_iter().collect::<Result<Vec<_>>>()?;
    let posteriors: Vec<&[Matrix<f64>]> = posteriors.chunks(refinements.len()).collect();
    let names: Vec<&str> = refinements.iter().map(|refinement| refinement.name()).collect();
    let quality = Quality::ScoreAndAgreement;
    let members = weighed(folds, &posteriors, &names, held_out, quality);
    let together = product(&folds[0].labels, posteriors[0], &members);
    // The two graphs are weighed between themselves: beside a mixture both smoothings may weigh nothing.
    let graph_weights = weights(&[quality.of(&members[0]), quality.of(&members[1])], held_out);
    let sum: f64 = graph_weights.iter().sum();
    let graphs = [starts[0].fused, starts[0].discriminant_graph()];
    let last = Graph::weighted_sum(&[0, 1].map(|g| (graph_weights[g] / sum, graphs[g])))?;
    Ok((smoothed(&last, &folds[0], &together, LAST_ALPHA)?, members))
}

/// (I − αS)⁻¹P, normalized; labelled samples keep their class.
fn smoothed(graph: &Graph, fold: &Fold, posteriors: &Matrix<f64>, alpha: f64) -> Result<Matrix<f64>> {
    Ok(with_labels(&fold.labels, spread_scores(graph, posteriors, alpha, RESIDUAL)?))
}
