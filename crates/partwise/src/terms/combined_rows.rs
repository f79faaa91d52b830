//! A second divergence, of rows that are combinations of the samples: D(SᵀX‖SᵀWH) beside D(X‖WH).
//!
//! ```text
//! T = SᵀX (m × d, fixed), V = SᵀW (m × k, follows W), R = T/(VH)
//! components   N ← N + RᵀV,       b ← b + Vᵀ1
//! codes        N ← N + S(RHᵀ),    b ← b·(1 + S1)ᵢ in row i
//! ```
//!
//! It is Kullback–Leibler on the rows [X; T] ≈ [W; V]·H (METHODS R7). A weight λ of the second divergence is
//! part of S: scaling S by λ scales T and V alike, and D is homogeneous.

use std::sync::Arc;

use crate::data::DataMatrix;
use crate::engine::quadratic::{KlMajorizer, Subproblem};
use crate::engine::term::{EachChunk, Term, one_by_one};
use crate::engine::{Factors, Loss, Slot};
use crate::foundation::{Matrix, Real};
use crate::kernels::sums::column_sums;

/// See the module. S is kept by samples, of which few have entries.
#[derive(Clone, Debug)]
pub struct CombinedRows<T: Real> {
    offsets: Vec<usize>,
    columns: Vec<u32>,
    weights: Vec<T>,
    row_sums: Vec<T>,
    targets: Arc<dyn DataMatrix<T>>,
}

impl<T: Real> CombinedRows<T> {
    /// S (`samples` × m) as (sample, column, weight ≥ 0) by sample, and SᵀX (m × d).
    ///
    /// # Panics
    /// When an entry names a sample or a column that isn't there, or the samples don't ascend.
    pub fn new(samples: usize, entries: &[(u32, u32, f64)], targets: Arc<dyn DataMatrix<T>>) -> Self {
        assert!(entries.is_sorted_by_key(|entry| entry.0), "entries by sample");
        assert!(
            entries.iter().all(|e| (e.0 as usize) < samples && (e.1 as usize) < targets.n_samples()),
            "an entry outside the combination"
        );
        let mut offsets = vec![0; samples + 1];
        let mut sums = vec![0.0; samples];
        for (sample, _, weight) in entries {
            offsets[*sample as usize + 1] += 1;
            sums[*sample as usize] += weight;
        }
        for i in 0..samples {
            offsets[i + 1] += offsets[i];
        }
        CombinedRows {
            offsets,
            columns: entries.iter().map(|entry| entry.1).collect(),
            weights: entries.iter().map(|entry| T::from_f64(entry.2)).collect(),
            row_sums: sums.into_iter().map(T::from_f64).collect(),
            targets,
        }
    }

    /// The columns and weights of a sample.
    fn entries(&self, sample: usize) -> impl Iterator<Item = (usize, T)> + '_ {
        let range = self.offsets[sample]..self.offsets[sample + 1];
        self.columns[range.clone()].iter().zip(&self.weights[range]).map(|(c, w)| (*c as usize, *w))
    }

    /// V = SᵀW (m × k), summed in `f64`.
    fn combine(&self, codes: &Matrix<T>) -> Matrix<T> {
        let mut sums = Matrix::<f64>::zeros(self.targets.n_samples(), codes.columns());
        for sample in 0..codes.rows() {
            for (column, weight) in self.entries(sample) {
                for (sum, w) in sums.row_mut(column).iter_mut().zip(codes.row(sample)) {
                    *sum += weight.to_f64() * w.to_f64();
                }
            }
        }
        sums.cast()
    }

    /// To the majorizer of `slot`.
    fn add_to_majorizer(
        &self,
        slot: Slot,
        factors: &Factors<T>,
        majorizer: &mut KlMajorizer<T>,
        each_chunk: &EachChunk<'_, T>,
    ) {
        let (codes, components) = (factors.get(Slot::Codes), factors.get(Slot::Components));
        let (combined, k) = (self.combine(codes), factors.rank());
        let targets = self.targets.as_ref();
        let logs = match slot {
            Slot::Components => {
                let mut products = vec![T::ZERO; components.rows() * k];
                let logs = each_chunk(&targets.feature_chunks(), &mut products, k, &|features, out| {
                    targets.transpose_ratio_times(features, &combined, components, out)
                });
                for (n, p) in majorizer.numerator.as_mut_slice().iter_mut().zip(products) {
                    *n += p;
                }
                for (b, sum) in majorizer.base.iter_mut().zip(column_sums(&combined, None)) {
                    *b += T::from_f64(sum);
                }
                logs
            }
            Slot::Codes => {
                let mut products = vec![T::ZERO; combined.rows() * k];
                let logs = each_chunk(&targets.sample_chunks(), &mut products, k, &|rows, out| {
                    targets.ratio_times(rows, &combined, components, out)
                });
                for sample in 0..codes.rows() {
                    let numerator = majorizer.numerator.row_mut(sample);
                    for (column, weight) in self.entries(sample) {
                        for (n, p) in numerator.iter_mut().zip(&products[column * k..(column + 1) * k]) {
                            *n += weight * *p;
                        }
                    }
                }
                let rows = majorizer.base_rows.get_or_insert_with(|| vec![T::ONE; codes.rows()]);
                rows.iter_mut().zip(&self.row_sums).for_each(|(row, sum)| *row += *sum);
                logs
            }
            Slot::Labels | Slot::ImageRows | Slot::ImageColumns | Slot::Scales => {
                unreachable!("codes and components alone multiply the data")
            }
        };
        majorizer.log_sum += logs.iter().sum::<f64>();
        majorizer.constant -= targets.summary().sum;
    }
}

impl<T: Real> Term<T> for CombinedRows<T> {
    fn name(&self) -> String {
        "margins".into()
    }

    fn value(&self, factors: &Factors<T>, _: Loss) -> f64 {
        let (combined, components) = (self.combine(factors.get(Slot::Codes)), factors.get(Slot::Components));
        let chunks = self.targets.sample_chunks();
        let logs: f64 =
            chunks.into_iter().map(|rows| self.targets.log_divergence(rows, &combined, components)).sum();
        let total: f64 =
            column_sums(&combined, None).iter().zip(column_sums(components, None)).map(|(v, h)| v * h).sum();
        logs - self.targets.summary().sum + total
    }

    fn add_to(&self, slot: Slot, factors: &Factors<T>, subproblem: &mut Subproblem<T>) {
        self.add_to_by(slot, factors, subproblem, &one_by_one);
    }

    fn add_to_by(
        &self,
        slot: Slot,
        factors: &Factors<T>,
        subproblem: &mut Subproblem<T>,
        each_chunk: &EachChunk<'_, T>,
    ) {
        let Subproblem::KullbackLeibler(majorizer) = subproblem else {
            panic!("a problem with combined rows has the Kullback-Leibler loss")
        };
        self.add_to_majorizer(slot, factors, majorizer, each_chunk);
    }

    fn owned_bytes(&self) -> usize {
        self.targets.owned_bytes()
    }
}
