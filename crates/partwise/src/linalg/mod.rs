//! Small dense linear algebra: the row-major [`Matrix`], and the products and decompositions that the
//! factorization needs. Nothing here knows what is being factored.

pub(crate) mod gemm;
mod matrix;
pub(crate) mod simd;

pub use matrix::Matrix;
