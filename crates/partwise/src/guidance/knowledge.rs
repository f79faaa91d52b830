//! [`Knowledge`]: everything that is known, for whichever model asks for it.

use super::{Labels, Margins};
use crate::graphs::Graph;
use crate::linalg::Matrix;
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

/// What the strength of labels is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum StrengthUnit {
    /// Without a unit: the anchor is measured at unit length of the components, so that a strength means the same for X and c·X and
    /// for n and 10·n samples, and growing a component can't evade it ([`ClassAnchor`](crate::terms::ClassAnchor)).
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
    /// Reference codes (WS-NMF).
    pub code_reference: Option<CodeReference>,
    /// Reference components (WS-NMF).
    pub component_reference: Option<ComponentReference>,
    /// How strongly WS-NMF holds labelled rows to their class; ≥ 0, enters squared. Default 10.
    pub strength: f64,
    /// What the strength is measured in. Default: relative.
    pub strength_unit: StrengthUnit,
    /// θ of nsNMF, δ of NMF-DC: S = (1 − θ)I + (θ/k)11ᵀ between the factors; from 0 (none) to 1. Default 0.3.
    pub smoothing: f64,
    /// The step of gradient solvers on merged rows (NMF-DC). Default: each row its own.
    pub step_rule: StepRule,
    /// What becomes of the free scale of reference rows (of labelled rows only with the raw unit). Default: joint.
    pub anchor_scale: AnchorScale,
    /// A graph over the samples (GNMF, SemiGNMF), such as that of [`neighbour_graph`](crate::graphs::neighbour_graph).
    pub graph: Option<Graph>,
    /// λ, how strongly GNMF draws joined samples together; ≥ 0, in the unit of the squared components. Default 1.
    pub graph_weight: f64,
    /// What NMF-α preserves.
    pub margins: Margins,
}

impl Default for Knowledge {
    fn default() -> Self {
        Knowledge {
            labels: None,
            code_reference: None,
            component_reference: None,
            strength: 10.0,
            strength_unit: StrengthUnit::Relative,
            smoothing: 0.3,
            step_rule: StepRule::OwnClass,
            anchor_scale: AnchorScale::Joint,
            graph: None,
            graph_weight: 1.0,
            margins: Margins::default(),
        }
    }
}
