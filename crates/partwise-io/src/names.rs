//! [`DataNames`]: how files may speak of the samples and the features of the data.

use crate::text::{nearest, quoted, whole};
use partwise::guidance::Feature;
use std::collections::HashMap;

/// The samples and features of the data, with their names where they have any.
pub struct DataNames<'a> {
    n_samples: usize,
    /// `None` for a name that several samples have.
    samples: HashMap<&'a str, Option<usize>>,
    n_features: usize,
    feature_names: Option<&'a [String]>,
}

impl<'a> DataNames<'a> {
    /// For data of n samples and d features.
    pub fn new(
        n_samples: usize,
        sample_names: Option<&'a [String]>,
        n_features: usize,
        feature_names: Option<&'a [String]>,
    ) -> Self {
        let mut samples = HashMap::new();
        for (at, name) in sample_names.unwrap_or_default().iter().enumerate() {
            samples.entry(name.as_str()).and_modify(|place| *place = None).or_insert(Some(at));
        }
        DataNames { n_samples, samples, n_features, feature_names }
    }

    /// n.
    pub fn n_samples(&self) -> usize {
        self.n_samples
    }

    /// d.
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// Whether a sample, or several, has this name.
    pub fn has_sample_named(&self, text: &str) -> bool {
        self.samples.contains_key(text)
    }

    /// The sample of this name, or of this number where no sample is named so.
    ///
    /// # Errors
    /// A sentence that says what is valid.
    pub fn sample(&self, text: &str) -> Result<usize, String> {
        let given = quoted(text.as_bytes());
        match self.samples.get(text) {
            Some(Some(at)) => return Ok(*at),
            Some(None) => return Err(format!("several samples are named {given}; use its number")),
            None => {}
        }
        let range = format!("0..{}", self.n_samples);
        match whole(text.as_bytes()) {
            Some(at) if at < self.n_samples as u64 => Ok(at as usize),
            Some(at) => Err(format!("there is no sample {at}; numbers are in {range}")),
            None if self.samples.is_empty() => Err(format!(
                "{given} is not a sample; the data have no names of samples, so it must be a number in {range}"
            )),
            None => {
                let names: Vec<&str> = self.samples.keys().copied().collect();
                let near = nearest(text, &names).map_or(";".into(), |n| format!(", did you mean \"{n}\"?"));
                Err(format!(
                    "no sample is named {given}{near} valid: a name of the data, or a number in {range}"
                ))
            }
        }
    }

    /// The feature of this name. A name that the data don't have is allowed, for the fit reports and leaves it out; without any names of
    /// features it must be a number.
    ///
    /// # Errors
    /// A sentence that says what is valid.
    pub fn feature(&self, text: &str) -> Result<Feature, String> {
        if self.feature_names.is_some() {
            return Ok(Feature::Name(text.into()));
        }
        match whole(text.as_bytes()) {
            Some(column) => self.column(column),
            None => Err(format!(
                "{} is not a feature; the data have no names of features (give them with --feature-names), so it must be a number in 0..{}",
                quoted(text.as_bytes()),
                self.n_features
            )),
        }
    }

    /// The feature in this column.
    ///
    /// # Errors
    /// A sentence that says what is valid.
    pub fn column(&self, column: u64) -> Result<Feature, String> {
        match column < self.n_features as u64 {
            true => Ok(Feature::Index(column as usize)),
            false => Err(format!("there is no feature {column}; numbers are in 0..{}", self.n_features)),
        }
    }
}
