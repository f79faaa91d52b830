//! [`Shape`]: sizes of the data, without the data.

/// What a model may know of the data: number of samples, features and components, and sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// n.
    pub samples: usize,
    /// d.
    pub features: usize,
    /// k.
    pub rank: usize,
    /// The largest entry of X.
    pub largest: f64,
    /// ‖X‖².
    pub squared_norm: f64,
    /// ΣX.
    pub sum: f64,
}
