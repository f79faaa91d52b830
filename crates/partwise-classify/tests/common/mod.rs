//! Numbers and data for the promises.

// Each promise uses a part of this.
#![allow(dead_code)]

use partwise::{Matrix, Real, SparseMatrix};

/// A number in [0, 1) that depends on its arguments alone.
pub(crate) fn number(seed: u64, index: usize) -> f64 {
    let mut z = seed.wrapping_add((index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// The same data with only the non-zeros stored.
pub(crate) fn sparse<T: Real>(x: &Matrix<f64>) -> SparseMatrix<'static, T> {
    let (n, d) = x.shape();
    let mut triplets = Vec::new();
    for i in 0..n {
        for j in (0..d).filter(|j| x.get(i, *j) != 0.0) {
            triplets.push((i as u32, j as u32, T::from_f64(x.get(i, j))));
        }
    }
    SparseMatrix::from_triplets(n, d, triplets).unwrap().0
}
