//! The processor's cores: fixed chunks of rows × threads, buffers that are reused, partial sums added in
//! chunk order.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::extrapolation::{Extrapolation, extrapolation};
use super::over_rows::GRAM_ROWS;
use super::{Backend, Exact};
use crate::engine::Problem;
use crate::engine::losses::{Loss, images};
use crate::engine::quadratic::{KlMajorizer, Penalties, Quadratic, Subproblem};
use crate::engine::solvers::{Bpp, NnlsSolver};
use crate::engine::term::{self, Chunk};
use crate::engine::{Factors, Init, Slot, Transfer, Transferred};
use crate::foundation::pool::{Pool, chunks_of};
use crate::foundation::{Matrix, Real};
use crate::kernels::sums::column_sums_of;

/// Updates of the codes that end a label-aware start where it isn't an exact solve.
const START_STEPS: usize = 10;
/// Up to so many iterations, storing the columns of sparse data costs more than it saves: on the text of
/// `bench/` as much as about ten products.
const FEW_ITERATIONS: usize = 6;
/// Up to so many bytes, Xᵀ·W stays in the cache while it is summed row by row, which then is as fast as from
/// columns, or faster.
const CACHED_BYTES: usize = 4 << 20;
/// Entries of a row, on average, that make it worth while to look for those of a thread.
const ENTRIES_OF_THREAD: usize = 16;

/// See the module.
pub struct CpuBackend<'p, 'a, T: Real> {
    pub(super) problem: &'p Problem<'a, T>,
    pub(super) factors: Factors<T>,
    pub(super) solver: Box<dyn NnlsSolver<T>>,
    pub(super) extrapolation: Option<Extrapolation<T>>,
    /// While a start is made, factors that are one in the loop are two.
    pub(super) apart: bool,
    /// Whether each update of the codes is sent to all processes that share the data.
    pub(super) needs_all_codes: bool,
    pub(super) pool: Pool,
    /// Whether sparse data should not store their columns for the products with Xᵀ.
    pub(super) few_products: bool,
    /// Chunks of codes and components, once they are needed: for those of the components sparse data store
    /// their columns.
    chunks: [OnceLock<Vec<Range<usize>>>; 2],
    /// The half objective where the last coordinate steps ended, if it is known.
    pub(super) stepped: Option<f64>,
    pub(super) grams: [Option<(u64, Matrix<T>)>; Slot::ALL.len()],
    pub(super) buffers: [Buffer<T>; Slot::ALL.len()],
    /// Set while the current subproblem waits for its product with the data (`in_blocks.rs`).
    pub(super) pending: bool,
    /// Xᵀ·W of the last pass over row blocks, until the codes are where they stay.
    pub(super) next_product: Option<Matrix<T>>,
    /// Memory for the next pass over blocks.
    pub(super) spare: Vec<Vec<T>>,
    /// Whether the loop is over, so that products are needed as such.
    pub(super) at_end: bool,
    pub(super) current: Option<(Slot, Subproblem<T>)>,
    /// V·S of each factor V, with the version it was made from; unused without smoothing.
    smoothed: [Option<(u64, Matrix<T>)>; Slot::ALL.len()],
    /// What the solver remembers of each row of each slot, and how often it was called there.
    pub(super) states: [(Vec<T>, usize); Slot::ALL.len()],
}

/// The cross matrix of a slot between uses.
pub(super) struct Buffer<T> {
    pub(super) cross: Option<Matrix<T>>,
    /// The version of the other factor that `cross` was computed from, if it is X·V itself without terms.
    pub(super) made_from: Option<u64>,
}

impl<'p, 'a, T: Real> CpuBackend<'p, 'a, T> {
    /// At the start of a problem (in working rows, as [`Problem::new`] gives it), on `threads` threads (0 =
    /// all cores).
    pub fn new(problem: &'p Problem<'a, T>, start: Factors<T>, threads: usize) -> Self {
        let data = problem.data();
        let pool = Pool::new(threads_for(threads, data.n_stored(), start.rank()));
        CpuBackend {
            extrapolation: extrapolation(problem, start.rank()),
            factors: start,
            solver: problem.solver.build(problem.inner_steps),
            apart: false,
            needs_all_codes: problem.needs_all_codes(),
            pool,
            few_products: false,
            chunks: [const { OnceLock::new() }; 2],
            stepped: None,
            grams: [const { None }; Slot::ALL.len()],
            buffers: [const { Buffer { cross: None, made_from: None } }; Slot::ALL.len()],
            pending: false,
            next_product: None,
            spare: Vec::new(),
            at_end: false,
            current: None,
            smoothed: [const { None }; Slot::ALL.len()],
            states: [const { (Vec::new(), 0) }; Slot::ALL.len()],
            problem,
        }
    }

    /// Prepares for so many iterations at most. Without `continues` none follow after them.
    pub(crate) fn prepare(&mut self, iterations: usize, continues: bool) {
        self.few_products = iterations <= FEW_ITERATIONS || self.sums_rows_in_cache();
        if let Some(extrapolation) = self.extrapolation.as_mut().filter(|_| iterations <= 1 && !continues) {
            extrapolation.stand_still();
        }
    }

    /// Whether products with Xᵀ of sparse data are as fast without their columns.
    fn sums_rows_in_cache(&self) -> bool {
        let (data, components) = (self.problem.data(), self.factors.get(Slot::Components));
        let least = ENTRIES_OF_THREAD * self.pool.threads();
        size_of_val(components.as_slice()) <= CACHED_BYTES && data.n_stored() / data.n_samples() >= least
    }

    /// The chunks of codes or components.
    pub(super) fn chunks(&self, slot: Slot) -> &[Range<usize>] {
        let data = self.problem.data();
        self.chunks[slot.index()].get_or_init(|| match slot {
            Slot::Codes => data.sample_chunks(),
            _ => data.feature_chunks(),
        })
    }

    /// The subproblem that was formed last.
    pub fn subproblem(&self) -> Option<&Subproblem<T>> {
        self.current.as_ref().map(|(_, subproblem)| subproblem)
    }

    pub(crate) fn threads(&self) -> usize {
        self.pool.threads()
    }

    /// Bytes beside the data: factors, cross matrices, merged rows.
    pub(crate) fn working_bytes(&self) -> usize {
        let factors: usize = self.factors.slots().map(|s| self.factors.get(s).as_slice().len()).sum();
        let smoothed = if self.problem.smoothing.is_some() { factors } else { 0 };
        let kept = self.extrapolation.as_ref().map_or(0, |e| e.bytes(&self.factors));
        (2 * factors + smoothed) * size_of::<T>() + kept + self.problem.merged_bytes()
    }

    /// Ends the label-aware start: the codes solved at the class means, exactly where the solver can leave
    /// zeros again, by some multiplicative updates otherwise; improved by some updates at labelled samples,
    /// whose number would make an exact solve expensive. Class means resemble each other: after a single
    /// coordinate sweep the first component would hold most samples, and the first update of the components
    /// would spoil the means.
    pub(crate) fn solve_codes(&mut self) {
        let extrapolation = self.extrapolation.take();
        self.apart = true;
        self.restrict(Slot::Codes);
        if self.problem.solver.zeros_stay || self.problem.init == Init::Exemplars.name() {
            for _ in 0..START_STEPS {
                self.improve();
                self.restrict(Slot::Codes);
            }
        } else {
            let solver = std::mem::replace(&mut self.solver, Box::new(Bpp::default()));
            self.improve();
            self.solver = solver;
        }
        self.extrapolation = extrapolation;
        self.apart = false;
        if self.problem.has_equal_factors() {
            self.problem.make_equal(&mut self.factors);
            self.follow_closed_forms(Slot::Codes);
        }
    }

    /// Brings up to date what follows from a factor that was taken back.
    fn follow_closed_forms(&mut self, slot: Slot) {
        self.problem.follow(&mut self.factors, slot);
        for slot in self.slots().into_iter().filter(|slot| slot.has_closed_form()) {
            self.form(slot);
            self.improve_once();
        }
    }

    /// The factor as the other one meets it: V, or V·S with smoothing. Call [`CpuBackend::smooth`] first.
    pub(super) fn seen(&self, slot: Slot) -> &Matrix<T> {
        match &self.smoothed[slot.index()] {
            Some((_, smoothed)) if self.problem.smoothing.is_some() => smoothed,
            _ => self.factors.get(slot),
        }
    }

    /// Brings V·S of a slot up to date.
    pub(super) fn smooth(&mut self, slot: Slot) {
        let Some(smoothing) = self.problem.smoothing else { return };
        let version = self.factors.version(slot);
        if self.smoothed[slot.index()].as_ref().is_none_or(|(made, _)| *made != version) {
            let factor = self.factors.get(slot);
            let rows = if slot == Slot::Codes { self.problem.own_codes() } else { 0..factor.rows() };
            self.smoothed[slot.index()] = Some((version, smoothing.smooth_rows(factor, rows)));
        }
    }

    fn restrict_quadratic(&mut self, slot: Slot) -> Quadratic<T> {
        match slot {
            Slot::Codes | Slot::Components => self.restrict_to_data(slot),
            Slot::ImageRows | Slot::ImageColumns => self.restrict_to_images(slot),
            Slot::Labels | Slot::Scales => Quadratic::of_terms(self.factors.get(slot).shape()),
        }
    }

    /// From the rows or columns of images: the subproblem of the components, whose product with X both share.
    fn restrict_to_images(&mut self, slot: Slot) -> Quadratic<T> {
        let gram = self.gram(slot.other());
        let components = self.restrict_to_data(Slot::Components);
        let quadratic = images::seen_from(slot, &components, &gram, &self.factors);
        self.buffers[Slot::Components.index()].cross = Some(components.cross);
        quadratic
    }

    /// From codes or components: one product with X, kept while the other of them stays.
    fn restrict_to_data(&mut self, slot: Slot) -> Quadratic<T> {
        let gram = self.gram(slot.other());
        let gram = self.problem.smoothing.map_or_else(|| gram.clone(), |s| s.smooth_gram(&gram));
        self.smooth(slot.other());
        let (rows, k) = self.factors.get(slot).shape();
        let buffer = &mut self.buffers[slot.index()];
        let mut cross = buffer.cross.take().unwrap_or_else(|| Matrix::zeros(rows, k));
        let version = self.factors.version(slot.other());
        let waits = self.waits_for_update(slot);
        if waits {
            self.buffers[slot.index()].made_from = None;
            self.pending = true;
        } else {
            if self.buffers[slot.index()].made_from.is_none_or(|made| made != version) {
                self.product(slot, self.seen(slot.other()), &mut cross);
            }
            let plain = !self.problem.contributions.iter().any(|c| c.changes_cross(slot));
            self.buffers[slot.index()].made_from = plain.then_some(version);
        }
        let constant = 0.5 * self.problem.data().summary().squared_norm + self.problem.merge_constant;
        Quadratic {
            gram,
            cross,
            penalties: Penalties::none(k),
            groups: Arc::default(),
            group_metric: None,
            constant,
            majorizer: false,
        }
    }

    fn restrict_kl(&mut self, slot: Slot) -> KlMajorizer<T> {
        self.smooth(slot.other());
        let (rows, k) = self.factors.get(slot).shape();
        let mut numerator = self.buffers[slot.index()].cross.take().unwrap_or_else(|| Matrix::zeros(rows, k));
        let (own, other) = (self.factors.get(slot), self.seen(slot.other()));
        // Coordinate steps form what they need themselves.
        let log_sum = match self.stepped {
            Some(_) => 0.0,
            None => self.ratio_product(slot, (own, other), &mut numerator),
        };
        let base = self.total_over_rows(slot.other(), k, |rows| column_sums_of(other, rows, None));
        KlMajorizer {
            numerator,
            base: base.into_iter().map(T::from_f64).collect(),
            base_rows: None,
            ridge: vec![T::ZERO; k],
            entries: None,
            penalties: Penalties::none(k),
            constant: self.problem.merge_constant - self.problem.data().summary().sum,
            log_sum,
        }
    }

    /// Forms the subproblem of a slot at the factors as they are.
    pub(super) fn form(&mut self, slot: Slot) {
        self.release();
        let mut subproblem = match self.problem.loss {
            Loss::Frobenius => Subproblem::Quadratic(self.restrict_quadratic(slot)),
            Loss::KullbackLeibler => Subproblem::KullbackLeibler(self.restrict_kl(slot)),
        };
        if self.needs_all_codes && self.problem.contributions.iter().any(|c| c.changes_cross(slot)) {
            self.gather_cross(slot, &mut subproblem);
        }
        let apart = self.apart;
        for contribution in self.problem.contributions.iter().filter(|c| !(apart && c.facts().equal_factors))
        {
            let each_chunk = |chunks: &[Range<usize>], out: &mut [T], width: usize, f: &Chunk<'_, T>| {
                self.pool.map_rows(chunks, out, width, f)
            };
            let over_codes = |of_rows: &dyn Fn(Range<usize>) -> f64| {
                self.value_over_rows(Slot::Codes, 0.0, |start, rows| start + of_rows(rows))
            };
            let (term, factors) = (contribution.as_ref(), &self.factors);
            term::add(term, slot, factors, &mut subproblem, &each_chunk, &over_codes);
        }
        self.current = Some((slot, subproblem));
    }

    /// The half objective at the factors as they are.
    pub(super) fn objective_here(&mut self) -> f64 {
        if self.pending {
            return self.objective_before_pass();
        }
        let (slot, subproblem) = self.current.take().expect("a slot was restricted");
        let value = match &subproblem {
            Subproblem::Quadratic(q) => {
                let start = q.gram_value(&self.gram(slot));
                let factor = self.factors.get(slot);
                self.value_over_rows(slot, start, |start, rows| q.value_from(start, factor, rows))
                    + q.constant
            }
            Subproblem::KullbackLeibler(m) => {
                let (start, factor) = (m.log_sum + m.constant, self.factors.get(slot));
                self.value_over_rows(slot, start, |start, rows| m.value_from(start, factor, rows))
            }
        };
        self.current = Some((slot, subproblem));
        value
    }
}

/// Multiplications in a product with X from which on several threads pay.
const WORK_FOR_THREADS: usize = 1 << 20;

/// One thread where all cores may be used but an iteration is so little work that threads would wait for each
/// other longer than they work.
pub(crate) fn threads_for(threads: usize, stored: usize, rank: usize) -> usize {
    if threads == 0 && stored.saturating_mul(rank) < WORK_FOR_THREADS { 1 } else { threads }
}

impl<T: Real> Backend<T> for CpuBackend<'_, '_, T> {
    fn slots(&self) -> Vec<Slot> {
        self.problem.order.clone()
    }

    fn restrict(&mut self, slot: Slot) {
        self.form(slot);
        let Some(mut extrapolation) = self.extrapolation.take() else { return };
        if extrapolation.is_judged_before() && slot.is_main() {
            let mut objective = self.objective_here();
            while extrapolation.takes_back_before(slot, objective, &mut self.factors) {
                self.follow_closed_forms(slot);
                self.form(slot);
                objective = self.objective_here();
            }
        }
        self.extrapolation = Some(extrapolation);
    }

    fn told_objective(&self) -> Option<f64> {
        let extrapolation = self.extrapolation.as_ref().filter(|e| !e.is_judged_before());
        self.stepped.or_else(|| extrapolation?.reached)
    }

    fn objective(&mut self) -> f64 {
        if let Some(stepped) = self.stepped {
            return stepped;
        }
        let (slot, _) = self.current.as_ref().expect("a slot was restricted");
        // Between iterations the second factor may stand at an extrapolated place, which is no result.
        let reached = self.extrapolation.as_ref().filter(|e| e.begins_with(*slot)).and_then(|e| e.reached);
        reached.unwrap_or_else(|| self.objective_here())
    }

    fn improve(&mut self) -> f64 {
        let (slot, _) = self.current.as_ref().expect("a slot was restricted");
        let slot = *slot;
        let squared = match self.extrapolation.take_if(|_| slot.is_main()) {
            Some(extrapolation) => self.improve_extrapolated(extrapolation),
            None => self.improve_once().squared_gradient,
        };
        self.keep_product();
        // To the last bit, whatever the solver's rounding.
        self.problem.place_fixed(&mut self.factors, slot);
        if self.problem.vanishes_with_partner(slot) && self.is_zero(slot.other()) && !self.is_zero(slot) {
            self.factors.get_mut(slot).as_mut_slice().fill(T::ZERO);
        }
        if !self.apart {
            self.problem.follow(&mut self.factors, slot);
        }
        if let (Some(rescaling), Some(&last)) = (&self.problem.rescaling, self.problem.order.last())
            && last == slot
        {
            self.factors.rescaling = rescaling.apply(&mut self.factors);
        }
        squared
    }

    fn exact(&mut self, gradient: bool) -> Exact {
        self.at_end = true;
        if let Some(extrapolation) = self.extrapolation.take() {
            extrapolation.settle_pair(&mut self.factors);
        }
        self.stepped = None;
        self.gather_codes();
        let mut parts = vec![("fit".to_string(), self.exact_loss())];
        parts.extend(
            self.problem.contributions.iter().map(|c| (c.name(), c.value(&self.factors, self.problem.loss))),
        );
        if !gradient {
            return Exact { parts, kkt: f64::NAN };
        }
        let mut squared = 0.0;
        for slot in self.slots() {
            self.restrict(slot);
            let (_, subproblem) = self.current.as_ref().expect("a slot was restricted");
            let factor = self.factors.get(slot);
            let zero_share = self.problem.zero_share(slot);
            let gradient = subproblem.projected_gradient(zero_share);
            squared += self.value_over_rows(slot, 0.0, |start, rows| match (&gradient, subproblem) {
                (Some(gradient), _) => {
                    let norm = |rows| gradient.squared_norm(factor, rows);
                    start + self.pool.map(chunks_of(&rows, GRAM_ROWS), norm).iter().sum::<f64>()
                }
                (None, Subproblem::KullbackLeibler(m)) => {
                    start + m.squared_projected_gradient(factor, rows, zero_share)
                }
                (None, Subproblem::Quadratic(_)) => unreachable!("a quadratic has one of its own"),
            });
        }
        Exact { parts, kkt: squared.sqrt() }
    }

    fn gather(&mut self) {
        self.gather_codes();
        self.gather_states();
        if let (Some(extrapolation), Some(blocks)) = (&mut self.extrapolation, self.problem.data().blocks()) {
            extrapolation.gather(|codes| {
                let k = codes.columns();
                blocks.gather_rows(codes.as_mut_slice(), k);
            });
        }
    }

    fn transfer(&mut self, transfer: &mut Transfer<'_>) -> Transferred {
        self.factors.transfer(transfer)?;
        transfer.optional(&mut self.stepped)?;
        if let Some(extrapolation) = &mut self.extrapolation {
            extrapolation.transfer(transfer, &self.factors)?;
        }
        for (values, calls) in &mut self.states {
            transfer.values(values)?;
            transfer.count(calls)?;
        }
        Ok(())
    }

    fn into_factors(mut self: Box<Self>) -> Factors<T> {
        if !self.at_end {
            self.gather_codes();
        }
        self.factors
    }
}
