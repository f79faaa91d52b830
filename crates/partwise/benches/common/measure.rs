//! CPU times of one thread, and their tables.

use std::hint::black_box;
use std::ops::ControlFlow;

use cpu_time::ProcessTime;
use partwise::{DataMatrix, Iteration, Model, Real, Settings, fit_observed};

pub(crate) const ROUNDS: usize = 5;

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
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

/// One line of a table: what is measured, beside what it is compared with, and how much more it may cost.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) gate: Option<f64>,
    pub(crate) base: Vec<f64>,
    pub(crate) ours: Vec<f64>,
}

impl Case {
    pub(crate) fn new(name: String, gate: Option<f64>) -> Self {
        Case { name, gate, base: Vec::new(), ours: Vec::new() }
    }

    /// Measures both, in rounds one after the other: machines are shared and their speed drifts.
    pub(crate) fn measure(mut self, mut base: impl FnMut() -> f64, mut ours: impl FnMut() -> f64) -> Self {
        for _ in 0..ROUNDS {
            self.base.push(base());
            self.ours.push(ours());
        }
        self
    }

    /// Prints the case; false when it is above its gate. The ratio is the median of those of the rounds.
    pub(crate) fn report(&self) -> bool {
        let ratio = median(self.base.iter().zip(&self.ours).map(|(base, ours)| ours / base).collect());
        let gate = self.gate.map_or("–".to_string(), |g| format!("≤ {g:.2}"));
        let passes = self.gate.is_none_or(|gate| ratio <= gate);
        let mark = if passes { "" } else { "  ABOVE THE GATE" };
        let (base, ours) = (median(self.base.clone()), median(self.ours.clone()));
        println!("{:<52} {base:>9.2} {ours:>9.2} {ratio:>7.2} {gate:>8}{mark}", self.name);
        passes
    }
}
