//! Conjugate gradients, for several right-hand sides side by side (Hestenes & Stiefel 1952,
//! doi:10.6028/jres.049.044).

use crate::foundation::{Matrix, interrupt};

/// X with A X = B for a symmetric positive definite operator `apply`, each column by conjugate gradients of
/// its own, until each has a residual of at most `residual` times its length.
pub fn conjugate_gradients(
    apply: &impl Fn(&Matrix<f64>) -> Matrix<f64>,
    b: Matrix<f64>,
    residual: f64,
) -> Matrix<f64> {
    let columns = b.columns();
    let mut x = Matrix::zeros(b.rows(), columns);
    let mut left = b.clone();
    let mut size = products(&b, &b);
    let enough: Vec<f64> = size.iter().map(|s| residual * residual * s).collect();
    let mut direction = b;
    for _ in 0..10 * x.rows() + 100 {
        interrupt::check();
        let open: Vec<bool> = size.iter().zip(&enough).map(|(size, enough)| size > enough).collect();
        if open.iter().all(|open| !open) {
            break;
        }
        let image = apply(&direction);
        let bends = products(&direction, &image);
        let steps: Vec<f64> = (0..columns).map(|c| if open[c] { size[c] / bends[c] } else { 0.0 }).collect();
        add(&mut x, &steps, &direction);
        let back: Vec<f64> = steps.iter().map(|step| -step).collect();
        add(&mut left, &back, &image);
        let next = products(&left, &left);
        for i in 0..x.rows() {
            let pairs = direction.row_mut(i).iter_mut().zip(left.row(i));
            for (c, (d, r)) in pairs.enumerate().filter(|(c, _)| open[*c]) {
                *d = r + next[c] / size[c] * *d;
            }
        }
        size = next;
    }
    x
}

/// Σᵢ aᵢ_c·bᵢ_c of each column.
fn products(a: &Matrix<f64>, b: &Matrix<f64>) -> Vec<f64> {
    let mut sums = vec![0.0; a.columns()];
    for i in 0..a.rows() {
        for (sum, (a, b)) in sums.iter_mut().zip(a.row(i).iter().zip(b.row(i))) {
            *sum += a * b;
        }
    }
    sums
}

/// `to` += `step` of each column × `direction`.
fn add(to: &mut Matrix<f64>, step: &[f64], direction: &Matrix<f64>) {
    for i in 0..to.rows() {
        for (x, (step, d)) in to.row_mut(i).iter_mut().zip(step.iter().zip(direction.row(i))) {
            *x += step * d;
        }
    }
}
