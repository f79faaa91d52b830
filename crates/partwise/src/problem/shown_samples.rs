//! What a plan of guidance asks of the data: what the samples with the seeds of a topic look like, and groups
//! of samples that look alike.

use crate::clustering::Directions;
use crate::data::{DataMatrix, sum_over_samples};
use crate::foundation::Real;
use crate::guidance::Samples;

/// Samples that the groups are found on, at most; the others join them.
const MOST_SAMPLES: usize = 300;

/// The samples of data, for the plan of guidance.
pub(crate) struct SamplesOf<'d, T: Real>(pub(crate) &'d dyn DataMatrix<T>);

impl<T: Real> Samples for SamplesOf<'_, T> {
    fn seeded(&self, seeds: &[(usize, f64)]) -> Option<Vec<f64>> {
        seeded(self.0, seeds)
    }

    fn groups(&self, samples: &[usize], count: usize) -> Vec<usize> {
        if samples.len() <= count {
            return (0..samples.len()).collect();
        }
        let step = samples.len().div_ceil(MOST_SAMPLES);
        let some: Vec<usize> = samples.iter().copied().step_by(step).collect();
        let found = Directions::of(self.0, &some, count, 0);
        samples.iter().map(|&i| found.nearest(self.0, i)).collect()
    }
}

/// What the samples that hold the seeds look like (d): Σᵢ xᵢ·√(Σ_f s_f·xᵢ_f/Σᵢ xᵢ_f), a seed's own entries
/// times its weight s_f. A rare seed counts as much as a common one; the root keeps a few samples that are
/// full of seeds from standing for all. `None` where no seed occurs.
fn seeded<T: Real>(data: &dyn DataMatrix<T>, seeds: &[(usize, f64)]) -> Option<Vec<f64>> {
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
