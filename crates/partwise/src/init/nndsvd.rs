//! NNDSVD and its filled forms, from a randomized truncated SVD.
//!
//! ```text
//! X ≈ Σⱼ σⱼuⱼvⱼᵀ; component 0 is √σ₀·|u₀|, √σ₀·|v₀|;
//!     component j keeps of (uⱼ, vⱼ) the pair of positive or negative parts with the
//! larger product of norms m:  w = √(σm)·u±/‖u±‖,  h = √(σm)·v±/‖v±‖
//! ```
//!
//! References: Boutsidis & Gallopoulos 2008, doi:10.1016/j.patcog.2007.09.010; Halko, Martinsson & Tropp
//! 2011, doi:10.1137/090771806. Differs from scikit-learn: zeros are filled by √(mean X / k) (or a random
//! hundredth of it), which scales with X as the factors do, not by mean X; components beyond the numerical
//! rank are random instead of an error or of rounding.

use super::stream;
use crate::data::{DataMatrix, times, transpose_times};
use crate::engine::{Factors, Init, Settings, Slot};
use crate::foundation::{Matrix, Real, Result, Stream};
use crate::kernels::gemm::{thin_qr, thin_svd};

/// Entries of singular vectors below this × ε × σ₀/σⱼ count as zero.
const NOISE: f64 = 64.0;
/// Extra columns of the random projection.
const OVERSAMPLING: usize = 10;
/// Power iterations, each re-orthogonalized.
const POWER_ITERATIONS: usize = 5;
/// The stream of the projection; streams below 16 belong to slots.
const PROJECTION: u64 = 16;

pub(super) fn start<T: Real>(
    data: &dyn DataMatrix<T>,
    settings: &Settings,
    init: &Init,
    origin: impl Fn(usize) -> usize,
) -> Result<Factors<T>> {
    let (n, d, k) = (data.n_samples(), data.n_features(), settings.rank);
    let svd_rank = k.min(n).min(d);
    let (u, s, v) = truncated_svd(data, svd_rank, settings.seed);
    // What is not above rounding is 0: the sign of rounding must not decide what is filled, nor rounding be a
    // component.
    let rounding = NOISE * T::EPSILON.to_f64();
    let svd_rank = s[..svd_rank].iter().take_while(|s_j| **s_j > rounding * s[0]).count();
    let column = |m: &Matrix<f64>, j: usize| -> Vec<f64> {
        let values = (0..m.rows()).map(|i| m.get(i, j));
        values.map(|v| if v.abs() > rounding * s[0] / s[j] { v } else { 0.0 }).collect()
    };
    let (mut codes, mut components) = (Matrix::<f64>::zeros(n, k), Matrix::<f64>::zeros(d, k));
    for j in 0..svd_rank {
        let (left, right) = non_negative_pair(&column(&u, j), &column(&v, j), j == 0);
        for i in 0..n {
            codes.set(i, j, s[j].sqrt() * left[i]);
        }
        for i in 0..d {
            components.set(i, j, s[j].sqrt() * right[i]);
        }
    }
    let mean = data.summary().sum / (n as f64 * d as f64);
    let scale = (mean / k as f64).sqrt();
    let streams = [stream(settings.seed, Slot::Codes), stream(settings.seed, Slot::Components)];
    let mut draws = vec![0.0; k];
    for (slot, factor) in [(Slot::Codes, &mut codes), (Slot::Components, &mut components)] {
        for row in 0..factor.rows() {
            let number = if slot == Slot::Codes { origin(row) } else { row };
            streams[slot.index()].fill(number, &mut draws);
            for (j, value) in factor.row_mut(row).iter_mut().enumerate() {
                if j >= svd_rank {
                    *value = scale * draws[j];
                } else if *value <= 0.0 {
                    *value = match init {
                        Init::Nndsvda => scale,
                        Init::Nndsvdar => 0.01 * scale * draws[j],
                        _ => 0.0,
                    };
                }
            }
        }
    }
    Ok(Factors::new(codes.cast(), components.cast()))
}

/// The non-negative pair of a singular pair, scaled so that the product of their norms is m (see the
/// formula).
fn non_negative_pair(u: &[f64], v: &[f64], leading: bool) -> (Vec<f64>, Vec<f64>) {
    if leading {
        return (u.iter().map(|x| x.abs()).collect(), v.iter().map(|x| x.abs()).collect());
    }
    let (positive, negative) = (Pair::of(u, v, 1.0), Pair::of(u, v, -1.0));
    let pair = if positive.product() >= negative.product() { positive } else { negative };
    let root = pair.product().sqrt();
    let scaled =
        |x: Vec<f64>, norm: f64| x.iter().map(|x| if norm > 0.0 { x / norm * root } else { 0.0 }).collect();
    (scaled(pair.left, pair.norms.0), scaled(pair.right, pair.norms.1))
}

/// The parts of one sign of a singular pair, and their norms.
struct Pair {
    left: Vec<f64>,
    right: Vec<f64>,
    norms: (f64, f64),
}

impl Pair {
    fn of(u: &[f64], v: &[f64], sign: f64) -> Self {
        let part = |x: &[f64]| x.iter().map(|x| (sign * x).max(0.0)).collect::<Vec<f64>>();
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let (left, right) = (part(u), part(v));
        Pair { norms: (norm(&left), norm(&right)), left, right }
    }

    fn product(&self) -> f64 {
        self.norms.0 * self.norms.1
    }
}

/// The leading `rank` singular triplets: U (n × rank), σ, V (d × rank).
fn truncated_svd<T: Real>(
    data: &dyn DataMatrix<T>,
    rank: usize,
    seed: u64,
) -> (Matrix<f64>, Vec<f64>, Matrix<f64>) {
    let (n, d) = (data.n_samples(), data.n_features());
    let width = (rank + OVERSAMPLING).min(n).min(d);
    let stream = Stream::numbered(seed, PROJECTION);
    let mut projection = Matrix::<f64>::zeros(d, width);
    for feature in 0..d {
        let row = projection.row_mut(feature);
        stream.fill(feature, row);
        row.iter_mut().for_each(|v| *v -= 0.5);
    }
    let mut range = thin_qr(&times(data, &projection));
    for _ in 0..POWER_ITERATIONS {
        let back = thin_qr(&transpose_times(data, &range));
        range = thin_qr(&times(data, &back));
    }
    // Xᵀ·Q = V·diag(σ)·Rᵀ, so X ≈ Q·R·diag(σ)·Vᵀ.
    let (v, s, r) = thin_svd(&transpose_times(data, &range));
    let u = Matrix::from_fn(n, rank, |i, j| (0..width).map(|l| range.get(i, l) * r.get(l, j)).sum());
    let v = Matrix::from_fn(d, rank, |i, j| v.get(i, j));
    (u, s, v)
}
