//! [`MethodOptions`]: the numbers and choices of single methods, with their defaults and ranges in one place;
//! and [`Input`]: what a method may take, by the names that it has at each front end.

use std::sync::Arc;

use crate::foundation::names;
use crate::guidance::SupportVectors;
use crate::terms::AnchorScale;

/// The step of gradient solvers on rows that stand for several samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum StepRule {
    /// Each row takes the step that its own number of samples allows (METHODS R3): never slower.
    #[default]
    OwnClass,
    /// Every row takes the step that the largest class allows, as NMF-DC is published.
    LargestClass,
}

names! {
    #[doc(hidden)]
    StepRule, "step rule", { OwnClass = "own-class", LargestClass = "largest-class" }
}

/// The numbers and choices of single methods. A method reads those that its
/// [`takes`](super::MethodSpec::takes) lists, and no other.
///
/// Names, defaults, ranges and the methods that take each: [`PARAMETERS`](super::PARAMETERS).
#[derive(Clone, Debug, PartialEq)]
pub struct MethodOptions {
    /// θ of nsNMF, δ of NMF-DC: S = (1 − θ)I + (θ/k)11ᵀ between the factors; from 0 (none) to 1.
    pub smoothing: f64,
    /// The step of gradient solvers on merged rows.
    pub step_rule: StepRule,
    /// What becomes of the free scale of reference rows (of labelled rows only with a raw strength).
    pub anchor_scale: AnchorScale,
    /// How many components each class owns; ≥ 1. Class c owns components c·p to c·p + p − 1, so that a class
    /// of several kinds of samples is not forced into one part. Above 1 the strength must be relative.
    pub components_per_class: usize,
    /// λ of NMF-α; 0 = plain NMF. Of the rows SᵀX: the notice `"margins"` reports their size relative to X.
    pub discriminative_weight: f64,
    /// C of the support vector machines, for the scale of X as it is given.
    pub cost: f64,
    /// S of NMF-α, where it is known already: no machine is trained then.
    #[doc(hidden)]
    pub support: Option<Arc<SupportVectors>>,
    /// Height p and width q of the images that the samples are, row by row; p·q = d.
    pub image_shape: Option<(usize, usize)>,
    /// μ of a symmetric method: how strongly its two factors are drawn to each other, in the papers (max S)².
    /// One factor that comes twice when absent.
    pub coupling: Option<f64>,
}

impl Default for MethodOptions {
    fn default() -> Self {
        MethodOptions {
            smoothing: 0.3,
            step_rule: StepRule::OwnClass,
            anchor_scale: AnchorScale::Joint,
            components_per_class: 1,
            discriminative_weight: 1.0,
            cost: 1.0,
            support: None,
            image_shape: None,
            coupling: None,
        }
    }
}

/// What a method may take: guidance of a kind, or an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Input {
    /// Every kind of guidance at once.
    Guidance,
    /// One class for some of the samples.
    Labels,
    /// Several labels for some of the samples.
    LabelSets,
    /// Labels as numbers.
    LabelTargets,
    /// Reference codes, with a weight for each sample.
    CodeReference,
    /// Reference components, with a weight for each.
    ComponentReference,
    /// A graph over the samples.
    Graph,
    /// Which entries of the data are known.
    KnownEntries,
    /// [`MethodOptions::smoothing`].
    Smoothing,
    /// [`MethodOptions::step_rule`].
    StepRule,
    /// [`MethodOptions::anchor_scale`].
    AnchorScale,
    /// [`MethodOptions::components_per_class`].
    ComponentsPerClass,
    /// [`MethodOptions::discriminative_weight`].
    DiscriminativeWeight,
    /// [`MethodOptions::cost`].
    Cost,
    /// [`MethodOptions::image_shape`].
    ImageShape,
    /// [`MethodOptions::coupling`].
    Coupling,
}

impl Input {
    /// Its name in Python and in documents; the command line writes it with hyphens.
    pub fn name(self) -> &'static str {
        match self {
            Input::Guidance => "guidance",
            Input::Labels => "labels",
            Input::LabelSets => "label_sets",
            Input::LabelTargets => "label_targets",
            Input::CodeReference => "code_reference",
            Input::ComponentReference => "reference",
            Input::Graph => "graph",
            Input::KnownEntries => "known_entries",
            Input::Smoothing => "smoothing",
            Input::StepRule => "step_rule",
            Input::AnchorScale => "anchor_scale",
            Input::ComponentsPerClass => "components_per_class",
            Input::DiscriminativeWeight => "discriminative_weight",
            Input::Cost => "svm_cost",
            Input::ImageShape => "image_shape",
            Input::Coupling => "coupling",
        }
    }
}
