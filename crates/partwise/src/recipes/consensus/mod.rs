//! Consensus of many restarts: which components return from other starts, and their median.
//!
//! ```text
//! restarts     R fits for each k, which differ in their random seed alone: seed, seed + 1, ..., seed + R − 1
//! matching     the components of each fit are matched one to one to those of the best fit (the one with the
//!              lowest objective), so that the sum of cosines is the largest; components with a name of the
//!              guidance are matched by that name
//! distance     1 − cosine of a matched component
//! share        the fraction of the other fits in which a component appears: cosine ≥ 0.9
//! outliers     matched components whose distance is above median + 3·MAD of the distances of their component
//! median       entrywise, of the matched components at unit length, of the fits in which they appear and are
//!              no outliers
//! consensus    the medians after 10 further iterations of the model from them, if those fit better (an
//!              entrywise median minimizes no loss); each component scaled to sum 1
//! codes        refitted: min over W ≥ 0 of the loss with the consensus components fixed
//! ```
//!
//! No limit is chosen by eye. k is not chosen here: see [`select_rank`](super::select_rank).

mod cells;
mod improvement;
mod matching;
mod restarts;

use crate::data::{DataMatrix, DataSize};
use crate::engine::losses::Loss;
use crate::engine::{Settings, SolverChoice};
use crate::fit::{Fit, Held, memory, solve};
use crate::foundation::{Error, Estimate, Matrix, Real, Result, once, pool};
use crate::methods::{Form, Model};
pub use cells::{CellPrograms, Cells, ConsensusSteps, SelectionRow, cell_programs};
use improvement::improved;
use matching::Matched;
use restarts::Restart;
pub use restarts::{RestartProgress, fit_restarts};

use super::FinishedPieces;

/// One factor for a fixed other one is solved to this tolerance, by at most so many updates, where no solver
/// reaches the minimum at once.
const EXACT: (f64, usize) = (1e-8, 2000);
/// From this share of the fits on, a component is counted as one that returns.
const STABLE: f64 = 0.9;
/// Below this distance, components are the same but for rounding.
const SAME: f64 = 1e-9;

/// Which fits a consensus is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsensusSettings {
    /// The numbers k of components, each 1 or more.
    pub ranks: Vec<usize>,
    /// Fits for each k, 2 or more; 100 by default.
    pub restarts: usize,
}

impl Default for ConsensusSettings {
    fn default() -> Self {
        ConsensusSettings { ranks: Vec::new(), restarts: 100 }
    }
}

impl ConsensusSettings {
    /// k ascending, each once, checked against the data.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a setting that is not valid; [`Error::Incompatible`] for data or a method of
    /// which there is no consensus.
    pub fn checked<T: Real>(&self, data: &dyn DataMatrix<T>, model: &Model) -> Result<Vec<usize>> {
        if self.restarts < 2 {
            let valid = "2 or more: a consensus compares fits from different starts";
            return Err(Error::out_of_range("the number of restarts", self.restarts, valid));
        }
        let mut ranks = self.ranks.clone();
        ranks.sort_unstable();
        ranks.dedup();
        let (n, d) = (data.n_samples(), data.n_features());
        let most = n.min(d);
        let (Some(&least), Some(&largest)) = (ranks.first(), ranks.last()) else {
            return Err(Error::out_of_range("the range of k", "empty", "one number or more"));
        };
        if least == 0 {
            return Err(Error::out_of_range("k", 0, "1 or more"));
        }
        if largest > most {
            let valid = format!("at most {most}, for {n} samples and {d} features");
            return Err(Error::out_of_range("k", largest, valid));
        }
        if model.spec().form != Form::Matrix {
            let asked = format!("a consensus of the method \"{}\"", model.spec().name);
            let reason = "its codes can't be refitted with fixed components";
            return Err(Error::incompatible(asked, reason, ["methods of samples x features"]));
        }
        if data.summary().sum == 0.0 {
            let valid = ["data with entries above 0"];
            return Err(Error::incompatible("a consensus of these data", "every entry is 0", valid));
        }
        Ok(ranks)
    }
}

/// A component that appears as another one in the fits that lack it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confusion {
    /// The other component, by its place.
    pub with: usize,
    /// The fraction of the fits without the component in which this other one is the most similar.
    pub share: f64,
    /// The mean cosine there.
    pub cosine: f64,
}

/// How well one component returns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ComponentStability {
    /// Its name.
    pub name: String,
    /// Whether guidance names it, so that it was matched by name.
    pub named: bool,
    /// The fraction of the other fits in which it appears (cosine ≥ 0.9), 0 to 1.
    pub share: f64,
    /// The 5, 25, 50, 75 and 95 % quantiles of its distance 1 − cosine in the other fits.
    pub distances: [f64; 5],
    /// Median + 3·MAD of these distances: beyond it a matched component does not enter the median.
    pub limit: f64,
    /// How many of the other fits are beyond it.
    pub outliers: usize,
    /// What it appears as in fits that lack it, if there are any and k is above 1.
    pub confusion: Option<Confusion>,
    /// Its share of the sum of all codes, 0 to 1.
    pub size: f64,
}

/// The consensus of the fits of one k.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Consensus<T> {
    /// H (k × d), each row with sum 1: named components first, the others by size.
    pub components: Matrix<T>,
    /// W (n × k), in the unit of the data: what each component adds to the sum of a sample.
    pub codes: Matrix<T>,
    /// How well the components return, and how well they fit.
    pub summary: ConsensusSummary,
}

/// How well the components of one k return from other starts, and how well they fit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ConsensusSummary {
    /// k.
    pub rank: usize,
    /// Fits that it is made from.
    pub restarts: usize,
    /// The random seed of the fit with the lowest objective.
    pub best_seed: u64,
    /// One for each component.
    pub parts: Vec<ComponentStability>,
    /// The mean share over the components.
    pub stability: f64,
    /// The relative error of the best fit, as [`Fit::relative_error`].
    pub best_error: f64,
    /// That of the consensus.
    pub relative_error: f64,
    /// ‖X − WH‖² or D(X‖WH) of the consensus.
    pub loss_value: f64,
    /// How many fits ended at the iteration limit.
    pub unconverged: usize,
    /// Whether all fits are the same: the start does not depend on the random seed.
    pub same_starts: bool,
}

impl ConsensusSummary {
    /// The smallest share of a component.
    pub fn least_share(&self) -> f64 {
        self.parts.iter().map(|part| part.share).fold(1.0, f64::min)
    }

    /// The names of the components.
    pub fn names(&self) -> Vec<String> {
        self.parts.iter().map(|part| part.name.clone()).collect()
    }

    /// The result in a sentence.
    pub fn explanation(&self) -> String {
        let (k, others) = (self.rank, self.restarts - 1);
        if self.same_starts {
            return format!(
                "k = {k}: all {} fits are the same, because their start does not depend on the random seed; \
                this says nothing about stability",
                self.restarts
            );
        }
        let stable = self.parts.iter().filter(|part| part.share >= STABLE).count();
        let least = self.parts.iter().min_by(|a, b| a.share.total_cmp(&b.share));
        let weakest = least.filter(|part| part.share < STABLE).map_or(String::new(), |part| {
            format!("; \"{}\" appears in {:.0} %", part.name, 100.0 * part.share)
        });
        let verb = if k == 1 { "component appears" } else { "components appear" };
        let others = if others == 1 { "the other fit".into() } else { format!("the {others} other fits") };
        format!("k = {k}: {stable} of {k} {verb} in 90 % or more of {others}{weakest}")
    }
}

/// What all restarts and one consensus need beside the caller's data: [`fit_restarts`] and [`consensus_at`].
pub fn memory_of_consensus(
    size: DataSize,
    model: &Model,
    settings: &Settings,
    consensus: &ConsensusSettings,
) -> Estimate {
    let rank = consensus.ranks.iter().copied().max().unwrap_or(1);
    let one = memory::of_fit(size, model, &Settings { rank, threads: 1, ..settings.clone() });
    let at_once = pool::threads_for(settings.threads).min(consensus.restarts * consensus.ranks.len()).max(1);
    let shared = ["the sums of rows and columns", "the columns of the sparse data"];
    let mut parts: Vec<(&'static str, f64)> = one
        .parts
        .iter()
        .map(|(name, bytes)| (*name, if shared.contains(name) { *bytes } else { *bytes * at_once as f64 }))
        .collect();
    let (k, d, number) = (rank as f64, size.features as f64, size.number as f64);
    parts.push(("the components of all restarts", (consensus.restarts as f64 + 2.0) * k * d * number));
    let mut advice = vec!["fewer threads".to_string()];
    advice.extend(one.advice);
    Estimate { parts, advice }
}

once! {
    /// The consensus of the finished fits of `rank` in the finished; `None` where fewer than two are
    /// finished. What [`fit_restarts`] left there, with the same data, model and settings.
    ///
    /// # Errors
    /// [`Error::FinishedPieces`]; the faults of [`solve`].
    pub fn consensus_at<'a, T>(
        data: &'a dyn DataMatrix<T>,
        model: &'a Model,
        settings: &'a Settings,
        rank: usize,
        restarts: usize,
        finished: &'a dyn FinishedPieces,
    ) -> Result<Option<Consensus<T>>> = consensus;
}

/// The body of [`consensus_at`].
fn consensus<T: Real>(
    data: &dyn DataMatrix<T>,
    model: &Model,
    settings: &Settings,
    rank: usize,
    restarts: usize,
    finished: &dyn FinishedPieces,
) -> Result<Option<Consensus<T>>> {
    let mut fits = Vec::new();
    for number in 0..restarts {
        fits.extend(Restart::<T>::find(finished, rank, number)?);
    }
    if fits.len() < 2 {
        return Ok(None);
    }
    let best =
        (1..fits.len()).fold(0, |best, at| if fits[at].objective < fits[best].objective { at } else { best });
    let matched = Matched::new(&fits, best);
    // Fits from other starts may agree to their tolerance, but not to rounding after as many iterations.
    let as_long = fits.iter().all(|fit| fit.iterations == fits[0].iterations);
    let same_starts = as_long && matched.largest_distance() < SAME;
    let (components, refitted) = improved(data, model, settings, matched.medians())?;
    let parts = matched.stability(&fits[best].names);
    let order = order(&refitted.codes, &parts);
    let sum_of =
        |j: usize| (0..refitted.codes.rows()).map(|i| refitted.codes.get(i, j).to_f64()).sum::<f64>();
    let total: f64 = (0..rank).map(sum_of).sum();
    let place = |j: usize| order.iter().position(|other| *other == j).unwrap_or(j);
    let parts: Vec<ComponentStability> = order
        .iter()
        .enumerate()
        .map(|(at, &j)| {
            let part = parts[j].clone();
            let confusion = part.confusion.map(|c| Confusion { with: place(c.with), ..c });
            let name = if part.named { part.name.clone() } else { format!("part {}", at + 1) };
            let size = if total > 0.0 { sum_of(j) / total } else { 0.0 };
            ComponentStability { name, confusion, size, ..part }
        })
        .collect();
    let summary = ConsensusSummary {
        rank,
        restarts: fits.len(),
        best_seed: restarts::seed_of(settings, fits[best].number),
        stability: parts.iter().map(|part| part.share).sum::<f64>() / rank as f64,
        parts,
        best_error: fits[best].relative_error,
        relative_error: refitted.relative_error,
        loss_value: refitted.loss_value * refitted.objective_unit.powi(2),
        unconverged: fits.iter().filter(|fit| !fit.converged).count(),
        same_starts,
    };
    Ok(Some(Consensus {
        components: Matrix::from_fn(rank, data.n_features(), |a, j| components.get(order[a], j)),
        codes: Matrix::from_fn(data.n_samples(), rank, |i, a| refitted.codes.get(i, order[a])),
        summary,
    }))
}

/// Named components as they are, then the others by the sum of their codes, the largest first.
fn order<T: Real>(codes: &Matrix<T>, parts: &[ComponentStability]) -> Vec<usize> {
    let mut sums = vec![0.0; parts.len()];
    for i in 0..codes.rows() {
        sums.iter_mut().zip(codes.row(i)).for_each(|(sum, w)| *sum += w.to_f64());
    }
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by(|&a, &b| {
        let named = parts[b].named.cmp(&parts[a].named);
        named.then(if parts[a].named { a.cmp(&b) } else { sums[b].total_cmp(&sums[a]) })
    });
    order
}

/// The codes of the data for fixed components, exact: by active sets for the squared loss, by many updates
/// for the Kullback–Leibler divergence.
pub fn codes_for<T: Real>(
    data: &dyn DataMatrix<T>,
    components: &Matrix<T>,
    loss: Loss,
    settings: &Settings,
) -> Result<Fit<T>> {
    solve(data, Held::Components(components), loss, &exact(components.rows(), loss, settings))
}

/// Settings that solve one factor exactly, without penalties.
fn exact(rank: usize, loss: Loss, settings: &Settings) -> Settings {
    // Block pivoting is exact after one iteration. More of them would only wait for numbers to stand still
    // that rounding moves: of `f32` for as long as they may.
    let (solver, tolerance, max_iterations) = match loss {
        Loss::Frobenius => (SolverChoice::Bpp, 0.0, 1),
        Loss::KullbackLeibler => (SolverChoice::Auto, EXACT.0, EXACT.1),
    };
    Settings {
        rank,
        solver,
        inner_steps: None,
        tolerance,
        max_iterations,
        time_limit: None,
        l1: (0.0, 0.0),
        l2: (0.0, 0.0),
        ..settings.clone()
    }
}
