//! What the data show of the seeds of a topic.

use crate::data::{DataMatrix, sum_over_samples};
use crate::foundation::Real;

/// What the samples that hold the seeds look like (d): Σᵢ xᵢ·√(Σ_f s_f·xᵢ_f/Σᵢ xᵢ_f), a seed's own entries
/// times its weight s_f. A rare seed counts as much as a common one; the root keeps a few samples that are
/// full of seeds from standing for all. `None` where no seed occurs.
pub(crate) fn seeded<T: Real>(data: &dyn DataMatrix<T>, seeds: &[(usize, f64)]) -> Option<Vec<f64>> {
    let d = data.n_features();
    let columns = &data.summary().column_sums;
    let mut wanted = vec![0.0; d];
    for &(feature, weight) in seeds.iter().filter(|(f, _)| columns[*f] > 0.0) {
        wanted[feature] += weight / columns[feature];
    }
    if wanted.iter().all(|w| *w == 0.0) {
        return None;
    }
    let mut sum = sum_over_samples(data, d, |_, (rows, at), sum| {
        let held = rows.row_dot(at, &wanted);
        if held > 0.0 {
            rows.add_row(at, held.sqrt(), sum);
        }
    });
    seeds.iter().for_each(|&(feature, weight)| sum[feature] *= weight);
    Some(sum)
}
