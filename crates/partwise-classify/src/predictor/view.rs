//! Posteriors of rows that the classification did not see, by one view of the data, one row at a time.
//!
//! ```text
//! fused graph   a new row joins the 7 nearest samples in each space that the fused graph is made of: the
//!               unit rows, the cosines to the centroids, the codes of WS-NMF; weights as in graphs.rs
//! A(x)          Σⱼ s(x, j)·Aⱼ over the fused graph, Aⱼ the first smoothing of sample j
//! refinements   A(x); A(x) + 0.9·Σⱼ s_D(x, j)·Bⱼ in the space of the discriminants; the Gaussian and the
//!               multinomial mixture, which are linear in x; each as sharp as in the fit
//! R(x)          their product, with the weights of the fit
//! posteriors    ∝ R(x) + 0.8·Σⱼ s'(x, j)·Fⱼ, Fⱼ the last smoothing
//! ```
//!
//! F = R + 0.8·S'F is what the last smoothing solves, so each line is the equation of a sample for one more
//! row, with the others as they are. The base classifiers act through A only. A row is predicted in the same
//! way whatever other rows come with it.
//!
//! Reference: Delalleau, Bengio & Le Roux, "Efficient non-parametric function induction in semi-supervised
//! learning", AISTATS 2005.

use partwise::internals::{Pool, RowGroups, in_range};
use partwise::{
    DataMatrix, DenseMatrix, Encoding, Error, Iteration, Labels, Loss, Matrix, Real, Result, Settings,
    SolverChoice, encode,
};
use std::ops::ControlFlow;

use super::space::{Edges, Space};
use crate::centroids::centroids;
use crate::ensemble::product_of;
use crate::graphs::{FittedCodes, Prepared, unit_rows};
use crate::linear_scores::LinearScores;
use crate::posteriors::{logarithms, normalized, sharpened};
use crate::refinement::{FIRST_ALPHA, LAST_ALPHA, Rule, Rules};
use crate::result::{Candidate, CandidateGraph};

/// Of codes, relative to the squared length of each component: with more components than features the codes
/// of a row would not be unique, and depend on the rows that come with it.
const RIDGE: f64 = 1e-6;
/// Rows that are predicted together.
const BLOCK: usize = 256;

/// What one view gives for new rows. It contains the samples of the fit at unit length, because their
/// neighbours among new rows follow from them.
#[derive(Debug)]
pub(crate) struct ViewPredictor<T: Real> {
    pub(super) features: usize,
    pub(super) classes: usize,
    /// The graph of the data, and its weight.
    pub(super) rows: (f64, Space<T>),
    /// The other spaces that the fused graph is made of, with their weights.
    pub(super) others: Vec<(f64, Map<T>, Space<f64>)>,
    pub(super) discriminants: Option<(LinearScores, Space<f64>)>,
    pub(super) graph_weights: [f64; 2],
    /// The smoothings: the first, the one among discriminants, the last (n × c each).
    pub(super) smoothings: [Matrix<f64>; 3],
    pub(super) vote_weights: [f64; 2],
    pub(super) vote_sharpness: [f64; 2],
    pub(super) mixtures: [Rule; 2],
}

/// Where a row lies in another space.
#[derive(Debug)]
pub(super) enum Map<T: Real> {
    /// The cosines to the class centroids (d × c).
    Cosines(Matrix<f64>),
    /// The codes of these components (k × d) at their lengths (k).
    Codes(Matrix<T>, Vec<f64>),
}

impl<T: Real> Map<T> {
    /// The directions of the unit rows `data` in the space.
    fn points(&self, data: &dyn DataMatrix<T>) -> Result<Box<dyn DataMatrix<f64>>> {
        let points = match self {
            Map::Cosines(directions) => partwise::internals::times(data, directions),
            Map::Codes(components, lengths) => {
                let settings = Settings {
                    solver: SolverChoice::Bpp,
                    max_iterations: 1,
                    tolerance: 0.0,
                    threads: 1,
                    ..Settings::new(components.rows())
                };
                let observer = &mut |_: &Iteration| ControlFlow::Continue(());
                let mut encoding = Encoding::plain(components.rows());
                encoding.ridge = lengths.iter().map(|length| RIDGE * length * length).collect();
                let codes = encode(data, components, &encoding, Loss::Frobenius, &settings, observer)?.codes;
                Matrix::from_fn(codes.rows(), codes.columns(), |i, j| codes.get(i, j).to_f64() * lengths[j])
            }
        };
        Ok(unit_rows(&DenseMatrix::from_matrix(points)?))
    }
}

impl<T: Real> ViewPredictor<T> {
    pub(crate) fn new(
        prepared: &Prepared<'_, T>,
        labels: &Labels,
        (candidates, codes): (&[Candidate], Vec<(usize, FittedCodes<T>)>),
        rules: Rules,
        pool: &Pool,
    ) -> Result<Self> {
        let weight = |of: CandidateGraph| {
            candidates.iter().filter(|c| c.graph == of).map(|c| c.weight * c.share).sum::<f64>()
        };
        let of_data: f64 = candidates.iter().map(|c| c.weight * (1.0 - c.share)).sum();
        let mut others: Vec<(f64, Map<T>, Matrix<f64>)> = Vec::new();
        if weight(CandidateGraph::Centroids) > 0.0 {
            let found = centroids(prepared.rows.as_ref(), labels);
            others.push((weight(CandidateGraph::Centroids), Map::Cosines(found.directions), found.cosines));
        }
        for (per_class, codes) in codes {
            let FittedCodes { components, lengths, scaled } = codes;
            let map = Map::Codes(components, lengths);
            others.push((weight(CandidateGraph::Codes(per_class)), map, scaled.cast()));
        }
        let made = pool.map(others, |(weight, map, points)| {
            let points = DenseMatrix::from_matrix(points)?;
            Ok((weight, map, Space::new(unit_rows(&points).as_ref())?))
        });
        let discriminants = rules.votes.space.map(|(points, linear)| {
            let points = DenseMatrix::from_matrix(points)?;
            Ok::<_, Error>((linear, Space::new(&points)?))
        });
        Ok(ViewPredictor {
            features: prepared.rows.n_features(),
            classes: labels.n_classes(),
            rows: (of_data, Space::new(prepared.rows.as_ref())?),
            others: made.into_iter().collect::<Result<_>>()?,
            discriminants: discriminants.transpose()?,
            graph_weights: rules.graph_weights,
            smoothings: [rules.votes.first, rules.votes.second, rules.last],
            vote_weights: rules.votes.weights,
            vote_sharpness: rules.votes.sharpness,
            mixtures: [rules.gaussian_mixture, rules.last_linear],
        })
    }

    /// The number of features that rows must have.
    pub(super) fn n_features(&self) -> usize {
        self.features
    }

    /// The number of classes.
    pub(super) fn n_classes(&self) -> usize {
        self.classes
    }

    /// The posterior of each class for each row of `data` (n × d, checked): n × c, rows sum to 1.
    pub(super) fn posteriors(&self, data: &dyn DataMatrix<T>, threads: usize) -> Result<Matrix<f64>> {
        let n = data.n_samples();
        let divided = in_range(data);
        let rows = unit_rows(divided.as_ref().map_or(data, |(divided, _)| divided.as_ref()));
        let starts: Vec<usize> = (0..n).step_by(BLOCK).collect();
        let parts = Pool::new(threads).map(starts, |start| {
            let end = (start + BLOCK).min(n);
            let block: Vec<usize> = (start..end).collect();
            self.of_unit_rows(rows.grouped(&RowGroups::chosen(&block, n)).as_ref(), end - start)
        });
        let mut out = Matrix::zeros(n, self.classes);
        for (at, part) in parts.into_iter().enumerate() {
            let (part, first) = (part?, at * BLOCK * self.classes);
            out.as_mut_slice()[first..first + part.as_slice().len()].copy_from_slice(part.as_slice());
        }
        Ok(out)
    }

    /// The posteriors of the first `n` unit rows.
    fn of_unit_rows(&self, rows: &dyn DataMatrix<T>, n: usize) -> Result<Matrix<f64>> {
        let mut fused: Vec<Edges> = vec![Edges::new(); n];
        let mut add = |weight: f64, edges: Vec<Edges>| {
            for (all, edges) in fused.iter_mut().zip(edges) {
                all.extend(edges.into_iter().map(|(j, edge)| (j, weight * edge)));
            }
        };
        if self.rows.0 > 0.0 {
            add(self.rows.0, self.rows.1.edges(rows));
        }
        for (weight, map, space) in &self.others {
            add(*weight, space.edges(map.points(rows)?.as_ref()));
        }
        let first = normalized(self.votes(&fused, &self.smoothings[0], 1.0));
        let among = match &self.discriminants {
            Some((linear, space)) => {
                let mut edges = space.edges(&DenseMatrix::from_matrix(linear.of(rows))?);
                edges.truncate(n);
                edges
            }
            None => fused.clone(),
        };
        let second = normalized(sum(&first, self.votes(&among, &self.smoothings[1], FIRST_ALPHA)));
        let mut members = Vec::new();
        for (at, posteriors) in [first, second].into_iter().enumerate() {
            let posteriors = sharpened(&logarithms(&posteriors), self.vote_sharpness[at]);
            members.push((posteriors, self.vote_weights[at]));
        }
        for rule in &self.mixtures {
            if let Some(linear) = &rule.scores {
                members.push((sharpened(&linear.of(rows), rule.sharpness), rule.weight));
            }
        }
        let mut posteriors = product_of((n, self.classes), members.iter().map(|(p, w)| (p, *w)));
        for (edges, weight) in [(&fused, self.graph_weights[0]), (&among, self.graph_weights[1])] {
            posteriors = sum(&posteriors, self.votes(edges, &self.smoothings[2], LAST_ALPHA * weight));
        }
        Ok(normalized(posteriors))
    }

    /// weight·Σⱼ s(x, j)·valueⱼ for each row (n × c).
    fn votes(&self, edges: &[Edges], values: &Matrix<f64>, weight: f64) -> Matrix<f64> {
        let mut out = Matrix::zeros(edges.len(), self.classes);
        for (i, edges) in edges.iter().enumerate() {
            for (j, edge) in edges {
                let values = values.row(*j as usize).iter();
                // An unfinished solve may leave values slightly below 0.
                out.row_mut(i).iter_mut().zip(values).for_each(|(sum, v)| *sum += weight * edge * v.max(0.0));
            }
        }
        out
    }
}

fn sum(one: &Matrix<f64>, mut other: Matrix<f64>) -> Matrix<f64> {
    other.as_mut_slice().iter_mut().zip(one.as_slice()).for_each(|(sum, v)| *sum += v);
    other
}
