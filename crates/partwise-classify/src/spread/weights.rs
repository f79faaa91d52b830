//! The least weights at which samples are in their topics.

use partwise::guidance::Spread;
use partwise::recipes::{Owners, ShareOf, shares};
use partwise::{Advice, DataMatrix, Guidance, Init, Loss, Model, Real, Result, Settings, fit};

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
/// Fits as the last one will be, after the short ones: they show who is still elsewhere.
const WHOLE_FITS: usize = 5;
/// The most that another topic may have of a sample in a short fit, relative to its own.
pub(super) const MOST_OF_ANOTHER: f64 = 0.8;

/// The weight of each sample (n).
pub(super) fn least_that_follow<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: &Guidance,
    item: &Spread,
    loss: Loss,
    settings: &Settings,
) -> Result<Vec<f64>> {
    let guidance = for_short_fits(guidance);
    let names: Vec<String> = (1..=settings.rank).map(|j| format!("part {j}")).collect();
    let owners = Owners::new(&guidance.all_topics(), &names);
    let own: Vec<Option<usize>> = (0..data.n_samples())
        .map(|i| {
            let (topic, _) = item.topic(i)?;
            owners.names().iter().position(|name| *name == item.names[topic])
        })
        .collect();
    let mut item = item.clone();
    item.weights = own.iter().map(|own| if own.is_some() { LEAST_COST / MOST_COST } else { 0.0 }).collect();
    let whole = Settings { time_limit: None, ..settings.clone() };
    let mut short = Settings { max_iterations: ITERATIONS, tolerance: 0.0, ..whole.clone() };
    for round in 0..ROUNDS + WHOLE_FITS {
        let is_short = round < ROUNDS;
        let model = Model::guided(guidance.clone().with(Advice::Spread(item.clone()))).with_loss(loss)?;
        let found = fit(data, &model, if is_short { &short } else { &whole })?;
        let of_topics = owners.memberships(&shares(&found.codes, &found.components, ShareOf::of_loss(loss)));
        let (most, growth) = if is_short { (MOST_OF_ANOTHER, GROWTH) } else { (1.0, GROWTH * GROWTH) };
        let mut raised = false;
        for (i, own) in own.iter().enumerate() {
            let Some(own) = own else { continue };
            if !is_in(of_topics.row(i), *own, most) && item.weights[i] < 1.0 {
                item.weights[i] = (growth * item.weights[i]).min(1.0);
                raised = true;
            }
        }
        if !raised && !is_short {
            break;
        }
        let (codes, components) = (found.codes.cast(), found.components.cast());
        short.init = Init::Custom { codes: Some(codes), components: Some(components) };
    }
    Ok(item.weights)
}

/// Whether a sample with these memberships has at most `most` times that of the topic in any other, or none
/// at all.
pub(super) fn is_in(memberships: &[f64], topic: usize, most: f64) -> bool {
    let others = (0..memberships.len()).filter(|t| *t != topic).map(|t| memberships[t]);
    others.fold(0.0, f64::max) <= most * memberships[topic]
}
