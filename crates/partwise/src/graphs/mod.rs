//! Weighted graphs of samples: built from nearest neighbours or given, normalized, split into connected
//! components. Models and comparison methods build on them.
//!
//! ```text
//! A (n × n) symmetric, non-negative;   dᵢ = Σⱼ Aᵢⱼ;   L = diag(d) − A;   normalized: D^-½ A D^-½
//! ```
//!
//! ```
//! use partwise::DenseMatrix;
//! use partwise::graphs::{NeighbourGraph, Weights, neighbour_graph};
//!
//! let x = DenseMatrix::new(4, 1, vec![0.5, 1.0, 10.0, 11.5])?;
//! let settings = NeighbourGraph { neighbours: 1, weights: Weights::Binary, ..NeighbourGraph::default() };
//! let graph = neighbour_graph(&x, &settings)?;
//! assert_eq!(graph.neighbours(0), (&[1_u32][..], &[1.0][..]));
//! assert_eq!(graph.components(), [0, 0, 1, 1]);
//! # Ok::<(), partwise::Error>(())
//! ```

mod nearest;
mod spreading;
mod weights;

pub use nearest::Closeness;
#[doc(hidden)]
pub use nearest::{Neighbours, nearest_neighbours};
#[doc(hidden)]
pub use spreading::{Spread, label_propagation, label_spreading, spread_scores};
#[doc(hidden)]
pub use weights::of_neighbours;
pub use weights::{NeighbourGraph, Weights, neighbour_graph};

use crate::data::SparseMatrix;
use crate::foundation::{Error, Matrix, Real, Result};
use crate::kernels::asymmetry_allowed;

/// A symmetric graph with weights > 0 over n samples; an entry (i, i) is a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    offsets: Vec<usize>,
    neighbours: Vec<u32>,
    weights: Vec<f64>,
}

/// Columns in order, weights of the same column summed.
fn summed(mut row: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    // A stable sort: equal places keep the order in which they are summed.
    row.sort_by_key(|entry| entry.0);
    row.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0.0 };
        same
    });
    row
}

impl Graph {
    /// The graph over `n` samples with the entries (row, column, weight) of its matrix: each edge is listed
    /// both ways. Entries of the same place are summed, zeros are left out.
    ///
    /// # Errors
    /// [`Error::Empty`] when n is 0; [`Error::OutOfRange`] for an entry outside n × n; [`Error::NotFinite`]
    /// and [`Error::Negative`] for such weights; [`Error::NotSymmetric`] when the weights of (i, j) and (j,
    /// i) differ by more than 7.6e-6 of the largest weight (64 roundings of an `f32`), with the pair and both
    /// weights. Within that, the weight of the pair is their mean.
    pub fn from_entries(n: usize, entries: &[(usize, usize, f64)]) -> Result<Self> {
        if n == 0 {
            return Err(Error::Empty { samples: 0, features: 0 });
        }
        if n > u32::MAX as usize {
            return Err(Error::out_of_range(
                "the number of samples of a graph",
                n,
                format!("at most {}", u32::MAX),
            ));
        }
        check_entries(n, entries)?;
        let mut rows = vec![Vec::new(); n];
        for &(i, j, weight) in entries {
            rows[i].push((j as u32, weight));
        }
        Self::from_rows(rows.into_iter().map(summed).collect()).symmetric()
    }

    /// The graph of a symmetric, non-negative matrix (n × n).
    ///
    /// # Errors
    /// [`Error::Shape`] when it is not square, and as [`Graph::from_entries`].
    pub fn from_matrix(matrix: &Matrix<f64>) -> Result<Self> {
        let (n, columns) = matrix.shape();
        if n != columns {
            return Err(Error::shape(
                "the matrix of a graph",
                "as many columns as rows",
                format!("{n} x {columns}"),
            ));
        }
        let places = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let entries: Vec<_> = places.map(|(i, j)| (i, j, matrix.get(i, j))).filter(|e| e.2 != 0.0).collect();
        Self::from_entries(n, &entries)
    }

    /// Rows of (column, weight), columns ascending, symmetric; zeros are left out.
    fn from_rows(rows: Vec<Vec<(u32, f64)>>) -> Self {
        let mut graph = Graph { offsets: vec![0], neighbours: Vec::new(), weights: Vec::new() };
        for row in rows {
            for (j, weight) in row.into_iter().filter(|entry| entry.1 != 0.0) {
                graph.neighbours.push(j);
                graph.weights.push(weight);
            }
            graph.offsets.push(graph.neighbours.len());
        }
        graph
    }

    /// Symmetric to the last bit, both weights of a pair at their mean, or the first pair that isn't within
    /// rounding.
    fn symmetric(self) -> Result<Self> {
        let allowed = asymmetry_allowed(self.weights.iter().fold(0.0, |largest, weight| weight.max(largest)));
        let mut exact = true;
        for i in 0..self.n_samples() {
            let (neighbours, weights) = self.neighbours(i);
            let mut first: Option<(usize, (f64, f64))> = None;
            for (&j, &weight) in neighbours.iter().zip(weights) {
                let (j, back) = (j as usize, self.weight(j as usize, i));
                exact &= weight == back;
                if (weight - back).abs() > allowed && first.is_none() {
                    first = Some((j, (weight, back)));
                }
            }
            if let Some((j, (weight, back))) = first {
                let (pair, values) = if i < j { ((i, j), (weight, back)) } else { ((j, i), (back, weight)) };
                return Err(Error::NotSymmetric { what: "the graph".into(), pair, values });
            }
        }
        if exact {
            return Ok(self);
        }
        let mut rows = vec![Vec::new(); self.n_samples()];
        for i in 0..self.n_samples() {
            let (neighbours, weights) = self.neighbours(i);
            for (&j, weight) in neighbours.iter().zip(weights) {
                rows[i].push((j, 0.5 * weight));
                rows[j as usize].push((i as u32, 0.5 * weight));
            }
        }
        Ok(Self::from_rows(rows.into_iter().map(summed).collect()))
    }

    /// n.
    pub fn n_samples(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of entries of the matrix that are not 0: twice the edges, and the loops.
    pub fn n_entries(&self) -> usize {
        self.neighbours.len()
    }

    /// The neighbours (ascending) and weights of sample `i`.
    ///
    /// # Panics
    /// When `i` is out of range.
    pub fn neighbours(&self, i: usize) -> (&[u32], &[f64]) {
        let entries = self.offsets[i]..self.offsets[i + 1];
        (&self.neighbours[entries.clone()], &self.weights[entries])
    }

    /// The weight between `i` and `j`, 0 where there is no edge.
    ///
    /// # Panics
    /// When `i` is out of range.
    pub fn weight(&self, i: usize, j: usize) -> f64 {
        let (neighbours, weights) = self.neighbours(i);
        neighbours.binary_search(&(j as u32)).map_or(0.0, |at| weights[at])
    }

    /// The entries (row, column, weight) of the matrix, row by row: each edge both ways.
    pub fn entries(&self) -> Vec<(usize, usize, f64)> {
        let row = |i: usize| {
            let (neighbours, weights) = self.neighbours(i);
            neighbours.iter().zip(weights).map(move |(j, weight)| (i, *j as usize, *weight))
        };
        (0..self.n_samples()).flat_map(row).collect()
    }

    /// The sums of the rows (n).
    #[doc(hidden)]
    pub fn degrees(&self) -> Vec<f64> {
        (0..self.n_samples()).map(|i| self.neighbours(i).1.iter().sum()).collect()
    }

    /// The largest weight, 0 for a graph without an edge.
    #[doc(hidden)]
    pub fn largest_weight(&self) -> f64 {
        self.weights.iter().fold(0.0, |largest, weight| weight.max(largest))
    }

    /// For each sample the number of its connected component (n), components numbered by their first sample.
    pub fn components(&self) -> Vec<usize> {
        let mut component = vec![usize::MAX; self.n_samples()];
        let mut count = 0;
        let mut waiting = Vec::new();
        for first in 0..self.n_samples() {
            if component[first] != usize::MAX {
                continue;
            }
            component[first] = count;
            waiting.push(first);
            while let Some(i) = waiting.pop() {
                for &j in self.neighbours(i).0 {
                    if component[j as usize] == usize::MAX {
                        component[j as usize] = count;
                        waiting.push(j as usize);
                    }
                }
            }
            count += 1;
        }
        component
    }

    /// The number of connected components; more than one means that the graph is disconnected.
    pub fn n_components(&self) -> usize {
        self.components().iter().max().map_or(0, |last| last + 1)
    }

    /// Samples without an edge to another sample, ascending.
    pub fn isolated(&self) -> Vec<usize> {
        (0..self.n_samples()).filter(|&i| self.neighbours(i).0.iter().all(|&j| j as usize == i)).collect()
    }

    /// The graph with `weight(i, j, old)` in place of each weight. The function must give the same for (i, j)
    /// and (j, i).
    ///
    /// # Panics
    /// When a new weight is negative or not finite.
    #[doc(hidden)]
    pub fn mapped(&self, weight: impl Fn(usize, usize, f64) -> f64) -> Self {
        let mut graph = self.clone();
        for i in 0..self.n_samples() {
            for at in self.offsets[i]..self.offsets[i + 1] {
                let new = weight(i, self.neighbours[at] as usize, self.weights[at]);
                assert!(new >= 0.0 && new.is_finite(), "the weights of a graph are non-negative and finite");
                graph.weights[at] = new;
            }
        }
        graph
    }

    /// D^-½ A D^-½, with D the degrees. Samples of degree 0 keep their empty rows.
    #[doc(hidden)]
    pub fn normalized(&self) -> Self {
        let scale: Vec<f64> =
            self.degrees().into_iter().map(|d| if d > 0.0 { 1.0 / d.sqrt() } else { 0.0 }).collect();
        self.mapped(|i, j, weight| scale[i] * scale[j] * weight)
    }

    /// The graph with the weight of each pair (i, j, weight) of `changes` set, both ways; 0 takes an edge
    /// out. Of a pair that comes twice the last one counts.
    ///
    /// # Errors
    /// As [`Graph::from_entries`], but for the symmetry, which is made.
    #[doc(hidden)]
    pub fn with_pairs(&self, changes: &[(usize, usize, f64)]) -> Result<Self> {
        check_entries(self.n_samples(), changes)?;
        let mut rows: Vec<Vec<(u32, f64)>> = (0..self.n_samples())
            .map(|i| {
                let (neighbours, weights) = self.neighbours(i);
                neighbours.iter().copied().zip(weights.iter().copied()).collect()
            })
            .collect();
        for &(i, j, weight) in changes {
            rows[i].push((j as u32, weight));
            if i != j {
                rows[j].push((i as u32, weight));
            }
        }
        for row in &mut rows {
            row.sort_by_key(|entry| entry.0);
            row.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 = next.1;
                }
                same
            });
        }
        Ok(Self::from_rows(rows))
    }

    /// Σ wₘ·Aₘ of graphs over the same samples with weights wₘ ≥ 0; a graph of weight 0 leaves no trace.
    ///
    /// # Errors
    /// [`Error::Empty`] for no graphs; [`Error::Shape`] when they have different numbers of samples;
    /// [`Error::OutOfRange`] for a weight that is not finite and 0 or more.
    #[doc(hidden)]
    pub fn weighted_sum(graphs: &[(f64, &Graph)]) -> Result<Self> {
        let Some((_, first)) = graphs.first() else {
            return Err(Error::Empty { samples: 0, features: 0 });
        };
        let n = first.n_samples();
        for (weight, graph) in graphs {
            if graph.n_samples() != n {
                return Err(Error::shape(
                    "a graph of the sum",
                    format!("{n} samples"),
                    format!("{} samples", graph.n_samples()),
                ));
            }
            if !(*weight >= 0.0 && weight.is_finite()) {
                return Err(Error::out_of_range(
                    "the weight of a graph in a sum",
                    weight,
                    "a finite number of 0 or more",
                ));
            }
        }
        let mut sums = vec![0.0; n];
        let mut present = vec![false; n];
        let row = |i: usize| {
            let mut places = Vec::new();
            for (weight, graph) in graphs.iter().filter(|(weight, _)| *weight > 0.0) {
                let (neighbours, weights) = graph.neighbours(i);
                for (&j, a) in neighbours.iter().zip(weights) {
                    if !std::mem::replace(&mut present[j as usize], true) {
                        places.push(j);
                    }
                    sums[j as usize] += weight * a;
                }
            }
            places.sort_unstable();
            let entry = |&j: &u32| (j, sums[j as usize]);
            let entries: Vec<(u32, f64)> = places.iter().map(entry).collect();
            for &j in &places {
                (present[j as usize], sums[j as usize]) = (false, 0.0);
            }
            entries
        };
        Ok(Self::from_rows((0..n).map(row).collect()))
    }

    /// A · `factor` (n × k).
    ///
    /// # Panics
    /// When `factor` has not n rows.
    #[doc(hidden)]
    pub fn times(&self, factor: &Matrix<f64>) -> Matrix<f64> {
        assert_eq!(factor.rows(), self.n_samples(), "the factor has one row for each sample");
        let mut out = Matrix::zeros(factor.rows(), factor.columns());
        for i in 0..self.n_samples() {
            let (neighbours, weights) = self.neighbours(i);
            let row = out.row_mut(i);
            for (&j, &weight) in neighbours.iter().zip(weights) {
                for (sum, value) in row.iter_mut().zip(factor.row(j as usize)) {
                    *sum += weight * value;
                }
            }
        }
        out
    }

    /// A in full (n × n).
    pub fn to_matrix(&self) -> Matrix<f64> {
        let mut matrix = Matrix::zeros(self.n_samples(), self.n_samples());
        for (i, j, weight) in self.entries() {
            matrix.set(i, j, weight);
        }
        matrix
    }

    /// A as sparse data (n × n).
    #[doc(hidden)]
    pub fn to_sparse(&self) -> SparseMatrix<'static, f64> {
        self.to_sparse_in()
    }

    /// A as sparse data (n × n) in the number type `T`.
    #[doc(hidden)]
    pub fn to_sparse_in<T: Real>(&self) -> SparseMatrix<'static, T> {
        let n = self.n_samples();
        let weights: Vec<T> = self.weights.iter().map(|weight| T::from_f64(*weight)).collect();
        SparseMatrix::new(n, n, self.offsets.clone(), self.neighbours.clone(), weights)
            .expect("a graph has the arrays of a sparse matrix")
    }
}

fn check_entries(n: usize, entries: &[(usize, usize, f64)]) -> Result<()> {
    let what = || "the weights of the graph".to_string();
    if let Some(&(i, j, _)) = entries.iter().find(|entry| entry.0 >= n || entry.1 >= n) {
        return Err(Error::out_of_range(
            "an edge of the graph",
            format!("({i}, {j})"),
            format!("between samples 0 to {}", n - 1),
        ));
    }
    if let Some(&(i, j, _)) = entries.iter().find(|entry| !entry.2.is_finite()) {
        return Err(Error::NotFinite {
            what: what(),
            nan: entries.iter().filter(|entry| entry.2.is_nan()).count(),
            infinite: entries.iter().filter(|entry| entry.2.is_infinite()).count(),
            first: (i, j),
        });
    }
    if let Some(&(i, j, value)) = entries.iter().find(|entry| entry.2 < 0.0) {
        let count = entries.iter().filter(|entry| entry.2 < 0.0).count();
        return Err(Error::Negative { what: what(), count, first: (i, j), value });
    }
    Ok(())
}
