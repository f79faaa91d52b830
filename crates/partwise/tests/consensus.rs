//! Promise: a consensus of many restarts finds components that return and says which do not; it has the same
//! bits for any number of threads and after an interruption; named components keep their names; what can't be
//! done is an error that says why.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::number;
use partwise::guidance::Topic;
use partwise::recipes::{
    Consensus, ConsensusSettings, FinishedPieces, InMemory, RestartProgress, codes_for, consensus_at,
    fit_restarts, memory_of_consensus,
};
use partwise::{
    DataMatrix, DenseMatrix, Guidance, Loss, Matrix, Model, Real, Result, Settings, SparseMatrix, memory,
};

/// `k` planted components over `d` features, each on a run of its own that overlaps with the next, in `n`
/// samples; the last sample is 0.
fn planted(n: usize, d: usize, k: usize, noise: f64) -> (Matrix<f64>, Matrix<f64>) {
    let width = d / k;
    let parts = Matrix::from_fn(k, d, |c, j| {
        let inside = j >= c * width && j < (c + 1) * width + width / 4;
        if inside { 0.2 + number(1, c * d + j) } else { 0.0 }
    });
    let codes = Matrix::from_fn(n, k, |i, c| {
        let u = number(2, i * k + c);
        if i + 1 == n || u < 0.4 { 0.0 } else { 5.0 * u * u }
    });
    let x = Matrix::from_fn(n, d, |i, j| {
        let signal: f64 = (0..k).map(|c| codes.get(i, c) * parts.get(c, j)).sum();
        if i + 1 == n { 0.0 } else { signal + noise * number(3, i * d + j) }
    });
    (x, parts)
}

fn dense(x: &Matrix<f64>) -> DenseMatrix<'static, f64> {
    DenseMatrix::from_matrix(x.clone()).unwrap()
}

fn on(_: RestartProgress) -> ControlFlow<()> {
    Continue(())
}

fn at<T: Real>(
    data: &dyn DataMatrix<T>,
    model: &Model,
    settings: &Settings,
    k: usize,
) -> Result<Consensus<T>> {
    let (kept, asked) = (InMemory::default(), ConsensusSettings { ranks: vec![k], restarts: 8 });
    fit_restarts(data, model, settings, &asked, &kept, &on)?;
    Ok(consensus_at(data, model, settings, k, asked.restarts, &kept)?.expect("eight fits are enough"))
}

fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[test]
fn planted_components_return_and_are_found() {
    let (x, parts) = planted(60, 40, 4, 0.05);
    for loss in Loss::ALL.iter().copied() {
        let model = Model::nmf().with_loss(loss).unwrap();
        let found = at(&dense(&x), &model, &Settings::new(1), 4).unwrap();
        assert!(
            found.summary.stability > 0.95 && found.summary.least_share() > 0.8,
            "{loss:?}: {}",
            found.summary.explanation()
        );
        for c in 0..4 {
            let best = (0..4).map(|j| cosine(parts.row(c), found.components.row(j))).fold(0.0, f64::max);
            assert!(best > 0.98, "{loss:?}, component {c}: {best}");
        }
        assert!(found.summary.relative_error < 1.05 * found.summary.best_error + 1e-3, "{loss:?}");
        for j in 0..4 {
            let sum: f64 = found.components.row(j).iter().sum();
            assert!((sum - 1.0).abs() < 1e-12, "a component sums to 1");
        }
        // What components sum to 1 explain is in the unit of the data.
        let (codes, data): (f64, f64) = (found.codes.as_slice().iter().sum(), x.as_slice().iter().sum());
        assert!((codes / data - 1.0).abs() < 0.05, "{codes} of {data}");
        assert!(found.codes.row(59).iter().all(|w| *w == 0.0), "a zero row stays and has no codes");
        let sizes: Vec<f64> = found.summary.parts.iter().map(|part| part.size).collect();
        assert!(sizes.windows(2).all(|pair| pair[0] >= pair[1]), "the largest first: {sizes:?}");
    }
}

#[test]
fn the_consensus_fits_about_as_well_as_the_best_fit_even_where_components_do_not_return() {
    let (x, _) = planted(60, 40, 3, 0.4);
    for loss in Loss::ALL.iter().copied() {
        let model = Model::nmf().with_loss(loss).unwrap();
        let found = at(&dense(&x), &model, &Settings::new(1), 9).unwrap().summary;
        assert!(found.stability < 0.98, "{loss:?}: {}", found.explanation());
        let ratio = found.relative_error / found.best_error;
        assert!(ratio < 1.03, "{loss:?}: {ratio}");
    }
}

#[test]
fn components_beyond_the_planted_ones_do_not_return_and_the_report_says_what_they_become() {
    let (x, _) = planted(60, 40, 3, 0.4);
    let found = at(&dense(&x), &Model::nmf(), &Settings::new(1), 9).unwrap();
    assert!(
        found.summary.least_share() < 0.9 && found.summary.stability < 0.98,
        "{}",
        found.summary.explanation()
    );
    let weak = found.summary.parts.iter().min_by(|a, b| a.share.total_cmp(&b.share)).unwrap();
    assert!(
        found.summary.explanation().contains(&format!("\"{}\" appears in", weak.name)),
        "{}",
        found.summary.explanation()
    );
    let confusion = weak.confusion.expect("it lacks in some fits");
    assert!(
        confusion.share > 0.0
            && confusion.share <= 1.0
            && found.summary.parts[confusion.with].name != weak.name
    );
    for part in &found.summary.parts {
        assert!(part.distances.windows(2).all(|pair| pair[0] <= pair[1]), "{part:?}");
        assert!(part.outliers < found.summary.restarts / 2, "most fits are within median + 3 MAD: {part:?}");
    }
}

#[test]
fn threads_formats_and_interruptions_do_not_change_the_bits() {
    let (x, _) = planted(40, 30, 3, 0.3);
    let (data, model) = (dense(&x), Model::nmf());
    let asked = ConsensusSettings { ranks: vec![4, 2, 3], restarts: 5 };
    let at_all = |kept: &dyn FinishedPieces| -> Vec<Consensus<f64>> {
        let one = |k| consensus_at(&data, &model, &Settings::new(1), k, 5, kept).unwrap().unwrap();
        vec![one(2), one(3), one(4)]
    };
    let whole = InMemory::default();
    let settings = Settings { threads: 1, ..Settings::new(1) };
    assert_eq!(fit_restarts(&data, &model, &settings, &asked, &whole, &on).unwrap(), 15);
    let expected = at_all(&whole);
    for threads in [1, 3] {
        let settings = Settings { threads, ..Settings::new(1) };
        let (kept, calls) = (InMemory::default(), AtomicUsize::new(0));
        let mut runs = 0;
        loop {
            // Each run ends after some more iterations than the one before.
            let most = 40 * (runs + 1);
            calls.store(0, Ordering::Relaxed);
            let watch = |progress: RestartProgress| {
                assert!(progress.done <= progress.total && progress.found <= progress.done);
                assert!((0.0..=1.0).contains(&progress.work));
                if calls.fetch_add(1, Ordering::Relaxed) >= most { Break(()) } else { Continue(()) }
            };
            runs += 1;
            if fit_restarts(&data, &model, &settings, &asked, &kept, &watch).unwrap() == 15 {
                break;
            }
        }
        assert!(runs > 2, "it was interrupted: {runs} runs");
        for (found, expected) in at_all(&kept).iter().zip(&expected) {
            assert_eq!(found.components, expected.components);
            assert_eq!(found.codes, expected.codes);
            assert_eq!(found.summary, expected.summary);
        }
    }
    // A wider range goes on with what is there.
    let asked = ConsensusSettings { ranks: vec![2, 3, 4, 5], restarts: 5 };
    let seen = AtomicUsize::new(0);
    let watch = |progress: RestartProgress| {
        seen.store(progress.found, Ordering::Relaxed);
        Continue(())
    };
    assert_eq!(fit_restarts(&data, &model, &settings, &asked, &whole, &watch).unwrap(), 20);
    assert_eq!(seen.into_inner(), 15);
}

#[test]
fn sparse_and_single_data_have_the_same_consensus() {
    let (x, _) = planted(40, 30, 3, 0.0);
    let double = at(&dense(&x), &Model::nmf(), &Settings::new(1), 3).unwrap();
    let sparse: SparseMatrix<'static, f32> = common::sparse(&x);
    let single = at(&sparse, &Model::nmf(), &Settings::new(1), 3).unwrap();
    for j in 0..3 {
        let row: Vec<f64> = single.components.row(j).iter().map(|h| h.to_f64()).collect();
        assert!(cosine(&row, double.components.row(j)) > 0.999, "component {j}");
    }
}

#[test]
fn exact_codes_take_one_iteration_in_both_number_types() {
    let (x, parts) = planted(60, 40, 4, 0.3);
    let narrow: SparseMatrix<'static, f32> = common::sparse(&x);
    let settings = Settings::new(4);
    let double = codes_for(&dense(&x), &parts, Loss::Frobenius, &settings).unwrap();
    let single = codes_for(&narrow, &parts.cast::<f32>(), Loss::Frobenius, &settings).unwrap();
    assert_eq!((double.iterations, single.iterations), (1, 1));
    for i in 0..60 {
        let rest = |c: usize| -> f64 {
            let error = |j: usize| {
                (0..4).map(|l| double.codes.get(i, l) * parts.get(l, j)).sum::<f64>() - x.get(i, j)
            };
            (0..40).map(|j| error(j) * parts.get(c, j)).sum()
        };
        for c in 0..4 {
            let (code, slope) = (double.codes.get(i, c), rest(c));
            // The conditions of the minimum.
            assert!(slope > -1e-9 && (code == 0.0 || slope.abs() < 1e-9), "row {i}, component {c}");
            assert!((single.codes.get(i, c).to_f64() - code).abs() < 1e-3, "row {i}, component {c}");
        }
    }
}

#[test]
fn named_components_stay_named_and_come_first() {
    let (x, parts) = planted(60, 40, 4, 0.05);
    let seeds = |c: usize| 10 * c..10 * c + 4;
    let topic = |name: &str, c: usize| Topic::new(name).with_seeds(seeds(c));
    let guidance = Guidance::new([topic("third", 2), topic("first", 0)]);
    let found = at(&dense(&x), &Model::guided(guidance), &Settings::new(1), 4).unwrap();
    let names: Vec<&str> = found.summary.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["third", "first", "part 3", "part 4"]);
    assert!(found.summary.parts[0].named && !found.summary.parts[2].named);
    for (j, own) in [(0, 2), (1, 0)] {
        let near = |c: &usize| cosine(found.components.row(j), parts.row(*c));
        let nearest = (0..4).max_by(|a, b| near(a).total_cmp(&near(b))).unwrap();
        assert_eq!(nearest, own, "\"{}\" is the component of its seeds", names[j]);
    }
}

#[test]
fn starts_that_do_not_depend_on_the_seed_are_reported() {
    let (x, _) = planted(40, 30, 3, 0.0);
    let settings = Settings { init: partwise::Init::Nndsvda, ..Settings::new(1) };
    let found = at(&dense(&x), &Model::nmf(), &settings, 3).unwrap();
    assert!(
        found.summary.same_starts && found.summary.explanation().contains("says nothing about stability")
    );
}

#[test]
fn what_can_not_be_done_is_an_error_that_says_why() {
    let (x, _) = planted(12, 9, 3, 0.0);
    let fault = |data: &DenseMatrix<'_, f64>, model: &Model, ranks: &[usize], restarts: usize| {
        let asked = ConsensusSettings { ranks: ranks.to_vec(), restarts };
        let done = fit_restarts(data, model, &Settings::new(1), &asked, &InMemory::default(), &on);
        done.expect_err("it can't be done").to_string()
    };
    let (data, model) = (dense(&x), Model::nmf());
    let zero = dense(&Matrix::zeros(12, 9));
    let symmetric = Model::symnmf();
    for (message, parts) in [
        (fault(&data, &model, &[], 5), ["range of k", "empty"]),
        (fault(&data, &model, &[0, 2], 5), ["k is 0", "1 or more"]),
        (fault(&data, &model, &[2, 10], 5), ["k is 10", "at most 9, for 12 samples and 9 features"]),
        (fault(&data, &model, &[2], 0), ["restarts is 0", "2 or more"]),
        (fault(&data, &model, &[2], 1), ["restarts is 1", "2 or more"]),
        (fault(&zero, &model, &[2], 5), ["every entry is 0", "entries above 0"]),
        (fault(&data, &symmetric, &[2], 5), ["consensus of the method", "can't be refitted"]),
    ] {
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    }
    let kept = InMemory::default();
    assert!(consensus_at(&data, &model, &Settings::new(1), 2, 5, &kept).unwrap().is_none(), "nothing yet");
}

#[test]
fn memory_is_known_before_and_counts_the_data_once() {
    let (x, _) = planted(12, 9, 3, 0.0);
    let size = memory::DataSize::of(&dense(&x) as &dyn DataMatrix<f64>);
    let asked = ConsensusSettings { ranks: vec![2, 3], restarts: 50 };
    let of = |threads| {
        let settings = Settings { threads, ..Settings::new(1) };
        memory_of_consensus(size, &Model::nmf(), &settings, &asked)
    };
    let part = |estimate: &memory::Estimate, name: &str| {
        estimate.parts.iter().find(|(part, _)| *part == name).map(|(_, bytes)| *bytes).unwrap()
    };
    let (one, four) = (of(1), of(4));
    for shared in ["the sums of rows and columns", "the columns of the sparse data"] {
        assert_eq!(part(&one, shared), part(&four, shared));
    }
    assert_eq!(4.0 * part(&one, "the factors"), part(&four, "the factors"));
    let settings = Settings { memory_limit: Some(1000), ..Settings::new(1) };
    let kept = InMemory::default();
    let done = fit_restarts(&dense(&x), &Model::nmf(), &settings, &asked, &kept, &on);
    let message = done.expect_err("too little memory").to_string();
    assert!(message.contains("a consensus of 50 fits") && message.contains("fewer threads"), "{message}");
}
