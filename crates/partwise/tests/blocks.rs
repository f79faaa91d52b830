//! Promise: a fit of data in row blocks is the fit of the same data in memory, and has the same bits wherever
//! the blocks lie. What does not support blocks is refused by name.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use common::blocks::Slices;
use common::{Example, accepted, cases, number};
use partwise::{
    DataMatrix, Error, Fit, Init, Iteration, Loss, Model, Settings, SolverChoice, fit, fit_observed, methods,
};

fn bits(fit: &Fit<f64>) -> Vec<u64> {
    let history = fit.history.iter().flat_map(|i| [i.objective, i.kkt.unwrap_or(-1.0)]);
    let numbers = [fit.objective, fit.kkt, fit.relative_error];
    factor_bits(fit).into_iter().chain(numbers.into_iter().chain(history).map(f64::to_bits)).collect()
}

fn factor_bits(fit: &Fit<f64>) -> Vec<u64> {
    let further = fit.further.iter().flat_map(|(_, factor)| factor.as_slice());
    let factors = fit.codes.as_slice().iter().chain(fit.components.as_slice()).chain(further);
    factors.map(|x| x.to_bits()).collect()
}

fn borders(n: usize) -> Vec<usize> {
    vec![0, 1, n / 3, n / 2, n / 2 + 2, n - 1, n]
}

#[test]
fn every_method_gives_the_same_from_blocks_as_from_memory_and_the_same_bits_wherever_they_lie() {
    let (mut fits, mut refused) = (0, Vec::new());
    for case in cases() {
        let example = case.example(&Example::new(24, 9, 3, 5));
        let n = example.x.rows();
        for sparse in [false, true] {
            let (dense, stored) = (example.dense::<f64>(), example.sparse::<f64>());
            let whole: &dyn DataMatrix<f64> = if sparse { &stored } else { &dense };
            for solver in case.solvers() {
                let model = case.model(&example);
                let at = |data: &dyn DataMatrix<f64>, threads| {
                    let settings = Settings {
                        solver: solver.choice,
                        tolerance: 0.0,
                        max_iterations: 5,
                        threads,
                        ..Settings::new(example.k)
                    };
                    fit(data, &model, &settings)
                };
                let Some(memory) = accepted(at(whole, 1)) else { continue };
                let what = format!("{case:?}, {}, sparse: {sparse}", solver.name);
                let blocks = |kept, threads| {
                    let (data, _) = Slices::new(&example.x, sparse, &borders(n)).data(kept);
                    at(&data, threads)
                };
                let read = match blocks(0, 1) {
                    Ok(read) => read,
                    // Coordinate steps need all of the data.
                    Err(Error::Incompatible { asked, .. })
                        if solver.choice == SolverChoice::Newton && asked.contains("in row blocks") =>
                    {
                        continue;
                    }
                    // Marks of known entries, which some cases have.
                    Err(Error::Incompatible { asked, .. }) if asked.contains("entries") => continue,
                    Err(Error::Incompatible { valid, .. }) => {
                        assert!(!model.spec().in_blocks, "{what} is listed as running in blocks");
                        assert!(valid.len() > 5, "{what}: the list of what is valid");
                        refused.push(model.spec().name);
                        continue;
                    }
                    Err(error) => panic!("{what}: {error}"),
                };
                let difference = (read.objective - memory.objective).abs();
                assert!(difference <= 1e-10 * memory.objective.abs().max(1e-300), "{what}: {difference:e}");
                for (kept, threads) in [(99, 1), (3, 2)] {
                    let other = blocks(kept, threads).unwrap();
                    assert!(bits(&other) == bits(&read), "{what}: {kept} blocks kept, {threads} threads");
                }
                // In one block everything is added as in memory.
                let (one, _) = Slices::new(&example.x, sparse, &[0, n]).data(0);
                assert!(factor_bits(&at(&one, 1).unwrap()) == factor_bits(&memory), "{what}: one block");
                fits += 1;
            }
        }
    }
    assert!(fits > 40, "{fits} fits");
    refused.dedup();
    let listed: Vec<_> = methods::ALL.iter().filter(|spec| !spec.in_blocks).map(|spec| spec.name).collect();
    assert!(listed.iter().all(|name| refused.contains(name)), "{refused:?} of {listed:?}");
}

/// Larger: blocks of several chunks, an accelerated fit with extrapolation that is taken back at times.
#[test]
fn an_accelerated_fit_reads_each_block_once_an_iteration() {
    let (n, d) = (900, 60);
    let x = partwise::Matrix::from_fn(n, d, |i, j| {
        let r = number(7, i * d + j);
        if r < 0.8 { 0.0 } else { r }
    });
    let borders = [0, 256, 512, 700, 900];
    for sparse in [false, true] {
        let settings =
            |iterations| Settings { tolerance: 0.0, max_iterations: iterations, ..Settings::new(4) };
        let whole = common::sparse::<f64>(&x);
        let memory = fit(&whole, &Model::nmf(), &settings(60)).unwrap();
        let reads = |iterations| {
            let (data, source) = Slices::new(&x, sparse, &borders).data::<f64>(1);
            let found = fit(&data, &Model::nmf(), &settings(iterations)).unwrap();
            let difference = (found.objective - memory.objective).abs();
            assert!(iterations < 60 || difference <= 1e-10 * memory.objective, "{difference:e}");
            source.reads.load(Ordering::Relaxed)
        };
        // One block stays in memory, three are read; an update that is taken back repeats its pass.
        let (short, long) = (reads(20), reads(60));
        let passes = (long - short) as f64 / 3.0 / 40.0;
        assert!((1.0..1.3).contains(&passes), "{passes} passes an iteration");
    }
}

/// Blocks that stay store their columns and gather from them, others scatter from their rows.
#[test]
fn the_bits_do_not_depend_on_what_stays_in_memory_for_any_width_of_the_kernels() {
    let (n, d) = (300, 50);
    let x = partwise::Matrix::from_fn(n, d, |i, j| {
        let r = number(9, i * d + j);
        if r < 0.7 { 0.0 } else { r }
    });
    for rank in [1, 4, 10, 20, 33, 64, 70] {
        let settings =
            |threads| Settings { tolerance: 0.0, max_iterations: 4, threads, ..Settings::new(rank) };
        let at = |kept, threads| {
            let (data, _) = Slices::new(&x, true, &[0, 90, 200, 300]).data::<f64>(kept);
            fit(&data, &Model::nmf(), &settings(threads)).unwrap()
        };
        let read = bits(&at(0, 2));
        assert!(read == bits(&at(99, 1)) && read == bits(&at(1, 3)), "rank {rank}");
    }
}

#[test]
fn a_block_that_can_not_be_read_ends_the_fit_with_its_error_whenever_that_happens() {
    let example = Example::new(24, 9, 3, 5);
    let settings = Settings { tolerance: 0.0, max_iterations: 5, threads: 2, ..Settings::new(3) };
    for loss in [Loss::Frobenius, Loss::KullbackLeibler] {
        let model = Model::nmf().with_loss(loss).unwrap();
        let mut failed = 0;
        for fails_at in [0, 3, 8, 20, 40, 10_000] {
            let slices = Slices { fails_at: Some(fails_at), ..Slices::new(&example.x, true, &borders(24)) };
            match fit(&slices.data::<f64>(1).0, &model, &settings) {
                Err(Error::Unreadable(message)) => {
                    assert!(message.contains("can't be read"), "{message}");
                    failed += 1;
                }
                other => assert!(other.is_ok() && fails_at > 40, "{fails_at}: {other:?}"),
            }
        }
        assert_eq!(failed, 5);
    }
}

#[test]
fn an_observer_stops_a_fit_in_blocks() {
    let example = Example::new(24, 9, 3, 5);
    let (data, _) = Slices::new(&example.x, false, &borders(24)).data::<f64>(0);
    let mut stop = |iteration: &Iteration| match iteration.number {
        3 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let settings = Settings { tolerance: 0.0, init: Init::Nndsvd, ..Settings::new(3) };
    let stopped = fit_observed(&data, &Model::nmf(), &settings, &mut stop).unwrap();
    assert_eq!(stopped.iterations, 3);
}
