//! Dense products and decompositions, single-threaded. This file alone calls faer; all matrices that come in
//! and go out are row-major slices or [`Matrix`] values, and views of them are transposed or cut without a
//! copy.

use std::ops::Range;

use faer::linalg::matmul;
use faer::linalg::matmul::triangular::BlockStructure;
use faer::{Accum, Mat, MatMut, MatRef, Par, Side};

use crate::foundation::{Matrix, Real, once};

/// From this width on, computing one triangle of a Gram matrix beats computing all of it.
const TRIANGLE_FROM: usize = 96;

once! {
    /// `out = A · B`, or `out += A · B`.
    Product<'a, T>((out, accumulate, a, b): (MatMut<'a, T>, Accum, MatRef<'a, T>, MatRef<'a, T>)) -> () {
        matmul::matmul(out, accumulate, a, b, 1.0, Par::Seq);
    }
}

once! {
    /// The lower triangle of Vᵀ · V.
    LowerGram<'a, T>((out, v): (MatMut<'a, T>, MatRef<'a, T>)) -> () {
        let (lower, all) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
        let replace = Accum::Replace;
        matmul::triangular::matmul(out, lower, replace, v.transpose(), all, v, all, 1.0, Par::Seq);
    }
}

/// A matrix that is read: rows × columns of a row-major slice, perhaps cut or transposed.
#[derive(Clone, Copy)]
pub(crate) struct View<'a, T>(MatRef<'a, T>);

impl<'a, T: Real> View<'a, T> {
    /// All of a row-major slice of shape (rows × columns).
    ///
    /// # Panics
    /// When the slice has another length.
    pub(crate) fn new(values: &'a [T], rows: usize, columns: usize) -> Self {
        View(MatRef::from_row_major_slice(values, rows, columns))
    }

    /// All of a matrix.
    pub(crate) fn of(matrix: &'a Matrix<T>) -> Self {
        Self::new(matrix.as_slice(), matrix.rows(), matrix.columns())
    }

    /// Some of the rows.
    pub(crate) fn rows(self, rows: Range<usize>) -> Self {
        View(self.0.subrows(rows.start, rows.len()))
    }

    /// Some of the columns.
    pub(crate) fn columns(self, columns: Range<usize>) -> Self {
        View(self.0.subcols(columns.start, columns.len()))
    }

    /// Rows and columns.
    pub(crate) fn shape(self) -> (usize, usize) {
        (self.0.nrows(), self.0.ncols())
    }

    /// The transpose.
    pub(crate) fn transposed(self) -> Self {
        View(self.0.transpose())
    }
}

/// A matrix that is written.
pub(crate) struct ViewMut<'a, T>(MatMut<'a, T>);

impl<'a, T: Real> ViewMut<'a, T> {
    /// All of a row-major slice of shape (rows × columns).
    ///
    /// # Panics
    /// When the slice has another length.
    pub(crate) fn new(values: &'a mut [T], rows: usize, columns: usize) -> Self {
        ViewMut(MatMut::from_row_major_slice_mut(values, rows, columns))
    }
}

/// What happens to the old values of the output.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Output {
    /// The product replaces them; they are not read.
    Replace,
    /// The product is added to them.
    Add,
}

/// `out = A · B`, or `out += A · B`.
///
/// # Panics
/// When the shapes do not fit.
pub(crate) fn matmul<T: Real>(out: ViewMut<'_, T>, output: Output, a: View<'_, T>, b: View<'_, T>) {
    let accumulate = if output == Output::Add { Accum::Add } else { Accum::Replace };
    T::once::<Product>((out.0, accumulate, a.0, b.0));
}

/// `out` (k × k) = Vᵀ · V for V (rows × k, row-major); symmetric to the last bit.
///
/// # Panics
/// When a slice has the wrong length.
pub(crate) fn gram<T: Real>(values: &[T], rows: usize, k: usize, out: &mut [T]) {
    let v = View::new(values, rows, k);
    if k < TRIANGLE_FROM {
        matmul(ViewMut::new(out, k, k), Output::Replace, v.transposed(), v);
    } else {
        T::once::<LowerGram>((ViewMut::new(out, k, k).0, v.0));
    }
    for a in 0..k {
        for b in a + 1..k {
            out[a * k + b] = out[b * k + a];
        }
    }
}

impl<T: Real> Matrix<T> {
    /// The Gram matrix Vᵀ·V (columns × columns) of this matrix V, symmetric to the last bit.
    #[doc(hidden)]
    pub fn gram(&self) -> Self {
        let mut out = Matrix::zeros(self.columns(), self.columns());
        gram(self.as_slice(), self.rows(), self.columns(), out.as_mut_slice());
        out
    }
}

/// The largest eigenvalue of a symmetric matrix (k × k, k ≥ 1), computed in `f64`; NaN when an entry is not
/// finite. Only the lower triangle is read.
///
/// # Panics
/// When the matrix is empty or not square.
pub(crate) fn largest_eigenvalue<T: Real>(gram: &Matrix<T>) -> f64 {
    if !gram.as_slice().iter().all(|v| Real::is_finite(*v)) {
        return f64::NAN;
    }
    let wide = gram.cast::<f64>();
    let values = View::of(&wide)
        .0
        .self_adjoint_eigenvalues(Side::Lower)
        .expect("a finite symmetric matrix has eigenvalues");
    values.last().copied().expect("a Gram matrix has at least one row")
}

/// The eigenvalues, ascending, and the eigenvectors (columns of the second value, k × k) of a symmetric
/// matrix (k × k, finite). Only the lower triangle is read.
///
/// # Panics
/// When the matrix is not square or not finite.
pub fn symmetric_eigen(matrix: &Matrix<f64>) -> (Vec<f64>, Matrix<f64>) {
    let eigen = View::of(matrix)
        .0
        .self_adjoint_eigen(Side::Lower)
        .expect("a finite symmetric matrix has eigenvalues");
    let values = eigen.S().column_vector().iter().copied().collect();
    (values, owned(eigen.U()))
}

/// An orthonormal basis Q (n × p) of the columns of a matrix (n × p, n ≥ p).
pub(crate) fn thin_qr(matrix: &Matrix<f64>) -> Matrix<f64> {
    let q: Mat<f64> = View::of(matrix).0.qr().compute_thin_Q();
    owned(q.as_ref())
}

/// U (n × r), the singular values descending (r), and V (m × r) of a finite matrix (n × m), r = min(n, m):
/// matrix = U · diag(s) · Vᵀ.
///
/// # Panics
/// When an entry is not finite.
pub(crate) fn thin_svd(matrix: &Matrix<f64>) -> (Matrix<f64>, Vec<f64>, Matrix<f64>) {
    let svd = View::of(matrix).0.thin_svd().expect("a finite matrix has a singular value decomposition");
    let values = svd.S().column_vector().iter().copied().collect();
    (owned(svd.U()), values, owned(svd.V()))
}

fn owned(matrix: MatRef<'_, f64>) -> Matrix<f64> {
    Matrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[(i, j)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(rows: usize, columns: usize) -> Matrix<f64> {
        Matrix::from_fn(rows, columns, |i, j| ((i * 31 + j * 17 + i * j) % 23) as f64 / 7.0 - 1.0)
    }

    fn product(a: &Matrix<f64>, b: &Matrix<f64>) -> Matrix<f64> {
        Matrix::from_fn(a.rows(), b.columns(), |i, j| {
            (0..a.columns()).map(|l| a.get(i, l) * b.get(l, j)).sum()
        })
    }

    fn assert_close(a: &Matrix<f64>, b: &Matrix<f64>, tolerance: f64) {
        assert_eq!(a.shape(), b.shape());
        for (x, y) in a.as_slice().iter().zip(b.as_slice()) {
            assert!((x - y).abs() <= tolerance, "{x} and {y}");
        }
    }

    #[test]
    fn products_of_cut_and_transposed_views_are_those_of_the_plain_loop() {
        let (a, b) = (example(9, 7), example(9, 5));
        let cut = Matrix::from_fn(4, 3, |i, j| a.get(i + 2, j + 1));
        let other = Matrix::from_fn(4, 5, |i, j| b.get(i + 2, j));
        let expected = product(&cut.transposed(), &other);
        let left = View::of(&a).rows(2..6).columns(1..4).transposed();
        let mut out = Matrix::zeros(3, 5);
        matmul(ViewMut::new(out.as_mut_slice(), 3, 5), Output::Replace, left, View::of(&b).rows(2..6));
        assert_close(&out, &expected, 1e-12);
        matmul(ViewMut::new(out.as_mut_slice(), 3, 5), Output::Add, left, View::of(&b).rows(2..6));
        assert_close(&out, &Matrix::from_fn(3, 5, |i, j| 2.0 * expected.get(i, j)), 1e-12);
    }

    /// The bits of products of matrices that begin `shift` numbers into their memory.
    fn bits_at<T: Real>(shift: usize, rows: usize, inner: usize, columns: usize) -> Vec<u64> {
        let values = |length: usize, factor: usize| -> Vec<T> {
            (0..shift + length).map(|i| T::from_f64(((i + 64 - shift) * factor % 29) as f64 / 7.3)).collect()
        };
        let (a, b, square) = (values(rows * inner, 31), values(inner * columns, 17), inner.max(columns));
        let mut out = vec![T::ZERO; shift + (rows * columns).max(square * square)];
        let mut bits = Vec::new();
        let (left, right) = (View::new(&a[shift..], rows, inner), View::new(&b[shift..], inner, columns));
        matmul(
            ViewMut::new(&mut out[shift..][..rows * columns], rows, columns),
            Output::Replace,
            left,
            right,
        );
        bits.extend(out[shift..][..rows * columns].iter().map(|x| x.to_f64().to_bits()));
        for (values, rows, k) in [(&a, rows, inner), (&b, inner, columns)] {
            gram(&values[shift..], rows, k, &mut out[shift..][..k * k]);
            bits.extend(out[shift..][..k * k].iter().map(|x| x.to_f64().to_bits()));
        }
        bits
    }

    #[test]
    fn products_have_the_same_bits_wherever_the_matrices_lie_in_memory() {
        for (rows, inner, columns) in
            [(3, 5, 2), (50, 7, 1), (1, 40, 33), (64, 64, 64), (37, 101, 20), (20, 130, 97), (300, 3, 131)]
        {
            for shift in 1..17 {
                let shape = (rows, inner, columns);
                let narrow = bits_at::<f32>(shift, rows, inner, columns);
                assert!(narrow == bits_at::<f32>(0, rows, inner, columns), "f32, {shape:?} at {shift}");
                let wide = bits_at::<f64>(shift, rows, inner, columns);
                assert!(wide == bits_at::<f64>(0, rows, inner, columns), "f64, {shape:?} at {shift}");
            }
        }
    }

    #[test]
    fn gram_is_the_plain_product_and_symmetric_to_the_last_bit() {
        for k in [1, 2, 5, 20, 95, 96, 130] {
            let v = example(40, k);
            let mut out = Matrix::zeros(k, k);
            gram(v.as_slice(), 40, k, out.as_mut_slice());
            assert_close(&out, &product(&v.transposed(), &v), 1e-11);
            assert_eq!(out, out.transposed());
        }
    }

    #[test]
    fn eigenvalues_reproduce_the_matrix() {
        let v = example(30, 6);
        let matrix = product(&v.transposed(), &v);
        let (values, vectors) = symmetric_eigen(&matrix);
        let scaled = Matrix::from_fn(6, 6, |i, j| vectors.get(i, j) * values[j]);
        assert_close(&product(&scaled, &vectors.transposed()), &matrix, 1e-11);
        assert!(values.windows(2).all(|w| w[0] <= w[1]));
        let largest = largest_eigenvalue(&matrix);
        assert!((largest - values[5]).abs() <= 1e-13 * largest);
        assert_eq!(largest_eigenvalue(&Matrix::from_vec(1, 1, vec![3.5f32]).unwrap()), 3.5);
        assert_eq!(largest_eigenvalue(&Matrix::<f64>::zeros(4, 4)), 0.0);
        assert!(largest_eigenvalue(&Matrix::from_vec(1, 1, vec![f64::INFINITY]).unwrap()).is_nan());
    }

    #[test]
    fn qr_and_svd_are_orthonormal_and_reproduce_the_matrix() {
        let a = example(12, 5);
        let q = thin_qr(&a);
        let identity = Matrix::from_fn(5, 5, |i, j| if i == j { 1.0 } else { 0.0 });
        assert_close(&product(&q.transposed(), &q), &identity, 1e-12);
        assert_close(&product(&q, &product(&q.transposed(), &a)), &a, 1e-11);
        for a in [example(12, 5), example(5, 12)] {
            let (u, s, v) = thin_svd(&a);
            let scaled = Matrix::from_fn(u.rows(), s.len(), |i, j| u.get(i, j) * s[j]);
            assert_close(&product(&scaled, &v.transposed()), &a, 1e-11);
            assert!(s.windows(2).all(|w| w[0] >= w[1]));
        }
    }
}
