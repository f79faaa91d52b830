//! [`Advice`]: one thing that is known. Its kinds, with the names that messages and documents use.

use serde::{Deserialize, Serialize};

use super::document::{self, rows};
use super::{CodeReference, ComponentReference, LabelTargets, Labels, Scorer, Spread, Strength};
use crate::foundation::{Error, Matrix, Result};
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

impl LabelRule {
    /// Every rule, the default first.
    pub const ALL: [LabelRule; 3] = [LabelRule::Components, LabelRule::SameCodes, LabelRule::View];

    /// `"components"`, `"same-codes"` or `"view"`.
    pub fn name(self) -> &'static str {
        match self {
            LabelRule::Components => "components",
            LabelRule::SameCodes => "same-codes",
            LabelRule::View => "view",
        }
    }

    /// The rule with this name.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the valid names.
    pub fn from_name(name: &str) -> Result<Self> {
        Error::choose("rule of labels", name, LabelRule::ALL.map(|rule| (rule.name(), rule)))
    }
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

    /// The kinds in the order in which items are taken, by the names that messages and documents use.
    #[doc(hidden)]
    pub const KINDS: [&str; 16] = [
        "labels",
        "sets",
        "memberships",
        "references",
        "links",
        "graph",
        "sample weights",
        "known entries",
        "known features",
        "weights of entries",
        "feature weights",
        "reference codes",
        "reference components",
        "label targets",
        "spread",
        "scorer",
    ];

    /// Its place among [`Advice::KINDS`].
    pub(super) fn place(&self) -> usize {
        match self {
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
            Advice::Spread(_) => 14,
            Advice::Scorer(_) => 15,
        }
    }

    /// Its kind, for messages.
    pub fn kind(&self) -> &'static str {
        Advice::KINDS[self.place()]
    }

    /// The strength that it has where none is stated, and from which [`Strength::Auto`] is searched.
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
        match self {
            Advice::Labels { strength, .. }
            | Advice::Sets { strength, .. }
            | Advice::Memberships { strength, .. }
            | Advice::References { strength, .. }
            | Advice::Links { strength, .. }
            | Advice::Graph { strength, .. }
            | Advice::Targets { strength, .. }
            | Advice::Spread(Spread { strength, .. }) => Some(*strength),
            _ => None,
        }
    }

    /// Gives it another strength, where it has one.
    #[doc(hidden)]
    pub fn set_strength(&mut self, new: Strength) {
        match self {
            Advice::Labels { strength, .. }
            | Advice::Sets { strength, .. }
            | Advice::Memberships { strength, .. }
            | Advice::References { strength, .. }
            | Advice::Links { strength, .. }
            | Advice::Graph { strength, .. }
            | Advice::Targets { strength, .. }
            | Advice::Spread(Spread { strength, .. }) => *strength = new,
            _ => {}
        }
    }

    /// The same with another strength, where it has one.
    #[must_use]
    pub fn with_strength(mut self, new: Strength) -> Self {
        self.set_strength(new);
        self
    }

    /// The names of topics that it mentions.
    pub(crate) fn names(&self) -> &[String] {
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
