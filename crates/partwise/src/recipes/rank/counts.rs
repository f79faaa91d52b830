//! Whether data are counts, and of which unit.

use std::cell::Cell;

use crate::data::DataMatrix;
use crate::foundation::Real;

/// Counts beyond this many units are measurements.
const MOST_UNITS: f64 = 1e9;
/// So are those of more units than this in the mean of the entries above 0: values with three decimals are
/// whole multiples of a thousandth, too, but no counts of it.
const MOST_MEAN: f64 = 500.0;

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
