//! Watching a fit: a bar on a terminal, a few lines otherwise, nothing when quiet. A signal stops after the
//! iteration.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use partwise::blocks::Checkpoints;
use partwise::recipes::RestartProgress;
use partwise::{Iteration, Observer, Settings};
use partwise_io::CheckpointFile;

use crate::words::{change, short};
use partwise_report::console::Verbosity;
use partwise_report::duration;
use partwise_report::interrupt::{self, Kept};

/// The time before the first line where there is no terminal: fits that take less print none.
const FIRST: Duration = Duration::from_secs(3);
/// The time between two lines where there is no terminal.
const PAUSE: Duration = Duration::from_secs(10);

/// One line that changes on a terminal, a few lines otherwise, nothing when quiet.
pub(crate) struct Display {
    verbosity: Verbosity,
    bar: Option<ProgressBar>,
    next_line: Instant,
}

impl Display {
    /// A line of text.
    pub(crate) fn of_text(verbosity: Verbosity) -> Self {
        Display::new(verbosity, "", None, "{wide_msg}")
    }

    /// A bar of `length` with a title, or what else the template shows.
    fn new(verbosity: Verbosity, title: &str, length: Option<u64>, template: &str) -> Self {
        let terminal = verbosity != Verbosity::Quiet && std::io::stderr().is_terminal();
        let bar = terminal.then(|| {
            let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr_with_hz(10));
            let style = ProgressStyle::with_template(template);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_prefix(title.to_string());
            bar
        });
        Display { verbosity, bar, next_line: Instant::now() + FIRST }
    }

    /// Whether something is shown now.
    fn is_due(&self) -> bool {
        self.bar.is_some() || Instant::now() >= self.next_line
    }

    /// Changes the bar, or prints a line if one is due.
    fn update(&mut self, change: impl FnOnce(&ProgressBar), line: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            change(bar);
        } else if Instant::now() >= self.next_line {
            self.next_line = Instant::now() + PAUSE;
            self.verbosity.progress(&line());
        }
    }

    /// Shows a text.
    pub(crate) fn show(&mut self, text: String) {
        let change = |bar: &ProgressBar| {
            bar.set_message(text.clone());
            bar.tick();
        };
        self.update(change, || text.clone());
    }

    /// Removes the line or bar.
    pub(crate) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// The observer of the command line.
pub(crate) struct Progress {
    display: Display,
    title: String,
    max_iterations: usize,
    time_limit: Option<Duration>,
    /// Of the iteration before.
    objective: Option<f64>,
    checkpoints: Option<CheckpointFile>,
}

impl Progress {
    /// For one fit; `title` says which.
    pub(crate) fn new(verbosity: Verbosity, title: &str, settings: &Settings) -> Self {
        let (length, template) = (settings.max_iterations as u64, "{prefix} {bar:16} {pos}/{len} {wide_msg}");
        Progress {
            display: Display::new(verbosity, title, Some(length), template),
            title: title.into(),
            max_iterations: settings.max_iterations,
            time_limit: settings.time_limit,
            objective: None,
            checkpoints: None,
        }
    }

    /// The same for a fit whose checkpoints are kept.
    pub(crate) fn with_checkpoints(self, checkpoints: Option<CheckpointFile>) -> Self {
        Progress { checkpoints, ..self }
    }

    /// Removes the bar; returns the checkpoints.
    pub(crate) fn finish(mut self) -> Option<CheckpointFile> {
        self.display.finish();
        self.checkpoints
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

/// Watching many fits: a bar with the time that is left on a terminal, a few lines otherwise. Called from
/// several threads.
pub(crate) struct Fits {
    began: Instant,
    /// And the fits that were done when it last changed.
    display: Mutex<(usize, Display)>,
}

impl Fits {
    pub(crate) fn new(verbosity: Verbosity, title: &str) -> Self {
        let template = "{prefix} {bar:16} {pos}/{len} fits {wide_msg}";
        let display = Display::new(verbosity, title, Some(1), template);
        Fits { began: Instant::now(), display: Mutex::new((usize::MAX, display)) }
    }

    /// Shows how far the fits are.
    pub(crate) fn show(&self, progress: RestartProgress) {
        let Ok(mut display) = self.display.try_lock() else { return };
        let (shown, display) = &mut *display;
        let RestartProgress { done, total, .. } = progress;
        if *shown == done {
            return;
        }
        *shown = done;
        let elapsed = self.began.elapsed().as_secs_f64();
        let left = elapsed * (1.0 - progress.work) / progress.work;
        let left = if left.is_finite() { format!("about {} left", duration(left)) } else { String::new() };
        if done == total && display.bar.is_none() {
            return;
        }
        let change = |bar: &ProgressBar| {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
            bar.set_message(left.clone());
        };
        let before = if left.is_empty() { "" } else { ", " };
        display.update(change, || format!("{done} of {total} fits{before}{left}"));
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Ok(mut display) = self.display.lock() {
            display.1.finish();
        }
    }
}

/// Phases of work whose part that is done is known: a bar on a terminal, a few lines otherwise.
pub(crate) struct Phases {
    display: Display,
    title: String,
    began: Instant,
}

impl Phases {
    /// `title` says of what.
    pub(crate) fn new(verbosity: Verbosity, title: &str) -> Self {
        let template = "{prefix} {bar:16} {percent:>3} % {wide_msg}";
        let display = Display::new(verbosity, title, Some(100), template);
        Phases { display, title: title.into(), began: Instant::now() }
    }

    /// A phase begins when this part (0 to 1) is done.
    pub(crate) fn begin(&mut self, phase: &str, done: f64) {
        let time = duration(self.began.elapsed().as_secs_f64());
        let percent = (100.0 * done).round();
        let change = |bar: &ProgressBar| {
            bar.set_position(percent as u64);
            bar.set_message(format!("{phase} ({time})"));
        };
        let title = &self.title;
        self.display.update(change, || format!("{title}: {phase}, {percent} % done ({time})"));
    }

    /// Removes the bar.
    pub(crate) fn finish(&mut self) {
        self.display.finish();
    }
}

impl Observer for Progress {
    fn on_iteration(&mut self, iteration: &Iteration) -> ControlFlow<()> {
        if iteration.number > 0 {
            interrupt::keep(Kept::Reached);
        }
        let message = if self.display.is_due() { self.message(iteration) } else { String::new() };
        let change = |bar: &ProgressBar| {
            bar.set_position(iteration.number as u64);
            bar.set_message(message.clone());
        };
        let title = &self.title;
        self.display.update(change, || format!("{title}: iteration {}, {message}", iteration.number));
        self.objective = Some(iteration.objective);
        if interrupt::requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn checkpoints(&mut self) -> Option<&mut dyn Checkpoints> {
        self.checkpoints.as_mut().map(|file| file as &mut dyn Checkpoints)
    }
}
