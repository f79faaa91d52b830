//! CPU times of one thread, and their tables.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::process::ExitCode;

use cpu_time::ProcessTime;
use partwise::{DataMatrix, Iteration, Model, Real, Settings, fit_observed};

const ROUNDS: usize = 5;
/// More rounds for a line above its gate: others on the machine may have had it for a while.
const MORE: usize = 15;

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Median CPU milliseconds of an iteration, on one thread (the first is left out: it touches fresh memory).
pub(crate) fn iteration_ms<T: Real>(data: &dyn DataMatrix<T>, model: &Model, settings: &Settings) -> f64 {
    let settings = Settings { threads: 1, tolerance: 0.0, max_iterations: 6, ..settings.clone() };
    let (mut times, mut last) = (Vec::new(), None::<ProcessTime>);
    let mut observer = |_: &Iteration| {
        if let Some(last) = last {
            times.push(last.elapsed().as_secs_f64() * 1e3);
        }
        last = Some(ProcessTime::now());
        ControlFlow::Continue(())
    };
    black_box(fit_observed(data, model, &settings, &mut observer).expect("a valid problem"));
    median(times.split_off(1))
}

/// A table of ratios: what is measured, beside what it is compared with, and how much more it may cost.
pub(crate) struct Table {
    check: bool,
    wanted: Vec<String>,
    passes: bool,
}

impl Table {
    /// Prints the heads of the columns. With `--check` among the arguments of the program only lines with a
    /// gate are measured; with words among them only lines that contain all of these.
    pub(crate) fn begin(base: &str, ours: &str) -> Self {
        println!("CPU milliseconds of one thread, medians of {ROUNDS} interleaved rounds");
        println!("{:<52} {base:>9} {ours:>9} {:>7} {:>8}", "case", "ratio", "gate");
        let (options, wanted): (Vec<String>, Vec<String>) =
            std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
        Table { check: options.iter().any(|option| option == "--check"), wanted, passes: true }
    }

    /// Measures both, in rounds one after the other, since machines are shared and their speed drifts, and
    /// prints the line. The ratio is the median of those of the rounds. A line above its gate is measured for
    /// more rounds, all of which count.
    pub(crate) fn line(
        &mut self,
        name: String,
        gate: Option<f64>,
        base: impl Fn() -> f64,
        ours: impl Fn() -> f64,
    ) {
        let unwanted = self.wanted.iter().any(|word| !name.contains(word.as_str()));
        if unwanted || self.check && gate.is_none() {
            return;
        }
        let rounds = |count: usize| (0..count).map(|_| (base(), ours())).collect::<Vec<(f64, f64)>>();
        let of =
            |times: &[(f64, f64)], value: fn(&(f64, f64)) -> f64| median(times.iter().map(value).collect());
        let ratio = |times: &[(f64, f64)]| of(times, |t| t.1 / t.0);
        let above = |times: &[(f64, f64)]| gate.is_some_and(|gate| ratio(times) > gate);
        let mut times = rounds(ROUNDS);
        if above(&times) {
            times.extend(rounds(MORE));
        }
        let (base, ours, above) = (of(&times, |t| t.0), of(&times, |t| t.1), above(&times));
        let ratio = ratio(&times);
        self.passes &= !above;
        let gate = gate.map_or("–".to_string(), |g| format!("≤ {g:.2}"));
        let mark = if above { "  ABOVE THE GATE" } else { "" };
        println!("{name:<52} {base:>9.2} {ours:>9.2} {ratio:>7.2} {gate:>8}{mark}");
    }

    /// Failure where a line was above its gate and `--check` asked for it.
    pub(crate) fn end(self) -> ExitCode {
        if self.passes || !self.check { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
