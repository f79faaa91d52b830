//! WS-NMF's scenario 3: Choo, Lee, Reddy & Park 2015, "Weakly supervised nonnegative matrix factorization for
//! user-driven clustering", doi 10.1007/s10618-014-0384-8, figure 5. Scenario 1 is [`super::ws_nmf_soft`].
//!
//! The paper says: words that a user cares for steer topics: a topic that mixes two themes is copied, the
//! value of a keyword is doubled in one copy and so are others in the other, and the copies are references of
//! the components. Shown by examples, without scores.
//!
//! It leaves open: which words and weights; the start.
//!
//! Chosen here: 20 Newsgroups, 200 messages of two related groups and of three others (space, Mideast
//! politics, computer graphics), terms in two or more, tf-idf, unit rows; NMF with 4 topics (HALS, random
//! start, 200 iterations), basis rows scaled to unit length; the topic that most messages of the two groups
//! belong to is copied; the keyword of each group is multiplied by `boost` in its copy and set to 0 in the
//! other; all five rows have weight alpha; WS-NMF from there with the codes first, 200 iterations. "start
//! only" has weight 0. split: % of the messages of the two groups in the topic of their keyword; drawn in: %
//! of the other messages in one of both; rank: of the keyword among the terms of its topic. The groups and
//! words behind the references are not known, so those are not held against ours: compare what a boost
//! changes.
//!
//! Reduced: 3 draws; boosts 1 and 2 only.

use anyhow::{Result, bail, ensure};
use partwise::{Advice, ComponentReference, Fit, Init, Matrix, Model, Settings, Slot, fit};

use super::faces::seed_of;
use super::samples::{Preparation, largest};
use super::ws_nmf_sample::Sample;
use super::{Case, Extent, Group, Outcome, Protocol, Reference, Row, Unit};

/// Scenario 3.
pub const WORDS: Protocol = Protocol {
    name: "ws-nmf-words",
    title: "a topic is split by two keywords: factors 1 to 10, weights 1 and 3",
    paper: "Choo et al. 2015 (WS-NMF), scenario 3, figure 5",
    needs: &["20newsgroups"],
    draws: 5,
    minutes: 2.0,
    groups: &[
        Group { name: "nmf", title: "NMF with one more topic" },
        Group { name: "start", title: "the copies as a start only" },
        Group { name: "words", title: "WS-NMF with the copies as references" },
    ],
    cases: |_| THEMES.iter().map(|theme| Case::new(theme.name)).collect(),
    run: words,
    main_scores: &["split"],
    references,
    remarks: &[
        "The other three groups and the keywords behind the references are not stated; nothing is flagged.",
        "No message is labelled, so no score is one over unlabelled samples, and constrained k-means, which needs labels of each group, has no line.",
    ],
    ..Protocol::PLAIN
};

/// Two related groups and their keywords.
struct Theme {
    name: &'static str,
    groups: [&'static str; 2],
    keywords: [&'static str; 2],
}

const THEMES: [Theme; 2] = [
    Theme {
        name: "sport",
        groups: ["rec.sport.baseball", "rec.sport.hockey"],
        keywords: ["baseball", "hockey"],
    },
    Theme { name: "vehicle", groups: ["rec.autos", "rec.motorcycles"], keywords: ["car", "bike"] },
];
const OTHERS: [&str; 3] = ["sci.space", "talk.politics.mideast", "comp.graphics"];
/// Topics before the split.
const TOPICS: usize = 4;

fn words(unit: &Unit<'_>) -> Result<Outcome> {
    let Some(theme) = THEMES.iter().find(|theme| theme.name == unit.case.name) else {
        bail!("{} has no case \"{}\"", WORDS.name, unit.case.name)
    };
    let raw = unit.library.data_set("20newsgroups")?;
    let label = |name: &&str| raw.label_names.iter().position(|other| other == name).map(|at| at as u32);
    let groups: Vec<u32> = theme.groups.iter().chain(&OTHERS).filter_map(label).collect();
    ensure!(groups.len() == TOPICS + 1, "20 Newsgroups lacks a group of the case {}", theme.name);
    let seed = seed_of(theme.name, TOPICS, unit.draw);
    let sample = Sample::draw(&raw, &groups, 200, Preparation::Text, seed)?;
    let column = |word: &&str| {
        let term = raw.terms.iter().position(|term| term == word).map(|at| at as u32)?;
        sample.samples.columns.iter().position(|column| *column == term)
    };
    let keywords: Vec<usize> = theme.keywords.iter().filter_map(column).collect();
    ensure!(keywords.len() == 2, "a keyword of the case {} is no term", theme.name);
    let boosts: &[f64] = if unit.extent == Extent::Reduced { &[1.0, 2.0] } else { &[1.0, 2.0, 5.0, 10.0] };
    let data = sample.data.as_ref();
    if unit.group == "nmf" {
        let fitted = fit(data, &Model::nmf(), &sample.settings(TOPICS + 1, Init::Random, 200))?;
        return Ok(steered(unit.row("NMF, one more topic"), &sample, &fitted, &keywords)?.into());
    }
    let weights: &[f64] = if unit.group == "start" { &[0.0] } else { &[1.0, 3.0] };
    let first = fit(data, &Model::nmf(), &sample.settings(TOPICS, Init::Random, 200))?;
    let mut rows = Vec::new();
    for &boost in boosts {
        let reference = copies(&first, &sample, &keywords, boost);
        for &alpha in weights {
            let init = Init::Custom { codes: None, components: Some(reference.clone()) };
            let settings = Settings { first: Some(Slot::Codes), ..sample.settings(TOPICS + 1, init, 200) };
            let model = if alpha > 0.0 {
                let weight = vec![alpha; TOPICS + 1];
                let reference = ComponentReference { reference: reference.clone(), weight };
                Model::ws_nmf(Advice::ComponentReference(reference))
            } else {
                Model::nmf()
            };
            let name = if alpha > 0.0 {
                format!("WS-NMF, boost {boost}, alpha {alpha}")
            } else {
                format!("start only, boost {boost}")
            };
            rows.push(steered(unit.row(name), &sample, &fit(data, &model, &settings)?, &keywords)?);
        }
    }
    Ok(rows.into())
}

/// The basis of unit length with the topic of the two groups copied: the copy of each keyword (the first two
/// rows) has it times `boost` and lacks the other one.
fn copies(first: &Fit<f64>, sample: &Sample, keywords: &[usize], boost: f64) -> Matrix<f64> {
    let length = |j: usize| first.components.row(j).iter().map(|v| v * v).sum::<f64>().sqrt();
    let lengths: Vec<f64> = (0..TOPICS).map(length).collect();
    let mut counts = [0; TOPICS];
    for i in (0..sample.classes.len()).filter(|i| sample.classes[*i] < 2) {
        let row: Vec<f64> = (0..TOPICS).map(|j| first.codes.get(i, j) * lengths[j]).collect();
        counts[largest(&row) as usize] += 1;
    }
    let merged = (0..TOPICS).fold(0, |best, j| if counts[j] > counts[best] { j } else { best });
    let source: Vec<usize> =
        [merged, merged].into_iter().chain((0..TOPICS).filter(|j| *j != merged)).collect();
    Matrix::from_fn(TOPICS + 1, sample.samples.features, |row, feature| {
        let from = source[row];
        let value =
            if lengths[from] > 0.0 { first.components.get(from, feature) / lengths[from] } else { 0.0 };
        match keywords.iter().position(|word| *word == feature) {
            Some(word) if word == row => value * boost,
            Some(word) if row < 2 && word != row => 0.0,
            _ => value,
        }
    })
}

/// How the two groups are split. Where no row is meant for a keyword (NMF), its topic is the one that most of
/// its group's messages belong to.
fn steered(row: Row, sample: &Sample, fitted: &Fit<f64>, keywords: &[usize]) -> Result<Row> {
    let k = fitted.codes.columns();
    let length = |j: usize| fitted.components.row(j).iter().map(|v| v * v).sum::<f64>().sqrt();
    let lengths: Vec<f64> = (0..k).map(length).collect();
    let share = |i: usize| -> Vec<f64> { (0..k).map(|j| fitted.codes.get(i, j) * lengths[j]).collect() };
    let clusters: Vec<i32> = (0..fitted.codes.rows()).map(|i| largest(&share(i))).collect();
    let inside = |class: i32, topic: i32| {
        let both = sample.classes.iter().zip(&clusters);
        both.filter(|(own, found)| **own == class && **found == topic).count()
    };
    let meant = row.method != "NMF, one more topic";
    let pairs = (0..k as i32).flat_map(|a| (0..k as i32).filter(move |b| *b != a).map(move |b| [a, b]));
    let best = pairs.max_by_key(|[a, b]| inside(0, *a) + inside(1, *b));
    let topics = if meant { [0, 1] } else { best.unwrap_or([0, 1]) };
    let of_theme = sample.classes.iter().filter(|class| **class < 2).count();
    let others = sample.classes.len() - of_theme;
    let right = inside(0, topics[0]) + inside(1, topics[1]);
    let drawn_in: usize = (2..sample.k as i32).map(|c| inside(c, topics[0]) + inside(c, topics[1])).sum();
    let rank = |at: usize| {
        let topic = fitted.components.row(topics[at] as usize);
        1.0 + topic.iter().filter(|value| **value > topic[keywords[at]]).count() as f64
    };
    let row = row.by(format!("{}, {} iterations", fitted.solver, fitted.iterations)).with([
        ("split", 100.0 * right as f64 / of_theme as f64),
        ("drawn in", 100.0 * drawn_in as f64 / others as f64),
        ("rank of the first keyword", rank(0)),
        ("rank of the second keyword", rank(1)),
    ]);
    sample.row(row, &clusters)
}

fn references() -> Vec<Reference> {
    let of = |(case, method, split, accuracy): &(&'static str, &'static str, f64, f64)| {
        [("split", *split), ("accuracy", *accuracy)].map(|(score, mean)| Reference {
            case,
            x: None,
            method,
            score,
            mean,
            error: f64::NAN,
        })
    };
    VALUES.iter().flat_map(of).collect()
}

/// (case, method, split in %, accuracy) of independent implementations, 5 draws.
const VALUES: &[(&str, &str, f64, f64)] = &[
    ("sport", "NMF, one more topic", 73.2, 80.7),
    ("sport", "WS-NMF, boost 1, alpha 1", 41.5, 69.5),
    ("sport", "WS-NMF, boost 1, alpha 3", 5.2, 69.9),
    ("sport", "start only, boost 1", 48.3, 70.0),
    ("sport", "WS-NMF, boost 2, alpha 1", 88.8, 68.4),
    ("sport", "WS-NMF, boost 2, alpha 3", 93.5, 70.4),
    ("sport", "start only, boost 2", 78.2, 64.2),
    ("sport", "WS-NMF, boost 5, alpha 1", 90.8, 69.2),
    ("sport", "WS-NMF, boost 5, alpha 3", 91.2, 69.6),
    ("sport", "start only, boost 5", 77.2, 63.7),
    ("sport", "WS-NMF, boost 10, alpha 1", 92.5, 69.9),
    ("sport", "WS-NMF, boost 10, alpha 3", 74.2, 62.9),
    ("sport", "start only, boost 10", 81.2, 65.3),
    ("vehicle", "NMF, one more topic", 64.3, 74.9),
    ("vehicle", "WS-NMF, boost 1, alpha 1", 79.5, 85.9),
    ("vehicle", "WS-NMF, boost 1, alpha 3", 87.0, 85.6),
    ("vehicle", "start only, boost 1", 55.3, 75.8),
    ("vehicle", "WS-NMF, boost 2, alpha 1", 85.9, 86.1),
    ("vehicle", "WS-NMF, boost 2, alpha 3", 83.2, 85.0),
    ("vehicle", "start only, boost 2", 85.3, 85.9),
    ("vehicle", "WS-NMF, boost 5, alpha 1", 84.7, 86.4),
    ("vehicle", "WS-NMF, boost 5, alpha 3", 69.8, 81.9),
    ("vehicle", "start only, boost 5", 84.6, 85.6),
    ("vehicle", "WS-NMF, boost 10, alpha 1", 68.3, 81.5),
    ("vehicle", "WS-NMF, boost 10, alpha 3", 57.6, 77.7),
    ("vehicle", "start only, boost 10", 84.6, 85.6),
];

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::protocols::{DataSet, Extent, Library, ws_nmf_sample::made};

    /// Messages of the groups of a theme and the three others; the two of the theme share most of their
    /// words.
    struct Made;

    impl Library for Made {
        fn data_set(&self, _: &str) -> Result<Arc<DataSet>> {
            let groups: Vec<&str> = THEMES[0].groups.iter().chain(&OTHERS).copied().collect();
            Ok(Arc::new(made::related_messages(&groups, THEMES[0].keywords, 50)))
        }
    }

    fn unit<'a>(case: &'a Case, group: &'a str) -> Unit<'a> {
        Unit { library: &Made, extent: Extent::Full, case, group, draw: 0 }
    }

    #[test]
    fn copies_have_their_own_keyword_raised_and_lack_that_of_the_other() {
        let raw = Made.data_set("").unwrap();
        let groups: Vec<u32> = (0..5).collect();
        let sample = Sample::draw(&raw, &groups, 200, Preparation::Text, 3).unwrap();
        let settings = sample.settings(TOPICS, Init::Random, 200);
        let first = fit(sample.data.as_ref(), &Model::nmf(), &settings).unwrap();
        let keywords = [0, 1];
        let (plain, boosted) =
            (copies(&first, &sample, &keywords, 1.0), copies(&first, &sample, &keywords, 5.0));
        for (own, other) in [(0, 1), (1, 0)] {
            assert_eq!((boosted.get(own, other), plain.get(own, other)), (0.0, 0.0));
            assert!(plain.get(own, own) > 0.0);
            assert_eq!(boosted.get(own, own), 5.0 * plain.get(own, own));
        }
        for j in 2..plain.columns() {
            assert_eq!(plain.get(0, j), plain.get(1, j), "copies of one topic");
        }
        for row in 2..TOPICS + 1 {
            assert_eq!(boosted.row(row), plain.row(row), "the other topics stay");
            let length: f64 = plain.row(row).iter().map(|v| v * v).sum();
            assert!((length - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn keywords_with_weight_split_a_topic_and_lead_it() {
        let case = Case::new(THEMES[0].name);
        let rows: Vec<Row> =
            WORDS.groups.iter().flat_map(|group| words(&unit(&case, group.name)).unwrap().rows).collect();
        assert_eq!(rows.len(), 1 + 4 + 8);
        let of = |method: &str, score: &str| {
            rows.iter().find(|row| row.method == method).and_then(|row| row.score(score)).expect(method)
        };
        let steered = "WS-NMF, boost 5, alpha 1";
        assert!(of(steered, "split") > 85.0, "{}", of(steered, "split"));
        assert!(of(steered, "drawn in") < 5.0, "{}", of(steered, "drawn in"));
        for keyword in ["rank of the first keyword", "rank of the second keyword"] {
            assert_eq!(of(steered, keyword), 1.0, "{keyword}");
        }
        let unknown = Case::new("cooking");
        assert!(words(&unit(&unknown, "nmf")).unwrap_err().to_string().contains("cooking"));
    }
}
