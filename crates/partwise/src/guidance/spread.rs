//! [`Spread`]: what a classifier derives from labels, as guidance on the samples without one; and [`Scorer`]:
//! the same for samples that a fit has not seen.

use serde::{Deserialize, Serialize};

use super::Strength;
use super::document::rows;
use crate::foundation::{Error, Matrix, Result};

/// Posteriors of samples without a label. Each of these samples is drawn to the components of its most likely
/// topic: ½σ²·weightᵢ·Σⱼ (wᵢⱼ‖hⱼ‖)² over the components j of all other topics, with σ of the strength. The
/// crate `partwise-classify` makes them.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Spread {
    /// The topics of the columns.
    pub names: Vec<String>,
    /// Posteriors (n × topics) ≥ 0; NaN where nothing is derived.
    #[serde(with = "rows", default = "rows::none", skip_serializing_if = "rows::is_empty")]
    pub posteriors: Matrix<f64>,
    /// How much of the strength each sample takes (n), 0 to 1.
    pub weights: Vec<f64>,
    /// Default [`Strength::FIRM`].
    #[serde(default = "Strength::unstated")]
    pub strength: Strength,
}

impl Spread {
    /// The most likely topic of a sample and its posterior; none where nothing is derived.
    pub fn topic(&self, sample: usize) -> Option<(usize, f64)> {
        let row = self.posteriors.row(sample);
        let best = (0..row.len()).reduce(|best, c| if row[c] > row[best] { c } else { best })?;
        (row[best] > 0.0).then_some((best, row[best]))
    }

    /// What a unit of a sample outside of its topic costs.
    pub(super) fn cost(&self, sample: usize) -> f64 {
        // An exact strength would turn what a classifier guesses into what is certain.
        const MOST: f64 = 1e6;
        self.weights[sample] * self.strength.weight().min(MOST)
    }

    /// Refuses what does not fit n samples, and numbers out of range.
    pub(super) fn check(&self, n: usize) -> Result<()> {
        if self.posteriors.shape() != (n, self.names.len()) {
            return Err(Error::Shape {
                what: "the posteriors of spread labels (samples x topics)".into(),
                expected: format!("{n} x {}", self.names.len()),
                found: format!("{} x {}", self.posteriors.rows(), self.posteriors.columns()),
            });
        }
        if self.weights.len() != n {
            return Err(Error::Shape {
                what: "the weights of spread labels".into(),
                expected: format!("one for each of the {n} samples"),
                found: self.weights.len().to_string(),
            });
        }
        if self.strength.is_raw() {
            return Err(Error::Incompatible {
                asked: "a raw strength for spread labels".into(),
                reason: "no paper has a weight for them".into(),
                valid: vec!["a strength from 0 to 1".into()],
            });
        }
        let bad = |what: String, value: f64, valid: &str| {
            Err(Error::OutOfRange { name: what, value: value.to_string(), valid: valid.into() })
        };
        for i in 0..n {
            let row = self.posteriors.row(i);
            if let Some(value) = row.iter().find(|p| **p < 0.0 || p.is_infinite()) {
                return bad(
                    format!("a posterior of sample {i}"),
                    *value,
                    "0 or more, or NaN if it is unknown",
                );
            }
            let weight = self.weights[i];
            if !(0.0..=1.0).contains(&weight) {
                return bad(format!("the weight of the spread label of sample {i}"), weight, "from 0 to 1");
            }
        }
        Ok(())
    }
}

/// A score of each topic for samples that a fit has not seen, of their unit rows x̂ = x/‖x‖.
///
/// ```text
/// linear    weights·x̂ + offset
/// kernel    Σₗ weightₗ·exp(−‖x̂ − landmarkₗ‖²/(2·width)) + offset
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Scorer {
    /// The topics.
    pub names: Vec<String>,
    /// Linear: one row a topic, its weights (d), then its offset. Of a kernel: one row a landmark, its weight
    /// for each topic (c), then the landmark (d); and a last row, the offset of each topic, then d zeros.
    #[serde(with = "rows", default = "rows::none", skip_serializing_if = "rows::is_empty")]
    pub weights: Matrix<f64>,
    /// The width of the kernel; none for linear scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel_width: Option<f64>,
}

impl Scorer {
    /// Leaves out a topic.
    pub(crate) fn forget(&mut self, topic: &str) {
        let weights = &self.weights;
        let classes = self.names.len();
        let kept: Vec<usize> = (0..classes).filter(|c| self.names[*c] != topic).collect();
        self.weights = match self.kernel_width {
            None => Matrix::from_fn(kept.len(), weights.columns(), |c, f| weights.get(kept[c], f)),
            Some(_) => {
                let left_out = classes - kept.len();
                Matrix::from_fn(weights.rows(), weights.columns() - left_out, |l, at| {
                    weights.get(l, kept.get(at).copied().unwrap_or(at + left_out))
                })
            }
        };
        self.names.retain(|name| name != topic);
    }

    /// Refuses what does not fit d features.
    #[doc(hidden)]
    pub fn check(&self, features: usize) -> Result<()> {
        let (topics, (rows, columns)) = (self.names.len(), self.weights.shape());
        let (fits, expected) = match self.kernel_width {
            None => (
                self.weights.shape() == (topics, features + 1),
                format!("{topics} x {} for {topics} topics and {features} features", features + 1),
            ),
            Some(_) => (
                rows >= 2 && columns == topics + features,
                format!("2 or more x {} for {topics} topics and {features} features", topics + features),
            ),
        };
        if !fits {
            let what = "the weights of the scorer".into();
            return Err(Error::Shape { what, expected, found: format!("{rows} x {columns}") });
        }
        if let Some(width) = self.kernel_width.filter(|width| !(width.is_finite() && *width > 0.0)) {
            return Err(Error::OutOfRange {
                name: "the kernel width of the scorer".into(),
                value: width.to_string(),
                valid: "a finite number above 0".into(),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_left_out_of_both_forms() {
        let of = |kernel_width, rows: usize, columns: usize| {
            let weights = Matrix::from_fn(rows, columns, |i, j| (10 * i + j) as f64);
            let mut scorer =
                Scorer { names: ["ash", "elm", "oak"].map(String::from).to_vec(), weights, kernel_width };
            scorer.check(2).unwrap();
            scorer.forget("elm");
            scorer.check(2).unwrap();
            assert_eq!(scorer.names, ["ash", "oak"]);
            scorer.weights.into_vec()
        };
        // Rows are topics.
        assert_eq!(of(None, 3, 3), [0.0, 1.0, 2.0, 20.0, 21.0, 22.0]);
        // Columns are topics, then features.
        assert_eq!(of(Some(0.5), 2, 5), [0.0, 2.0, 3.0, 4.0, 10.0, 12.0, 13.0, 14.0]);
    }
}
