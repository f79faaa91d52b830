//! [`NameIndex`]: the one table in which readers look names up.

use std::collections::HashMap;

use crate::text::{did_you_mean, nearest};

/// Comparing with more names than these takes too long for a message.
const COMPARED: usize = 50_000;

/// Names by their places.
#[derive(Default)]
pub(crate) struct NameIndex<'a> {
    names: &'a [String],
    places: HashMap<&'a str, Found>,
}

/// Where a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Here only.
    Once(usize),
    /// In several places, of which these are the first two.
    Repeated(usize, usize),
}

impl<'a> NameIndex<'a> {
    pub(crate) fn new(names: &'a [String]) -> Self {
        let mut places: HashMap<&str, Found> = HashMap::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            let again = |found: &mut Found| {
                if let Found::Once(first) = *found {
                    *found = Found::Repeated(first, at);
                }
            };
            places.entry(name.as_str()).and_modify(again).or_insert(Found::Once(at));
        }
        NameIndex { names, places }
    }

    pub(crate) fn find(&self, name: &str) -> Option<Found> {
        self.places.get(name).copied()
    }

    /// Whether there are names, and all of them fulfil this.
    pub(crate) fn all(&self, is: impl Fn(&str) -> bool) -> bool {
        !self.names.is_empty() && self.names.iter().all(|name| is(name))
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// The first name that comes again, and its first two places.
    pub(crate) fn repeated(&self) -> Option<(&'a str, usize, usize)> {
        let twice = |name: &'a String| match self.find(name) {
            Some(Found::Repeated(first, second)) => Some((name.as_str(), first, second)),
            _ => None,
        };
        self.names.iter().filter_map(twice).min_by_key(|(_, _, second)| *second)
    }

    fn compared(&self) -> Vec<&'a str> {
        self.names.iter().take(COMPARED).map(String::as_str).collect()
    }

    /// `" (nearest: \"goal\")"`, or nothing.
    pub(crate) fn near(&self, name: &str) -> String {
        nearest(name, self.compared()).map_or(String::new(), |near| format!(" (nearest: \"{near}\")"))
    }

    /// `, did you mean "goal"?` for the nearest name, or a semicolon.
    pub(crate) fn did_you_mean(&self, name: &str) -> String {
        did_you_mean(name, &self.compared())
    }
}
