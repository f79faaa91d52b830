//! What guidance costs an iteration: each guided method beside plain NMF with the same solver on the same data.
//! `cargo bench -p partwise --bench supervision` prints CPU times of one thread and their ratios; with `-- --check` it fails above
//! 1.1.

// Printing its table is what this bench is for.
#![allow(clippy::print_stdout)]

use std::process::ExitCode;

use partwise::{Acceleration, DataMatrix, Init, Knowledge, Labels, Model, Real, Settings, SolverChoice};

#[path = "common/measure.rs"]
mod measure;
#[path = "common/workloads.rs"]
mod workloads;

use measure::{Case, ROUNDS, iteration_ms};

const RANK: usize = 20;
const GATE: f64 = 1.1;

/// A fifth of the samples labelled, in `RANK` classes.
fn knowledge(samples: usize) -> Knowledge {
    let label = |i: usize| if i.is_multiple_of(5) { (i / 5 % RANK) as i32 } else { -1 };
    let labels: Vec<i32> = (0..samples).map(label).collect();
    Knowledge { labels: Some(Labels::from_integers(&labels).expect("valid labels")), ..Knowledge::default() }
}

fn cases<T: Real>(data: &dyn DataMatrix<T>, what: &str) -> Vec<Case> {
    let settings = Settings {
        solver: SolverChoice::Hals,
        acceleration: Acceleration::Off,
        init: Init::Random,
        ..Settings::new(RANK)
    };
    let nmf = Model::nmf();
    ["cnmf", "scnmf", "ws-nmf", "ssnmf", "nmf-dc"]
        .into_iter()
        .map(|name| {
            let model =
                Model::from_name(name, knowledge(data.n_samples())).expect("a method of the registry");
            Case::new(format!("{what}, {name}"), Some(GATE))
                .measure(|| iteration_ms(data, &nmf, &settings), || iteration_ms(data, &model, &settings))
        })
        .collect()
}

fn main() -> ExitCode {
    let check = std::env::args().any(|argument| argument == "--check");
    println!(
        "CPU milliseconds of an iteration on one thread, f64, k = {RANK}, HALS, a fifth of the samples labelled, medians of {ROUNDS} interleaved rounds"
    );
    println!("{:<52} {:>9} {:>9} {:>7} {:>8}", "case", "nmf", "guided", "ratio", "gate");
    let mut passes = true;
    let all = [
        cases(&workloads::dense::<f64>(10_000, 2_000), "dense 10,000 x 2,000"),
        cases(&workloads::sparse::<f64>(), "sparse 18,846 x 24,360 (1.3 M)"),
    ];
    for case in all.iter().flatten() {
        passes &= case.report();
    }
    if passes || !check { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
