//! [`Knowledge`]: everything that is known, for whichever model asks for it.

use std::sync::Arc;

use super::{Guidance, Labels, Margins};
use crate::foundation::Matrix;
use crate::graphs::Graph;
use crate::terms::AnchorScale;

/// Reference codes: rows of W that are known, up to scale.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeReference {
    /// W_ref (n × k).
    pub reference: Matrix<f64>,
    /// m (n), ≥ 0: how strongly each row is held; it enters the objective squared. 0 = free.
    pub weight: Vec<f64>,
}

/// Reference components: rows of H that are known.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentReference {
    /// H_ref (m × d) with m ≤ k: the first m components are held to these, the rest are free.
    pub reference: Matrix<f64>,
    /// Weight (m), ≥ 0, of each component; it enters the objective squared. 0 = free.
    pub weight: Vec<f64>,
}

/// Labels as numbers: soft, several a sample, or known in part.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelTargets {
    /// Y (n × c) ≥ 0: how much each sample has of each label, 0 to 1 as a rule.
    pub targets: Matrix<f64>,
    /// M (n × c): 1 where the entry of Y is known, 0 where it is not.
    pub known: Matrix<f64>,
}

/// What the strength of labels is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum StrengthUnit {
    /// Without a unit: the anchor is measured at unit length of the components, so that a strength means the same for X and c·X and
    /// for n and 10·n samples, and growing a component can't evade it ([`Placement`](crate::terms::Placement)).
    #[default]
    Relative,
    /// The published weight m, in the unit of the components ([`RowAnchor`](crate::terms::RowAnchor)).
    Raw,
}

/// The step of gradient solvers on rows that stand for several samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum StepRule {
    /// Each row takes the step that its own number of samples allows (METHODS R3): never slower.
    #[default]
    OwnClass,
    /// Every row takes the step that the largest class allows, as NMF-DC is published.
    LargestClass,
}

/// What is known, for whichever model asks for it. Start from [`Knowledge::default`].
#[derive(Clone, Debug, PartialEq)]
pub struct Knowledge {
    /// Classes of some samples. They also serve the label-aware start and the names of the components.
    pub labels: Option<Labels>,
    /// Reference codes (WS-NMF, WS-SymNMF).
    pub code_reference: Option<CodeReference>,
    /// Labels as numbers (SSNMF); they stand in place of `labels` there.
    pub label_targets: Option<LabelTargets>,
    /// How much the labels weigh beside the data in SSNMF (λ); ≥ 0. Relative, 1 weighs ‖M∘Y‖² as much as ‖X‖². Default 1.
    pub label_weight: f64,
    /// P (n × d): 1 where the entry of X is known, 0 where it is not and X holds 0 (SSNMF). All are known when absent.
    pub known_entries: Option<Matrix<f64>>,
    /// Reference components (WS-NMF).
    pub component_reference: Option<ComponentReference>,
    /// How strongly WS-NMF and WS-SymNMF hold labelled rows to their class; ≥ 0, enters squared. Default 10.
    pub strength: f64,
    /// What the strength is measured in. Default: relative.
    pub strength_unit: StrengthUnit,
    /// How many components each class owns in WS-NMF and WS-SymNMF; ≥ 1. Class c owns components c·p to c·p + p − 1, so that a class of
    /// several kinds of samples is not forced into one part. Above 1 the strength must be relative. Default 1.
    pub components_per_class: usize,
    /// θ of nsNMF, δ of NMF-DC: S = (1 − θ)I + (θ/k)11ᵀ between the factors; from 0 (none) to 1. Default 0.3.
    pub smoothing: f64,
    /// The step of gradient solvers on merged rows (NMF-DC). Default: each row its own.
    pub step_rule: StepRule,
    /// What becomes of the free scale of reference rows (of labelled rows only with the raw unit). Default: joint.
    pub anchor_scale: AnchorScale,
    /// A graph over the samples (GNMF, SemiGNMF; beside labels and references in WS-NMF), such as that of
    /// [`neighbour_graph`](crate::graphs::neighbour_graph).
    pub graph: Option<Graph>,
    /// λ, how strongly joined samples are drawn together; ≥ 0. In the unit of the squared components for GNMF and SemiGNMF, and for
    /// WS-NMF with the raw unit; without a unit (measured at unit length of the components) for WS-NMF otherwise. Default 1.
    pub graph_weight: f64,
    /// What NMF-α preserves.
    pub margins: Margins,
    /// Height p and width q of the images that the samples are, row by row (NTF); p·q = d.
    pub image_shape: Option<(usize, usize)>,
    /// μ ≥ 0 of SymNMF and WS-SymNMF: how strongly the two factors are held near each other. Default: (max S)².
    pub coupling: Option<f64>,
    /// Everything at once (guided NMF), which reads nothing else of this.
    pub guidance: Option<Arc<Guidance>>,
}

impl Default for Knowledge {
    fn default() -> Self {
        Knowledge {
            labels: None,
            code_reference: None,
            component_reference: None,
            label_targets: None,
            known_entries: None,
            label_weight: 1.0,
            strength: 10.0,
            strength_unit: StrengthUnit::Relative,
            components_per_class: 1,
            smoothing: 0.3,
            step_rule: StepRule::OwnClass,
            anchor_scale: AnchorScale::Joint,
            graph: None,
            graph_weight: 1.0,
            margins: Margins::default(),
            image_shape: None,
            coupling: None,
            guidance: None,
        }
    }
}
