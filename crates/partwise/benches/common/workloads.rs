//! The data of the benches: made from counters, so they are the same everywhere.

use partwise::{DenseMatrix, Matrix, Real, SparseMatrix};

/// A number in [0, 1) that depends on its argument alone.
pub(crate) fn number(index: u64) -> f64 {
    let mut z = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// A positive factor.
pub(crate) fn factor<T: Real>(rows: usize, k: usize) -> Matrix<T> {
    Matrix::from_fn(rows, k, |i, c| T::from_f64(0.1 + number((i * k + c) as u64)))
}

/// n × d, uniform.
pub(crate) fn dense<T: Real>(n: usize, d: usize) -> DenseMatrix<'static, T> {
    DenseMatrix::from_matrix(factor(n, d)).expect("a shape that is not empty")
}

/// 18,846 × 24,360 with about 1.3 million entries; column j is drawn with a probability of about 1 / j, and
/// the columns are shuffled, as words of a dictionary are.
pub(crate) fn sparse<T: Real>() -> SparseMatrix<'static, T> {
    let (n, d, draws) = (18_846usize, 24_360usize, 1_590_000u64);
    let mut triplets: Vec<(u32, u32, T)> = (0..draws)
        .map(|t| {
            let rank = (d as f64).powf(number(3 * t)) as usize - 1;
            let column = rank * 10_007 % d;
            let row = (number(3 * t + 1) * n as f64) as u32;
            (row, column as u32, T::from_f64(0.1 + number(3 * t + 2)))
        })
        .collect();
    triplets.sort_by_key(|(i, j, _)| (*i, *j));
    triplets.dedup_by_key(|(i, j, _)| (*i, *j));
    SparseMatrix::from_triplets(n, d, triplets).expect("indices in range").0
}
