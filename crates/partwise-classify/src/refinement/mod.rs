//! Refinement by self-training: posteriors of all samples are learned from in place of the labels of a few.
//!
//! The product of the base classifiers is smoothed over the fused graph. Each refinement learns from that;
//! they are scored and weighed as base classifiers are, and their product is smoothed once more. Held-out
//! labels are as many of each class and so cannot tell refinements apart that differ by the class sizes they
//! find; the agreement of the folds can, which is why it weighs here.

mod gaussian_mixture;
mod label_discriminants;
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
use crate::linear_scores::LinearScores;
use crate::posteriors::{largest, logarithms, sharpened, sharpness, with_labels};
use crate::result::{HeldOutLabel, Member};
use crate::scores::weights;
use gaussian_mixture::{Discriminants, GaussianMixture};
use label_discriminants::LabelDiscriminants;
use multinomial_mixture::MultinomialMixture;
use neighbours::{DiscriminantNeighbours, Neighbours};

/// α of the first smoothing, and of the one over discriminants.
pub(crate) const FIRST_ALPHA: f64 = 0.9;
/// α of the smoothing of the result.
pub(crate) const LAST_ALPHA: f64 = 0.8;
/// The mean largest posterior of the unlabelled samples at which refinements are compared.
const CONFIDENCE: f64 = 0.8;
/// A linear refinement of a lower weight is left out for new rows: its posteriors to this power are 1.
const LEAST_WEIGHT: f64 = 1e-3;
/// How far the mixture of a table follows the class sizes that it starts from, 0 to 1.
const SIZE_POWER: f64 = 0.5;
/// The least class size that mixtures assume.
const LEAST_SIZE: f64 = 1e-3;

/// Learns from posteriors of all samples.
trait Refinement<T: Real>: Sync {
    /// Its name in running text.
    fn name(&self) -> &'static str;

    /// Posteriors (n × c) of all samples, calibrated; labelled samples keep their class.
    fn posteriors(&self, start: &Start<'_, T>) -> Result<Matrix<f64>>;
}

/// All, in the order of [`Classification::refinements`](crate::Classification::refinements). The first two
/// smooth over a graph each, the others are linear in the row. Measurements are no counts: for tables
/// the discriminants of the labels take the place of the multinomial mixture.
fn refinements<T: Real>(of_table: bool) -> [&'static dyn Refinement<T>; 4] {
    let last: &dyn Refinement<T> = if of_table { &LabelDiscriminants } else { &MultinomialMixture };
    [&Neighbours, &DiscriminantNeighbours, &GaussianMixture, last]
}

/// What the refinements of a fold start from.
struct Start<'t, T: Real> {
    prepared: &'t Prepared<'t, T>,
    fold: &'t Fold,
    /// The product of the base classifiers, smoothed over the fused graph (n × c), before its rows sum to 1.
    sums: Matrix<f64>,
    /// The same as posteriors.
    posteriors: Matrix<f64>,
    fused: &'t Graph,
    /// The discriminants that `posteriors` give; none where the classes explain all there is.
    discriminants: Option<Discriminants>,
    /// The graph of the samples in their space; none where there is no such space.
    discriminant: Option<Graph>,
    /// The logarithm of what a mixture multiplies each class with (c), for its size; 0 where it assumes even
    /// classes.
    size_logarithms: Vec<f64>,
}

impl<'t, T: Real> Start<'t, T> {
    fn new(
        prepared: &'t Prepared<'t, T>,
        fold: &'t Fold,
        fused: &'t Graph,
        base: &Matrix<f64>,
    ) -> Result<Self> {
        let sums = spread_scores(fused, base, FIRST_ALPHA, RESIDUAL)?;
        let posteriors = with_labels(&fold.labels, sums.clone());
        let rows = prepared.rows.as_ref();
        let discriminants = gaussian_mixture::discriminants(rows, &posteriors);
        let space =
            discriminants.as_ref().and_then(|found| gaussian_mixture::discriminant_space(rows, found));
        let discriminant = space.map(|(points, _)| graph_of_points(points)).transpose()?;
        let size_logarithms =
            size_logarithms(&posteriors, &fold.unlabelled, if prepared.of_table { SIZE_POWER } else { 0.0 });
        Ok(Start { prepared, fold, sums, posteriors, fused, discriminants, discriminant, size_logarithms })
    }

    fn discriminant_graph(&self) -> &Graph {
        self.discriminant.as_ref().unwrap_or(self.fused)
    }

    /// Posteriors ∝ exp(g·`logits`), as confident as refinements are compared at.
    fn calibrated(&self, logits: &Matrix<f64>) -> Matrix<f64> {
        self.sharpened(logits, self.sharpness(logits))
    }

    /// g.
    fn sharpness(&self, logits: &Matrix<f64>) -> f64 {
        sharpness(logits, &self.fold.unlabelled, CONFIDENCE)
    }

    fn sharpened(&self, logits: &Matrix<f64>, g: f64) -> Matrix<f64> {
        with_labels(&self.fold.labels, sharpened(logits, g))
    }

    /// The posteriors of a mixture: ∝ sizes·exp(g·`scores`).
    fn of_mixture(&self, mut scores: Matrix<f64>, g: f64) -> Matrix<f64> {
        for i in 0..scores.rows() {
            let of_classes = scores.row_mut(i).iter_mut().zip(&self.size_logarithms);
            of_classes.for_each(|(score, size)| *score += size / g);
        }
        self.sharpened(&scores, g)
    }

    /// The same for new rows.
    fn with_sizes(&self, mut scores: LinearScores, g: f64) -> LinearScores {
        let of_classes = scores.offsets.iter_mut().zip(&self.size_logarithms);
        of_classes.for_each(|(offset, size)| *offset -= size / g);
        scores
    }
}

/// power·ln of the mean posterior of each class (c) over the samples `over`.
fn size_logarithms(posteriors: &Matrix<f64>, over: &[usize], power: f64) -> Vec<f64> {
    let mean = |c: usize| over.iter().map(|i| posteriors.get(*i, c)).sum::<f64>() / over.len().max(1) as f64;
    let logarithm = |c: usize| if power > 0.0 { power * mean(c).max(LEAST_SIZE).ln() } else { 0.0 };
    (0..posteriors.columns()).map(logarithm).collect()
}

/// What gives the posteriors of rows that the classification did not see, as the refinements of fold 0 would.
pub(crate) struct Rules {
    /// The weights of the fused graph and of that of the discriminants in the last smoothing; they sum to 1.
    pub(crate) graph_weights: [f64; 2],
    /// What each refinement adds to the product.
    pub(crate) votes: Votes,
    pub(crate) gaussian_mixture: Rule,
    /// That of the multinomial mixture or of the discriminants of the labels.
    pub(crate) last_linear: Rule,
    /// The last smoothing (n × c), before its rows sum to 1.
    pub(crate) last: Matrix<f64>,
}

/// The two refinements that smooth over a graph.
pub(crate) struct Votes {
    /// The first smoothing (n × c), before its rows sum to 1.
    pub(crate) first: Matrix<f64>,
    /// The smoothing over the graph of the discriminants (n × c), before its rows sum to 1.
    pub(crate) second: Matrix<f64>,
    /// The weight and the sharpness of each.
    pub(crate) weights: [f64; 2],
    pub(crate) sharpness: [f64; 2],
    /// The points of the samples in the space of the discriminants, and what gives those of new rows.
    pub(crate) space: Option<(Matrix<f64>, LinearScores)>,
}

/// A refinement that is linear in the row.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) weight: f64,
    pub(crate) sharpness: f64,
    /// None where it makes no difference.
    pub(crate) scores: Option<LinearScores>,
}

impl Rule {
    fn new(member: &Member, learned: impl FnOnce() -> Option<(LinearScores, f64)>) -> Self {
        let learned = if member.weight < LEAST_WEIGHT { None } else { learned() };
        let (scores, sharpness) = learned.map_or((None, 1.0), |(scores, g)| (Some(scores), g));
        Rule { weight: member.weight, sharpness, scores }
    }
}

/// How the refinements did, and what came of them.
pub(crate) struct Refined {
    /// The posteriors of all samples.
    pub(crate) posteriors: Matrix<f64>,
    pub(crate) members: Vec<Member>,
    pub(crate) held_out: Vec<HeldOutLabel>,
    /// If asked for.
    pub(crate) rules: Option<Rules>,
}

/// The posteriors of all samples, and how each refinement did. `fused` holds the fused graph of each fold and
/// `products` its product of the base classifiers; `held_out` is the number of held-out labels. `rules` asks
/// for those for new rows.
pub(crate) fn refine<T: Real>(
    prepared: &Prepared<'_, T>,
    folds: &[Fold],
    (fused, products): (&[Graph], &[Matrix<f64>]),
    held_out: f64,
    pool: &Pool,
    rules: bool,
) -> Result<Refined> {
    let starts = (0..folds.len()).collect();
    let starts = pool.map(starts, |v: usize| Start::new(prepared, &folds[v], &fused[v], &products[v]));
    let starts = starts.into_iter().collect::<Result<Vec<_>>>()?;
    let refinements = refinements::<T>(prepared.of_table);
    let tasks: Vec<(usize, usize)> =
        (0..folds.len()).flat_map(|v| (0..refinements.len()).map(move |r| (v, r))).collect();
    let posteriors = pool.map(tasks, |(v, r)| refinements[r].posteriors(&starts[v]));
    let posteriors = posteriors.into_iter().collect::<Result<Vec<_>>>()?;
    let posteriors: Vec<&[Matrix<f64>]> = posteriors.chunks(refinements.len()).collect();
    let names: Vec<&str> = refinements.iter().map(|refinement| refinement.name()).collect();
    let quality = Quality::ScoreAndAgreement;
    let members = weighed(folds, &posteriors, &names, held_out, quality);
    let predicted = held_out_labels(folds, &posteriors, &members);
    let together = product(&folds[0].labels, posteriors[0], &members);
    // The two graphs are weighed between themselves: beside a mixture both smoothings may weigh nothing.
    let graph_weights = weights(&[quality.of(&members[0]), quality.of(&members[1])], held_out);
    let sum: f64 = graph_weights.iter().sum();
    let graphs = [starts[0].fused, starts[0].discriminant_graph()];
    let graph_weights = [0, 1].map(|g| graph_weights[g] / sum);
    let last = Graph::weighted_sum(&[0, 1].map(|g| (graph_weights[g], graphs[g])))?;
    let last = spread_scores(&last, &together, LAST_ALPHA, RESIDUAL)?;
    let posteriors = with_labels(&folds[0].labels, last.clone());
    let rules = rules.then(|| rules_of(&starts[0], &members, graph_weights, last)).transpose()?;
    Ok(Refined { posteriors, members, held_out: predicted, rules })
}

/// The classes of the held-out labels by the product in their fold.
fn held_out_labels(folds: &[Fold], posteriors: &[&[Matrix<f64>]], members: &[Member]) -> Vec<HeldOutLabel> {
    let of_fold = |(fold, posteriors): (&Fold, &&[Matrix<f64>])| {
        let together = product(&fold.labels, posteriors, members);
        let label = |&(sample, class): &(usize, usize)| HeldOutLabel {
            sample,
            class,
            predicted: largest(together.row(sample)),
        };
        fold.held_out.iter().map(label).collect::<Vec<_>>()
    };
    folds[1..].iter().zip(&posteriors[1..]).flat_map(of_fold).collect()
}

/// The rules of the refinements that started at `start`.
fn rules_of<T: Real>(
    start: &Start<'_, T>,
    members: &[Member],
    graph_weights: [f64; 2],
    last: Matrix<f64>,
) -> Result<Rules> {
    let second = spread_scores(start.discriminant_graph(), &start.posteriors, FIRST_ALPHA, RESIDUAL)?;
    let sharpness = [start.posteriors.clone(), with_labels(&start.fold.labels, second.clone())]
        .map(|posteriors| start.sharpness(&logarithms(&posteriors)));
    let votes = Votes {
        first: start.sums.clone(),
        second,
        weights: [members[0].weight, members[1].weight],
        sharpness,
        space: start
            .discriminants
            .as_ref()
            .and_then(|found| gaussian_mixture::discriminant_space(start.prepared.rows.as_ref(), found)),
    };
    Ok(Rules {
        graph_weights,
        votes,
        gaussian_mixture: Rule::new(&members[2], || gaussian_mixture::learned(start).1),
        last_linear: Rule::new(&members[3], || match start.prepared.of_table {
            true => Some(label_discriminants::learned(start).1),
            false => multinomial_mixture::learned(start).1,
        }),
        last,
    })
}

/// (I − αS)⁻¹P, normalized; labelled samples keep their class.
fn smoothed(graph: &Graph, fold: &Fold, posteriors: &Matrix<f64>, alpha: f64) -> Result<Matrix<f64>> {
    Ok(with_labels(&fold.labels, spread_scores(graph, posteriors, alpha, RESIDUAL)?))
}
