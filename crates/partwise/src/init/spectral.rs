//! The start of a symmetric factorization from the leading eigenvectors of S, turned so that they are as
//! non-negative as can be.
//!
//! ```text
//! S ≈ VΛVᵀ (k eigenpairs),   B = VΛ^½,   pivots: k rows of B, each the farthest from the span of those
//!                            before
//! B[pivots]·Q = a positive semi-definite matrix, Q orthogonal,   H = max(0, B·Q)
//! ```
//!
//! HHᵀ is then near the best approximation of S, and each column of H has its own pivot, so that no group of
//! samples is left out. References: Damle, Minden & Ying 2019, "Simple, direct and efficient multi-way
//! spectral clustering", doi:10.1093/imaiai/iay008 (pivots and rotation); Halko, Martinsson & Tropp 2011,
//! doi:10.1137/090771806 (eigenvectors from a random projection). Columns beyond the numerical rank are
//! random.

use super::{entry_scale, stream};
use crate::data::DataMatrix;
use crate::engine::backend::threads_for;
use crate::engine::{Factors, Problem, Settings, Slot};
use crate::foundation::pool::Pool;
use crate::foundation::{Matrix, Real, Stream};
use crate::kernels::gemm::{Output, View, ViewMut, matmul, symmetric_eigen, thin_svd};
use crate::kernels::sums::wide_gram;

/// Extra columns of the random projection.
const OVERSAMPLING: usize = 10;
/// Products with S, two at least.
const PRODUCTS: usize = 6;
/// The stream of the projection; streams below 16 belong to slots.
const PROJECTION: u64 = 17;
/// Eigenvalues and lengths below this × ε × the largest are rounding.
const NOISE: f64 = 64.0;
/// Eigenvalues of a Gram below this share of the largest are rounding.
const GRAM_NOISE: f64 = 1e-13;
/// The share of a random start that zeros are filled with where they would stay.
const FILL: f64 = 0.01;

pub(super) fn start<T: Real>(problem: &Problem<'_, T>, settings: &Settings) -> Factors<T> {
    let (data, k) = (problem.data(), settings.rank);
    let (n, rounding) = (data.n_samples(), NOISE * T::EPSILON.to_f64());
    let roots = roots(data, settings, rounding);
    let pivots = pivots(&roots, rounding);
    // Where the roots are A at the pivots, A = U·diag(s)·Vᵀ, they are turned by V·Uᵀ.
    let (u, _, v) = thin_svd(&Matrix::from_fn(pivots.len(), roots.columns(), |a, j| roots.get(pivots[a], j)));
    let turned = product(View::of(&roots), View::of(&product(View::of(&v), View::of(&u).transposed())));
    let random = stream(settings.seed, Slot::Codes);
    let (scale, fills) = (entry_scale(problem, k), problem.solver.zeros_stay);
    let (mut draws, mut codes) = (vec![0.0; k], Matrix::zeros(n, k));
    for row in 0..n {
        if fills || turned.columns() < k {
            random.fill(row, &mut draws);
        }
        for (j, value) in codes.row_mut(row).iter_mut().enumerate() {
            let found = if j < turned.columns() { turned.get(row, j).max(0.0) } else { scale * draws[j] };
            *value = T::from_f64(if found == 0.0 && fills { FILL * scale * draws[j] } else { found });
        }
    }
    Factors::new(codes.clone(), codes)
}

/// B (n × r): the leading eigenvectors, each times the root of its eigenvalue; those above 0, at most k.
fn roots<T: Real>(data: &dyn DataMatrix<T>, settings: &Settings, rounding: f64) -> Matrix<f64> {
    let (n, k) = (data.n_samples(), settings.rank);
    let width = k.saturating_add(OVERSAMPLING).min(n);
    let pool = Pool::new(threads_for(settings.threads, data.n_stored(), width));
    let random = Stream::numbered(settings.seed, PROJECTION);
    let (mut draws, mut basis) = (vec![0.0; width], Matrix::<T>::zeros(n, width));
    for row in 0..n {
        random.fill(row, &mut draws);
        for (value, draw) in basis.row_mut(row).iter_mut().zip(&draws) {
            *value = T::from_f64(draw - 0.5);
        }
    }
    let mut image = Matrix::zeros(0, 0);
    for number in 0..PRODUCTS {
        if number > 0 {
            basis = orthonormal(&image, rounding);
        }
        let width = basis.columns();
        image = Matrix::zeros(n, width);
        pool.map_rows(&data.sample_chunks(), image.as_mut_slice(), width, |rows, out| {
            data.times(rows, &basis, out);
        });
    }
    // S·Q = image, so QᵀSQ = Qᵀ·image; the image of an eigenvector found in Q is one more power nearer.
    let small = product(View::of(&basis).transposed(), View::of(&image)).cast::<f64>();
    let symmetric =
        Matrix::from_fn(small.rows(), small.rows(), |i, j| 0.5 * (small.get(i, j) + small.get(j, i)));
    let (values, vectors) = symmetric_eigen(&symmetric);
    let largest = values.last().copied().unwrap_or(0.0);
    let kept: Vec<usize> =
        (0..values.len()).rev().take(k).take_while(|j| values[*j] > rounding * largest).collect();
    let chosen = Matrix::from_fn(vectors.rows(), kept.len(), |i, j| T::from_f64(vectors.get(i, kept[j])));
    let roots = product(View::of(&image), View::of(&chosen)).cast::<f64>();
    let gram = wide_gram(&roots, 0..n);
    let scale: Vec<f64> = kept
        .iter()
        .enumerate()
        .map(|(j, at)| (values[*at] / gram.get(j, j).max(f64::MIN_POSITIVE)).sqrt())
        .collect();
    Matrix::from_fn(n, kept.len(), |i, j| roots.get(i, j) * scale[j])
}

/// An orthonormal basis of the columns of a matrix, without those that are rounding.
fn orthonormal<T: Real>(matrix: &Matrix<T>, rounding: f64) -> Matrix<T> {
    let (values, vectors) = symmetric_eigen(&wide_gram(matrix, 0..matrix.rows()));
    let largest = values.last().copied().unwrap_or(0.0);
    // These are squares of lengths, themselves rounded in f64.
    let least = largest * f64::max(rounding * rounding, GRAM_NOISE);
    let kept: Vec<usize> = (0..values.len()).filter(|j| values[*j] > least).collect();
    let scaled = |i: usize, j: usize| T::from_f64(vectors.get(i, kept[j]) / values[kept[j]].sqrt());
    product(View::of(matrix), View::of(&Matrix::from_fn(vectors.rows(), kept.len(), scaled)))
}

/// Rows of a matrix (n × r), at most r: the longest, and each further one the longest without its part in the
/// span of those before.
fn pivots(matrix: &Matrix<f64>, rounding: f64) -> Vec<usize> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut squares: Vec<f64> = (0..matrix.rows()).map(|i| dot(matrix.row(i), matrix.row(i))).collect();
    let (mut pivots, mut directions) = (Vec::new(), Vec::<Vec<f64>>::new());
    let mut first = 0.0;
    while pivots.len() < matrix.columns() {
        let longer = |best: (usize, f64), (row, square): (usize, &f64)| {
            if *square > best.1 { (row, *square) } else { best }
        };
        let (row, square) = squares.iter().enumerate().fold((0, 0.0), longer);
        first = f64::max(first, square);
        if square <= rounding * first {
            break;
        }
        // Twice: once leaves the rounding of what was long before.
        let mut direction = matrix.row(row).to_vec();
        for before in directions.iter().chain(&directions) {
            let along = dot(&direction, before);
            direction.iter_mut().zip(before).for_each(|(value, b)| *value -= along * b);
        }
        let length = dot(&direction, &direction).sqrt();
        direction.iter_mut().for_each(|value| *value /= length);
        for (i, square) in squares.iter_mut().enumerate() {
            *square -= dot(matrix.row(i), &direction).powi(2);
        }
        squares[row] = 0.0;
        pivots.push(row);
        directions.push(direction);
    }
    pivots
}

fn product<T: Real>(a: View<'_, T>, b: View<'_, T>) -> Matrix<T> {
    let mut out = Matrix::zeros(a.shape().0, b.shape().1);
    let (rows, columns) = out.shape();
    matmul(ViewMut::new(out.as_mut_slice(), rows, columns), Output::Replace, a, b);
    out
}
