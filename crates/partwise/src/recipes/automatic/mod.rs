//! The automatic recipe: a few labels a class, nothing to tune.
//!
//! ```text
//! views      all labels; and folds, each with a part of the labels hidden
//! graphs     G: 7 nearest neighbours, weights exp(−‖x − y‖²/(sᵢsⱼ)), normalized.   S_X of the unit rows of X; S_p of the codes of WS-NMF with
//!            p components a class, exemplar start, a graph term of 0.01; S_m of the cosines to the class centroids
//! candidates S_X;   (1 − w)·S_X + w·S_g,   w = ⅓, ⅔, 1, for g = m and for p = 1, 2, 3 and on until two in a row don't help
//! score      of a candidate, over the hidden labels: mean of the accuracy, and of the share of the true class, by label spreading and
//!            by WS-SymNMF. Weight ∝ exp(b·(score − best)), b = number of hidden labels; below 0.02 it is dropped
//! fused      S = the weighted mean of the candidates
//! readings   shares by label spreading on S, by WS-SymNMF on S started there, by the same two on S_X; by CNMF of X with the
//!            Kullback–Leibler loss; by the linear discriminants of the labelled samples; each scored as above
//! product    P ∝ Πₑ shareₑ^weightₑ;   labelled samples keep their class, here and below
//! refined    A ∝ (I − 0.9·S)⁻¹P; from A: D ∝ (I − 0.9·S_D)⁻¹A, S_D the graph of the samples in the space of the discriminants that A
//!            gives; a Gaussian mixture with one covariance; a multinomial mixture; weight ∝ exp(b·(score + agreement − best))
//! result     shares ∝ (I − 0.8·S')⁻¹Π refined^weight,   S' the mean of S and S_D, weighed as A and D
//! ```
//!
//! The squared loss has its clusters round and of like size; the Kullback–Leibler loss sees counts as counts and is right where they are
//! not (Classic4: accuracy 71 by spherical k-means, 86 by CNMF). The discriminants are right where a class is told by what little its
//! two samples don't share with others (Yale: 57, against 51 by all readings together). Neighbours vote, which no product
//! of experts does: it gives NMI more than accuracy. The Gaussian mixture learns from all samples what the discriminants learn from the labelled
//! ones, the multinomial one what sets counts apart, and neighbours among discriminants are nearer to classes than those of the data.
//!
//! Shares of different origin are compared at equal confidence: raised to the power at which the mean largest share of the unlabelled
//! samples is 0.7. Spreading favours no class: each is scaled halfway to its size, and sizes are thought halfway (in logarithms) between even
//! ones and those of a spherical constrained k-means, which is all that two labels a class can say about them.
//!
//! The folds learn from different labels; how far they agree on the samples without one (Cohen's κ) is told beside the score. It weighs only in
//! the last choice, between refinements that differ on many samples; added to the score of candidates and readings it helped on the draws that
//! it was tried on and cost accuracy on fresh ones (`bench/runs/2026-11-few-labels`).
//!
//! A fold hides every m-th label of each class with two labels or more, m the number of folds: with two labels a class one of each, in two
//! folds. A class with a single label is never hidden, so it is learned from but not judged by. Where no class has two, nothing can be
//! left out: candidates and readings then weigh the same, and the result says so.
//!
//! References: Choo, Lee, Reddy & Park 2015, doi:10.1007/s10618-014-0384-8 (WS-NMF, WS-SymNMF); Zhou et al., "Learning with local and
//! global consistency", NIPS 2003; Zelnik-Manor & Perona, "Self-tuning spectral clustering", NIPS 2004; Cai, He, Han & Huang 2011,
//! doi:10.1109/TPAMI.2010.231 (the graph term); Hinton 2002, doi:10.1162/089976602760128018 (products of experts);
//! Liu, Wu, Li, Cai & Huang 2012, doi:10.1109/TPAMI.2011.217 (CNMF).

mod candidates;
mod centroids;
mod discriminants;
mod mixture;
mod multinomial;
mod readings;
mod refinement;
mod shares;
mod views;

use super::memberships::largest;
use crate::data::range::in_range;
use crate::data::{DataMatrix, DataSize};
use crate::fit::memory;
use crate::foundation::pool::{self, Pool};
use crate::foundation::{Error, Matrix, Notice, Real, Result, once};
use crate::guidance::Labels;

/// The settings of [`automatic`]. None of them has to be touched.
///
/// | field | default | range | unit |
/// |---|---|---|---|
/// | `components_per_class` | 1, 2, 3, 5, 8, 12, 20 | ascending, ≥ 1 | components; the first three are always tried |
/// | `graph_weight` | 0.01 | ≥ 0 | relative, see [`Knowledge::graph_weight`](crate::Knowledge::graph_weight) |
/// | `iterations` | 30 | ≥ 1 | of each WS-NMF, two coordinate sweeps a factor; of each CNMF |
/// | `max_folds` | 5 | ≥ 2 | folds |
/// | `seed` | 0 | any | – |
/// | `threads` | 0 | 0 = all cores | –; the result does not depend on them |
/// | `memory_limit` | none | – | bytes that may be taken beside the data |
#[derive(Clone, Debug, PartialEq)]
pub struct AutomaticSettings {
    /// How many components a class may own: tried in this order, the first three always, further ones until two in a row were no better
    /// than the best so far. More than 1 only where all of them are at most ¾ of the samples.
    pub components_per_class: Vec<usize>,
    /// How strongly neighbours are drawn together in WS-NMF.
    pub graph_weight: f64,
    /// Iterations of each WS-NMF and of each CNMF.
    pub iterations: usize,
    /// Folds at most; as many as the class with the most labels has, if that is less.
    pub max_folds: usize,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Threads.
    pub threads: usize,
    /// Refuse what would need more bytes than these (see [`memory`](crate::memory)). Default: none.
    pub memory_limit: Option<u64>,
}

impl Default for AutomaticSettings {
    fn default() -> Self {
        AutomaticSettings {
            components_per_class: vec![1, 2, 3, 5, 8, 12, 20],
            graph_weight: 0.01,
            iterations: 30,
            max_folds: 5,
            seed: 0,
            threads: 0,
            memory_limit: None,
        }
    }
}

/// Where the second graph of a candidate comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateGraph {
    /// There is none: the graph of the data alone.
    Data,
    /// The cosines to the class centroids.
    Centroids,
    /// The codes of WS-NMF with so many components a class.
    Codes(usize),
}

/// A graph that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Its second graph.
    pub graph: CandidateGraph,
    /// w, the share of the second graph; the rest is the graph of the data.
    pub share: f64,
    /// The score over the hidden labels, 0 to 1; none where nothing could be hidden.
    pub score: Option<f64>,
    /// How far the folds agree on the samples without a label: Cohen's κ, 1 for full agreement, 0 for that of chance; none where nothing
    /// could be hidden.
    pub agreement: Option<f64>,
    /// Its weight in the fused graph; all weights sum to 1.
    pub weight: f64,
}

/// A way to read classes off the graphs and the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadingKind {
    /// Label spreading on the fused graph.
    Spreading,
    /// WS-SymNMF on the fused graph.
    SymmetricFactorization,
    /// Label spreading on the graph of the data.
    DataSpreading,
    /// WS-SymNMF on the graph of the data.
    DataFactorization,
    /// CNMF of the data with the Kullback–Leibler loss.
    Divergence,
    /// The linear discriminants of the labelled samples.
    Discriminants,
}

impl ReadingKind {
    /// Every reading, in the order of [`Automatic::readings`].
    pub const ALL: [ReadingKind; 6] = [
        ReadingKind::Spreading,
        ReadingKind::SymmetricFactorization,
        ReadingKind::DataSpreading,
        ReadingKind::DataFactorization,
        ReadingKind::Divergence,
        ReadingKind::Discriminants,
    ];

    /// Its name in running text.
    pub fn name(self) -> &'static str {
        match self {
            ReadingKind::Spreading => "label spreading",
            ReadingKind::SymmetricFactorization => "WS-SymNMF",
            ReadingKind::DataSpreading => "label spreading, data alone",
            ReadingKind::DataFactorization => "WS-SymNMF, data alone",
            ReadingKind::Divergence => "CNMF, Kullback-Leibler",
            ReadingKind::Discriminants => "linear discriminants",
        }
    }
}

/// What is made of the product of the readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefinementKind {
    /// The neighbours of each sample vote, over the fused graph.
    Neighbours,
    /// So do, on that vote, the neighbours in the space of the linear discriminants that it gives.
    DiscriminantNeighbours,
    /// A Gaussian mixture of the data with one covariance for all classes, from the neighbours' vote.
    Mixture,
    /// A multinomial mixture of the data, from the neighbours' vote.
    Multinomial,
}

impl RefinementKind {
    /// All, in the order of [`Automatic::refinements`].
    pub const ALL: [RefinementKind; 4] = [
        RefinementKind::Neighbours,
        RefinementKind::DiscriminantNeighbours,
        RefinementKind::Mixture,
        RefinementKind::Multinomial,
    ];

    /// Its name in running text.
    pub fn name(self) -> &'static str {
        match self {
            RefinementKind::Neighbours => "neighbours' vote",
            RefinementKind::DiscriminantNeighbours => "neighbours among discriminants",
            RefinementKind::Mixture => "Gaussian mixture",
            RefinementKind::Multinomial => "multinomial mixture",
        }
    }
}

impl std::fmt::Display for ReadingKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::fmt::Display for RefinementKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// How a reading or a refinement did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading<K = ReadingKind> {
    /// Which.
    pub kind: K,
    /// The score over the hidden labels, 0 to 1; none where nothing could be hidden.
    pub score: Option<f64>,
    /// How far the folds agree, as for [`Candidate::agreement`].
    pub agreement: Option<f64>,
    /// Its weight among its like; the largest is 1.
    pub weight: f64,
}

/// How a refinement did.
pub type Refinement = Reading<RefinementKind>;

/// What [`automatic_observed`] turns to next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// The graph of the data, and class centroids with each part of the labels.
    Graphs,
    /// WS-NMF with so many components a class in every fold, and scores for the graphs of its codes.
    Components {
        /// The smallest number.
        least: usize,
        /// The largest number.
        most: usize,
    },
    /// The fused graph, and what is read off it and off the data.
    Readings,
    /// The refinements of the product of the readings.
    Refinements,
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stage::Graphs => f.write_str("neighbours of all samples"),
            Stage::Components { least: 1, most: 1 } => f.write_str("1 component a class"),
            Stage::Components { least, most } if least == most => write!(f, "{most} components a class"),
            Stage::Components { least, most } => write!(f, "{least} to {most} components a class"),
            Stage::Readings => f.write_str("readings of the fused graph and of the data"),
            Stage::Refinements => f.write_str("refinements"),
        }
    }
}

/// What [`automatic`] found, and why.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Automatic {
    /// The share of each class in each sample (n × k); rows sum to 1. Class j is class j of the labels. Labelled samples have all of
    /// their own.
    pub memberships: Matrix<f64>,
    /// The class of each sample (n): the largest share, ties to the lower class.
    pub labels: Vec<usize>,
    /// Every graph that was tried.
    pub candidates: Vec<Candidate>,
    /// Every reading.
    pub readings: Vec<Reading>,
    /// What was made of their product; the result is the product of these, voted on once more.
    pub refinements: Vec<Refinement>,
    /// Folds.
    pub folds: usize,
    /// Labels that were hidden once.
    pub hidden: usize,
    /// The class sizes that spreading was balanced with (k), as shares of the samples.
    pub sizes: Vec<f64>,
    /// What should be known about the result.
    pub notices: Vec<Notice>,
}

/// Classes of all samples of `data` (n × d, non-negative, dense or sparse) from the `labels` of a few. Rows are compared by direction, so
/// each may be scaled as it is. Text should come as tf-idf, counts of molecules as logarithms.
///
/// ```
/// use partwise::recipes::{AutomaticSettings, automatic};
/// use partwise::{DenseMatrix, Labels};
///
/// // Two directions, two labels each.
/// let row = |i: usize| if i % 2 == 0 { [3.0, 1.0, 0.1 * i as f64] } else { [0.1 * i as f64, 1.0, 3.0] };
/// let x = DenseMatrix::new(12, 3, (0..12).flat_map(row).collect::<Vec<f64>>())?;
/// let labels = Labels::from_integers(&[0, 1, 0, 1, -1, -1, -1, -1, -1, -1, -1, -1])?;
/// let found = automatic(&x, &labels, &AutomaticSettings::default())?;
/// assert_eq!(found.labels, [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
/// # Ok::<(), partwise::Error>(())
/// ```
///
/// # Errors
/// [`Error::Labels`] when labels are not one a sample or of fewer than two classes; [`Error::NotFinite`] and [`Error::Negative`] for such
/// data; [`Error::OutOfRange`] for fewer than 3 samples and for the settings.
pub fn automatic<T: Real>(
    data: &dyn DataMatrix<T>,
    labels: &Labels,
    settings: &AutomaticSettings,
) -> Result<Automatic> {
    automatic_observed(data, labels, settings, &mut |_| ())
}

once! {
    /// As [`automatic`], telling `tell` of each stage as it begins, on the calling thread. The search over
    /// numbers of components goes on as long as it helps, so how many stages there are is not known before.
    ///
    /// # Errors
    /// As [`automatic`].
    pub fn automatic_observed<'a, T>(
        data: &'a dyn DataMatrix<T>,
        labels: &'a Labels,
        settings: &'a AutomaticSettings,
        tell: &'a mut dyn FnMut(Stage),
    ) -> Result<Automatic> = observed;
}

/// The body of [`automatic_observed`].
fn observed<T: Real>(
    data: &dyn DataMatrix<T>,
    labels: &Labels,
    settings: &AutomaticSettings,
    tell: &mut dyn FnMut(Stage),
) -> Result<Automatic> {
    check_settings(settings)?;
    let size = DataSize::of(data);
    let per_class = settings.components_per_class.iter().take(3).max().copied().unwrap_or(1);
    let what = format!(
        "the automatic recipe on {} x {} with {} classes",
        size.samples,
        size.features,
        labels.n_classes()
    );
    memory::of_automatic(size, labels.n_classes(), per_class).check(&what, settings.memory_limit)?;
    check_data(data, labels)?;
    // Rows are compared by direction, so their unit is of no account.
    let divided = in_range(data);
    let data = divided.as_ref().map_or(data, |(divided, _)| divided.as_ref());
    let capped = pool::capped(settings.threads).map(|message| Notice { code: pool::CAPPED, message });
    let mut notices: Vec<Notice> = capped.into_iter().collect();
    let pool = Pool::new(settings.threads);
    let hidden_views = views::folds(labels, settings.max_folds)?;
    let hidden: usize = hidden_views.iter().map(|(_, hidden)| hidden.len()).sum();
    notices.extend(views::single_labels(labels, hidden));
    notices.extend(rows_of_zeros(data, labels));
    tell(Stage::Graphs);
    let source = views::Source::new(data, settings)?;
    let views = views::views(&source, labels, hidden_views, &pool)?;
    let mut search = candidates::search(&source, views, hidden as f64, &pool, tell)?;
    tell(Stage::Readings);
    let fused = candidates::fuse(&source, &mut search, &pool)?;
    let hidden_count = hidden as f64;
    let (products, readings) = readings::combine(&source, &search.views, &fused, hidden_count, &pool)?;
    tell(Stage::Refinements);
    let (memberships, refinements) =
        refinement::refine(&source, &search.views, &fused, &products, hidden_count, &pool)?;
    let place = |i: usize| largest(memberships.row(i));
    Ok(Automatic {
        labels: (0..memberships.rows()).map(place).collect(),
        memberships,
        candidates: search.candidates,
        readings,
        refinements,
        folds: search.views.len() - 1,
        hidden,
        sizes: search.views[0].sizes.clone(),
        notices,
    })
}

/// Rows that say nothing still get a class.
fn rows_of_zeros<T: Real>(data: &dyn DataMatrix<T>, labels: &Labels) -> Option<Notice> {
    let zeros = data.summary().zero_rows.iter().filter(|i| labels.class(**i).is_none());
    let (count, first) = (zeros.clone().count(), *zeros.clone().next()?);
    Some(Notice {
        code: "classes-of-zero-rows",
        message: format!(
            "{count} {} no entry above 0, the first {first}: their class is a guess that the data say nothing about",
            if count == 1 { "sample without a label has" } else { "samples without a label have" }
        ),
    })
}

/// The class of each row of `data` (n × d) by spherical constrained k-means from the labels: the clusters that [`automatic`] takes class
/// sizes and a graph from. Rows are compared by direction.
///
/// # Errors
/// As [`automatic`].
pub fn spherical_k_means<T: Real>(data: &dyn DataMatrix<T>, labels: &Labels) -> Result<Vec<usize>> {
    check_data(data, labels)?;
    let cosines = centroids::centroids(views::unit_rows(data).as_ref(), labels).cosines;
    let class = |i: usize| labels.class(i).unwrap_or_else(|| largest(cosines.row(i)));
    Ok((0..data.n_samples()).map(class).collect())
}

fn check_settings(settings: &AutomaticSettings) -> Result<()> {
    let fault = |name: &str, value: String, valid: &str| {
        Err(Error::OutOfRange { name: name.into(), value, valid: valid.into() })
    };
    let parts = &settings.components_per_class;
    if parts.is_empty() || parts[0] == 0 || parts.windows(2).any(|pair| pair[0] >= pair[1]) {
        return fault(
            "components per class",
            format!("{parts:?}"),
            "numbers from 1, ascending, at least one",
        );
    }
    if !(settings.graph_weight >= 0.0 && settings.graph_weight.is_finite()) {
        return fault("graph weight", settings.graph_weight.to_string(), "a finite number of 0 or more");
    }
    if settings.iterations == 0 {
        return fault("iterations", "0".into(), "1 or more");
    }
    if settings.max_folds < 2 {
        return fault("the most folds", settings.max_folds.to_string(), "2 or more");
    }
    Ok(())
}

fn check_data<T: Real>(data: &dyn DataMatrix<T>, labels: &Labels) -> Result<()> {
    let (n, summary) = (data.n_samples(), data.summary());
    if labels.n_samples() != n {
        return Err(Error::Labels(format!(
            "there are {} labels for {n} samples; one for each sample is needed (-1 for unlabelled)",
            labels.n_samples()
        )));
    }
    if labels.n_classes() < 2 {
        let found = match labels.names().first() {
            None => "no sample is labelled".into(),
            Some(only) => format!("all {} labelled samples are of class \"{only}\"", labels.n_labelled()),
        };
        let needs = "the automatic recipe needs labelled samples of at least two classes";
        return Err(Error::Labels(format!("{found}; {needs}")));
    }
    if n < 3 {
        return Err(Error::OutOfRange {
            name: "the number of samples".into(),
            value: n.to_string(),
            valid: "3 or more for the automatic recipe".into(),
        });
    }
    if let Some(first) = summary.first_not_finite {
        let (nan, infinite) = (summary.nan, summary.infinite);
        return Err(Error::NotFinite { what: "the data".into(), nan, infinite, first });
    }
    if let Some((row, column, value)) = summary.first_negative {
        let first = (row, column);
        return Err(Error::Negative { what: "the data".into(), count: summary.negative, first, value });
    }
    Ok(())
}
