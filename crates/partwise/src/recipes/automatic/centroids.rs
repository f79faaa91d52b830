//! Spherical constrained k-means: the classes as directions.
//!
//! ```text
//! start: m_c = unit(Σ of the labelled unit rows of c);   repeat: each sample to the largest xᵢ·m_c (labelled ones keep their class),
//! m_c = unit(Σ of the unit rows of c)
//! ```
//!
//! References: S. Basu, A. Banerjee, R. J. Mooney, "Semi-supervised clustering by seeding", ICML 2002 (constrained); I. S. Dhillon,
//! D. S. Modha, "Concept decompositions for large sparse text data using clustering", Machine Learning 42, 2001,
//! doi 10.1023/A:1007612920971 (spherical). It is no factorization: nothing is alternated but means and the nearest of them.

use super::super::memberships::largest;
use crate::data::{self, DataMatrix};
use crate::foundation::{Matrix, Real};
use crate::guidance::Labels;

/// Iterations at most.
const MAX_ITERATIONS: usize = 100;

/// Where samples stand between the classes.
pub(super) struct Centroids {
    /// xᵢ·m_c (n × k): the cosines.
    pub(super) cosines: Matrix<f64>,
    /// The share of the samples in each cluster (k).
    pub(super) sizes: Vec<f64>,
}

/// `data` (n × d) has rows of unit length or 0.
pub(super) fn centroids<T: Real>(data: &dyn DataMatrix<T>, labels: &Labels) -> Centroids {
    let (n, classes) = (data.n_samples(), labels.n_classes());
    let mut of: Vec<Option<usize>> = (0..n).map(|i| labels.class(i)).collect();
    let mut cosines = Matrix::zeros(n, classes);
    for _ in 0..MAX_ITERATIONS {
        cosines = data::times(data, &directions(data, &of, classes));
        let next: Vec<Option<usize>> =
            (0..n).map(|i| labels.class(i).or_else(|| Some(largest(cosines.row(i))))).collect();
        if std::mem::replace(&mut of, next) == of {
            break;
        }
    }
    let mut sizes = vec![0.0; classes];
    of.iter().flatten().for_each(|&c| sizes[c] += 1.0 / n as f64);
    Centroids { cosines, sizes }
}

/// m as columns (d × k).
fn directions<T: Real>(data: &dyn DataMatrix<T>, of: &[Option<usize>], classes: usize) -> Matrix<f64> {
    let mut sums = Matrix::zeros(classes, data.n_features());
    for (i, class) in of.iter().enumerate() {
        if let Some(class) = class {
            data.add_row(i, 1.0, sums.row_mut(*class));
        }
    }
    for class in 0..classes {
        let row = sums.row_mut(class);
        let length = row.iter().map(|v| v * v).sum::<f64>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|v| *v /= length);
        }
    }
    sums.transposed()
}
