//! Linear support vector machines (hinge or squared hinge, no bias) by dual coordinate descent.
//!
//! ```text
//! primal  P(w) = ½‖w‖² + Σᵢ Cᵢ·max(0, 1 − yᵢ w·xᵢ)^p        p = 1: hinge;   p = 2: squared hinge
//! dual    D(α) = Σᵢ (αᵢ − ½rᵢαᵢ²) − ½‖Σᵢ αᵢyᵢxᵢ‖²,   0 ≤ αᵢ ≤ uᵢ,   w = Σᵢ αᵢyᵢxᵢ
//!         p = 1: uᵢ = Cᵢ, rᵢ = 0;   p = 2: uᵢ = ∞, rᵢ = 1/(2Cᵢ)
//! step    αᵢ ← clip(αᵢ − (yᵢ w·xᵢ − 1 + rᵢαᵢ)/(‖xᵢ‖² + rᵢ), 0, uᵢ),   w ← w + (change of αᵢ)·yᵢxᵢ
//! ```
//!
//! X is n samples × d features, dense or sparse; y and α have one entry for each sample that is trained on; w
//! is d.
//!
//! Reference: C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi, S. Sundararajan, "A dual coordinate descent
//! method for large-scale linear SVM", ICML 2008, doi 10.1145/1390156.1390208 (algorithm 3; L1 loss: hinge,
//! L2 loss: squared hinge).
//!
//! What differs: the paper stops on the projected gradient; here that only decides when to look at the
//! duality gap P(w) − D(α), which alone ends the training, on all samples and with w computed anew from α. A
//! sample without a non-zero has αᵢ = Cᵢ (hinge) or 2Cᵢ (squared hinge) from the beginning: nothing else is
//! optimal for it.
//!
//! The weights are unique. So is α for the squared hinge; for the hinge it need not be, and then depends on
//! the seed.
//!
//! ```
//! use partwise::DenseMatrix;
//! use partwise::internals::svm::{self, SvmSettings};
//!
//! let x = DenseMatrix::new(4, 2, vec![2.0, 0.0, 3.0, 1.0, 0.0, 2.0, 1.0, 3.0])?;
//! let trained = svm::train(&x, &[0, 1, 2, 3], &[1, 1, -1, -1], &SvmSettings::default())?;
//! assert!(trained.gap <= 1e-6 * trained.primal);
//! let scores = trained.decision_values(&x)?;
//! assert!(scores[0] > 0.0 && scores[3] < 0.0);
//! # Ok::<(), partwise::Error>(())
//! ```

mod descent;
mod settings;

pub use settings::{Cost, SvmLoss, SvmSettings};

use crate::data::DataMatrix;
use crate::foundation::{Error, Matrix, Real, Result, StopReason, interrupt};
use descent::{ByProducts, ByWeights, Descent};

/// A trained linear classifier: sample x belongs to the class +1 if w·x > 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Svm {
    /// w (d).
    pub weights: Vec<f64>,
    /// α, one for each sample that was trained on, in their order; 0 ≤ αᵢ exactly, and αᵢ ≤ Cᵢ for the hinge
    /// loss.
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
            return Err(Error::shape(
                "the data to classify",
                format!("{} features", self.weights.len()),
                format!("{} features", data.n_features()),
            ));
        }
        Ok((0..data.n_samples()).map(|sample| data.row_dot(sample, &self.weights)).collect())
    }
}

/// Trains on the rows `samples` (m of them) of `data` (n × d) with the targets `targets` (m, each 1 or −1).
///
/// # Errors
/// [`Error::Shape`] when targets or costs are not one per sample; [`Error::OutOfRange`] for a sample that
/// isn't there, a cost that isn't positive and finite, a negative or NaN tolerance, or no pass at all;
/// [`Error::Labels`] for a target other than ±1, or if only one of the two occurs; [`Error::NotFinite`] for
/// such data.
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
    let mut descent = Descent::new(values, squared_norms, targets, costs, settings.loss);
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

/// As [`train`], on the inner products of all samples (`products`, m × m, symmetric; see [`inner_products`]).
/// The steps are those of [`train`] up to rounding; one that changes nothing costs nothing, and any other m
/// in place of the entries of two rows. This is for many trainings on the same few samples of many features.
///
/// # Errors
/// [`Error::Shape`] when targets, costs or products are not those of m samples; [`Error::OutOfRange`] for a
/// cost that isn't positive and finite, a negative or NaN tolerance, or no pass at all; [`Error::Labels`] for
/// a target other than ±1, or if only one of the two occurs; [`Error::NotFinite`] for such products.
pub fn train_on_products(
    products: &Matrix<f64>,
    targets: &[i8],
    settings: &SvmSettings,
) -> Result<ProductSvm> {
    let m = products.rows();
    if products.columns() != m {
        return Err(Error::shape(
            "the inner products of the samples to train on",
            format!("{m} x {m}"),
            format!("{m} x {}", products.columns()),
        ));
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
    let mut descent = Descent::new(space, squared_norms, targets, costs, settings.loss);
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
        Err(Error::shape(
            what,
            format!("{} entries (one a sample)", samples.len()),
            format!("{found} entries"),
        ))
    };
    let out_of_range = |name: String, value: String, valid: String| Error::out_of_range(name, value, valid);
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
        Some(sample) => Err(Error::out_of_range(
            "a sample to train on",
            sample,
            format!("below {}, the number of samples", data.n_samples()),
        )),
    }
}
