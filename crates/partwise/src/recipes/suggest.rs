//! What to label next: the samples whose label would help most, and the least certain pairs.
//!
//! ```text
//! doubt of sample i       1 − (largest share − second largest share),
//!                         shares yᵢⱼ/Σⱼyᵢⱼ with yᵢⱼ = wᵢⱼ‖hⱼ‖ (wᵢⱼΣhⱼ under Kullback–Leibler)
//! picked one by one       largest doubt × (1 − largest cosine of its row of shares to those picked before,
//!                         and to labelled ones at half weight)
//! ```

use std::collections::BTreeSet;

use super::memberships::{ShareOf, shares};
use crate::fit::Fit;
use crate::foundation::{Error, Matrix, Real, Result};

/// A sample whose label would help.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Suggestion {
    /// Which.
    pub sample: usize,
    /// From 0 (it clearly belongs to one component) to 1 (two components share it equally).
    pub doubt: f64,
    /// The two most likely components, the larger membership first.
    pub between: (usize, usize),
}

/// A pair of samples that may or may not belong together.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairInDoubt {
    /// Which.
    pub samples: (usize, usize),
    /// Whether they are in the same component now.
    pub together: bool,
    /// The cosine between their memberships.
    pub closeness: f64,
}

/// The two largest, by place.
fn two_largest(row: &[f64]) -> (usize, usize) {
    let mut order: Vec<usize> = (0..row.len()).collect();
    order.sort_by(|a, b| row[*b].total_cmp(&row[*a]).then(a.cmp(b)));
    (order[0], *order.get(1).unwrap_or(&order[0]))
}

fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    let size = (a.iter().map(|a| a * a).sum::<f64>() * b.iter().map(|b| b * b).sum::<f64>()).sqrt();
    if size > 0.0 { dot / size } else { 0.0 }
}

/// The `count` samples whose label would help most, the most helpful first; `labelled` are left out.
/// Deterministic.
///
/// # Errors
/// [`Error::OutOfRange`] when there is one component only, or a labelled sample is not among the data.
pub fn suggest<T: Real>(fit: &Fit<T>, labelled: &[usize], count: usize) -> Result<Vec<Suggestion>> {
    suggest_from(&fit.codes, &fit.components, ShareOf::of_loss(fit.loss), labelled, count)
}

/// As [`suggest`], from codes (n × k) and components (k × d) from any source; `of` is the size of a component
/// in the memberships.
///
/// # Errors
/// As [`suggest`]; [`Error::Shape`] when the two have different k.
#[doc(hidden)]
pub fn suggest_from<T: Real>(
    codes: &Matrix<T>,
    components: &Matrix<T>,
    of: ShareOf,
    labelled: &[usize],
    count: usize,
) -> Result<Vec<Suggestion>> {
    check(codes, components, labelled)?;
    let shares = shares(codes, components, of);
    let n = shares.rows();
    let known: BTreeSet<usize> = labelled.iter().copied().collect();
    let judged = |i: usize| {
        let (first, second) = two_largest(shares.row(i));
        Suggestion {
            sample: i,
            doubt: 1.0 - (shares.get(i, first) - shares.get(i, second)),
            between: (first, second),
        }
    };
    let empty = |i: usize| shares.row(i).iter().all(|s| *s == 0.0);
    let mut open: Vec<Suggestion> = (0..n).filter(|i| !known.contains(i) && !empty(*i)).map(judged).collect();
    // How much of the information of a sample is already covered.
    let mut covered: Vec<f64> = open
        .iter()
        .map(|s| {
            let near = |l: &usize| 0.5 * cosine(shares.row(s.sample), shares.row(*l));
            known.iter().map(near).fold(0.0f64, f64::max)
        })
        .collect();
    let mut picked = Vec::new();
    while picked.len() < count && !open.is_empty() {
        let value = |at: usize| open[at].doubt * (1.0 - covered[at]);
        let best = (0..open.len()).fold(0, |best, at| if value(at) > value(best) { at } else { best });
        let chosen = open.remove(best);
        covered.remove(best);
        for (covered, other) in covered.iter_mut().zip(&open) {
            *covered = covered.max(cosine(shares.row(other.sample), shares.row(chosen.sample)));
        }
        picked.push(chosen);
    }
    Ok(picked)
}

/// The `count` least certain pairs of samples: with similar memberships, but between the same two components
/// in the other order, or both undecided. Of the `2·count + 50` samples in most doubt.
///
/// # Errors
/// As [`suggest`].
pub fn suggest_links<T: Real>(fit: &Fit<T>, count: usize) -> Result<Vec<PairInDoubt>> {
    suggest_links_from(&fit.codes, &fit.components, ShareOf::of_loss(fit.loss), count)
}

/// As [`suggest_links`], from codes (n × k) and components (k × d) from any source; `of` is the size of a
/// component in the memberships.
///
/// # Errors
/// As [`suggest_from`].
#[doc(hidden)]
pub fn suggest_links_from<T: Real>(
    codes: &Matrix<T>,
    components: &Matrix<T>,
    of: ShareOf,
    count: usize,
) -> Result<Vec<PairInDoubt>> {
    let pool = suggest_from(codes, components, of, &[], 2 * count + 50)?;
    let shares = shares(codes, components, of);
    let mut pairs = Vec::new();
    for (at, a) in pool.iter().enumerate() {
        for b in &pool[at + 1..] {
            let (i, l) = (a.sample.min(b.sample), a.sample.max(b.sample));
            let same_two = a.between == b.between || a.between == (b.between.1, b.between.0);
            if same_two {
                let closeness = cosine(shares.row(i), shares.row(l));
                let pair = PairInDoubt { samples: (i, l), together: a.between.0 == b.between.0, closeness };
                pairs.push((a.doubt * b.doubt * closeness, pair));
            }
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.samples.cmp(&b.1.samples)));
    Ok(pairs.into_iter().take(count).map(|(_, pair)| pair).collect())
}

fn check<T: Real>(codes: &Matrix<T>, components: &Matrix<T>, labelled: &[usize]) -> Result<()> {
    if codes.columns() != components.rows() {
        return Err(Error::shape(
            "the codes",
            format!("{} columns, one per component", components.rows()),
            format!("{} columns", codes.columns()),
        ));
    }
    if components.rows() < 2 {
        return Err(Error::out_of_range(
            "rank k",
            components.rows(),
            "2 or more, because with one component labels have no effect",
        ));
    }
    match labelled.iter().find(|i| **i >= codes.rows()) {
        None => Ok(()),
        Some(i) => Err(Error::out_of_range(
            "a labelled sample",
            i,
            format!("below {}, the number of samples", codes.rows()),
        )),
    }
}
