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
use super::shares::logarithms;
use super::views::{Source, View, graph_of_places};
use super::{Refinement, RefinementKind};
use crate::error::Result;
use crate::graphs::{Graph, spread_scores};
use crate::linalg::Matrix;
use crate::pool::Pool;
use crate::real::Real;

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
    let voted = graphs.iter().zip(&refinements).filter_map(|(graph, r)| Some((graph.as_ref()?, r)));
    let (votes, judged): (Vec<&Graph>, Vec<&Refinement>) = voted.unzip();
    let worth_of = |r: &&Refinement| r.score.map_or(0.0, |score| worth(score, r.agreement.unwrap_or(0.0)));
    let worths: Vec<f64> = judged.iter().map(worth_of).collect();
    let votes: Vec<(f64, &Graph)> = among_themselves(&worths, hidden).into_iter().zip(votes).collect();
    let last = Graph::weighted_sum(&votes)?;
    Ok((vote(&last, &views[0], &together, LAST_VOTE)?, refinements))
}

/// Weights ∝ exp(hidden·worth) that sum to 1.
fn among_themselves(worths: &[f64], hidden: f64) -> Vec<f64> {
    let best = worths.iter().fold(f64::NEG_INFINITY, |best, worth| best.max(*worth));
    let weights: Vec<f64> = worths.iter().map(|worth| (hidden * (worth - best)).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// The shares that a refinement makes of `smooth`, the neighbours' vote, and the graph that it votes on.
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
        RefinementKind::Neighbours => (of_vote(smooth), Some(fused.clone())),
        RefinementKind::DiscriminantNeighbours => {
            // Where the classes explain all there is, there is no such space.
            let graph = places(data, smooth).map_or_else(|| Ok(fused.clone()), graph_of_places)?;
            (of_vote(&vote(&graph, view, smooth, FIRST_VOTE)?), Some(graph))
        }
        RefinementKind::Mixture => (mixture(data, &shares, smooth, CONFIDENCE), None),
        RefinementKind::Multinomial => (multinomial(data, &shares, smooth, CONFIDENCE), None),
    })
}

/// (I − αS)⁻¹·shares, as shares; labelled samples keep their class.
fn vote(graph: &Graph, view: &View, shares: &Matrix<f64>, alpha: f64) -> Result<Matrix<f64>> {
    Ok(with_labels(&view.labels, spread_scores(graph, shares, alpha, RESIDUAL)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one_however_many_labels_were_hidden() {
        for hidden in [0.0, 20.0, 1e5] {
            let weights = among_themselves(&[0.9, 1.1, 0.4], hidden);
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{weights:?}");
        }
        assert_eq!(among_themselves(&[0.3, 0.3], 1e6), [0.5, 0.5]);
        assert_eq!(among_themselves(&[-0.2, 0.8], 1e5), [0.0, 1.0]);
    }
}
