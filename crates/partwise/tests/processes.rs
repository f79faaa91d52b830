//! Promise: several processes that share the row blocks of a matrix fit it as one does, with the same bits
//! where their shares are aligned; none waits for one that has failed.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use common::blocks::Slices;
use common::processes::{Threads, together};
use common::{Example, accepted, cases};
use partwise::blocks::{BlockedMatrix, RowBlocks, Transport};
use partwise::{DataMatrix, Error, Fit, Model, Real, Result, Settings, SolverChoice, fit};

fn bits<T: Real>(fit: &Fit<T>) -> Vec<u64> {
    let further = fit.further.iter().flat_map(|(_, factor)| factor.as_slice());
    let factors = fit.codes.as_slice().iter().chain(fit.components.as_slice()).chain(further);
    let history = fit.history.iter().flat_map(|i| [i.objective, i.kkt.unwrap_or(-1.0)]);
    let numbers = [fit.objective, fit.kkt, fit.relative_error].into_iter().chain(history);
    factors.map(|x| x.to_f64()).chain(numbers).map(f64::to_bits).collect()
}

/// As data that this process shares with others.
fn shared<T: Real>(slices: Slices, kept: usize, transport: Arc<Threads>) -> BlockedMatrix<T> {
    let source: Arc<dyn RowBlocks<T>> = Arc::new(slices);
    BlockedMatrix::shared(source, kept, transport).unwrap()
}

/// Eight blocks of different sizes.
fn borders(n: usize) -> Vec<usize> {
    (0..=8).map(|b| if b == 1 { 1 } else { b * n / 8 }).collect()
}

/// The fits of one case in one process and in several.
fn check<T: Real>(example: &Example, what: &str, run: impl Fn(&dyn DataMatrix<T>) -> Result<Fit<T>> + Sync) {
    let n = example.x.rows();
    let (alone, _) = Slices::new(&example.x, true, &borders(n)).data::<T>(0);
    let Some(alone) = accepted(run(&alone)) else { return };
    for size in [1, 2, 3, 4, 8] {
        let fits = together(size, None, |transport| {
            let kept = size % 3;
            run(&shared::<T>(Slices::new(&example.x, true, &borders(n)), kept, transport)).unwrap()
        });
        let what = format!("{what}, {} processes", size);
        assert!(fits.iter().all(|fit| bits(fit) == bits(&fits[0])), "{what}: they differ");
        let difference = (fits[0].objective - alone.objective).abs() / alone.objective.abs().max(1e-300);
        let allowed = if T::NAME == "f64" { 1e-10 } else { 1e-5 };
        assert!(difference <= allowed, "{what}: {difference:e}");
        assert!(size == 3 || bits(&fits[0]) == bits(&alone), "{what}: other bits than one");
    }
}

#[test]
fn every_method_that_runs_in_blocks_gives_the_same_in_any_number_of_processes() {
    let mut checked = 0;
    for case in cases() {
        let example = case.example(&Example::new(24, 9, 3, 5));
        for solver in case.solvers().into_iter().filter(|solver| solver.choice != SolverChoice::Newton) {
            let model = case.model(&example);
            if !model.spec().in_blocks {
                continue;
            }
            let settings = Settings {
                solver: solver.choice,
                tolerance: 0.0,
                max_iterations: 5,
                threads: 1,
                ..Settings::new(example.k)
            };
            let what = format!("{case:?}, {}", solver.name);
            check::<f64>(&example, &what, |data| fit(data, &model, &settings));
            check::<f32>(&example, &what, |data| fit(data, &model, &settings));
            checked += 1;
        }
    }
    assert!(checked > 40, "{checked}");
}

#[test]
fn a_process_that_fails_at_any_message_is_an_error_in_every_process() {
    let example = Example::new(24, 9, 3, 5);
    let settings = Settings { tolerance: 0.0, max_iterations: 5, threads: 1, ..Settings::new(3) };
    let run = |transport| {
        let data = shared::<f64>(Slices::new(&example.x, true, &borders(24)), 0, transport);
        fit(&data, &Model::nmf(), &settings).map(|fit| fit.objective)
    };
    for size in [2, 3, 4] {
        for process in 0..size {
            let messages = |transport: Arc<Threads>| {
                run(Arc::clone(&transport)).unwrap();
                transport.messages.load(Ordering::Relaxed)
            };
            let count = together(size, None, messages)[process];
            for message in [0, count / 3, count / 2, count - 1] {
                let found = together(size, Some((process, message)), run);
                for (rank, found) in found.iter().enumerate() {
                    // The last message of all may reach one that has ended well by then.
                    match found {
                        Err(Error::Unreadable(why)) => {
                            assert!(why.contains(&format!("process {process} of the test")), "{why}");
                        }
                        other => assert!(message == count - 1 && rank != process, "{rank}: {other:?}"),
                    }
                }
            }
        }
    }
}

#[test]
fn a_block_that_one_process_can_not_read_is_an_error_in_every_process() {
    let example = Example::new(24, 9, 3, 5);
    let settings = Settings { tolerance: 0.0, max_iterations: 9, threads: 1, ..Settings::new(3) };
    for fails_at in [0, 5, 12] {
        let found = together(4, None, |transport| {
            let slices = Slices::new(&example.x, true, &borders(24));
            let fails_at = (transport.rank() == 2).then_some(fails_at);
            let data = shared::<f64>(Slices { fails_at, ..slices }, 0, transport);
            fit(&data, &Model::nmf(), &settings).map(|_| ())
        });
        for found in found {
            let Err(Error::Unreadable(why)) = found else { panic!("{found:?}") };
            assert!(why.contains("of the test can't be read"), "{why}");
        }
    }
}
