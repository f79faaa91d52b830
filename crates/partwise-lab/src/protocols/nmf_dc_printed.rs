//! CNMF's multiplicative updates as the papers print them, for their time alone: every product in the order
//! in which it is printed, the label matrix A (n × q) as a matrix of zeros and ones, nothing merged.
//!
//! ```text
//! H ← H ∘ (Zᵀ Aᵀ X) / (Zᵀ Aᵀ A Z H)        X (n × d), A (n × q), Z (q × k), H (k × d)
//! Z ← Z ∘ (Aᵀ X Hᵀ) / (Aᵀ A Z H Hᵀ)        products from the left to the right
//! ```
//!
//! The library visits the same iterates on q merged rows (METHODS R1). So this is no second way to fit
//! anything: a test holds it against the library's, and [`super::nmf_dc_convergence`] measures what an
//! iteration costs.

use anyhow::{Result, bail};
use partwise::{DataMatrix, DenseMatrix, Init, Labels, Matrix};

/// X and A in both orders, and the factors.
pub(super) struct Printed<'a> {
    data: &'a DenseMatrix<'static, f64>,
    /// X (n × d) again, where it stands on the right of a product.
    data_on_the_right: Matrix<f64>,
    label_matrix: Matrix<f64>,
    label_rows: DenseMatrix<'static, f64>,
    label_columns: DenseMatrix<'static, f64>,
    pub(super) codes: Matrix<f64>,
    pub(super) components: Matrix<f64>,
}

impl<'a> Printed<'a> {
    /// From a start whose rows are the same for all samples of a labelled class.
    pub(super) fn new(data: &'a DenseMatrix<'static, f64>, labels: &Labels, start: Init) -> Result<Self> {
        let Init::Custom { codes: Some(tied), components: Some(components) } = start else {
            bail!("the printed updates start from both factors")
        };
        let n = data.n_samples();
        // Labelled classes first, then the unlabelled samples in their order.
        let mut free = labels.n_classes();
        let group = |i: usize| {
            labels.class(i).unwrap_or_else(|| {
                free += 1;
                free - 1
            })
        };
        let groups: Vec<usize> = (0..n).map(group).collect();
        let label_matrix = Matrix::from_fn(n, free, |i, q| f64::from(groups[i] == q));
        let mut codes = Matrix::from_fn(free, tied.columns(), |_, _| 0.0);
        (0..n).for_each(|i| codes.row_mut(groups[i]).copy_from_slice(tied.row(i)));
        Ok(Printed {
            data,
            data_on_the_right: Matrix::from_fn(n, data.n_features(), |i, j| data.row(i)[j]),
            label_rows: DenseMatrix::from_matrix(label_matrix.clone())?,
            label_columns: DenseMatrix::from_matrix(label_matrix.transposed())?,
            label_matrix,
            codes,
            components,
        })
    }

    /// One update of each factor, the components first.
    pub(super) fn step(&mut self) -> Result<()> {
        // (ZᵀAᵀ)ᵀ (n × k); products with it on the left are those with X and A transposed.
        let rows = times(&self.label_rows, &self.codes);
        let numerator = transpose_times(self.data, &rows);
        let denominator = product(transpose_times(&self.label_rows, &rows).transposed(), &self.codes)?;
        let denominator = product(denominator, &self.components)?;
        scale(&mut self.components, &numerator.transposed(), &denominator);
        let transposed = self.components.transposed();
        let numerator = product(times(&self.label_columns, &self.data_on_the_right), &transposed)?;
        let denominator = product(times(&self.label_columns, &self.label_matrix), &self.codes)?;
        let denominator = product(product(denominator, &self.components)?, &transposed)?;
        scale(&mut self.codes, &numerator, &denominator);
        Ok(())
    }
}

fn times(left: &DenseMatrix<'static, f64>, right: &Matrix<f64>) -> Matrix<f64> {
    let columns = right.columns();
    let mut out = Matrix::from_fn(left.n_samples(), columns, |_, _| 0.0);
    for chunk in left.sample_chunks() {
        let part = chunk.start * columns..chunk.end * columns;
        left.times(chunk, right, &mut out.as_mut_slice()[part]);
    }
    out
}

fn transpose_times(left: &DenseMatrix<'static, f64>, right: &Matrix<f64>) -> Matrix<f64> {
    let columns = right.columns();
    let mut out = Matrix::from_fn(left.n_features(), columns, |_, _| 0.0);
    for chunk in left.feature_chunks() {
        let part = chunk.start * columns..chunk.end * columns;
        left.transpose_times(chunk, right, &mut out.as_mut_slice()[part]);
    }
    out
}

fn product(left: Matrix<f64>, right: &Matrix<f64>) -> Result<Matrix<f64>> {
    Ok(times(&DenseMatrix::from_matrix(left)?, right))
}

/// 0/0 is 0.
fn scale(factor: &mut Matrix<f64>, numerator: &Matrix<f64>, denominator: &Matrix<f64>) {
    let ratios = numerator.as_slice().iter().zip(denominator.as_slice());
    for (value, (above, below)) in factor.as_mut_slice().iter_mut().zip(ratios) {
        *value *= if *below > 0.0 { above / below } else { 0.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::faces::Faces;
    use partwise::draw_labels;
    use partwise::{Model, Settings, Slot, SolverChoice, fit};

    #[test]
    fn the_printed_updates_visit_the_iterates_of_the_library_on_merged_rows() {
        let digits = partwise_io::digits();
        let data = DenseMatrix::new(60, 64, digits.images[..60 * 64].to_vec()).unwrap();
        let classes = digits.labels[..60].to_vec();
        let faces = Faces::of(data, classes.clone(), &draw_labels(&classes, 3, 1), (8, 8), 5).unwrap();
        let start = faces.uniform_start(1.0, true);
        let mut printed = Printed::new(&faces.data, &faces.labels, start.clone()).unwrap();
        (0..5).for_each(|_| printed.step().unwrap());
        let settings = Settings {
            solver: SolverChoice::Mu,
            init: start,
            first: Some(Slot::Components),
            max_iterations: 5,
            tolerance: 0.0,
            ..Settings::new(faces.k)
        };
        let fitted = fit(&faces.data, &Model::cnmf(faces.labels.clone()), &settings).unwrap();
        let rows = times(&printed.label_rows, &printed.codes);
        let largest = fitted.codes.as_slice().iter().copied().fold(0.0, f64::max);
        for (found, expected) in rows.as_slice().iter().zip(fitted.codes.as_slice()) {
            assert!((found - expected).abs() < 1e-9 * largest, "{found} and {expected}");
        }
        let largest = fitted.components.as_slice().iter().copied().fold(0.0, f64::max);
        for (found, expected) in printed.components.as_slice().iter().zip(fitted.components.as_slice()) {
            assert!((found - expected).abs() < 1e-9 * largest, "{found} and {expected}");
        }
    }
}
