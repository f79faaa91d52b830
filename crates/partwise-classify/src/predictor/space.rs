//! Samples as points, and the edges of new points to them: as if each new point alone had joined the graph.

use partwise::graphs::Closeness;
use partwise::internals::{RowGroups, check_interrupt, nearest_neighbours, times};
use partwise::{DataMatrix, Matrix, Real, Result};

use crate::graphs::NEIGHBOURS;

/// Samples whose products with the new points are computed together at most, and the numbers in their rows.
const BLOCK: usize = 256;
const NUMBERS: usize = 1 << 22;
/// Products of single precision may order neighbours wrongly: so many times as many are looked at again.
const MARGIN: usize = 2;

/// The edges of a new point: samples and normalized weights.
pub(super) type Edges = Vec<(u32, f64)>;

/// The points that have neighbours.
#[derive(Debug)]
pub(super) struct Space<T: Real> {
    /// m × p. None where there are no two points.
    pub(super) points: Option<Box<dyn DataMatrix<T>>>,
    /// The samples that the points are (m).
    pub(super) samples: Vec<u32>,
    /// The distance of each point to its last neighbour (m).
    pub(super) scales: Vec<f64>,
    /// The sum of the weights of the edges of each point (m).
    pub(super) degrees: Vec<f64>,
}

impl<T: Real> Space<T> {
    /// Of the rows of `data` (n × p) that are not 0.
    pub(super) fn new(data: &dyn DataMatrix<T>) -> Result<Self> {
        let zeros = &data.summary().zero_rows;
        let n = data.n_samples();
        let samples: Vec<u32> =
            (0..n).filter(|i| zeros.binary_search(i).is_err()).map(|i| i as u32).collect();
        if samples.len() < 2 {
            return Ok(Space { points: None, samples: Vec::new(), scales: Vec::new(), degrees: Vec::new() });
        }
        // Rows of zeros are added to the first point, which leaves it as it is.
        let mut group = vec![0; n];
        samples.iter().zip(0u32..).for_each(|(i, at)| group[*i as usize] = at);
        let points = data.grouped(&RowGroups { group, scale: vec![1.0; samples.len()] });
        let k = NEIGHBOURS.min(samples.len() - 1);
        let lists = nearest_neighbours(points.as_ref(), k, Closeness::Euclidean)?;
        let scales: Vec<f64> = (0..samples.len()).map(|i| lists.distances(i)[k - 1]).collect();
        let mut degrees = vec![0.0; samples.len()];
        for i in 0..samples.len() {
            for (&j, distance) in lists.of(i).iter().zip(lists.distances(i)) {
                let j = j as usize;
                let weight = weight(distance * distance, scales[i], scales[j]);
                degrees[i] += weight;
                // Where both are neighbours of each other, each adds the edge to itself.
                if !lists.of(j).contains(&(i as u32)) {
                    degrees[j] += weight;
                }
            }
        }
        Ok(Space { points: Some(points), samples, scales, degrees })
    }

    /// The edges of each row of `new` (p columns). A row of zeros has none.
    pub(super) fn edges(&self, new: &dyn DataMatrix<T>) -> Vec<Edges> {
        let n = new.n_samples();
        let Some(points) = &self.points else { return vec![Edges::new(); n] };
        let points = points.as_ref();
        let zeros = &new.summary().zero_rows;
        let near = self.near(points, new);
        let (mut row, mut other) = (vec![0.0; new.n_features()], vec![0.0; new.n_features()]);
        let mut of = |(i, near): (usize, Vec<u32>)| {
            if zeros.binary_search(&i).is_ok() {
                return Edges::new();
            }
            row.fill(0.0);
            new.add_row(i, 1.0, &mut row);
            let mut exact: Vec<(f64, u32)> = Vec::with_capacity(near.len());
            for at in near {
                other.fill(0.0);
                points.add_row(at as usize, 1.0, &mut other);
                let square = row.iter().zip(&other).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
                exact.push((square, at));
            }
            self.weighed(exact)
        };
        near.into_iter().enumerate().map(&mut of).collect()
    }

    /// The edges to the points at these squared distances: the nearest, and those that have the new point
    /// among their nearest.
    fn weighed(&self, mut near: Vec<(f64, u32)>) -> Edges {
        near.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let k = NEIGHBOURS.min(near.len());
        let Some(scale) = near.get(k.wrapping_sub(1)).map(|(square, _)| square.sqrt()) else {
            return Edges::new();
        };
        let is_edge = |(place, (square, at)): &(usize, (f64, u32))| {
            *place < k || square.sqrt() < self.scales[*at as usize]
        };
        let mut edges: Edges = near
            .into_iter()
            .enumerate()
            .filter(is_edge)
            .map(|(_, (square, at))| (at, weight(square, scale, self.scales[at as usize])))
            .filter(|(_, weight)| *weight > 0.0)
            .collect();
        let degree: f64 = edges.iter().map(|(_, weight)| weight).sum();
        for (at, weight) in &mut edges {
            let other = self.degrees[*at as usize] + *weight;
            *weight /= (degree * other).sqrt();
            *at = self.samples[*at as usize];
        }
        edges
    }

    /// For each new row the points that may be joined to it, by products.
    fn near(&self, points: &dyn DataMatrix<T>, new: &dyn DataMatrix<T>) -> Vec<Vec<u32>> {
        let (n, m, p) = (new.n_samples(), points.n_samples(), points.n_features());
        let squares = |data: &dyn DataMatrix<T>| {
            let mut row = vec![0.0; p];
            let mut square = |i: usize| {
                row.fill(0.0);
                data.add_row(i, 1.0, &mut row);
                row.iter().map(|v| v * v).sum::<f64>()
            };
            (0..data.n_samples()).map(&mut square).collect::<Vec<f64>>()
        };
        let (own, theirs) = (squares(new), squares(points));
        let slack = 4.0 * (p as f64 + 8.0) * T::EPSILON.to_f64();
        let most = MARGIN * NEIGHBOURS;
        let mut nearest: Vec<Vec<(f64, u32)>> = vec![Vec::new(); n];
        let mut joining: Vec<Vec<u32>> = vec![Vec::new(); n];
        let length = (NUMBERS / p.max(1)).clamp(8, BLOCK);
        for start in (0..m).step_by(length) {
            check_interrupt();
            let block = start..(start + length).min(m);
            let mut rows = Matrix::<f64>::zeros(block.len(), p);
            block.clone().for_each(|j| points.add_row(j, 1.0, rows.row_mut(j - start)));
            let products = times(new, &rows.transposed());
            for i in 0..n {
                for j in block.clone() {
                    let sum = own[i] + theirs[j];
                    let square = sum - 2.0 * products.get(i, j - start);
                    let near = &mut nearest[i];
                    if near.len() < most || square < near[most - 1].0 {
                        let at = near.partition_point(|(other, _)| *other <= square);
                        near.insert(at, (square, j as u32));
                        near.truncate(most);
                    }
                    if square - slack * sum < self.scales[j] * self.scales[j] {
                        joining[i].push(j as u32);
                    }
                }
            }
        }
        let all = nearest.into_iter().zip(joining).map(|(near, mut all)| {
            all.extend(near.into_iter().map(|(_, j)| j));
            all.sort_unstable();
            all.dedup();
            all
        });
        all.collect()
    }
}

/// exp(−‖x − y‖²/(s·t)), as in the graphs of the fit.
fn weight(square: f64, s: f64, t: f64) -> f64 {
    if square == 0.0 { 1.0 } else { (-square / (s * t)).exp() }
}
