//! Spherical constrained k-means: the classes as directions.
//!
//! ```text
//! start: m_c = unit(Σ of the labelled unit rows of c)
//! repeat: each sample to the largest xᵢ·m_c (labelled ones keep their class),
//!         m_c = unit(Σ of the unit rows of c)
//! ```
//!
//! References: S. Basu, A. Banerjee, R. J. Mooney, "Semi-supervised clustering by seeding", ICML 2002
//! (constrained); I. S. Dhillon, D. S. Modha, "Concept decompositions for large sparse text data using
//! clustering", Machine Learning 42, 2001, doi:10.1023/A:1007612920971 (spherical).

use partwise::internals::times;
use partwise::{DataMatrix, Labels, Matrix, Real, Result};

use crate::checks::check_data;
use crate::graphs::unit_rows;
use crate::posteriors::largest;

/// Iterations at most.
const MAX_ITERATIONS: usize = 100;

/// Where samples stand between the classes.
pub(crate) struct Centroids {
    /// xᵢ·m_c (n × c): the cosines.
    pub(crate) cosines: Matrix<f64>,
    /// m as columns (d × c): what the cosines are taken with.
    pub(crate) directions: Matrix<f64>,
    /// The part of the samples in each cluster (c).
    pub(crate) sizes: Vec<f64>,
}

/// The class of each row of `data` (n × d) by spherical constrained k-means from the labels: the clusters
/// that [`classify`](crate::classify) takes class sizes and a graph from. Rows are compared by direction.
///
/// # Errors
/// As [`classify`](crate::classify).
pub fn spherical_k_means<T: Real>(data: &dyn DataMatrix<T>, labels: &Labels) -> Result<Vec<usize>> {
    check_data(data, labels)?;
    let cosines = centroids(unit_rows(data).as_ref(), labels).cosines;
    let class = |i: usize| labels.class(i).unwrap_or_else(|| largest(cosines.row(i)));
    Ok((0..data.n_samples()).map(class).collect())
}

/// `data` (n × d) has rows of unit length or 0.
pub(crate) fn centroids<T: Real>(data: &dyn DataMatrix<T>, labels: &Labels) -> Centroids {
    let (n, classes) = (data.n_samples(), labels.n_classes());
    let mut of: Vec<Option<usize>> = (0..n).map(|i| labels.class(i)).collect();
    let (mut cosines, mut directions) = (Matrix::zeros(n, classes), Matrix::zeros(0, 0));
    for _ in 0..MAX_ITERATIONS {
        directions = directions_of(data, &of, classes);
        cosines = times(data, &directions);
        let next: Vec<Option<usize>> =
            (0..n).map(|i| labels.class(i).or_else(|| Some(largest(cosines.row(i))))).collect();
        if std::mem::replace(&mut of, next) == of {
            break;
        }
    }
    let mut sizes = vec![0.0; classes];
    of.iter().flatten().for_each(|&c| sizes[c] += 1.0 / n as f64);
    Centroids { cosines, directions, sizes }
}

/// m as columns (d × k).
fn directions_of<T: Real>(data: &dyn DataMatrix<T>, of: &[Option<usize>], classes: usize) -> Matrix<f64> {
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
