//! Promise: each steering action does what it says, keeps what was known, and can be undone to the bit; what
//! to label next is doubtful and diverse.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use std::ops::ControlFlow;

use common::number;
use partwise::guidance::{Advice, Feature, Guidance, Topic};
use partwise::recipes::{Action, Others, Steering, TopicChange, suggest, suggest_links};
use partwise::{DenseMatrix, Error, Iteration, Labels, Loss, Matrix, Model, Settings, fit};

const WORDS: usize = 5;

/// Four planted topics of five words each; the last 20 samples are half of topic 0, half of topic 1.
fn data() -> DenseMatrix<'static, f64> {
    let x = Matrix::from_fn(120, 4 * WORDS, |i, f| {
        let (r, topic) = (number(7, i * 100 + f), f / WORDS);
        let member = if i < 100 { topic == i % 4 } else { topic < 2 };
        if member {
            0.5 + r
        } else if r < 0.05 {
            0.3
        } else {
            0.0
        }
    });
    DenseMatrix::from_matrix(x).unwrap()
}

fn silent() -> impl FnMut(&Iteration) -> ControlFlow<()> {
    |_: &Iteration| ControlFlow::Continue(())
}

fn begin<'d>(x: &'d DenseMatrix<'static, f64>, topics: &[&str], rank: usize) -> Steering<'d, f64> {
    let guidance =
        Guidance::new(topics.iter().enumerate().map(|(t, name)| Topic::new(*name).with_seeds([WORDS * t])));
    Steering::begin(
        x,
        guidance,
        Loss::Frobenius,
        Settings { threads: 1, ..Settings::new(rank) },
        &mut silent(),
    )
    .unwrap()
}

fn place(steering: &Steering<'_, f64>, i: usize) -> String {
    let fit = steering.fit();
    let norm = |j: usize| fit.components.row(j).iter().map(|h| h * h).sum::<f64>().sqrt();
    let share = |j: usize| fit.codes.get(i, j) * norm(j);
    let best = (0..steering.rank()).max_by(|a, b| share(*a).total_cmp(&share(*b))).unwrap();
    fit.component_names[best].clone()
}

fn names(steering: &Steering<'_, f64>) -> Vec<String> {
    steering.fit().component_names.clone()
}

#[test]
fn free_parts_get_names_and_a_rename_changes_nothing_else() {
    let x = data();
    let mut steering = begin(&x, &["a", "b"], 4);
    assert_eq!(names(&steering), ["a", "b", "part 3", "part 4"]);
    let (codes, components) = (steering.fit().codes.clone(), steering.fit().components.clone());
    steering.apply(&Action::Rename { topic: "part 3".into(), to: "sea".into() }, &mut silent()).unwrap();
    assert_eq!(names(&steering), ["a", "b", "sea", "part 4"]);
    assert!(steering.fit().codes == codes && steering.fit().components == components);
}

#[test]
fn merge_split_and_delete() {
    let x = data();
    let mut steering = begin(&x, &["a", "b", "c", "d"], 4);
    let fitted = steering.fit().relative_error;
    steering.apply(&Action::Merge { keep: "a".into(), with: "b".into() }, &mut silent()).unwrap();
    assert_eq!(names(&steering), ["a", "c", "d"]);
    assert_eq!(place(&steering, 0), "a");
    assert_eq!(place(&steering, 1), "a");
    let merged = steering.fit().relative_error;
    assert!(merged > fitted, "{merged} > {fitted}");
    let split =
        Action::Split { topic: "a".into(), new: "b again".into(), seeds: vec![Feature::Index(WORDS)] };
    steering.apply(&split, &mut silent()).unwrap();
    assert_eq!(names(&steering), ["a", "b again", "c", "d"]);
    assert_eq!((place(&steering, 0), place(&steering, 1)), ("a".into(), "b again".into()));
    assert!((steering.fit().relative_error - fitted).abs() < 0.02);
    steering.apply(&Action::Delete { topic: "c".into() }, &mut silent()).unwrap();
    assert_eq!(names(&steering), ["a", "b again", "d"]);
    assert_eq!(steering.depth(), 3);
}

/// Six planted topics but four components: whatever an action frees, the others could use.
fn crowded<'d>(x: &'d DenseMatrix<'static, f64>, others: Others) -> Steering<'d, f64> {
    let guidance = Guidance::new([Topic::new("a").with_seeds([0usize])]);
    let settings = Settings { threads: 1, ..Settings::new(4) };
    Steering::begin(x, guidance, Loss::Frobenius, settings, &mut silent()).unwrap().with_others(others)
}

fn crowded_data() -> DenseMatrix<'static, f64> {
    let x = Matrix::from_fn(180, 6 * WORDS, |i, f| {
        let (r, topic) = (number(11, i * 100 + f), f / WORDS);
        match topic == i % 6 {
            true => (0.5 + r) * (1.0 + 0.1 * (i % 6) as f64),
            false if r < 0.08 => 0.4,
            false => 0.0,
        }
    });
    DenseMatrix::from_matrix(x).unwrap()
}

#[test]
fn the_topics_that_an_action_does_not_name_stay() {
    let x = crowded_data();
    let merge = Action::Merge { keep: "part 2".into(), with: "part 3".into() };
    let delete = Action::Delete { topic: "part 4".into() };
    for action in [merge, delete] {
        let after = |others: Others| {
            let mut steering = crowded(&x, others);
            let before = steering.fit().components.clone();
            steering.apply(&action, &mut silent()).unwrap();
            let worst =
                steering.changes().topics.iter().filter(|t| !t.named).map(|t| t.cosine).fold(1.0, f64::min);
            (steering, before, worst)
        };
        let (tied, _, worst) = after(Others::Tied);
        assert!(worst > 0.95, "{action:?}: {:?}", tied.changes());
        assert!(tied.changes().topics.iter().all(|t| t.like.is_none()), "{:?}", tied.changes());
        let (free, _, drifted) = after(Others::Free);
        assert!(drifted < worst, "{action:?}: {drifted} against {worst}, {:?}", free.changes());
        let (fixed, before, _) = after(Others::Fixed);
        assert_eq!(fixed.fit().components.row(0), before.row(0), "{action:?}");
    }
}

/// The merged component keeps both, although the data would rather have one of them and another topic.
#[test]
fn merged_topics_stay_one() {
    let x = crowded_data();
    let mut steering = crowded(&x, Others::Tied);
    let before: Vec<String> = (0..180).map(|i| place(&steering, i)).collect();
    steering.apply(&Action::Merge { keep: "part 2".into(), with: "part 3".into() }, &mut silent()).unwrap();
    let both = |name: &str| name == "part 2" || name == "part 3";
    let members: Vec<usize> = (0..180).filter(|i| both(&before[*i])).collect();
    let kept = members.iter().filter(|i| place(&steering, **i) == "part 2").count();
    assert!(kept as f64 >= 0.95 * members.len() as f64, "{kept} of {}", members.len());
    let change = |name: &str| -> TopicChange {
        steering.changes().topics.iter().find(|t| t.topic == name).unwrap().clone()
    };
    assert!(change("part 2").named && change("part 2").cosine > 0.9, "{:?}", steering.changes());
    assert_eq!(change("part 2").samples.0, members.len());
    assert!(steering.changes().moved < 0.05, "{:?}", steering.changes());
}

#[test]
fn a_split_without_seeds_takes_what_is_explained_worst() {
    let x = data();
    let mut steering = begin(&x, &["a", "b", "rest"], 3);
    let before = steering.fit().relative_error;
    let split = Action::Split { topic: "rest".into(), new: "more".into(), seeds: vec![] };
    steering.apply(&split, &mut silent()).unwrap();
    assert_eq!(names(&steering), ["a", "b", "rest", "more"]);
    assert!(steering.fit().relative_error < 0.8 * before);
}

#[test]
fn moves_words_and_pins() {
    let x = data();
    let mut steering = begin(&x, &["a", "b", "c", "d"], 4);
    assert_eq!(place(&steering, 2), "c");
    steering.apply(&Action::Move { sample: 2, to: "d".into() }, &mut silent()).unwrap();
    assert_eq!(place(&steering, 2), "d");
    steering.apply(&Action::Move { sample: 2, to: "a".into() }, &mut silent()).unwrap();
    assert_eq!(place(&steering, 2), "a");
    let feature = Feature::Index(1);
    steering.apply(&Action::Forbid { topic: "a".into(), feature: feature.clone() }, &mut silent()).unwrap();
    assert_eq!(steering.fit().components.get(0, 1), 0.0);
    steering.apply(&Action::Raise { topic: "a".into(), feature, by: 3.0 }, &mut silent()).unwrap();
    assert!(steering.fit().components.get(0, 1) > 0.0);
    let pinned = steering.fit().components.row(3).to_vec();
    steering.apply(&Action::Pin { topic: "d".into() }, &mut silent()).unwrap();
    steering.apply(&Action::Move { sample: 2, to: "c".into() }, &mut silent()).unwrap();
    assert_eq!(steering.fit().components.row(3), pinned);
}

#[test]
fn undo_is_exact_and_a_fault_changes_nothing() {
    let x = data();
    let mut steering = begin(&x, &["a", "b", "c", "d"], 4);
    let (codes, components) = (steering.fit().codes.clone(), steering.fit().components.clone());
    assert!(!steering.undo());
    steering.apply(&Action::Delete { topic: "b".into() }, &mut silent()).unwrap();
    assert_eq!(steering.rank(), 3);
    let unknown = steering.apply(&Action::Delete { topic: "b".into() }, &mut silent()).unwrap_err();
    assert!(matches!(&unknown, Error::UnknownName { valid, .. } if valid == &["a", "c", "d"]), "{unknown}");
    for action in [
        Action::Merge { keep: "a".into(), with: "a".into() },
        Action::Rename { topic: "a".into(), to: "c".into() },
        Action::Move { sample: 500, to: "a".into() },
        Action::Raise { topic: "a".into(), feature: Feature::Index(0), by: 0.0 },
        Action::Raise { topic: "a".into(), feature: Feature::Index(20), by: 2.0 },
        Action::Forbid { topic: "a".into(), feature: Feature::Name("word".into()) },
    ] {
        assert!(steering.apply(&action, &mut silent()).is_err(), "{action:?}");
    }
    assert_eq!(steering.depth(), 1);
    assert!(steering.undo());
    assert!(steering.fit().codes == codes && steering.fit().components == components);
}

#[test]
fn a_word_that_is_no_feature_is_refused_with_near_names() {
    let x = data();
    let names: Vec<String> = (0..4 * WORDS).map(|f| format!("word{f}")).collect();
    let guidance = Guidance::new([Topic::new("a").with_seeds(["word0"])]).with_feature_names(names);
    let mut steering =
        Steering::begin(&x, guidance, Loss::Frobenius, Settings::new(4), &mut silent()).unwrap();
    let forbid = |name: &str| Action::Forbid { topic: "a".into(), feature: Feature::Name(name.into()) };
    let message = steering.apply(&forbid("words1"), &mut silent()).unwrap_err().to_string();
    assert!(message.contains("\"words1\" is not a feature") && message.contains("\"word1\""), "{message}");
    let split = Action::Split { topic: "a".into(), new: "b".into(), seeds: vec!["zzzz".into()] };
    assert!(steering.apply(&split, &mut silent()).is_err());
    assert_eq!(steering.depth(), 0);
    steering.apply(&forbid("word1"), &mut silent()).unwrap();
    assert_eq!(steering.fit().components.get(0, 1), 0.0);
}

/// Labels follow their topics through merges and deletions.
#[test]
fn what_was_known_stays_known() {
    let x = data();
    let label: Vec<i32> = (0..120).map(|i| if i < 12 { i % 4 } else { -1 }).collect();
    let topics = ["a", "b", "c", "d"];
    let labels = Labels::with_names(&label, &topics.map(String::from)).unwrap();
    let guidance = Guidance::new(topics.map(Topic::new)).with(Advice::labels(labels));
    let mut steering =
        Steering::begin(&x, guidance, Loss::Frobenius, Settings::new(4), &mut silent()).unwrap();
    assert_eq!(steering.report().findings.len(), 12);
    steering.apply(&Action::Merge { keep: "a".into(), with: "b".into() }, &mut silent()).unwrap();
    assert_eq!(steering.report().findings.iter().filter(|f| f.topic.as_deref() == Some("a")).count(), 6);
    steering.apply(&Action::Delete { topic: "c".into() }, &mut silent()).unwrap();
    assert_eq!(steering.report().findings.len(), 9);
    steering.apply(&Action::Rename { topic: "d".into(), to: "sky".into() }, &mut silent()).unwrap();
    assert_eq!(steering.report().findings.iter().filter(|f| f.topic.as_deref() == Some("sky")).count(), 3);
    assert!((0..12).filter(|i| i % 4 < 2).all(|i| place(&steering, i) == "a"));
}

#[test]
fn suggestions_are_doubtful_and_diverse() {
    let x = data();
    let guidance = Guidance::new((0..4).map(|t| Topic::new(format!("t{t}")).with_seeds([WORDS * t])));
    let fit = fit(&x, &Model::guided(guidance), &Settings::new(4)).unwrap();
    let suggested = suggest(&fit, &[], 3).unwrap();
    // The samples between two topics come first.
    assert!(suggested[0].sample >= 100, "{suggested:?}");
    assert_eq!(suggested.len(), 3);
    let known = [suggested[0].sample];
    assert!(suggest(&fit, &known, 50).unwrap().iter().all(|s| s.sample != known[0]));
    let pairs = suggest_links(&fit, 5).unwrap();
    assert!(
        pairs.len() == 5 && pairs.iter().all(|p| p.samples.0 < p.samples.1 && p.closeness > 0.5),
        "{pairs:?}"
    );
    let error = suggest(&fit, &[400], 3).unwrap_err();
    assert!(error.to_string().contains("below 120"), "{error}");
}
