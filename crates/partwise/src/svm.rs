//! Linear support vector machines (hinge loss, no bias) by dual coordinate descent.
//!
//! ```text
//! primal  P(w) = ½‖w‖² + Σᵢ Cᵢ·max(0, 1 − yᵢ w·xᵢ)
//! dual    D(α) = Σᵢ αᵢ − ½‖Σᵢ αᵢyᵢxᵢ‖²,   0 ≤ αᵢ ≤ Cᵢ,   w = Σᵢ αᵢyᵢxᵢ
//! step    αᵢ ← clip(αᵢ − (yᵢ w·xᵢ − 1)/‖xᵢ‖², 0, Cᵢ),   w ← w + (change of αᵢ)·yᵢxᵢ
//! ```
//!
//! X is n samples × d features, dense or sparse; y and α have one entry for each sample that is trained on; w is d.
//!
//! Reference: C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi, S. Sundararajan, "A dual coordinate descent method
//! for large-scale linear SVM", ICML 2008, doi 10.1145/1390156.1390208 (algorithm 3, L1 loss).
//!
//! What differs: the paper stops on the projected gradient; here that only decides when to look at the duality gap
//! P(w) − D(α), which alone ends the training, on all samples and with w computed anew from α. A sample without a
//! non-zero has αᵢ = Cᵢ from the beginning: nothing else is optimal for it.
//!
//! The weights are unique; α need not be, and then depends on the seed.
//!
//! ```
//! use partwise::DenseMatrix;
//! use partwise::svm::{self, SvmSettings};
//!
//! let x = DenseMatrix::new(4, 2, vec![2.0, 0.0, 3.0, 1.0, 0.0, 2.0, 1.0, 3.0])?;
//! let trained = svm::train(&x, &[0, 1, 2, 3], &[1, 1, -1, -1], &SvmSettings::default())?;
//! assert!(trained.gap <= 1e-6 * trained.primal);
//! let scores = trained.decision_values(&x)?;
//! assert!(scores[0] > 0.0 && scores[3] < 0.0);
//! # Ok::<(), partwise::Error>(())
//! ```

use crate::data::DataMatrix;
use crate::error::{Error, Result};
use crate::init::Stream;
use crate::interrupt;
use crate::linalg::Matrix;
use crate::real::Real;
use crate::stop::StopReason;

/// The stream of the orders in which samples are visited; row = pass.
const ORDER_STREAM: u64 = 0x5356;

/// From this tolerance of the projected gradient the descent starts, and by this factor it goes down while the
/// duality gap is too large.
const FIRST_GRADIENT_TOLERANCE: f64 = 0.1;
const TIGHTEN: f64 = 0.1;

/// What a sample's margin violation costs: the upper end of its box.
#[derive(Clone, Debug, PartialEq)]
pub enum Cost {
    /// The same C > 0 for every sample.
    Same(f64),
    /// Cᵢ > 0 for each sample that is trained on, in the order of the samples.
    Each(Vec<f64>),
}

/// The settings of [`train`].
///
/// | setting | default | range |
/// |---|---|---|
/// | `cost` | `Cost::Same(1.0)` | positive, finite |
/// | `tolerance` | 1e-6 | ≥ 0; the duality gap that is allowed, as a share of the primal; 0 runs to the limit or the end of the precision |
/// | `max_passes` | 10,000 | ≥ 1; passes over the samples |
/// | `shrinking` | true | leaves out samples that sit at a bound, until the end is near |
/// | `seed` | 0 | any; the order of the samples |
#[derive(Clone, Debug, PartialEq)]
pub struct SvmSettings {
    /// C, of all samples or of each.
    pub cost: Cost,
    /// The duality gap, relative to the primal, at which training ends.
    pub tolerance: f64,
    /// The most passes over the samples.
    pub max_passes: usize,
    /// Whether samples at a bound are left out for a while.
    pub shrinking: bool,
    /// The seed of the order in which samples are visited.
    pub seed: u64,
}

impl Default for SvmSettings {
    fn default() -> Self {
        SvmSettings { cost: Cost::Same(1.0), tolerance: 1e-6, max_passes: 10_000, shrinking: true, seed: 0 }
    }
}

/// A trained linear classifier: sample x belongs to the class +1 if w·x > 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Svm {
    /// w (d).
    pub weights: Vec<f64>,
    /// α, one for each sample that was trained on, in their order; 0 ≤ αᵢ ≤ Cᵢ exactly.
    pub alpha: Vec<f64>,
    /// P(w).
    pub primal: f64,
    /// D(α).
    pub dual: f64,
    /// P(w) − D(α): w is at most this far from the best primal value. Rounding may take it a little below 0.
    pub gap: f64,
    /// Passes over the samples that are still in.
    pub iterations: usize,
    /// [`StopReason::Converged`] (the gap is small enough), [`StopReason::IterationLimit`], or
    /// [`StopReason::PrecisionFloor`] (no coordinate moves any more).
    pub stop: StopReason,
}

impl Svm {
    /// w·x for every row of `data` (n × d).
    ///
    /// # Errors
    /// [`Error::Shape`] when the data have another number of features.
    pub fn decision_values<T: Real>(&self, data: &dyn DataMatrix<T>) -> Result<Vec<f64>> {
        if data.n_features() != self.weights.len() {
            return Err(Error::Shape {
                what: "the data to classify".into(),
                expected: format!("{} features", self.weights.len()),
                found: format!("{} features", data.n_features()),
            });
        }
        Ok((0..data.n_samples()).map(|sample| data.row_dot(sample, &self.weights)).collect())
    }
}

/// Trains on the rows `samples` (m of them) of `data` (n × d) with the targets `targets` (m, each 1 or −1).
///
/// # Errors
/// [`Error::Shape`] when targets or costs are not one a sample; [`Error::OutOfRange`] for a sample that isn't there,
/// a cost that isn't positive and finite, a negative or NaN tolerance, or no pass at all; [`Error::Labels`] for a
/// target other than ±1, or if only one of the two occurs; [`Error::NotFinite`] for such data.
pub fn train<T: Real>(
    data: &dyn DataMatrix<T>,
    samples: &[usize],
    targets: &[i8],
    settings: &SvmSettings,
) -> Result<Svm> {
    check_samples(data, samples)?;
    let costs = check(samples, targets, settings)?;
    let summary = data.summary();
    if let Some(first) = summary.first_not_finite {
        let (nan, infinite) = (summary.nan, summary.infinite);
        return Err(Error::NotFinite { what: "the data".into(), nan, infinite, first });
    }
    let mut values = ByWeights { data, samples, weights: vec![0.0; data.n_features()] };
    let squared_norms = values.squared_norms();
    let mut descent = Descent::new(values, squared_norms, targets, costs);
    let (iterations, stop) = descent.run(settings);
    let (primal, dual) = descent.values();
    let Descent { space, alpha, .. } = descent;
    Ok(Svm { weights: space.weights, alpha, primal, dual, gap: primal - dual, iterations, stop })
}

/// A machine that was trained on inner products.
#[derive(Clone, Debug, PartialEq)]
pub struct ProductSvm {
    /// w·x of every sample (m).
    pub values: Vec<f64>,
    /// α, as in [`Svm::alpha`].
    pub alpha: Vec<f64>,
    /// P(w).
    pub primal: f64,
    /// D(α).
    pub dual: f64,
    /// P(w) − D(α).
    pub gap: f64,
    /// As in [`Svm::iterations`].
    pub iterations: usize,
    /// As in [`Svm::stop`].
    pub stop: StopReason,
}

/// As [`train`], on the inner products of all samples (`products`, m × m, symmetric; see [`inner_products`]). The steps are those of [`train`] up to
/// rounding; one that changes nothing costs nothing, and any other m in place of the entries of two rows. This is for many trainings on
/// the same few samples of many features.
///
/// # Errors
/// [`Error::Shape`] when targets, costs or products are not those of m samples; [`Error::OutOfRange`] for a cost that isn't positive and finite,
/// a negative or NaN tolerance, or no pass at all; [`Error::Labels`] for a target other than ±1, or if only one of the two occurs;
/// [`Error::NotFinite`] for such products.
pub fn train_on_products(
    products: &Matrix<f64>,
    targets: &[i8],
    settings: &SvmSettings,
) -> Result<ProductSvm> {
    let m = products.rows();
    if products.columns() != m {
        return Err(Error::Shape {
            what: "the inner products of the samples to train on".into(),
            expected: format!("{m} x {m}"),
            found: format!("{m} x {}", products.columns()),
        });
    }
    let samples: Vec<usize> = (0..m).collect();
    let costs = check(&samples, targets, settings)?;
    if let Some(at) = products.as_slice().iter().position(|value| !value.is_finite()) {
        let nan = products.as_slice().iter().filter(|value| value.is_nan()).count();
        let infinite = products.as_slice().iter().filter(|value| value.is_infinite()).count();
        let what = "the inner products".into();
        return Err(Error::NotFinite { what, nan, infinite, first: (at / m, at % m) });
    }
    let squared_norms = (0..m).map(|place| products.get(place, place)).collect();
    let space = ByProducts { products, values: vec![0.0; m] };
    let mut descent = Descent::new(space, squared_norms, targets, costs);
    let (iterations, stop) = descent.run(settings);
    let (primal, dual) = descent.values();
    let Descent { space, alpha, .. } = descent;
    Ok(ProductSvm { values: space.values, alpha, primal, dual, gap: primal - dual, iterations, stop })
}

/// xᵢ·xⱼ of the rows `samples` (m) of `data` (n × d): m × m. Time m times the entries of these rows.
///
/// # Errors
/// [`Error::OutOfRange`] for a sample that isn't there.
pub fn inner_products<T: Real>(data: &dyn DataMatrix<T>, samples: &[usize]) -> Result<Matrix<f64>> {
    check_samples(data, samples)?;
    let m = samples.len();
    let mut products = Matrix::zeros(m, m);
    let mut row = vec![0.0; data.n_features()];
    for (place, &sample) in samples.iter().enumerate() {
        interrupt::check();
        data.add_row(sample, 1.0, &mut row);
        for (other, &partner) in samples.iter().enumerate().take(place + 1) {
            let product = data.row_dot(partner, &row);
            products.set(place, other, product);
            products.set(other, place, product);
        }
        // x − x is 0 exactly, so the buffer is clean again without touching all of it.
        data.add_row(sample, -1.0, &mut row);
    }
    Ok(products)
}

/// The cost of each sample.
fn check(samples: &[usize], targets: &[i8], settings: &SvmSettings) -> Result<Vec<f64>> {
    let one_each = |what: &str, found: usize| {
        if found == samples.len() {
            return Ok(());
        }
        Err(Error::Shape {
            what: what.into(),
            expected: format!("{} entries (one a sample)", samples.len()),
            found: format!("{found} entries"),
        })
    };
    let out_of_range = |name: String, value: String, valid: String| Error::OutOfRange { name, value, valid };
    one_each("the targets of the support vector machine", targets.len())?;
    if let Some(place) = targets.iter().position(|target| target.abs() != 1) {
        return Err(Error::Labels(format!(
            "sample {} has the target {}; a support vector machine needs 1 or -1",
            samples[place], targets[place]
        )));
    }
    let positive = targets.iter().filter(|target| **target == 1).count();
    if positive == 0 || positive == targets.len() {
        return Err(Error::Labels(format!(
            "{positive} samples have the target 1 and {} have -1; a support vector machine needs both",
            targets.len() - positive
        )));
    }
    let costs = match &settings.cost {
        Cost::Same(cost) => vec![*cost; samples.len()],
        Cost::Each(costs) => costs.clone(),
    };
    one_each("the costs of the support vector machine", costs.len())?;
    if let Some(place) = costs.iter().position(|cost| !(*cost > 0.0 && cost.is_finite())) {
        let name = format!("the cost C of sample {}", samples[place]);
        return Err(out_of_range(name, costs[place].to_string(), "positive and finite".into()));
    }
    if settings.tolerance.is_nan() || settings.tolerance < 0.0 {
        let name = "the tolerance of the duality gap".to_string();
        return Err(out_of_range(name, settings.tolerance.to_string(), "0 or more".into()));
    }
    if settings.max_passes == 0 {
        return Err(out_of_range("the limit of passes".into(), "0".into(), "at least 1".into()));
    }
    Ok(costs)
}

/// Refuses a sample that isn't there.
fn check_samples<T: Real>(data: &dyn DataMatrix<T>, samples: &[usize]) -> Result<()> {
    match samples.iter().find(|sample| **sample >= data.n_samples()) {
        None => Ok(()),
        Some(sample) => Err(Error::OutOfRange {
            name: "a sample to train on".into(),
            value: sample.to_string(),
            valid: format!("below {}, the number of samples", data.n_samples()),
        }),
    }
}

/// How w is held. Places number the samples that are trained on.
trait Space {
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
struct ByWeights<'a, T: Real> {
    data: &'a dyn DataMatrix<T>,
    samples: &'a [usize],
    weights: Vec<f64>,
}

impl<T: Real> ByWeights<'_, T> {
    /// ‖x‖² of each place; w must be 0, and is again.
    fn squared_norms(&mut self) -> Vec<f64> {
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
struct ByProducts<'a> {
    products: &'a Matrix<f64>,
    values: Vec<f64>,
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
struct Descent<S: Space> {
    space: S,
    targets: Vec<f64>,
    costs: Vec<f64>,
    squared_norms: Vec<f64>,
    alpha: Vec<f64>,
    /// Places whose αᵢ can change at all: those with a non-zero.
    candidates: Vec<u32>,
    /// Candidates that have not been shrunk away.
    active: Vec<u32>,
    /// Beyond these gradients of the pass before, a sample at a bound is left out.
    shrink_above: f64,
    shrink_below: f64,
}

impl<S: Space> Descent<S> {
    fn new(space: S, squared_norms: Vec<f64>, targets: &[i8], costs: Vec<f64>) -> Self {
        let mut alpha = vec![0.0; targets.len()];
        let mut candidates = Vec::with_capacity(targets.len());
        for place in 0..targets.len() {
            if squared_norms[place] > 0.0 {
                candidates.push(place as u32);
            } else {
                alpha[place] = costs[place];
            }
        }
        Descent {
            space,
            targets: targets.iter().map(|target| f64::from(*target)).collect(),
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
    fn run(&mut self, settings: &SvmSettings) -> (usize, StopReason) {
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

    /// Minimizes over one αᵢ. Returns whether the sample stays active.
    fn step(&mut self, place: usize, pass: &mut Pass) -> bool {
        let (target, cost) = (self.targets[place], self.costs[place]);
        let old = self.alpha[place];
        let gradient = target * self.space.value(place) - 1.0;
        if (old == 0.0 && gradient > self.shrink_above) || (old == cost && gradient < self.shrink_below) {
            return false;
        }
        let blocked = (old == 0.0 && gradient > 0.0) || (old == cost && gradient < 0.0);
        let projected = if blocked { 0.0 } else { gradient };
        pass.highest = pass.highest.max(projected);
        pass.lowest = pass.lowest.min(projected);
        if projected != 0.0 {
            let new = (old - gradient / self.squared_norms[place]).clamp(0.0, cost);
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
    fn values(&self) -> (f64, f64) {
        let half_norm = self.space.half_norm(self.alpha.iter().zip(&self.targets).map(|(a, y)| a * y));
        let loss =
            |place: usize| self.costs[place] * (1.0 - self.targets[place] * self.space.value(place)).max(0.0);
        let losses: f64 = (0..self.alpha.len()).map(loss).sum();
        (half_norm + losses, self.alpha.iter().sum::<f64>() - half_norm)
    }
}
