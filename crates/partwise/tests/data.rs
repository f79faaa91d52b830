//! Promises of the data: each product is that of the plain loop, dense and sparse data agree, groups are
//! sums, chunks cover everything once, and arrays that describe no matrix are refused.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

use partwise::internals::RowGroups;
use partwise::{DataMatrix, DenseMatrix, Error, Matrix, Real, SparseMatrix};
use proptest::prelude::*;

/// A number in [0, 1) that depends on its arguments alone.
fn number(seed: u64, index: usize) -> f64 {
    let mut z = seed.wrapping_add((index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// X (n × d) with about a third of its entries not zero, and factors U (n × k), V (d × k) that are positive.
struct Example<T> {
    x: Matrix<T>,
    u: Matrix<T>,
    v: Matrix<T>,
}

impl<T: Real> Example<T> {
    fn new(n: usize, d: usize, k: usize, seed: u64) -> Self {
        let entry = |i: usize, j: usize| {
            let r = number(seed, i * d + j);
            if r < 0.33 { 9.0 * r + 0.01 } else { 0.0 }
        };
        let factor = |rows: usize, seed: u64| {
            Matrix::from_fn(rows, k, |i, c| T::from_f64(0.05 + number(seed, i * k + c)))
        };
        let x = Matrix::from_fn(n, d, |i, j| T::from_f64(entry(i, j)));
        Example { x, u: factor(n, seed ^ 0xabc), v: factor(d, seed ^ 0xdef) }
    }

    fn dense(&self) -> DenseMatrix<'_, T> {
        DenseMatrix::borrowed(self.x.rows(), self.x.columns(), self.x.as_slice()).expect("a shape that fits")
    }

    fn sparse(&self) -> SparseMatrix<'static, T> {
        let (n, d) = self.x.shape();
        let (mut indptr, mut indices, mut values) = (vec![0], vec![], vec![]);
        for i in 0..n {
            for j in (0..d).filter(|j| self.x.get(i, *j) != T::ZERO) {
                indices.push(j as u32);
                values.push(self.x.get(i, j));
            }
            indptr.push(indices.len());
        }
        SparseMatrix::new(n, d, indptr, indices, values).expect("arrays that fit")
    }
}

/// What the calls of one data matrix give, all chunks together.
struct Products {
    times: Vec<f64>,
    transpose_times: Vec<f64>,
    ratio_times: Vec<f64>,
    transpose_ratio_times: Vec<f64>,
    sums: [f64; 4],
}

fn products<T: Real>(data: &dyn DataMatrix<T>, u: &Matrix<T>, v: &Matrix<T>) -> Products {
    let k = u.columns();
    let wide = |values: Vec<T>| values.into_iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
    // Values that must not survive.
    let stale = |rows: usize| vec![T::from_f64(1e3); rows * k];
    let (mut times, mut ratio_times) = (stale(u.rows()), stale(u.rows()));
    let (mut transpose_times, mut transpose_ratio_times) = (stale(v.rows()), stale(v.rows()));
    let mut sums = [0.0; 4];
    for chunk in data.sample_chunks() {
        let part = chunk.start * k..chunk.end * k;
        data.times(chunk.clone(), v, &mut times[part.clone()]);
        sums[0] += data.ratio_times(chunk.clone(), u, v, &mut ratio_times[part]);
        sums[1] += data.log_divergence(chunk.clone(), u, v);
        sums[2] += data.squared_residual(chunk, u, v);
    }
    for chunk in data.feature_chunks() {
        let part = chunk.start * k..chunk.end * k;
        data.transpose_times(chunk.clone(), u, &mut transpose_times[part.clone()]);
        sums[3] += data.transpose_ratio_times(chunk, u, v, &mut transpose_ratio_times[part]);
    }
    Products {
        times: wide(times),
        transpose_times: wide(transpose_times),
        ratio_times: wide(ratio_times),
        transpose_ratio_times: wide(transpose_ratio_times),
        sums,
    }
}

/// The same by plain loops in `f64`.
fn plain_products<T: Real>(x: &Matrix<T>, u: &Matrix<T>, v: &Matrix<T>) -> Products {
    let ((n, d), k) = (x.shape(), u.columns());
    let (x, u, v) = (x.cast::<f64>(), u.cast::<f64>(), v.cast::<f64>());
    let (mut times, mut ratio_times) = (vec![0.0; n * k], vec![0.0; n * k]);
    let (mut transpose_times, mut transpose_ratio_times) = (vec![0.0; d * k], vec![0.0; d * k]);
    let (mut divergence, mut residual) = (0.0, 0.0);
    for i in 0..n {
        for j in 0..d {
            let p: f64 = (0..k).map(|c| u.get(i, c) * v.get(j, c)).sum();
            let x = x.get(i, j);
            residual += (x - p) * (x - p);
            if x != 0.0 {
                divergence += x * (x / p).ln();
            }
            for c in 0..k {
                times[i * k + c] += x * v.get(j, c);
                transpose_times[j * k + c] += x * u.get(i, c);
                ratio_times[i * k + c] += x / p * v.get(j, c);
                transpose_ratio_times[j * k + c] += x / p * u.get(i, c);
            }
        }
    }
    let sums = [divergence, divergence, residual, divergence];
    Products { times, transpose_times, ratio_times, transpose_ratio_times, sums }
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1e-300, |m: f64, x| m.max(x.abs()));
    for (index, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!((f - e).abs() <= tolerance * scale, "{what}, entry {index}: {f} and {e}");
    }
}

fn assert_products_agree(found: &Products, expected: &Products, tolerance: f64, what: &str) {
    let pairs = [
        (&found.times, &expected.times, "times"),
        (&found.transpose_times, &expected.transpose_times, "transpose_times"),
        (&found.ratio_times, &expected.ratio_times, "ratio_times"),
        (&found.transpose_ratio_times, &expected.transpose_ratio_times, "transpose_ratio_times"),
    ];
    for (f, e, name) in pairs {
        assert_close(f, e, tolerance, &format!("{what} {name}"));
    }
    // x·ln(x/p) may cancel, so the scale of these is the size of their terms.
    let scale = expected.times.iter().sum::<f64>().abs() + expected.sums[2];
    for (s, name) in ["ratio", "log_divergence", "squared_residual", "transposed ratio"].iter().enumerate() {
        let (f, e) = (found.sums[s], expected.sums[s]);
        assert!((f - e).abs() <= tolerance * scale, "{what} sum of {name}: {f} and {e}");
    }
}

fn check_products<T: Real>(n: usize, d: usize, k: usize, seed: u64, tolerance: f64) {
    let example = Example::<T>::new(n, d, k, seed);
    let expected = plain_products(&example.x, &example.u, &example.v);
    let (dense, sparse) = (example.dense(), example.sparse());
    assert_products_agree(&products(&dense, &example.u, &example.v), &expected, tolerance, "dense");
    assert_products_agree(&products(&sparse, &example.u, &example.v), &expected, tolerance, "sparse");
    assert_eq!(dense.summary(), sparse.summary());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn products_are_those_of_the_plain_loop(n in 1usize..90, d in 1usize..90, k in 1usize..=70, seed: u64) {
        check_products::<f64>(n, d, k, seed, 1e-12);
        check_products::<f32>(n, d, k, seed, 2e-5);
    }

    #[test]
    fn the_transposed_data_swap_the_products(n in 1usize..60, d in 1usize..60, k in 1usize..=24, seed: u64) {
        let example = Example::<f64>::new(n, d, k, seed);
        let turned = Example { x: example.x.transposed(), u: example.v.clone(), v: example.u.clone() };
        for sparse in [false, true] {
            let of = |e: &Example<f64>| match sparse {
                true => products(&e.sparse(), &e.u, &e.v),
                false => products(&e.dense(), &e.u, &e.v),
            };
            let (straight, turned) = (of(&example), of(&turned));
            assert_close(&straight.times, &turned.transpose_times, 1e-13, "times");
            assert_close(&straight.transpose_times, &turned.times, 1e-13, "transpose_times");
            assert_close(&straight.ratio_times, &turned.transpose_ratio_times, 1e-13, "ratio_times");
        }
    }

    #[test]
    fn groups_are_scaled_sums_of_rows(n in 1usize..40, d in 1usize..40, m in 1usize..9, seed: u64) {
        let x = Example::<f64>::new(n, d, 1, seed);
        let m = m.min(n);
        let group: Vec<u32> = (0..n).map(|i| if i < m { i } else { (number(seed, i) * m as f64) as usize } as u32).collect();
        let scale: Vec<f64> = (0..m).map(|q| 0.5 + number(seed ^ 1, q)).collect();
        let mut expected = vec![0.0; m * d];
        for i in 0..n {
            for j in 0..d {
                expected[group[i] as usize * d + j] += x.x.get(i, j);
            }
        }
        for (index, value) in expected.iter_mut().enumerate() {
            *value *= scale[index / d];
        }
        let groups = RowGroups { group, scale };
        for (data, sparse) in [(x.dense().grouped(&groups), false), (x.sparse().grouped(&groups), true)] {
            prop_assert_eq!(data.is_sparse(), sparse);
            prop_assert_eq!((data.n_samples(), data.n_features()), (m, d));
            prop_assert_eq!(all_values(&*data), expected.clone());
        }
    }

    #[test]
    fn rows_in_any_order_with_duplicates_are_the_same_matrix(n in 1usize..20, d in 1usize..20, seed: u64) {
        let count = (number(seed, 0) * 200.0) as usize;
        let triplets: Vec<(u32, u32, f64)> = (0..count)
            .map(|t| {
                let at = |salt: u64, bound: usize| (number(seed ^ salt, t) * bound as f64) as u32;
                (at(1, n), at(2, d), (number(seed ^ 3, t) * 64.0).floor())
            })
            .collect();
        let mut expected = vec![0.0; n * d];
        for (i, j, x) in &triplets {
            expected[*i as usize * d + *j as usize] += x;
        }
        let mut places: Vec<(u32, u32)> = triplets.iter().map(|t| (t.0, t.1)).collect();
        places.sort_unstable();
        places.dedup();
        let (matrix, summed) = SparseMatrix::from_triplets(n, d, triplets).unwrap();
        prop_assert_eq!(summed, count - places.len());
        prop_assert_eq!(matrix.duplicates_summed(), summed);
        prop_assert_eq!(matrix.n_stored(), places.len());
        prop_assert_eq!(all_values(&matrix), expected.clone());
        let dense = matrix.to_dense();
        prop_assert_eq!(dense.as_slice(), &expected[..]);
        prop_assert!((0..n).all(|i| matrix.row(i).0.windows(2).all(|w| w[0] < w[1])));
    }
}

fn all_values<T: Real>(data: &dyn DataMatrix<T>) -> Vec<f64> {
    let mut values = vec![0.0; data.n_samples() * data.n_features()];
    for (i, row) in values.chunks_exact_mut(data.n_features()).enumerate() {
        data.add_row(i, 1.0, row);
    }
    values
}

#[test]
fn products_hold_across_tiles_and_chunks() {
    check_products::<f64>(150, 1100, 7, 5, 1e-12);
    check_products::<f64>(1100, 530, 20, 6, 1e-12);
    check_products::<f32>(1100, 530, 3, 7, 5e-5);
}

#[test]
fn a_row_alone_in_its_group_keeps_its_bits() {
    let values = vec![-0.0f32, 0.1, 3.3e-39, f32::MAX, 0.0, f32::MIN_POSITIVE];
    let groups = RowGroups { group: vec![1, 0], scale: vec![1.0, 1.0] };
    let bits = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let x = Matrix::from_vec(2, 3, values.clone()).unwrap();
    let v = Matrix::from_fn(3, 3, |i, j| if i == j { 1.0f32 } else { 0.0 });
    let swapped = [&values[3..], &values[..3]].concat();
    let dense = DenseMatrix::from_matrix(x).unwrap().grouped(&groups);
    let mut out = vec![0.0; 6];
    dense.times(0..2, &v, &mut out);
    // A product with the identity may turn −0 into 0, nothing else.
    assert_eq!(bits(&out[..3]), bits(&swapped[..3]));
    assert_eq!(bits(&out[4..]), bits(&swapped[4..]));
    let sparse =
        SparseMatrix::new(2, 3, vec![0, 3, 6], vec![0, 1, 2, 0, 1, 2], values).unwrap().grouped(&groups);
    sparse.times(0..2, &v, &mut out);
    assert_eq!(bits(&out[..3]), bits(&swapped[..3]));
    assert_eq!(bits(&out[4..]), bits(&swapped[4..]));
}

#[test]
fn chunks_cover_all_rows_and_columns_once_and_in_order() {
    let covers = |chunks: Vec<std::ops::Range<usize>>, count: usize| {
        assert!(chunks.iter().all(|c| !c.is_empty()));
        assert_eq!(chunks.into_iter().flatten().collect::<Vec<_>>(), (0..count).collect::<Vec<_>>());
    };
    for (n, d) in [(1, 1), (1, 3000), (3000, 1), (1025, 257), (33, 9000)] {
        let dense = DenseMatrix::new(n, d, vec![1.0f64; n * d]).unwrap();
        covers(dense.sample_chunks(), n);
        covers(dense.feature_chunks(), d);
        let all: Vec<u32> = (0..n).flat_map(|_| 0..d as u32).collect();
        let indptr: Vec<usize> = (0..=n).map(|i| i * d).collect();
        let sparse = SparseMatrix::new(n, d, indptr, all, vec![1.0f64; n * d]).unwrap();
        covers(sparse.sample_chunks(), n);
        covers(sparse.feature_chunks(), d);
        let empty = SparseMatrix::new(n, d, vec![0; n + 1], vec![], Vec::<f64>::new()).unwrap();
        covers(empty.sample_chunks(), n);
        covers(empty.feature_chunks(), d);
        assert_eq!(empty.summary().zero_rows.len(), n);
    }
}

#[test]
fn lent_arrays_are_not_copied() {
    let values = [1.0f64, 2.0, 3.0];
    let dense = DenseMatrix::borrowed(1, 3, &values).unwrap();
    assert_eq!(dense.as_slice().as_ptr(), values.as_ptr());
    assert_eq!(dense.owned_bytes(), 0);
    let sparse = SparseMatrix::new(2, 4, &[0, 1, 3][..], &[2, 0, 3][..], &values[..]).unwrap();
    assert_eq!(sparse.row(1).1.as_ptr(), values[1..].as_ptr());
    assert_eq!(sparse.owned_bytes(), 0);
    sparse.feature_chunks();
    assert!(sparse.owned_bytes() >= 3 * (8 + 4));
}

#[test]
fn a_product_of_zero_where_the_data_are_not_is_infinitely_far() {
    let (u, v) = (Matrix::zeros(1, 2), Matrix::from_vec(2, 2, vec![1.0; 4]).unwrap());
    let dense = DenseMatrix::new(1, 2, vec![0.0, 3.0]).unwrap();
    let (sparse, _) = SparseMatrix::from_triplets(1, 2, vec![(0, 1, 3.0)]).unwrap();
    for data in [&dense as &dyn DataMatrix<f64>, &sparse] {
        assert_eq!(data.log_divergence(0..1, &u, &v), f64::INFINITY);
        assert_eq!(data.squared_residual(0..1, &u, &v), 9.0);
        let mut out = [0.0; 2];
        let sum = data.ratio_times(0..1, &u, &v, &mut out);
        assert!(sum.is_finite() && sum > 2000.0, "{sum}");
    }
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    assert_eq!(DenseMatrix::<f64>::new(0, 3, vec![]).unwrap_err(), Error::Empty { samples: 0, features: 3 });
    assert_eq!(
        DenseMatrix::from_matrix(Matrix::<f64>::zeros(2, 0)).unwrap_err(),
        Error::Empty { samples: 2, features: 0 }
    );
    let error = DenseMatrix::borrowed(2, 3, &[1.0; 5]).unwrap_err();
    assert!(error.to_string().contains("5 values"), "{error}");
    assert!(matches!(DenseMatrix::new(usize::MAX, 2, vec![1.0]), Err(Error::Shape { .. })));
    let error = SparseMatrix::new(1, 0, vec![0, 0], vec![], Vec::<f32>::new()).unwrap_err();
    assert_eq!(error, Error::Empty { samples: 1, features: 0 });
}

#[test]
fn malformed_sparse_arrays_are_refused_with_the_place() {
    let message =
        |n: usize, d: usize, indptr: &[usize], indices: &[u32], values: &[f64]| match SparseMatrix::new(
            n, d, indptr, indices, values,
        ) {
            Err(Error::MalformedSparse(message)) => message,
            other => panic!("{other:?}"),
        };
    let cases: [(String, &str); 7] = [
        (message(2, 3, &[0, 1], &[0], &[1.0]), "indptr has 2 entries, but 2 rows need 3"),
        (message(1, 3, &[0, 2], &[0], &[1.0, 2.0]), "1 column indices, but 2 values"),
        (message(1, 3, &[1, 2], &[0, 1], &[1.0, 2.0]), "starts with 1"),
        (message(3, 3, &[0, 2, 1, 2], &[0, 1], &[1.0, 2.0]), "falls from 2 to 1 at row 1"),
        (message(1, 3, &[0, 3], &[0, 1], &[1.0, 2.0]), "ends with 3, but there are 2"),
        (message(2, 3, &[0, 1, 2], &[0, 3], &[1.0, 2.0]), "row 1 has an entry in column 3"),
        (message(1, 1 << 33, &[0, 0], &[], &[]), "can be numbered"),
    ];
    for (found, expected) in cases {
        assert!(found.contains(expected), "{found}");
    }
    let error = SparseMatrix::from_triplets(2, 2, vec![(0, 1, 1.0), (2, 0, 1.0)]).unwrap_err();
    assert!(error.to_string().contains("triplet 1 is at row 2, column 0"), "{error}");
}
