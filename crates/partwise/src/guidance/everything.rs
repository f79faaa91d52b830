//! [`Guidance`]: everything that a person knows about the parts, in one value. It composes any number of
//! [`Advice`] items; their order does not matter, that of the [`Topic`]s does: component j is the topic j
//! that was named.

use serde::{Deserialize, Serialize};

use super::{
    Advice, CodeReference, ComponentReference, LabelRule, LabelTargets, Labels, Strength, Topic, document,
};
use crate::foundation::{Error, Matrix, Result};
use crate::graphs::Graph;
use crate::terms::FeatureLists;

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
#[derive(Clone, Debug, PartialEq, Default, Deserialize, Serialize)]
pub struct Guidance {
    #[serde(default)]
    topics: Vec<Topic>,
    #[serde(default, rename = "items", deserialize_with = "document::whole_items")]
    advice: Vec<Advice>,
    #[serde(default)]
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

    /// Whether a strength is to be searched.
    #[doc(hidden)]
    pub fn searches(&self) -> bool {
        let items = self.advice.iter().filter_map(Advice::strength);
        items.chain(self.topics.iter().map(|topic| topic.strength)).any(|strength| strength == Strength::Auto)
    }

    /// The samples of which an item says the topic, ascending.
    #[doc(hidden)]
    pub fn labelled_samples(&self) -> Vec<usize> {
        let mut samples: Vec<usize> = self.advice.iter().flat_map(Advice::labelled_samples).collect();
        samples.sort_unstable();
        samples.dedup();
        samples
    }

    /// The topics, to change.
    pub fn topics_mut(&mut self) -> &mut Vec<Topic> {
        &mut self.topics
    }

    /// The items, in a canonical order: what is added up in it does not depend on the order in which they
    /// were given.
    pub fn advice(&self) -> Vec<&Advice> {
        let mut items: Vec<&Advice> = self.advice.iter().collect();
        items.sort_by(|a, b| a.place().cmp(&b.place()).then_with(|| a.compare(b)));
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

    /// The first labels or label targets.
    pub(crate) fn label_item(&self) -> Option<&Advice> {
        self.advice.iter().find(|item| matches!(item, Advice::Labels { .. } | Advice::Targets { .. }))
    }

    /// Their strength.
    #[doc(hidden)]
    pub fn label_strength(&self) -> Option<Strength> {
        self.label_item()?.strength()
    }

    /// The first item with a graph.
    pub(crate) fn graph_item(&self) -> Option<&Advice> {
        self.advice.iter().find(|item| matches!(item, Advice::Graph { .. }))
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

    /// The same with every reference times `scale` (d). References of another length are left as they are, to
    /// be refused.
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

    /// Every topic in the order of the components: those that were named, then those that only items mention,
    /// each with the number of its components.
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

    /// With so many components of these topics. All topics are named then, in the same order.
    #[doc(hidden)]
    #[must_use]
    pub fn with_components(mut self, wanted: &[(String, usize)]) -> Self {
        for (name, components) in self.all_topics().into_iter().skip(self.topics.len()) {
            self.topics.push(Topic { components, ..Topic::new(name) });
        }
        for topic in &mut self.topics {
            if let Some((_, components)) = wanted.iter().find(|(name, _)| *name == topic.name) {
                topic.components = *components;
            }
        }
        self
    }

    /// The name of each component of the topics.
    #[doc(hidden)]
    pub fn component_names(&self) -> Vec<String> {
        self.all_topics().into_iter().flat_map(|(topic, count)| component_names(&topic, count)).collect()
    }

    /// The components that the topics take: the least rank.
    pub fn n_components(&self) -> usize {
        self.all_topics().iter().map(|(_, components)| components).sum()
    }
}

/// The names of the components of a topic.
pub(super) fn component_names(topic: &str, count: usize) -> Vec<String> {
    match count {
        1 => vec![topic.to_string()],
        several => (1..=several).map(|q| format!("{topic} {q}")).collect(),
    }
}
