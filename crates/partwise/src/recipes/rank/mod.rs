//! How many components the data support: held-out prediction and replication, both over the number k of
//! components.
//!
//! ```text
//! prediction    the data are split S times into a part to fit and a part to predict, with the same splits
//!               for every k;  k_prediction: the least k whose mean error is the best one, but for a
//!               thousandth of what that predicts
//! replication   the samples are halved at random, the components of the halves matched one to one by their
//!               correlation about the mean of all components (at unit length);
//!               ρ(k): the median over splits of the smallest matched correlation;
//!               k_replication: the greatest k ≤ k_prediction with ρ(k) ≥ 0.7
//!               (below 40 samples: halves of the counts, or bootstraps of other data)
//! answer        min(k_prediction, k_replication)
//! ```
//!
//! Counts are split by thinning: T ~ Binomial(X, ¼) is predicted, X − T is fitted; the two are independent if
//! X is Poisson. Their prediction is shrunk towards the product of the margins, as far as predicts best.
//! Other data hide some of their entries, or blocks of them (see [`Holdout`]). References: thinning, Neufeld
//! et al. 2024, JMLR 25; held-out blocks, Owen & Perry 2009, doi:10.1214/08-AOAS227.

mod choice;
mod counts;
mod guided;
mod memory;
mod prediction;
mod remaining;
mod replication;
mod search;
mod splits;
mod steps;

use std::ops::ControlFlow;

use crate::data::DataMatrix;
use crate::engine::Settings;
use crate::engine::losses::Loss;
use crate::foundation::draw::{below, generator};
use crate::foundation::{Error, Real, Result, once};
use crate::guidance::Guidance;
use crate::recipes::finished::FinishedPieces;
pub use choice::{GuidedRank, GuidedRow, Holdout, RankChoice, RankProgress, RankRow, RankSettings, RankStep};
pub use memory::memory_of_rank;
use search::{Search, clearly_below_one, excess, mean, replicability};
use splits::Splits;

/// What errors call the settings.
const LEAST: &str = "the least k";
const GREATEST: &str = "the greatest k";
const SPLITS: &str = "the number of splits";
const RESTARTS: &str = "the number of restarts";

impl RankSettings {
    /// The words of errors for the numbers of the settings, in their order.
    #[doc(hidden)]
    pub const WORDS: [&'static str; 4] = [LEAST, GREATEST, SPLITS, RESTARTS];
}

/// Resamplings of the splits.
const RESAMPLINGS: usize = 200;
/// The stream of the resamplings.
const RESAMPLING: u64 = 1 << 40;

once! {
    /// How many components `data` support, for NMF with this loss. `settings` hold for all fits; their rank
    /// and start are not used. `observe` is called before the fits of some splits, and may end the search:
    /// the answer is then that of what has been tried.
    ///
    /// With `guidance`, k counts the components that it names, too: only the free ones are compared. All of
    /// it takes part in each fit, and the answer also says how many hidden labels are found again, and how
    /// far the named components move.
    ///
    /// A `finished` keeps the scores of finished fits: a search that was killed goes on with them, also
    /// with another range of k, and its answer has the same bits.
    ///
    /// The answer depends on the seed, but not on the number of threads or the unit of the data. It is the
    /// same for each range of k that holds it.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a range or a number of splits that is not valid; [`Error::Incompatible`]
    /// for a [`Holdout`] that the data do not allow, where all entries are 0, or for fewer than four samples
    /// or features; [`Error::Memory`] before anything is allocated; the faults of [`fit`](crate::fit()).
    pub fn select_rank<'a, T>(
        data: &'a dyn DataMatrix<T>,
        guidance: Option<&'a Guidance>,
        loss: Loss,
        settings: &'a Settings,
        rank: &'a RankSettings,
        finished: Option<&'a dyn FinishedPieces>,
        observe: &'a mut dyn FnMut(RankProgress) -> ControlFlow<()>,
    ) -> Result<RankChoice> = selected;
}

/// The loss that suits the data: Kullback–Leibler for counts, the squared loss for others.
pub fn loss_for_rank<T: Real>(data: &dyn DataMatrix<T>) -> Loss {
    if counts::unit_of_counts(data).is_some() { Loss::KullbackLeibler } else { Loss::Frobenius }
}

/// The body of [`select_rank`].
fn selected<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: Option<&Guidance>,
    loss: Loss,
    settings: &Settings,
    rank: &RankSettings,
    finished: Option<&dyn FinishedPieces>,
    observe: &mut dyn FnMut(RankProgress) -> ControlFlow<()>,
) -> Result<RankChoice> {
    let guidance = guidance.filter(|guidance| !guidance.is_empty());
    let (from, to) = range(data, rank, guidance.map_or(0, Guidance::n_components))?;
    // Far from 1 the squares of the data would leave the range of numbers.
    let largest = data.summary().max;
    let moderate = (-99.0..99.0).contains(&largest.log10());
    let divided = (!moderate).then(|| data.divided(2f64.powf(largest.log2().floor()), 0.0));
    let data = divided.as_deref().unwrap_or(data);
    let sparse = if may_thin(loss, rank) { counts::without_zeros(data)? } else { None };
    let data = sparse.as_ref().map_or(data, |sparse| sparse as &dyn DataMatrix<T>);
    let splits = Splits::new(data, loss, settings, rank, guidance)?;
    memory::of_splits(&splits, to, sparse.is_some())?
        .check("the comparison of numbers of components", settings.memory_limit)?;
    let (holdout, restarts) = (splits.holdout, splits.restarts);
    let mut search = Search::new(splits, finished, observe);
    search.run(from, to)?;
    let all = search.all();
    let k_prediction = search.predicted(&all);
    let found = search.replicated(k_prediction, &all);
    let answer = found.unwrap_or_else(|| search.least());
    let mut random = generator(settings.seed, RESAMPLING);
    let same = (0..RESAMPLINGS)
        .filter(|_| {
            let drawn: Vec<usize> = all.iter().map(|_| below(&mut random, all.len())).collect();
            search.replicated(search.predicted(&drawn), &drawn) == found
        })
        .count();
    let compared = !search.stopped || search.errors.len() > 1;
    let best = search.best(&all);
    let useful = guidance.is_some() || clearly_below_one(&search.errors[&answer]);
    let (guided, mut near) = match guidance {
        Some(_) => {
            let (guided, rows) = search.judge_guidance(answer)?;
            (Some(guided), rows)
        }
        None => Default::default(),
    };
    let steps = search.steps(answer)?;
    Ok(RankChoice {
        rank: answer,
        k_prediction,
        k_replication: answer,
        structure: useful || answer > 1 && found.is_some() && clearly_below_one(&search.errors[&best]),
        confidence: if compared { same as f64 / RESAMPLINGS as f64 } else { f64::NAN },
        at_limit: k_prediction == to,
        none_returns: found.is_none(),
        stopped: search.stopped,
        holdout,
        splits: all.len(),
        restarts,
        loss,
        table: search
            .errors
            .iter()
            .map(|(k, errors)| {
                let (excess, excess_error) = excess(errors, &search.errors[&best], &all);
                let replication = search.correlations.get(k).map(|found| replicability(found, &all));
                let (error, errors, guided) = (mean(errors, &all), errors.clone(), near.remove(k));
                RankRow { rank: *k, error, excess, excess_error, replication, errors, guided }
            })
            .collect(),
        guided,
        steps,
    })
}

/// Whether counts would be thinned.
fn may_thin(loss: Loss, rank: &RankSettings) -> bool {
    loss == Loss::KullbackLeibler && matches!(rank.holdout, Holdout::Auto | Holdout::Thinning)
}

/// The k that can be compared, of which `named` components have names.
fn range<T: Real>(data: &dyn DataMatrix<T>, rank: &RankSettings, named: usize) -> Result<(usize, usize)> {
    let fault = |name: &str, value: usize, valid: String| {
        Err(Error::OutOfRange { name: name.into(), value: value.to_string(), valid })
    };
    if rank.from == 0 || rank.from > rank.to {
        return fault(LEAST, rank.from, format!("from 1 to {GREATEST}, which is {}", rank.to));
    }
    if let Some(splits) = rank.splits.filter(|splits| *splits < 2) {
        return fault(SPLITS, splits, "2 or more".into());
    }
    if rank.restarts == Some(0) {
        return fault(RESTARTS, 0, "1 or more".into());
    }
    let (n, d) = (data.n_samples(), data.n_features());
    if n < 4 || d < 4 || data.summary().sum == 0.0 {
        return Err(Error::Incompatible {
            asked: format!("a number of components for {n} samples and {d} features"),
            reason: match data.summary().sum == 0.0 {
                true => "every entry is 0".into(),
                false => "parts of them are held out".to_string(),
            },
            valid: vec!["4 or more samples and features with entries above 0".into()],
        });
    }
    // Half of the samples must hold the components, too.
    let most = (n / 2).min(d).max(1);
    let from = rank.from.max(named);
    if from > most {
        return fault(LEAST, from, format!("at most {most}, of {n} samples and {d} features"));
    }
    if rank.to < named {
        return fault(GREATEST, rank.to, format!("{named} or more: the guidance names so many"));
    }
    Ok((from, rank.to.min(most)))
}
