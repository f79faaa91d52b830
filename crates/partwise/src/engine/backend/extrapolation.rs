//! Extrapolation with restart, around the updates of codes and components.
//!
//! ```text
//! u' ← improve(y);  y ← max(0, u' + β(u' − u));  u ← u'
//! ```
//!
//! A factor is improved from its extrapolated place y, and the other factor is then solved for that place. β
//! grows while the objective falls. Where it rises, the extrapolation of the other factor was too long: it is
//! taken back, the work of this factor is repeated, nothing is extrapolated until the next iteration, and β
//! shrinks. An update at a place that isn't extrapolated never raises the objective, so neither does an
//! iteration. HALS knows the objective after each update, multiplicative updates know it before. These keep a
//! share of each entry, since a zero would stay; and one that an update makes grow from next to nothing, for
//! which they would take hundreds of iterations, is put at once to where it shows (Kullback–Leibler on the
//! counts of `bench/`, k = 20: the objective after 256 iterations is 1.2 to 1.3 % lower). Entries of a row
//! are compared by what they stand for, uⱼ·Σvⱼ (Kullback–Leibler) or uⱼ·‖vⱼ‖. Reference: Ang & Gillis 2019,
//! "Accelerating nonnegative matrix factorization algorithms using extrapolation", doi:10.1162/neco_a_01157;
//! they compare once an iteration and go on from the rejected place.
//!
//! Where codes and components are one factor, an update lowers a quadratic in place of the objective
//! (`terms/equal_factors.rs`). The objective is known before the next update. Where it has risen, the factor
//! goes back to where the update ended, and then halfway to where it began until it has not: the direction is
//! one of descent. This is also done without extrapolation.

use std::ops::Range;

use crate::engine::losses::Loss;
use crate::engine::solvers::SolverChoice;
use crate::engine::{Factors, Problem, Slot, Transfer, Transferred};
use crate::foundation::{Matrix, Real};

/// β of the first iterations.
const START: f64 = 0.5;
/// What β is multiplied by after an iteration that was accepted, and what its bound is.
const GROWTH: f64 = 1.05;
const BOUND_GROWTH: f64 = 1.01;
/// What β is divided by after one that was not.
const SHRINKAGE: f64 = 1.5;

/// The share of an entry that multiplicative updates keep at least.
const KEPT: f64 = 0.1;
/// What an entry that grew in a multiplicative update has at least after it was extrapolated, as a share of
/// the largest of its row, by mass. (With a coarser test of what grew, 1e-4 was ahead of it for 150
/// iterations and behind later, 1e-5 behind for 250 and ahead later.)
const GROWING: f64 = 3e-5;
/// What any other has, but for zeros: far above what `f32` can't hold.
const LEAST: f64 = 1e-12;

/// When the objective is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// After an update of HALS, at the updated factor.
    After,
    /// Before an update, at the place where it begins.
    Before,
}

/// The most times that the step of an update is halved.
const MOST_HALVINGS: usize = 30;

/// Which places an extrapolation goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) known: Known,
    /// Whether zeros stay, so that a share of each entry is kept.
    pub(super) multiplied: bool,
    /// Whether there is one factor, which is its own partner. Its updates may raise the objective: their step
    /// is then halved.
    pub(super) alone: bool,
}

/// The state of one fit.
pub(super) struct Extrapolation<T> {
    /// The factor that is updated first in an iteration.
    first: Slot,
    kind: Kind,
    /// How often the place of the next update was taken back.
    taken_back: usize,
    step: f64,
    bound: f64,
    /// The half objective of the last pair that was accepted. (With [`Known::After`]: the first factor
    /// extrapolated, the second as it was updated.)
    pub(super) reached: Option<f64>,
    /// How much the objective may rise by rounding alone.
    rounding: f64,
    rejected: bool,
    tracks: [Track<T>; 2],
}

/// What is remembered of one factor.
struct Track<T> {
    /// The entries of the factor that are updated here.
    own: Range<usize>,
    /// Where the last update began, as far as that is needed.
    entry: Option<Matrix<T>>,
    /// What the last update gave.
    updated: Option<Matrix<T>>,
    /// Whether the factor stands at an extrapolated place now.
    moved: bool,
}

impl<T: Real> Extrapolation<T> {
    /// `size` is that of the objective without any fit: ½‖X‖² or ΣX. Without `moves` nothing is extrapolated.
    /// `own`: the entries of codes and components that are updated here.
    pub(super) fn new(first: Slot, kind: Kind, moves: bool, size: f64, own: [Range<usize>; 2]) -> Self {
        let track = |own| Track { own, entry: None, updated: None, moved: false };
        Extrapolation {
            first,
            kind,
            taken_back: 0,
            step: if moves { START } else { 0.0 },
            bound: if moves { 1.0 } else { 0.0 },
            reached: None,
            rounding: T::EPSILON.to_f64() * size,
            rejected: false,
            tracks: own.map(track),
        }
    }

    /// Bytes of what is remembered, once it is.
    pub(super) fn bytes(&self, factors: &Factors<T>) -> usize {
        let slots = if self.kind.alone { &Slot::MAIN[..1] } else { &Slot::MAIN };
        let values: usize = slots.iter().map(|slot| factors.get(*slot).as_slice().len()).sum();
        2 * values * size_of::<T>()
    }

    /// Nothing is extrapolated: for a single iteration, whose updates have none before them to go on from. So
    /// no factor is kept for it.
    pub(super) fn stand_still(&mut self) {
        (self.step, self.bound) = (0.0, 0.0);
    }

    /// What is remembered, to or from a checkpoint.
    pub(super) fn transfer(&mut self, transfer: &mut Transfer<'_>, factors: &Factors<T>) -> Transferred {
        transfer.count(&mut self.taken_back)?;
        transfer.float(&mut self.step)?;
        transfer.float(&mut self.bound)?;
        transfer.optional(&mut self.reached)?;
        transfer.flag(&mut self.rejected)?;
        for (track, slot) in self.tracks.iter_mut().zip(Slot::MAIN) {
            let shape = factors.get(slot).shape();
            transfer.optional_matrix(&mut track.entry, shape)?;
            transfer.optional_matrix(&mut track.updated, shape)?;
            transfer.flag(&mut track.moved)?;
        }
        Ok(())
    }

    /// Whether places are judged before an update.
    pub(super) fn is_judged_before(&self) -> bool {
        self.kind.known == Known::Before
    }

    /// Before an update of `slot`.
    pub(super) fn begin(&mut self, slot: Slot, factors: &Factors<T>) {
        if slot == self.first && self.kind.known == Known::After {
            self.rejected = false;
        }
        // Multiplicative updates ask what grew, a step that is halved where it began; without an extrapolated
        // partner an update of HALS can't be rejected.
        if self.kind.known == Known::Before || self.track(slot.other()).moved {
            let track = self.track(slot);
            keep(&mut track.entry, factors.get(slot), &track.own);
        }
    }

    /// The half objective where `slot` is about to be updated. Whether it is to be formed anew, a factor
    /// having been taken back; it is accepted otherwise.
    pub(super) fn takes_back_before(&mut self, slot: Slot, objective: f64, factors: &mut Factors<T>) -> bool {
        if slot == self.first && self.taken_back == 0 {
            self.lengthen_or_shorten();
            self.rejected = false;
        }
        let partner = if self.kind.alone { slot } else { slot.other() };
        let rises = self.reached.is_some_and(|reached| objective > reached + self.rounding);
        let moved = self.track(partner).moved;
        let halves = self.kind.alone && self.taken_back < MOST_HALVINGS;
        if rises && (moved && self.taken_back == 0 || halves) {
            self.rejected = true;
            self.taken_back += 1;
            if moved {
                self.settle(partner, factors);
            } else {
                self.halve(partner, factors);
            }
            return true;
        }
        self.taken_back = 0;
        self.reached = Some(objective);
        false
    }

    /// Puts a factor halfway back to where its last update began.
    fn halve(&mut self, slot: Slot, factors: &mut Factors<T>) {
        let track = self.track(slot);
        let entry = track.entry.as_ref().expect("it was kept when the update began");
        let half = T::from_f64(0.5);
        let places = &mut factors.get_mut(slot).as_mut_slice()[track.own.clone()];
        for (place, entry) in places.iter_mut().zip(&entry.as_slice()[track.own.clone()]) {
            *place = half * (*place + *entry);
        }
    }

    fn lengthen_or_shorten(&mut self) {
        if self.rejected {
            self.bound = self.step;
            self.step /= SHRINKAGE;
        } else {
            self.step = (self.step * GROWTH).min(self.bound);
            self.bound = (self.bound * BOUND_GROWTH).min(1.0);
        }
    }

    /// Whether the update of `slot` that gave this half objective is to be repeated; the factors are then
    /// back where it must begin.
    pub(super) fn takes_back(&mut self, slot: Slot, objective: f64, factors: &mut Factors<T>) -> bool {
        let moved = self.kind.known == Known::After && self.track(slot.other()).moved;
        let Some(reached) = self.reached.filter(|_| moved) else { return false };
        if objective <= reached + self.rounding {
            return false;
        }
        self.rejected = true;
        self.settle(slot.other(), factors);
        let track = self.track(slot);
        let entry = track.entry.as_ref().expect("it was kept when the update began");
        copy(entry, factors.get_mut(slot), &track.own);
        true
    }

    /// Moves the factor on after an accepted update, and remembers the update. `masses` (k): how much a unit
    /// of each component stands for; asked for where zeros stay.
    pub(super) fn advance(
        &mut self,
        slot: Slot,
        objective: f64,
        masses: impl FnOnce() -> Vec<T>,
        factors: &mut Factors<T>,
    ) {
        if slot != self.first && self.kind.known == Known::After {
            self.reached = Some(objective);
            self.lengthen_or_shorten();
        }
        let multiplied = self.kind.multiplied;
        let (step, rejected) = (T::from_f64(self.step), self.rejected);
        let track = self.track(slot);
        track.moved = false;
        if step == T::ZERO {
            return;
        }
        let Some(updated) = track.updated.as_mut().filter(|_| !rejected) else {
            keep(&mut track.updated, factors.get(slot), &track.own);
            return;
        };
        track.moved = true;
        let own = track.own.clone();
        let (factor, updated) = (
            &mut factors.get_mut(slot).as_mut_slice()[own.clone()],
            &mut updated.as_mut_slice()[own.clone()],
        );
        if multiplied {
            let entry = track.entry.as_ref().expect("it was kept when the update began");
            let entry = &entry.as_slice()[own];
            move_on_multiplied(factor, (entry, updated), step, &masses());
        } else {
            for (place, last) in factor.iter_mut().zip(updated) {
                let new = *place;
                *place = moved_on(new, *last, step);
                *last = new;
            }
        }
    }

    /// What [`Extrapolation::advance`] will move a factor by, if its next update is accepted: the share, and
    /// what the update before it gave. Only where entries may become 0.
    pub(super) fn next_move(&self, slot: Slot) -> Option<(T, &Matrix<T>)> {
        let step = match (slot != self.first && self.kind.known == Known::After, self.rejected) {
            (true, false) => (self.step * GROWTH).min(self.bound),
            _ => self.step,
        };
        let updated = self.tracks[slot.index()].updated.as_ref();
        let step = T::from_f64(step);
        updated.filter(|_| !self.rejected && step != T::ZERO).map(|updated| (step, updated))
    }

    /// Puts a factor back where its last update ended.
    pub(super) fn settle(&mut self, slot: Slot, factors: &mut Factors<T>) {
        let track = self.track(slot);
        if track.moved {
            track.moved = false;
            let updated = track.updated.as_ref().expect("an extrapolated factor was updated before");
            copy(updated, factors.get_mut(slot), &track.own);
        }
    }

    /// Completes what is remembered of the codes with the rows that other processes have.
    pub(super) fn gather(&mut self, complete: impl Fn(&mut Matrix<T>)) {
        let track = self.track(Slot::Codes);
        [&mut track.entry, &mut track.updated].into_iter().flatten().for_each(complete);
    }

    /// Puts the factors at the last pair that was accepted, before the first of an iteration is updated.
    pub(super) fn settle_pair(mut self, factors: &mut Factors<T>) {
        if self.kind.known == Known::Before {
            return;
        }
        self.settle(self.first.other(), factors);
    }

    /// Whether `slot` is the one that an iteration begins with.
    pub(super) fn begins_with(&self, slot: Slot) -> bool {
        slot == self.first
    }

    fn track(&mut self, slot: Slot) -> &mut Track<T> {
        &mut self.tracks[slot.index()]
    }
}

/// Where an entry goes after an update that gave `new`, where the one before gave `last`.
pub(super) fn moved_on<T: Real>(new: T, last: T, step: T) -> T {
    Real::max(new + step * (new - last), T::ZERO)
}

/// As [`Extrapolation::advance`] where zeros stay: for a factor, where its update began, and the update
/// before.
fn move_on_multiplied<T: Real>(factor: &mut [T], (entry, updated): (&[T], &mut [T]), step: T, masses: &[T]) {
    let k = masses.len();
    // A component that stands for next to nothing isn't brought back: no number would be large enough.
    let counts = T::EPSILON * masses.iter().fold(T::ZERO, |largest, mass| Real::max(largest, *mass));
    let per_unit: Vec<T> =
        masses.iter().map(|mass| if *mass > counts { T::ONE / *mass } else { T::ZERO }).collect();
    let [kept, growing, least] = [KEPT, GROWING, LEAST].map(T::from_f64);
    let befores = entry.chunks_exact(k).zip(updated.chunks_exact_mut(k));
    for (row, (entry, updated)) in factor.chunks_exact_mut(k).zip(befores) {
        let largest =
            row.iter().zip(masses).fold(T::ZERO, |largest, (u, mass)| Real::max(largest, *u * *mass));
        let (growing, least) = (growing * largest, least * largest);
        for (((place, last), began), per_unit) in row.iter_mut().zip(updated).zip(entry).zip(&per_unit) {
            let new = *place;
            let bound = *per_unit * if new > *began { growing } else { least };
            let moved = Real::max(Real::max(new + step * (new - *last), kept * new), bound);
            *place = if new > T::ZERO { moved } else { new };
            *last = new;
        }
    }
}

/// Copies some entries of a factor into what is kept of it.
fn keep<T: Real>(kept: &mut Option<Matrix<T>>, factor: &Matrix<T>, own: &Range<usize>) {
    let (rows, k) = factor.shape();
    // Entries of other processes are never written, so they take no memory.
    copy(factor, kept.get_or_insert_with(|| Matrix::zeros(rows, k)), own);
}

fn copy<T: Real>(from: &Matrix<T>, to: &mut Matrix<T>, own: &Range<usize>) {
    to.as_mut_slice()[own.clone()].copy_from_slice(&from.as_slice()[own.clone()]);
}

/// The state of the extrapolation of an accelerated problem, or of one whose steps may have to be halved, at
/// its start.
pub(super) fn extrapolation<T: Real>(problem: &Problem<'_, T>, rank: usize) -> Option<Extrapolation<T>> {
    let (alone, moves) = (problem.has_equal_factors(), problem.accelerated.is_some());
    if !alone && !moves {
        return None;
    }
    let (summary, first) = (problem.data().summary(), problem.order[0]);
    let size = match problem.loss {
        Loss::Frobenius => 0.5 * summary.squared_norm,
        Loss::KullbackLeibler => summary.sum,
    };
    let swept = problem.solver.choice == SolverChoice::Hals;
    let known = if swept && !alone { Known::After } else { Known::Before };
    let codes = problem.own_codes();
    let own = [codes.start * rank..codes.end * rank, 0..problem.data().n_features() * rank];
    let kind = Kind { known, multiplied: problem.solver.zeros_stay, alone };
    Some(Extrapolation::new(first, kind, moves, size, own))
}
