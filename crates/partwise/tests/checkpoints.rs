//! Promise: a fit that goes on from a checkpoint has the same bits as one that was never stopped, for every
//! method and solver, in memory and in row blocks.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]

mod common;

use std::io::{self, Read, Write};
use std::ops::ControlFlow;

use common::blocks::Slices;
use common::{Example, accepted, cases};
use partwise::blocks::Checkpoints;
use partwise::{DataMatrix, Error, Fit, Iteration, Model, Observer, Settings, fit_observed};

/// Keeps the state of each iteration in memory.
#[derive(Default)]
struct Kept {
    saved: Vec<(usize, Vec<u8>)>,
    from: Option<Vec<u8>>,
    /// Whether the place is full.
    full: bool,
    faults: usize,
}

impl Observer for Kept {
    fn on_iteration(&mut self, _: &Iteration) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn checkpoints(&mut self) -> Option<&mut dyn Checkpoints> {
        Some(self)
    }
}

struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::new(io::ErrorKind::StorageFull, "no space left"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
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
        if self.full {
            self.faults += usize::from(write(&mut Full).is_err());
            return;
        }
        let mut bytes = Vec::new();
        write(&mut bytes).unwrap();
        self.saved.push((iteration, bytes));
    }
}

fn bits(fit: &Fit<f64>) -> Vec<u64> {
    let history = fit.history.iter().flat_map(|i| [i.objective, i.kkt.unwrap_or(-1.0)]);
    let further = fit.further.iter().flat_map(|(_, factor)| factor.as_slice());
    let factors = fit.codes.as_slice().iter().chain(fit.components.as_slice()).chain(further).copied();
    let scales = fit.rescaling.iter().flatten().copied();
    factors.chain(scales).chain([fit.objective, fit.kkt]).chain(history).map(f64::to_bits).collect()
}

#[test]
fn every_method_and_solver_goes_on_from_any_checkpoint_with_the_same_bits() {
    let mut resumed = 0;
    for case in cases() {
        let example = case.example(&Example::new(24, 9, 3, 5));
        let stored = example.sparse::<f64>();
        let n = example.x.rows();
        let (blocks, _) = Slices::new(&example.x, true, &[0, n / 3, n / 2, n]).data::<f64>(1);
        for solver in case.solvers() {
            let model = case.model(&example);
            let settings = Settings {
                solver: solver.choice,
                tolerance: 1e-9,
                max_iterations: 9,
                ..Settings::new(example.k)
            };
            for data in [&stored as &dyn DataMatrix<f64>, &blocks] {
                if data.blocks().is_some() && !model.spec().in_blocks {
                    continue;
                }
                let mut kept = Kept::default();
                let Some(whole) = accepted(fit_observed(data, &model, &settings, &mut kept)) else {
                    continue;
                };
                for at in [0, kept.saved.len() / 2, kept.saved.len() - 1] {
                    let (iteration, state) = kept.saved[at].clone();
                    let mut from = Kept { from: Some(state), ..Kept::default() };
                    let found = fit_observed(data, &model, &settings, &mut from).unwrap();
                    let what = format!("{case:?}, {}, from iteration {iteration}", solver.name);
                    assert!(bits(&found) == bits(&whole), "{what}");
                    resumed += 1;
                }
            }
        }
    }
    assert!(resumed > 100, "{resumed}");
}

#[test]
fn a_state_that_is_cut_altered_or_of_another_problem_is_refused_and_says_why() {
    let example = Example::new(24, 9, 3, 5);
    let data = example.dense::<f64>();
    let settings = Settings { tolerance: 0.0, max_iterations: 4, ..Settings::new(3) };
    let mut kept = Kept::default();
    fit_observed(&data, &Model::nmf(), &settings, &mut kept).unwrap();
    let (_, state) = kept.saved.pop().unwrap();
    let resume = |bytes: Vec<u8>, rank: usize| {
        let mut from = Kept { from: Some(bytes), ..Kept::default() };
        match fit_observed(&data, &Model::nmf(), &Settings { rank, ..settings.clone() }, &mut from) {
            Err(Error::Unreadable(message)) => message,
            other => panic!("{other:?}"),
        }
    };
    assert!(resume(state[..state.len() / 2].to_vec(), 3).contains("ends too early"));
    assert!(resume(b"something else entirely".to_vec(), 3).contains("not a checkpoint"));
    let message = resume(state, 4);
    assert!(message.contains("24 x 3") && message.contains("24 x 4"), "{message}");
}

#[test]
fn a_fit_goes_on_when_its_checkpoints_can_not_be_saved() {
    let example = Example::new(24, 9, 3, 5);
    let data = example.dense::<f64>();
    let settings = Settings { tolerance: 0.0, max_iterations: 4, ..Settings::new(3) };
    let mut kept = Kept { full: true, ..Kept::default() };
    let found = fit_observed(&data, &Model::nmf(), &settings, &mut kept).unwrap();
    assert_eq!((found.iterations, kept.faults), (4, 4));
}
