//! Promise: spread labels put more samples into their class, new ones too, than labels alone; they are kept
//! apart from what the user said; without them nothing changes; they have the same bits for any number of
//! threads; and what cannot be spread is refused by name.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use std::ops::ControlFlow;

use common::{number, sparse};
use partwise::guidance::{ComponentsPerClass, Spread};
use partwise::recipes::{GuidedFit, Memberships, Owners, ShareOf, Verdict, fit_guided, shares};
use partwise::{
    Advice, DenseMatrix, Encoding, Error, Guidance, Iteration, Labels, Loss, Matrix, Model, Settings,
    Strength, fit,
};
use partwise_classify::{
    COMPONENTS_PER_CLASS, ClassifySettings, SpreadLabels, SpreadSettings, Spreading, classify,
    encode_by_scorer, spread,
};

const N: usize = 90;
const D: usize = 20;

/// Three classes (sample i is of class i mod 3) of two kinds each, as noisy directions. A class has a label
/// of one kind only where its labels are its first sample.
fn planted(n: usize, seed: u64) -> DenseMatrix<'static, f64> {
    let x = Matrix::from_fn(n, D, |i, j| {
        let kind = 2 * (i % 3) + (i / 3) % 2;
        let signal = if j / 3 == kind { 2.0 + number(5, j) } else { 0.0 };
        let shared = if j >= 18 { 2.0 + 2.0 * number(3, i) } else { 0.0 };
        let noise = number(seed, i * D + j);
        signal + shared + if noise < 0.4 { 0.0 } else { noise }
    });
    DenseMatrix::from_matrix(x).unwrap()
}

fn labels() -> Labels {
    let given: Vec<i32> = (0..N).map(|i| if i < 6 { (i % 3) as i32 } else { -1 }).collect();
    Labels::with_names(&given, &["ash".to_string(), "elm".into(), "oak".into()]).unwrap()
}

fn known() -> Guidance {
    Advice::labels(labels()).into()
}

fn settings(threads: usize) -> Settings {
    Settings { threads, max_iterations: 100, ..Settings::new(3) }
}

fn spread_by(when: Spreading, guidance: &Guidance, threads: usize) -> Result<SpreadLabels, Error> {
    spread(&planted(N, 7), guidance, Loss::Frobenius, &settings(threads), when)
}

fn guided(guidance: &Guidance) -> GuidedFit<f64> {
    let watch = &mut |_: &Iteration| ControlFlow::Continue(());
    fit_guided(&planted(N, 7), guidance, Loss::Frobenius, &settings(1), watch).unwrap()
}

/// How many samples have their largest membership in their class.
fn right(codes: &Matrix<f64>, components: &Matrix<f64>) -> usize {
    let memberships = shares(codes, components, ShareOf::Length);
    let largest = |row: &[f64]| (0..row.len()).fold(0, |best, j| if row[j] > row[best] { j } else { best });
    (0..codes.rows()).filter(|i| largest(memberships.row(*i)) == i % 3).count()
}

#[test]
fn spread_labels_put_more_samples_into_their_class_and_new_ones_too() {
    let plain = guided(&known());
    let found = spread_by(Spreading::Auto, &known(), 1).unwrap();
    let with = guided(&found.guidance);
    let (before, after) =
        (right(&plain.fit.codes, &plain.fit.components), right(&with.fit.codes, &with.fit.components));
    assert!(after >= before + N / 10 && after >= 80, "{before} and then {after} of {N} are right");
    let notice = &found.notices[0];
    assert!(notice.message.contains("6 labels") && notice.message.contains("84 samples"), "{notice:?}");

    let new = planted(60, 11);
    let watch = &mut |_: &Iteration| ControlFlow::Continue(());
    let encoding = Encoding::plain(3);
    let components = &with.fit.components;
    let encode = |guidance: &Guidance, watch: &mut dyn partwise::Observer| {
        encode_by_scorer(&new, components, (&encoding, guidance), Loss::Frobenius, &settings(1), watch)
    };
    let codes = encode(&found.guidance, watch).unwrap();
    let of_new = right(&codes.codes, components);
    assert!(of_new >= 54, "{of_new} of 60 new samples are right");
    // Without a scorer it is the plain encoding.
    let free = encode(&known(), watch).unwrap();
    let plain = partwise::encode(&new, components, &encoding, Loss::Frobenius, &settings(1), watch).unwrap();
    assert_eq!(free.codes, plain.codes);
    assert!(codes.relative_error >= free.relative_error && codes.relative_error < 1.0);
}

#[test]
fn what_was_derived_is_reported_apart_and_can_be_taken_away() {
    let found = spread_by(Spreading::On, &known(), 1).unwrap();
    let kinds: Vec<&str> = found.guidance.advice().iter().map(|item| item.kind()).collect();
    assert_eq!(kinds, ["labels", "spread", "scorer"]);
    assert_eq!(found.guidance.labelled_samples(), [0, 1, 2, 3, 4, 5]);
    let report = guided(&found.guidance).report;
    assert_eq!(report.findings.len(), 6);
    assert!(report.findings.iter().all(|finding| finding.kind == "label"));
    let topics: Vec<&str> = report.derived.iter().filter_map(|finding| finding.topic.as_deref()).collect();
    assert_eq!(topics, ["ash", "elm", "oak"]);
    assert!(report.derived.iter().all(|f| f.kind == "spread" && f.verdict == Verdict::Followed));

    // Off takes away what was derived before; spreading again replaces it.
    assert_eq!(spread_by(Spreading::Off, &found.guidance, 1).unwrap().guidance, known());
    let again = spread_by(Spreading::On, &found.guidance, 1).unwrap();
    assert_eq!(format!("{:?}", again.guidance), format!("{:?}", found.guidance));
    let fitted = |guidance: Guidance| fit(&planted(N, 7), &Model::guided(guidance), &settings(1)).unwrap();
    let off = fitted(spread_by(Spreading::Off, &known(), 1).unwrap().guidance);
    assert_eq!(off.codes, fitted(known()).codes);
}

#[test]
fn it_has_the_same_bits_for_any_number_of_threads() {
    let one = spread_by(Spreading::On, &known(), 1).unwrap();
    let three = spread_by(Spreading::On, &known(), 3).unwrap();
    assert_eq!(format!("{:?}", one.guidance), format!("{:?}", three.guidance));
}

#[test]
fn what_cannot_be_spread_is_left_alone_by_auto_and_refused_by_on() {
    let all: Vec<i32> = (0..N).map(|i| (i % 3) as i32).collect();
    let one: Vec<i32> = (0..N).map(|i| if i < 4 { 0 } else { -1 }).collect();
    let of = |labels: &[i32]| Guidance::from(Advice::labels(Labels::from_integers(labels).unwrap()));
    let marks = Matrix::from_fn(N, D, |_, _| 1.0);
    for (guidance, said) in [
        (of(&one), "at least two classes"),
        (of(&all), "every sample has a label"),
        (known().with(Advice::KnownEntries(marks)), "needs all entries"),
        (Guidance::default(), "at least two classes"),
    ] {
        assert_eq!(spread_by(Spreading::Auto, &guidance, 1).unwrap().guidance, guidance);
        let message = spread_by(Spreading::On, &guidance, 1).unwrap_err().to_string();
        assert!(message.contains("labels cannot be spread") && message.contains(said), "{message}");
    }
    let message = Spreading::from_name("maybe").unwrap_err().to_string();
    assert!(message.contains("maybe") && message.contains("auto, on, off"), "{message}");
}

#[test]
fn one_label_a_class_is_not_spread_over_samples_too_few_to_trust_a_classifier_unjudged() {
    let of = |n: usize, each: usize| {
        let given: Vec<i32> = (0..n).map(|i| if i < 3 * each { (i % 3) as i32 } else { -1 }).collect();
        Guidance::from(Advice::labels(Labels::from_integers(&given).unwrap()))
    };
    let spread_over = |n: usize, each: usize, when: Spreading| {
        spread(&planted(n, 7), &of(n, each), Loss::Frobenius, &settings(1), when).unwrap()
    };
    let found = spread_over(49, 1, Spreading::Auto);
    assert_eq!(found.guidance, of(49, 1));
    let message = &found.notices[0].message;
    assert!(message.contains("no class has two labels") && message.contains("49 samples"), "{message}");
    // A second label can be held out; more samples, and who asks for it, are trusted.
    for (n, each, when) in [(49, 2, Spreading::Auto), (50, 1, Spreading::Auto), (49, 1, Spreading::On)] {
        let found = spread_over(n, each, when);
        assert!(found.guidance.advice().iter().any(|item| item.kind() == "spread"), "{n} {each}");
    }
}

/// Rows on the arc of two features, in `2 * arcs` bends that belong to two classes by turns: no line parts
/// them.
fn bends(n: usize, arcs: usize, seed: u64) -> DenseMatrix<'static, f64> {
    let x = Matrix::from_fn(n, 2, |i, j| {
        let angle = (i % (2 * arcs)) as f64 + 0.2 + 0.6 * number(seed, i);
        let angle = angle / (2 * arcs) as f64 * std::f64::consts::FRAC_PI_2;
        if j == 0 { angle.cos() } else { angle.sin() }
    });
    DenseMatrix::from_matrix(x).unwrap()
}

#[test]
fn new_rows_of_classes_that_no_line_parts_are_scored_by_a_kernel() {
    let (n, arcs) = (160, 2);
    let given: Vec<i32> = (0..n).map(|i| if i < 4 * arcs { (i % 2) as i32 } else { -1 }).collect();
    let guidance = Guidance::from(Advice::labels(Labels::from_integers(&given).unwrap()));
    let settings = Settings { threads: 1, max_iterations: 100, ..Settings::new(2) };
    let data = bends(n, arcs, 5);
    let found = spread(&data, &guidance, Loss::Frobenius, &settings, Spreading::On).unwrap();
    let width = |guidance: &Guidance| {
        guidance.advice().into_iter().find_map(|item| match item {
            Advice::Scorer(scorer) => Some(scorer.kernel_width),
            _ => None,
        })
    };
    assert!(width(&found.guidance).flatten().is_some_and(|width| width > 0.0));
    // The classes of the other test are parted by lines: linear scores are enough.
    assert_eq!(width(&spread_by(Spreading::On, &known(), 1).unwrap().guidance), Some(None));

    let watch = &mut |_: &Iteration| ControlFlow::Continue(());
    let fitted = fit(&data, &Model::guided(found.guidance.clone()), &settings).unwrap();
    let new = bends(80, arcs, 9);
    let by = (&Encoding::plain(2), &found.guidance);
    let codes = encode_by_scorer(&new, &fitted.components, by, Loss::Frobenius, &settings, watch).unwrap();
    let of_new = shares(&codes.codes, &fitted.components, ShareOf::Length);
    let right = (0..80).filter(|i| of_new.get(*i, i % 2) > 0.5).count();
    assert!(right >= 76, "{right} of 80 new rows are right");
}

#[test]
fn a_scorer_that_does_not_fit_is_refused() {
    let found = spread_by(Spreading::On, &known(), 1).unwrap();
    let components = fit(&planted(N, 7), &Model::guided(found.guidance.clone()), &settings(1)).unwrap();
    let refused = |change: &dyn Fn(&mut partwise::guidance::Scorer)| {
        let mut guidance = found.guidance.clone();
        for item in guidance.advice_mut() {
            if let Advice::Scorer(scorer) = item {
                change(scorer);
            }
        }
        let watch = &mut |_: &Iteration| ControlFlow::Continue(());
        let by = (&Encoding::plain(3), &guidance);
        let new = planted(6, 3);
        encode_by_scorer(&new, &components.components, by, Loss::Frobenius, &settings(1), watch)
            .unwrap_err()
            .to_string()
    };
    let message = refused(&|scorer| scorer.weights = Matrix::zeros(3, 5));
    assert!(message.contains("3 x 21") && message.contains("3 x 5"), "{message}");
    let message = refused(&|scorer| scorer.kernel_width = Some(1.0));
    assert!(message.contains("2 or more x 23"), "{message}");
    let message = refused(&|scorer| {
        (scorer.kernel_width, scorer.weights) = (Some(-1.0), Matrix::zeros(2, 23));
    });
    assert!(message.contains("kernel width") && message.contains("-1"), "{message}");
    let message = refused(&|scorer| scorer.names[0] = "pine".into());
    assert!(message.contains("\"pine\" has no component"), "{message}");
}

#[test]
fn an_item_that_does_not_fit_is_refused_with_its_place() {
    let item = |change: &dyn Fn(&mut Spread)| {
        let mut item = Spread {
            names: vec!["ash".into(), "elm".into()],
            posteriors: Matrix::from_fn(N, 2, |i, c| if i % 2 == c { 0.9 } else { 0.1 }),
            weights: vec![0.5; N],
            strength: Strength::FIRM,
        };
        change(&mut item);
        let model = Model::guided(known().with(Advice::Spread(item)));
        fit(&planted(N, 7), &model, &settings(1)).map(|fit| fit.codes)
    };
    assert!(item(&|_| ()).is_ok());
    let refused = |change: &dyn Fn(&mut Spread), said: &str| {
        let message = item(change).unwrap_err().to_string();
        assert!(message.contains(said), "{message}");
    };
    refused(&|item| item.weights[4] = 1.5, "spread label of sample 4");
    refused(&|item| item.weights.truncate(3), "one for each of the 90 samples");
    refused(&|item| item.posteriors.set(7, 1, -0.5), "a posterior of sample 7");
    refused(&|item| item.posteriors = Matrix::zeros(5, 2), "90 x 2");
    refused(&|item| item.strength = Strength::Raw(2.0), "raw strength");
}

#[test]
fn classes_that_look_in_two_ways_get_two_components_and_their_memberships_are_summed() {
    let auto = |spreading, threads| {
        let how = SpreadSettings { spreading, components_per_class: ComponentsPerClass::Auto };
        spread(&planted(N, 7), &known(), Loss::Frobenius, &settings(threads), how)
    };
    let found = auto(Spreading::Auto, 1).unwrap();
    let classes = ["ash", "elm", "oak"].map(|name| (name.to_string(), 2));
    assert_eq!((found.guidance.all_topics(), found.rank), (classes.to_vec(), 6));
    let notice = &found.notices[1];
    assert_eq!(notice.code, COMPONENTS_PER_CLASS);
    assert!(notice.message.contains("\"ash\" 2, \"elm\" 2, \"oak\" 2"), "{notice:?}");
    assert_eq!(auto(Spreading::Auto, 3).unwrap().guidance.all_topics(), found.guidance.all_topics());

    let wider = Settings { rank: found.rank, ..settings(1) };
    let watch = &mut |_: &Iteration| ControlFlow::Continue(());
    let guided = fit_guided(&planted(N, 7), &found.guidance, Loss::Frobenius, &wider, watch).unwrap();
    let names = &guided.fit.component_names;
    assert_eq!(names[..3], ["ash 1", "ash 2", "elm 1"]);
    let owners = Owners::new(&found.guidance.all_topics(), names);
    let memberships =
        Memberships::new(&guided.fit.codes, &guided.fit.components, ShareOf::Length, owners.clone());
    let right = (0..N).filter(|i| memberships.topic[*i] == Some(i % 3)).count();
    assert!(right >= 80, "{right} of {N} are right");
    // The two components of a class are its two kinds.
    let kinds: Vec<Option<usize>> = (0..6).map(|kind| memberships.cluster[kind]).collect();
    let distinct: std::collections::BTreeSet<_> = kinds.iter().flatten().collect();
    assert_eq!(distinct.len(), 6, "{kinds:?}");
    // Each looks like its own samples, which the report states.
    assert_eq!(guided.report.likeness.len(), 6);
    for line in &guided.report.likeness {
        assert!(line.samples >= 10 && line.mean_cosine > 0.8 && line.shared_cosine > 0.6, "{line:?}");
    }
    let cost = guided.report.cost.unwrap();
    assert!(cost.unguided <= cost.guided && cost.fraction().unwrap() >= 0.0, "{cost:?}");

    // New rows are drawn to their class.
    let new = planted(60, 11);
    let by = (&Encoding::plain(6), &found.guidance);
    let codes =
        encode_by_scorer(&new, &guided.fit.components, by, Loss::Frobenius, &wider, watch).unwrap().codes;
    let of_new = Memberships::new(&codes, &guided.fit.components, ShareOf::Length, owners);
    let right = (0..60).filter(|i| of_new.topic[*i] == Some(i % 3)).count();
    assert!(right >= 50, "{right} of 60 new rows are right");

    // Two labels per class cannot tell; without labels there is nothing to choose.
    let alone = auto(Spreading::Off, 1).unwrap();
    assert_eq!((alone.guidance.n_components(), alone.rank), (3, 3));
    let how = SpreadSettings { components_per_class: ComponentsPerClass::Auto, ..SpreadSettings::default() };
    let refused = spread(&new, &Guidance::default(), Loss::Frobenius, &settings(1), how).unwrap_err();
    assert!(refused.to_string().contains("need labels"), "{refused}");
}

#[test]
fn raw_counts_with_a_long_tail_are_reported_where_labels_guide_and_by_the_classifier() {
    let labels = labels();
    let coded = |scale: &dyn Fn(f64) -> f64| {
        let cell = |i: usize, j: usize| match (i * 7 + j * 3) % 5 {
            0 => 1.0 + f64::from((i + j).is_multiple_of(2)),
            1 if i == 4 => 90.0,
            _ => 0.0,
        };
        let dense = Matrix::from_fn(N, D, |i, j| if cell(i, j) > 0.0 { scale(cell(i, j)) } else { 0.0 });
        let model = Model::guided(known());
        let data: partwise::SparseMatrix<'_, f64> = sparse(&dense);
        let of_fit = fit(&data, &model, &settings(1)).unwrap().notices;
        let of_classifier = classify(&data, &labels, &ClassifySettings::default()).unwrap().notices;
        let reported = [of_fit, of_classifier]
            .map(|notices| notices.into_iter().find(|notice| notice.code == "raw-counts"));
        assert_eq!(reported[0], reported[1], "one notice for both");
        reported[0].is_some()
    };
    assert!(coded(&|count| count));
    assert!(!coded(&|count| count.ln_1p()), "logarithms are no counts");
    assert!(!coded(&|count| count.min(2.0)), "there is no long tail");
}
