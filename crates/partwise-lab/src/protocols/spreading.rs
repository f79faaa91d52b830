//! Guided NMF with labels, with and without spreading, beside the few-label classifier: how many samples are
//! in their class, of those that the fit saw without a label and of new ones, and what it costs the parts.
//!
//! ```text
//! draw r of a set: as in the leaderboard, at most MOST_ROWS rows; x labels a class; a fifth of the rows
//! without a label is left out of the fit and encoded after it
//! accuracy       samples without a label in the component of their class (as named, no map), × 100
//! accuracy new   the same of the rows that were left out, from their codes
//! error          ‖X − WH‖/‖X‖ over that of NMF of as many components less 1, × 100
//! cosine         of each class's component and the mean of its true members, the mean over classes, × 100
//! ```
//!
//! Draws in which fewer than a fifth of the rows of the fit have no label are left out. Draws are numbered
//! from `FIRST_DRAW`; the costs of spreading were chosen on draws before it.
//!
//! Reduced: two sets, 1 draw.

use anyhow::{Result, bail};
use partwise::guidance::{Advice, Guidance, Topic};
use partwise::recipes::{ShareOf, shares};
use partwise::{DataMatrix, Encoding, Fit, Labels, Loss, Matrix, Model, Settings, fit};
use partwise_classify::{Spreading, encode_by_scorer, spread};

use super::clock::Clock;
use super::few_labels::{Draw, FURTHER, LEADERBOARD, SETS};
use super::samples::largest;
use super::{Axis, Case, Extent, Group, Outcome, Protocol, Row, Unit};
use crate::draw::shuffled;

/// Seventeen sets, at 2, 5 and 10 labels a class.
pub const SPREADING: Protocol = Protocol {
    name: "spreading",
    title: "guided NMF with and without spread labels: accuracy, new samples, what it costs the parts",
    paper: "none",
    needs: &[
        "orl",
        "yale",
        "umist",
        "extended-yale-b",
        "coil20",
        "mnist",
        "20newsgroups",
        "bbc",
        "reuters21578",
        "classic4",
        "worm-neuron",
        "webkb",
        "pbmc68k-reduced",
        "all-aml",
        "pcmac",
        "basehock",
        "tdt2",
    ],
    draws: 3,
    reduced_draws: 1,
    minutes: 20.0,
    axis: Some(Axis { name: "labels a class", independent: true, averaged: true }),
    groups: &[
        Group { name: "guided", title: "guided NMF with labels alone" },
        Group { name: "spread", title: "guided NMF with spread labels, and the classifier they come from" },
    ],
    cases: |extent| {
        let all = LEADERBOARD.needs.iter().chain(FURTHER.needs);
        let sets: Vec<&str> = match extent {
            Extent::Full => all.copied().collect(),
            Extent::Reduced => vec!["orl", "20newsgroups"],
        };
        sets.iter().flat_map(|set| [2.0, 5.0, 10.0].map(|labels| Case::at(*set, labels))).collect()
    },
    run,
    main_scores: &["accuracy", "accuracy new", "error"],
    ..Protocol::PLAIN
};

/// Rows of a draw at most.
const MOST_ROWS: usize = 1000;
/// The number of draw 0.
const FIRST_DRAW: u64 = 310;

fn run(unit: &Unit<'_>) -> Result<Outcome> {
    let Some(set) = SETS.iter().find(|set| set.name == unit.case.name) else {
        bail!("spreading has no set \"{}\"", unit.case.name)
    };
    let per_class = unit.case.x.map_or(2, |x| x as usize);
    let raw = unit.library.data_set(set.name)?;
    let draw = Draw::with(&raw, set, FIRST_DRAW + unit.draw, per_class, MOST_ROWS);
    let Some(split) = Split::new(&draw)? else { return Ok(Outcome::default()) };
    let rows = match unit.group {
        "guided" => split.rows(unit, Spreading::Off)?,
        _ => split.rows(unit, Spreading::Auto)?,
    };
    Ok(rows.into())
}

/// The rows of the fit, and those that are left out of it.
struct Split {
    fitted: Box<dyn DataMatrix<f32>>,
    new: Box<dyn DataMatrix<f32>>,
    labels: Labels,
    /// The class of each row as a number of the labels; none where no row of the fit is labelled so.
    truth: Vec<Option<usize>>,
    truth_new: Vec<Option<usize>>,
    settings: Settings,
    /// ‖X − WH‖/‖X‖ of NMF.
    nmf_error: f64,
}

impl Split {
    fn new(draw: &Draw) -> Result<Option<Self>> {
        let unlabelled = |i: &usize| draw.given[*i] < 0;
        let mut open = shuffled(draw.n_samples(), draw.seed);
        open.retain(unlabelled);
        let new = open.split_off(open.len() - open.len() / 5);
        let fitted: Vec<usize> = (0..draw.n_samples()).filter(|i| !new.contains(i)).collect();
        if 5 * open.len() < fitted.len() {
            return Ok(None);
        }
        let given: Vec<i32> = fitted.iter().map(|i| draw.given[*i]).collect();
        let labels = Labels::from_integers(&given)?;
        let class = |i: &usize| {
            let name = draw.classes[*i].to_string();
            labels.names().iter().position(|known| *known == name)
        };
        let settings = Settings {
            threads: 1,
            seed: draw.seed,
            max_iterations: 200,
            ..Settings::new(labels.n_classes())
        };
        let data = draw.samples.of_rows(&fitted).data()?;
        let plain = fit(data.as_ref(), &Model::nmf(), &settings)?;
        Ok(Some(Split {
            new: draw.samples.of_rows(&new).data()?,
            truth: fitted.iter().map(class).collect(),
            truth_new: new.iter().map(class).collect(),
            fitted: data,
            labels,
            settings,
            nmf_error: plain.relative_error,
        }))
    }

    /// × 100, over the rows without a label.
    fn accuracy(&self, found: &[usize]) -> f64 {
        let open = |i: &usize| self.labels.class(*i).is_none();
        let open: Vec<usize> = (0..found.len()).filter(open).collect();
        let right = open.iter().filter(|i| self.truth[**i] == Some(found[**i])).count();
        100.0 * right as f64 / open.len() as f64
    }

    fn guidance(&self) -> Guidance {
        let topics = self.labels.names().iter().map(|name| Topic::new(name.clone()));
        Guidance::new(topics).with(Advice::labels(self.labels.clone()))
    }

    /// Guided NMF, and the classifier where labels are spread.
    fn rows(&self, unit: &Unit<'_>, spreading: Spreading) -> Result<Vec<Row>> {
        let began = Clock::start();
        let data = self.fitted.as_ref();
        let known = spread(data, &self.guidance(), Loss::Frobenius, &self.settings, spreading)?;
        let spread_seconds = began.seconds();
        let fitted = fit(data, &Model::guided(known.guidance.clone()), &self.settings)?;
        let seconds = began.seconds();
        let encoding = Encoding::plain(fitted.components.rows());
        let settings = Settings { max_iterations: 200, ..self.settings.clone() };
        let quiet = &mut |_: &partwise::Iteration| std::ops::ControlFlow::Continue(());
        let by = (&encoding, &known.guidance);
        let new =
            encode_by_scorer(self.new.as_ref(), &fitted.components, by, Loss::Frobenius, &settings, quiet)?;
        let of_new = clusters(&new.codes, &fitted);
        let right = of_new.iter().zip(&self.truth_new).filter(|(found, truth)| Some(**found) == **truth);
        let name = if spreading == Spreading::Off { "guided" } else { "guided, spread" };
        let mut rows = vec![unit.row(name).by(fitted.solver).with([
            ("accuracy", self.accuracy(&clusters(&fitted.codes, &fitted))),
            ("accuracy new", 100.0 * right.count() as f64 / of_new.len() as f64),
            ("error", 100.0 * (fitted.relative_error / self.nmf_error - 1.0)),
            ("cosine", self.cosine(&fitted)),
            ("seconds", seconds),
        ])];
        if let Some(found) = known.classification {
            let accuracy = self.accuracy(&found.classes);
            let scores = [("accuracy", accuracy), ("seconds", spread_seconds)];
            rows.push(unit.row("classifier").with(scores));
        }
        Ok(rows)
    }

    /// Of each component and the mean of its class, × 100.
    fn cosine(&self, fitted: &Fit<f32>) -> f64 {
        let (d, classes) = (self.fitted.n_features(), self.labels.n_classes());
        let cosine = |class: usize| {
            let mut mean = vec![0.0; d];
            let members = self.truth.iter().enumerate().filter(|(_, truth)| **truth == Some(class));
            members.for_each(|(i, _)| self.fitted.add_row(i, 1.0, &mut mean));
            let component: Vec<f64> = fitted.components.row(class).iter().map(|h| f64::from(*h)).collect();
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let size = (dot(&mean, &mean) * dot(&component, &component)).sqrt();
            if size > 0.0 { dot(&mean, &component) / size } else { 0.0 }
        };
        100.0 * (0..classes).map(cosine).sum::<f64>() / classes as f64
    }
}

/// The component with the largest membership.
fn clusters(codes: &Matrix<f32>, fitted: &Fit<f32>) -> Vec<usize> {
    let shares = shares(codes, &fitted.components, ShareOf::Length);
    (0..shares.rows()).map(|i| largest(shares.row(i)) as usize).collect()
}
