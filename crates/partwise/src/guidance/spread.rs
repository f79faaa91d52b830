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

/// A linear score of each topic for samples that a fit has not seen: weights·x/‖x‖ + offset.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Scorer {
    /// The topics of the rows.
    pub names: Vec<String>,
    /// One row a topic: its weights (d), then its offset.
    #[serde(with = "rows", default = "rows::none", skip_serializing_if = "rows::is_empty")]
    pub weights: Matrix<f64>,
}
