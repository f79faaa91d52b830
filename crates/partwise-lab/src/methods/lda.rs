//! Linear discriminant analysis.
//!
//! ```text
//! S_w = Σ_c Σ_{i in c} (xᵢ − μ_c)(xᵢ − μ_c)ᵀ + ridge·(trace/d)·I = L Lᵀ      (d × d, Cholesky)
//! S_b = Σ_c n_c (μ_c − m)(μ_c − m)ᵀ = B Bᵀ                                   (B: d × c)
//! directions v: S_b v = λ S_w v, vᵀS_w v = 1, from the c × c eigenproblem of (L⁻¹B)ᵀ(L⁻¹B)
//! ```
//!
//! With fewer labelled samples than features all of this takes place in the coordinates of an orthonormal
//! basis of the labelled samples' span, which holds every direction: outside of it S_b is 0 and S_w a
//! multiple of I.
//!
//! Sums run over labelled samples, m is their mean. A sample belongs to the class whose mean is nearest in
//! the coordinates X V (n × r), r ≤ c − 1.
//!
//! Reference: R. A. Fisher, "The use of multiple measurements in taxonomic problems", Annals of Eugenics 7,
//! 1936, doi 10.1111/j.1469-1809.1936.tb02137.x. The ridge, a share of the mean variance, makes S_w
//! invertible.

use partwise::internals::symmetric_eigen;
use partwise::{DataMatrix, DenseMatrix, Error, Labels, Matrix, Result};

use super::rows::{self, dot, times};
use super::{Outcome, Task};

/// S_w is d × d in full: 3 GiB at this many features (or labelled samples, if those are fewer).
const MOST_DIMENSIONS: usize = 20_000;
/// What is left of a sample's length outside the span of others and counts as rounding.
const ROUNDING: f64 = 1e-12;

/// The ridge of the registry.
const RIDGE: f64 = 0.01;

/// Discriminant directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Lda {
    /// λ, descending (r).
    pub eigenvalues: Vec<f64>,
    /// V (d × r); the largest entry of each column is positive.
    pub directions: Matrix<f64>,
    /// The class means in the coordinates (c × r).
    pub class_points: Matrix<f64>,
}

impl Lda {
    /// X V (rows of `data` × r).
    ///
    /// # Errors
    /// [`Shape`](partwise::Error::Shape) when the data have another number of features.
    pub fn coordinates(&self, data: &dyn DataMatrix<f64>) -> Result<Matrix<f64>> {
        super::check_features(data, self.directions.rows())?;
        Ok(times(data, &self.directions))
    }

    /// The class of each row of `data`: the nearest class mean in the coordinates, ties to the lower class.
    ///
    /// # Errors
    /// As [`Lda::coordinates`].
    pub fn classes(&self, data: &dyn DataMatrix<f64>) -> Result<Vec<usize>> {
        let points = self.coordinates(data)?;
        let distance = |i: usize, c: usize| -> f64 {
            points.row(i).iter().zip(self.class_points.row(c)).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let nearest = |i| rows::smallest((0..self.class_points.rows()).map(|c| distance(i, c)));
        Ok((0..points.rows()).map(nearest).collect())
    }
}

/// The discriminant directions of `data` (n × d) for `labels`, with `ridge` > 0 as a share of the mean of
/// S_w's diagonal. Time l·d² + d³/3 for l labelled samples, memory d² numbers; l²·d and l·d for l < d.
///
/// # Errors
/// [`Error::Shape`] when labels are not one a sample; [`Error::Labels`] for fewer than two classes;
/// [`Error::OutOfRange`] for a ridge that is not positive and finite, or more than 20,000 features and
/// labelled samples (reduce the features by principal components first); [`Error::Incompatible`] when all
/// labelled samples of each class are equal; [`Error::NotFinite`] for such data.
pub fn lda(data: &dyn DataMatrix<f64>, labels: &Labels, ridge: f64) -> Result<Lda> {
    let d = data.n_features();
    super::check_labels(data, labels)?;
    super::check_two_classes("discriminant analysis", labels)?;
    rows::check_finite(data)?;
    if !(ridge > 0.0 && ridge.is_finite()) {
        return Err(rows::out_of_range("the ridge of discriminant analysis", ridge, "positive and finite"));
    }
    let labelled: Vec<usize> = (0..labels.n_samples()).filter(|&i| labels.class(i).is_some()).collect();
    let dimensions = labelled.len().min(d);
    let name = "the number of features, or of labelled samples if those are fewer, for discriminant analysis";
    rows::check_count(name, dimensions, MOST_DIMENSIONS)?;
    if labelled.len() >= d {
        return directions(data, labels, ridge, d);
    }
    let basis = span(data, &labelled);
    if basis.rows() == 0 {
        return Err(no_scatter());
    }
    let points = times(data, &basis.transposed());
    let inner = directions(&DenseMatrix::from_matrix(points)?, labels, ridge, d)?;
    let mut directions = Matrix::zeros(inner.directions.columns(), d);
    for r in 0..directions.rows() {
        let row = directions.row_mut(r);
        for place in 0..basis.rows() {
            let share = inner.directions.get(place, r);
            row.iter_mut().zip(basis.row(place)).for_each(|(value, b)| *value += share * b);
        }
    }
    let flips = positive_largest_entries(&mut directions);
    let (classes, kept) = inner.class_points.shape();
    let point = |c: usize, r: usize| if flips[r] { -1.0 } else { 1.0 } * inner.class_points.get(c, r);
    let class_points = Matrix::from_fn(classes, kept, point);
    Ok(Lda { class_points, directions: directions.transposed(), ..inner })
}

fn no_scatter() -> Error {
    Error::Incompatible {
        asked: "discriminant analysis".into(),
        reason: "the labelled samples of each class are all equal, so there is no scatter to compare with"
            .into(),
        valid: vec!["more labelled samples".into()],
    }
}

/// An orthonormal basis of what some samples span (at most as many × d): Gram and Schmidt, twice.
fn span(data: &dyn DataMatrix<f64>, samples: &[usize]) -> Matrix<f64> {
    let d = data.n_features();
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(samples.len());
    for &sample in samples {
        let mut row = vec![0.0; d];
        data.add_row(sample, 1.0, &mut row);
        let length = dot(&row, &row).sqrt();
        for _ in 0..2 {
            for known in &basis {
                let share = dot(known, &row);
                row.iter_mut().zip(known).for_each(|(value, known)| *value -= share * known);
            }
        }
        let left = dot(&row, &row).sqrt();
        if left > ROUNDING * length {
            row.iter_mut().for_each(|value| *value /= left);
            basis.push(row);
        }
    }
    Matrix::from_fn(basis.len(), d, |place, j| basis[place][j])
}

/// Turns each row so that its largest entry is positive; which were turned.
fn positive_largest_entries(columns: &mut Matrix<f64>) -> Vec<bool> {
    let count = columns.rows();
    let mut turn = |r: usize| {
        let row = columns.row_mut(r);
        let turned = !row.is_empty() && row[rows::largest(row.iter().map(|value| value.abs()))] < 0.0;
        if turned {
            row.iter_mut().for_each(|value| *value = -*value);
        }
        turned
    };
    (0..count).map(&mut turn).collect()
}

/// In all coordinates of `data` (n × m). The ridge is a share of the mean variance of `features` ≥ m
/// coordinates, those that are not here having none.
fn directions(data: &dyn DataMatrix<f64>, labels: &Labels, ridge: f64, features: usize) -> Result<Lda> {
    let (d, classes) = (data.n_features(), labels.n_classes());
    let means = rows::means(data, |i| labels.class(i), &Matrix::zeros(classes, d));
    let mut within = within_scatter(data, labels, &means);
    let mean_variance = (0..d).map(|j| within.get(j, j)).sum::<f64>() / features as f64;
    if mean_variance == 0.0 {
        return Err(no_scatter());
    }
    (0..d).for_each(|j| within.set(j, j, within.get(j, j) + ridge * mean_variance));
    cholesky(&mut within);
    let counts = labels.counts();
    let total = counts.iter().sum::<usize>() as f64;
    let overall: Vec<f64> = (0..d)
        .map(|j| (0..classes).map(|c| counts[c] as f64 * means.get(c, j)).sum::<f64>() / total)
        .collect();
    // Rows are columns of B, then of L⁻¹B.
    let mut whitened =
        Matrix::from_fn(classes, d, |c, j| (counts[c] as f64).sqrt() * (means.get(c, j) - overall[j]));
    (0..classes).for_each(|c| solve_lower(&within, whitened.row_mut(c)));
    let (values, vectors) = symmetric_eigen(&rows::times_transposed(&whitened, &whitened));
    let largest = values[classes - 1];
    // S_b has rank c − 1 at most; what is below is rounding.
    let kept: Vec<usize> =
        (0..classes).rev().take((classes - 1).min(d)).filter(|&e| values[e] > 1e-12 * largest).collect();
    let mut columns = Matrix::from_fn(kept.len(), d, |r, j| {
        let scale = 1.0 / values[kept[r]].sqrt();
        scale * (0..classes).map(|c| vectors.get(c, kept[r]) * whitened.get(c, j)).sum::<f64>()
    });
    (0..kept.len()).for_each(|r| solve_upper(&within, columns.row_mut(r)));
    positive_largest_entries(&mut columns);
    Ok(Lda {
        eigenvalues: kept.iter().map(|&e| values[e]).collect(),
        class_points: rows::times_transposed(&means, &columns),
        directions: columns.transposed(),
    })
}

/// As the registry runs it: ridge 0.01.
pub(super) fn run(task: &Task<'_>) -> Result<Outcome> {
    let found = lda(task.data, task.labels("discriminant analysis")?, RIDGE)?;
    let classes = found.classes(task.data)?;
    Ok(Outcome { coordinates: Some(found.coordinates(task.data)?), ..Outcome::clusters(&classes) })
}

/// Σ (x − μ)(x − μ)ᵀ over labelled samples, some hundred at a time.
fn within_scatter(data: &dyn DataMatrix<f64>, labels: &Labels, means: &Matrix<f64>) -> Matrix<f64> {
    let d = data.n_features();
    let labelled: Vec<usize> = (0..labels.n_samples()).filter(|&i| labels.class(i).is_some()).collect();
    let mut within: Matrix<f64> = Matrix::zeros(d, d);
    for some in labelled.chunks(512) {
        let mut deviations = Matrix::zeros(some.len(), d);
        for (row, &i) in some.iter().enumerate() {
            let class = labels.class(i).expect("only labelled samples are listed");
            let out = deviations.row_mut(row);
            data.add_row(i, 1.0, out);
            out.iter_mut().zip(means.row(class)).for_each(|(value, mean)| *value -= mean);
        }
        let gram = deviations.gram();
        within.as_mut_slice().iter_mut().zip(gram.as_slice()).for_each(|(sum, value)| *sum += value);
    }
    within
}

/// Replaces the lower triangle of a positive definite matrix (d × d) by its Cholesky factor L.
fn cholesky(matrix: &mut Matrix<f64>) {
    let d = matrix.rows();
    for i in 0..d {
        let (above, below) = matrix.as_mut_slice().split_at_mut(i * d);
        let row = &mut below[..d];
        for j in 0..i {
            let other = &above[j * d..j * d + j + 1];
            row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
        }
        row[i] = (row[i] - dot(&row[..i], &row[..i])).sqrt();
        assert!(row[i] > 0.0, "a scatter matrix with a ridge is positive definite");
    }
}

/// L x = b in place.
fn solve_lower(factor: &Matrix<f64>, b: &mut [f64]) {
    for i in 0..b.len() {
        b[i] = (b[i] - dot(&factor.row(i)[..i], &b[..i])) / factor.get(i, i);
    }
}

/// Lᵀ x = b in place.
fn solve_upper(factor: &Matrix<f64>, b: &mut [f64]) {
    for i in (0..b.len()).rev() {
        b[i] /= factor.get(i, i);
        let value = b[i];
        b[..i].iter_mut().zip(factor.row(i)).for_each(|(b, l)| *b -= value * l);
    }
}
