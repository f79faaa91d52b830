//! The comparison methods (`clustering`): the k-means family from given centres, the spectral embedding of a
//! graph with links, principal components and discriminant directions; on dense and on sparse data.

use anyhow::{Context, Result};
use partwise::graphs::{NeighbourGraph, neighbour_graph};
use partwise::{DataMatrix, DenseMatrix, Labels, Matrix, SparseMatrix};
use serde_json::Value;

use super::ssnmf1::pairs;
use crate::golden::{Comparison, Fixture, Triplets, integers, matrix, numbers};
use crate::methods::Links;
use crate::methods::lda::lda;
use crate::methods::mpck_means::{MpckSettings, mpck_means_from};
use crate::methods::pca::pca;
use crate::methods::pck_means::{PckSettings, pck_means_from};
use crate::methods::seeded_k_means::{constrained_k_means, seeded_k_means};
use crate::methods::spectral::spectral_embedding;
use crate::methods::ss_spectral::linked_graph;
use partwise::clustering::{EmptyCluster, KMeans, KMeansSettings, k_means_from};

/// Compares every method of the table; one that is not known here fails.
pub(super) fn run(fixture: &Fixture, comparison: &mut Comparison) -> Result<()> {
    let x = fixture.problem()?.dense()?;
    let (n, d) = x.shape();
    let (indptr, columns, values) = Triplets::of(&x).compressed_rows();
    let indices: Vec<u32> = columns.into_iter().map(|column| column as u32).collect();
    let sparse = SparseMatrix::new(n, d, indptr, indices, values)?;
    let dense = DenseMatrix::from_matrix(x)?;
    for (form, data) in [("dense data", &dense as &dyn DataMatrix<f64>), ("sparse data", &sparse)] {
        for method in fixture.field(&["expected"])?.as_object().context("no expected results")?.keys() {
            comparison.variant(format!("{method}, {form}"));
            clustering(fixture, comparison, data, method).with_context(|| method.clone())?;
        }
        comparison.variant(format!("spectral, {form}"));
        spectral(fixture, comparison, data).context("spectral")?;
        comparison.variant(format!("pca, {form}"));
        principal_components(fixture, comparison, data).context("pca")?;
        comparison.variant(format!("lda, {form}"));
        discriminants(fixture, comparison, data).context("lda")?;
    }
    Ok(())
}

fn clustering(
    fixture: &Fixture,
    comparison: &mut Comparison,
    data: &dyn DataMatrix<f64>,
    method: &str,
) -> Result<()> {
    let expected = fixture.field(&["expected", method])?;
    let centres = matrix(fixture.field(&["init_centers"])?)?;
    let given = Labels::from_integers(&fixture.problem()?.labels()?)?;
    let settings = KMeansSettings { empty: EmptyCluster::Keep, ..KMeansSettings::default() };
    let number = |name: &str| expected[name].as_f64().with_context(|| format!("{name} is no number"));
    let plain = |found: KMeans| (found.labels, found.centres, "inertia", found.objective);
    let (labels, found, name, objective) = match method {
        "kmeans" => plain(k_means_from(data, centres, &settings)?),
        "seeded_kmeans" => plain(seeded_k_means(data, centres.rows(), &given, &settings)?),
        "constrained_kmeans" => plain(constrained_k_means(data, centres.rows(), &given, &settings)?),
        "pckmeans" => {
            let (must_price, cannot_price) = (Some(number("w")?), Some(number("wc")?));
            let settings = PckSettings { must_price, cannot_price, ..PckSettings::default() };
            let found = pck_means_from(data, centres, &links(fixture)?, &settings)?;
            (found.labels, found.centres, "objective", found.objective)
        }
        "mpckmeans" => {
            let (must_price, cannot_price) = (number("w")?, number("wc")?);
            let settings = MpckSettings { must_price, cannot_price, ..MpckSettings::default() };
            let found = mpck_means_from(data, centres, &links(fixture)?, &settings)?;
            comparison.matrix("metrics", None, &found.metrics, &matrix(&expected["metrics"])?);
            (found.labels, found.centres, "objective", found.objective)
        }
        _ => anyhow::bail!("the method is not known"),
    };
    let expected_labels = integers(&expected["labels"])?;
    let same = labels.iter().zip(&expected_labels).all(|(got, expected)| *got as i32 == *expected);
    let message = format!("got {labels:?}, expected {expected_labels:?}");
    comparison.holds("labels", None, same && labels.len() == expected_labels.len(), &message);
    comparison.matrix("centers", None, &found, &matrix(&expected["centers"])?);
    comparison.number(name, None, objective, number(name)?);
    Ok(())
}

fn links(fixture: &Fixture) -> Result<Links> {
    let n = fixture.problem()?.labels()?.len();
    Ok(Links::new(n, pairs(fixture.field(&["must"])?)?, pairs(fixture.field(&["cannot"])?)?)?)
}

/// Eigenvectors of equal eigenvalues are known up to a rotation, so the products of the points are compared.
fn spectral(fixture: &Fixture, comparison: &mut Comparison, data: &dyn DataMatrix<f64>) -> Result<()> {
    let values = column(fixture.field(&["spectral", "eigenvalues"])?)?;
    let graph = linked_graph(&neighbour_graph(data, &NeighbourGraph::default())?, &links(fixture)?)?;
    let found = spectral_embedding(&graph, values.rows(), 0)?;
    comparison.matrix("eigenvalues", None, &as_column(&found.eigenvalues), &values);
    let expected = matrix(fixture.field(&["spectral", "embedding_gram"])?)?;
    comparison.matrix("embedding_gram", None, &found.points.transposed().gram(), &expected);
    Ok(())
}

fn principal_components(
    fixture: &Fixture,
    comparison: &mut Comparison,
    data: &dyn DataMatrix<f64>,
) -> Result<()> {
    let expected = fixture.field(&["pca"])?;
    let components = matrix(&expected["components"])?;
    let found = pca(data, components.rows(), 0)?;
    comparison.matrix("mean", None, &as_column(&found.mean), &column(&expected["mean"])?);
    comparison.matrix(
        "explained_variance",
        None,
        &as_column(&found.explained_variance),
        &column(&expected["explained_variance"])?,
    );
    comparison.matrix("components", None, &signed(&found.components, &components), &components);
    Ok(())
}

fn discriminants(fixture: &Fixture, comparison: &mut Comparison, data: &dyn DataMatrix<f64>) -> Result<()> {
    let expected = fixture.field(&["lda"])?;
    let labels = Labels::from_integers(&fixture.problem()?.true_labels()?)?;
    let found = lda(data, &labels, expected["ridge"].as_f64().context("ridge")?)?;
    comparison.matrix(
        "eigenvalues",
        None,
        &as_column(&found.eigenvalues),
        &column(&expected["eigenvalues"])?,
    );
    let directions = matrix(&expected["directions_up_to_sign"])?.transposed();
    let got = signed(&found.directions.transposed(), &directions);
    comparison.matrix("directions", None, &got, &directions);
    Ok(())
}

/// `got` with each row's sign turned to that of `expected`, if the shapes agree.
fn signed(got: &Matrix<f64>, expected: &Matrix<f64>) -> Matrix<f64> {
    if got.shape() != expected.shape() {
        return got.clone();
    }
    let sign = |i: usize| {
        let product: f64 = got.row(i).iter().zip(expected.row(i)).map(|(a, b)| a * b).sum();
        if product < 0.0 { -1.0 } else { 1.0 }
    };
    Matrix::from_fn(got.rows(), got.columns(), |i, j| sign(i) * got.get(i, j))
}

fn as_column(values: &[f64]) -> Matrix<f64> {
    Matrix::from_fn(values.len(), 1, |i, _| values[i])
}

fn column(value: &Value) -> Result<Matrix<f64>> {
    Ok(as_column(&numbers(value)?))
}
