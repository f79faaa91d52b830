//! Sparseness of a vector or matrix.
//!
//! ```text
//! sparseness(v) = (√N − ‖v‖₁/‖v‖₂) / (√N − 1)   over all N entries
//! ```
//!
//! Reference: P. O. Hoyer, "Non-negative matrix factorization with sparseness constraints", JMLR 5, 2004,
//! pages 1457–1469 (no DOI), section 3.

use crate::foundation::{Error, Result};

/// Hoyer's sparseness of all `values` together, in [0, 1]: 1 when one entry is not zero, 0 when all have the
/// same size. The formula is 0/0 for a single entry, which counts as 1 when it is not zero, and for nothing
/// but zeros, which count as 0 (all have the same size).
///
/// # Errors
/// [`Error::Shape`] when there are no values, [`Error::NotFinite`] (the place is row 0 and the index) when
/// one is NaN or infinite.
pub fn sparseness(values: &[f64]) -> Result<f64> {
    if values.is_empty() {
        return Err(Error::shape("the values whose sparseness is asked", "at least 1 value", "0 values"));
    }
    if let Some(first) = values.iter().position(|value| !value.is_finite()) {
        return Err(Error::NotFinite {
            what: "the values whose sparseness is asked".into(),
            nan: values.iter().filter(|value| value.is_nan()).count(),
            infinite: values.iter().filter(|value| value.is_infinite()).count(),
            first: (0, first),
        });
    }
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    if largest == 0.0 {
        return Ok(0.0);
    }
    if values.len() == 1 {
        return Ok(1.0);
    }
    // Divided by the largest entry, so that squares neither overflow nor vanish.
    let sum: f64 = values.iter().map(|value| value.abs() / largest).sum();
    let squares: f64 = values.iter().map(|value| (value / largest).powi(2)).sum();
    let root = (values.len() as f64).sqrt();
    Ok(((root - sum / squares.sqrt()) / (root - 1.0)).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_the_scale() {
        assert_eq!(sparseness(&[0.0, -3.0, 0.0, 0.0]).unwrap(), 1.0);
        assert!(sparseness(&[2.0, -2.0, 2.0]).unwrap() < 1e-15);
        assert_eq!(sparseness(&[0.0, 0.0]).unwrap(), 0.0);
        assert_eq!(sparseness(&[4.0]).unwrap(), 1.0);
    }

    #[test]
    fn the_scale_of_the_values_does_not_matter() {
        let plain = sparseness(&[1.0, 2.0, 5.0]).unwrap();
        for scale in [1e-300, 1e300] {
            let scaled = sparseness(&[scale, 2.0 * scale, 5.0 * scale]).unwrap();
            assert!((scaled - plain).abs() < 1e-14, "at scale {scale}: {scaled} instead of {plain}");
        }
    }

    #[test]
    fn nothing_and_not_finite_values_are_refused() {
        assert!(matches!(sparseness(&[]), Err(Error::Shape { .. })));
        assert!(matches!(
            sparseness(&[1.0, f64::NAN, f64::INFINITY]),
            Err(Error::NotFinite { nan: 1, infinite: 1, first: (0, 1), .. })
        ));
    }
}
