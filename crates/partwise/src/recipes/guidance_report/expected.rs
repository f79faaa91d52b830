//! Which samples belong to each topic as far as its guidance and the data say, without the fit.
//!
//! ```text
//! p_t:  the mean of the topic's labelled samples, of the samples that hold its seeds, and its reference,
//!       each at length 1 (a row for each of its components)
//! p_0:  the mean row
//! a sample is expected in the topic whose p_t has the largest cosine with it; in none if that is p_0
//! then once more, where p is the mean of the samples expected there, each at length 1
//! ```
//!
//! The mean row stands for everything that the guidance does not speak of. Labelled samples are expected in
//! the topic of their label.

use crate::data::{DataMatrix, times, transpose_times};
use crate::foundation::{Matrix, Real};
use crate::guidance::{Evidence, Plan};
use crate::recipes::memberships::largest;

/// How often the profiles become the means of their samples. More rounds drift away from the guidance.
const ROUNDS: usize = 1;

/// The topic in which each sample is expected, if any. `labelled`: the topic of each sample's label.
pub(super) fn expected<T: Real>(
    data: &dyn DataMatrix<T>,
    plan: &Plan,
    labelled: &[Option<usize>],
) -> Vec<Option<usize>> {
    let (n, d) = (data.n_samples(), data.n_features());
    let mut owner: Vec<Option<usize>> = vec![None];
    let mut rows: Vec<Vec<f64>> = vec![data.summary().column_sums.clone()];
    for (topic, (_, range)) in plan.topics.iter().enumerate() {
        for profile in range.clone().filter_map(|j| profile(data, &plan.evidence[j])) {
            owner.push(Some(topic));
            rows.push(profile);
        }
    }
    if owner.len() == 1 {
        return vec![None; n];
    }
    for row in &mut rows {
        to_length_one(row);
    }
    let mut profiles = Matrix::from_fn(d, rows.len(), |f, p| rows[p][f]);
    let lengths = lengths(data);
    let mut nearest = places(&times(data, &profiles), &owner, labelled);
    for _ in 0..ROUNDS {
        let member = Matrix::from_fn(n, owner.len(), |i, p| match nearest[i] {
            Some(place) if place == p && lengths[i] > 0.0 => 1.0 / lengths[i],
            _ => 0.0,
        });
        let means = transpose_times(data, &member);
        for p in 0..owner.len() {
            let mut mean: Vec<f64> = (0..d).map(|f| means.get(f, p)).collect();
            if to_length_one(&mut mean) {
                (0..d).for_each(|f| profiles.set(f, p, mean[f]));
            }
        }
        nearest = places(&times(data, &profiles), &owner, labelled);
    }
    (0..n).map(|i| labelled[i].or(nearest[i].and_then(|p| owner[p]))).collect()
}

/// The profile with the largest product for each sample, among those of its topic where it has a label;
/// `None` for a sample that has nothing in common with any.
fn places(products: &Matrix<f64>, owner: &[Option<usize>], labelled: &[Option<usize>]) -> Vec<Option<usize>> {
    let place = |i: usize| {
        let row: Vec<f64> = products
            .row(i)
            .iter()
            .zip(owner)
            .map(
                |(product, topic)| {
                    if labelled[i].is_some() && *topic != labelled[i] { 0.0 } else { *product }
                },
            )
            .collect();
        Some(largest(&row)).filter(|p| row[*p] > 0.0)
    };
    (0..products.rows()).map(place).collect()
}

/// What is known of a component, as a row (d); `None` where nothing is.
fn profile<T: Real>(data: &dyn DataMatrix<T>, evidence: &Evidence) -> Option<Vec<f64>> {
    let d = data.n_features();
    let mut samples = vec![0.0; d];
    evidence.samples.iter().for_each(|&(sample, weight)| data.add_row(sample, weight, &mut samples));
    let parts = [Some(samples), evidence.seeded.clone(), evidence.profile.clone()];
    let mut sum = vec![0.0; d];
    for mut part in parts.into_iter().flatten() {
        if to_length_one(&mut part) {
            sum.iter_mut().zip(part).for_each(|(s, p)| *s += p);
        }
    }
    sum.iter().any(|s| *s > 0.0).then_some(sum)
}

/// Scales a row to length 1; `false` where it is 0.
fn to_length_one(row: &mut [f64]) -> bool {
    // In units of the largest entry, so that no square leaves the range.
    let most = row.iter().fold(0.0f64, |most, v| most.max(*v));
    if most <= 0.0 || !most.is_finite() {
        return false;
    }
    row.iter_mut().for_each(|v| *v /= most);
    let length = row.iter().map(|v| v * v).sum::<f64>().sqrt();
    row.iter_mut().for_each(|v| *v /= length);
    true
}

/// ‖xᵢ‖ of each sample.
fn lengths<T: Real>(data: &dyn DataMatrix<T>) -> Vec<f64> {
    let most = data.summary().max;
    let unit = if most > 0.0 && most.is_finite() { most } else { 1.0 };
    let of = |data: &dyn DataMatrix<T>| -> Vec<f64> {
        let squares = data.mapped(&|_, _, x| (x / unit).powi(2));
        squares.summary().row_sums.iter().map(|sum| unit * sum.sqrt()).collect()
    };
    let Some(blocks) = data.blocks() else { return of(data) };
    let mut lengths = vec![0.0; data.n_samples()];
    blocks.for_each(|rows, block, _| lengths[rows].copy_from_slice(&of(block)));
    blocks.gather_rows(&mut lengths, 1);
    lengths
}
