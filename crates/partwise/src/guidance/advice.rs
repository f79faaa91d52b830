//! [`Advice`]: one thing that is known. Its kinds, with the names that messages and documents use.

use serde::{Deserialize, Serialize};

use super::document::{self, rows};
use super::{CodeReference, ComponentReference, LabelTargets, Labels, Scorer, Spread, Strength};
use crate::foundation::{Error, Matrix, Result, names};
use crate::graphs::Graph;
use crate::terms::FeatureLists;

/// What a label says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
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

names! {
    LabelRule, "rule of labels", { Components = "components", SameCodes = "same-codes", View = "view" }
}

/// One thing that is known. `names` are topics; one that was not named before becomes a topic after the
/// others.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(tag = "kind")]
#[non_exhaustive]
pub enum Advice {
    /// One topic for some of the samples, by the names of the labels.
    #[serde(rename = "labels")]
    Labels {
        /// One a sample.
        #[serde(flatten)]
        labels: Labels,
        /// What they say.
        #[serde(default)]
        rule: LabelRule,
        /// Default [`Strength::FIRM`].
        #[serde(default = "Strength::unstated")]
        strength: Strength,
    },
    /// For some of the samples the topics that they may be made of: several labels a sample, closed sets.
    #[serde(rename = "sets")]
    Sets {
        /// The topics that the numbers mean.
        names: Vec<String>,
        /// For each sample its topics, as numbers of `names`; `None` where nothing is known.
        #[serde(flatten, with = "document::sets")]
        sets: Vec<Option<Vec<u32>>>,
        /// Default [`Strength::FIRM`].
        #[serde(default = "Strength::unstated")]
        strength: Strength,
    },
    /// Soft memberships: how a sample is shared between topics, up to its size.
    #[serde(rename = "memberships")]
    Memberships {
        /// The topics of the columns.
        names: Vec<String>,
        /// Shares (n × topics) ≥ 0; NaN where nothing is known. A row of NaN is free.
        #[serde(with = "rows", default = "rows::none", skip_serializing_if = "rows::is_empty")]
        shares: Matrix<f64>,
        /// Default [`Strength::FIRM`].
        #[serde(default = "Strength::unstated")]
        strength: Strength,
    },
    /// Profiles of components, of any origin: last month's model, known spectra, signatures. Up to their
    /// size, but for held and raw ones.
    #[serde(rename = "references")]
    References {
        /// The topic of each profile. A topic with several components takes several profiles, in order.
        names: Vec<String>,
        /// Profiles (one row each, d columns) ≥ 0.
        #[serde(with = "rows", default = "rows::none", skip_serializing_if = "rows::is_empty")]
        profiles: Matrix<f64>,
        /// Default [`Strength::FIRM`]; with `Relative(0)` they are only started from.
        #[serde(default = "Strength::unstated")]
        strength: Strength,
    },
    /// Pairs of samples that belong together, and pairs that belong apart.
    #[serde(rename = "links")]
    Links {
        /// Together.
        #[serde(default)]
        must: Vec<(usize, usize)>,
        /// Apart.
        #[serde(default)]
        cannot: Vec<(usize, usize)>,
        /// Default [`Strength::FIRM`]. Held: must-links share one row of codes; cannot-links need the recipe
        /// [`fit_guided`](crate::recipes::fit_guided).
        #[serde(default = "Strength::unstated")]
        strength: Strength,
    },
    /// Samples that are joined have similar codes.
    #[serde(rename = "graph")]
    Graph {
        /// Over the samples.
        #[serde(flatten, with = "document::graph")]
        graph: Graph,
        /// Default [`Strength::LIGHT`]; 1 is refused.
        #[serde(default = "Strength::unstated")]
        strength: Strength,
    },
    /// How much each sample (n) counts in the fit, ≥ 0; what is known of it counts as much, what is known of
    /// a pair as the root of the product of both weights.
    #[serde(rename = "sample weights", with = "document::weights")]
    SampleWeights(Vec<f64>),
    /// How much each feature (d) counts in the fit, ≥ 0: its part of the loss is multiplied by it. References
    /// and seeds are compared at these weights too; components come back without them. A feature of weight 0
    /// is ignored, and 0 in every component.
    #[serde(rename = "feature weights", with = "document::weights")]
    FeatureWeights(Vec<f64>),
    /// 1 where the entry of X (n × d) is known, 0 where it is not and X holds 0.
    #[serde(rename = "known entries", with = "document::entries")]
    KnownEntries(Matrix<f64>),
    /// The known features of each sample, ascending; X holds 0 in all others, which are not known: ratings,
    /// where what nobody rated is no zero. Takes the room of the known entries, and k × k numbers a sample
    /// and a feature.
    #[serde(rename = "known features", with = "document::lists")]
    KnownFeatures(FeatureLists),
    /// How much each entry of X (n × d) counts, ≥ 0; 0 for one that is not known, 1 for one as it is.
    #[serde(rename = "weights of entries", with = "document::entries")]
    EntryWeights(Matrix<f64>),
    /// Reference codes by the number of the component, with raw weights (WS-NMF, WS-SymNMF).
    #[serde(rename = "reference codes")]
    CodeReference(CodeReference),
    /// Reference components by their number, with raw weights (WS-NMF).
    #[serde(rename = "reference components")]
    ComponentReference(ComponentReference),
    /// Labels as numbers, which the codes explain linearly beside the data (SSNMF).
    #[serde(rename = "label targets")]
    Targets {
        /// Y and what of it is known.
        #[serde(flatten)]
        targets: LabelTargets,
        /// Default [`Strength::EVEN`].
        #[serde(default = "Strength::unstated")]
        strength: Strength,
    },
    /// What a classifier derives from the labels for the samples without one. No user says it: reports keep
    /// it apart.
    #[serde(rename = "spread")]
    Spread(Spread),
    /// How a classifier scores the topics of new samples. A fit does not use it.
    #[serde(rename = "scorer")]
    Scorer(Scorer),
}

/// Something of the strength of an item, if it has one.
macro_rules! with_strength {
    ($item:expr, $strength:ident => $out:expr) => {
        match $item {
            Advice::Labels { strength: $strength, .. }
            | Advice::Sets { strength: $strength, .. }
            | Advice::Memberships { strength: $strength, .. }
            | Advice::References { strength: $strength, .. }
            | Advice::Links { strength: $strength, .. }
            | Advice::Graph { strength: $strength, .. }
            | Advice::Targets { strength: $strength, .. }
            | Advice::Spread(Spread { strength: $strength, .. }) => Some($out),
            _ => None,
        }
    };
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

    /// The strength that it has where none is stated, and from which [`Strength::Auto`] is searched.
    #[doc(hidden)]
    pub fn default_strength(&self) -> Strength {
        match self {
            Advice::Labels { rule: LabelRule::SameCodes, .. } => Strength::HELD,
            Advice::Graph { .. } => Strength::LIGHT,
            Advice::Targets { .. } => Strength::EVEN,
            _ => Strength::FIRM,
        }
    }

    /// Its strength, if it has one.
    pub fn strength(&self) -> Option<Strength> {
        with_strength!(self, strength => *strength)
    }

    /// Its strength, if it can have it in a single fit; `what` it is called.
    pub(crate) fn strength_in_fit(&self, what: &str) -> Result<Strength> {
        let strength = self.strength().unwrap_or(Strength::FIRM);
        strength.check(what)?;
        self.check_strength().map(|()| strength)
    }

    /// Refuses a strength that it cannot have in any fit.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] and [`Error::Incompatible`].
    #[doc(hidden)]
    pub fn check_strength(&self) -> Result<()> {
        let Some(strength) = self.strength() else { return Ok(()) };
        strength.check_range(&format!("the strength of the {}", self.kind()))?;
        let refused = |asked: &str, reason: &str, valid: &[&str]| {
            Err(Error::incompatible(format!("{} {asked}", self.kind()), reason, valid.iter().copied()))
        };
        match self {
            Advice::Labels { rule: LabelRule::SameCodes, .. }
                if ![Strength::HELD, Strength::Relative(0.0)].contains(&strength) =>
            {
                refused(
                    "with the rule \"same-codes\" and a strength between 0 and 1",
                    "samples either share one row of codes or do not",
                    &["strength 1", "strength 0", "labels with the rule \"components\""],
                )
            }
            Advice::Labels { rule: LabelRule::View, .. } | Advice::Targets { .. } if strength.is_held() => {
                refused(
                    "with strength 1 that the codes explain",
                    "the codes explain labels linearly, which has no exact form",
                    &["a strength below 1", "labels with the rule \"components\""],
                )
            }
            Advice::Graph { .. } if strength.is_held() => refused(
                "with strength 1",
                "connected samples would all be equal",
                &["a strength below 1", "must-links"],
            ),
            Advice::Sets { .. } | Advice::Links { .. } | Advice::Spread(_) if strength.is_raw() => {
                refused("with a raw strength", "no paper has a weight for them", &["a strength from 0 to 1"])
            }
            _ => Ok(()),
        }
    }

    /// Gives it another strength, where it has one.
    #[doc(hidden)]
    pub fn set_strength(&mut self, new: Strength) {
        let _ = with_strength!(self, strength => *strength = new);
    }

    /// The same with another strength, where it has one.
    #[must_use]
    pub fn with_strength(mut self, new: Strength) -> Self {
        self.set_strength(new);
        self
    }

    /// Gives it the default strength if none is stated.
    pub(super) fn state_strength(&mut self) {
        if self.strength().is_some_and(|strength| !strength.is_stated()) {
            self.set_strength(self.default_strength());
        }
    }

    /// Gives it names of topics, where it has some.
    #[doc(hidden)]
    pub fn set_names(&mut self, new: Vec<String>) {
        if let Advice::Sets { names, .. }
        | Advice::Memberships { names, .. }
        | Advice::References { names, .. } = self
        {
            *names = new;
        }
    }

    /// The names of topics that it mentions.
    #[doc(hidden)]
    pub fn names(&self) -> &[String] {
        match self {
            Advice::Labels { labels, .. } => labels.names(),
            Advice::Sets { names, .. }
            | Advice::Memberships { names, .. }
            | Advice::References { names, .. }
            | Advice::Spread(Spread { names, .. }) => names,
            _ => &[],
        }
    }
}
