//! Splits of the data into a part to fit and a part to predict.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::counts::unit_of_counts;
use super::{Holdout, RankSettings};
use crate::data::{DataMatrix, RowGroups};
use crate::engine::losses::Loss;
use crate::engine::{Init, Settings};
use crate::fit::{Fit, fit};
use crate::foundation::{Error, Real, Result, Stream};
use crate::guidance::Guidance;
use crate::methods::Model;
use crate::recipes::guided::at_scale;

/// Fits need not be more exact than this: the splits differ by more.
const TOLERANCE: f64 = 1e-3;
/// (stored values at most, splits, starts, iterations). The more data, the more entries each split predicts,
/// and the less the splits differ.
const EFFORT: [(usize, usize, usize, usize); 3] =
    [(100_000, 8, 2, 100), (1_000_000, 6, 1, 100), (usize::MAX, 4, 1, 50)];
/// Below this many samples, each of which may be all that holds a component, the splits differ most.
pub(super) const FEW: usize = 40;
/// As many times the splits, of few samples; and the starts, where a fit is small.
const MORE: usize = 3;
/// Streams of random numbers: one for each split.
const STREAM: u64 = 1 << 41;
const SECOND_STREAM: u64 = 1 << 42;
const THIRD_STREAM: u64 = 1 << 43;

/// How the data are split, and how their parts are fitted.
pub(super) struct Splits<'s, T: Real> {
    pub(super) data: &'s dyn DataMatrix<T>,
    pub(super) settings: Settings,
    pub(super) loss: Loss,
    pub(super) holdout: Holdout,
    /// The unit of counts.
    pub(super) unit: f64,
    pub(super) count: usize,
    pub(super) restarts: usize,
    /// The guidance, where there is any, and the components that it names.
    pub(super) guidance: Option<Guidance>,
    pub(super) named: usize,
    fits: AtomicUsize,
}

impl<'s, T: Real> Splits<'s, T> {
    pub(super) fn new(
        data: &'s dyn DataMatrix<T>,
        loss: Loss,
        settings: &Settings,
        rank: &RankSettings,
        guidance: Option<&Guidance>,
    ) -> Result<Self> {
        let unit = unit_of_counts(data);
        let entries = !data.is_sparse() && loss == Loss::Frobenius;
        let holdout = match rank.holdout {
            Holdout::Auto if unit.is_some() => Holdout::Thinning,
            Holdout::Auto if entries => Holdout::Entries,
            Holdout::Auto => Holdout::Blocks,
            asked => asked,
        };
        let refuse = |reason: &str| {
            Err(Error::Incompatible {
                asked: format!("the holdout \"{}\"", holdout.name()),
                reason: reason.into(),
                valid: vec!["the holdout \"blocks\"".into(), "the holdout \"auto\"".into()],
            })
        };
        match holdout {
            Holdout::Thinning if unit.is_none() => return refuse("the entries are not counts"),
            Holdout::Entries if data.is_sparse() => return refuse("the data are sparse"),
            Holdout::Entries if !entries => return refuse("single entries need the squared loss"),
            _ => {}
        }
        let effort = EFFORT.iter().find(|effort| data.n_stored() <= effort.0).unwrap_or(&EFFORT[2]);
        let (_, splits, restarts, iterations) = *effort;
        let more = if data.n_samples() < FEW { MORE } else { 1 };
        let (splits, restarts) = (more * splits, if restarts > 1 { more * restarts } else { restarts });
        // Free components beside named ones start at random alone.
        let restarts = if guidance.is_some() { 2 * restarts } else { restarts };
        let settings = Settings {
            tolerance: settings.tolerance.max(TOLERANCE),
            max_iterations: settings.max_iterations.min(iterations),
            ..settings.clone()
        };
        Ok(Splits {
            data,
            settings,
            loss,
            holdout,
            unit: unit.unwrap_or(1.0),
            count: rank.splits.unwrap_or(splits),
            restarts: rank.restarts.unwrap_or(restarts),
            named: guidance.map_or(0, Guidance::n_components),
            guidance: guidance.map(|guidance| at_scale(guidance, 1.0)),
            fits: AtomicUsize::new(0),
        })
    }

    pub(super) fn fits(&self) -> usize {
        self.fits.load(Ordering::Relaxed)
    }

    pub(super) fn stream(&self, split: usize) -> Stream {
        Stream::numbered(self.settings.seed, STREAM + split as u64)
    }

    /// Further random numbers of a split.
    pub(super) fn second_stream(&self, split: usize) -> Stream {
        Stream::numbered(self.settings.seed, SECOND_STREAM + split as u64)
    }

    /// Random numbers of a split for halves of the counts.
    pub(super) fn third_stream(&self, split: usize) -> Stream {
        Stream::numbered(self.settings.seed, THIRD_STREAM + split as u64)
    }

    /// The same with other guidance.
    pub(super) fn with_guidance(&self, guidance: Guidance) -> Splits<'_, T> {
        Splits {
            data: self.data,
            settings: self.settings.clone(),
            named: guidance.n_components(),
            guidance: Some(guidance),
            fits: AtomicUsize::new(0),
            ..*self
        }
    }

    /// The model of all fits: plain NMF, or guided by what is known.
    pub(super) fn model(&self) -> Result<Model> {
        match &self.guidance {
            None => Model::nmf().with_loss(self.loss),
            Some(guidance) => Model::guided(guidance.clone()).with_loss(self.loss),
        }
    }

    /// Some of the samples. Guidance is about all samples, so under it the others stay, as rows of zeros.
    pub(super) fn rows(&self, chosen: &[usize]) -> Box<dyn DataMatrix<T>> {
        if self.guidance.is_none() {
            return self.data.grouped(&RowGroups::chosen(chosen, self.data.n_samples()));
        }
        let mut kept = vec![0.0; self.data.n_samples()];
        chosen.iter().for_each(|row| kept[*row] = 1.0);
        self.data.weighted(&|i, _| kept[i])
    }

    /// The best of several starts.
    pub(super) fn best(
        &self,
        data: &dyn DataMatrix<T>,
        model: &Model,
        split: usize,
        k: usize,
    ) -> Result<Fit<T>> {
        let mut best: Option<Fit<T>> = None;
        for start in 0..self.restarts {
            let init = match k <= data.n_samples().min(data.n_features()) && start == 0 {
                _ if self.guidance.is_some() => Init::Auto,
                true => Init::Nndsvda,
                false => Init::Random,
            };
            let settings = Settings {
                rank: k,
                init,
                seed: self.settings.seed.wrapping_add((split * self.restarts + start) as u64),
                ..self.settings.clone()
            };
            let found = fit(data, model, &settings)?;
            self.fits.fetch_add(1, Ordering::Relaxed);
            if best.as_ref().is_none_or(|best| found.objective < best.objective) {
                best = Some(found);
            }
        }
        Ok(best.expect("there is at least one start"))
    }
}

/// `0..count` in two random halves, each ascending.
pub(super) fn halves(random: &Stream, row: usize, count: usize) -> [Vec<usize>; 2] {
    let mut order: Vec<u32> = (0..count as u32).collect();
    random.shuffle(row, &mut order);
    let (first, second) = order.split_at(count / 2);
    [first, second].map(|half| {
        let mut half: Vec<usize> = half.iter().map(|at| *at as usize).collect();
        half.sort_unstable();
        half
    })
}
