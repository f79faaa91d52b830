//! [`DataNames`]: the names by which files refer to samples and features.

use crate::matching::are_places;
use crate::name_index::{Found, NameIndex};
use crate::text::{quoted, whole};
use partwise::guidance::{Axis, Feature};

/// The samples and features of the data, with their names where they have any. Names 0, 1, 2, ... in this
/// order are none.
pub struct DataNames<'a> {
    samples: Names<'a>,
    features: Names<'a>,
}

/// How something was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// It has this name.
    Name,
    /// Nothing has this name; it is the one of this number.
    Number,
}

/// The names of samples, or of features.
struct Names<'a> {
    one: &'static str,
    count: usize,
    /// The names as they were given.
    given: Option<&'a [String]>,
    /// The same, but for names that are only the places.
    listed: Option<&'a [String]>,
    index: NameIndex<'a>,
    /// Whether every name is a number.
    are_numbers: bool,
}

impl<'a> Names<'a> {
    fn new(one: &'static str, count: usize, names: Option<&'a [String]>) -> Self {
        let listed = names.filter(|names| !are_places(names));
        let index = NameIndex::new(listed.unwrap_or_default());
        let are_numbers =
            listed.is_some_and(|names| names.iter().all(|name| whole(name.as_bytes()).is_some()));
        Names { one, count, given: names, listed, index, are_numbers }
    }

    /// The place of what has this name.
    fn named(&self, name: &str) -> Result<Option<usize>, String> {
        match self.index.find(name) {
            None => Ok(None),
            Some(Found::Once(at)) => Ok(Some(at)),
            Some(Found::Repeated(first, second)) => Err(format!(
                "several {0}s are named {1}, numbers {first} and {second} (counted from 0); rename one of them",
                self.one,
                quoted(name.as_bytes())
            )),
        }
    }

    /// A number that is no name.
    fn numbered(&self, at: u64) -> Result<usize, String> {
        let one = self.one;
        if self.are_numbers {
            let near = self.index.near(&at.to_string());
            return Err(format!(
                "the names of the {one}s are numbers, and {at} is not one of them{near}; give a name of the \
                data"
            ));
        }
        match at < self.count as u64 {
            true => Ok(at as usize),
            false => Err(format!("there is no {one} {at}; numbers are in 0..{}", self.count)),
        }
    }

    /// As [`Names::numbered`] for a number that was given as one, where texts would be names.
    fn meant_by(&self, number: u64) -> Result<usize, String> {
        let Some(named) = self.named(&number.to_string())? else { return self.numbered(number) };
        let own = self.listed.and_then(|names| names.get(number as usize)).filter(|_| named as u64 != number);
        match own {
            None => Ok(named),
            Some(own) => Err(format!(
                "{number} is the name of {one} number {named}, and {one} number {number} is named \"{own}\"; \
                write the name in quotes",
                one = self.one
            )),
        }
    }
}

impl<'a> DataNames<'a> {
    /// For data of n samples and d features.
    pub fn new(
        n_samples: usize,
        sample_names: Option<&'a [String]>,
        n_features: usize,
        feature_names: Option<&'a [String]>,
    ) -> Self {
        DataNames {
            samples: Names::new("sample", n_samples, sample_names),
            features: Names::new("feature", n_features, feature_names),
        }
    }

    /// For data of n samples, if files do not refer to features.
    pub fn of_samples(n_samples: usize, sample_names: Option<&'a [String]>) -> Self {
        DataNames::new(n_samples, sample_names, 0, None)
    }

    /// For a table that names a sample in each row.
    pub(crate) fn lookup(&self) -> Lookup<'_, 'a> {
        Lookup { names: self, by_name: None, by_number: None }
    }

    /// The names of the samples as they were given, or of the features, for tables that are matched by name.
    pub(crate) fn given(&self, axis: Axis) -> Option<&'a [String]> {
        match axis {
            Axis::Samples => self.samples.given,
            Axis::Features => self.features.given,
            _ => None,
        }
    }

    /// The place of the sample or feature of this name; `None` for a name of a feature that the data do not
    /// have.
    pub(crate) fn place(&self, axis: Axis, name: &str) -> Result<Option<usize>, String> {
        match axis {
            Axis::Samples => self.sample(name).map(Some),
            _ if self.features.listed.is_some() => self.features.named(name),
            _ => match self.feature(name)? {
                Feature::Index(at) => Ok(Some(at)),
                Feature::Name(_) => Ok(None),
            },
        }
    }

    /// n.
    pub fn n_samples(&self) -> usize {
        self.samples.count
    }

    /// d.
    pub fn n_features(&self) -> usize {
        self.features.count
    }

    /// The sample of this name, or of this number where no sample is named so.
    ///
    /// # Errors
    /// A sentence that states what is valid.
    pub fn sample(&self, text: &str) -> Result<usize, String> {
        self.found_sample(text).map(|(at, _)| at)
    }

    /// As [`DataNames::sample`], and whether it is a name.
    ///
    /// # Errors
    /// As [`DataNames::sample`].
    pub fn found_sample(&self, text: &str) -> Result<(usize, FoundBy), String> {
        if let Some(at) = self.samples.named(text)? {
            return Ok((at, FoundBy::Name));
        }
        let (given, range) = (quoted(text.as_bytes()), format!("0..{}", self.samples.count));
        match (whole(text.as_bytes()), self.samples.listed) {
            (Some(at), _) => self.samples.numbered(at).map(|at| (at, FoundBy::Number)),
            (None, None) => Err(format!(
                "{given} is not a sample; the data have no names of samples, so it must be a number in {range}"
            )),
            (None, Some(_)) => {
                let near = self.samples.index.did_you_mean(text);
                Err(format!(
                    "no sample is named {given}{near} valid: a name of the data, or a number in {range}"
                ))
            }
        }
    }

    /// The names of the samples, where they have some.
    pub fn sample_names(&self) -> Option<&'a [String]> {
        self.samples.listed
    }

    /// Whether the samples have names.
    pub fn has_sample_names(&self) -> bool {
        self.samples.listed.is_some()
    }

    /// The sample of this number, which was given as a number and not as text.
    ///
    /// # Errors
    /// A sentence: there is none, or the number is the name of another sample.
    pub fn sample_number(&self, number: u64) -> Result<usize, String> {
        self.samples.meant_by(number)
    }

    /// The feature of this name. A name that the data don't have is allowed, for the fit reports and leaves
    /// it out; without any names of features it must be a number.
    ///
    /// # Errors
    /// A sentence that states what is valid.
    pub fn feature(&self, text: &str) -> Result<Feature, String> {
        if self.features.listed.is_some() {
            return Ok(Feature::Name(text.into()));
        }
        match whole(text.as_bytes()) {
            Some(column) => self.features.numbered(column).map(Feature::Index),
            None => Err(format!(
                "{} is not a feature; the data have no names of features (give them with --feature-names), so it must be a number in 0..{}",
                quoted(text.as_bytes()),
                self.features.count
            )),
        }
    }

    /// The feature in this column, which was given as a number and not as text.
    ///
    /// # Errors
    /// A sentence: there is none, or the number is the name of another feature.
    pub fn column(&self, column: u64) -> Result<Feature, String> {
        self.features.meant_by(column).map(Feature::Index)
    }
}

/// Samples of the rows of one table: numbers are names in all of them, or in none.
pub(crate) struct Lookup<'n, 'a> {
    names: &'n DataNames<'a>,
    /// The first number that is a name.
    by_name: Option<String>,
    /// The first number that is none.
    by_number: Option<String>,
}

impl Lookup<'_, '_> {
    pub(crate) fn sample(&mut self, text: &str) -> Result<usize, String> {
        let n = self.names.n_samples();
        let Some(number) = whole(text.as_bytes()) else {
            return match text.parse::<i128>() {
                Ok(_) => Err(format!("the index {text} must be in 0..{n} (the data have {n} samples)")),
                Err(_) if !self.names.has_sample_names() => Err(format!(
                    "the index {} is not a whole number, and the data have no names of samples",
                    quoted(text.as_bytes())
                )),
                Err(_) => self.names.sample(text),
            };
        };
        let found = match self.names.samples.named(text)? {
            Some(at) => {
                self.by_name.get_or_insert_with(|| text.to_string());
                at
            }
            None if number < n as u64 => {
                self.by_number.get_or_insert_with(|| text.to_string());
                number as usize
            }
            None => {
                let near = self.names.samples.index.near(text);
                return Err(format!(
                    "the index {number} must be in 0..{n} (the data have {n} samples), or the name of a sample{near}"
                ));
            }
        };
        match (&self.by_name, &self.by_number) {
            (Some(name), Some(number)) => {
                Err(format!("{name} is a sample name, but {number} is a position; give all samples by name"))
            }
            _ => Ok(found),
        }
    }

    /// The notice for samples that have names but were given by number.
    pub(crate) fn note(&self, what: &str) -> Option<String> {
        (self.by_number.is_some() && self.names.has_sample_names())
            .then(|| format!("the {what} refer to samples by number, counted from 0, not by name"))
    }
}
