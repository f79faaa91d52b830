//! Two simple classifiers beside the views of a table. They learn from the labels alone, in standardized
//! columns, and assume nothing of how large the classes are.
//!
//! ```text
//! x̃_ij = (x_ij − min_j)/σ_j, σ_j the standard deviation over all samples; columns that do not vary: 0
//! linear   the scores of `linear_discriminants` with ρ = ¼·trace/q, q the columns that vary: ⅘ of the
//!          covariance of the labels, and ⅕ of the same variance in all directions
//! kernel   ridge regression of the classes in the space of a Gaussian kernel; see `kernel`
//! P ∝ P_views·Π_v P_v^weight_v, each as confident as the others;
//!          weight_v = ¾·exp(b·min(0, score_v − best score of a view + ½/√b)), b the held-out labels
//! ```
//!
//! Spreading, clusters and self-training draw the views towards classes of like size. That these classifiers
//! are not drawn there helps if one class is large. So they take part only where both find that classes
//! differ in size: where the entropy of the classes that each finds is below 0.95·ln c. Held-out labels tell
//! little of that, so only a classifier whose score is worse by more than a standard error (½/√b at most)
//! weighs less.
//!
//! With a handful of labels the covariance is hardly known, so it is drawn far towards round classes. Of many
//! columns most are noise, which standardizing makes as large as the rest: they take part for 100 at most.
//!
//! Reference: J. H. Friedman, "Regularized discriminant analysis", JASA 84, 1989,
//! doi:10.1080/01621459.1989.10478752.

mod kernel;
mod scale;

use partwise::{DataMatrix, DenseMatrix, Labels, Matrix, Real, Result};

use crate::base::linear_discriminants::discriminants_with;
use crate::columns::Columns;
use crate::folds::HeldOut;
use crate::linear_scores::LinearScores;
use crate::posteriors::{calibrated, classes, logarithms, sharpened, sharpness};
use crate::result::Member;
use crate::scores::{agreement, held_out_score};
pub(crate) use kernel::KernelScores;
pub(crate) use scale::Scale;

/// The names of the classifiers in the list of views.
const NAMES: [&str; 2] = ["standardized columns, linear", "standardized columns, kernel"];
/// ρ relative to the mean scatter of the columns.
const RIDGE: f64 = 0.25;
/// Class sizes whose entropy is this part of the greatest, or more, are taken as even.
const EVEN: f64 = 0.95;
/// The weight of a classifier that is not known to be worse than the views.
const WEIGHT: f64 = 0.75;

/// The scores of both classifiers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scores {
    /// Of rows as they are given.
    pub(crate) linear: LinearScores,
    pub(crate) kernel: KernelScores,
}

impl Scores {
    /// Learned from the labels among the rows of `data`.
    fn learned<T: Real>(data: &dyn DataMatrix<T>, scale: &Scale, labels: &Labels) -> Result<Self> {
        let classes: Vec<(usize, i32)> =
            (0..labels.n_samples()).filter_map(|i| labels.class(i).map(|class| (i, class as i32))).collect();
        let mut rows = Matrix::<f64>::zeros(classes.len(), scale.factors.len());
        classes.iter().enumerate().for_each(|(place, (i, _))| scale.fill(data, *i, rows.row_mut(place)));
        let given = Labels::from_integers(&classes.iter().map(|(_, class)| *class).collect::<Vec<i32>>())?;
        let kernel = KernelScores::learned(&rows, &given, scale);
        let varying = scale.varying();
        let rows = DenseMatrix::from_matrix(rows)?;
        let mut linear = discriminants_with(&rows, &given, |trace, _| RIDGE * trace / varying);
        for (j, (least, factor)) in scale.least.iter().zip(&scale.factors).enumerate() {
            for (weight, offset) in linear.weights.row_mut(j).iter_mut().zip(&mut linear.offsets) {
                *weight *= factor;
                *offset += least * *weight;
            }
        }
        Ok(Scores { linear, kernel })
    }

    /// Of the rows of `data` (n × d): n × c each.
    fn of<T: Real>(&self, data: &dyn DataMatrix<T>) -> [Matrix<f64>; 2] {
        [self.linear.of(data), self.kernel.of(data)]
    }
}

/// The classifiers, and their part in the product with the views.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WeightedClassifiers {
    pub(crate) scores: Scores,
    /// g of the product of the views.
    pub(crate) of_views: f64,
    /// g and the weight of each classifier.
    pub(crate) sharpness: [f64; 2],
    pub(crate) weights: [f64; 2],
}

impl WeightedClassifiers {
    /// The views (their posteriors for the rows of `data`, n × c) and the classifiers, with their weights.
    pub(crate) fn members<T: Real>(
        &self,
        posteriors: &Matrix<f64>,
        data: &dyn DataMatrix<T>,
    ) -> Vec<(Matrix<f64>, f64)> {
        let mut members = vec![(sharpened(&logarithms(posteriors), self.of_views), 1.0)];
        for (at, scores) in self.scores.of(data).iter().enumerate() {
            members.push((sharpened(scores, self.sharpness[at]), self.weights[at]));
        }
        members
    }
}

/// What the classifiers learned, before they are combined with the views.
pub(crate) struct SimpleClassifiers {
    scores: Scores,
    members: [Member; 2],
}

impl SimpleClassifiers {
    /// `labels` are those of all folds, and `splits` what each fold keeps and holds out; posteriors are
    /// compared at the mean largest posterior `confidence`.
    pub(crate) fn new<T: Real>(
        data: &dyn DataMatrix<T>,
        columns: &Columns,
        (labels, splits): (&Labels, &[(Labels, HeldOut)]),
        confidence: f64,
    ) -> Result<Self> {
        let scale = Scale::new(data, columns);
        let (mut sums, mut predictions) = ([0.0; 2], [Vec::new(), Vec::new()]);
        for (kept, held_out) in splits {
            let found = Scores::learned(data, &scale, kept)?.of(data);
            for (at, scores) in found.iter().enumerate() {
                let posteriors = calibrated(scores, &open(kept), confidence);
                sums[at] += held_out_score(&posteriors, held_out);
                predictions[at].push(classes(&posteriors));
            }
        }
        let member = |at: usize| Member {
            name: NAMES[at],
            score: (!splits.is_empty()).then(|| sums[at] / splits.len() as f64),
            agreement: agreement(&predictions[at], labels.n_classes(), &open(labels)),
            weight: WEIGHT,
        };
        Ok(SimpleClassifiers {
            scores: Scores::learned(data, &scale, labels)?,
            members: [member(0), member(1)],
        })
    }

    /// Beside the views: their `posteriors` (n × c), and their members. `over` are the samples without a
    /// label, `held_out` is the number of held-out labels. `None` if a classifier finds classes of like size.
    pub(crate) fn beside<T: Real>(
        self,
        data: &dyn DataMatrix<T>,
        (posteriors, views): (&Matrix<f64>, &[Member]),
        (over, held_out): (&[usize], f64),
        confidence: f64,
    ) -> Option<(WeightedClassifiers, [Member; 2])> {
        let found = self.scores.of(data);
        let sharpness_of = [0, 1].map(|at| sharpness(&found[at], over, confidence));
        if found.iter().any(|scores| evenness(&classes(scores), over, scores.columns()) >= EVEN) {
            return None;
        }
        let best = views.iter().filter_map(|view| view.score).fold(f64::NEG_INFINITY, f64::max);
        let members = self.members.map(|member| {
            let behind = member.score.map_or(0.0, |score| (score - best + 0.5 / held_out.sqrt()).min(0.0));
            Member { weight: WEIGHT * (held_out * behind).exp(), ..member }
        });
        let weighted = WeightedClassifiers {
            of_views: sharpness(&logarithms(posteriors), over, confidence),
            sharpness: sharpness_of,
            weights: [0, 1].map(|at| members[at].weight),
            scores: self.scores,
        };
        Some((weighted, members))
    }
}

/// The entropy of the sizes of `count` classes among the samples `over`, relative to that of even ones; 1
/// without samples.
fn evenness(classes: &[u32], over: &[usize], count: usize) -> f64 {
    let mut sizes = vec![0.0; count];
    over.iter().for_each(|i| sizes[classes[*i] as usize] += 1.0 / over.len() as f64);
    let entropy: f64 = sizes.iter().filter(|size| **size > 0.0).map(|size| -size * size.ln()).sum();
    if over.is_empty() || count < 2 { 1.0 } else { entropy / (count as f64).ln() }
}

/// The samples without a label.
fn open(labels: &Labels) -> Vec<usize> {
    (0..labels.n_samples()).filter(|i| labels.class(*i).is_none()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> (Matrix<f64>, Labels) {
        let x = Matrix::from_fn(30, 4, |i, j| match j {
            3 => 5.0,
            _ => ((i * 7 + j * 5 + i * j) % 11) as f64 * [1.0, 100.0, 0.01][j] + 1000.0,
        });
        let given: Vec<i32> = (0..30).map(|i| if i < 9 { i % 3 } else { -1 }).collect();
        (x, Labels::from_integers(&given).unwrap())
    }

    fn scores(x: &Matrix<f64>, labels: &Labels) -> [Matrix<f64>; 2] {
        let data = DenseMatrix::from_matrix(x.clone()).unwrap();
        let scale = Scale::new(&data, &Columns::of(&data).unwrap());
        Scores::learned(&data, &scale, labels).unwrap().of(&data)
    }

    #[test]
    fn units_and_zeros_of_columns_and_columns_that_do_not_vary_change_no_differences_of_scores() {
        let (x, labels) = table();
        let moved = Matrix::from_fn(30, 3, |i, j| x.get(i, j) * [3.0, 0.2, 70.0][j] + [0.0, 9.0, 1.0][j]);
        for (one, other) in scores(&x, &labels).iter().zip(&scores(&moved, &labels)) {
            for i in 0..30 {
                for c in 1..3 {
                    let of = |scores: &Matrix<f64>| scores.get(i, c) - scores.get(i, 0);
                    assert!((of(one) - of(other)).abs() < 1e-6 * (1.0 + of(one).abs()), "row {i}");
                }
            }
        }
    }

    /// The weight of the first classifier where the views' score is so far ahead of it. Each class has three
    /// labels; `others` of the 21 other samples may be of the second and third class.
    fn weight(others: usize, ahead: f64) -> Option<f64> {
        let class = |i: usize| if i < 9 || i >= 30 - others { i % 3 } else { 0 };
        let x = Matrix::from_fn(30, 4, |i, j| match j {
            3 => 5.0,
            _ => f64::from(u8::from(class(i) == j)) * 20.0 + ((i * 7 + j * 5 + i * j) % 11) as f64,
        });
        let given: Vec<i32> = (0..30).map(|i| if i < 9 { i % 3 } else { -1 }).collect();
        let labels = Labels::from_integers(&given).unwrap();
        let data = DenseMatrix::from_matrix(x).unwrap();
        let columns = Columns::of(&data).unwrap();
        let splits = crate::folds::splits(&labels, 3).unwrap();
        let even = Matrix::from_fn(30, 3, |i, c| if i % 3 == c { 0.5 } else { 0.25 });
        let simple = SimpleClassifiers::new(&data, &columns, (&labels, &splits), 0.8).unwrap();
        let score = simple.members[0].score.unwrap() + ahead;
        let view = Member { name: "view", score: Some(score), agreement: None, weight: 1.0 };
        let beside = simple.beside(&data, (&even, &[view]), (&open(&labels), 9.0), 0.8);
        beside.map(|(_, members)| members[0].weight)
    }

    #[test]
    fn they_take_part_only_where_they_find_classes_of_unequal_size() {
        assert_eq!(weight(21, 0.0), None);
        assert!(weight(6, 0.0).is_some());
        assert_eq!(evenness(&[0, 1, 1, 0], &[0, 1, 2, 3], 2), 1.0);
        assert_eq!(evenness(&[0, 1, 1, 1], &[1, 2, 3], 2), 0.0);
        assert_eq!(evenness(&[0, 1], &[], 2), 1.0);
    }

    #[test]
    fn a_classifier_weighs_less_only_when_it_is_worse_by_more_than_a_standard_error() {
        let weight = |ahead: f64| weight(6, ahead).expect("unequal classes");
        assert_eq!(weight(-0.2), WEIGHT);
        assert_eq!(weight(0.5 / 3.0 - 1e-9), WEIGHT);
        assert!((weight(0.5) - WEIGHT * (9.0f64 * (0.5 / 3.0 - 0.5)).exp()).abs() < 1e-9);
    }
}
