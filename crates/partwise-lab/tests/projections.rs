//! Promises of the projections: principal components and discriminants solve their equations, whatever the
//! shape of the data.

mod common;

use common::groups;
use partwise::draw_labels;
use partwise::{DataMatrix, DenseMatrix, Error, Labels, Matrix, SparseMatrix};
use partwise_lab::methods::lda::lda;
use partwise_lab::methods::pca::pca;

#[test]
fn discriminants_of_few_labelled_samples_do_not_depend_on_how_many_features_are_empty() {
    // Fewer labelled samples than features: in their span. More (with the empty features left out): in all
    // coordinates.
    let (dense, sparse, classes) = groups(8, 2);
    let labels = Labels::from_integers(&draw_labels(&classes, 4, 6)).unwrap();
    assert!(labels.n_labelled() >= dense.n_features());
    let whole = lda(&dense, &labels, 0.01).unwrap();
    // The ridge is a share of the mean variance over all features, so twice as many halve it.
    let (n, d) = (dense.n_samples(), dense.n_features());
    let wide =
        DenseMatrix::from_matrix(Matrix::from_fn(n, 2 * d, |i, j| if j < d { dense.row(i)[j] } else { 0.0 }))
            .unwrap();
    let found = lda(&wide, &labels, 0.02).unwrap();
    assert!(labels.n_labelled() < wide.n_features());
    for (a, b) in found.eigenvalues.iter().zip(&whole.eigenvalues) {
        assert!((a - b).abs() < 1e-9 * b, "{a} {b}");
    }
    for r in 0..whole.eigenvalues.len() {
        for j in 0..2 * d {
            let expected = if j < d { whole.directions.get(j, r) } else { 0.0 };
            assert!((found.directions.get(j, r) - expected).abs() < 1e-8, "{r} {j}");
        }
    }
    assert_eq!(found.classes(&wide).unwrap(), whole.classes(&dense).unwrap());
    assert_eq!(
        lda(&sparse, &labels, 0.01).unwrap().classes(&sparse).unwrap(),
        whole.classes(&dense).unwrap()
    );
}

#[test]
fn principal_components_of_many_features_are_orthonormal_and_explain_the_variance_of_their_coordinates() {
    // More features than are decomposed whole, in both formats.
    let (n, d) = (80, 700);
    let value = |i: usize, j: usize| {
        let block = (i % 4 == j % 4) as usize * (1 + i % 3);
        if (i * 31 + j * 17 + i * j).is_multiple_of(5) { (block + (i * j) % 3) as f64 } else { 0.0 }
    };
    let triplets = (0..n * d).map(|at| (at / d, at % d)).filter(|(i, j)| value(*i, *j) != 0.0);
    let triplets = triplets.map(|(i, j)| (i as u32, j as u32, value(i, j))).collect();
    let sparse = SparseMatrix::from_triplets(n, d, triplets).unwrap().0;
    let dense = sparse.to_dense();
    let found = pca(&sparse, 4, 0).unwrap();
    let other = pca(&dense, 4, 9).unwrap();
    let coordinates = found.coordinates(&dense).unwrap();
    for c in 0..4 {
        let column: Vec<f64> = (0..n).map(|i| coordinates.get(i, c)).collect();
        let mean = column.iter().sum::<f64>() / n as f64;
        let variance = column.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1) as f64;
        let expected = found.explained_variance[c];
        assert!(
            mean.abs() < 1e-9 && (variance - expected).abs() < 1e-9 * expected,
            "{variance} and {expected}"
        );
        assert!((other.explained_variance[c] - expected).abs() < 1e-9 * expected);
        for e in 0..4 {
            let product: f64 =
                found.components.row(c).iter().zip(found.components.row(e)).map(|(a, b)| a * b).sum();
            assert!((product - f64::from(c == e)).abs() < 1e-9);
        }
    }
}

#[test]
fn discriminants_solve_their_eigenproblem_with_more_and_with_fewer_labelled_samples_than_features() {
    let (dense, _, classes) = groups(8, 3);
    let (n, d, ridge) = (dense.n_samples(), dense.n_features(), 0.01);
    for few in [false, true] {
        let known: Vec<i32> = (0..n).map(|i| if !few || i % 8 < 2 { classes[i] } else { -1 }).collect();
        let labels = Labels::from_integers(&known).unwrap();
        let members: Vec<usize> = (0..n).filter(|&i| known[i] >= 0).collect();
        assert_eq!(members.len() < d, few, "{} labelled samples of {d} features", members.len());
        let row = |i: usize| dense.row(i).to_vec();
        let mean = |of: &[usize]| -> Vec<f64> {
            (0..d).map(|j| of.iter().map(|&i| row(i)[j]).sum::<f64>() / of.len() as f64).collect()
        };
        let overall = mean(&members);
        let (mut within, mut between) = (vec![vec![0.0; d]; d], vec![vec![0.0; d]; d]);
        for class in 0..3 {
            let of: Vec<usize> = members.iter().copied().filter(|&i| known[i] == class).collect();
            let center = mean(&of);
            for a in 0..d {
                for b in 0..d {
                    within[a][b] +=
                        of.iter().map(|&i| (row(i)[a] - center[a]) * (row(i)[b] - center[b])).sum::<f64>();
                    between[a][b] += of.len() as f64 * (center[a] - overall[a]) * (center[b] - overall[b]);
                }
            }
        }
        let added = ridge * (0..d).map(|j| within[j][j]).sum::<f64>() / d as f64;
        (0..d).for_each(|j| within[j][j] += added);
        let found = lda(&dense, &labels, ridge).unwrap();
        assert_eq!(found.eigenvalues.len(), 2);
        for (r, value) in found.eigenvalues.iter().enumerate() {
            let v: Vec<f64> = (0..d).map(|j| found.directions.get(j, r)).collect();
            let times = |m: &[Vec<f64>]| -> Vec<f64> {
                m.iter().map(|row| row.iter().zip(&v).map(|(a, b)| a * b).sum()).collect()
            };
            let (inside, across) = (times(&within), times(&between));
            let norm: f64 = inside.iter().zip(&v).map(|(a, b)| a * b).sum();
            assert!((norm - 1.0).abs() < 1e-9, "{norm}");
            let size = across.iter().map(|a| a.abs()).fold(0.0, f64::max);
            for (a, b) in across.iter().zip(&inside) {
                assert!((a - value * b).abs() < 1e-9 * size, "{a} and {}", value * b);
            }
        }
    }
}

#[test]
fn projections_refuse_what_they_can_not_project() {
    let (dense, _, classes) = groups(4, 3);
    assert!(matches!(pca(&dense, 0, 0), Err(Error::OutOfRange { .. })));
    assert!(pca(&dense, 12, 0).unwrap_err().to_string().contains("1 to 11"));
    let narrow = DenseMatrix::new(2, 1, vec![1.0, 2.0]).unwrap();
    assert!(matches!(pca(&dense, 2, 0).unwrap().coordinates(&narrow), Err(Error::Shape { .. })));
    let labels = Labels::from_integers(&classes).unwrap();
    for ridge in [0.0, -1.0, f64::INFINITY] {
        assert!(matches!(lda(&dense, &labels, ridge), Err(Error::OutOfRange { .. })));
    }
    let one = Labels::from_integers(&vec![4; classes.len()]).unwrap();
    assert!(lda(&dense, &one, 0.01).unwrap_err().to_string().contains("only class is \"4\""));
    let single = Labels::from_integers(&[0, 1]).unwrap();
    assert!(lda(&narrow, &single, 0.01).unwrap_err().to_string().contains("no scatter"));
    let found = lda(&dense, &labels, 0.01).unwrap();
    assert_eq!(found.directions.shape(), (12, 2));
}
