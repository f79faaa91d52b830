//! Refinement: the product of the readings, seen by the neighbours of each sample and by two mixtures.
//!
//! The graphs are right where classes are no more than connected (Extended Yale B: accuracy 93, by the Gaussian mixture 86), the Gaussian mixture
//! where what sets classes apart lies in few directions that are the same for all of them (ORL: 87 against 81), the multinomial one
//! where features count something (Classic4: 91 against 78). Hidden labels
//! tell most of these apart, but not where class sizes differ (Reuters, neighbours and Gaussian mixture: 67 and 59, scores .68 and .66 on as many
//! labels of each class); the agreement of the folds does (.52 and .40).

use super::mixture::{mixture, places};
use super::multinomial::multinomial;
use super::readings::{RESIDUAL, Shares, product, weighed, with_labels};
use super::shares::{logarithms, weights};
use super::views::{Source, View, graph_of_places};
use super::{Refinement, RefinementKind};
use crate::foundation::pool::Pool;
use crate::foundation::{Matrix, Real, Result};
use crate::graphs::{Graph, spread_scores};

/// α of the neighbours' votes.
const FIRST_VOTE: f64 = 0.9;
/// α of their vote on the result.
const LAST_VOTE: f64 = 0.8;
/// The mean largest share of the unlabelled samples at which refinements are compared.
const CONFIDENCE: f64 = 0.8;

/// The memberships of all samples, and how each refinement did. `fused` and `products` hold the fused graph and the product of the readings
/// of each view.
pub(super) fn refine<T: Real>(
    source: &Source<'_, T>,
    views: &[View],
    fused: &[Graph],
    products: &[Matrix<f64>],
    hidden: f64,
    pool: &Pool,
) -> Result<(Matrix<f64>, Vec<Refinement>)> {
    let all = 0..views.len();
    let smooth = pool.map(all.clone().collect(), |v| vote(&fused[v], &views[v], &products[v], FIRST_VOTE));
    let smooth = smooth.into_iter().collect::<Result<Vec<_>>>()?;
    let kinds = RefinementKind::ALL;
    let tasks: Vec<(usize, RefinementKind)> = all.flat_map(|v| kinds.map(|kind| (v, kind))).collect();
    let refined = pool.map(tasks, |(v, kind)| refined(kind, source, &views[v], &fused[v], &smooth[v]));
    let refined = refined.into_iter().collect::<Result<Vec<_>>>()?;
    let (shares, graphs): (Vec<_>, Vec<_>) = refined.into_iter().unzip();
    let shares: Vec<&[Matrix<f64>]> = shares.chunks(kinds.len()).collect();
    let worth = |score, agreement| score + agreement;
    let refinements = weighed(views, &shares, &kinds, hidden, worth);
    let together = product(&views[0].labels, shares[0], &refinements);
    // The graphs of the two votes (with all labels), weighed as these are between themselves: beside a mixture both may weigh nothing.
    let of_kind = |kind| kinds.iter().position(|other| *other == kind).expect("every refinement is there");
    let discriminant = of_kind(RefinementKind::DiscriminantNeighbours);
    let judged = [of_kind(RefinementKind::Neighbours), discriminant].map(|at| &refinements[at]);
    let worth_of = |r: &Refinement| r.score.map_or(0.0, |score| worth(score, r.agreement.unwrap_or(0.0)));
    let [ours, theirs] = weights(&judged.map(worth_of), hidden)[..] else { unreachable!("two worths") };
    let votes = [(ours, &fused[0]), (theirs, graphs[discriminant].as_ref().unwrap_or(&fused[0]))];
    let last = Graph::weighted_sum(&votes.map(|(weight, graph)| (weight / (ours + theirs), graph)))?;
    Ok((vote(&last, &views[0], &together, LAST_VOTE)?, refinements))
}

/// The shares that a refinement makes of `smooth`, the neighbours' vote, and the graph of its own that it votes on, if it has one.
fn refined<T: Real>(
    kind: RefinementKind,
    source: &Source<'_, T>,
    view: &View,
    fused: &Graph,
    smooth: &Matrix<f64>,
) -> Result<(Matrix<f64>, Option<Graph>)> {
    let (data, shares) = (source.data.as_ref(), Shares::new(view));
    let of_vote =
        |vote: &Matrix<f64>| with_labels(shares.labels(), shares.of_scores(&logarithms(vote), CONFIDENCE));
    Ok(match kind {
        RefinementKind::Neighbours => (of_vote(smooth), None),
        RefinementKind::DiscriminantNeighbours => {
            // Where the classes explain all there is, there is no such space.
            let own = places(data, smooth).map(graph_of_places).transpose()?;
            (of_vote(&vote(own.as_ref().unwrap_or(fused), view, smooth, FIRST_VOTE)?), own)
        }
        RefinementKind::Mixture => (mixture(data, &shares, smooth, CONFIDENCE), None),
        RefinementKind::Multinomial => (multinomial(data, &shares, smooth, CONFIDENCE), None),
    })
}

/// (I − αS)⁻¹·shares, as shares; labelled samples keep their class.
fn vote(graph: &Graph, view: &View, shares: &Matrix<f64>, alpha: f64) -> Result<Matrix<f64>> {
    Ok(with_labels(&view.labels, spread_scores(graph, shares, alpha, RESIDUAL)?))
}
