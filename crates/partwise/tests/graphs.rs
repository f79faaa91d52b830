//! Promises of the graphs: neighbours are those of the plain search, in both formats; ties go to the lower
//! number; lists are united; a disconnected graph says so; bad input is refused.

use partwise::graphs::{Closeness, Graph, NeighbourGraph, Weights, neighbour_graph};
use partwise::internals::nearest_neighbours;
use partwise::{DataMatrix, DenseMatrix, Error, Matrix, SparseMatrix};
use proptest::prelude::*;

fn sparse(n: usize, d: usize, values: &[f64]) -> SparseMatrix<'static, f64> {
    let entries = values.iter().enumerate().filter(|(_, x)| **x != 0.0);
    let triplets = entries.map(|(at, x)| ((at / d) as u32, (at % d) as u32, *x)).collect();
    SparseMatrix::from_triplets(n, d, triplets).expect("the places are inside").0
}

fn plain(n: usize, d: usize, values: &[f64], k: usize) -> Vec<Vec<u32>> {
    let row = |i: usize| &values[i * d..(i + 1) * d];
    let distance = |i, j| row(i).iter().zip(row(j)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    (0..n)
        .map(|i| {
            let mut others: Vec<usize> = (0..n).filter(|j| *j != i).collect();
            others.sort_by(|a, b| distance(i, *a).total_cmp(&distance(i, *b)).then(a.cmp(b)));
            others[..k].iter().map(|j| *j as u32).collect()
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// Small counts make many ties.
    #[test]
    fn neighbours_are_those_of_the_plain_search_with_ties_to_the_lower_number(
        (n, d, values) in (3_usize..90, 1_usize..12).prop_flat_map(|(n, d)| {
            (Just(n), Just(d), prop::collection::vec((0_u8..3).prop_map(f64::from), n * d))
        }),
        k in 1_usize..8,
    ) {
        let k = k.min(n - 1);
        let expected = plain(n, d, &values, k);
        let dense = DenseMatrix::new(n, d, values.clone()).unwrap();
        let single: Vec<f32> = values.iter().map(|x| *x as f32).collect();
        let single = DenseMatrix::new(n, d, single).unwrap();
        let sparse = sparse(n, d, &values);
        let found = [
            nearest_neighbours(&dense, k, Closeness::Euclidean).unwrap(),
            nearest_neighbours(&sparse, k, Closeness::Euclidean).unwrap(),
            nearest_neighbours(&single, k, Closeness::Euclidean).unwrap(),
        ];
        for found in &found {
            for i in 0..n {
                prop_assert_eq!(found.of(i), &expected[i][..]);
                prop_assert!(found.distances(i).windows(2).all(|pair| pair[0] <= pair[1]));
            }
        }
        for weights in [
            Weights::Binary,
            Weights::Heat { width: 2.0 },
            Weights::SelfTuning { scale_neighbour: k },
            Weights::Dot,
            Weights::Cosine,
        ] {
            let settings = NeighbourGraph { neighbours: k, weights, ..NeighbourGraph::default() };
            let (one, other) =
                (neighbour_graph(&dense, &settings).unwrap(), neighbour_graph(&sparse, &settings).unwrap());
            let (a, b) = (one.to_matrix(), other.to_matrix());
            prop_assert_eq!(&a, &a.transposed());
            for (x, y) in a.as_slice().iter().zip(b.as_slice()) {
                prop_assert!((x - y).abs() <= 1e-12 * x.abs().max(1.0), "{} and {}", x, y);
            }
            // A row of zeros has no neighbours in a graph.
            let full = values.chunks(d).all(|row| row.iter().any(|x| *x > 0.0));
            if weights == Weights::Binary && full {
                let listed = |i: usize, j: usize| expected[i].contains(&(j as u32));
                let united = Matrix::from_fn(n, n, |i, j| f64::from(listed(i, j) || listed(j, i)));
                prop_assert_eq!(&a, &united);
            }
        }
    }
}

#[test]
fn weights_are_their_formulas() {
    let x = DenseMatrix::new(3, 2, vec![1.0, 0.0, 1.0, 2.0, 4.0, 4.0]).unwrap();
    let weight = |weights| {
        let settings = NeighbourGraph { neighbours: 2, weights, ..NeighbourGraph::default() };
        neighbour_graph(&x, &settings).unwrap().weight(0, 1)
    };
    assert_eq!(weight(Weights::Binary), 1.0);
    assert_eq!(weight(Weights::Heat { width: 2.0 }), (-2.0_f64).exp());
    assert_eq!(weight(Weights::Dot), 1.0);
    assert!((weight(Weights::Cosine) - 1.0 / 5.0_f64.sqrt()).abs() < 1e-15);
    // Second neighbours: 5 from the first sample, √13 from the second.
    let self_tuned = (-4.0 / (5.0 * 13.0_f64.sqrt())).exp();
    assert!((weight(Weights::SelfTuning { scale_neighbour: 2 }) - self_tuned).abs() < 1e-15);
}

#[test]
fn cosine_neighbours_ignore_the_length() {
    let x = DenseMatrix::new(4, 2, vec![1.0, 0.0, 9.0, 1.0, 0.0, 1.0, 0.0, 0.0]).unwrap();
    let found = nearest_neighbours(&x, 3, Closeness::Cosine).unwrap();
    assert_eq!(found.of(0), [1, 2, 3]);
    assert_eq!(found.distances(0)[1..], [1.0, 1.0]);
}

#[test]
fn equal_rows_are_self_tuned_without_a_division_by_0() {
    let x = DenseMatrix::new(5, 1, vec![1.0, 1.0, 1.0, 3.0, 4.0]).unwrap();
    let settings = NeighbourGraph {
        neighbours: 2,
        weights: Weights::SelfTuning { scale_neighbour: 2 },
        ..NeighbourGraph::default()
    };
    let graph = neighbour_graph(&x, &settings).unwrap();
    assert_eq!(graph.weight(0, 1), 1.0);
    assert!(graph.entries().iter().all(|entry| entry.2 > 0.0 && entry.2 <= 1.0));
}

#[test]
fn a_disconnected_graph_says_so_and_normalizing_keeps_its_empty_rows() {
    let entries = [(0, 1, 2.0), (1, 0, 2.0), (3, 4, 1.0), (4, 3, 1.0), (2, 2, 5.0)];
    let graph = Graph::from_entries(6, &entries).unwrap();
    assert_eq!(graph.components(), [0, 0, 1, 2, 2, 3]);
    assert_eq!((graph.n_components(), graph.isolated()), (4, vec![2, 5]));
    assert_eq!(graph.degrees(), [2.0, 2.0, 5.0, 1.0, 1.0, 0.0]);
    let normalized = graph.normalized();
    assert!((normalized.weight(0, 1) - 1.0).abs() < 1e-15 && normalized.neighbours(5).0.is_empty());
    let factor = Matrix::from_fn(6, 2, |i, j| (i + 10 * j) as f64);
    let product = graph.times(&factor);
    assert_eq!(product.row(0), [2.0, 22.0]);
    assert_eq!(product.row(5), [0.0, 0.0]);
    assert_eq!(Graph::from_matrix(&graph.to_matrix()).unwrap(), graph);
    assert_eq!(graph.to_sparse().to_dense().as_slice(), graph.to_matrix().as_slice());
    assert_eq!(graph.largest_weight(), 5.0);
    let joined = graph.with_pairs(&[(1, 3, 4.0), (0, 1, 0.0)]).unwrap();
    assert_eq!((joined.weight(3, 1), joined.weight(1, 0), joined.n_entries()), (4.0, 0.0, 5));
}

#[test]
fn bad_graphs_and_settings_are_refused_with_their_place() {
    let message = Graph::from_entries(3, &[(0, 2, 1.0), (2, 0, 1.5)]).unwrap_err().to_string();
    assert!(message.contains("pair (0, 2)") && message.contains("is 1, that of (2, 0) is 1.5"), "{message}");
    assert!(Graph::from_entries(3, &[(0, 2, 1.0)]).is_err());
    assert!(matches!(Graph::from_entries(0, &[]), Err(Error::Empty { .. })));
    assert!(matches!(Graph::from_entries(2, &[(0, 2, 1.0)]), Err(Error::OutOfRange { .. })));
    assert!(matches!(Graph::from_entries(2, &[(0, 1, -1.0)]), Err(Error::Negative { first: (0, 1), .. })));
    assert!(matches!(Graph::from_entries(2, &[(0, 1, f64::NAN)]), Err(Error::NotFinite { .. })));
    assert!(matches!(Graph::from_matrix(&Matrix::zeros(2, 3)), Err(Error::Shape { .. })));
    let x = DenseMatrix::new(3, 1, vec![1.0, 2.0, 4.0]).unwrap();
    for k in [0, 3] {
        let message = nearest_neighbours(&x, k, Closeness::Euclidean).unwrap_err().to_string();
        assert!(message.contains("1 to 2"), "{message}");
    }
    for width in [0.0, -1.0, f64::NAN] {
        let weights = Weights::Heat { width };
        let settings = NeighbourGraph { neighbours: 1, weights, ..NeighbourGraph::default() };
        assert!(matches!(neighbour_graph(&x, &settings), Err(Error::OutOfRange { .. })));
    }
    let broken = DenseMatrix::new(2, 1, vec![1.0, f64::INFINITY]).unwrap();
    let data: &dyn DataMatrix<f64> = &broken;
    assert!(matches!(nearest_neighbours(data, 1, Closeness::Euclidean), Err(Error::NotFinite { .. })));
}
