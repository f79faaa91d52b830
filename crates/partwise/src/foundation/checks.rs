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

/// Whether all are finite and none is below 0. Without a way out, which vector instructions need.
#[inline(always)]
fn is_non_negative<T: Real>(values: &[T]) -> bool {
    !values.iter().fold(false, |fault, v| fault | !((*v >= T::ZERO) & v.is_finite()))
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
