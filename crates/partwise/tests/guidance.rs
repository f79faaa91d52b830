//! Promise: guidance of any kind is one model. The papers' models are special cases of it, the order of the
//! items changes no bit, names and order stay, and the cases that users met elsewhere come out right.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use common::facts::{Facts, Unit};
use common::{Example, for_examples, number};
use partwise::guidance::{Advice, Feature, Guidance, LabelRule, Seed, Strength, Topic};
use partwise::recipes::{Finding, Level, Plausibility, Verdict, fit_guided, sweep};
use partwise::{
    Acceleration, CodeReference, ComponentReference, DenseMatrix, Error, Fit, Labels, Loss, Matrix, Model,
    Settings, SolverChoice, fit,
};

fn named(labels: &[i32], names: &[&str]) -> Labels {
    let names: Vec<String> = names.iter().map(|n| n.to_string()).collect();
    Labels::with_names(labels, &names).unwrap()
}

fn guided(x: &DenseMatrix<'_, f64>, guidance: &Guidance, settings: &Settings) -> Fit<f64> {
    fit(x, &Model::guided(guidance.clone()), settings).unwrap()
}

/// Both to the end from one start: equal objectives.
fn same(example: &Example, guidance: &Guidance, model: &Model, loss: Loss) {
    let x = example.dense::<f64>();
    let settings = Settings {
        init: example.start(1),
        max_iterations: 30,
        tolerance: 0.0,
        threads: 1,
        // Guided models with the Kullback–Leibler loss would be accelerated, the published ones not.
        acceleration: Acceleration::Off,
        ..Settings::new(example.k)
    };
    let ours = fit(&x, &Model::guided(guidance.clone()).with_loss(loss).unwrap(), &settings).unwrap();
    let theirs = fit(&x, &model.clone().with_loss(loss).unwrap(), &settings).unwrap();
    let difference = (ours.objective - theirs.objective).abs() / (1.0 + theirs.objective.abs());
    assert!(difference < 1e-9, "{example:?}: {} is not {}", ours.objective, theirs.objective);
}

#[test]
fn the_papers_models_are_special_cases() {
    for_examples(12, |example| {
        let (n, d, k) = (example.n, example.d, example.k);
        let labels = example.labels();
        let topics: Vec<String> = (0..k).map(|c| c.to_string()).collect();
        let all = || Guidance::new(topics.iter().map(Topic::new));
        let with_labels =
            |rule, strength| all().with(Advice::Labels { labels: labels.clone(), rule, strength });

        let held = with_labels(LabelRule::SameCodes, Strength::HELD);
        same(example, &held, &Model::cnmf(labels.clone()), Loss::Frobenius);
        same(example, &held, &Model::cnmf(labels.clone()), Loss::KullbackLeibler);

        let relative = Facts { labels: Some(labels.clone()), strength: 1.5, ..Facts::default() };
        let firm = with_labels(LabelRule::Components, Strength::Relative(0.6));
        same(example, &firm, &relative.model("ws-nmf"), Loss::Frobenius);
        let raw = Facts { unit: Unit::Raw, ..relative };
        let published = with_labels(LabelRule::Components, Strength::Raw(1.5));
        same(example, &published, &raw.model("ws-nmf"), Loss::Frobenius);

        let shares = example.positive(n, k, 7);
        let profiles = example.positive(k, d, 8);
        let references = Facts {
            code_reference: Some(CodeReference { reference: shares.clone(), weight: vec![0.8; n] }),
            component_reference: Some(ComponentReference {
                reference: profiles.clone(),
                weight: vec![1.2; k],
            }),
            ..Facts::default()
        };
        let both = all()
            .with(Advice::Memberships { names: topics.clone(), shares, strength: Strength::Raw(0.8) })
            .with(Advice::References { names: topics.clone(), profiles, strength: Strength::Raw(1.2) });
        same(example, &both, &references.model("ws-nmf"), Loss::Frobenius);

        let graph = Advice::Graph { graph: example.graph(), strength: Strength::Raw(0.7) };
        same(example, &all().with(graph), &Model::gnmf(example.graph(), 0.7), Loss::Frobenius);
    });
}

/// SSNMF has a factor of its own for the labels, which a custom start of codes and components leaves to the
/// seed.
#[test]
fn labels_as_a_view_are_ssnmf() {
    for_examples(8, |example| {
        let x = example.dense::<f64>();
        let labels = example.labels();
        let settings = Settings {
            init: example.start(1),
            tolerance: 0.0,
            max_iterations: 20,
            ..Settings::new(example.k)
        };
        let facts = Facts { labels: Some(labels.clone()), label_weight: 2.25, ..Facts::default() };
        let theirs = fit(&x, &facts.model("ssnmf"), &settings).unwrap();
        let view = Advice::Labels { labels, rule: LabelRule::View, strength: Strength::Relative(0.6) };
        let ours = guided(&x, &Guidance::default().with(view), &settings);
        let difference = (ours.objective - theirs.objective).abs() / (1.0 + theirs.objective);
        assert!(difference < 1e-9, "{example:?}: {} is not {}", ours.objective, theirs.objective);
    });
}

#[test]
fn the_order_of_the_items_changes_no_bit() {
    let example = Example::new(30, 12, 4, 5);
    let x = example.dense::<f64>();
    let topics = || ["a", "b", "c"].map(|name| Topic::new(name).with_seeds([name.len(), 3]));
    let labels = |seed: u64| {
        let drawn: Vec<i32> =
            (0..30).map(|i| (number(seed, i) * 9.0) as i32).map(|c| if c < 3 { c } else { -1 }).collect();
        named(&drawn, &["a", "b", "c"])
    };
    let items = [
        Advice::labels(labels(1)).with_strength(Strength::Relative(0.7)),
        Advice::labels(labels(2)).with_strength(Strength::Relative(0.3)),
        Advice::Links { must: vec![(0, 5), (3, 9)], cannot: vec![(1, 2)], strength: Strength::FIRM },
        Advice::Graph { graph: example.graph(), strength: Strength::LIGHT },
        Advice::References {
            names: vec!["d".into()],
            profiles: example.positive(1, 12, 3),
            strength: Strength::FIRM,
        },
    ];
    let run = |order: &[usize]| {
        let guidance = order.iter().fold(Guidance::new(topics()), |g, at| g.with(items[*at].clone()));
        let fit = guided(&x, &guidance, &Settings { max_iterations: 15, ..Settings::new(4) });
        (fit.codes, fit.components, fit.component_names)
    };
    let first = run(&[0, 1, 2, 3, 4]);
    assert_eq!(first.2, ["a", "b", "c", "d"]);
    for order in [[4, 3, 2, 1, 0], [1, 0, 3, 4, 2], [2, 4, 0, 1, 3]] {
        assert!(run(&order) == first, "{order:?}");
    }
}

/// Topics of their own words each, documents of one topic or two; the words of topic t are 6t..6t+6.
struct Planted {
    x: Matrix<f64>,
    topic: Vec<usize>,
    words: Vec<String>,
}

const TOPICS: usize = 10;
const WORDS: usize = 6;

fn planted(n: usize, noise: f64, seed: u64) -> Planted {
    let topic: Vec<usize> = (0..n).map(|i| i % TOPICS).collect();
    let x = Matrix::from_fn(n, TOPICS * WORDS, |i, f| {
        let r = number(seed, i * 1000 + f);
        if f / WORDS == topic[i] {
            if r < 0.7 { 1.0 + r } else { 0.0 }
        } else if r < noise {
            1.0
        } else {
            0.0
        }
    });
    Planted { x, topic, words: (0..TOPICS * WORDS).map(|f| format!("word{f}")).collect() }
}

fn accuracy(fit: &Fit<f64>, topic: &[usize], judged: impl Fn(usize) -> bool) -> f64 {
    let norm: Vec<f64> = (0..fit.components.rows())
        .map(|j| fit.components.row(j).iter().map(|h| h * h).sum::<f64>().sqrt())
        .collect();
    let place = |i: usize| {
        let share = |j: &usize| fit.codes.get(i, *j) * norm[*j];
        (0..norm.len()).max_by(|a, b| share(a).total_cmp(&share(b))).unwrap()
    };
    let judged: Vec<usize> = (0..topic.len()).filter(|i| judged(*i)).collect();
    judged.iter().filter(|i| place(**i) == topic[**i]).count() as f64 / judged.len() as f64
}

fn names() -> Vec<String> {
    (0..TOPICS).map(|t| format!("topic {t}")).collect()
}

fn topics_without_seeds() -> Guidance {
    Guidance::new(names().into_iter().map(Topic::new))
}

/// Each kind of true advice helps, or does no harm; topics come out in the order and under the names that
/// were given.
#[test]
fn true_advice_recovers_what_was_planted() {
    let mut means = [0.0f64; 5];
    for seed in 0..5 {
        let planted = planted(200, 0.12, seed);
        let x = DenseMatrix::from_matrix(planted.x.clone()).unwrap();
        let settings = Settings { seed, ..Settings::new(TOPICS) };
        let label: Vec<i32> =
            (0..200).map(|i| if i < 2 * TOPICS { planted.topic[i] as i32 } else { -1 }).collect();
        let names = names();
        let labels = Advice::labels(Labels::with_names(&label, &names).unwrap());
        let seeds = Guidance::new(
            (0..TOPICS).map(|t| Topic::new(names[t].clone()).with_seeds([planted.words[WORDS * t].as_str()])),
        )
        .with_feature_names(planted.words.clone());
        let pairs = (0..60).map(|p| (2 * TOPICS + p, 2 * TOPICS + p + TOPICS));
        let links = Advice::Links { must: pairs.collect(), cannot: Vec::new(), strength: Strength::FIRM };
        let unlabelled = |i: usize| label[i] < 0;
        let score = |guidance: &Guidance| {
            let fit = guided(&x, guidance, &settings);
            assert_eq!(fit.component_names, names);
            accuracy(&fit, &planted.topic, unlabelled)
        };
        let plain = fit(&x, &Model::nmf(), &settings).unwrap();
        for (mean, value) in means.iter_mut().zip([
            accuracy(&plain, &planted.topic, unlabelled),
            score(&topics_without_seeds().with(labels.clone())),
            score(&seeds),
            score(&seeds.clone().with(labels.clone())),
            score(&seeds.clone().with(labels).with(links)),
        ]) {
            *mean += value / 5.0;
        }
    }
    let [plain, labels, seeds, both, all] = means;
    println!("plain {plain:.3}, labels {labels:.3}, seeds {seeds:.3}, both {both:.3}, with links {all:.3}");
    // Without advice the parts come in any order.
    assert!(plain < 0.5 && labels > 0.9 && seeds > 0.9, "{means:?}");
    assert!(both >= labels.max(seeds) - 0.02 && all >= both - 0.02, "{means:?}");
}

/// A small topic beside larger ones, with fewer components than there are topics: its seed holds it, whatever
/// would fit better; without, the fit leaves it for more of the data, and the report says so.
#[test]
fn a_small_topic_stays_at_its_seed() {
    // Topic 9 has 12 samples, the others 40.
    let topic: Vec<usize> = (0..372).map(|i| if i < 360 { i % 9 } else { 9 }).collect();
    for (seed, loss) in [(0, Loss::Frobenius), (1, Loss::Frobenius), (2, Loss::KullbackLeibler)] {
        let x = Matrix::from_fn(372, TOPICS * WORDS, |i, f| {
            let r = number(seed, i * 1000 + f);
            let here = f / WORDS == topic[i] && r < 0.7;
            if here || r < 0.01 { 1.0 + r } else { 0.0 }
        });
        let x = DenseMatrix::from_matrix(x).unwrap();
        let settings = Settings { seed, ..Settings::new(4) };
        let mut small = Topic::new("small").with_seeds([9 * WORDS, 9 * WORDS + 1]);
        let run = |topic: &Topic| {
            let guidance = Guidance::new([topic.clone()]);
            fit_guided(&x, &guidance, loss, &settings, &mut |_: &partwise::Iteration| {
                std::ops::ControlFlow::Continue(())
            })
            .unwrap()
        };
        let number = |f: &Finding, name: &str| f.numbers.iter().find(|(n, _)| *n == name).unwrap().1;
        let report = run(&small).report;
        assert_ne!(report.topics[0].level, Level::Weak, "{loss:?}, seed {seed}: {:?}", report.topics);
        for finding in &report.findings {
            assert_eq!(finding.verdict, Verdict::Followed, "{loss:?}, seed {seed}: {finding:?}");
            assert!(number(finding, "rank") <= 2.0 && number(finding, "kept") > 0.8, "{finding:?}");
        }

        small.strength = Strength::Relative(0.0);
        let report = run(&small).report;
        assert_ne!(report.topics[0].level, Level::Good, "{loss:?}, seed {seed}: {:?}", report.topics);
        for finding in &report.findings {
            assert_eq!(finding.verdict, Verdict::NotFollowed, "{loss:?}, seed {seed}: {finding:?}");
            assert!(number(finding, "kept") < 0.5 && finding.message.contains("moved away"), "{finding:?}");
        }
    }
}

/// Of 100 labels 10 are flipped: the report finds them.
#[test]
fn the_report_finds_wrong_labels() {
    let (mut found, mut flagged, mut wrong) = (0, 0, 0);
    for seed in 0..5u64 {
        let planted = planted(300, 0.1, 50 + seed);
        let x = DenseMatrix::from_matrix(planted.x.clone()).unwrap();
        let is_wrong = |i: usize| i < 100 && i % 10 == (i / 10 + seed as usize) % 10;
        let label: Vec<i32> = (0..300)
            .map(|i| match i {
                100.. => -1,
                _ => (planted.topic[i] + if is_wrong(i) { 3 } else { 0 }) as i32 % TOPICS as i32,
            })
            .collect();
        let labels = Labels::with_names(&label, &names()).unwrap();
        let guidance = topics_without_seeds().with(Advice::labels(labels));
        let done = fit_guided(
            &x,
            &guidance,
            Loss::Frobenius,
            &Settings::new(TOPICS),
            &mut |_: &partwise::Iteration| std::ops::ControlFlow::Continue(()),
        )
        .unwrap();
        assert_eq!(done.report.findings.len(), 100);
        for finding in &done.report.findings {
            let bad = is_wrong(finding.samples[0]);
            let said = finding.plausibility == Plausibility::Surprising;
            wrong += usize::from(bad);
            flagged += usize::from(said);
            found += usize::from(bad && said);
        }
    }
    let (precision, recall) = (found as f64 / flagged as f64, found as f64 / wrong as f64);
    println!("precision {precision:.3}, recall {recall:.3} of {wrong} wrong labels");
    // Precision was 0.83 and recall 1 when this was written: some noisy samples look like another topic by
    // themselves.
    assert!(precision >= 0.8 && recall >= 0.95, "precision {precision}, recall {recall}");
}

/// 700 documents of ten planted topics, 40 of them labelled, one class with one label; no free topics: every
/// row gets one of the ten, labelled rows keep theirs.
#[test]
fn closed_topics_take_every_row_and_keep_the_labelled_ones() {
    let planted = planted(700, 0.1, 3);
    let x = DenseMatrix::from_matrix(planted.x.clone()).unwrap();
    let mut label = vec![-1; 700];
    let mut given = 0;
    for i in 0..700 {
        let topic = planted.topic[i];
        let wanted = if topic == 9 { 1 } else { 5 };
        if given < 40 && label.iter().filter(|l| **l == topic as i32).count() < wanted && i < 50 {
            label[i] = topic as i32;
            given += 1;
        }
    }
    assert_eq!(given, 40);
    let labels = Labels::with_names(&label, &names()).unwrap();
    let guidance = topics_without_seeds().with(Advice::labels(labels).with_strength(Strength::HELD));
    let fit = guided(&x, &guidance, &Settings::new(TOPICS));
    assert_eq!(fit.component_names, names());
    for i in 0..700 {
        assert!(fit.codes.row(i).iter().any(|w| *w > 0.0), "row {i} got no topic");
    }
    assert_eq!(accuracy(&fit, &planted.topic, |i| label[i] >= 0), 1.0);
    assert!(accuracy(&fit, &planted.topic, |i| label[i] < 0) > 0.9);
}

#[test]
fn a_document_with_two_seeded_topics_gets_both() {
    let mut planted = planted(200, 0.05, 4);
    for f in 0..TOPICS * WORDS {
        planted.x.set(0, f, if f / WORDS == 2 || f / WORDS == 5 { 1.0 } else { 0.0 });
    }
    let x = DenseMatrix::from_matrix(planted.x).unwrap();
    let guidance =
        Guidance::new((0..TOPICS).map(|t| Topic::new(format!("topic {t}")).with_seeds([WORDS * t])));
    let fit = guided(&x, &guidance, &Settings::new(TOPICS));
    let norm = |j: usize| fit.components.row(j).iter().map(|h| h * h).sum::<f64>().sqrt();
    let shares: Vec<f64> = (0..TOPICS).map(|j| fit.codes.get(0, j) * norm(j)).collect();
    let sum: f64 = shares.iter().sum();
    assert!(shares[2] / sum > 0.35 && shares[5] / sum > 0.35, "{shares:?}");
}

/// By number, by name, twice: one rule, whatever is made of the seeds.
#[test]
fn a_seed_that_comes_again_counts_once_with_its_largest_weight() {
    let planted = planted(200, 0.1, 6);
    let x = DenseMatrix::from_matrix(planted.x.clone()).unwrap();
    let seed = |feature: Feature, weight: f64| Seed { feature, weight };
    let told = |seeds: Vec<Seed>| {
        Guidance::new([Topic { seeds, ..Topic::new("sea") }, Topic::new("sky").with_seeds([7usize])])
            .with_feature_names(planted.words.clone())
    };
    let name = |at: usize| Feature::Name(planted.words[at].clone());
    let once = told(vec![seed(name(0), 3.0), seed(Feature::Index(1), 1.0)]);
    let again = told(vec![
        seed(Feature::Index(0), 2.0),
        seed(Feature::Index(1), 0.5),
        seed(name(0), 3.0),
        seed(name(1), 1.0),
        seed(name(0), 0.1),
    ]);
    let (one, two) = (guided(&x, &once, &Settings::new(TOPICS)), guided(&x, &again, &Settings::new(TOPICS)));
    assert_eq!((one.codes, one.components), (two.codes, two.components));
}

#[test]
fn words_of_two_topics_unknown_words_and_forbidden_words() {
    let planted = planted(200, 0.1, 6);
    let x = DenseMatrix::from_matrix(planted.x.clone()).unwrap();
    let sea = Topic::new("sea").with_seeds(["word0", "word7", "nowhere"]);
    let sky = Topic::new("sky").with_seeds(["word7"]).without(["word3"]);
    let nothing = Topic::new("void").with_seeds(["neither", "nor"]);
    let guidance = Guidance::new([sea, sky, nothing]).with_feature_names(planted.words);
    let done =
        fit_guided(&x, &guidance, Loss::Frobenius, &Settings::new(12), &mut |_: &partwise::Iteration| {
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
    let fit = &done.fit;
    assert_eq!(&fit.component_names[..3], ["sea", "sky", "void"]);
    assert_eq!(fit.component_names[3], "part 4");
    let code = |code| fit.notices.iter().filter(|n| n.code == code).count();
    assert_eq!(code("unknown-feature"), 3, "{:?}", fit.notices);
    assert_eq!(code("seeds-without-match"), 1, "{:?}", fit.notices);
    assert_eq!(fit.components.get(1, 3), 0.0, "a forbidden word stays out");
    assert_eq!(done.report.count(Verdict::NoSupport), 3);
    // What seeds two topics is kept out of the others.
    let norm = |j: usize| (0..200).map(|i| fit.codes.get(i, j).powi(2)).sum::<f64>().sqrt();
    let used: Vec<f64> = (0..12).map(|j| fit.components.get(j, 7) * norm(j)).collect();
    assert!(used[0] + used[1] > 0.9 * used.iter().sum::<f64>(), "{used:?}");
}

#[test]
fn lists_that_are_empty_are_no_advice() {
    let example = Example::new(12, 8, 3, 2);
    let x = example.dense::<f64>();
    let settings = Settings {
        init: example.start(1),
        max_iterations: 5,
        first: Some(partwise::Slot::Codes),
        // Plain NMF is accelerated by default, guided fits are not.
        acceleration: partwise::Acceleration::Off,
        ..Settings::new(3)
    };
    let nothing = Guidance::new([Topic::new("a").with_seeds(Vec::<usize>::new())])
        .with(Advice::Links { must: vec![], cannot: vec![], strength: Strength::FIRM })
        .with(Advice::labels(Labels::from_integers(&[-1; 12]).unwrap()))
        .with(Advice::labels(named(&[0; 12], &["a"])).with_strength(Strength::Relative(0.0)));
    let plain = fit(&x, &Model::nmf(), &settings).unwrap();
    let ours = guided(&x, &nothing, &settings);
    assert_eq!((ours.codes, ours.components), (plain.codes, plain.components));
}

/// Samples (1, 3), (2, 2), (3, 1) in two clusters, with cannot-links (0, 2) and (1, 2).
#[test]
fn cannot_links_are_kept_and_contradictions_named() {
    let x = DenseMatrix::new(3, 2, vec![1.0, 3.0, 2.0, 2.0, 3.0, 1.0]).unwrap();
    let cannot = vec![(0, 2), (1, 2)];
    let links =
        |must, strength| Guidance::default().with(Advice::Links { must, cannot: cannot.clone(), strength });
    let mut silent = |_: &partwise::Iteration| std::ops::ControlFlow::Continue(());
    for seed in 0..100 {
        let settings = Settings { seed, ..Settings::new(2) };
        let done = fit_guided(
            &x,
            &links(vec![], Strength::HELD),
            Loss::Frobenius,
            &settings,
            &mut |_: &partwise::Iteration| std::ops::ControlFlow::Continue(()),
        )
        .unwrap();
        let place = |i: usize| usize::from(done.fit.codes.get(i, 1) > done.fit.codes.get(i, 0));
        assert!(place(0) != place(2) && place(1) != place(2), "seed {seed}: {:?}", done.fit.codes);
        assert_eq!(done.report.agreement(), 1.0, "seed {seed}: {:?}", done.report);
    }
    for strength in [Strength::HELD, Strength::FIRM] {
        let both = links(vec![(0, 2)], strength);
        let error = fit_guided(&x, &both, Loss::Frobenius, &Settings::new(2), &mut silent).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("samples 0 and 2") && message.contains("cannot-link"), "{message}");
    }
    let three = Guidance::default().with(Advice::Links {
        must: vec![],
        cannot: vec![(0, 1), (1, 2), (0, 2)],
        strength: Strength::HELD,
    });
    let error = fit_guided(&x, &three, Loss::Frobenius, &Settings::new(2), &mut silent).unwrap_err();
    assert!(matches!(&error, Error::Guidance(m) if m.contains("k = 2")), "{error}");
}

/// What is held does not move, with every solver.
#[test]
fn held_components_and_forbidden_entries_keep_every_bit() {
    let example = Example::new(24, 10, 3, 11);
    let x = example.dense::<f64>();
    let profile = example.positive(1, 10, 5);
    let guidance = Guidance::new([
        Topic::new("known"),
        Topic {
            seeds: vec![Seed { feature: Feature::Index(2), weight: 3.0 }],
            ..Topic::new("new").without([4])
        },
    ])
    .with(Advice::References {
        names: vec!["known".into()],
        profiles: profile.clone(),
        strength: Strength::HELD,
    });
    for solver in [SolverChoice::Hals, SolverChoice::Bpp, SolverChoice::Nesterov] {
        let settings = Settings { solver, max_iterations: 20, l1: (0.01, 0.02), ..Settings::new(3) };
        let fit = guided(&x, &guidance, &settings);
        assert_eq!(fit.components.row(0), profile.row(0), "{solver:?}");
        assert_eq!(fit.components.get(1, 4), 0.0, "{solver:?}");
    }
    let refused =
        fit(&x, &Model::guided(guidance.clone()), &Settings { solver: SolverChoice::Mu, ..Settings::new(3) });
    assert!(refused.unwrap_err().to_string().contains("solver hals"));
    let kl = Model::guided(guidance).with_loss(Loss::KullbackLeibler).unwrap();
    let fit = fit(&x, &kl, &Settings { max_iterations: 20, ..Settings::new(3) }).unwrap();
    assert_eq!(fit.components.row(0), profile.row(0));
    assert_eq!(fit.components.get(1, 4), 0.0);
}

#[test]
fn a_sweep_trades_fit_for_agreement() {
    let planted = planted(200, 0.3, 8);
    let x = DenseMatrix::from_matrix(planted.x.clone()).unwrap();
    // A quarter of the labels is wrong, so that following them costs.
    let label: Vec<i32> =
        (0..200).map(|i| ((planted.topic[i] + if i % 4 == 0 { 5 } else { 0 }) % TOPICS) as i32).collect();
    let labels = Labels::with_names(&label, &names()).unwrap();
    let guidance = topics_without_seeds().with(Advice::labels(labels));
    let points = sweep(&x, &guidance, Loss::Frobenius, &Settings::new(TOPICS), &[0.0, 0.05, 10.0]).unwrap();
    assert!(points[0].relative_error < points[2].relative_error, "{points:?}");
    assert!(points[2].agreement > 0.99 && points[0].agreement < points[2].agreement, "{points:?}");
}
