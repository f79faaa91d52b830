//! The number of components: found where it was planted, the same in every unit and for every number of
//! threads, and refused in words where there is nothing to find.

use std::ops::ControlFlow;

use partwise::guidance::{Guidance, Topic};
use partwise::internals::{generator, uniform};
use partwise::recipes::{Holdout, InMemory, RankChoice, RankSettings, loss_for_rank, select_rank};
use partwise::{DataMatrix, DenseMatrix, Error, Labels, Loss, Result, Settings, SparseMatrix};

const SAMPLES: usize = 120;
const FEATURES: usize = 60;

/// Samples of sparse mixtures of `k` planted parts, times `level`.
fn planted(k: usize, level: f64, seed: u64) -> Vec<f64> {
    let mut random = generator(seed, 1);
    let mut exponential = || -uniform(&mut random).max(1e-12).ln();
    let parts: Vec<Vec<f64>> = (0..k)
        .map(|_| {
            let part: Vec<f64> = (0..FEATURES).map(|_| exponential().powi(3)).collect();
            let sum: f64 = part.iter().sum();
            part.iter().map(|x| x / sum * FEATURES as f64).collect()
        })
        .collect();
    let mut values = Vec::new();
    for _ in 0..SAMPLES {
        let codes: Vec<f64> = (0..k).map(|_| exponential().powi(2)).collect();
        let sum: f64 = codes.iter().sum();
        values.extend(
            (0..FEATURES)
                .map(|j| level * parts.iter().zip(&codes).map(|(part, c)| part[j] * c / sum).sum::<f64>()),
        );
    }
    values
}

/// Poisson counts with these means.
fn counts(means: &[f64], seed: u64) -> Vec<f64> {
    let mut random = generator(seed, 2);
    let mut poisson = |mean: f64| {
        let (mut count, mut product) = (0.0, uniform(&mut random));
        while product > (-mean).exp() {
            (count, product) = (count + 1.0, product * uniform(&mut random));
        }
        count
    };
    means.iter().map(|mean| poisson(*mean)).collect()
}

fn dense(values: Vec<f64>) -> DenseMatrix<'static, f64> {
    DenseMatrix::new(values.len() / FEATURES, FEATURES, values).expect("a matrix")
}

fn chosen(
    data: &dyn DataMatrix<f64>,
    loss: Loss,
    settings: &Settings,
    rank: &RankSettings,
) -> Result<RankChoice> {
    select_rank(data, None, loss, settings, rank, None, &mut |_| ControlFlow::Continue(()))
}

fn guided(data: &dyn DataMatrix<f64>, guidance: &Guidance, rank: &RankSettings) -> Result<RankChoice> {
    let loss = loss_for_rank(data);
    select_rank(data, Some(guidance), loss, &Settings::new(1), rank, None, &mut |_| ControlFlow::Continue(()))
}

fn quick() -> RankSettings {
    RankSettings { to: 10, splits: Some(5), restarts: Some(1), ..RankSettings::default() }
}

#[test]
fn planted_counts_are_found_by_thinning() {
    for k in [1, 3, 5] {
        let data = dense(counts(&planted(k, 6.0, k as u64), k as u64));
        assert_eq!(loss_for_rank(&data), Loss::KullbackLeibler);
        let found = chosen(&data, Loss::KullbackLeibler, &Settings::new(1), &quick()).expect("a choice");
        assert_eq!(found.holdout, Holdout::Thinning);
        assert_eq!(found.rank, k, "{found:?}");
        assert!(found.structure);
        assert!(found.confidence > 0.5, "{found:?}");
        assert!(found.table.windows(2).all(|pair| pair[0].rank < pair[1].rank));
    }
}

#[test]
fn planted_measurements_are_found_by_hidden_entries_and_by_blocks() {
    let mut random = generator(5, 3);
    let noisy: Vec<f64> =
        planted(4, 1.0, 4).into_iter().map(|x| x + 0.3 * (uniform(&mut random) - 0.5) * x.sqrt()).collect();
    let data = dense(noisy.into_iter().map(|x| x.max(0.0)).collect());
    assert_eq!(loss_for_rank(&data), Loss::Frobenius);
    for holdout in [Holdout::Auto, Holdout::Blocks] {
        let rank = RankSettings { holdout, ..quick() };
        let found = chosen(&data, Loss::Frobenius, &Settings::new(1), &rank).expect("a choice");
        assert_ne!(found.holdout, Holdout::Auto);
        assert_eq!(found.rank, 4, "{found:?}");
    }
}

#[test]
fn numbers_between_those_of_the_coarse_grid_are_found() {
    // Beyond 16 the grid has 24; with as many, or with 16, components do not return. Each of 20 parts has
    // three features of its own, each sample one part or two.
    let mut random = generator(7, 3);
    let mut values = vec![0.0; 600 * FEATURES];
    for i in 0..600 {
        for _ in 0..2 {
            let (part, much) = ((uniform(&mut random) * 20.0) as usize, 2.0 * uniform(&mut random));
            (0..3).for_each(|j| values[i * FEATURES + 3 * part + j] += much * (1.0 + j as f64) / 2.0);
        }
    }
    values.iter_mut().for_each(|x| *x += 0.1 * uniform(&mut random));
    let data = dense(values);
    for to in [24, 30] {
        let rank = RankSettings { to, splits: Some(4), restarts: Some(1), ..RankSettings::default() };
        let found = chosen(&data, Loss::Frobenius, &Settings::new(1), &rank).expect("a choice");
        assert_eq!(found.rank, 20, "{found:?}");
    }
}

#[test]
fn blocks_of_counts_may_hold_features_and_samples_that_no_other_block_has() {
    let mut values = counts(&planted(3, 6.0, 3), 3);
    // Feature 0 is counted in sample 0 alone, and sample 1 has nothing but feature 1.
    (0..SAMPLES).for_each(|i| values[i * FEATURES] = if i == 0 { 2.0 } else { 0.0 });
    (0..FEATURES).for_each(|j| values[FEATURES + j] = if j == 1 { 5.0 } else { 0.0 });
    let rank = RankSettings { holdout: Holdout::Blocks, ..quick() };
    let found = chosen(&dense(values), Loss::KullbackLeibler, &Settings::new(1), &rank).expect("a choice");
    assert_eq!((found.holdout, found.rank), (Holdout::Blocks, 3), "{found:?}");
}

#[test]
fn noise_alone_has_no_structure() {
    for seed in 1..5 {
        let data = dense(counts(&vec![4.0; SAMPLES * FEATURES], seed));
        let found = chosen(&data, Loss::KullbackLeibler, &Settings::new(1), &quick()).expect("a choice");
        assert_eq!((found.rank, found.structure), (1, false), "{found:?}");
        assert!(found.explanation().starts_with("No structure"), "{}", found.explanation());
    }
}

#[test]
fn the_answer_does_not_depend_on_unit_threads_storage_or_range() {
    let values = counts(&planted(3, 3.0, 9), 9);
    let data = dense(values.clone());
    let base = chosen(&data, Loss::KullbackLeibler, &Settings::new(1), &quick()).expect("a choice");
    for unit in [0.1, 7.0, 1e-12] {
        let scaled = dense(values.iter().map(|x| x * unit).collect());
        let found = chosen(&scaled, Loss::KullbackLeibler, &Settings::new(1), &quick()).expect("a choice");
        assert_eq!((found.rank, found.holdout), (base.rank, base.holdout), "unit {unit}");
    }
    for threads in [1, 2, 4] {
        let settings = Settings { threads, ..Settings::new(1) };
        let found = chosen(&data, Loss::KullbackLeibler, &settings, &quick()).expect("a choice");
        assert_eq!(found, base, "{threads} threads");
    }
    for (from, to) in [(2, 7), (1, 4), (3, 12), (1, 40)] {
        let range = RankSettings { from, to, ..quick() };
        let found = chosen(&data, Loss::KullbackLeibler, &Settings::new(1), &range).expect("a choice");
        assert_eq!(found.rank, base.rank, "from {from} to {to}");
    }
    let entry = |(at, x): (usize, &f64)| ((at / FEATURES) as u32, (at % FEATURES) as u32, *x);
    let stored = values.iter().enumerate().filter(|(_, x)| **x != 0.0).map(entry).collect();
    let (sparse, _) = SparseMatrix::from_triplets(SAMPLES, FEATURES, stored).expect("a matrix");
    let found = chosen(&sparse, Loss::KullbackLeibler, &Settings::new(1), &quick()).expect("a choice");
    assert_eq!(found.rank, base.rank);
}

/// Counts of words in `n` short texts of a few of three topics over the features, words by Zipf's law.
fn short_texts(n: usize, words: f64, seed: u64) -> Vec<f64> {
    let mut random = generator(seed, 4);
    let mut exponential = || -uniform(&mut random).max(1e-12).ln();
    let topics: Vec<Vec<f64>> = (0..3)
        .map(|_| {
            let topic: Vec<f64> = (1..=FEATURES).map(|rank| exponential().powi(4) / rank as f64).collect();
            let sum: f64 = topic.iter().sum();
            topic.iter().map(|x| x / sum).collect()
        })
        .collect();
    let mut means = Vec::new();
    for _ in 0..n {
        let codes: Vec<f64> = (0..3).map(|_| exponential().powi(4)).collect();
        let sum: f64 = codes.iter().sum();
        let of = |j: usize| topics.iter().zip(&codes).map(|(topic, c)| topic[j] * c / sum).sum::<f64>();
        means.extend((0..FEATURES).map(|j| words * of(j)));
    }
    counts(&means, seed)
}

#[test]
fn topics_of_short_texts_are_found_dense_or_sparse() {
    let values = short_texts(300, 8.0, 1);
    let data = dense(values.clone());
    assert!(data.summary().non_zeros * 4 < values.len(), "most of them are 0");
    let found = chosen(&data, Loss::KullbackLeibler, &Settings::new(1), &quick()).expect("a choice");
    assert_eq!((found.rank, found.k_prediction), (3, 3), "{found:?}");
    let entry = |(at, x): (usize, &f64)| ((at / FEATURES) as u32, (at % FEATURES) as u32, *x);
    let stored = values.iter().enumerate().filter(|(_, x)| **x != 0.0).map(entry).collect();
    let (sparse, _) = SparseMatrix::from_triplets(300, FEATURES, stored).expect("a matrix");
    let same = chosen(&sparse, Loss::KullbackLeibler, &Settings::new(1), &quick()).expect("a choice");
    assert_eq!(same, found);
}

#[test]
fn few_samples_have_more_splits_and_starts() {
    for (samples, splits, restarts) in [(39, 24, 6), (40, 8, 2)] {
        let values = counts(&planted(2, 6.0, 2)[..samples * FEATURES], 2);
        let rank = RankSettings { to: 3, ..RankSettings::default() };
        let found =
            chosen(&dense(values), Loss::KullbackLeibler, &Settings::new(1), &rank).expect("a choice");
        assert_eq!((found.splits, found.restarts), (splits, restarts), "{samples} samples");
        assert_eq!(found.rank, 2, "{samples} samples: {found:?}");
    }
}

#[test]
fn what_cannot_be_compared_is_refused_in_words() {
    let data = dense(counts(&planted(2, 3.0, 2), 2));
    let measured = dense(planted(2, 1.0, 2));
    let zeros = dense(vec![0.0; SAMPLES * FEATURES]);
    let two = DenseMatrix::new(2, FEATURES, vec![1.0; 2 * FEATURES]).expect("a matrix");
    let (plain, squared) = (Loss::KullbackLeibler, Loss::Frobenius);
    for (data, loss, rank, word) in [
        (&data, plain, RankSettings { from: 6, to: 5, ..quick() }, "from 1 to the greatest k, which is 5"),
        (&data, plain, RankSettings { from: 0, ..quick() }, "the least k"),
        (&data, plain, RankSettings { from: 70, to: 80, ..quick() }, "at most"),
        (&data, plain, RankSettings { splits: Some(1), ..quick() }, "2 or more"),
        (&data, plain, RankSettings { restarts: Some(0), ..quick() }, "1 or more"),
        (&data, plain, RankSettings { holdout: Holdout::Entries, ..quick() }, "squared loss"),
        (&measured, squared, RankSettings { holdout: Holdout::Thinning, ..quick() }, "not counts"),
        (&zeros, squared, quick(), "every entry is 0"),
        (&two, squared, quick(), "4 or more samples"),
    ] {
        let error = chosen(data, loss, &Settings::new(1), &rank).expect_err(word);
        assert!(matches!(error, Error::OutOfRange { .. } | Error::Incompatible { .. }), "{error}");
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn where_counts_return_nothing_the_loss_of_other_numbers_is_named() {
    // Figures with four limbs, each in one of four positions, and a body: whole numbers, but nothing random.
    let (limbs, pixels) = (4, 3);
    let mut values = Vec::new();
    for figure in 0..4usize.pow(limbs) {
        values.extend([2.0; 4]);
        for limb in 0..limbs {
            let position = figure / 4usize.pow(limb) % 4;
            values.extend((0..4 * pixels).map(|pixel| f64::from(u8::from(pixel / pixels == position))));
        }
    }
    let data = DenseMatrix::new(256, 4 + 16 * pixels, values).expect("a matrix");
    let rank = RankSettings { to: 5, ..quick() };
    let named = |loss| {
        let found = chosen(&data, loss, &Settings::new(1), &rank).expect("a choice");
        assert!(loss == Loss::Frobenius || (found.rank, found.k_prediction) == (1, 5), "{found:?}");
        found.explanation().contains("try the loss \"frobenius\"")
    };
    assert!(named(Loss::KullbackLeibler) && !named(Loss::Frobenius));
}

#[test]
fn a_search_that_is_stopped_answers_by_what_it_knows() {
    let data = dense(counts(&planted(3, 3.0, 9), 9));
    let mut calls = 0;
    let settings = Settings { threads: 1, ..Settings::new(1) };
    let found = select_rank(&data, None, Loss::KullbackLeibler, &settings, &quick(), None, &mut |progress| {
        assert!(progress.rank >= 1);
        calls += 1;
        if calls < 12 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
    .expect("a choice");
    // Five splits for each number.
    assert_eq!(found.table.iter().map(|row| row.rank).collect::<Vec<_>>(), [1, 2]);
    assert!(found.stopped && found.explanation().contains("stopped"), "{}", found.explanation());
    assert_eq!((found.rank, found.none_returns), (1, false), "what was not tested does not return");
}

#[test]
fn the_work_that_is_done_never_leaves_its_range_and_is_most_of_it_at_the_end() {
    let data = dense(counts(&planted(3, 3.0, 9), 9));
    let settings = Settings { threads: 1, ..Settings::new(1) };
    let mut works = Vec::new();
    select_rank(&data, None, Loss::KullbackLeibler, &settings, &quick(), None, &mut |progress| {
        works.push((progress.work, progress.replication));
        ControlFlow::Continue(())
    })
    .expect("a choice");
    assert_eq!(works[0], (0.0, false), "nothing is done at the start");
    assert!(works.iter().all(|(work, _)| (0.0..1.0).contains(work)), "{works:?}");
    let scanned = works.iter().filter(|(_, replication)| !replication);
    assert!(scanned.clone().count() > 10 && scanned.clone().all(|(work, _)| *work < 0.95), "{works:?}");
    let last = works[works.len() - 1];
    assert!(last.0 > 0.9 && last.1, "{works:?}");
}

#[test]
fn noise_above_one_component_is_no_structure_and_the_answer_is_one_that_was_tried() {
    for (from, seed) in [(2, 1), (4, 2)] {
        let data = dense(counts(&vec![4.0; SAMPLES * FEATURES], seed));
        let rank = RankSettings { from, to: 8, ..quick() };
        let found = chosen(&data, Loss::KullbackLeibler, &Settings::new(1), &rank).expect("a choice");
        assert!(!found.structure, "{found:?}");
        assert!(found.table.iter().any(|row| row.rank == found.rank), "{found:?}");
    }
}

#[test]
fn data_without_noise_do_not_ask_for_more_than_they_are_made_of() {
    let data = dense(planted(4, 1.0, 11));
    let found = chosen(&data, Loss::Frobenius, &Settings::new(1), &quick()).expect("a choice");
    assert_eq!(found.rank, 4, "{found:?}");
    for unit in [1e200, 1e-200] {
        let scaled = dense(planted(4, 1.0, 11).into_iter().map(|x| x * unit).collect());
        let found = chosen(&scaled, Loss::Frobenius, &Settings::new(1), &quick()).expect("a choice");
        assert_eq!(found.rank, 4, "{unit}: {found:?}");
    }
}

/// Counts of 4 parts over blocks of features; sample i is mostly of part i % 4.
fn blocks() -> DenseMatrix<'static, f64> {
    let means: Vec<f64> = (0..SAMPLES * FEATURES)
        .map(|at| {
            let (i, j) = (at / FEATURES, at % FEATURES);
            let own = j / (FEATURES / 4) == i % 4;
            (if own { 6.0 } else { 0.4 }) * (1.0 + 0.5 * ((j * 7 + 3) % 5) as f64)
        })
        .collect();
    dense(counts(&means, 21))
}

/// Labels of six samples of each of the first `classes` parts.
fn labels(classes: usize, each: usize) -> Labels {
    let of = |i: usize| if i % 4 < classes && i / 4 < each { (i % 4) as i32 } else { -1 };
    Labels::from_integers(&(0..SAMPLES).map(of).collect::<Vec<_>>()).expect("labels")
}

#[test]
fn only_free_components_are_counted_beside_named_ones() {
    let data = blocks();
    let found = guided(&data, &labels(2, 6).into(), &quick()).expect("a choice");
    assert_eq!(found.rank, 4, "{found:?}");
    let of = found.guided.clone().expect("guidance");
    assert_eq!((of.named, of.labels, of.hidden_labels), (2, 12, 2));
    assert!(found.table.iter().all(|row| row.rank >= 2), "{found:?}");
    let row = found.table.iter().find(|row| row.rank == 4).and_then(|row| row.guided).expect("a row");
    assert!(row.agreement.is_some_and(|share| share > 0.7) && row.drift < 0.5, "{row:?}");
    assert!(found.explanation().contains("2 named, 2 free"), "{}", found.explanation());
    // A topic that is named by words takes part, too. Nothing is promised here about the answer.
    let seeded = Guidance::new([Topic::new("first").with_seeds([0, 1, 2])]);
    let found = guided(&data, &seeded, &RankSettings { to: 3, ..quick() }).expect("a choice");
    assert_eq!(found.guided.as_ref().map(|of| (of.named, of.labels, of.hidden_labels)), Some((1, 0, 0)));
}

#[test]
fn a_topic_of_two_parts_wants_to_be_two() {
    let data = blocks();
    let of = |i: usize| match i % 4 {
        0 | 1 => 0,
        other => other as i32 - 1,
    };
    let labels = Labels::from_integers(&(0..SAMPLES).map(of).collect::<Vec<_>>()).expect("labels");
    let rank = RankSettings { to: 3, ..quick() };
    let found = guided(&data, &labels.into(), &rank).expect("a choice");
    assert_eq!(found.guided.clone().and_then(|of| of.topic_in_two).as_deref(), Some("0"), "{found:?}");
    assert!(found.explanation().contains("wants to be two"), "{}", found.explanation());
}

#[test]
fn labels_of_which_none_can_be_hidden_and_ranges_below_the_named_ones_are_reported() {
    let data = blocks();
    let found = guided(&data, &labels(2, 1).into(), &quick()).expect("a choice");
    assert!(found.table.iter().all(|row| row.guided.is_none_or(|row| row.agreement.is_none())));
    assert!(found.explanation().contains("no label could be hidden"), "{}", found.explanation());
    let error = guided(&data, &labels(3, 4).into(), &RankSettings { to: 2, ..quick() }).expect_err("3 names");
    assert!(error.to_string().contains("the guidance names so many"), "{error}");
}

#[test]
fn a_search_that_goes_on_from_what_was_kept_gives_the_same_bits() {
    let data = dense(counts(&planted(3, 3.0, 9), 9));
    let (settings, loss) = (Settings::new(1), Loss::KullbackLeibler);
    let whole = chosen(&data, loss, &settings, &quick()).expect("a choice");
    for stop_after in [1, 7, 20, 40] {
        let (kept, mut calls) = (InMemory::default(), 0);
        let mut stopping = |_| {
            calls += 1;
            if calls < stop_after { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        select_rank(&data, None, loss, &settings, &quick(), Some(&kept), &mut stopping).expect("a choice");
        let go_on = &mut |_| ControlFlow::Continue(());
        let found =
            select_rank(&data, None, loss, &settings, &quick(), Some(&kept), go_on).expect("a choice");
        assert_eq!(found, whole, "stopped after {stop_after}");
    }
}

#[test]
fn values_with_few_decimals_are_no_counts() {
    let rounded = |by: f64| dense(planted(2, 3.0, 2).into_iter().map(|x| (x * by).round() / by).collect());
    assert_eq!(loss_for_rank(&rounded(1000.0)), Loss::Frobenius);
    assert_eq!(loss_for_rank(&rounded(1.0)), Loss::KullbackLeibler);
}
