//! Rows with a Gram of their own.

use std::ops::Range;

use crate::foundation::{Matrix, Real};

/// Rows that share a Gram of their own: G + weight·(D − D^½ d dᵀ D^½) + A with the unit vector d (or zeros)
/// and the quadratic's diagonal metric D. It is what remains of an anchor w ≈ scale·reference after its free
/// scale is minimized out.
#[derive(Clone, Debug, PartialEq)]
pub struct RowGroup<T> {
    /// The rows, ascending.
    pub rows: Vec<u32>,
    /// How strongly the rows are pulled towards the direction (m² of WS-NMF).
    pub weight: T,
    /// The direction, of unit length (k), or zeros.
    pub direction: Vec<T>,
    /// A further part A (k × k) of the Gram, symmetric; G + A is positive semi-definite without a negative
    /// entry where G is. 0 when absent.
    pub added: Option<Matrix<T>>,
    /// p (k): the Gram gets D·p on its diagonal. 0 when absent.
    pub penalty: Option<Vec<T>>,
    /// Vectors v (k), each of which takes D^½vvᵀD^½ from the Gram; what is left of the penalty is positive
    /// semi-definite.
    pub pulls: Vec<Vec<T>>,
    /// The entries (k) that are 0 and stay so. None when absent.
    pub held: Option<Vec<bool>>,
}

impl<T: Real> RowGroup<T> {
    /// Rows whose Gram is G + A.
    pub(crate) fn with_gram(rows: Vec<u32>, added: Matrix<T>) -> Self {
        let k = added.columns();
        RowGroup { added: Some(added), ..RowGroup::plain(rows, k) }
    }

    /// Rows whose Gram is G.
    pub(crate) fn plain(rows: Vec<u32>, rank: usize) -> Self {
        RowGroup {
            rows,
            weight: T::ZERO,
            direction: vec![T::ZERO; rank],
            added: None,
            penalty: None,
            pulls: Vec::new(),
            held: None,
        }
    }

    /// Its rows within a range.
    pub(crate) fn within(&self, range: &Range<usize>) -> &[u32] {
        let place = |bound: usize| self.rows.partition_point(|row| (*row as usize) < bound);
        &self.rows[place(range.start)..place(range.end)]
    }

    /// D^½·v.
    fn in_metric(vector: &[T], metric: Option<&[T]>) -> Vec<T> {
        match metric {
            None => vector.to_vec(),
            Some(metric) => vector.iter().zip(metric).map(|(d, m)| *d * Real::sqrt(*m)).collect(),
        }
    }

    /// What is taken from the Gram: weight times the square of each vector.
    pub(super) fn taken(&self, metric: Option<&[T]>) -> Vec<(T, Vec<T>)> {
        let mut taken = vec![(self.weight, Self::in_metric(&self.direction, metric))];
        taken.extend(self.pulls.iter().map(|pull| (T::ONE, Self::in_metric(pull, metric))));
        taken
    }

    /// What D is multiplied by on the diagonal.
    pub(super) fn diagonal(&self, j: usize) -> T {
        self.weight + self.penalty.as_ref().map_or(T::ZERO, |p| p[j])
    }

    pub(super) fn holds(&self, j: usize) -> bool {
        self.held.as_ref().is_some_and(|held| held[j])
    }

    /// G + weight·(D − D^½ d dᵀ D^½) + D·p − Σ D^½ v vᵀ D^½ + A, k × k; D = I without a metric. Held entries
    /// have no curvature, nor any link with the others.
    pub fn gram(&self, base: &Matrix<T>, metric: Option<&[T]>) -> Matrix<T> {
        let k = base.columns();
        let taken = self.taken(metric);
        // Vectors of zeros take nothing, and most groups have no others.
        let taken: Vec<&(T, Vec<T>)> = taken
            .iter()
            .filter(|(weight, v)| *weight != T::ZERO && v.iter().any(|v| *v != T::ZERO))
            .collect();
        // What is left of a Gram of which (nearly) all is taken away is rounding: no curvature then.
        let least = T::from_f64(T::EPSILON.to_f64() * 64.0);
        let vanishes = |j: usize| {
            self.holds(j)
                || self.added.as_ref().is_some_and(|a| base.get(j, j) + a.get(j, j) <= least * base.get(j, j))
        };
        let vanishing: Vec<usize> = (0..k).filter(|j| vanishes(*j)).collect();
        let mut gram = base.clone();
        for i in 0..k {
            let row = gram.row_mut(i);
            if vanishing.contains(&i) {
                row.fill(T::ZERO);
                continue;
            }
            let diagonal = metric.map_or(T::ONE, |m| m[i]) * self.diagonal(i);
            if taken.is_empty() {
                row[i] += diagonal;
            } else {
                for (j, value) in row.iter_mut().enumerate() {
                    let taken: T = taken.iter().map(|(weight, v)| *weight * (v[i] * v[j])).sum();
                    *value += if i == j { diagonal - taken } else { T::ZERO - taken };
                }
            }
            if let Some(added) = &self.added {
                row.iter_mut().zip(added.row(i)).for_each(|(value, a)| *value += *a);
            }
            vanishing.iter().for_each(|j| row[*j] = T::ZERO);
        }
        gram
    }

    /// Whether its Gram has no negative entry beside a non-negative base: true when each vector that is taken
    /// from it has one non-zero entry.
    pub(crate) fn is_diagonal(&self) -> bool {
        let single = |v: &[T]| v.iter().filter(|d| **d != T::ZERO).count() <= 1;
        single(&self.direction) && self.pulls.iter().all(|pull| single(pull))
    }

    /// The same rows with the rules of both.
    pub(super) fn joined(mut self, other: &Self) -> Self {
        if self.weight == T::ZERO {
            (self.weight, self.direction) = (other.weight, other.direction.clone());
        } else if other.weight != T::ZERO {
            // A second weight and direction are a penalty on every entry and a pull.
            let weight = vec![other.weight; other.direction.len()];
            let root = Real::sqrt(other.weight);
            let pull = other.direction.iter().map(|d| root * *d).collect();
            self = self.joined(&RowGroup {
                penalty: Some(weight),
                pulls: vec![pull],
                ..RowGroup::plain(Vec::new(), other.direction.len())
            });
        }
        let sum = |mut a: Vec<T>, b: &[T]| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += *b);
            a
        };
        self.penalty = match (self.penalty, &other.penalty) {
            (Some(a), Some(b)) => Some(sum(a, b)),
            (a, b) => a.or_else(|| b.clone()),
        };
        self.pulls.extend(other.pulls.iter().cloned());
        self.held = match (self.held, &other.held) {
            (Some(a), Some(b)) => Some(a.iter().zip(b).map(|(a, b)| *a || *b).collect()),
            (a, b) => a.or_else(|| b.clone()),
        };
        self.added = match (self.added, &other.added) {
            (Some(mut a), Some(b)) => {
                a.as_mut_slice().iter_mut().zip(b.as_slice()).for_each(|(a, b)| *a += *b);
                Some(a)
            }
            (a, b) => a.or_else(|| b.clone()),
        };
        self
    }
}
