//! How well codes and components give the data back, in plain loops over a dense X. For tests and small data;
//! a fit reports the same figures without forming W·H.
//!
//! ```text
//! relative error             ‖X − WH‖_F / ‖X‖_F
//! projected-gradient norm    Frobenius norm over (W, H) together of P(∇ ½‖X − WH‖²),
//!                            P(g) = g where the entry is above 0, min(g, 0) where it is 0
//! ```
//!
//! Reference: C.-J. Lin, "Projected gradient methods for nonnegative matrix factorization", Neural
//! Computation 19, 2007, doi 10.1162/neco.2007.19.10.2756.

use crate::foundation::checks::check_shape;
use crate::foundation::{Matrix, Result};

/// ‖X − WH‖ / ‖X‖ (Frobenius norms) of `data` X (n × d), `codes` W (n × k) and `components` H (k × d). For
/// X = 0 it is 0 when WH = 0 too, and infinite otherwise.
///
/// # Errors
/// [`Error::Shape`] when the shapes don't fit together.
#[doc(hidden)]
pub fn relative_error(data: &Matrix<f64>, codes: &Matrix<f64>, components: &Matrix<f64>) -> Result<f64> {
    let residual = residual(data, codes, components)?;
    let (error, size) = (norm(residual.as_slice()), norm(data.as_slice()));
    Ok(if error == 0.0 { 0.0 } else { error / size })
}

/// The norm of the projected gradient of ½‖X − WH‖² over both factors, for `data` X (n × d), `codes` W
/// (n × k) and `components` H (k × d): 0 exactly at a stationary point.
///
/// # Errors
/// [`Error::Shape`] when the shapes don't fit together.
#[doc(hidden)]
pub fn projected_gradient_norm(
    data: &Matrix<f64>,
    codes: &Matrix<f64>,
    components: &Matrix<f64>,
) -> Result<f64> {
    let residual = residual(data, codes, components)?;
    let (n, d) = data.shape();
    let mut projected = Vec::with_capacity((n + d) * codes.columns());
    for c in 0..codes.columns() {
        for i in 0..n {
            let gradient = -dot(residual.row(i), components.row(c));
            projected.push(if codes.get(i, c) > 0.0 { gradient } else { gradient.min(0.0) });
        }
        for j in 0..d {
            let gradient = -(0..n).map(|i| residual.get(i, j) * codes.get(i, c)).sum::<f64>();
            projected.push(if components.get(c, j) > 0.0 { gradient } else { gradient.min(0.0) });
        }
    }
    Ok(norm(&projected))
}

/// X − WH.
fn residual(data: &Matrix<f64>, codes: &Matrix<f64>, components: &Matrix<f64>) -> Result<Matrix<f64>> {
    let rank = codes.columns();
    check_shape("the codes", (data.rows(), rank), codes.shape())?;
    check_shape("the components", (rank, data.columns()), components.shape())?;
    let mut residual = data.clone();
    for i in 0..data.rows() {
        for c in 0..rank {
            let code = codes.get(i, c);
            for (entry, component) in residual.row_mut(i).iter_mut().zip(components.row(c)) {
                *entry -= code * component;
            }
        }
    }
    Ok(residual)
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(l, r)| l * r).sum()
}

fn norm(values: &[f64]) -> f64 {
    dot(values, values).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: usize, columns: usize, values: &[f64]) -> Matrix<f64> {
        Matrix::from_vec(rows, columns, values.to_vec()).unwrap()
    }

    #[test]
    fn an_exact_factorization_has_no_error_and_no_gradient() {
        let (codes, components) = (matrix(2, 1, &[1.0, 2.0]), matrix(1, 3, &[1.0, 0.0, 4.0]));
        let data = matrix(2, 3, &[1.0, 0.0, 4.0, 2.0, 0.0, 8.0]);
        assert_eq!(relative_error(&data, &codes, &components).unwrap(), 0.0);
        assert_eq!(projected_gradient_norm(&data, &codes, &components).unwrap(), 0.0);
    }

    #[test]
    fn data_of_zeros_give_0_or_infinity() {
        let (data, zero, one) = (matrix(1, 1, &[0.0]), matrix(1, 1, &[0.0]), matrix(1, 1, &[1.0]));
        assert_eq!(relative_error(&data, &zero, &one).unwrap(), 0.0);
        assert_eq!(relative_error(&data, &one, &one).unwrap(), f64::INFINITY);
    }

    #[test]
    fn a_gradient_that_pushes_an_entry_below_zero_does_not_count() {
        // At W = 0 the gradient of H is 0, that of W is −(x − 0)·h = −x·h: only a positive x counts.
        let (codes, components) = (matrix(1, 1, &[0.0]), matrix(1, 1, &[3.0]));
        assert_eq!(projected_gradient_norm(&matrix(1, 1, &[2.0]), &codes, &components).unwrap(), 6.0);
        assert_eq!(projected_gradient_norm(&matrix(1, 1, &[-2.0]), &codes, &components).unwrap(), 0.0);
    }

    #[test]
    fn shapes_that_do_not_fit_are_named() {
        let message =
            relative_error(&matrix(1, 2, &[1.0, 1.0]), &matrix(1, 1, &[1.0]), &matrix(1, 1, &[1.0]));
        assert!(message.unwrap_err().to_string().contains("the components"));
    }
}
