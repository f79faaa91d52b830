//! Data for the tests of the comparison methods.

use partwise::{DenseMatrix, SparseMatrix};

/// Three groups of samples, each with its own features and some noise; and the true classes.
pub(crate) fn groups(
    per_group: usize,
    seed: u64,
) -> (DenseMatrix<'static, f64>, SparseMatrix<'static, f64>, Vec<i32>) {
    let (n, d) = (3 * per_group, 12);
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let classes: Vec<i32> = (0..n).map(|i| (i % 3) as i32).collect();
    let mut values = Vec::with_capacity(n * d);
    for class in &classes {
        for j in 0..d {
            let own = j / 4 == *class as usize;
            let noise = next();
            values.push(if own {
                3.0 + noise
            } else if noise > 0.7 {
                noise
            } else {
                0.0
            });
        }
    }
    let triplets = values.iter().enumerate().filter(|(_, x)| **x != 0.0);
    let triplets = triplets.map(|(at, x)| ((at / d) as u32, (at % d) as u32, *x)).collect();
    let sparse = SparseMatrix::from_triplets(n, d, triplets).expect("the places are inside").0;
    (DenseMatrix::new(n, d, values).expect("the shape fits"), sparse, classes)
}
