//! Watching a fit: a bar on a terminal, a few lines otherwise, nothing when quiet. A signal stops after the
//! iteration.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use partwise::{Iteration, Observer, Settings};

use partwise_report::console::Verbosity;
use partwise_report::duration;
use partwise_report::interrupt::{self, Kept};

/// Seconds between two lines where there is no terminal.
const PAUSE: Duration = Duration::from_secs(10);

/// The observer of the command line.
pub(crate) struct Progress {
    verbosity: Verbosity,
    title: String,
    bar: Option<ProgressBar>,
    max_iterations: usize,
    time_limit: Option<Duration>,
    first_kkt: Option<f64>,
    last_line: Instant,
}

impl Progress {
    /// For one fit; `title` says which.
    pub(crate) fn new(verbosity: Verbosity, title: &str, settings: &Settings) -> Self {
        let terminal = verbosity != Verbosity::Quiet && std::io::stderr().is_terminal();
        let bar = terminal.then(|| {
            let bar = ProgressBar::with_draw_target(
                Some(settings.max_iterations as u64),
                ProgressDrawTarget::stderr_with_hz(10),
            );
            let style = ProgressStyle::with_template("{prefix} {bar:16} {pos}/{len} {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_prefix(title.to_string());
            bar
        });
        Progress {
            verbosity,
            title: title.into(),
            bar,
            max_iterations: settings.max_iterations,
            time_limit: settings.time_limit,
            first_kkt: None,
            last_line: Instant::now(),
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Seconds that are left at most, from the limits and the pace so far; the tolerance may end it sooner.
    fn left(&self, iteration: &Iteration) -> Option<f64> {
        let elapsed = iteration.elapsed.as_secs_f64();
        let pace = (iteration.number > 0).then(|| elapsed / iteration.number as f64)?;
        let by_count = pace * (self.max_iterations.saturating_sub(iteration.number)) as f64;
        let by_time = self.time_limit.map_or(f64::INFINITY, |limit| limit.as_secs_f64() - elapsed);
        Some(by_count.min(by_time).max(0.0))
    }

    fn message(&self, iteration: &Iteration) -> String {
        let mut message = format!("objective {:.5e}", iteration.objective);
        if let (Some(kkt), Some(first)) = (iteration.kkt, self.first_kkt)
            && first > 0.0
        {
            message.push_str(&format!(", KKT {:.1e}", kkt / first));
        }
        if let Some(left) = self.left(iteration) {
            message.push_str(&format!(", {} left at most", duration(left)));
        }
        message
    }
}

/// Phases of work whose part that is done is known: a bar on a terminal, a few lines otherwise.
pub(crate) struct Phases {
    verbosity: Verbosity,
    title: String,
    bar: Option<ProgressBar>,
    began: Instant,
    last_line: Option<Instant>,
}

impl Phases {
    /// `title` says of what.
    pub(crate) fn new(verbosity: Verbosity, title: &str) -> Self {
        let terminal = verbosity != Verbosity::Quiet && std::io::stderr().is_terminal();
        let bar = terminal.then(|| {
            let bar = ProgressBar::with_draw_target(Some(100), ProgressDrawTarget::stderr_with_hz(10));
            let style = ProgressStyle::with_template("{prefix} {bar:16} {percent:>3} % {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_prefix(title.to_string());
            bar
        });
        Phases { verbosity, title: title.into(), bar, began: Instant::now(), last_line: None }
    }

    /// A phase begins when this part (0 to 1) is done.
    pub(crate) fn begin(&mut self, phase: &str, done: f64) {
        let time = duration(self.began.elapsed().as_secs_f64());
        let percent = (100.0 * done).round();
        if let Some(bar) = &self.bar {
            bar.set_position(percent as u64);
            bar.set_message(format!("{phase} ({time})"));
        } else if self.last_line.is_none_or(|last| last.elapsed() >= PAUSE) {
            self.last_line = Some(Instant::now());
            self.verbosity.progress(&format!("{}: {phase}, {percent} % done ({time})", self.title));
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Progress {
    fn on_iteration(&mut self, iteration: &Iteration) -> ControlFlow<()> {
        self.first_kkt = self.first_kkt.or(iteration.kkt);
        if iteration.number > 0 {
            interrupt::keep(Kept::Reached);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(iteration.number as u64);
            bar.set_message(self.message(iteration));
        } else if iteration.number == 1 || self.last_line.elapsed() >= PAUSE {
            self.last_line = Instant::now();
            let message = self.message(iteration);
            self.verbosity.progress(&format!("{}: iteration {}, {message}", self.title, iteration.number));
        }
        if interrupt::requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
