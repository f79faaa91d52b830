//! The largest eigenvalues of a symmetric operator that is known by its products: whole for small ones, else
//! by a block Krylov iteration, restarted with what a Chebyshev polynomial leaves of the best vectors so far.
//!
//! The polynomial is small between the lower end of the spectrum and the first eigenvalue that is not wanted,
//! and grows fast above: graphs with long thin clusters have eigenvalues that differ by 1e-4 only, which
//! powers can't tell apart. Reference: Y. Zhou, Y. Saad, M. L. Tiago, J. R. Chelikowsky,
//! "Self-consistent-field calculations using Chebyshev-filtered subspace iteration", Journal of Computational
//! Physics 219, 2006, doi 10.1016/j.jcp.2006.03.017.

use partwise::Matrix;
use partwise::internals::symmetric_eigen;

use super::rows::dot;
use crate::draw::{generator, uniform};

/// Up to this size the matrix is formed and decomposed whole.
const WHOLE: usize = 400;
/// Blocks in the basis of one round, and rounds.
const DEPTH: usize = 3;
const ROUNDS: usize = 60;
/// The highest degree of the polynomial, and the logarithm of how much more it may amplify the first vector
/// than the last: more would drown the last in the rounding of the first.
const MOST_DEGREE: f64 = 50.0;
const MOST_GROWTH: f64 = 18.0;
/// The residual, relative to the largest eigenvalue, at which the iteration ends.
const TOLERANCE: f64 = 1e-9;

/// What [`largest_eigenpairs`] finds.
pub(super) struct Eigenpairs {
    /// Descending (k).
    pub(super) values: Vec<f64>,
    /// One column each (n × k), orthonormal.
    pub(super) vectors: Matrix<f64>,
    /// The largest ‖Av − λv‖ relative to the largest |λ|; 0 where the matrix was decomposed whole.
    pub(super) residual: f64,
}

impl Eigenpairs {
    /// A sentence on pairs that were not found to full accuracy.
    pub(super) fn note(&self) -> Option<String> {
        (self.residual > 1e-6).then(|| {
            format!("the eigenvectors are accurate to a relative residual of {:.1e} only", self.residual)
        })
    }
}

/// The `k` algebraically largest eigenpairs of the symmetric operator `apply` (n × b to n × b), k ≤ n, which
/// has no eigenvalue below `lowest`.
pub(super) fn largest_eigenpairs(
    n: usize,
    k: usize,
    lowest: f64,
    seed: u64,
    apply: impl Fn(&Matrix<f64>) -> Matrix<f64>,
) -> Eigenpairs {
    if n <= WHOLE.max(2 * DEPTH * k) {
        let whole = apply(&Matrix::from_fn(n, n, |i, j| f64::from(i == j)));
        let (values, vectors) = symmetric_eigen(&whole);
        return Eigenpairs {
            values: values.iter().rev().take(k).copied().collect(),
            vectors: Matrix::from_fn(n, k, |i, j| vectors.get(i, n - 1 - j)),
            residual: 0.0,
        };
    }
    let width = k + k.clamp(4, 10);
    let mut random = generator(seed, 0);
    // Rows of `block` are vectors: sums over a vector then read contiguous numbers.
    let mut block = Matrix::from_fn(width, n, |_, _| uniform(&mut random) - 0.5);
    let mut found = round(&block, k, width, &apply);
    for _ in 1..ROUNDS {
        if found.1.residual <= TOLERANCE {
            break;
        }
        block = filtered(found.0, &found.2, lowest, &apply);
        found = round(&block, k, width, &apply);
    }
    found.1
}

/// A Chebyshev polynomial of the operator times each row of `block`, whose Ritz values (descending) are
/// `ritz`.
fn filtered(
    block: Matrix<f64>,
    ritz: &[f64],
    lowest: f64,
    apply: &impl Fn(&Matrix<f64>) -> Matrix<f64>,
) -> Matrix<f64> {
    let (first, last) = (ritz[0], ritz[ritz.len() - 1]);
    let (centre, half) = (0.5 * (last + lowest), 0.5 * (last - lowest));
    // A flat spectrum leaves nothing to tell apart, and one round finds it.
    if half <= 0.0 || first <= last {
        return block;
    }
    let degree = (MOST_GROWTH / ((first - centre) / half).acosh()).clamp(1.0, MOST_DEGREE) as usize;
    // y_{j+1} = 2 (σ_{j+1}/half) (A − centre) y_j − σ_j σ_{j+1} y_{j−1}: scaled to stay near 1 at the first
    // Ritz value.
    let start = half / (first - centre);
    let mut sigma = start;
    let mut before = block.transposed();
    let step = |y: &Matrix<f64>, factor: f64| {
        let mut image = apply(y);
        let pairs = image.as_mut_slice().iter_mut().zip(y.as_slice());
        pairs.for_each(|(image, y)| *image = factor * (*image - centre * y));
        image
    };
    let mut now = step(&before, sigma / half);
    for _ in 1..degree {
        let next_sigma = 1.0 / (2.0 / start - sigma);
        let mut next = step(&now, 2.0 * next_sigma / half);
        let pairs = next.as_mut_slice().iter_mut().zip(before.as_slice());
        pairs.for_each(|(next, before)| *next -= sigma * next_sigma * before);
        (before, now, sigma) = (now, next, next_sigma);
    }
    now.transposed()
}

/// One Krylov space from `block` (width × n) and the best approximations in it: the next block, the first k
/// pairs, and the Ritz values of the block.
fn round(
    block: &Matrix<f64>,
    k: usize,
    width: usize,
    apply: &impl Fn(&Matrix<f64>) -> Matrix<f64>,
) -> (Matrix<f64>, Eigenpairs, Vec<f64>) {
    let n = block.columns();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut images: Vec<Vec<f64>> = Vec::new();
    let mut next: Vec<Vec<f64>> = (0..block.rows()).map(|r| block.row(r).to_vec()).collect();
    for _ in 0..DEPTH {
        let first = basis.len();
        next.into_iter().for_each(|vector| add_orthonormal(&mut basis, vector));
        if basis.len() == first {
            break;
        }
        let columns = Matrix::from_fn(n, basis.len() - first, |i, j| basis[first + j][i]);
        let image = apply(&columns).transposed();
        images.extend((0..image.rows()).map(|r| image.row(r).to_vec()));
        next = images[first..].to_vec();
    }
    let m = basis.len();
    let projected =
        Matrix::from_fn(m, m, |a, b| 0.5 * (dot(&basis[a], &images[b]) + dot(&basis[b], &images[a])));
    let (values, vectors) = symmetric_eigen(&projected);
    let combine = |from: &[Vec<f64>], column: usize| {
        let mut out = vec![0.0; n];
        for (a, vector) in from.iter().enumerate() {
            let weight = vectors.get(a, column);
            out.iter_mut().zip(vector).for_each(|(sum, value)| *sum += weight * value);
        }
        out
    };
    let largest = values.iter().fold(f64::MIN_POSITIVE, |largest: f64, value| largest.max(value.abs()));
    let mut residual: f64 = 0.0;
    let mut ritz = Vec::with_capacity(width.min(m));
    for place in 0..width.min(m) {
        let column = m - 1 - place;
        let vector = combine(&basis, column);
        if place < k {
            let image = combine(&images, column);
            let off = image.iter().zip(&vector).map(|(a, v)| (a - values[column] * v).powi(2)).sum::<f64>();
            residual = residual.max(off.sqrt() / largest);
        }
        ritz.push(vector);
    }
    let pairs = Eigenpairs {
        values: values.iter().rev().take(k).copied().collect(),
        vectors: Matrix::from_fn(n, k, |i, j| ritz[j][i]),
        residual,
    };
    let ritz_values = values.iter().rev().take(ritz.len()).copied().collect();
    (Matrix::from_fn(ritz.len(), n, |r, i| ritz[r][i]), pairs, ritz_values)
}

/// Adds what of `vector` is orthogonal to the basis, normalized, unless that is rounding.
fn add_orthonormal(basis: &mut Vec<Vec<f64>>, mut vector: Vec<f64>) {
    let before = dot(&vector, &vector).sqrt();
    // Once more, because the first time leaves rounding of the size of the vector.
    for _ in 0..2 {
        for other in basis.iter() {
            let share = dot(&vector, other);
            vector.iter_mut().zip(other).for_each(|(value, other)| *value -= share * other);
        }
    }
    let norm = dot(&vector, &vector).sqrt();
    if norm > 1e-10 * before {
        vector.iter_mut().for_each(|value| *value /= norm);
        basis.push(vector);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs of equal eigenvalues, which a single vector could not tell apart.
    #[test]
    fn the_iteration_finds_the_largest_pairs_with_their_multiplicity() {
        let n = 900;
        let value = |i: usize| if i < 3 { 1.0 } else { 0.9 * (-(i as f64) / 200.0).exp() };
        // A reflection makes the diagonal matrix a full one.
        let u: Vec<f64> = (0..n).map(|i| ((i * 7 % 13) as f64 - 6.0) / (n as f64)).collect();
        let norm = dot(&u, &u);
        let reflect = |v: &mut [f64]| {
            let share = 2.0 * dot(v, &u) / norm;
            v.iter_mut().zip(&u).for_each(|(v, u)| *v -= share * u);
        };
        let apply = |x: &Matrix<f64>| {
            let mut columns = x.transposed();
            for c in 0..columns.rows() {
                reflect(columns.row_mut(c));
                columns.row_mut(c).iter_mut().enumerate().for_each(|(i, v)| *v *= value(i));
                reflect(columns.row_mut(c));
            }
            columns.transposed()
        };
        let found = largest_eigenpairs(n, 5, 0.0, 1, apply);
        assert!(found.residual <= 1e-9, "{}", found.residual);
        for (got, i) in found.values.iter().zip(0..) {
            assert!((got - value(i)).abs() <= 1e-9, "{got} and {}", value(i));
        }
        let gram = found.vectors.gram();
        for i in 0..5 {
            for j in 0..5 {
                assert!((gram.get(i, j) - f64::from(i == j)).abs() <= 1e-9);
            }
        }
        assert!(found.note().is_none());
    }
}
