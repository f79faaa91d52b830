//! Fields of a model's document, typed: names, and what is needed beside the components to encode new rows.

use std::path::Path;

use partwise::recipes::ShareOf;
use partwise::{Encoding, Loss};
use serde_json::{Value, json};

use crate::documents::Vocabulary;
use crate::error::{IoError, Place, Result};
use crate::model::ModelFile;

/// What is needed, beside the components, to encode new rows.
pub fn encoding_json(encoding: &Encoding) -> Value {
    let mut document = json!({
        "ridge": encoding.ridge,
        "linear": encoding.linear,
        "smoothing": encoding.smoothing,
    });
    if let Some(weights) = &encoding.feature_weights {
        document["feature_weights"] = json!(weights);
    }
    document
}

/// The field with the topics of the components.
const TOPICS: &str = "component_topics";

impl ModelFile {
    /// The value of a field such as `"settings.loss"`; null counts as missing.
    pub fn field(&self, name: &str) -> Option<&Value> {
        let mut keys = name.split('.');
        let first = self.document.get(keys.next()?)?;
        keys.try_fold(first, |value, key| value.get(key)).filter(|value| !value.is_null())
    }

    /// A list of texts, such as `"feature_names"`.
    pub fn texts(&self, name: &str) -> Option<Vec<String>> {
        let list = self.field(name)?.as_array()?;
        list.iter().map(|text| text.as_str().map(str::to_string)).collect()
    }

    /// The names of its `rank` components, or numbers.
    pub fn component_names(&self, rank: usize) -> Vec<String> {
        let listed = self.texts("component_names").unwrap_or_default();
        let name = |j: usize| listed.get(j).cloned().unwrap_or_else(|| format!("part {}", j + 1));
        (0..rank).map(name).collect()
    }

    /// The topics or classes that own the first components, and how many each has; none where each component
    /// is by itself.
    pub fn topics(&self) -> Vec<(String, usize)> {
        let topic = |pair: &Value| {
            Some((pair.get(0)?.as_str()?.to_string(), usize::try_from(pair.get(1)?.as_u64()?).ok()?))
        };
        let listed = self.field(TOPICS).and_then(Value::as_array);
        listed.and_then(|pairs| pairs.iter().map(topic).collect()).unwrap_or_default()
    }

    /// Records the topics or classes that own the first components, if one of them has several.
    pub fn set_topics(&mut self, topics: &[(String, usize)]) {
        if topics.iter().any(|(_, count)| *count > 1) {
            self.document.insert(TOPICS.into(), json!(topics));
        }
    }

    /// The loss of the fit, if it is stated.
    ///
    /// # Errors
    /// When there is no such loss.
    pub fn loss(&self) -> partwise::Result<Option<Loss>> {
        self.field("settings.loss").and_then(Value::as_str).map(Loss::from_name).transpose()
    }

    /// How memberships measure a component: as in the fit, else by its loss.
    ///
    /// # Errors
    /// When there is no such measure or loss.
    pub fn shares_of(&self) -> partwise::Result<ShareOf> {
        match self.field("settings.shares_of").and_then(Value::as_str) {
            Some(name) => ShareOf::from_name(name),
            None => Ok(ShareOf::of_loss(self.loss()?.unwrap_or_default())),
        }
    }

    /// The words of a model of texts, to count them in new ones; `None` for other models.
    ///
    /// # Errors
    /// When the record of the words is damaged.
    pub fn vocabulary(&self, path: &Path) -> Result<Option<Vocabulary>> {
        let Some(record) = self.field("text") else { return Ok(None) };
        let words = self.texts("feature_names").unwrap_or_default();
        match Vocabulary::from_json(record, words) {
            Some(vocabulary) => Ok(Some(vocabulary)),
            None => {
                let message =
                    "it must have \"ngrams\", two whole numbers, and \"stop_words\", a list of texts";
                Err(IoError::malformed(path, Place::Member("text".into()), message))
            }
        }
    }

    /// What is needed, beside the components, to encode new rows.
    ///
    /// # Errors
    /// When a field is missing or no list of numbers.
    pub fn encoding(&self, path: &Path) -> Result<Encoding> {
        let numbers = |name: &str| -> Result<Vec<f64>> {
            let list = self.field(name).and_then(Value::as_array);
            let numbers = list.and_then(|list| list.iter().map(Value::as_f64).collect());
            numbers.ok_or_else(|| {
                let message = "it must be a list of numbers";
                IoError::malformed(path, Place::Member(name.into()), message)
            })
        };
        Ok(Encoding {
            ridge: numbers("encoding.ridge")?,
            linear: numbers("encoding.linear")?,
            smoothing: self.field("encoding.smoothing").and_then(Value::as_f64).unwrap_or(0.0),
            feature_weights: match self.field("encoding.feature_weights") {
                None => None,
                Some(_) => Some(numbers("encoding.feature_weights")?),
            },
        })
    }
}
