//! Watching a fit: a bar on a terminal, a few lines otherwise, nothing when quiet. A signal stops after the
//! iteration.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use partwise::recipes::RestartProgress;
use partwise::{Iteration, Observer, Settings};

use crate::words::{change, short};
use partwise_report::console::Verbosity;
use partwise_report::duration;
use partwise_report::interrupt::{self, Kept};

/// The time before the first line where there is no terminal: fits that take less print none.
const FIRST: Duration = Duration::from_secs(3);
/// The time between two lines where there is no terminal.
const PAUSE: Duration = Duration::from_secs(10);

/// The observer of the command line.
pub(crate) struct Progress {
    verbosity: Verbosity,
    title: String,
    bar: Option<ProgressBar>,
    max_iterations: usize,
    time_limit: Option<Duration>,
    /// Of the iteration before.
    objective: Option<f64>,
    next_line: Instant,
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
            objective: None,
            next_line: Instant::now() + FIRST,
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
        let mut message = format!("objective {:.4e}", iteration.objective);
        if let Some(change) = self.objective.and_then(|before| change(before, iteration.objective)) {
            message.push_str(&format!(", change {} %", short(100.0 * change)));
        }
        if let Some(left) = self.left(iteration) {
            message.push_str(&format!(", at most {} left", duration(left)));
        }
        message
    }
}

/// Watching work of several steps: one line that changes on a terminal, a few lines otherwise.
pub(crate) struct Steps {
    verbosity: Verbosity,
    bar: Option<ProgressBar>,
    next_line: Instant,
}

impl Steps {
    pub(crate) fn new(verbosity: Verbosity) -> Self {
        let terminal = verbosity != Verbosity::Quiet && std::io::stderr().is_terminal();
        let bar = terminal.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            bar.set_style(
                ProgressStyle::with_template("{wide_msg}").unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar
        });
        Steps { verbosity, bar, next_line: Instant::now() + FIRST }
    }

    /// Shows what is being done.
    pub(crate) fn show(&mut self, line: String) {
        if let Some(bar) = &self.bar {
            bar.set_message(line);
            bar.tick();
        } else if Instant::now() >= self.next_line {
            self.next_line = Instant::now() + PAUSE;
            self.verbosity.progress(&line);
        }
    }

    /// Removes the line.
    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// Watching many fits: a bar with the time that is left on a terminal, a few lines otherwise. Called from
/// several threads.
pub(crate) struct Fits {
    verbosity: Verbosity,
    bar: Option<ProgressBar>,
    began: Instant,
    /// Fits done at the last line, and when the next one is due.
    line: Mutex<(usize, Instant)>,
}

impl Fits {
    pub(crate) fn new(verbosity: Verbosity, title: &str) -> Self {
        let terminal = verbosity != Verbosity::Quiet && std::io::stderr().is_terminal();
        let bar = terminal.then(|| {
            let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr_with_hz(10));
            let style = ProgressStyle::with_template("{prefix} {bar:16} {pos}/{len} fits {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_prefix(title.to_string());
            bar
        });
        let began = Instant::now();
        Fits { verbosity, bar, began, line: Mutex::new((usize::MAX, began + FIRST)) }
    }

    /// Shows how far the fits are.
    pub(crate) fn show(&self, progress: RestartProgress) {
        let Ok(mut line) = self.line.try_lock() else { return };
        if line.0 == progress.done {
            return;
        }
        line.0 = progress.done;
        let elapsed = self.began.elapsed().as_secs_f64();
        let left = elapsed * (1.0 - progress.work) / progress.work;
        let left = if left.is_finite() { format!("about {} left", duration(left)) } else { String::new() };
        if let Some(bar) = &self.bar {
            bar.set_length(progress.total as u64);
            bar.set_position(progress.done as u64);
            bar.set_message(left);
        } else if Instant::now() >= line.1 && progress.done < progress.total {
            line.1 = Instant::now() + PAUSE;
            let left = if left.is_empty() { left } else { format!(", {left}") };
            self.verbosity.progress(&format!("{} of {} fits{left}", progress.done, progress.total));
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
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

    /// Without a terminal, the first line comes after a while only.
    pub(crate) fn patient(self) -> Self {
        Phases { last_line: Some(Instant::now()), ..self }
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
        if iteration.number > 0 {
            interrupt::keep(Kept::Reached);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(iteration.number as u64);
            bar.set_message(self.message(iteration));
        } else if Instant::now() >= self.next_line {
            self.next_line = Instant::now() + PAUSE;
            let message = self.message(iteration);
            self.verbosity.progress(&format!("{}: iteration {}, {message}", self.title, iteration.number));
        }
        self.objective = Some(iteration.objective);
        if interrupt::requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
