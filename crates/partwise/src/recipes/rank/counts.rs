//! Whether data are counts, of which unit, and whether most of them are 0.

use std::cell::Cell;

use crate::data::{DataMatrix, SparseMatrix};
use crate::foundation::{Real, Result};

/// Counts beyond this many units are measurements.
const MOST_UNITS: f64 = 1e9;
/// So are those of more units than this in the mean of the entries above 0: values with three decimals are
/// whole multiples of a thousandth, too, but no counts of it.
const MOST_MEAN: f64 = 500.0;

/// Dense counts are taken as sparse ones up to this fraction of entries that are not 0.
const MOST_NON_ZEROS: f64 = 0.25;

/// The unit of which every entry is a whole multiple, if the entries are counts: their greatest common
/// divisor. `None` for measurements.
pub(super) fn unit_of_counts<T: Real>(data: &dyn DataMatrix<T>) -> Option<f64> {
    let largest = data.summary().max;
    let least = data.least_positive();
    if !least.is_finite() || largest <= 0.0 {
        return None;
    }
    let unit = Cell::new(Some(least));
    let precision = 64.0 * T::EPSILON.to_f64();
    let positive = Cell::new(0.0);
    let divide = |x: f64| {
        positive.set(positive.get() + f64::from(x > 0.0));
        unit.set(unit.get().and_then(|unit| common_unit(unit, x, largest, precision)));
    };
    if data.is_sparse() {
        data.mapped(&|_, _, x| {
            divide(x);
            0.0
        });
    } else {
        // Most measurements are seen in the first row.
        let mut row = vec![0.0; data.n_features()];
        for sample in (0..data.n_samples()).take_while(|_| unit.get().is_some()) {
            row.fill(0.0);
            data.add_row(sample, 1.0, &mut row);
            row.iter().for_each(|x| divide(*x));
        }
    }
    let mean = data.summary().sum / positive.get().max(1.0);
    // One value alone is no count of anything.
    unit.get().filter(|unit| largest / unit > 1.5 && mean / unit <= MOST_MEAN)
}

/// Dense counts of which most are 0, without the zeros, which take memory and time; `None` for others.
pub(super) fn without_zeros<T: Real>(data: &dyn DataMatrix<T>) -> Result<Option<SparseMatrix<'static, T>>> {
    let (n, d) = (data.n_samples(), data.n_features());
    let count = data.summary().non_zeros;
    let mostly_zeros = count as f64 <= MOST_NON_ZEROS * n as f64 * d as f64;
    if data.is_sparse() || data.blocks().is_some() || !mostly_zeros || unit_of_counts(data).is_none() {
        return Ok(None);
    }
    let (mut ends, mut row) = (Vec::with_capacity(n + 1), vec![0.0; d]);
    let (mut features, mut values) = (Vec::with_capacity(count), Vec::with_capacity(count));
    ends.push(0);
    for sample in 0..n {
        row.fill(0.0);
        data.add_row(sample, 1.0, &mut row);
        for (feature, x) in (0u32..).zip(&row).filter(|(_, x)| **x != 0.0) {
            features.push(feature);
            values.push(T::from_f64(*x));
        }
        ends.push(features.len());
    }
    SparseMatrix::new(n, d, ends, features, values).map(Some)
}

/// The greatest common divisor of a unit and an entry, by Euclid's algorithm; what is left by rounding is 0.
fn common_unit(mut unit: f64, entry: f64, largest: f64, precision: f64) -> Option<f64> {
    let mut rest = entry;
    while rest > largest * precision {
        if largest / unit > MOST_UNITS || unit < largest * 2.0 * precision {
            return None;
        }
        let left = (rest - (rest / unit).round() * unit).abs();
        if left <= (rest * precision).max(unit * 1e-6) {
            break;
        }
        (rest, unit) = (unit, left);
    }
    Some(unit)
}
