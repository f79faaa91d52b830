//! Graphs of nearest neighbours, and the weights of their edges.
//!
//! ```text
//! edge i–j if i is among the k nearest of j, or j among those of i; no loops
//! binary 1;   heat exp(−‖x − y‖²/σ);   self-tuning exp(−‖x − y‖²/(sᵢsⱼ));   dot x·y;   cosine x·y/(‖x‖‖y‖)
//! ```
//!
//! sᵢ is the distance of xᵢ to its l-th nearest neighbour. References: L. Zelnik-Manor, P. Perona,
//! "Self-tuning spectral clustering", NIPS 2004 (self-tuning, l = 7); D. Cai, X. He, J. Han, T. S. Huang,
//! "Graph regularized nonnegative matrix factorization for data representation", IEEE TPAMI 33, 2011, doi
//! 10.1109/TPAMI.2010.231 (binary, heat, dot).

use super::{Closeness, Graph, nearest_neighbours};
use crate::data::range::in_range;
use crate::data::{DataMatrix, DataSize, INDEX, RowGroups, WORD};
use crate::foundation::{Error, Estimate, Real, Result, once};

/// The weight of an edge between x and y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weights {
    /// 1.
    Binary,
    /// exp(−‖x − y‖²/width), width > 0 (the square of a length of the data).
    Heat {
        /// σ.
        width: f64,
    },
    /// exp(−‖x − y‖²/(sᵢsⱼ)) with sᵢ the distance of xᵢ to its `scale_neighbour`-th nearest neighbour
    /// (Euclidean; 1 to n − 1). Equal rows have the weight 1; where sᵢsⱼ = 0 other rows have no edge.
    SelfTuning {
        /// l.
        scale_neighbour: usize,
    },
    /// x·y. Where that is not positive there is no edge.
    Dot,
    /// x·y/(‖x‖‖y‖). Where that is not positive there is no edge.
    Cosine,
}

impl Weights {
    /// The kinds by name, with a sentence each.
    #[doc(hidden)]
    pub const NAMES: &'static [(&'static str, &'static str)] = &[
        ("binary", "1"),
        ("heat", "exp(-|x - y|^2 / width), for a width"),
        ("self-tuning", "as heat, the width from the distances to each sample's neighbours"),
        ("cosine", "the cosine of the angle; no edge where it is 0"),
        ("dot", "the inner product; no edge where it is 0"),
    ];

    /// Its name.
    #[doc(hidden)]
    pub fn name(self) -> &'static str {
        match self {
            Weights::Binary => "binary",
            Weights::Heat { .. } => "heat",
            Weights::SelfTuning { .. } => "self-tuning",
            Weights::Cosine => "cosine",
            Weights::Dot => "dot",
        }
    }
}

/// The settings of [`neighbour_graph`].
///
/// | setting | default | range |
/// |---|---|---|
/// | `neighbours` | 7 | 1 to n − 1 |
/// | `closeness` | Euclidean | – |
/// | `weights` | self-tuning, scale neighbour 7 | see [`Weights`] |
#[derive(Clone, Debug, PartialEq)]
pub struct NeighbourGraph {
    /// k, the length of the lists of neighbours.
    pub neighbours: usize,
    /// What makes samples near.
    pub closeness: Closeness,
    /// The weights of the edges.
    pub weights: Weights,
    /// Whether rows of zeros, which are near nothing, have no neighbours and are nobody's. Published graphs
    /// join them as all others (false). Default: true.
    pub isolate_zero_rows: bool,
    /// Refuse a graph that would need more bytes than these (see [`memory`](crate::memory)). Default: none.
    pub memory_limit: Option<u64>,
}

impl Default for NeighbourGraph {
    fn default() -> Self {
        NeighbourGraph {
            neighbours: 7,
            closeness: Closeness::Euclidean,
            weights: Weights::SelfTuning { scale_neighbour: 7 },
            isolate_zero_rows: true,
            memory_limit: None,
        }
    }
}

impl NeighbourGraph {
    /// The graph of so many neighbours with the weights of this name. `width` is that of heat weights;
    /// self-tuning weights take the last neighbour for their scale, cosine weights the angle for nearness.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the valid names; [`Error::Incompatible`] for heat weights without a width,
    /// and for a width of other weights.
    #[doc(hidden)]
    pub fn named(neighbours: usize, weights: &str, width: Option<f64>) -> Result<Self> {
        let (closeness, scale_neighbour) = (Closeness::Euclidean, neighbours);
        let (closeness, weights) = match (weights, width) {
            ("binary", None) => (closeness, Weights::Binary),
            ("heat", Some(width)) => (closeness, Weights::Heat { width }),
            ("self-tuning", None) => (closeness, Weights::SelfTuning { scale_neighbour }),
            ("cosine", None) => (Closeness::Cosine, Weights::Cosine),
            ("dot", None) => (closeness, Weights::Dot),
            _ => {
                Error::choose(
                    "kind of weights",
                    weights,
                    Weights::NAMES.iter().map(|(name, _)| (*name, ())),
                )?;
                return Err(Error::Incompatible {
                    asked: format!(
                        "{weights} weights with{} a width",
                        if width.is_some() { "" } else { "out" }
                    ),
                    reason: "a width is that of heat weights, which need one".into(),
                    valid: vec!["heat weights with a width".into(), "other weights without".into()],
                });
            }
        };
        Ok(NeighbourGraph { neighbours, closeness, weights, ..NeighbourGraph::default() })
    }
}

once! {
    /// The graph of the nearest neighbours of the rows of `data` (n × d): the union of the lists, ties to the
    /// lower number, without loops. It may be disconnected: [`Graph::n_components`] tells.
    ///
    /// A row of zeros is near nothing: it has no neighbours, and the others choose theirs (so many as there
    /// are at most) without it ([`NeighbourGraph::isolate_zero_rows`]).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a number of neighbours that is 0 or not below n, or a heat width that is not
    /// positive and finite; [`Error::NotFinite`] for such data; [`Error::Memory`].
    pub fn neighbour_graph<'a, T>(
        data: &'a dyn DataMatrix<T>,
        settings: &'a NeighbourGraph,
    ) -> Result<Graph> = graph_of;
}

/// The body of [`neighbour_graph`].
fn graph_of<T: Real>(data: &dyn DataMatrix<T>, settings: &NeighbourGraph) -> Result<Graph> {
    let (size, neighbours) = (DataSize::of(data), settings.neighbours.min(data.n_samples()));
    let what = format!("the graph of {neighbours} neighbours of each of {} samples", size.samples);
    of_neighbours(size, neighbours).check(&what, settings.memory_limit)?;
    let Some((divided, c)) = in_range(data) else { return graph_in_range(data, settings) };
    // Heat is measured in the squared unit of the data, and so is the weight of an inner product; the others
    // have none.
    let weights = match settings.weights {
        Weights::Heat { width } => Weights::Heat { width: width / c / c },
        other => other,
    };
    let graph = graph_in_range(divided.as_ref(), &NeighbourGraph { weights, ..*settings })?;
    if settings.weights != Weights::Dot {
        return Ok(graph);
    }
    let largest = graph.largest_weight() * c * c;
    if !(largest.is_finite() && (largest > 0.0 || graph.n_entries() == 0)) {
        return Err(Error::out_of_range(
            "the largest inner product of two samples",
            format!("{largest:e}"),
            "above 0 and in the range of f64; scale the data (for example to a maximum of 1)",
        ));
    }
    Ok(graph.mapped(|_, _, weight| weight * c * c))
}

fn graph_in_range<T: Real>(data: &dyn DataMatrix<T>, settings: &NeighbourGraph) -> Result<Graph> {
    let (n, summary) = (data.n_samples(), data.summary());
    let zeros = &summary.zero_rows;
    let valid = |k: usize| k > 0 && k < n;
    let scale = match settings.weights {
        Weights::SelfTuning { scale_neighbour } => scale_neighbour,
        _ => 1,
    };
    if !settings.isolate_zero_rows
        || zeros.is_empty()
        || summary.first_not_finite.is_some()
        || !valid(settings.neighbours)
        || !valid(scale)
    {
        return graph_of_rows(data, settings);
    }
    if zeros.len() + 2 > n {
        return Ok(Graph::from_rows(vec![Vec::new(); n]));
    }
    // All others in order; rows of zeros are added to the first of them, which leaves it as it is.
    let mut others: Vec<u32> = (0..n as u32).collect();
    others.retain(|i| zeros.binary_search(&(*i as usize)).is_err());
    let mut group = vec![0; n];
    others.iter().enumerate().for_each(|(at, i)| group[*i as usize] = at as u32);
    let rows = data.grouped(&RowGroups { group, scale: vec![1.0; others.len()] });
    let most = others.len() - 1;
    let weights = match settings.weights {
        Weights::SelfTuning { scale_neighbour } => {
            Weights::SelfTuning { scale_neighbour: scale_neighbour.min(most) }
        }
        other => other,
    };
    let neighbours = settings.neighbours.min(most);
    let settings = NeighbourGraph { neighbours, weights, ..*settings };
    let graph = graph_of_rows(rows.as_ref(), &settings)?;
    let mut weighted = vec![Vec::new(); n];
    for (at, i) in others.iter().enumerate() {
        let (neighbours, weights) = graph.neighbours(at);
        let place = |(j, weight): (&u32, &f64)| (others[*j as usize], *weight);
        weighted[*i as usize] = neighbours.iter().zip(weights).map(place).collect();
    }
    Ok(Graph::from_rows(weighted))
}

fn graph_of_rows<T: Real>(data: &dyn DataMatrix<T>, settings: &NeighbourGraph) -> Result<Graph> {
    let weigh = Weigher::new(data, settings.weights)?;
    let lists = nearest_neighbours(data, settings.neighbours, settings.closeness)?;
    let n = data.n_samples();
    let mut rows: Vec<Vec<u32>> = vec![Vec::with_capacity(2 * settings.neighbours); n];
    for i in 0..n {
        for &j in lists.of(i) {
            rows[i].push(j);
            rows[j as usize].push(i as u32);
        }
    }
    let mut weighted: Vec<Vec<(u32, f64)>> = vec![Vec::new(); n];
    let mut row = vec![0.0; data.n_features()];
    for i in 0..n {
        rows[i].sort_unstable();
        rows[i].dedup();
        data.add_row(i, 1.0, &mut row);
        // Each pair is weighed once, so the graph is symmetric to the last bit; rows fill in ascending order.
        for &j in rows[i].iter().filter(|j| **j as usize > i) {
            let weight = weigh.weight(i, j as usize, &row);
            if weight > 0.0 {
                weighted[i].push((j, weight));
                weighted[j as usize].push((i as u32, weight));
            }
        }
        data.add_row(i, -1.0, &mut row);
    }
    weighted.iter_mut().for_each(|row| row.sort_unstable_by_key(|entry| entry.0));
    Ok(Graph::from_rows(weighted))
}

struct Weigher<'a, T: Real> {
    data: &'a dyn DataMatrix<T>,
    weights: Weights,
    /// sᵢ for self-tuning weights, ‖xᵢ‖ for cosines.
    scales: Vec<f64>,
}

impl<'a, T: Real> Weigher<'a, T> {
    fn new(data: &'a dyn DataMatrix<T>, weights: Weights) -> Result<Self> {
        let n = data.n_samples();
        let scales = match weights {
            Weights::Heat { width } if !(width > 0.0 && width.is_finite()) => {
                return Err(Error::out_of_range(
                    "the width of the heat weights",
                    width,
                    "positive and finite",
                ));
            }
            Weights::SelfTuning { scale_neighbour: l } => {
                let nearest = nearest_neighbours(data, l, Closeness::Euclidean)?;
                (0..n).map(|i| nearest.distances(i)[l - 1]).collect()
            }
            Weights::Cosine => {
                let mut row = vec![0.0; data.n_features()];
                let mut norm = |i: usize| {
                    data.add_row(i, 1.0, &mut row);
                    let norm = data.row_dot(i, &row).sqrt();
                    data.add_row(i, -1.0, &mut row);
                    norm
                };
                (0..n).map(&mut norm).collect()
            }
            _ => Vec::new(),
        };
        Ok(Weigher { data, weights, scales })
    }

    /// The weight between samples `i`, whose values are `row` (d), and `j`.
    fn weight(&self, i: usize, j: usize, row: &[f64]) -> f64 {
        match self.weights {
            Weights::Binary => 1.0,
            Weights::Heat { width } => (-self.data.squared_distance(i, j) / width).exp(),
            Weights::SelfTuning { .. } => {
                let distance = self.data.squared_distance(i, j);
                if distance == 0.0 { 1.0 } else { (-distance / (self.scales[i] * self.scales[j])).exp() }
            }
            Weights::Dot => self.data.row_dot(j, row),
            Weights::Cosine => {
                let norms = self.scales[i] * self.scales[j];
                if norms > 0.0 { self.data.row_dot(j, row) / norms } else { 0.0 }
            }
        }
    }
}

/// What the graph of so many nearest neighbours needs: [`neighbour_graph`](neighbour_graph).
#[doc(hidden)]
pub fn of_neighbours(size: DataSize, neighbours: usize) -> Estimate {
    let edges = size.rows() * neighbours as f64;
    Estimate {
        parts: vec![
            ("the sums of rows and columns", size.sums() + WORD * size.columns()),
            ("the columns of the sparse data", size.transpose()),
            ("products of samples", 64.0 * size.rows() * size.number as f64 + 3.0 * WORD * size.rows()),
            // Lists of neighbours with distances; both ends of each edge; edges with weights, first by rows,
            // then as one graph.
            ("the neighbours", edges * (INDEX + WORD) + 2.0 * edges * (INDEX + 2.0 * WORD)),
            ("the graph", 2.0 * edges * (INDEX + WORD)),
        ],
        advice: vec![format!("fewer neighbours than {neighbours}"), "fewer samples".into()],
    }
}
