//! [`Knowledge`]: everything that is known, for whichever model asks for it.

use super::Labels;
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

/// What is known, for whichever model asks for it. Start from [`Knowledge::default`].
#[derive(Clone, Debug, PartialEq)]
pub struct Knowledge {
    /// Classes of some samples. They also serve the label-aware start and the names of the components.
    pub labels: Option<Labels>,
    /// Reference codes (WS-NMF).
    pub code_reference: Option<CodeReference>,
    /// Reference components (WS-NMF).
    pub component_reference: Option<ComponentReference>,
    /// The weight m of labelled rows in WS-NMF; ≥ 0, in the units of the codes' scale (it enters squared). Default 1.
    pub strength: f64,
    /// What becomes of the free scale of reference rows. Default: joint.
    pub anchor_scale: AnchorScale,
}

impl Default for Knowledge {
    fn default() -> Self {
        Knowledge {
            labels: None,
            code_reference: None,
            component_reference: None,
            strength: 1.0,
            anchor_scale: AnchorScale::Joint,
        }
    }
}
