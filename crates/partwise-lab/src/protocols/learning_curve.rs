//! More labels, more right? Guided NMF, the few-label classifier, WS-NMF, SSNMF and CNMF from one label a
//! class to half of the samples.
//!
//! ```text
//! draw r of a set: as in the leaderboard, at most MOST_ROWS rows
//! x              labels a class for 1, 2, 5 and 10; parts of each class, as 0.2 and 0.5, above them in the
//!                table as 20 and 50 (per cent)
//! accuracy       samples without a label in the component of their class (as named, no map), × 100
//! error          ‖X − WH‖/‖X‖, × 100; not for the classifier
//! seconds        CPU, one thread
//! ```
//!
//! The classifier is the one that guided NMF spreads the labels by; it is run once for both.
//!
//! Every class keeps two samples without a label. k = the number of classes, 200 iterations, the defaults of
//! the library but for the strengths that `few_labels_methods` states.
//!
//! Reduced: two sets, 1 draw.

use anyhow::{Result, bail};
use partwise::guidance::{Advice, Guidance, Strength, Topic};
use partwise::recipes::{ShareOf, shares};
use partwise::{DataMatrix, Labels, Loss, Model, Settings, fit};
use partwise_classify::{Spreading, spread};

use super::clock::Clock;
use super::few_labels::{Draw, FURTHER, LEADERBOARD, SETS};
use super::samples::largest;
use super::spreading::SPREADING;
use super::{Axis, Case, Extent, Group, LABEL_SIGMA, Outcome, Protocol, Row, Unit};
use crate::draw::shuffled;

/// Seventeen sets, from one label a class to half of the samples.
pub const LEARNING_CURVE: Protocol = Protocol {
    name: "learning-curve",
    title: "accuracy from one label a class to half of the samples: guided NMF, the classifier, three models",
    paper: "none",
    needs: SPREADING.needs,
    draws: 3,
    reduced_draws: 1,
    minutes: 60.0,
    axis: Some(Axis { name: "labels a class; above 10, % of each class", independent: true, averaged: true }),
    groups: &[
        Group { name: GUIDED, title: "guided NMF, and the few-label classifier that spreads its labels" },
        Group { name: ALONE, title: "guided NMF with labels alone" },
        Group { name: "ws-nmf", title: "WS-NMF, sigma 10" },
        Group { name: "ssnmf", title: "SSNMF" },
        Group { name: "cnmf", title: "CNMF" },
    ],
    cases: |extent| {
        let all = LEADERBOARD.needs.iter().chain(FURTHER.needs);
        let sets: Vec<&str> = match extent {
            Extent::Full => all.copied().collect(),
            Extent::Reduced => vec!["orl", "20newsgroups"],
        };
        sets.iter().flat_map(|set| AMOUNTS.map(|amount| Case::at(*set, amount))).collect()
    },
    run,
    revision: 2,
    main_scores: &["accuracy"],
    ..Protocol::PLAIN
};

const GUIDED: &str = "guided";
const ALONE: &str = "guided-alone";
/// Labels a class; above `MOST_LABELS`, per cent of each class.
const AMOUNTS: [f64; 6] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0];
const MOST_LABELS: f64 = 10.0;
/// Samples of each class that never have a label.
const OPEN: usize = 2;
/// Rows of a draw at most.
const MOST_ROWS: usize = 1000;
/// The number of draw 0.
const FIRST_DRAW: u64 = 320;

fn run(unit: &Unit<'_>) -> Result<Outcome> {
    let Some(set) = SETS.iter().find(|set| set.name == unit.case.name) else {
        bail!("the learning curve has no set \"{}\"", unit.case.name)
    };
    let raw = unit.library.data_set(set.name)?;
    let draw = Draw::with(&raw, set, FIRST_DRAW + unit.draw, 1, MOST_ROWS);
    let given = labelled(&draw.classes, unit.case.x.unwrap_or(1.0), draw.seed);
    let labels = Labels::from_integers(&given)?;
    let data = draw.data::<f32>()?;
    let task = Task { data: data.as_ref(), labels: &labels, classes: &draw.classes, seed: draw.seed };
    Ok(task.rows(unit)?.into())
}

/// The labels of `amount`: the first ones of each class in an order that is the same for all amounts, so that
/// more labels contain the fewer.
fn labelled(classes: &[i32], amount: f64, seed: u64) -> Vec<i32> {
    let order = shuffled(classes.len(), seed);
    let mut given = vec![-1; classes.len()];
    let mut all: Vec<i32> = classes.to_vec();
    all.sort_unstable();
    all.dedup();
    for class in all {
        let members: Vec<usize> = order.iter().copied().filter(|i| classes[*i] == class).collect();
        let asked = match amount > MOST_LABELS {
            true => (members.len() as f64 * amount / 100.0).round() as usize,
            false => amount as usize,
        };
        let count = asked.max(1).min(members.len().saturating_sub(OPEN).max(1));
        members[..count].iter().for_each(|i| given[*i] = class);
    }
    given
}

/// What a method gets.
struct Task<'t> {
    data: &'t dyn DataMatrix<f32>,
    labels: &'t Labels,
    /// The class of each row.
    classes: &'t [i32],
    seed: u64,
}

impl Task<'_> {
    fn rows(&self, unit: &Unit<'_>) -> Result<Vec<Row>> {
        let began = Clock::start();
        let settings = Settings {
            threads: 1,
            seed: self.seed,
            max_iterations: 200,
            ..Settings::new(self.labels.n_classes())
        };
        let labelled = |strength| Guidance::from(Advice::labels(self.labels.clone()).with_strength(strength));
        let topics = self.labels.names().iter().map(|name| Topic::new(name.clone()));
        let plain = Guidance::new(topics).with(Advice::labels(self.labels.clone()));
        let mut rows = Vec::new();
        let (method, guidance) = match unit.group {
            GUIDED => {
                let known = spread(self.data, &plain, Loss::Frobenius, &settings, Spreading::Auto)?;
                if let Some(found) = known.classification {
                    rows.push(unit.row("classifier").with([("accuracy", self.accuracy(&found.classes))]));
                }
                (GUIDED, known.guidance)
            }
            ALONE => (GUIDED, plain),
            "ws-nmf" => ("ws-nmf", labelled(Strength::of_sigma(LABEL_SIGMA))),
            "ssnmf" => ("ssnmf", labelled(Strength::EVEN)),
            other => (other, self.labels.clone().into()),
        };
        let fitted = fit(self.data, &Model::from_name(method, guidance)?, &settings)?;
        let memberships = shares(&fitted.codes, &fitted.components, ShareOf::Length);
        let found: Vec<usize> =
            (0..memberships.rows()).map(|i| largest(memberships.row(i)) as usize).collect();
        let row = unit.row(unit.group).by(fitted.solver).with([
            ("accuracy", self.accuracy(&found)),
            ("error", 100.0 * fitted.relative_error),
            ("seconds", began.seconds()),
        ]);
        rows.insert(0, row);
        Ok(rows)
    }

    /// × 100, over the rows without a label; class c is the c-th name of the labels.
    fn accuracy(&self, found: &[usize]) -> f64 {
        let open: Vec<usize> = (0..found.len()).filter(|i| self.labels.class(*i).is_none()).collect();
        let is_right = |i: &&usize| {
            self.labels.names().get(found[**i]).is_some_and(|name| *name == self.classes[**i].to_string())
        };
        100.0 * open.iter().filter(is_right).count() as f64 / open.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_labels_contain_the_fewer_and_every_class_keeps_samples_without_one() {
        let classes: Vec<i32> = (0..40).map(|i| if i < 30 { 0 } else { 1 }).collect();
        let mut last = vec![-1; 40];
        for (amount, counts) in AMOUNTS.into_iter().zip([[1, 1], [2, 2], [5, 5], [10, 8], [6, 2], [15, 5]]) {
            let given = labelled(&classes, amount, 7);
            let count = |class: i32| given.iter().filter(|label| **label == class).count();
            assert_eq!([count(0), count(1)], counts, "{amount}");
            if amount <= MOST_LABELS {
                let kept = last.iter().zip(&given).all(|(before, now)| *before < 0 || before == now);
                assert!(kept, "{amount} labels do not contain the fewer");
                last = given;
            }
        }
    }
}
