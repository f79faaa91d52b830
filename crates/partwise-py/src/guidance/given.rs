//! A [`Guidance`] from the dictionary that `python/partwise/_guidance` makes; here is no check that the library does.

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use partwise::Labels;
use partwise::guidance::{Advice, Feature, FeatureLists, Guidance, LabelRule, Seed, Strength, Topic};
use partwise::recipes::scaled;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::to_matrix;
use crate::faults::value_error;
use crate::options::{self, GraphArrays};

/// What labels may say.
pub(super) const RULES: [(&str, LabelRule); 3] =
    [("components", LabelRule::Components), ("same-codes", LabelRule::SameCodes), ("view", LabelRule::View)];

/// A guidance, and which of its strengths are to be searched.
pub(crate) struct Given {
    pub(crate) guidance: Guidance,
    auto_topics: Vec<bool>,
    auto_items: Vec<bool>,
}

impl Given {
    /// What is searched at a scale, the rest as it is.
    pub(super) fn at(&self, scale: f64) -> Guidance {
        let mut out = scaled(&self.guidance, scale);
        let mut stated = self.guidance.clone();
        let items = out.advice_mut().iter_mut().zip(stated.advice_mut()).zip(&self.auto_items);
        items.filter(|(_, auto)| !**auto).for_each(|((item, stated), _)| item.clone_from(stated));
        let topics = out.topics_mut().iter_mut().zip(self.guidance.topics()).zip(&self.auto_topics);
        topics.filter(|(_, auto)| !**auto).for_each(|((topic, stated), _)| topic.strength = stated.strength);
        out
    }

    pub(super) fn searches(&self) -> bool {
        self.auto_topics.contains(&true) || self.auto_items.contains(&true)
    }
}

/// A strength: its unit (`"relative"`, `"raw"`, or `"auto"`: searched from the value), and its value.
type Stated = (String, f64);

fn strength((unit, value): &Stated) -> PyResult<(Strength, bool)> {
    match unit.as_str() {
        "relative" => Ok((Strength::Relative(*value), false)),
        "auto" => Ok((Strength::Relative(*value), true)),
        "raw" => Ok((Strength::Raw(*value), false)),
        other => Err(PyTypeError::new_err(format!(
            "unknown unit of a strength \"{other}\"; valid: relative, raw, auto"
        ))),
    }
}

#[derive(FromPyObject)]
pub(super) enum GivenFeature {
    #[pyo3(transparent)]
    Index(usize),
    #[pyo3(transparent)]
    Name(String),
}

impl From<GivenFeature> for Feature {
    fn from(given: GivenFeature) -> Self {
        match given {
            GivenFeature::Index(at) => Feature::Index(at),
            GivenFeature::Name(name) => Feature::Name(name),
        }
    }
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct GivenTopic {
    name: String,
    components: usize,
    seeds: Vec<(GivenFeature, f64)>,
    forbidden: Vec<GivenFeature>,
    strength: Stated,
}

/// Reads the dictionary `{topics, items, feature_names}`; an item is a pair of its kind and a dictionary.
pub(crate) fn guidance(given: &Bound<'_, PyDict>) -> PyResult<Given> {
    let need = |key: &str| {
        given.get_item(key)?.ok_or_else(|| PyTypeError::new_err(format!("the guidance lacks \"{key}\"")))
    };
    let (mut topics, mut auto_topics, mut auto_items) = (Vec::new(), Vec::new(), Vec::new());
    for topic in need("topics")?.extract::<Vec<GivenTopic>>()? {
        let (strength, auto) = strength(&topic.strength)?;
        auto_topics.push(auto);
        topics.push(Topic {
            components: topic.components,
            seeds: topic
                .seeds
                .into_iter()
                .map(|(feature, weight)| Seed { feature: feature.into(), weight })
                .collect(),
            strength,
            forbidden: topic.forbidden.into_iter().map(Into::into).collect(),
            ..Topic::new(topic.name)
        });
    }
    let mut guidance = Guidance::new(topics);
    for (kind, fields) in need("items")?.extract::<Vec<(String, Bound<'_, PyDict>)>>()? {
        let (item, auto) = item(&kind, &fields)?;
        guidance = guidance.with(item);
        auto_items.push(auto);
    }
    if let Some(names) = need("feature_names")?.extract::<Option<Vec<String>>>()? {
        guidance = guidance.with_feature_names(names);
    }
    Ok(Given { guidance, auto_topics, auto_items })
}

fn item(kind: &str, fields: &Bound<'_, PyDict>) -> PyResult<(Advice, bool)> {
    let get = |key: &str| {
        fields.get_item(key)?.ok_or_else(|| PyTypeError::new_err(format!("{kind} lack \"{key}\"")))
    };
    let stated = || strength(&get("strength")?.extract()?);
    Ok(match kind {
        "labels" => {
            let (strength, auto) = stated()?;
            let (classes, names): (PyReadonlyArray1<'_, i32>, Vec<String>) = get("labels")?.extract()?;
            let labels = Labels::with_names(classes.as_slice()?, &names).map_err(value_error)?;
            let rule = options::named("rule of labels", &get("rule")?.extract::<String>()?, &RULES)?;
            (Advice::Labels { labels, rule, strength }, auto)
        }
        "sets" => {
            let (strength, auto) = stated()?;
            (Advice::Sets { names: get("names")?.extract()?, sets: get("sets")?.extract()?, strength }, auto)
        }
        "memberships" => {
            let (strength, auto) = stated()?;
            let shares = to_matrix(&get("shares")?.extract::<PyReadonlyArray2<'_, f64>>()?)?;
            (Advice::Memberships { names: get("names")?.extract()?, shares, strength }, auto)
        }
        "references" => {
            let (strength, auto) = stated()?;
            let profiles = to_matrix(&get("profiles")?.extract::<PyReadonlyArray2<'_, f64>>()?)?;
            (Advice::References { names: get("names")?.extract()?, profiles, strength }, auto)
        }
        "links" => {
            let (strength, auto) = stated()?;
            (
                Advice::Links { must: get("must")?.extract()?, cannot: get("cannot")?.extract()?, strength },
                auto,
            )
        }
        "graph" => {
            let (strength, auto) = stated()?;
            let graph = options::graph(&get("graph")?.extract::<GraphArrays<'_>>()?)?;
            (Advice::Graph { graph, strength }, auto)
        }
        "sample weights" => (Advice::SampleWeights(get("weights")?.extract()?), false),
        "feature weights" => (Advice::FeatureWeights(get("weights")?.extract()?), false),
        "known entries" => {
            let known = to_matrix(&get("known")?.extract::<PyReadonlyArray2<'_, f64>>()?)?;
            (Advice::KnownEntries(known), false)
        }
        "known features" => {
            let (offsets, features): (PyReadonlyArray1<'_, usize>, PyReadonlyArray1<'_, u32>) =
                get("known")?.extract()?;
            let known = FeatureLists::new(offsets.as_slice()?.to_vec(), features.as_slice()?.to_vec());
            (Advice::KnownFeatures(known.map_err(value_error)?), false)
        }
        "weights of entries" => {
            let weights = to_matrix(&get("weights")?.extract::<PyReadonlyArray2<'_, f64>>()?)?;
            (Advice::EntryWeights(weights), false)
        }
        other => return Err(PyTypeError::new_err(format!("unknown kind of guidance \"{other}\""))),
    })
}
