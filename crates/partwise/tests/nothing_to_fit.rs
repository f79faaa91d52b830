//! Promise: where nothing is left to fit, the user hears of it. Weights and marks that are all 0 are refused;
//! items that say nothing, words that no sample has, and factors that end at 0 are reported; data of zeros
//! give finite zeros with a notice.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::facts::Facts;
use common::{Example, accepted, cases};
use partwise::graphs::Graph;
use partwise::guidance::{Advice, Feature, Guidance, Topic};
use partwise::{DataMatrix, DenseMatrix, Fit, LabelTargets, Labels, Loss, Matrix, Model, Settings, fit};

fn example() -> Example {
    Example::new(12, 6, 2, 3)
}

fn guided(item: Advice, loss: Loss) -> Model {
    Model::guided(Guidance::new([]).with(item)).with_loss(loss).unwrap()
}

#[test]
fn weights_and_marks_that_are_all_0_are_refused_by_name() {
    let (example, zeros) = (example(), Matrix::zeros(12, 6));
    let items = [
        (Advice::SampleWeights(vec![0.0; 12]), "sample weight"),
        (Advice::FeatureWeights(vec![0.0; 6]), "feature weight"),
        (Advice::EntryWeights(zeros.clone()), "weight of an entry"),
        (Advice::KnownEntries(zeros.clone()), "known entries"),
        (Advice::KnownFeatures(vec![Vec::new(); 12].into()), "known features"),
    ];
    let blank = DenseMatrix::from_matrix(zeros.clone()).unwrap();
    for (item, what) in items {
        for &loss in Loss::ALL {
            for data in [&example.dense::<f64>() as &dyn DataMatrix<f64>, &blank] {
                let marks = matches!(item, Advice::KnownEntries(_) | Advice::KnownFeatures(_));
                if marks && data.summary().sum > 0.0 {
                    // A value where nothing is known is refused before.
                    continue;
                }
                let error =
                    fit(data, &guided(item.clone(), loss), &Settings::new(2)).unwrap_err().to_string();
                assert!(
                    error.contains(what) && error.contains("above 0"),
                    "{what}, {}: {error}",
                    loss.name()
                );
            }
        }
    }
    let facts = Facts { known_entries: Some(zeros), labels: Some(example.labels()), ..Facts::default() };
    let error = fit(&blank, &facts.model("ssnmf"), &Settings::new(2)).unwrap_err().to_string();
    assert!(error.contains("known entries"), "{error}");
}

fn codes<T: partwise::Real>(fit: &Fit<T>) -> Vec<&'static str> {
    fit.notices.iter().map(|notice| notice.code).collect()
}

#[test]
fn items_that_say_nothing_are_reported() {
    let example = example();
    let names = vec!["a".to_string(), "b".to_string()];
    let strength = partwise::guidance::Strength::FIRM;
    let items = [
        Advice::labels(Labels::with_names(&[-1; 12], &names).unwrap()),
        Advice::Sets { names: names.clone(), sets: vec![None; 12], strength },
        Advice::Memberships { names, shares: Matrix::from_fn(12, 2, |_, _| f64::NAN), strength },
        Advice::References { names: Vec::new(), profiles: Matrix::zeros(0, 6), strength },
        Advice::Links { must: Vec::new(), cannot: Vec::new(), strength },
        Advice::Graph {
            graph: Graph::from_entries(12, &[]).unwrap(),
            strength: partwise::guidance::Strength::LIGHT,
        },
    ];
    for item in items {
        let kind = item.kind();
        let found = fit(&example.dense::<f64>(), &guided(item, Loss::Frobenius), &Settings::new(2)).unwrap();
        let told = found.notices.iter().any(|n| n.code == "empty-item" && n.message.contains(kind));
        assert!(told, "{kind}: {:?}", found.notices);
    }
    let targets = LabelTargets { targets: Matrix::zeros(12, 2), known: Matrix::zeros(12, 2) };
    let facts = Facts { label_targets: Some(targets), ..Facts::default() };
    let found = fit(&example.dense::<f64>(), &facts.model("ssnmf"), &Settings::new(2)).unwrap();
    assert!(codes(&found).contains(&"empty-item"), "{:?}", found.notices);
}

#[test]
fn words_that_are_not_in_the_data_are_reported() {
    let mut x = example().x;
    (0..12).for_each(|i| x.set(i, 4, 0.0));
    let data = DenseMatrix::from_matrix(x).unwrap();
    let names: Vec<String> = "abcdef".chars().map(String::from).collect();
    let of = |topic: Topic| {
        let guidance = Guidance::new([topic]).with_feature_names(names.clone());
        fit(&data, &Model::guided(guidance), &Settings::new(2)).unwrap()
    };
    for (role, topic, word) in [
        ("forbidden", Topic::new("t").without(["e"]), "\"e\""),
        ("seeds", Topic::new("t").with_seeds(["a", "e"]), "\"e\""),
    ] {
        let found = of(topic);
        let told = |n: &partwise::Notice| {
            n.code == "absent-features" && n.message.contains(role) && n.message.contains(word)
        };
        assert!(found.notices.iter().any(told), "{role}: {:?}", found.notices);
    }
    for topic in [Topic::new("t").without(["zebra"]), Topic::new("t").with_seeds(["a", "zebra"])] {
        let found = of(topic);
        assert!(found.notices.iter().any(|n| n.message.contains("zebra")), "{:?}", found.notices);
    }
    let number = Topic { forbidden: vec![Feature::Index(9)], ..Topic::new("t") };
    assert!(fit(&data, &Model::guided(Guidance::new([number])), &Settings::new(2)).is_err());
}

#[test]
fn penalties_that_leave_nothing_are_named_and_end_the_fit() {
    let example = example();
    for &loss in Loss::ALL {
        for solver in partwise::solvers::ALL.iter().filter(|s| s.losses.contains(&loss)) {
            for (l1, l2, name) in [
                ((1e6, 1e6), (0.0, 0.0), "L1 of codes"),
                ((1e6, 0.0), (0.0, 0.0), "L1 of codes"),
                ((0.0, 1e6), (0.0, 0.0), "L1 of components"),
            ] {
                let settings = Settings { solver: solver.choice, l1, l2, ..Settings::new(2) };
                let model = Model::nmf().with_loss(loss).unwrap();
                let Ok(found) = fit(&example.dense::<f64>(), &model, &settings) else { continue };
                let label = format!("{}, {}, {l1:?}, {l2:?}", loss.name(), solver.name);
                let zero = |m: &Matrix<f64>| m.as_slice().iter().all(|v| *v == 0.0);
                if zero(&found.codes) && zero(&found.components) {
                    let told =
                        |n: &partwise::Notice| n.code == "all-components-zero" && n.message.contains(name);
                    assert!(found.notices.iter().any(told), "{label}: {:?}", found.notices);
                    assert!(found.iterations <= 60, "{label}: {} iterations", found.iterations);
                }
            }
        }
    }
    let settings = Settings { l1: (1e6, 1e6), ..Settings::new(2) };
    let found = fit(&example.dense::<f64>(), &Model::nmf(), &settings).unwrap();
    assert!(
        found.codes.as_slice().iter().all(|v| *v == 0.0),
        "the largest of these penalties leaves nothing"
    );
    assert!(found.iterations < 5, "{} iterations", found.iterations);
    let plain = fit(&example.dense::<f64>(), &Model::nmf(), &Settings::new(2)).unwrap();
    assert!(!codes(&plain).contains(&"all-components-zero"));
}

#[test]
fn data_of_zeros_give_zeros_with_a_notice() {
    let example = example();
    for case in cases() {
        for solver in case.solvers() {
            for sparse in [false, true] {
                let mut example = case.example(&example);
                example.x = Matrix::zeros(example.n, example.d);
                let data: Box<dyn DataMatrix<f64>> =
                    if sparse { Box::new(example.sparse::<f64>()) } else { Box::new(example.dense::<f64>()) };
                let settings = Settings { solver: solver.choice, max_iterations: 5, ..Settings::new(2) };
                let label = format!("{case:?}, {}, sparse {sparse}", solver.name);
                let Some(found) = accepted(fit(data.as_ref(), &case.model(&example), &settings)) else {
                    continue;
                };
                let finite = |m: &Matrix<f64>| m.as_slice().iter().all(|v| v.is_finite());
                assert!(finite(&found.codes) && finite(&found.components), "{label}");
                assert!(found.objective.is_finite() && found.kkt.is_finite(), "{label}");
                assert!(codes(&found).contains(&"zero-rows"), "{label}: {:?}", found.notices);
            }
        }
    }
}
