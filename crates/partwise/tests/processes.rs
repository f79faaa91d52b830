//! Promise: several processes that share the row blocks of a matrix fit it as one does, with the same bits
//! where their shares are aligned; none waits for one that has failed.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use common::blocks::Slices;
use common::processes::{Threads, together};
use common::{Example, accepted, cases};
use partwise::blocks::{BlockedMatrix, Checkpoints, RowBlocks, Transport};
use partwise::{
    Acceleration, DataMatrix, Error, Fit, Iteration, Model, Observer, Real, Result, Settings, SolverChoice,
    StopReason, fit, fit_observed,
};

/// Keeps the state of each iteration in memory.
#[derive(Default)]
struct Kept {
    saved: Vec<(usize, Vec<u8>)>,
    from: Option<Vec<u8>>,
}

impl Observer for Kept {
    fn on_iteration(&mut self, _: &Iteration) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn checkpoints(&mut self) -> Option<&mut dyn Checkpoints> {
        Some(self)
    }
}

impl Checkpoints for Kept {
    fn resume(&mut self) -> Option<Box<dyn Read>> {
        self.from.take().map(|bytes| Box::new(io::Cursor::new(bytes)) as Box<dyn Read>)
    }

    fn is_due(&mut self) -> bool {
        true
    }

    fn save(&mut self, iteration: usize, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let mut bytes = Vec::new();
        write(&mut bytes).unwrap();
        self.saved.push((iteration, bytes));
    }
}

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
        for solver in case.solvers().filter(|solver| solver.choice != SolverChoice::Newton) {
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

/// What all processes sent between two numbers of iterations.
fn bytes_of_iterations<T: Real>(
    size: usize,
    model: &Model,
    settings: &Settings,
    counts: [usize; 2],
) -> usize {
    let example = Example::new(48, 30, 4, 5);
    let sent = counts.map(|max_iterations| {
        let settings = Settings { max_iterations, ..settings.clone() };
        let sent = together(size, None, |transport| {
            let slices = Slices::new(&example.x, true, &borders(48));
            let fitted = fit(&shared::<T>(slices, 0, Arc::clone(&transport)), model, &settings).unwrap();
            assert_eq!(fitted.iterations, max_iterations);
            transport.sent.load(Ordering::Relaxed)
        });
        sent.iter().sum::<usize>()
    });
    sent[1] - sent[0]
}

#[test]
fn the_bytes_of_an_iteration_follow_the_formula_and_do_not_grow_with_the_samples() {
    let (d, k) = (30, 4);
    let settings = Settings {
        tolerance: 0.0,
        threads: 1,
        acceleration: Acceleration::Off,
        solver: SolverChoice::Hals,
        ..Settings::new(k)
    };
    for size in [2, 3, 4, 8] {
        // XᵀW in the number type, WᵀW and the gradient's square and value in f64; the time and the checks.
        let expected =
            |number: usize| 10 * (2 * (size - 1) * (d * k * number + k * k * 8 + 2 * 8) + (size - 1) * 3 * 8);
        let found = [
            bytes_of_iterations::<f64>(size, &Model::nmf(), &settings, [5, 15]),
            bytes_of_iterations::<f32>(size, &Model::nmf(), &settings, [5, 15]),
        ];
        assert_eq!(found, [expected(8), expected(4)], "{size} processes");
    }
}

#[test]
fn a_checkpoint_of_several_processes_is_that_of_one_and_any_number_goes_on_from_it() {
    let example = Example::new(24, 9, 3, 5);
    let n = example.x.rows();
    for solver in [SolverChoice::Hals, SolverChoice::Nesterov, SolverChoice::Mu] {
        for acceleration in [Acceleration::Auto, Acceleration::Off] {
            let settings = Settings {
                solver,
                acceleration,
                tolerance: 0.0,
                max_iterations: 9,
                threads: 1,
                ..Settings::new(3)
            };
            let run = |data: &dyn DataMatrix<f64>, from: Option<Vec<u8>>| {
                let mut kept = Kept { from, ..Kept::default() };
                let fit = fit_observed(data, &Model::nmf(), &settings, &mut kept).unwrap();
                (bits(&fit), kept.saved)
            };
            let alone = |from| run(&Slices::new(&example.x, true, &borders(n)).data::<f64>(0).0, from);
            let (whole, saved) = alone(None);
            let several = |size: usize, from: Option<Vec<u8>>| {
                together(size, None, |transport| {
                    let from = from.clone().filter(|_| transport.rank() == 0);
                    run(&shared::<f64>(Slices::new(&example.x, true, &borders(n)), 0, transport), from)
                })
            };
            let (_, middle) = &saved[4];
            for size in [2, 4] {
                let mut found = several(size, None);
                let (_, saved_by_several) = &found[0];
                assert!(found.iter().all(|(fit, _)| *fit == whole), "{solver:?}, {size} processes");
                assert_eq!(saved_by_several.len(), saved.len());
                let from = saved_by_several[4].1.clone();
                found.remove(0);
                assert!(found.iter().all(|(_, saved)| saved.is_empty()), "only process 0 saves");
                for from in [&from, middle] {
                    assert!(alone(Some(from.clone())).0 == whole, "{solver:?}, one goes on");
                    let all = several(size, Some(from.clone()));
                    assert!(all.iter().all(|(fit, _)| *fit == whole), "{solver:?}, {size} go on");
                }
            }
        }
    }
}

#[test]
fn process_0_decides_when_all_stop() {
    let example = Example::new(24, 9, 3, 5);
    let settings = Settings { tolerance: 0.0, threads: 1, ..Settings::new(3) };
    let stopped = together(3, None, |transport| {
        let first = transport.rank() == 0;
        let mut stop = |iteration: &Iteration| {
            assert!(first, "only process 0 is asked");
            if iteration.number == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let data = shared::<f64>(Slices::new(&example.x, true, &borders(24)), 0, transport);
        fit_observed(&data, &Model::nmf(), &settings, &mut stop).unwrap().iterations
    });
    assert_eq!(stopped, [4, 4, 4]);
    let limited = together(3, None, |transport| {
        let time_limit = Some(Duration::from_millis(30));
        let settings = Settings { time_limit, max_iterations: usize::MAX, ..settings.clone() };
        let data = shared::<f64>(Slices::new(&example.x, true, &borders(24)), 0, transport);
        let fit = fit(&data, &Model::nmf(), &settings).unwrap();
        assert_eq!(fit.stop, StopReason::TimeLimit);
        fit.iterations
    });
    assert!(limited.iter().all(|iterations| *iterations == limited[0]), "{limited:?}");
}
