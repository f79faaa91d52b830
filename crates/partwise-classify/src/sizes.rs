//! How large the classes are, where the user says so.
//!
//! ```text
//! P'_ic ∝ s_c·P_ic^g over the unlabelled samples: g so that the mean largest posterior is 0.95 before the
//! scales, s so that the mean posterior of each class is its part of them: (π_c·n − labels of c)/unlabelled
//! ```
//!
//! Labels that were chosen class by class say nothing about sizes, and posteriors are those of classes that
//! are nearly even. Scaling each class to its known size is the correction of a classifier for other priors,
//! with the scales found on the samples themselves.
//!
//! References: Zhu, Ghahramani & Lafferty, "Semi-supervised learning using Gaussian fields and harmonic
//! functions", ICML 2003 (class mass normalization); Saerens, Latinne & Decaestecker 2002,
//! doi:10.1162/089976602753284446. Differs from the first: mean posteriors in place of sums of scores.

use partwise::{Error, Labels, Matrix, Notice, Result};

use crate::posteriors::{logarithms, normalized, sharpened, sharpness, with_labels};

/// The mean largest posterior of the unlabelled samples before they are scaled. Undecided posteriors would
/// all go to the largest class.
const CONFIDENCE: f64 = 0.95;
/// No class is expected to have less than this part of its size left among the unlabelled samples.
const LEAST_LEFT: f64 = 0.1;
/// Steps towards the scales, and how near the sizes are met, in logarithms.
const STEPS: usize = 500;
const NEAR: f64 = 1e-4;
/// Sums that differ by less are 1.
const ROUNDING: f64 = 1e-6;

/// How large the classes are.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum ClassSizes {
    /// Not known: nearly even, as far as the data do not say otherwise.
    #[default]
    Unknown,
    /// As among the labels, which must be of a random sample.
    OfLabels,
    /// A size of each class by its name, above 0. They are divided by their sum: parts, percentages or
    /// counts.
    Of(Vec<(String, f64)>),
}

impl ClassSizes {
    /// The part of each class of the labels (c), and a notice where the sizes did not sum to 1.
    pub(crate) fn parts(&self, labels: &Labels) -> Result<(Option<Vec<f64>>, Option<Notice>)> {
        let given = match self {
            ClassSizes::Unknown => return Ok((None, None)),
            ClassSizes::OfLabels => {
                let counts: Vec<f64> = labels.counts().iter().map(|count| *count as f64).collect();
                let all: f64 = counts.iter().sum();
                return Ok((Some(counts.iter().map(|count| count / all).collect()), None));
            }
            ClassSizes::Of(given) => given,
        };
        let names = labels.names();
        let mut sizes = vec![None; names.len()];
        for (name, size) in given {
            let Some(at) = names.iter().position(|known| known == name) else {
                let (kind, name, valid) = ("class with a size".into(), name.clone(), names.to_vec());
                return Err(Error::UnknownName { kind, name, valid });
            };
            if !(*size > 0.0 && size.is_finite()) {
                let valid = "a finite number above 0".into();
                return Err(Error::OutOfRange {
                    name: format!("the size of class \"{name}\""),
                    value: size.to_string(),
                    valid,
                });
            }
            if sizes[at].replace(*size).is_some() {
                return Err(Error::Labels(format!(
                    "class \"{name}\" has two sizes; give one for each class"
                )));
            }
        }
        let missing: Vec<&str> =
            names.iter().zip(&sizes).filter(|(_, size)| size.is_none()).map(|(name, _)| &name[..]).collect();
        if !missing.is_empty() {
            let missing = missing.join(", ");
            return Err(Error::Labels(format!("no class size for {missing}; give one for each class")));
        }
        let sizes: Vec<f64> = sizes.into_iter().flatten().collect();
        let sum: f64 = sizes.iter().sum();
        let notice = ((sum - 1.0).abs() > ROUNDING).then(|| Notice {
            code: "class-sizes",
            message: format!("the class sizes sum to {sum}, not to 1; they were divided by that"),
        });
        Ok((Some(sizes.iter().map(|size| size / sum).collect()), notice))
    }
}

/// What brings posteriors to known class sizes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToSizes {
    /// g.
    pub(crate) sharpness: f64,
    /// s (c).
    pub(crate) scales: Vec<f64>,
}

impl ToSizes {
    /// That of the posteriors (n × c) of samples with these labels. None where all are labelled.
    pub(crate) fn of(posteriors: &Matrix<f64>, labels: &Labels, sizes: &[f64]) -> Option<Self> {
        let over: Vec<usize> = (0..labels.n_samples()).filter(|i| labels.class(*i).is_none()).collect();
        if over.is_empty() {
            return None;
        }
        let logits = logarithms(posteriors);
        let sharpness = sharpness(&logits, &over, CONFIDENCE);
        let scales = scales(&sharpened(&logits, sharpness), &over, &left(sizes, labels));
        Some(ToSizes { sharpness, scales })
    }

    /// P'.
    pub(crate) fn apply(&self, posteriors: &Matrix<f64>) -> Matrix<f64> {
        let mut out = sharpened(&logarithms(posteriors), self.sharpness);
        for i in 0..out.rows() {
            out.row_mut(i).iter_mut().zip(&self.scales).for_each(|(p, scale)| *p *= scale);
        }
        normalized(out)
    }

    /// P', where labelled samples keep their class.
    pub(crate) fn apply_to_samples(&self, posteriors: &Matrix<f64>, labels: &Labels) -> Matrix<f64> {
        with_labels(labels, self.apply(posteriors))
    }
}

/// The part of the unlabelled samples that is of each class (c).
fn left(sizes: &[f64], labels: &Labels) -> Vec<f64> {
    let n = labels.n_samples() as f64;
    let left = |(size, count): (&f64, &usize)| (size * n - *count as f64).max(LEAST_LEFT * size * n);
    let left: Vec<f64> = sizes.iter().zip(&labels.counts()).map(left).collect();
    let sum: f64 = left.iter().sum();
    left.iter().map(|part| part / sum).collect()
}

/// The scales (c, of geometric mean 1) at which the mean posteriors over the rows `over` are `sizes`.
fn scales(posteriors: &Matrix<f64>, over: &[usize], sizes: &[f64]) -> Vec<f64> {
    let k = sizes.len();
    let mut scales = vec![1.0f64; k];
    let mut means = vec![0.0; k];
    for _ in 0..STEPS {
        means.fill(0.0);
        for i in over {
            let row = posteriors.row(*i);
            let sum: f64 = row.iter().zip(&scales).map(|(p, scale)| p * scale).sum();
            for (c, mean) in means.iter_mut().enumerate() {
                *mean += row[c] * scales[c] / (sum * over.len() as f64);
            }
        }
        let mut apart = 0.0f64;
        for c in 0..k {
            let ratio = sizes[c] / means[c].max(f64::MIN_POSITIVE);
            apart = apart.max(ratio.ln().abs());
            scales[c] *= ratio;
        }
        let centre = (scales.iter().map(|scale| scale.ln()).sum::<f64>() / k as f64).exp();
        scales.iter_mut().for_each(|scale| *scale = (*scale / centre).clamp(1e-12, 1e12));
        if apart < NEAR {
            break;
        }
    }
    scales
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_posteriors_of_the_unlabelled_samples_and_the_labels_are_the_sizes_together() {
        let (n, sizes) = (60, [0.7, 0.2, 0.1]);
        let value = |i: usize, c: usize| 0.05 + ((i * 37 + c * 101 + i * c * 13) % 29) as f64 / 29.0;
        let posteriors = normalized(Matrix::from_fn(n, 3, value));
        let given: Vec<i32> = (0..n as i32).map(|i| if i < 6 { i % 3 } else { -1 }).collect();
        let labels = Labels::from_integers(&given).unwrap();
        let to_sizes = ToSizes::of(&posteriors, &labels, &sizes).unwrap();
        let found = to_sizes.apply_to_samples(&posteriors, &labels);
        for (c, size) in sizes.iter().enumerate() {
            let mean = (0..n).map(|i| found.get(i, c)).sum::<f64>() / n as f64;
            assert!((mean - size).abs() < 1e-4, "{mean} for {size}");
        }
    }

    #[test]
    fn more_labels_than_a_class_may_have_leave_a_tenth_of_its_size() {
        let labels = Labels::from_integers(&[0, 0, 1, 1, -1, -1, -1, -1, -1, -1]).unwrap();
        let left = left(&[0.9, 0.1], &labels);
        assert!((left[1] - 0.1 / 7.1).abs() < 1e-12, "{left:?}");
    }
}
