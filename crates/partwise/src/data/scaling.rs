//! Scaling of the data before a fit: what a model learned of it, applied to new rows in the same way.
//!
//! ```text
//! max        x / max X (of the data of the fit)
//! unit-rows  x_i / |x_i|_2
//! tfidf      x_ij · idf_j, then unit rows;  idf_j = ln((1 + n)/(1 + df_j)) + 1   (as scikit-learn's default)
//! ```
//!
//! Rows of zeros stay zero. A row is scaled by itself, so dense and sparse rows get the same bits.

use crate::foundation::{Real, names};

/// Which scaling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalingKind {
    /// As given.
    None,
    /// By the largest entry.
    Max,
    /// Rows of length 1.
    UnitRows,
    /// Rare features count more; rows of length 1.
    TfIdf,
}

names! { #[doc(hidden)] ScalingKind, "scaling", { None = "none", Max = "max", UnitRows = "unit-rows", TfIdf = "tfidf" } }

impl ScalingKind {
    /// One sentence.
    pub fn summary(self) -> &'static str {
        match self {
            ScalingKind::None => "no scaling",
            ScalingKind::Max => "divided by the largest entry",
            ScalingKind::UnitRows => "each row divided by its length",
            ScalingKind::TfIdf => "counts times ln((1+n)/(1+df))+1, then unit rows",
        }
    }
}

/// A row of data: its columns (all of them, in order, when absent) and its values.
pub type ScaledRow<'a, T> = (Option<&'a [u32]>, &'a [T]);

/// A scaling with the numbers that it took from the data of the fit.
///
/// # Examples
/// ```
/// use partwise::{Scaling, ScalingKind};
/// let rows = [[3.0, 0.0, 1.0], [2.0, 0.0, 0.0]];
/// let scaling = Scaling::learn(ScalingKind::TfIdf, 3, rows.iter().map(|row| (None, &row[..])));
/// let mut new = [1.0, 0.0, 0.0];
/// scaling.scale_row(None, &mut new);
/// assert_eq!(new, [1.0, 0.0, 0.0]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Scaling {
    /// As given.
    None,
    /// The largest entry of the data of the fit, 0 or more.
    Max(f64),
    /// Nothing to learn.
    UnitRows,
    /// The weight of each feature (d), above 0.
    TfIdf(Vec<f64>),
}

impl Scaling {
    /// Takes the numbers from rows of data with `n_features` columns.
    ///
    /// # Panics
    /// When a row is longer than that, or names another column.
    pub fn learn<'a, T: Real>(
        kind: ScalingKind,
        n_features: usize,
        rows: impl Iterator<Item = ScaledRow<'a, T>>,
    ) -> Self {
        match kind {
            ScalingKind::None => Scaling::None,
            ScalingKind::UnitRows => Scaling::UnitRows,
            ScalingKind::Max => {
                let values = rows.flat_map(|(_, values)| values.iter());
                Scaling::Max(values.fold(0.0, |max: f64, v| max.max(v.to_f64())))
            }
            ScalingKind::TfIdf => {
                let (mut documents, mut n) = (vec![0_usize; n_features], 0.0);
                for (columns, values) in rows {
                    n += 1.0;
                    for (place, value) in values.iter().enumerate() {
                        documents[column(columns, place)] += usize::from(*value != T::ZERO);
                    }
                }
                Self::of_documents(&documents, n)
            }
        }
    }

    /// tf-idf, from the number of rows in which each feature is not 0 and the number of rows.
    #[doc(hidden)]
    pub fn of_documents(documents: &[usize], rows: f64) -> Self {
        let weight = |df: &usize| ((1.0 + rows) / (1.0 + *df as f64)).ln() + 1.0;
        Scaling::TfIdf(documents.iter().map(weight).collect())
    }

    /// Scales one row in place; `columns` are those of its values (all of them, in order, when absent).
    ///
    /// # Panics
    /// When the row has another number of features than the data of the fit had.
    pub fn scale_row<T: Real>(&self, columns: Option<&[u32]>, values: &mut [T]) {
        match self {
            Scaling::None => {}
            Scaling::Max(max) if *max > 0.0 => {
                values.iter_mut().for_each(|v| *v = T::from_f64(v.to_f64() / max));
            }
            Scaling::Max(_) => {}
            Scaling::UnitRows => to_unit_length(values),
            Scaling::TfIdf(idf) => {
                let largest = idf.iter().fold(0.0, |a: f64, b| a.max(*b));
                let top = values.iter().fold(0.0, |a: f64, b| a.max(b.to_f64()));
                // A power of two changes no bit of the unit row, and keeps the products in range.
                let shrink = if T::from_f64(top * largest).is_finite() { 1.0 } else { 0.5_f64.powi(16) };
                for (place, value) in values.iter_mut().enumerate() {
                    *value = T::from_f64(value.to_f64() * shrink * idf[column(columns, place)]);
                }
                to_unit_length(values);
            }
        }
    }

    /// Which one it is.
    pub fn kind(&self) -> ScalingKind {
        match self {
            Scaling::None => ScalingKind::None,
            Scaling::Max(_) => ScalingKind::Max,
            Scaling::UnitRows => ScalingKind::UnitRows,
            Scaling::TfIdf(_) => ScalingKind::TfIdf,
        }
    }
}

fn column(columns: Option<&[u32]>, place: usize) -> usize {
    columns.map_or(place, |columns| columns[place] as usize)
}

/// Divides by the Euclidean length.
fn to_unit_length<T: Real>(values: &mut [T]) {
    let squares = |scale: f64| values.iter().map(|v| v.to_f64() * scale).map(|v| v * v).sum::<f64>();
    let plain = squares(1.0);
    // Squares of very large or very small entries leave the range of the type; then the largest entry is the
    // unit.
    let scale = if plain.is_finite() && plain >= f64::MIN_POSITIVE / f64::EPSILON {
        1.0
    } else {
        let top = values.iter().fold(0.0, |a: f64, b| a.max(b.to_f64().abs()));
        if top > 0.0 && top.is_finite() { power_of_two_near(top) } else { return }
    };
    let length = if scale == 1.0 { plain.sqrt() } else { squares(scale).sqrt() };
    values.iter_mut().for_each(|v| *v = T::from_f64(v.to_f64() * scale / length));
}

/// A power of two that brings `value` near 1. Subnormal numbers need two steps; one of 2¹⁰²² is enough to
/// make them normal.
fn power_of_two_near(value: f64) -> f64 {
    2.0_f64.powi((-value.log2().floor()).clamp(-1022.0, 1022.0) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled<T: Real>(scaling: &Scaling, row: &[T]) -> Vec<T> {
        let mut row = row.to_vec();
        scaling.scale_row(None, &mut row);
        row
    }

    #[test]
    fn tfidf_is_that_of_scikit_learn() {
        // TfidfTransformer().fit_transform([[3, 0, 1], [2, 0, 0], [3, 0, 0], [4, 0, 0], [3, 2, 0], [3, 0,
        // 2]])
        let counts: [[f64; 3]; 6] =
            [[3., 0., 1.], [2., 0., 0.], [3., 0., 0.], [4., 0., 0.], [3., 2., 0.], [3., 0., 2.]];
        let scaling = Scaling::learn(ScalingKind::TfIdf, 3, counts.iter().map(|row| (None, &row[..])));
        let expected = [[0.8515, 0.0, 0.5243], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
        for (row, expected) in counts.iter().zip(expected) {
            for (found, expected) in scaled(&scaling, row).iter().zip(expected) {
                assert!((found - expected).abs() < 1e-4, "{found} is not {expected}");
            }
        }
        let (mut sparse, columns) = (vec![3.0, 1.0], [0, 2]);
        scaling.scale_row(Some(&columns), &mut sparse);
        assert_eq!(sparse, [scaled(&scaling, &counts[0])[0], scaled(&scaling, &counts[0])[2]]);
    }

    #[test]
    fn rows_of_zeros_stay_zero_and_max_makes_the_largest_entry_1() {
        for &kind in ScalingKind::ALL {
            let rows = [[0.0, 0.0], [2.0, 4.0]];
            let scaling = Scaling::learn(kind, 2, rows.iter().map(|row| (None, &row[..])));
            assert_eq!(scaled(&scaling, &rows[0]), [0.0, 0.0], "{kind:?}");
            assert_eq!(scaling.kind(), kind);
            assert_eq!(ScalingKind::from_name(kind.name()), Ok(kind));
        }
        let scaling = Scaling::Max(4.0);
        assert_eq!(scaled(&scaling, &[2.0_f32, 4.0]), [0.5, 1.0]);
        assert_eq!(scaled(&Scaling::Max(0.0), &[0.0, 3.0]), [0.0, 3.0]);
        let unknown = ScalingKind::from_name("tf-idf").unwrap_err().to_string();
        assert!(unknown.contains("unit-rows"), "{unknown}");
    }

    #[test]
    fn unit_rows_of_any_size_have_length_1() {
        let idf = Scaling::TfIdf(vec![1.5, 40.0]);
        for size in [1e-320_f64, 1e-200, 1e-150, 1.0, 1e150, 1e200, 1e308] {
            let row = scaled(&Scaling::UnitRows, &[0.6 * size, 0.8 * size]);
            let length = (row[0] * row[0] + row[1] * row[1]).sqrt();
            assert!((length - 1.0).abs() < 1e-3, "{size:e}: {row:?}");
            let row = scaled(&idf, &[0.6 * size, 0.8 * size]);
            assert!((row[1] - 1.0).abs() < 1e-2 && row[0] > 0.0, "{size:e}: {row:?}");
        }
        for size in [1e-44_f32, 1e-30, 1e30, 3e38] {
            let row = scaled(&Scaling::UnitRows, &[0.0, size]);
            assert_eq!(row, [0.0, 1.0], "{size:e}");
            assert_eq!(scaled(&idf, &[0.0, size]), [0.0, 1.0], "{size:e}");
        }
    }
}
