//! [`Topic`]: a named part with the features that belong to it, and how documents write it.

use serde::{Deserialize, Serialize};

use super::Strength;
use crate::foundation::{Error, Result};

/// How many components each class has that labels name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentsPerClass {
    /// So many, 1 or more.
    Number(usize),
    /// As many as predict held-out samples of the class clearly better than fewer do, 1 to 4.
    Auto,
}

impl Default for ComponentsPerClass {
    fn default() -> Self {
        ComponentsPerClass::Number(1)
    }
}

impl ComponentsPerClass {
    /// From a number or `"auto"`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for anything else.
    pub fn from_text(text: &str) -> Result<Self> {
        match (text, text.parse()) {
            ("auto", _) => Ok(ComponentsPerClass::Auto),
            (_, Ok(number)) if number > 0 => Ok(ComponentsPerClass::Number(number)),
            _ => Err(Error::out_of_range(
                "the components per class",
                text,
                "a whole number of 1 or more, or \"auto\"",
            )),
        }
    }
}

/// A feature, by number or by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(untagged, expecting = "a feature is no name or column")]
pub enum Feature {
    /// Its column, from 0.
    Index(usize),
    /// Its name among [`Guidance::feature_names`](super::Guidance::feature_names). A name that is not there
    /// is reported and left out.
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
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(from = "SeedText", into = "SeedText")]
pub struct Seed {
    /// Which.
    pub feature: Feature,
    /// Multiplies its cost, its part in the start, and the weight that it keeps in the topic; > 0, default 1.
    pub weight: f64,
}

/// A named part. Topics keep their order and their names; they are never merged or dropped.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(from = "TopicText")]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// Components that it has, ≥ 1: several where a topic looks in several ways. Default 1.
    pub components: usize,
    /// Features that belong to it. A feature may seed several topics; one that comes several times in a topic
    /// counts once, with its largest weight.
    pub seeds: Vec<Seed>,
    /// How strongly its seeds are kept out of what they don't seed, and (at half of σ, firmly at most) how
    /// strongly the topic keeps them at the weight that they have in the samples that hold them. Default
    /// [`Strength::FIRM`].
    pub strength: Strength,
    /// Features that must stay out of it; held exactly.
    pub forbidden: Vec<Feature>,
}

impl Topic {
    /// The fields of its schema.
    #[doc(hidden)]
    pub const FIELDS: &[&str] = &["name", "components", "seeds", "strength", "forbidden"];

    /// Refuses a strength that its seeds cannot have in any fit.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] and [`Error::Incompatible`].
    #[doc(hidden)]
    pub fn check_strength(&self) -> Result<()> {
        self.strength.check_range(&format!("the strength of topic \"{}\"", self.name))?;
        match self.strength.is_raw() {
            false => Ok(()),
            true => Err(Error::incompatible(
                format!("a raw strength for the seeds of topic \"{}\"", self.name),
                "seeds have no published weight",
                ["a strength from 0 (ignored) to 1 (fixed exactly)", "\"auto\""],
            )),
        }
    }

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

/// A seed as it is written.
#[derive(Deserialize, Serialize)]
#[serde(untagged, expecting = "a seed is no feature (a name or a column) and no pair [feature, weight]")]
enum SeedText {
    Weighted(Feature, f64),
    Plain(Feature),
}

impl From<SeedText> for Seed {
    fn from(text: SeedText) -> Self {
        match text {
            SeedText::Weighted(feature, weight) => Seed { feature, weight },
            SeedText::Plain(feature) => Seed { feature, weight: 1.0 },
        }
    }
}

impl From<Seed> for SeedText {
    fn from(seed: Seed) -> Self {
        SeedText::Weighted(seed.feature, seed.weight)
    }
}

/// A topic as it is written.
#[derive(Deserialize)]
struct TopicText {
    name: String,
    components: Option<counts::Count>,
    #[serde(default)]
    seeds: Vec<Seed>,
    strength: Option<Strength>,
    #[serde(default)]
    forbidden: Vec<Feature>,
}

impl From<TopicText> for Topic {
    fn from(text: TopicText) -> Self {
        let plain = Topic::new(text.name);
        Topic {
            components: text.components.map_or(plain.components, |count| count.0),
            seeds: text.seeds,
            strength: text.strength.unwrap_or(plain.strength),
            forbidden: text.forbidden,
            ..plain
        }
    }
}

mod counts {
    use serde::de::{Deserialize, Deserializer, Error};

    /// A whole number of 1 or more.
    pub(super) struct Count(pub(super) usize);

    impl<'de> Deserialize<'de> for Count {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let fault = |found: &dyn std::fmt::Display| {
                D::Error::custom(format!("components is {found}, but must be a whole number of 1 or more"))
            };
            let count = f64::deserialize(deserializer).map_err(|error| fault(&error))?;
            // Up to here whole numbers are exact.
            let whole = count.fract() == 0.0 && (1.0..=9e15).contains(&count);
            whole.then_some(Count(count as usize)).ok_or_else(|| fault(&count))
        }
    }
}
