//! From codes to clusters and memberships.

use partwise::recipes::{ShareOf, shares};
use partwise::{Matrix, Real};

/// The component that each sample belongs to, and its memberships.
#[derive(Clone, Debug)]
pub(crate) struct Memberships<T> {
    /// The component with the largest membership (the first of equals); `None` for a row of zeros.
    /// Memberships are compared, not codes: scaling a component up and its codes down does not change the
    /// factorization.
    pub(crate) cluster: Vec<Option<usize>>,
    /// n × k: code · size of the component over its row sum; zeros in a row of zeros.
    pub(crate) shares: Matrix<T>,
    /// How they measure a component.
    pub(crate) of: ShareOf,
}

impl<T: Real> Memberships<T> {
    /// From W (n × k) and H (k × d).
    pub(crate) fn new(codes: &Matrix<T>, components: &Matrix<T>, of: ShareOf) -> Self {
        let shares = shares(codes, components, of).cast();
        Memberships { cluster: (0..codes.rows()).map(|i| largest(shares.row(i))).collect(), shares, of }
    }

    /// The name of each sample's cluster, blank where there is none.
    pub(crate) fn names(&self, component_names: &[String]) -> Vec<String> {
        self.cluster.iter().map(|c| c.map_or(String::new(), |c| component_names[c].clone())).collect()
    }

    /// Samples of each component (k).
    pub(crate) fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.shares.columns()];
        self.cluster.iter().flatten().for_each(|c| sizes[*c] += 1);
        sizes
    }

    /// The number of samples without memberships (rows of zeros).
    pub(crate) fn undefined(&self) -> usize {
        self.cluster.iter().filter(|c| c.is_none()).count()
    }

    /// The samples with the largest memberships in a component, at most `count`, largest first.
    pub(crate) fn top(&self, component: usize, count: usize) -> Vec<(usize, f64)> {
        let mut all: Vec<(usize, f64)> =
            (0..self.shares.rows()).map(|i| (i, self.shares.get(i, component).to_f64())).collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        all.retain(|(_, share)| *share > 0.0);
        all.truncate(count);
        all
    }
}

/// The place of the largest entry, the first of equals; `None` for zeros.
pub(crate) fn largest<T: Real>(row: &[T]) -> Option<usize> {
    let best = (0..row.len()).fold(0, |best, j| if row[j] > row[best] { j } else { best });
    row.get(best).filter(|value| **value > T::ZERO).map(|_| best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_zeros_belongs_nowhere_and_shares_sum_to_1() {
        let codes = Matrix::from_vec(3, 2, vec![1.0, 2.0, 0.0, 0.0, 3.0, 3.0]).unwrap();
        let components = Matrix::from_vec(2, 2, vec![3.0, 4.0, 0.0, 1.0]).unwrap();
        let found = Memberships::<f64>::new(&codes, &components, ShareOf::Length);
        assert_eq!(found.cluster, [Some(0), None, Some(0)]);
        assert_eq!(found.shares.row(0), [5.0 / 7.0, 2.0 / 7.0]);
        assert_eq!(found.shares.row(1), [0.0, 0.0]);
        let by_sum = Memberships::<f64>::new(&codes, &components, ShareOf::Sum);
        assert_eq!(by_sum.shares.row(0), [7.0 / 9.0, 2.0 / 9.0]);
        assert_eq!((found.sizes(), found.undefined()), (vec![2, 0], 1));
        assert_eq!(found.top(0, 5).iter().map(|t| t.0).collect::<Vec<_>>(), [2, 0]);
    }
}
