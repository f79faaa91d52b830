//! [`SvmSettings`]: how to train, with every default and range.

/// What a violation of the margin, ξ = max(0, 1 − y w·x), costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SvmLoss {
    /// C·ξ.
    #[default]
    Hinge,
    /// C·ξ². Far violations weigh more, near ones less; on few samples of unit length it often classifies
    /// better, since C = 1 then doesn't hold every α at its bound.
    SquaredHinge,
}

/// C, the price of violations of the margin.
#[derive(Clone, Debug, PartialEq)]
pub enum Cost {
    /// The same C > 0 for every sample.
    Same(f64),
    /// Cᵢ > 0 for each sample that is trained on, in the order of the samples.
    Each(Vec<f64>),
}

/// The settings of [`train`](super::train).
///
/// | setting | default | range |
/// |---|---|---|
/// | `loss` | `SvmLoss::Hinge` | hinge, squared hinge |
/// | `cost` | `Cost::Same(1.0)` | positive, finite |
/// | `tolerance` | 1e-6 | ≥ 0; the duality gap that is allowed, as a share of the primal; 0 runs to the limit or the end of the precision |
/// | `max_passes` | 10,000 | ≥ 1; passes over the samples |
/// | `shrinking` | true | leaves out samples that sit at a bound, until the end is near |
/// | `seed` | 0 | any; the order of the samples |
#[derive(Clone, Debug, PartialEq)]
pub struct SvmSettings {
    /// What violations of the margin cost.
    pub loss: SvmLoss,
    /// C, of all samples or of each.
    pub cost: Cost,
    /// The duality gap, relative to the primal, at which training ends.
    pub tolerance: f64,
    /// The most passes over the samples.
    pub max_passes: usize,
    /// Whether samples at a bound are left out for a while.
    pub shrinking: bool,
    /// The seed of the order in which samples are visited.
    pub seed: u64,
}

impl Default for SvmSettings {
    fn default() -> Self {
        SvmSettings {
            loss: SvmLoss::Hinge,
            cost: Cost::Same(1.0),
            tolerance: 1e-6,
            max_passes: 10_000,
            shrinking: true,
            seed: 0,
        }
    }
}
