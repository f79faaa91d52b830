//! The least weights at which samples are in their topics.

use std::ops::Range;

use partwise::guidance::Spread;
use partwise::recipes::{ShareOf, shares};
use partwise::{Advice, DataMatrix, Guidance, Init, Loss, Matrix, Model, Real, Result, Settings, fit};

use super::for_short_fits;

/// The cost of a unit of a sample outside of its topic, to begin with.
pub(super) const LEAST_COST: f64 = 0.1;
/// That of a firm label (σ² = 81).
pub(super) const MOST_COST: f64 = 81.0;
/// What a cost is multiplied by where it is too small.
const GROWTH: f64 = 3.0;
/// Short fits, and their iterations.
const ROUNDS: usize = 10;
const ITERATIONS: usize = 15;
/// The most that another topic may have of a sample, relative to its own.
const MOST_OF_ANOTHER: f64 = 0.8;

/// The weight of each sample (n).
pub(super) fn least_that_follow<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: &Guidance,
    item: &Spread,
    loss: Loss,
    settings: &Settings,
) -> Result<Vec<f64>> {
    let guidance = for_short_fits(guidance);
    let topics = ranges(&guidance);
    let own: Vec<Option<usize>> = (0..data.n_samples())
        .map(|i| {
            let (topic, _) = item.topic(i)?;
            topics.iter().position(|(name, _)| *name == item.names[topic])
        })
        .collect();
    let mut item = item.clone();
    item.weights = own.iter().map(|own| if own.is_some() { LEAST_COST / MOST_COST } else { 0.0 }).collect();
    let mut short = Settings { max_iterations: ITERATIONS, tolerance: 0.0, time_limit: None, ..settings.clone() };
    for _ in 0..ROUNDS {
        let model = Model::guided(guidance.clone().with(Advice::Spread(item.clone()))).with_loss(loss)?;
        let found = fit(data, &model, &short)?;
        let of_topics = of_topics(&shares(&found.codes, &found.components, ShareOf::of_loss(loss)), &topics);
        let mut raised = false;
        for (i, own) in own.iter().enumerate() {
            let Some(own) = own else { continue };
            if !is_in(of_topics.row(i), *own) && item.weights[i] < 1.0 {
                item.weights[i] = (GROWTH * item.weights[i]).min(1.0);
                raised = true;
            }
        }
        if !raised {
            break;
        }
        short.init = Init::Custom { codes: Some(found.codes.cast()), components: Some(found.components.cast()) };
    }
    Ok(item.weights)
}

/// The topics and their components.
pub(super) fn ranges(guidance: &Guidance) -> Vec<(String, Range<usize>)> {
    let mut first = 0;
    let range = |(name, count): (String, usize)| {
        first += count;
        (name, first - count..first)
    };
    guidance.all_topics().into_iter().map(range).collect()
}

/// Memberships (n × topics, then free components) from those of the components (n × k).
pub(super) fn of_topics(shares: &Matrix<f64>, topics: &[(String, Range<usize>)]) -> Matrix<f64> {
    let taken = topics.last().map_or(0, |(_, range)| range.end);
    Matrix::from_fn(shares.rows(), topics.len() + shares.columns() - taken, |i, t| match topics.get(t) {
        Some((_, range)) => shares.row(i)[range.clone()].iter().sum(),
        None => shares.get(i, taken + t - topics.len()),
    })
}

/// Whether a sample with these memberships is clearly in the topic, or in none at all.
pub(super) fn is_in(memberships: &[f64], topic: usize) -> bool {
    let others = (0..memberships.len()).filter(|t| *t != topic).map(|t| memberships[t]);
    others.fold(0.0, f64::max) <= MOST_OF_ANOTHER * memberships[topic]
}
