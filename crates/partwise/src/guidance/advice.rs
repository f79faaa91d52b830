//! [`Guidance`]: everything that a person knows about the parts, in one value. It composes any number of [`Advice`] items; their order
//! does not matter, that of the [`Topic`]s does: component j is the topic j that was named.

use super::{CodeReference, ComponentReference, LabelTargets, Labels, Strength};
use crate::foundation::{Error, Matrix, Result};
use crate::graphs::Graph;
use crate::terms::FeatureLists;

/// A feature, by number or by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// Its column, from 0.
    Index(usize),
    /// Its name among [`Guidance::feature_names`]. A name that is not there is reported and left out.
    Name(String),
}

impl From<usize> for Feature {
    fn from(index: usize) -> Self {
        Feature::Index(index)
    }
}

impl From<&str> for Feature {
    fn from(name: &str) -> Self {
        Feature::Name(name.into())
    }
}

/// A feature that belongs to a topic.
#[derive(Clone, Debug, PartialEq)]
pub struct Seed {
    /// Which.
    pub feature: Feature,
    /// Multiplies its cost, its part in the start, and the weight that it keeps in the topic; > 0, default 1.
    pub weight: f64,
}

/// A named part. Topics keep their order and their names; they are never merged or dropped.
#[derive(Clone, Debug, PartialEq)]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// Components that it has, ≥ 1: several where a topic looks in several ways. Default 1.
    pub components: usize,
    /// Features that belong to it. A feature may seed several topics; one that comes several times in a topic counts once, with its
    /// largest weight.
    pub seeds: Vec<Seed>,
    /// How strongly its seeds are kept out of what they don't seed, and (at half of σ, firmly at most) how strongly the topic keeps them
    /// at the weight that they have in the samples that hold them. Default [`Strength::FIRM`].
    pub strength: Strength,
    /// Features that must stay out of it; held exactly.
    pub forbidden: Vec<Feature>,
}

impl Topic {
    /// A topic with a name only.
    pub fn new(name: impl Into<String>) -> Self {
        Topic {
            name: name.into(),
            components: 1,
            seeds: Vec::new(),
            strength: Strength::FIRM,
            forbidden: Vec::new(),
        }
    }

    /// With features that belong to it, each with weight 1.
    #[must_use]
    pub fn with_seeds<F: Into<Feature>>(mut self, seeds: impl IntoIterator<Item = F>) -> Self {
        self.seeds.extend(seeds.into_iter().map(|f| Seed { feature: f.into(), weight: 1.0 }));
        self
    }

    /// With features that must stay out of it.
    #[must_use]
    pub fn without<F: Into<Feature>>(mut self, features: impl IntoIterator<Item = F>) -> Self {
        self.forbidden.extend(features.into_iter().map(Into::into));
        self
    }
}

/// What a label says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum LabelRule {
    /// The sample is made of its topic's components (WS-NMF); held: of nothing else.
    #[default]
    Components,
    /// Samples with the same label share one row of codes, exactly (CNMF). Held or ignored, nothing between.
    SameCodes,
    /// The codes explain the labels linearly, beside the data (SSNMF).
    View,
}

/// One thing that is known. `names` are topics; one that was not named before becomes a topic after the others.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Advice {
    /// One topic for some of the samples, by the names of the labels.
    Labels {
        /// One a sample.
        labels: Labels,
        /// What they say.
        rule: LabelRule,
        /// Default [`Strength::FIRM`].
        strength: Strength,
    },
    /// For some of the samples the topics that they may be made of: several labels a sample, closed sets.
    Sets {
        /// The topics that the numbers mean.
        names: Vec<String>,
        /// For each sample its topics, as numbers of `names`; `None` where nothing is known.
        sets: Vec<Option<Vec<u32>>>,
        /// Default [`Strength::FIRM`].
        strength: Strength,
    },
    /// Soft memberships: how a sample is shared between topics, up to its size.
    Memberships {
        /// The topics of the columns.
        names: Vec<String>,
        /// Shares (n × topics) ≥ 0; NaN where nothing is known. A row of NaN is free.
        shares: Matrix<f64>,
        /// Default [`Strength::FIRM`].
        strength: Strength,
    },
    /// Profiles of components, of any origin: last month's model, known spectra, signatures. Up to their size, but for held and raw
    /// ones.
    References {
        /// The topic of each profile. A topic with several components takes several profiles, in order.
        names: Vec<String>,
        /// Profiles (one row each, d columns) ≥ 0.
        profiles: Matrix<f64>,
        /// Default [`Strength::FIRM`]; with `Relative(0)` they are only started from.
        strength: Strength,
    },
    /// Pairs of samples that belong together, and pairs that belong apart.
    Links {
        /// Together.
        must: Vec<(usize, usize)>,
        /// Apart.
        cannot: Vec<(usize, usize)>,
        /// Default [`Strength::FIRM`]. Held: must-links share one row of codes; cannot-links need the recipe
        /// [`fit_guided`](crate::recipes::fit_guided).
        strength: Strength,
    },
    /// Samples that are joined have similar codes.
    Graph {
        /// Over the samples.
        graph: Graph,
        /// Default [`Strength::LIGHT`]; 1 is refused.
        strength: Strength,
    },
    /// How much each sample (n) counts in the fit, ≥ 0; what is known of it counts as much, what is known of a pair as the root of the
    /// product of both weights.
    SampleWeights(Vec<f64>),
    /// How much each feature (d) counts in the fit, ≥ 0: its part of the loss is multiplied by it. References and seeds are compared at these
    /// weights too; components come back without them. A feature of weight 0 is ignored, and 0 in every component.
    FeatureWeights(Vec<f64>),
    /// 1 where the entry of X (n × d) is known, 0 where it is not and X holds 0.
    KnownEntries(Matrix<f64>),
    /// The known features of each sample, ascending; X holds 0 in all others, which are not known: ratings, where what nobody rated is
    /// no zero. Takes the room of the known entries, and k × k numbers a sample and a feature.
    KnownFeatures(FeatureLists),
    /// How much each entry of X (n × d) counts, ≥ 0; 0 for one that is not known, 1 for one as it is.
    EntryWeights(Matrix<f64>),
    /// Reference codes by the number of the component, with raw weights (WS-NMF, WS-SymNMF).
    CodeReference(CodeReference),
    /// Reference components by their number, with raw weights (WS-NMF).
    ComponentReference(ComponentReference),
    /// Labels as numbers, which the codes explain linearly beside the data (SSNMF).
    Targets {
        /// Y and what of it is known.
        targets: LabelTargets,
        /// Default [`Strength::EVEN`].
        strength: Strength,
    },
}

impl Advice {
    /// A graph that draws the codes of joined samples together, with the default strength.
    pub fn graph(graph: Graph) -> Self {
        Advice::Graph { graph, strength: Strength::LIGHT }
    }

    /// Label targets with the default strength.
    pub fn targets(targets: LabelTargets) -> Self {
        Advice::Targets { targets, strength: Strength::EVEN }
    }

    /// Labels as components, firmly.
    pub fn labels(labels: Labels) -> Self {
        Advice::Labels { labels, rule: LabelRule::Components, strength: Strength::FIRM }
    }

    /// Its kind, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Advice::Labels { .. } => "labels",
            Advice::Sets { .. } => "sets",
            Advice::Memberships { .. } => "memberships",
            Advice::References { .. } => "references",
            Advice::Links { .. } => "links",
            Advice::Graph { .. } => "graph",
            Advice::SampleWeights(_) => "sample weights",
            Advice::FeatureWeights(_) => "feature weights",
            Advice::KnownEntries(_) => "known entries",
            Advice::KnownFeatures(_) => "known features",
            Advice::EntryWeights(_) => "weights of entries",
            Advice::CodeReference(_) => "reference codes",
            Advice::ComponentReference(_) => "reference components",
            Advice::Targets { .. } => "label targets",
        }
    }

    /// Its strength, if it has one.
    pub fn strength(&self) -> Option<Strength> {
        match self {
            Advice::Labels { strength, .. }
            | Advice::Sets { strength, .. }
            | Advice::Memberships { strength, .. }
            | Advice::References { strength, .. }
            | Advice::Links { strength, .. }
            | Advice::Graph { strength, .. }
            | Advice::Targets { strength, .. } => Some(*strength),
            _ => None,
        }
    }

    /// The same with another strength, where it has one.
    #[must_use]
    pub fn with_strength(mut self, new: Strength) -> Self {
        match &mut self {
            Advice::Labels { strength, .. }
            | Advice::Sets { strength, .. }
            | Advice::Memberships { strength, .. }
            | Advice::References { strength, .. }
            | Advice::Links { strength, .. }
            | Advice::Graph { strength, .. }
            | Advice::Targets { strength, .. } => *strength = new,
            _ => {}
        }
        self
    }

    /// The names of topics that it mentions.
    pub(crate) fn names(&self) -> &[String] {
        match self {
            Advice::Labels { labels, .. } => labels.names(),
            Advice::Sets { names, .. }
            | Advice::Memberships { names, .. }
            | Advice::References { names, .. } => names,
            _ => &[],
        }
    }
}

/// Everything that is known about the parts.
///
/// ```
/// use partwise::guidance::{Advice, Guidance, Topic};
/// use partwise::{DenseMatrix, Labels, Model, Settings, fit};
///
/// let x = DenseMatrix::new(4, 3, vec![3.0, 1.0, 0.0, 6.0, 2.0, 0.1, 0.0, 1.0, 4.0, 0.1, 2.0, 8.0])?;
/// let names = ["sea".to_string(), "sky".to_string()];
/// let guidance = Guidance::new([Topic::new("sky").with_seeds([2]), Topic::new("sea")])
///     .with(Advice::labels(Labels::with_names(&[0, -1, -1, -1], &names)?));
/// let fit = fit(&x, &Model::guided(guidance), &Settings::new(2))?;
/// assert_eq!(fit.component_names, ["sky", "sea"]);
/// assert!(fit.codes.get(3, 0) > fit.codes.get(3, 1));
/// # Ok::<(), partwise::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Guidance {
    topics: Vec<Topic>,
    advice: Vec<Advice>,
    feature_names: Option<Vec<String>>,
}

impl From<Advice> for Guidance {
    fn from(item: Advice) -> Self {
        Guidance::default().with(item)
    }
}

impl From<Labels> for Guidance {
    fn from(labels: Labels) -> Self {
        Advice::labels(labels).into()
    }
}

impl Guidance {
    /// These topics, in this order; free components, if the rank leaves any, come after them.
    pub fn new(topics: impl IntoIterator<Item = Topic>) -> Self {
        Guidance { topics: topics.into_iter().collect(), ..Guidance::default() }
    }

    /// With a further item. The order of items does not matter.
    #[must_use]
    pub fn with(mut self, advice: Advice) -> Self {
        self.advice.push(advice);
        self
    }

    /// The same with what labels say for the method at hand.
    pub(crate) fn with_label_rule(mut self, wanted: LabelRule) -> Self {
        for item in &mut self.advice {
            if let Advice::Labels { rule, .. } = item {
                *rule = wanted;
            }
        }
        self
    }

    /// With the names of the features (d), by which seeds and forbidden features may be given.
    #[must_use]
    pub fn with_feature_names(mut self, names: Vec<String>) -> Self {
        self.feature_names = Some(names);
        self
    }

    /// Whether nothing is said at all.
    pub fn is_empty(&self) -> bool {
        self.topics.is_empty() && self.advice.is_empty()
    }

    /// The topics that were named.
    pub fn topics(&self) -> &[Topic] {
        &self.topics
    }

    /// The topics, to change.
    pub fn topics_mut(&mut self) -> &mut Vec<Topic> {
        &mut self.topics
    }

    /// The items, in a canonical order: what is added up in it does not depend on the order in which they were given.
    pub fn advice(&self) -> Vec<&Advice> {
        let mut items: Vec<&Advice> = self.advice.iter().collect();
        let rank = |a: &Advice| match a {
            Advice::Labels { .. } => 0,
            Advice::Sets { .. } => 1,
            Advice::Memberships { .. } => 2,
            Advice::References { .. } => 3,
            Advice::Links { .. } => 4,
            Advice::Graph { .. } => 5,
            Advice::SampleWeights(_) => 6,
            Advice::KnownEntries(_) => 7,
            Advice::KnownFeatures(_) => 8,
            Advice::EntryWeights(_) => 9,
            Advice::FeatureWeights(_) => 10,
            Advice::CodeReference(_) => 11,
            Advice::ComponentReference(_) => 12,
            Advice::Targets { .. } => 13,
        };
        items.sort_by(|a, b| {
            // Only items of one kind are told apart by what they hold.
            rank(a).cmp(&rank(b)).then_with(|| format!("{a:?}").cmp(&format!("{b:?}")))
        });
        items
    }

    /// The first item for which `pick` gives something.
    fn first<'g, R>(&'g self, pick: impl FnMut(&'g Advice) -> Option<R>) -> Option<R> {
        self.advice.iter().find_map(pick)
    }

    /// The first labels, where there are some.
    pub fn labels(&self) -> Option<&Labels> {
        self.first(|item| if let Advice::Labels { labels, .. } = item { Some(labels) } else { None })
    }

    /// The strength of the first labels or label targets.
    #[doc(hidden)]
    pub fn label_strength(&self) -> Option<Strength> {
        self.first(|item| match item {
            Advice::Labels { strength, .. } | Advice::Targets { strength, .. } => Some(*strength),
            _ => None,
        })
    }

    /// The first label targets, where there are some.
    pub(crate) fn targets(&self) -> Option<&LabelTargets> {
        self.first(|item| if let Advice::Targets { targets, .. } = item { Some(targets) } else { None })
    }

    /// The first label sets, with the number of labels.
    pub(crate) fn sets(&self) -> Option<(usize, &[Option<Vec<u32>>])> {
        self.first(|item| match item {
            Advice::Sets { names, sets, .. } => Some((names.len(), sets.as_slice())),
            _ => None,
        })
    }

    /// The reference codes, where there are some.
    pub(crate) fn code_reference(&self) -> Option<&CodeReference> {
        self.first(|item| if let Advice::CodeReference(given) = item { Some(given) } else { None })
    }

    /// The reference components, where there are some.
    pub(crate) fn component_reference(&self) -> Option<&ComponentReference> {
        self.first(|item| if let Advice::ComponentReference(given) = item { Some(given) } else { None })
    }

    /// The first graph, with its strength.
    #[doc(hidden)]
    pub fn graph(&self) -> Option<(&Graph, Strength)> {
        self.first(|item| match item {
            Advice::Graph { graph, strength } => Some((graph, *strength)),
            _ => None,
        })
    }

    /// The marks of known entries, where there are some.
    pub(crate) fn known_entries(&self) -> Option<&Matrix<f64>> {
        self.first(|item| if let Advice::KnownEntries(known) = item { Some(known) } else { None })
    }

    /// The known features of each sample, where they are listed.
    pub(crate) fn known_features(&self) -> Option<&FeatureLists> {
        self.first(|item| if let Advice::KnownFeatures(known) = item { Some(known) } else { None })
    }

    /// The weights of the entries, where there are some.
    pub(crate) fn entry_weights(&self) -> Option<&Matrix<f64>> {
        self.first(|item| if let Advice::EntryWeights(weights) = item { Some(weights) } else { None })
    }

    /// The weights of the features, where there are some.
    ///
    /// # Errors
    /// [`Error::Guidance`] when they are given twice.
    pub(crate) fn feature_weights(&self) -> Result<Option<&[f64]>> {
        let mut given = self.advice.iter().filter_map(|item| match item {
            Advice::FeatureWeights(weights) => Some(weights.as_slice()),
            _ => None,
        });
        let first = given.next();
        if given.next().is_some() {
            return Err(Error::Guidance("feature weights are given twice".into()));
        }
        Ok(first)
    }

    /// The same with every reference times `scale` (d). References of another length are left as they are, to be refused.
    pub(crate) fn with_scaled_references(&self, scale: &[f64]) -> Self {
        let mut scaled = self.clone();
        for item in &mut scaled.advice {
            if let Advice::References { profiles, .. } = item
                && profiles.columns() == scale.len()
            {
                for row in 0..profiles.rows() {
                    profiles.row_mut(row).iter_mut().zip(scale).for_each(|(value, s)| *value *= s);
                }
            }
        }
        scaled
    }

    /// The items, to change.
    pub fn advice_mut(&mut self) -> &mut Vec<Advice> {
        &mut self.advice
    }

    /// The names of the features, where they are given.
    pub fn feature_names(&self) -> Option<&[String]> {
        self.feature_names.as_deref()
    }

    /// Every topic in the order of the components: those that were named, then those that only items mention, each with the number of
    /// its components.
    #[doc(hidden)]
    pub fn all_topics(&self) -> Vec<(String, usize)> {
        let mut all: Vec<(String, usize)> =
            self.topics.iter().map(|topic| (topic.name.clone(), topic.components)).collect();
        for item in self.advice() {
            for name in item.names() {
                if !all.iter().any(|(known, _)| known == name) {
                    all.push((name.clone(), 1));
                }
            }
        }
        all
    }

    /// The components that the topics take: the least rank.
    pub fn n_components(&self) -> usize {
        self.all_topics().iter().map(|(_, components)| components).sum()
    }
}
