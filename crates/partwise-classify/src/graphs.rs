//! What is made of the data once, and graphs of neighbours.

use partwise::graphs::{Graph, NeighbourGraph, Weights, neighbour_graph};
use partwise::guidance::{Advice, Guidance, Strength};
use partwise::internals::RowGroups;
use partwise::internals::check_interrupt;
use partwise::{
    DataMatrix, DenseMatrix, Init, Labels, Matrix, MethodOptions, Model, Real, Result, Settings,
    SolverChoice, fit,
};

use crate::settings::ClassifySettings;

/// Neighbours in every graph, and the one whose distance is the scale.
pub(crate) const NEIGHBOURS: usize = 7;
/// Coordinate sweeps of WS-NMF over each factor in an iteration.
const SWEEPS: usize = 2;

/// What is made of the data alone.
pub(crate) struct Prepared<'s, T: Real> {
    /// X with rows of unit length (or 0).
    pub(crate) rows: Box<dyn DataMatrix<T>>,
    /// G(X), not normalized.
    affinities: Graph,
    /// S_X.
    pub(crate) graph: Graph,
    pub(crate) settings: &'s ClassifySettings,
    /// Whether the data are a table that is classified by its columns too: its values are measurements, not
    /// counts, and its classes are more often unequal than those of texts and images.
    pub(crate) of_table: bool,
}

impl<'s, T: Real> Prepared<'s, T> {
    pub(crate) fn new(data: &dyn DataMatrix<T>, settings: &'s ClassifySettings) -> Result<Self> {
        let rows = unit_rows(data);
        let affinities = self_tuning(rows.as_ref())?;
        let graph = affinities.normalized();
        Ok(Prepared { rows, affinities, graph, settings, of_table: false })
    }

    /// One view of a table.
    pub(crate) fn of_table(data: &dyn DataMatrix<T>, settings: &'s ClassifySettings) -> Result<Self> {
        Ok(Prepared { of_table: true, ..Prepared::new(data, settings)? })
    }

    /// S_p: the graph of the codes of WS-NMF with `per_class` components per class.
    pub(crate) fn graph_of_codes(&self, labels: &Labels, per_class: usize) -> Result<Graph> {
        graph_of_rows(self.codes(labels, per_class)?.scaled)
    }

    /// WS-NMF with `per_class` components per class.
    pub(crate) fn codes(&self, labels: &Labels, per_class: usize) -> Result<FittedCodes<T>> {
        let rank = labels.n_classes() * per_class;
        let labels = Advice::labels(labels.clone()).with_strength(Strength::STRONG);
        let strength = Strength::of_sigma(self.settings.graph_weight.sqrt());
        let graph = Advice::Graph { graph: self.affinities.clone(), strength };
        let options = MethodOptions { components_per_class: per_class, ..MethodOptions::default() };
        let model = Model::ws_nmf(Guidance::from(labels).with(graph)).with_options(options);
        let settings = Settings {
            solver: SolverChoice::Hals,
            inner_steps: Some(SWEEPS),
            init: Init::Exemplars,
            max_iterations: self.settings.iterations,
            tolerance: 0.0,
            seed: self.settings.seed,
            threads: 1,
            ..Settings::new(rank)
        };
        let found = fit(self.rows.as_ref(), &model, &settings)?;
        let length =
            |j: usize| found.components.row(j).iter().map(|v| v.to_f64() * v.to_f64()).sum::<f64>().sqrt();
        let lengths: Vec<f64> = (0..rank).map(length).collect();
        let scaled = |i: usize, j: usize| T::from_f64(found.codes.get(i, j).to_f64() * lengths[j]);
        let scaled = Matrix::from_fn(found.codes.rows(), rank, scaled);
        Ok(FittedCodes { components: found.components, lengths, scaled })
    }
}

/// The codes of a WS-NMF, and what gives those of new rows.
pub(crate) struct FittedCodes<T> {
    /// H (k × d).
    pub(crate) components: Matrix<T>,
    /// The length of each component (k).
    pub(crate) lengths: Vec<f64>,
    /// The codes of the samples at unit length of the components (n × k).
    pub(crate) scaled: Matrix<T>,
}

/// The normalized graph of the directions of rows.
pub(crate) fn graph_of_rows<T: Real>(rows: Matrix<T>) -> Result<Graph> {
    let rows = DenseMatrix::from_matrix(rows)?;
    Ok(self_tuning(unit_rows(&rows).as_ref())?.normalized())
}

/// The normalized graph of points, by their distances.
pub(crate) fn graph_of_points(points: Matrix<f64>) -> Result<Graph> {
    Ok(self_tuning(&DenseMatrix::from_matrix(points)?)?.normalized())
}

fn self_tuning<T: Real>(data: &dyn DataMatrix<T>) -> Result<Graph> {
    let neighbours = NEIGHBOURS.min(data.n_samples() - 1);
    let weights = Weights::SelfTuning { scale_neighbour: neighbours };
    neighbour_graph(data, &NeighbourGraph { neighbours, weights, ..NeighbourGraph::default() })
}

/// Rows divided by their length; rows of zeros stay, and those whose length is too small to divide by become
/// such.
pub(crate) fn unit_rows<T: Real>(data: &dyn DataMatrix<T>) -> Box<dyn DataMatrix<T>> {
    let n = data.n_samples();
    let mut row = vec![0.0; data.n_features()];
    let mut scale = |i: usize| {
        check_interrupt();
        data.add_row(i, 1.0, &mut row);
        // By the largest entry first, so that the square of no entry leaves the range of numbers.
        let largest = row.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let square: f64 = row.iter().map(|v| (v / largest) * (v / largest)).sum();
        data.add_row(i, -1.0, &mut row);
        let length = largest * square.sqrt();
        if length.is_normal() { 1.0 / length } else { 0.0 }
    };
    let scale = (0..n).map(&mut scale).collect();
    data.grouped(&RowGroups { group: (0..n as u32).collect(), scale })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_at_both_ends_of_the_range_of_numbers_have_a_finite_direction() {
        let lengths = [0.0, 5e-324, 1e-310, 1e-300, 1.0, 1e300];
        let x = Matrix::from_fn(lengths.len(), 2, |i, j| lengths[i] * [3.0, 4.0][j]);
        let unit = unit_rows(&DenseMatrix::from_matrix(x).unwrap());
        for (i, length) in lengths.iter().enumerate() {
            let norm = unit.row_dot(i, &[0.6, 0.8]);
            let expected = if *length < 1e-305 { 0.0 } else { 1.0 };
            assert!((norm - expected).abs() < 1e-12, "{norm} at {length:e}");
        }
    }
}
