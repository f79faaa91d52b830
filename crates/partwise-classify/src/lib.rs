//! Classes of all samples from the labels of a few. An ensemble: every choice is scored by cross-validation
//! over the labels, and what scores well weighs more. Nothing has to be tuned.
//!
//! ```text
//! views       the unit rows of X; and where d ≤ 100, or up to 300 rows are nearly parallel, those of
//!             (x̂, 1 − x̂), x̂ the columns between their extremes. Each goes through all that follows; the
//!             result is P ∝ Π_v P_v^weight_v, weights ∝ exp(b·(score + agreement − best)). Beside
//!             d ≤ 100 columns, two simple classifiers that learn from the labels alone in standardized
//!             columns where they find classes of unequal size: linear discriminants and a kernel
//!             (`standardized`)
//! folds       fold 0 trains on all labels and holds none out; each further fold holds out a part of them
//! graphs      7 nearest neighbours, weights exp(−‖x − y‖²/(sᵢsⱼ)), sᵢ the distance to the 7th; normalized.
//!             S_X of the unit rows of X; S_m of the cosines to the class centroids (spherical k-means);
//!             S_p of the codes of WS-NMF with p components per class, exemplar start and a weak graph term
//! candidates  S_X and (1 − w)·S_X + w·S_g,   w = ⅓, ⅔, 1,   g = m, and p = 1, 2, 3 and on while it helps
//! score       of a classifier, over the b held-out labels: the mean of the accuracy and of the posterior of
//!             the true class; its weight ∝ exp(b·(score − best score)).
//!             A candidate has the mean score of label spreading and WS-SymNMF on it
//! fused graph S = the weighted mean of the candidates
//! base        posteriors P_e (n × c) of six base classifiers e: label spreading and WS-SymNMF on S, the same
//!             two on S_X, CNMF of X with the Kullback–Leibler loss, and linear discriminants
//! ensemble    P ∝ Π_e P_e^weight_e
//! refinement  self-training, from A ∝ (I − 0.9·S)⁻¹P: A itself; the same step on S_D, the graph of the
//!             samples in the discriminant space that A gives; a Gaussian mixture; a multinomial mixture
//!             (with two views, the linear discriminants of the labels in its place).
//!             Again a weighted product R, with weights ∝ exp(b·(score + agreement − best))
//! result      posteriors ∝ (I − 0.8·S')⁻¹R,   S' the mean of S and S_D, weighed as A and its step on S_D are
//! ```
//!
//! Labelled samples keep their class in every line above.
//!
//! # Why this ensemble
//!
//! - The members fail in different places. The squared loss wants round classes of like size, the
//!   Kullback–Leibler loss and the multinomial mixture read counts as counts; discriminants and the Gaussian
//!   mixture find the few directions that separate classes; graphs need no more than connected classes. The
//!   held-out labels decide which of these holds for a data set.
//! - A product of experts (Hinton 2002) lets a confident member decide and an undecided one abstain.
//!   Posteriors are therefore compared at equal confidence: each is raised to the power at which the mean
//!   largest posterior of the unlabelled samples has a fixed value (temperature scaling).
//! - The weights are those of a likelihood: b·score is a sum over held-out labels, of which the score is the
//!   mean.
//! - Label spreading is scaled halfway towards the class sizes, and sizes are assumed halfway, in logarithms,
//!   between even ones and those of the clusters of spherical k-means: a few labels are not evidence for more
//!   about sizes. Where the user knows them ([`ClassSizes`]), spreading is scaled towards these, and the
//!   posteriors of the result are scaled to them.
//! - How far the folds agree on the unlabelled samples (Cohen's κ) weighs among the refinements only, which
//!   differ on many samples. It is reported for all.
//!
//! # Folds
//!
//! With m folds, each holds out every m-th label of each class that has two labels or more; of three or more
//! folds only so many are used as hold out 200 labels together. A class with a single label is learned from
//! but not scored. Where no class has two labels, all members weigh the same and a notice says so.
//!
//! # References
//!
//! Choo, Lee, Reddy & Park 2015, doi:10.1007/s10618-014-0384-8 (WS-NMF, WS-SymNMF); Zhou et al., "Learning
//! with local and global consistency", NIPS 2003 (label spreading); Zelnik-Manor & Perona, "Self-tuning
//! spectral clustering", NIPS 2004 (weights of G); Cai, He, Han & Huang 2011, doi:10.1109/TPAMI.2010.231 (the
//! graph term); Liu, Wu, Li, Cai & Huang 2012, doi:10.1109/TPAMI.2011.217 (CNMF); Hinton 2002,
//! doi:10.1162/089976602760128018 (products of experts); Saerens, Latinne & Decaestecker 2002,
//! doi:10.1162/089976602753284446 (posteriors for other class sizes).

mod base;
mod candidates;
mod centroids;
mod checks;
mod columns;
pub mod compare;
mod ensemble;
mod folds;
mod graphs;
mod linear_scores;
pub mod memory;
mod posteriors;
mod predictor;
mod refinement;
mod result;
mod scores;
mod settings;
mod sizes;
mod spread;
mod standardized;
mod views;

use partwise::internals::{CAPPED, Pool, capped, in_range, raw_counts};
use partwise::memory::DataSize;
use partwise::{DataMatrix, Labels, Notice, Real, Result, once};

pub use centroids::spherical_k_means;
pub use predictor::{Part, Predictor};
pub use result::{Candidate, CandidateGraph, Classification, HeldOutLabel, Member, Phase};
pub use settings::ClassifySettings;
pub use sizes::ClassSizes;
pub use spread::{
    COMPONENTS_PER_CLASS, SPREAD, SpreadLabels, SpreadSettings, Spreading, encode_by_classes,
    encode_by_scorer, spread, spread_found, spread_observed,
};

/// Classes of all samples of `data` (n × d, non-negative, dense or sparse) from the `labels` of a few. Rows
/// are compared by direction, so each may be scaled as it is. Text should come as tf-idf, counts of molecules
/// as logarithms. Where features are few, or few rows nearly parallel, columns count too, and with them the
/// lengths of rows.
///
/// ```
/// use partwise::{DenseMatrix, Labels};
/// use partwise_classify::{ClassifySettings, classify};
///
/// // Two directions, two labels each.
/// let row = |i: usize| if i % 2 == 0 { [3.0, 1.0, 0.1 * i as f64] } else { [0.1 * i as f64, 1.0, 3.0] };
/// let x = DenseMatrix::new(12, 3, (0..12).flat_map(row).collect::<Vec<f64>>())?;
/// let labels = Labels::from_integers(&[0, 1, 0, 1, -1, -1, -1, -1, -1, -1, -1, -1])?;
/// let found = classify(&x, &labels, &ClassifySettings::default())?;
/// assert_eq!(found.classes, [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
/// # Ok::<(), partwise::Error>(())
/// ```
///
/// # Errors
/// [`Error::Labels`](partwise::Error::Labels) when labels are not one per sample or of fewer than two
/// classes, and of class sizes that are not one per class;
/// [`Error::UnknownName`](partwise::Error::UnknownName) for the size of a class without a label;
/// [`Error::NotFinite`](partwise::Error::NotFinite) and [`Error::Negative`](partwise::Error::Negative) for
/// such data; [`Error::OutOfRange`](partwise::Error::OutOfRange) for fewer than 3 samples and for the
/// settings; [`Error::Memory`](partwise::Error::Memory) when it would need more than the limit.
pub fn classify<T: Real>(
    data: &dyn DataMatrix<T>,
    labels: &Labels,
    settings: &ClassifySettings,
) -> Result<Classification> {
    classify_observed(data, labels, settings, &mut |_| ())
}

/// As [`classify`]; calls `observe` on the calling thread as each phase begins. The search over numbers of
/// components goes on as long as it helps, so the number of phases is not known in advance.
///
/// # Errors
/// As [`classify`].
pub fn classify_observed<T: Real>(
    data: &dyn DataMatrix<T>,
    labels: &Labels,
    settings: &ClassifySettings,
    observe: &mut dyn FnMut(Phase),
) -> Result<Classification> {
    Ok(learned(data, labels, settings, observe, false)?.0)
}

/// As [`classify`], and what predicts the classes of rows that were not there.
///
/// # Errors
/// As [`classify`].
pub fn train<T: Real>(
    data: &dyn DataMatrix<T>,
    labels: &Labels,
    settings: &ClassifySettings,
) -> Result<(Classification, Predictor<T>)> {
    train_observed(data, labels, settings, &mut |_| ())
}

/// As [`train`]; calls `observe` as each phase begins.
///
/// # Errors
/// As [`classify`].
pub fn train_observed<T: Real>(
    data: &dyn DataMatrix<T>,
    labels: &Labels,
    settings: &ClassifySettings,
    observe: &mut dyn FnMut(Phase),
) -> Result<(Classification, Predictor<T>)> {
    let (found, predictor) = learned(data, labels, settings, observe, true)?;
    Ok((found, predictor.expect("it was asked for")))
}

once! {
    /// The body of [`classify_observed`] and [`train_observed`].
    fn learned<'a, T>(
        data: &'a dyn DataMatrix<T>,
        labels: &'a Labels,
        settings: &'a ClassifySettings,
        observe: &'a mut dyn FnMut(Phase),
        with_predictor: bool,
    ) -> Result<(Classification, Option<Predictor<T>>)> = learn;
}

fn learn<T: Real>(
    data: &dyn DataMatrix<T>,
    labels: &Labels,
    settings: &ClassifySettings,
    observe: &mut dyn FnMut(Phase),
    with_predictor: bool,
) -> Result<(Classification, Option<Predictor<T>>)> {
    settings.check()?;
    check_memory(DataSize::of(data), labels.n_classes(), settings, with_predictor)?;
    checks::check_data(data, labels)?;
    let mut notices = Vec::from_iter(raw_counts(data));
    // Rows are compared by direction and columns between their extremes, so a common factor of all entries
    // changes nothing.
    let divided = in_range(data);
    let data = divided.as_ref().map_or(data, |(divided, _)| divided.as_ref());
    let pool = Pool::new(settings.threads);
    let splits = folds::splits(labels, settings.max_folds)?;
    let held_out: usize = splits.iter().map(|(_, held_out)| held_out.len()).sum();
    notices.extend(capped(settings.threads).map(|message| Notice { code: CAPPED, message }));
    notices.extend(checks::single_labels(labels, held_out));
    notices.extend(checks::rows_of_zeros(data, labels));

    let (sizes, notice) = settings.class_sizes.parts(labels)?;
    notices.extend(notice);
    let known = views::Known { labels, splits, sizes };
    let (mut found, predictor) = views::classified(data, known, (settings, &pool), observe, with_predictor)?;
    found.notices = notices;
    let unit = divided.map_or(1.0, |(_, unit)| unit);
    Ok((found, predictor.map(|predictor| predictor.in_unit(unit))))
}

fn check_memory(
    size: DataSize,
    classes: usize,
    settings: &ClassifySettings,
    with_predictor: bool,
) -> Result<()> {
    let per_class = settings.components_per_class.iter().take(candidates::ALWAYS).max().copied().unwrap_or(1);
    let what = format!("classifying {} x {} with {classes} classes", size.samples, size.features);
    let mut estimate = memory::estimate(size, classes, per_class);
    if with_predictor {
        estimate.parts.push(memory::of_predictor(size, classes));
    }
    estimate.check(&what, settings.memory_limit)
}
