//! The graphs of nearest neighbours are those of the reference fixtures, which GNMF and SemiGNMF start from.

use partwise::graphs::{NeighbourGraph, Weights, neighbour_graph};
use partwise::{DataMatrix, DenseMatrix, SparseMatrix};
use partwise_lab::golden::{Comparison, Fixture, fixtures_folder};

#[test]
fn neighbour_graphs_are_those_of_the_fixtures() {
    let folder = fixtures_folder(None).unwrap();
    let names = [
        "gnmf_binary__dense.json",
        "gnmf_binary__zeros.json",
        "gnmf_dot__sparse.json",
        "gnmf_heat__dense.json",
    ];
    for name in names {
        let fixture = Fixture::read(&folder, name).unwrap();
        let weights = match fixture.field(&["hyper", "weight"]).unwrap().as_str().unwrap() {
            "binary" => Weights::Binary,
            "dot" => Weights::Dot,
            "heat" => Weights::Heat { width: fixture.hyper("sigma").unwrap() },
            other => panic!("{name} has weights of the kind {other}"),
        };
        let neighbours = fixture.hyper("p").unwrap() as usize;
        let settings =
            NeighbourGraph { neighbours, weights, isolate_zero_rows: false, ..NeighbourGraph::default() };
        let problem = fixture.problem().unwrap();
        let dense = DenseMatrix::from_matrix(problem.dense().unwrap()).unwrap();
        let triplets = problem.sparse().unwrap();
        let (n, d) = triplets.shape;
        let entries = triplets.entries.iter().map(|&(i, j, x)| (i as u32, j as u32, x)).collect();
        let sparse = SparseMatrix::from_triplets(n, d, entries).unwrap().0;
        for data in [&dense as &dyn DataMatrix<f64>, &sparse] {
            let graph = neighbour_graph(data, &settings).unwrap();
            let mut comparison = Comparison::of(name);
            comparison.matrix("G", None, &graph.to_matrix(), &fixture.data_matrix("G").unwrap());
            let failures = comparison.into_failures();
            assert!(failures.is_empty(), "{failures:?}");
        }
    }
}
