//! Labels bought one batch at a time: those that [`suggest`] asks for, beside random ones.
//!
//! No paper has this; it asks whether the suggestions are worth following. Chosen here: one label a class to
//! begin with, then four batches of as many labels as there are classes; guided NMF with labels at the
//! default strength on rows of unit length, one component a class; accuracy under the identity (a sample is
//! right when its largest topic is its class) on ALL samples, so that both ways of buying are judged on the
//! same ones; the accuracy on those that are unlabelled at each step beside. Labelled samples count as they
//! come out. Constrained k-means with the random labels stands beside, where labelled samples keep their
//! class and so are right.
//!
//! Reduced: 3 draws.

use anyhow::Result;
use partwise::guidance::{Advice, Guidance, Topic};
use partwise::recipes::suggest;
use partwise::{DataMatrix, DenseMatrix, Fit, Labels, Matrix, Model, Settings, fit};

use super::{Axis, Case, Figure, Group, Outcome, Protocol, Unit};
use crate::draw::shuffled;
use crate::methods::seeded_k_means::{self, constrained_k_means};
use partwise::clustering::KMeansSettings;
use partwise::draw_labels;

/// See the module.
pub const LABELS: Protocol = Protocol {
    name: "active-labels",
    title: "accuracy against labels bought, suggested beside random",
    paper: "none",
    needs: &["orl", "yale", "umist"],
    draws: 10,
    minutes: 8.0,
    axis: Some(Axis { name: "labels a class", independent: false, averaged: true }),
    groups: &[
        Group { name: SUGGESTED, title: "labels that a fit asks for" },
        Group { name: "random", title: "labels by chance" },
        Group { name: CONSTRAINED, title: "constrained k-means with the labels by chance" },
    ],
    cases: |_| LABELS.needs.iter().map(|set| Case::new(*set)).collect(),
    run,
    figures: &[Figure {
        name: "accuracy",
        title: "Accuracy over all samples",
        score: "accuracy",
        across: None,
        methods: &[],
        logarithmic: false,
    }],
    ..Protocol::PLAIN
};

const SUGGESTED: &str = "suggested";
const CONSTRAINED: &str = "constrained-k-means";

/// Up to how many labels a class.
const STEPS: usize = 5;

fn run(unit: &Unit<'_>) -> Result<Outcome> {
    let set = unit.library.data_set(&unit.case.name)?;
    let (data, classes) = (unit_rows(&set.dense()?)?, set.classes()?);
    let (name, curve) = match unit.group {
        CONSTRAINED => ("constrained k-means", constrained(&data, &classes, unit.draw)?),
        group => (group, curve(&data, &classes, unit.draw, group == SUGGESTED)?),
    };
    let row = |(step, point): (usize, Point)| {
        let case = Case::at(&unit.case.name, (step + 1) as f64);
        let scores = [("accuracy", point.all), ("accuracy unlabelled", point.unlabelled)];
        unit.row(name).of(case).by(point.solver).with(scores)
    };
    Ok(curve.into_iter().enumerate().map(row).collect::<Vec<_>>().into())
}

/// What one batch of labels gives.
#[derive(Clone, Debug, PartialEq)]
struct Point {
    /// Accuracy (× 100) on all samples.
    all: f64,
    /// On those without a label.
    unlabelled: f64,
    solver: String,
}

impl Point {
    /// Which samples are right, and the labels (−1: none) that were known.
    fn new(right: &[bool], given: &[i32], solver: String) -> Self {
        let share = |of: &dyn Fn(usize) -> bool| {
            let counted: Vec<bool> = (0..right.len()).filter(|i| of(*i)).map(|i| right[i]).collect();
            100.0 * counted.iter().filter(|right| **right).count() as f64 / counted.len() as f64
        };
        Point { all: share(&|_| true), unlabelled: share(&|i| given[i] < 0), solver }
    }
}

fn unit_rows(data: &DenseMatrix<'static, f64>) -> Result<DenseMatrix<'static, f64>> {
    let length = |i: usize| data.row(i).iter().map(|v| v * v).sum::<f64>().sqrt();
    let lengths: Vec<f64> = (0..data.n_samples()).map(length).collect();
    let value = |i: usize, j: usize| if lengths[i] > 0.0 { data.row(i)[j] / lengths[i] } else { 0.0 };
    Ok(DenseMatrix::from_matrix(Matrix::from_fn(data.n_samples(), data.n_features(), value))?)
}

/// After each batch.
fn curve(
    data: &DenseMatrix<'static, f64>,
    classes: &[i32],
    draw: u64,
    suggested: bool,
) -> Result<Vec<Point>> {
    let mut given = draw_labels(classes, 1, draw);
    let order = shuffled(classes.len(), draw);
    let names: Vec<i32> =
        classes.iter().copied().collect::<std::collections::BTreeSet<i32>>().into_iter().collect();
    let mut curve = Vec::new();
    for step in 0..STEPS {
        let topics = names.iter().map(|class| Topic::new(class.to_string()));
        let guidance = Guidance::new(topics).with(Advice::labels(Labels::from_integers(&given)?));
        let settings = Settings { threads: 1, seed: draw, max_iterations: 200, ..Settings::new(names.len()) };
        let found = fit(data, &Model::guided(guidance), &settings)?;
        let solver = format!("{}, {} iterations", found.solver, found.iterations);
        curve.push(Point::new(&right(&found, classes, &names), &given, solver));
        if step + 1 < STEPS {
            let known: Vec<usize> = (0..classes.len()).filter(|i| given[*i] >= 0).collect();
            let bought: Vec<usize> = if suggested {
                suggest(&found, &known, names.len())?.iter().map(|s| s.sample).collect()
            } else {
                order.iter().copied().filter(|i| given[*i] < 0).take(names.len()).collect()
            };
            bought.into_iter().for_each(|i| given[i] = classes[i]);
        }
    }
    Ok(curve)
}

/// Constrained k-means with as many labels by chance, the same as those of the random line.
fn constrained(data: &DenseMatrix<'static, f64>, classes: &[i32], draw: u64) -> Result<Vec<Point>> {
    let mut given = draw_labels(classes, 1, draw);
    let order = shuffled(classes.len(), draw);
    let batch = given.iter().filter(|label| **label >= 0).count();
    let mut curve = Vec::new();
    for _ in 0..STEPS {
        let labels = Labels::from_integers(&given)?;
        let settings = KMeansSettings { seed: draw, ..KMeansSettings::default() };
        let found = constrained_k_means(data, labels.n_classes(), &labels, &settings)?;
        let right = |i: usize| labels.names()[found.labels[i]] == classes[i].to_string();
        let right: Vec<bool> = (0..classes.len()).map(right).collect();
        curve.push(Point::new(&right, &given, seeded_k_means::SOLVER.into()));
        let bought: Vec<usize> = order.iter().copied().filter(|i| given[*i] < 0).take(batch).collect();
        bought.into_iter().for_each(|i| given[i] = classes[i]);
    }
    Ok(curve)
}

/// Which samples have their class as the largest topic.
fn right(fit: &Fit<f64>, classes: &[i32], names: &[i32]) -> Vec<bool> {
    let length = |j: usize| fit.components.row(j).iter().map(|h| h * h).sum::<f64>().sqrt();
    let lengths: Vec<f64> = (0..names.len()).map(length).collect();
    let share = |i: usize, j: usize| fit.codes.get(i, j) * lengths[j];
    let place =
        |i: usize| (0..names.len()).fold(0, |best, j| if share(i, j) > share(i, best) { j } else { best });
    (0..classes.len()).map(|i| names[place(i)] == classes[i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_labels_help_and_both_begin_alike() {
        let digits = partwise_io::digits();
        let data = DenseMatrix::new(300, 64, digits.images[..300 * 64].to_vec()).unwrap();
        let data = unit_rows(&data).unwrap();
        let classes = &digits.labels[..300];
        let suggested = curve(&data, classes, 1, true).unwrap();
        let random = curve(&data, classes, 1, false).unwrap();
        assert_eq!(suggested[0], random[0]);
        let constrained = constrained(&data, classes, 1).unwrap();
        let rises = |curve: &[Point]| curve[4].all > curve[0].all;
        assert!(rises(&constrained) && constrained[0].all > 40.0, "{constrained:?}");
        // Its labelled samples are right, so the others are worse than all.
        assert!(constrained.iter().all(|point| point.unlabelled < point.all), "{constrained:?}");
        assert!(rises(&suggested) && rises(&random), "{suggested:?} {random:?}");
        assert_eq!(curve(&data, classes, 1, true).unwrap(), suggested);
    }
}
