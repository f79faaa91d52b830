//! A transductive support vector machine: unlabelled samples get the labels that make the margin wide.
//!
//! ```text
//! minimize ½‖w‖² + C Σ_labelled ξᵢ + C* Σ_unlabelled ξⱼ   over w and the labels yⱼ = ±1 of the unlabelled
//!     samples,
//! ξ = max(0, 1 − y w·x), with a given share of yⱼ = 1
//! start: yⱼ = 1 for the share with the largest w·xⱼ, w from the labelled samples alone;
//!     C* from 1e-5·C, doubled up to C
//! switch: a pair with yₘ = 1, yₗ = −1, ξₘ > 0, ξₗ > 0 and ξₘ + ξₗ > 2 swaps its labels,
//!     which lowers the objective
//! ```
//!
//! Reference: T. Joachims, "Transductive inference for text classification using support vector machines",
//! ICML 1999. What differs: all pairs that may swap do so before the next training, the worst with the worst
//! (after V. Sindhwani, S. S. Keerthi, "Large scale semi-supervised linear SVMs", SIGIR 2006); one C* for
//! both labels; no bias; each training ends at a relative duality gap of 1e-3. More than two classes: one
//! against the others, the largest value wins; their many trainings on the same rows share the inner products
//! of those.

use partwise::internals::svm::{
    Cost, ProductSvm, Svm, SvmSettings, inner_products, train, train_on_products,
};
use partwise::{DataMatrix, Error, Labels, Matrix, Result};

use super::linear_svm::classify;
use super::{Outcome, Task};

/// The first C*, as a share of C, and the most rounds of switching at one C*.
const FIRST_SHARE: f64 = 1e-5;
const MOST_SWITCHES: usize = 100;
/// The relative duality gap of each of the many trainings.
const GAP: f64 = 1e-3;
/// Up to so many samples (of enough entries) the machines of several classes work on inner products (128
/// MiB).
const MOST_PRODUCTS: usize = 4096;

/// The settings of [`transductive_svm`].
///
/// | setting | default | range |
/// |---|---|---|
/// | `cost` | 1 | > 0; C of labelled samples, and what C* grows to |
/// | `positive_share` | that of the labelled samples | between 0 and 1: the share of unlabelled samples that get 1; at least one sample is on either side |
/// | `seed` | 0 | any |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransductiveSettings {
    /// C.
    pub cost: f64,
    /// The share of unlabelled samples that belong to the positive class.
    pub positive_share: Option<f64>,
    /// The seed of the order of the samples.
    pub seed: u64,
}

impl Default for TransductiveSettings {
    fn default() -> Self {
        TransductiveSettings { cost: 1.0, positive_share: None, seed: 0 }
    }
}

/// A machine trained with unlabelled samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Transductive {
    /// The last machine; its α are those of all samples.
    pub machine: Svm,
    /// 1 or −1 for each sample: the label given, or the one that was found.
    pub targets: Vec<i8>,
    /// How many pairs were switched.
    pub switches: usize,
}

/// Trains on all rows of `data` (n × d) with `targets` (n): 1, −1, or 0 for an unlabelled sample.
///
/// # Errors
/// [`Error::Shape`] when targets are not one a sample; [`Error::Labels`] when a target is none of these or
/// one of the two classes has no labelled sample; [`Error::OutOfRange`] for settings outside their range; and
/// as [`partwise::internals::svm::train`].
pub fn transductive_svm(
    data: &dyn DataMatrix<f64>,
    targets: &[i8],
    settings: &TransductiveSettings,
) -> Result<Transductive> {
    train_with(data, None, targets, settings)
}

/// With the inner products of all samples (n × n), if there are any.
fn train_with(
    data: &dyn DataMatrix<f64>,
    products: Option<&Matrix<f64>>,
    targets: &[i8],
    settings: &TransductiveSettings,
) -> Result<Transductive> {
    let n = data.n_samples();
    check(n, targets, settings)?;
    let machine_settings =
        |cost: Cost| SvmSettings { cost, tolerance: GAP, seed: settings.seed, ..SvmSettings::default() };
    let labelled: Vec<usize> = (0..n).filter(|&i| targets[i] != 0).collect();
    let given: Vec<i8> = labelled.iter().map(|&i| targets[i]).collect();
    let mut machine = train(data, &labelled, &given, &machine_settings(Cost::Same(settings.cost)))?;
    let mut unlabelled: Vec<usize> = (0..n).filter(|&i| targets[i] == 0).collect();
    let mut targets = targets.to_vec();
    if unlabelled.is_empty() {
        return Ok(Transductive { machine, targets, switches: 0 });
    }
    let values = machine.decision_values(data)?;
    let positive = given.iter().filter(|target| **target == 1).count();
    let share = settings.positive_share.unwrap_or(positive as f64 / given.len() as f64);
    let wanted = ((share * unlabelled.len() as f64).round() as usize).clamp(1, (unlabelled.len() - 1).max(1));
    unlabelled.sort_by(|a, b| values[*b].total_cmp(&values[*a]).then(a.cmp(b)));
    for (place, &sample) in unlabelled.iter().enumerate() {
        targets[sample] = if place < wanted { 1 } else { -1 };
    }
    let everything: Vec<usize> = (0..n).collect();
    let mut is_labelled = vec![true; n];
    unlabelled.iter().for_each(|&i| is_labelled[i] = false);
    let mut switches = 0;
    // The targets of the last training: a switch may follow it.
    let mut trained = targets.clone();
    let mut unlabelled_cost = FIRST_SHARE * settings.cost;
    loop {
        let costs: Vec<f64> =
            is_labelled.iter().map(|known| if *known { settings.cost } else { unlabelled_cost }).collect();
        let machine_settings = machine_settings(Cost::Each(costs));
        for _ in 0..MOST_SWITCHES {
            trained.clone_from(&targets);
            let values;
            (machine, values) = match products {
                Some(products) => without_weights(train_on_products(products, &targets, &machine_settings)?),
                None => {
                    let machine = train(data, &everything, &targets, &machine_settings)?;
                    let values = machine.decision_values(data)?;
                    (machine, values)
                }
            };
            let switched = switch(&values, &unlabelled, &mut targets);
            switches += switched;
            if switched == 0 {
                break;
            }
        }
        if unlabelled_cost == settings.cost {
            if products.is_some() {
                machine.weights = weights(data, &machine.alpha, &trained);
            }
            return Ok(Transductive { machine, targets, switches });
        }
        unlabelled_cost = (2.0 * unlabelled_cost).min(settings.cost);
    }
}

fn check(n: usize, targets: &[i8], settings: &TransductiveSettings) -> Result<()> {
    if targets.len() != n {
        return Err(Error::Shape {
            what: "the targets of the transductive support vector machine".into(),
            expected: format!("{n} entries (one a sample)"),
            found: format!("{} entries", targets.len()),
        });
    }
    if let Some(share) = settings.positive_share.filter(|share| !(*share > 0.0 && *share < 1.0)) {
        return Err(super::rows::out_of_range("the share of positive samples", share, "between 0 and 1"));
    }
    Ok(())
}

/// The machine but for its weights, and w·x of every sample.
fn without_weights(found: ProductSvm) -> (Svm, Vec<f64>) {
    let ProductSvm { values, alpha, primal, dual, gap, iterations, stop } = found;
    (Svm { weights: Vec::new(), alpha, primal, dual, gap, iterations, stop }, values)
}

/// Σ αᵢyᵢxᵢ.
fn weights(data: &dyn DataMatrix<f64>, alpha: &[f64], targets: &[i8]) -> Vec<f64> {
    let mut weights = vec![0.0; data.n_features()];
    for (sample, (alpha, target)) in alpha.iter().zip(targets).enumerate() {
        if *alpha != 0.0 {
            data.add_row(sample, alpha * f64::from(*target), &mut weights);
        }
    }
    weights
}

/// Swaps the labels of the pairs that the header names. Returns how many.
fn switch(values: &[f64], unlabelled: &[usize], targets: &mut [i8]) -> usize {
    let slack = |i: usize, targets: &[i8]| 1.0 - f64::from(targets[i]) * values[i];
    let side = |target: i8| {
        let mut side: Vec<(f64, usize)> = unlabelled
            .iter()
            .filter(|i| targets[**i] == target)
            .map(|&i| (slack(i, targets), i))
            .filter(|(slack, _)| *slack > 0.0)
            .collect();
        side.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        side
    };
    // A little more than 2, so that a pair whose swap changes nothing but rounding stays.
    let pairs: Vec<(usize, usize)> = side(1)
        .into_iter()
        .zip(side(-1))
        .take_while(|(one, other)| one.0 + other.0 > 2.0 + 1e-6)
        .map(|(one, other)| (one.1, other.1))
        .collect();
    for &(positive, negative) in &pairs {
        targets[positive] = -1;
        targets[negative] = 1;
    }
    pairs.len()
}

/// One against the others, for each class of `labels`.
///
/// # Errors
/// [`Error::Shape`] when labels are not one a sample; [`Error::Labels`] for fewer than two classes; and as
/// [`transductive_svm`].
pub fn transductive_classes(
    data: &dyn DataMatrix<f64>,
    labels: &Labels,
    settings: &TransductiveSettings,
) -> Result<Vec<usize>> {
    super::check_labels(data, labels)?;
    super::check_two_classes("a transductive support vector machine", labels)?;
    let target = |i: usize, class: usize| match labels.class(i) {
        None => 0,
        Some(own) => {
            if own == class {
                1
            } else {
                -1
            }
        }
    };
    let everything: Vec<usize> = (0..labels.n_samples()).collect();
    // A step on products costs n; one on rows their entries, of which sparse rows have few.
    let n = everything.len();
    let few = n <= MOST_PRODUCTS && n * n <= 4 * data.n_stored();
    let products = if few { Some(inner_products(data, &everything)?) } else { None };
    let mut machines = Vec::with_capacity(labels.n_classes());
    for class in 0..labels.n_classes() {
        let targets: Vec<i8> = (0..labels.n_samples()).map(|i| target(i, class)).collect();
        machines.push(train_with(data, products.as_ref(), &targets, settings)?.machine);
    }
    classify(data, &machines)
}

pub(super) fn run(task: &Task<'_>) -> Result<Outcome> {
    let settings = TransductiveSettings { seed: task.seed, ..TransductiveSettings::default() };
    let labels = task.labels("a transductive support vector machine")?;
    Ok(Outcome::clusters(&transductive_classes(task.data, labels, &settings)?))
}
