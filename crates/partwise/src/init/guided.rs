//! The guided start: each component from what shows its topic, then the codes solved at these components.
//!
//! ```text
//! h_j = mean of the samples that show it + the samples weighted by the root of what they hold of its seeds +
//!     its profile,
//!       each of them at the size of the mean row, + 0.01·mean(X)·U
//! ```
//!
//! Components of which nothing is known start at the mean row, entrywise times a uniform number.

use std::collections::BTreeMap;
use std::ops::Range;

use super::labels::{balanced, beside};
use super::uniform_factor;
use crate::data::{DataMatrix, sum_of_rows};
use crate::engine::Problem;
use crate::engine::{Factors, Settings, Slot};
use crate::foundation::{Matrix, Real};
use crate::guidance::{Evidence, Plan};

pub(crate) fn start<T: Real>(problem: &Problem<'_, T>, plan: &Plan, settings: &Settings) -> Factors<T> {
    let data = problem.original();
    let known: Vec<Option<Vec<f64>>> = plan.evidence.iter().map(|e| shown(data, e)).collect();
    let components = beside(&known, data, settings);
    let mut codes: Matrix<f64> = uniform_factor::<T>(problem, Slot::Codes, settings, 0.1).cast();
    for (j, evidence) in plan.evidence.iter().enumerate() {
        // A row that stands for several samples shows what the surest of them does.
        let mut by_row: BTreeMap<usize, BTreeMap<usize, f64>> = BTreeMap::new();
        for &(sample, weight) in &evidence.samples {
            *by_row.entry(problem.row_of(sample)).or_default().entry(sample).or_default() += weight;
        }
        for (row, shown) in by_row {
            let most = shown.values().fold(0.0f64, |most, weight| most.max(*weight));
            let value = codes.get(row, j) + most * problem.row_origin(row).1;
            codes.set(row, j, value);
        }
    }
    balanced(codes, components)
}

/// Bᵀ (c × k) beside the guided start, with the `known` labels above 0 (row of the codes, label, value):
/// label l is what its topic's components hold of the samples of class l; the rest as random.
pub(super) fn label_factor<T: Real>(
    random: Matrix<T>,
    known: &[(u32, u32, T)],
    components: &[Range<usize>],
    start: &Factors<T>,
) -> Matrix<T> {
    let (mut factor, codes) = (random, start.get(Slot::Codes));
    for (l, range) in components.iter().enumerate() {
        let pulls = known.iter().filter(|(_, label, _)| *label as usize == l);
        let (mut target, mut held) = (0.0, 0.0);
        for (row, _, y) in pulls {
            target += y.to_f64();
            held += codes.row(*row as usize)[range.clone()].iter().map(|w| w.to_f64()).sum::<f64>();
        }
        if held > 0.0 {
            for j in range.clone() {
                let value = factor.get(l, j) + T::from_f64(target / held);
                factor.set(l, j, value);
            }
        }
    }
    factor
}

/// The guidance on a component as a row (d) of the size of the mean row; nothing when nothing is.
fn shown<T: Real>(data: &dyn DataMatrix<T>, evidence: &Evidence) -> Option<Vec<f64>> {
    let d = data.n_features();
    let size = data.summary().sum / data.n_samples() as f64;
    let mut parts: Vec<Vec<f64>> = Vec::new();
    if !evidence.samples.is_empty() {
        parts.push(sum_of_rows(data, &evidence.samples));
    }
    parts.extend(evidence.seeded.clone());
    parts.extend(evidence.profile.clone());
    let mut sum = vec![0.0; d];
    let mut any = false;
    for part in parts {
        let total: f64 = part.iter().sum();
        if total > 0.0 {
            any = true;
            sum.iter_mut().zip(&part).for_each(|(s, p)| *s += p * size / total);
        }
    }
    any.then_some(sum)
}
