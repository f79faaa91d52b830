//! NMF-α: factors that keep the directions which separate classes.
//!
//! ```text
//! min D(X‖WH) + λ·D(SᵀX‖SᵀWH),   S = [α₊ α₋] (n × 2p) ≥ 0, W (n × k), H (k × d)
//! H ← H ∘ (WᵀR + λ(SᵀW)ᵀR_s)/(Wᵀ1 + λ(SᵀW)ᵀ1),   R = X/(WH), R_s = SᵀX/(SᵀWH)
//! W ← W ∘ ((R + λS·R_s)Hᵀ)/((1 + λS1)(H1)ᵀ)
//! ```
//!
//! α are the dual coefficients of p linear support vector machines on the labelled rows ([`crate::svm`]): one
//! for two classes (the first is +1), one for each pair a < b of more (a is +1), one for each label of label
//! sets. A machine's direction is w = Xᵀ(α₊ − α₋), so rows that keep Xᵀα₊ and Xᵀα₋ keep it. Only 2p rows are
//! added to the data. The codes W, corrected to W(HHᵀ)^½
//! ([`Fit::corrected_codes`](crate::Fit::corrected_codes)), have the inner products of the rows of WH; they
//! may be negative. New rows: multiplicative updates of W from the constant 1/k with H fixed.
//!
//! Reference: Cho & Saul 2011, "Nonnegative matrix factorization for semi-supervised dimensionality
//! reduction", arXiv:1112.3714. Differs: the paper leaves the machines' loss and bias open: hinge loss, no
//! bias here; the start is label-aware by default, codes first.

use super::{Error, Input, Known, Loss, MethodSpec, Result, Terms, publications};
use crate::data::DataMatrix;
use crate::foundation::Real;
use crate::foundation::pool::Pool;
use crate::guidance::{Guidance, Labels, SupportVectors};
use crate::svm::{self, Cost, SvmSettings};

/// Its name in the registry.
pub(crate) const NAME: &str = "nmf-alpha";

pub(super) static SPEC: MethodSpec = MethodSpec {
    name: NAME,
    estimator: "NMFAlpha",
    title: "NMF-alpha",
    summary: "the factors keep the directions of support vector machines trained on the labelled samples",
    objective: "D(X | W H) + lambda D(S'X | S'W H), S the coefficients of the support vectors",
    needs: "labels of two or more classes, or label sets",
    losses: &[Loss::KullbackLeibler],
    reference: "Cho & Saul 2011, arXiv:1112.3714",
    publications: &[publications::CHO_SAUL_2011],
    differs: "hinge loss without a bias, which the paper leaves open; label-aware start with the codes solved first by default",
    takes: &[Input::Labels, Input::LabelSets, Input::DiscriminativeWeight, Input::Cost],
    terms,
    in_blocks: false,
    ..super::PLAIN
};

/// Checks the guidance. The term itself needs SᵀX, so the problem forms it.
fn terms(known: Known<'_>) -> Terms {
    let (margins, shape) = (known.options, known.shape);
    let samples = |what: &str, found: usize| {
        if found == shape.samples {
            return Ok(());
        }
        let expected = format!("{} samples", shape.samples);
        Err(Error::shape(what, expected, format!("{found} samples")))
    };
    match (&margins.support, known.guidance.sets()) {
        (Some(support), _) => samples("the coefficients of the support vectors", support.shape().0)?,
        (None, Some((_, sets))) => samples("the label sets", sets.len())?,
        (None, None) => {}
    }
    if margins.support.is_none() {
        tasks(known.guidance)?;
    }
    Ok(Vec::new())
}

/// What one machine is trained on.
struct Task {
    samples: Vec<usize>,
    /// 1 or −1, one per sample.
    targets: Vec<i8>,
}

impl Task {
    /// Of samples whose target is known.
    fn of(targets: impl Iterator<Item = (usize, bool)>) -> Self {
        let (samples, targets) = targets.map(|(i, positive)| (i, if positive { 1 } else { -1 })).unzip();
        Task { samples, targets }
    }
}

fn tasks(guidance: &Guidance) -> Result<Vec<Task>> {
    match (guidance.sets(), guidance.labels()) {
        (Some((n_labels, sets)), _) => one_a_label(n_labels, sets),
        (None, Some(labels)) if labels.n_labelled() > 0 => one_against_one(labels),
        _ => Err(SPEC.lacks()),
    }
}

/// Pairs of classes a < b, in lexicographic order; a is +1.
fn one_against_one(labels: &Labels) -> Result<Vec<Task>> {
    let classes = labels.n_classes();
    if classes < 2 {
        return Err(Error::Labels(format!(
            "all {} labelled samples are of class \"{}\"; {} needs two or more classes",
            labels.n_labelled(),
            labels.names()[0],
            SPEC.title
        )));
    }
    let labelled: Vec<(usize, usize)> =
        (0..labels.n_samples()).filter_map(|i| labels.class(i).map(|class| (i, class))).collect();
    let pairs = (0..classes).flat_map(|a| (a + 1..classes).map(move |b| (a, b)));
    let of_pair = |(a, b)| {
        let in_pair = labelled.iter().filter(|(_, class)| *class == a || *class == b);
        Task::of(in_pair.map(|(i, class)| (*i, *class == a)))
    };
    Ok(pairs.map(of_pair).collect())
}

/// Each label against its absence, on the labelled samples.
fn one_a_label(n_labels: usize, sets: &[Option<Vec<u32>>]) -> Result<Vec<Task>> {
    let labelled: Vec<usize> = (0..sets.len()).filter(|i| sets[*i].is_some()).collect();
    if labelled.is_empty() || n_labels == 0 {
        return Err(SPEC.lacks());
    }
    let of_label = |label: u32| {
        let has = |i: usize| sets[i].as_ref().is_some_and(|set| set.contains(&label));
        let task = Task::of(labelled.iter().map(|i| (*i, has(*i))));
        let positive = task.targets.iter().filter(|target| **target > 0).count();
        if positive == 0 || positive == labelled.len() {
            return Err(Error::Labels(format!(
                "label {label} is on {positive} of {} labelled samples; {} needs some with and some without it",
                labelled.len(),
                SPEC.title
            )));
        }
        Ok(task)
    };
    (0..n_labels as u32).map(of_label).collect()
}

/// The machines of NMF-α: S, and how their training went.
#[derive(Clone, Debug, PartialEq)]
pub struct Machines {
    /// S (n × 2p).
    pub support: SupportVectors,
    /// p.
    pub machines: usize,
    /// How many of them reached the duality gap that they were asked for.
    pub converged: usize,
    /// The largest duality gap, relative to the primal.
    pub largest_gap: f64,
}

/// Trains the machines of NMF-α on the labelled rows of `data` (n × d), on `threads` threads (0 = all cores;
/// the result does not depend on them). S applies to every λ, so a search over λ trains once and gives S as
/// [`MethodOptions::support`](super::MethodOptions). A thread holds one machine at a time: d weights, and
/// some numbers for each of its samples.
///
/// # Errors
/// [`Error::MissingGuidance`] and [`Error::Labels`] when nothing is labelled or there is only one class;
/// [`Error::OutOfRange`] for a cost that isn't positive; [`Error::NotFinite`] for such data.
pub fn train_machines<T: Real>(
    data: &dyn DataMatrix<T>,
    guidance: &Guidance,
    cost: f64,
    threads: usize,
) -> Result<Machines> {
    let settings = SvmSettings { cost: Cost::Same(cost), ..SvmSettings::default() };
    let tasks = tasks(guidance)?;
    // Weights (d) are of no use here: what is kept of a machine are its coefficients.
    let train = |task: &Task| {
        svm::train(data, &task.samples, &task.targets, &settings)
            .map(|trained| svm::Svm { weights: Vec::new(), ..trained })
    };
    let machines = Pool::new(threads).map(tasks.iter().collect(), train);
    let (mut entries, mut converged, mut largest_gap) = (Vec::new(), 0, 0.0f64);
    for (number, (task, trained)) in tasks.iter().zip(machines).enumerate() {
        let trained = trained?;
        converged += usize::from(trained.gap <= settings.tolerance * trained.primal);
        if trained.primal > 0.0 {
            largest_gap = largest_gap.max(trained.gap / trained.primal);
        }
        for ((sample, target), alpha) in task.samples.iter().zip(&task.targets).zip(trained.alpha) {
            if alpha > 0.0 {
                let column = if *target > 0 { number } else { tasks.len() + number };
                entries.push((*sample as u32, column as u32, alpha));
            }
        }
    }
    let support = SupportVectors::from_triplets(data.n_samples(), 2 * tasks.len(), entries)?;
    Ok(Machines { support, machines: tasks.len(), converged, largest_gap })
}
