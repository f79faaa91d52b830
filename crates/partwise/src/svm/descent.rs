//! The coordinate descent on the dual, for any storage of w.

use super::{SvmLoss, SvmSettings};
use crate::data::DataMatrix;
use crate::foundation::{Matrix, Real, StopReason, Stream, interrupt};

/// The stream of the orders in which samples are visited; row = pass.
const ORDER_STREAM: u64 = 0x5356;

/// From this tolerance of the projected gradient the descent starts, and by this factor it goes down while
/// the duality gap is too large.
const FIRST_GRADIENT_TOLERANCE: f64 = 0.1;
const TIGHTEN: f64 = 0.1;

/// How w is stored. Places number the samples that are trained on.
pub(super) trait Space {
    /// w·x of a place.
    fn value(&self, place: usize) -> f64;

    /// w ← w + amount·x of a place.
    fn add(&mut self, place: usize, amount: f64);

    /// w ← 0.
    fn clear(&mut self);

    /// ½‖w‖² for w = Σ coefficient·x, which it is up to rounding.
    fn half_norm(&self, coefficients: impl Iterator<Item = f64>) -> f64;
}

/// w itself.
pub(super) struct ByWeights<'a, T: Real> {
    pub(super) data: &'a dyn DataMatrix<T>,
    pub(super) samples: &'a [usize],
    pub(super) weights: Vec<f64>,
}

impl<T: Real> ByWeights<'_, T> {
    /// ‖x‖² of each place; w must be 0, and is again.
    pub(super) fn squared_norms(&mut self) -> Vec<f64> {
        let mut norms = Vec::with_capacity(self.samples.len());
        for place in 0..self.samples.len() {
            self.add(place, 1.0);
            norms.push(self.value(place));
            // x − x is 0 exactly, so the buffer is clean again without touching all of it.
            self.add(place, -1.0);
        }
        norms
    }
}

impl<T: Real> Space for ByWeights<'_, T> {
    fn value(&self, place: usize) -> f64 {
        self.data.row_dot(self.samples[place], &self.weights)
    }

    fn add(&mut self, place: usize, amount: f64) {
        self.data.add_row(self.samples[place], amount, &mut self.weights);
    }

    fn clear(&mut self) {
        self.weights.fill(0.0);
    }

    fn half_norm(&self, _: impl Iterator<Item = f64>) -> f64 {
        0.5 * self.weights.iter().map(|w| w * w).sum::<f64>()
    }
}

/// w·x of every place, kept up to date by the inner products.
pub(super) struct ByProducts<'a> {
    pub(super) products: &'a Matrix<f64>,
    pub(super) values: Vec<f64>,
}

impl Space for ByProducts<'_> {
    fn value(&self, place: usize) -> f64 {
        self.values[place]
    }

    fn add(&mut self, place: usize, amount: f64) {
        let row = self.products.row(place);
        self.values.iter_mut().zip(row).for_each(|(value, product)| *value += amount * product);
    }

    fn clear(&mut self) {
        self.values.fill(0.0);
    }

    fn half_norm(&self, coefficients: impl Iterator<Item = f64>) -> f64 {
        0.5 * coefficients.zip(&self.values).map(|(coefficient, value)| coefficient * value).sum::<f64>()
    }
}

/// What one pass found: the range of the projected gradients, and whether any αᵢ changed.
struct Pass {
    highest: f64,
    lowest: f64,
    moved: bool,
}

/// The state of the descent. Places number the samples that are trained on.
pub(super) struct Descent<S: Space> {
    pub(super) space: S,
    targets: Vec<f64>,
    loss: SvmLoss,
    costs: Vec<f64>,
    squared_norms: Vec<f64>,
    pub(super) alpha: Vec<f64>,
    /// Places whose αᵢ can change at all: those with a non-zero.
    candidates: Vec<u32>,
    /// Candidates that have not been shrunk away.
    active: Vec<u32>,
    /// Beyond these gradients of the pass before, a sample at a bound is left out.
    shrink_above: f64,
    shrink_below: f64,
}

impl<S: Space> Descent<S> {
    pub(super) fn new(
        space: S,
        squared_norms: Vec<f64>,
        targets: &[i8],
        costs: Vec<f64>,
        loss: SvmLoss,
    ) -> Self {
        let mut alpha = vec![0.0; targets.len()];
        let mut candidates = Vec::with_capacity(targets.len());
        for place in 0..targets.len() {
            if squared_norms[place] > 0.0 {
                candidates.push(place as u32);
            } else {
                // Its violation is 1 whatever w is.
                alpha[place] = match loss {
                    SvmLoss::Hinge => costs[place],
                    SvmLoss::SquaredHinge => 2.0 * costs[place],
                };
            }
        }
        Descent {
            space,
            targets: targets.iter().map(|target| f64::from(*target)).collect(),
            loss,
            costs,
            squared_norms,
            alpha,
            active: candidates.clone(),
            candidates,
            shrink_above: f64::INFINITY,
            shrink_below: f64::NEG_INFINITY,
        }
    }

    /// Passes until the gap is small enough; how many, and why they ended. w is that of α in the end.
    pub(super) fn run(&mut self, settings: &SvmSettings) -> (usize, StopReason) {
        let order = Stream::numbered(settings.seed, ORDER_STREAM);
        let mut tolerance = FIRST_GRADIENT_TOLERANCE;
        let mut iterations = 0;
        let stop = loop {
            interrupt::check();
            if iterations == settings.max_passes {
                break StopReason::IterationLimit;
            }
            order.shuffle(iterations, &mut self.active);
            iterations += 1;
            let pass = self.pass(settings.shrinking);
            if pass.highest - pass.lowest > tolerance && pass.moved {
                continue;
            }
            let whole = self.active.len() == self.candidates.len();
            self.reactivate();
            if !whole {
                continue;
            }
            self.recompute_weights();
            let (primal, dual) = self.values();
            if primal - dual <= settings.tolerance * primal && settings.tolerance > 0.0 {
                break StopReason::Converged;
            }
            if !pass.moved {
                break StopReason::PrecisionFloor;
            }
            tolerance *= TIGHTEN;
        };
        self.recompute_weights();
        (iterations, stop)
    }

    /// One step for each active sample, in their order.
    fn pass(&mut self, shrinking: bool) -> Pass {
        let mut pass = Pass { highest: f64::NEG_INFINITY, lowest: f64::INFINITY, moved: false };
        let mut active = std::mem::take(&mut self.active);
        active.retain(|&place| self.step(place as usize, &mut pass) || !shrinking);
        self.active = active;
        self.shrink_above = if pass.highest > 0.0 { pass.highest } else { f64::INFINITY };
        self.shrink_below = if pass.lowest < 0.0 { pass.lowest } else { f64::NEG_INFINITY };
        pass
    }

    /// uᵢ and rᵢ: the upper bound of αᵢ, and what the loss adds to the diagonal of the dual.
    fn bound_and_ridge(&self, place: usize) -> (f64, f64) {
        match self.loss {
            SvmLoss::Hinge => (self.costs[place], 0.0),
            SvmLoss::SquaredHinge => (f64::INFINITY, 0.5 / self.costs[place]),
        }
    }

    /// Minimizes over one αᵢ. Returns whether the sample stays active.
    fn step(&mut self, place: usize, pass: &mut Pass) -> bool {
        let (target, (bound, ridge)) = (self.targets[place], self.bound_and_ridge(place));
        let old = self.alpha[place];
        let gradient = target * self.space.value(place) - 1.0 + ridge * old;
        if (old == 0.0 && gradient > self.shrink_above) || (old == bound && gradient < self.shrink_below) {
            return false;
        }
        let blocked = (old == 0.0 && gradient > 0.0) || (old == bound && gradient < 0.0);
        let projected = if blocked { 0.0 } else { gradient };
        pass.highest = pass.highest.max(projected);
        pass.lowest = pass.lowest.min(projected);
        if projected != 0.0 {
            let new = (old - gradient / (self.squared_norms[place] + ridge)).clamp(0.0, bound);
            if new != old {
                self.alpha[place] = new;
                self.space.add(place, (new - old) * target);
                pass.moved = true;
            }
        }
        true
    }

    /// Takes all samples in again.
    fn reactivate(&mut self) {
        self.active.clone_from(&self.candidates);
        self.shrink_above = f64::INFINITY;
        self.shrink_below = f64::NEG_INFINITY;
    }

    /// w from α, without what rounding has gathered in it.
    fn recompute_weights(&mut self) {
        self.space.clear();
        for place in 0..self.alpha.len() {
            if self.alpha[place] != 0.0 {
                self.space.add(place, self.alpha[place] * self.targets[place]);
            }
        }
    }

    /// The primal and the dual value.
    pub(super) fn values(&self) -> (f64, f64) {
        let half_norm = self.space.half_norm(self.alpha.iter().zip(&self.targets).map(|(a, y)| a * y));
        let (mut losses, mut gains) = (0.0, 0.0);
        for (place, alpha) in self.alpha.iter().enumerate() {
            let violation = (1.0 - self.targets[place] * self.space.value(place)).max(0.0);
            let power = if self.loss == SvmLoss::Hinge { violation } else { violation * violation };
            losses += self.costs[place] * power;
            gains += alpha - 0.5 * self.bound_and_ridge(place).1 * alpha * alpha;
        }
        (half_norm + losses, gains - half_norm)
    }
}
