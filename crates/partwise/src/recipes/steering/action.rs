//! What can be done to a fit, and what becomes of the topics that an action does not name.

use crate::foundation::names;
use crate::guidance::Feature;

/// What can be done to a fit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// A topic gets another name.
    Rename {
        /// Its name.
        topic: String,
        /// The new one.
        to: String,
    },
    /// Two topics become one, under the first's name.
    Merge {
        /// The one that stays.
        keep: String,
        /// The one that goes into it.
        with: String,
    },
    /// A topic becomes two: its own, and a new one that starts from `seeds`, or from the samples that it
    /// explains worst.
    Split {
        /// Which.
        topic: String,
        /// The name of the new one.
        new: String,
        /// Features of the new one.
        seeds: Vec<Feature>,
    },
    /// A topic goes; its samples find others.
    Delete {
        /// Which.
        topic: String,
    },
    /// A sample belongs to a topic, exactly.
    Move {
        /// Which.
        sample: usize,
        /// Where to.
        to: String,
    },
    /// A feature counts more in a topic: it becomes a seed, or a seed of more weight.
    Raise {
        /// The topic.
        topic: String,
        /// The feature.
        feature: Feature,
        /// What the weight of the seed is multiplied by, > 0.
        by: f64,
    },
    /// A feature stays out of a topic.
    Forbid {
        /// The topic.
        topic: String,
        /// The feature.
        feature: Feature,
    },
    /// A topic's component stays as it is.
    Pin {
        /// Which.
        topic: String,
    },
}

/// What becomes of the topics that an action does not name, in the refit after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Others {
    /// Their components are pulled to what they were, as by references of strength 0.9.
    #[default]
    Tied,
    /// Their components do not change.
    Fixed,
    /// They are fitted again, and may become something else.
    Free,
}

names! { #[doc(hidden)] Others, "what becomes of other topics", { Tied = "tied", Fixed = "fixed", Free = "free" } }
