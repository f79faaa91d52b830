//! Small dense linear algebra: the row-major [`Matrix`], and the products and decompositions that the
//! factorization needs. Nothing here knows what is being factored.

pub(crate) mod ascending;
mod conjugate;
pub(crate) mod coordinates;
pub(crate) mod differences;
pub(crate) mod gather;
pub(crate) mod gemm;
pub(crate) mod lanes;
pub(crate) mod logarithm;
pub(crate) mod ratio;
pub(crate) mod scatter;
pub(crate) mod simd;
pub(crate) mod stored;
pub(crate) mod sums;
mod symmetry;

pub use conjugate::conjugate_gradients;
pub use gemm::symmetric_eigen;
pub(crate) use symmetry::asymmetry_allowed;
pub use symmetry::symmetric_mean;
