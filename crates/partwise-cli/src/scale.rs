//! Scaling of the data before a fit, kept in the model so that new rows get the same.
//!
//! ```text
//! max        x / max X (of the data of the fit)
//! unit-rows  x_i / |x_i|_2
//! tfidf      x_ij · idf_j, then unit rows;  idf_j = ln((1 + n)/(1 + df_j)) + 1   (as scikit-learn's default)
//! ```
//!
//! Rows of zeros stay zero.

use anyhow::{Result, bail};
use partwise::Real;
use serde_json::{Value, json};

use crate::input::Table;

/// Which scaling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScaleKind {
    /// As read.
    None,
    /// By the largest entry.
    Max,
    /// Rows of length 1.
    UnitRows,
    /// Rare features count more; rows of length 1.
    TfIdf,
}

impl ScaleKind {
    /// All of them, in the order of help texts.
    pub(crate) const ALL: [ScaleKind; 4] =
        [ScaleKind::None, ScaleKind::Max, ScaleKind::UnitRows, ScaleKind::TfIdf];

    /// The name on the command line and in models.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ScaleKind::None => "none",
            ScaleKind::Max => "max",
            ScaleKind::UnitRows => "unit-rows",
            ScaleKind::TfIdf => "tfidf",
        }
    }

    /// One sentence.
    pub(crate) fn summary(self) -> &'static str {
        match self {
            ScaleKind::None => "the data as they are",
            ScaleKind::Max => "divided by the largest entry",
            ScaleKind::UnitRows => "each row divided by its length",
            ScaleKind::TfIdf => "counts times ln((1+n)/(1+df))+1, then unit rows",
        }
    }

    /// The scaling with this name.
    pub(crate) fn from_name(name: &str) -> Result<Self> {
        match ScaleKind::ALL.into_iter().find(|kind| kind.name() == name) {
            Some(kind) => Ok(kind),
            None => bail!("unknown scaling \"{name}\"; valid: {}", ScaleKind::ALL.map(Self::name).join(", ")),
        }
    }
}

/// A scaling with the numbers it took from the data of the fit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scaling {
    None,
    Max(f64),
    UnitRows,
    TfIdf(Vec<f64>),
}

impl Scaling {
    /// Takes the numbers from the data.
    pub(crate) fn learn<T: Real>(kind: ScaleKind, table: &Table<T>) -> Self {
        match kind {
            ScaleKind::None => Scaling::None,
            ScaleKind::UnitRows => Scaling::UnitRows,
            ScaleKind::Max => {
                Scaling::Max(table.values().iter().fold(0.0, |max: f64, v| max.max(v.to_f64())))
            }
            ScaleKind::TfIdf => {
                let mut documents = vec![0_usize; table.columns];
                table.for_each(|_, column, value| documents[column] += usize::from(value != T::ZERO));
                let rows = table.rows as f64;
                Scaling::TfIdf(
                    documents.iter().map(|df| ((1.0 + rows) / (1.0 + *df as f64)).ln() + 1.0).collect(),
                )
            }
        }
    }

    /// Scales the rows in place.
    pub(crate) fn apply<T: Real>(&self, table: &mut Table<T>) {
        match self {
            Scaling::None => {}
            Scaling::Max(max) if *max > 0.0 => {
                table.for_each_row(|_, values| {
                    values.iter_mut().for_each(|v| *v = T::from_f64(v.to_f64() / max));
                });
            }
            Scaling::Max(_) => {}
            Scaling::UnitRows => table.for_each_row(|_, values| to_unit_length(values)),
            Scaling::TfIdf(idf) => table.for_each_row(|columns, values| {
                // The length of a row is of no account, so one that a product would take out of range is made smaller first.
                let overflows = |v: &T| !Real::is_finite(T::from_f64(v.to_f64() / HALVED));
                if values.iter().any(overflows) {
                    values.iter_mut().for_each(|v| *v = T::from_f64(v.to_f64() * HALVED));
                }
                for (place, value) in values.iter_mut().enumerate() {
                    let column = columns.map_or(place, |columns| columns[place] as usize);
                    *value = T::from_f64(value.to_f64() * idf[column]);
                }
                to_unit_length(values);
            }),
        }
    }

    /// Which one it is.
    pub(crate) fn kind(&self) -> ScaleKind {
        match self {
            Scaling::None => ScaleKind::None,
            Scaling::Max(_) => ScaleKind::Max,
            Scaling::UnitRows => ScaleKind::UnitRows,
            Scaling::TfIdf(_) => ScaleKind::TfIdf,
        }
    }

    /// For the model's document; `idf` is kept as a matrix beside it.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Scaling::Max(max) => json!({ "kind": self.kind().name(), "max": max }),
            _ => json!({ "kind": self.kind().name() }),
        }
    }

    /// From the model's document and its `idf`, if it has one.
    pub(crate) fn from_json(value: &Value, idf: Option<Vec<f64>>, features: usize) -> Result<Self> {
        let kind = ScaleKind::from_name(value.get("kind").and_then(Value::as_str).unwrap_or("none"))?;
        Ok(match kind {
            ScaleKind::None => Scaling::None,
            ScaleKind::UnitRows => Scaling::UnitRows,
            ScaleKind::Max => match value.get("max").and_then(Value::as_f64) {
                Some(max) => Scaling::Max(max),
                None => bail!("the model's scaling \"max\" lacks its number"),
            },
            ScaleKind::TfIdf => match idf {
                Some(idf) if idf.len() == features => Scaling::TfIdf(idf),
                _ => bail!("the model's scaling \"tfidf\" lacks its idf of {features} features"),
            },
        })
    }
}

fn to_unit_length<T: Real>(values: &mut [T]) {
    let squares = values.iter().map(|v| v.to_f64() * v.to_f64()).sum::<f64>();
    if (LEAST_SQUARE..=f64::MAX).contains(&squares) {
        let norm = squares.sqrt();
        values.iter_mut().for_each(|v| *v = T::from_f64(v.to_f64() / norm));
        return;
    }
    // The squares leave the range of f64: the row at a largest entry of 1 first.
    let largest = values.iter().fold(0.0f64, |largest, v| largest.max(v.to_f64()));
    if largest > 0.0 && largest.is_finite() {
        let parts: Vec<f64> = values.iter().map(|v| v.to_f64() / largest).collect();
        let norm = parts.iter().map(|v| v * v).sum::<f64>().sqrt();
        values.iter_mut().zip(parts).for_each(|(v, part)| *v = T::from_f64(part / norm));
    }
}

/// Below it, a sum of squares has lost digits.
const LEAST_SQUARE: f64 = 1e-280;
/// Entries from here on may leave the range of their type when they are multiplied by an idf.
const HALVED: f64 = 1.0 / 1024.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Table;

    #[test]
    fn tfidf_is_that_of_scikit_learn() {
        // TfidfTransformer().fit_transform([[3, 0, 1], [2, 0, 0], [3, 0, 0], [4, 0, 0], [3, 2, 0], [3, 0, 2]])
        let counts = [3., 0., 1., 2., 0., 0., 3., 0., 0., 4., 0., 0., 3., 2., 0., 3., 0., 2.];
        let mut dense = Table::<f64>::dense(6, 3, counts.to_vec());
        let scaling = Scaling::learn(ScaleKind::TfIdf, &dense);
        scaling.apply(&mut dense);
        let expected =
            [0.8515, 0.0, 0.5243, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5542, 0.8323, 0.0];
        for (found, expected) in dense.values().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-4, "{found} is not {expected}");
        }
        let mut sparse = Table::<f64>::sparse(2, 3, vec![0, 2, 3], vec![0, 2, 0], vec![3.0, 1.0, 2.0]);
        scaling.apply(&mut sparse);
        assert!((sparse.values()[1] - 0.5243).abs() < 1e-4 && sparse.values()[2] == 1.0);
    }

    #[test]
    fn rows_of_zeros_stay_zero_and_max_makes_the_largest_entry_1() {
        let mut table = Table::<f64>::dense(2, 2, vec![0.0, 0.0, 2.0, 4.0]);
        Scaling::UnitRows.apply(&mut table);
        assert_eq!(table.values()[..2], [0.0, 0.0]);
        let mut table = Table::<f64>::dense(2, 2, vec![0.0, 0.0, 2.0, 4.0]);
        let scaling = Scaling::learn(ScaleKind::Max, &table);
        scaling.apply(&mut table);
        assert_eq!(table.values(), [0.0, 0.0, 0.5, 1.0]);
        assert_eq!(Scaling::from_json(&scaling.to_json(), None, 2).unwrap(), scaling);
    }
}
