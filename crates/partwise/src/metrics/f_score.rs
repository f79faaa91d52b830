//! F-scores of multi-label predictions.
//!
//! ```text
//! F1 = 2·TP / (2·TP + FP + FN)
//! macro: the mean over labels of each label's F1 · micro: F1 of the pooled counts · average:
//!     the mean of the two
//! ```
//!
//! Reference: Y. Yang, "An evaluation of statistical approaches to text categorization", Information
//! Retrieval 1, 1999, doi 10.1023/A:1009982220290.

use crate::foundation::{Error, Result};

/// What [`f_scores`] finds; each in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FScores {
    /// The mean over labels of each label's F1.
    pub macro_average: f64,
    /// F1 of the counts pooled over labels.
    pub micro_average: f64,
    /// The mean of the two.
    pub average: f64,
}

/// F-scores of `predicted` (n × labels, row-major) against `truth` (n × labels, row-major). A label with no
/// true and no predicted positive has F1 0, and so has the pool when there is no positive at all.
///
/// # Errors
/// [`Error::Shape`] when the lengths differ, or aren't a multiple of `n_labels`; [`Error::Labels`] when there
/// is nothing to compare.
pub fn f_scores(truth: &[bool], predicted: &[bool], n_labels: usize) -> Result<FScores> {
    if truth.len() != predicted.len() {
        return Err(Error::shape(
            "the predicted labels",
            format!("{} entries (as many as the true ones)", truth.len()),
            format!("{} entries", predicted.len()),
        ));
    }
    if truth.is_empty() || n_labels == 0 {
        return Err(Error::Labels(
            "there are no samples or no labels to compare; at least one is needed".into(),
        ));
    }
    if !truth.len().is_multiple_of(n_labels) {
        return Err(Error::shape(
            "the table of true labels",
            format!("whole rows of {n_labels} labels"),
            format!("{} entries", truth.len()),
        ));
    }
    let mut counts = vec![Counts::default(); n_labels];
    for (place, (&is, &said)) in truth.iter().zip(predicted).enumerate() {
        let label = &mut counts[place % n_labels];
        label.right += u64::from(is && said);
        label.wrong += u64::from(is != said);
    }
    let macro_average = counts.iter().map(Counts::f1).sum::<f64>() / n_labels as f64;
    let micro_average = Counts {
        right: counts.iter().map(|label| label.right).sum(),
        wrong: counts.iter().map(|label| label.wrong).sum(),
    }
    .f1();
    Ok(FScores { macro_average, micro_average, average: 0.5 * (macro_average + micro_average) })
}

/// True positives, and false positives with false negatives.
#[derive(Clone, Copy, Default)]
struct Counts {
    right: u64,
    wrong: u64,
}

impl Counts {
    fn f1(&self) -> f64 {
        let denominator = 2 * self.right + self.wrong;
        if denominator == 0 { 0.0 } else { (2 * self.right) as f64 / denominator as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_without_positives_counts_as_0_in_the_macro_average_only() {
        let truth = [true, false, true, false];
        let scores = f_scores(&truth, &truth, 2).unwrap();
        assert_eq!(scores, FScores { macro_average: 0.5, micro_average: 1.0, average: 0.75 });
    }

    #[test]
    fn no_positive_at_all_gives_0() {
        assert_eq!(f_scores(&[false; 6], &[false; 6], 3).unwrap().average, 0.0);
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        assert!(matches!(f_scores(&[true; 4], &[true; 3], 2), Err(Error::Shape { .. })));
        assert!(matches!(f_scores(&[true; 4], &[true; 4], 3), Err(Error::Shape { .. })));
        assert!(matches!(f_scores(&[true; 4], &[true; 4], 0), Err(Error::Labels(_))));
        assert!(matches!(f_scores(&[], &[], 2), Err(Error::Labels(_))));
    }
}
