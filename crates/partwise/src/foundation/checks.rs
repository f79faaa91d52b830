//! Checks of numbers wherever they come from.

use super::{Error, Matrix, Real, Result};

fn place_of<T: Real>(matrix: &Matrix<T>, at: usize) -> (usize, usize) {
    (at / matrix.columns(), at % matrix.columns())
}

/// Refuses NaN and infinite entries of a matrix.
pub(crate) fn check_finite<T: Real>(what: &str, matrix: &Matrix<T>) -> Result<()> {
    let values = matrix.as_slice();
    let Some(at) = values.iter().position(|v| !v.is_finite()) else { return Ok(()) };
    let nan = values.iter().filter(|v| v.to_f64().is_nan()).count();
    let infinite = values.iter().filter(|v| v.to_f64().is_infinite()).count();
    Err(Error::NotFinite { what: what.into(), nan, infinite, first: place_of(matrix, at) })
}

/// How many values are looked at before the first fault ends a check.
const CHECKED: usize = 1024;

/// Values that are looked at side by side.
const LANES: usize = 16;

/// Whether all are finite and none is below 0. Without a way out, and with an infinite value seen as the
/// largest: so it becomes vector instructions, which a test of each value for both does not.
#[inline(always)]
fn is_non_negative<T: Real>(values: &[T]) -> bool {
    let (mut faults, mut largest) = ([0i32; LANES], [T::ZERO; LANES]);
    let (blocks, rest) = values.as_chunks::<LANES>();
    for block in blocks {
        for l in 0..LANES {
            let v = block[l];
            faults[l] |= 1 ^ i32::from(v >= T::ZERO);
            largest[l] = if v > largest[l] { v } else { largest[l] };
        }
    }
    let rest = rest.iter().all(|v| *v >= T::ZERO && v.is_finite());
    rest && faults.iter().all(|fault| *fault == 0) && largest.iter().all(|v| v.is_finite())
}

/// Whether all are finite: 0 times any other value is NaN.
pub(crate) fn all_finite<T: Real>(values: &[T]) -> bool {
    let of_block = |values: &[T]| {
        let mut zeros = [T::ZERO; LANES];
        let (blocks, rest) = values.as_chunks::<LANES>();
        for block in blocks {
            for l in 0..LANES {
                zeros[l] += T::ZERO * block[l];
            }
        }
        zeros.iter().all(|zero| *zero == T::ZERO) && rest.iter().all(|v| v.is_finite())
    };
    values.chunks(CHECKED).all(of_block)
}

/// Refuses negative or non-finite entries of a matrix.
pub(crate) fn check_non_negative<T: Real>(what: &str, matrix: &Matrix<T>) -> Result<()> {
    let values = matrix.as_slice();
    // Block by block without a way out of one, which vector instructions need.
    if values.chunks(CHECKED).all(is_non_negative) {
        return Ok(());
    }
    check_finite(what, matrix)?;
    match values.iter().position(|v| *v < T::ZERO) {
        None => Ok(()),
        Some(at) => Err(Error::Negative {
            what: what.into(),
            count: values.iter().filter(|v| **v < T::ZERO).count(),
            first: place_of(matrix, at),
            value: values[at].to_f64(),
        }),
    }
}

/// As [`check_non_negative`], and the matrix in another precision: block by block, while a block is at hand.
pub(crate) fn checked_cast<T: Real, U: Real>(what: &str, matrix: &Matrix<T>) -> Result<Matrix<U>> {
    let mut values = Vec::with_capacity(matrix.as_slice().len());
    for block in matrix.as_slice().chunks(CHECKED) {
        if !is_non_negative(block) {
            check_non_negative(what, matrix)?;
        }
        values.extend(block.iter().map(|v| U::from_f64(v.to_f64())));
    }
    Matrix::from_vec(matrix.rows(), matrix.columns(), values)
}

/// Refuses another shape than the expected one.
pub(crate) fn check_shape(what: &str, expected: (usize, usize), found: (usize, usize)) -> Result<()> {
    let words = |shape: (usize, usize)| format!("{} x {}", shape.0, shape.1);
    if expected == found { Ok(()) } else { Err(Error::shape(what, words(expected), words(found))) }
}

/// Refuses values that are negative or not finite; `name` says what the first of them, by its place, is.
pub(crate) fn check_weights(values: &[f64], name: impl Fn(usize) -> String) -> Result<()> {
    match values.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
        None => Ok(()),
        Some(at) => Err(Error::out_of_range(name(at), values[at], "a finite number of 0 or more")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_found<T: Real>(value: f64, at: usize, length: usize) {
        let mut values = vec![T::ONE; length];
        values[at] = T::from_f64(value);
        assert_eq!(all_finite(&values), value.is_finite(), "{value} at {at} of {length}");
        let matrix = Matrix::from_vec(1, length, values).unwrap();
        let valid = value >= 0.0 && value.is_finite();
        assert_eq!(check_non_negative("a row", &matrix).is_ok(), valid, "{value} at {at} of {length}");
        assert_eq!(checked_cast::<T, f64>("a row", &matrix).is_ok(), valid, "{value} at {at} of {length}");
    }

    #[test]
    fn a_fault_is_found_wherever_it_is() {
        for value in [0.0, -0.0, 2.5, -1e-30, -1.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for (at, length) in
                [(0, 1), (3, 17), (16, 17), (15, 16), (1023, 2000), (1024, 2000), (1999, 2000)]
            {
                is_found::<f32>(value, at, length);
                is_found::<f64>(value, at, length);
            }
        }
    }
}
