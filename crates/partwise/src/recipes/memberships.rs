//! From codes to memberships and clusters.

use crate::engine::losses::Loss;
use crate::foundation::{Matrix, Real, names};

/// How memberships measure the size of a component: a sample's membership in component j is the size of
/// wᵢⱼ·hⱼ, divided by the sum of these sizes. Scaling a component up and its codes down does not change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareOf {
    /// wᵢⱼ·‖hⱼ‖₂: by the Euclidean norm, as the squared loss measures.
    Length,
    /// wᵢⱼ·Σhⱼ: by the sum, for counts. A minimum of the Kullback–Leibler loss keeps the sum of each row, so
    /// these are fractions of the sample's total.
    Sum,
}

names! { ShareOf, "kind of memberships", { Length = "length", Sum = "sum" } }

impl ShareOf {
    /// The default for a fit with this loss.
    pub fn of_loss(loss: Loss) -> Self {
        match loss {
            Loss::Frobenius => ShareOf::Length,
            Loss::KullbackLeibler => ShareOf::Sum,
        }
    }

    /// The definition in words, for reports.
    pub fn summary(self) -> &'static str {
        match self {
            ShareOf::Length => {
                "membership by length: code times Euclidean norm of the component, divided by the sum of the \
                row"
            }
            ShareOf::Sum => {
                "membership by sum: code times sum of the component, divided by the sum of the row"
            }
        }
    }

    /// The size of each component (k × d).
    #[doc(hidden)]
    pub fn sizes<T: Real>(self, components: &Matrix<T>) -> Vec<f64> {
        match self {
            ShareOf::Length => component_lengths(components),
            ShareOf::Sum => (0..components.rows())
                .map(|j| components.row(j).iter().map(|h| h.to_f64()).sum::<f64>())
                .collect(),
        }
    }
}

/// Memberships (n × k) of each sample, from codes (n × k) and components (k × d): rows sum to 1, or are 0.
pub fn shares<T: Real>(codes: &Matrix<T>, components: &Matrix<T>, of: ShareOf) -> Matrix<f64> {
    let sizes = of.sizes(components);
    let mut out = Matrix::from_fn(codes.rows(), codes.columns(), |i, j| codes.get(i, j).to_f64() * sizes[j]);
    for i in 0..out.rows() {
        let row = out.row_mut(i);
        let sum: f64 = row.iter().sum();
        if sum > 0.0 {
            row.iter_mut().for_each(|share| *share /= sum);
        }
    }
    out
}

/// ‖h_j‖ of each component (k × d), by which a code is measured so that rescaling a component against its
/// codes changes nothing.
pub(super) fn component_lengths<T: Real>(components: &Matrix<T>) -> Vec<f64> {
    let largest = components.as_slice().iter().fold(0.0f64, |most, h| most.max(h.to_f64()));
    // Squares out of range: the lengths in units of the largest entry.
    let unit = if largest == 0.0 || (1e-100..=1e100).contains(&largest) { 1.0 } else { largest };
    let length = |j: usize| components.row(j).iter().map(|h| (h.to_f64() / unit).powi(2)).sum::<f64>().sqrt();
    (0..components.rows()).map(|j| length(j) * unit).collect()
}

/// The place of the first largest entry.
pub(super) fn largest<T: Real>(row: &[T]) -> usize {
    (0..row.len()).fold(0, |best, j| if row[j] > row[best] { j } else { best })
}
