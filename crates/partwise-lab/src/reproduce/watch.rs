//! Progress over units, with the time that is left: a bar on a terminal, a line now and then otherwise.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use crate::protocols::{Case, UnitId};
use crate::results::records::Record;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use partwise_report::console::Verbosity;
use partwise_report::duration;

/// Time between two lines where there is no terminal.
const PAUSE: Duration = Duration::from_secs(15);

/// Times of one kind of unit.
struct Kind {
    case: Case,
    group: &'static str,
    seconds: f64,
    timed: usize,
    left: usize,
}

/// What is being watched.
pub(super) struct Watch {
    verbosity: Verbosity,
    name: &'static str,
    total: usize,
    done: usize,
    threads: usize,
    kinds: Vec<Kind>,
    bar: Option<ProgressBar>,
    last: Instant,
}

impl Watch {
    /// `units` are to be run; `known` were, and say how long such units take.
    pub(super) fn new(
        verbosity: Verbosity,
        name: &'static str,
        units: &[UnitId],
        threads: usize,
        known: &[Record],
    ) -> Self {
        let mut watch = Watch {
            verbosity,
            name,
            total: units.len(),
            done: 0,
            threads,
            kinds: Vec::new(),
            bar: None,
            last: Instant::now(),
        };
        units.iter().for_each(|id| watch.kind(id).left += 1);
        for record in known {
            let kind = watch.kind(&record.id);
            kind.seconds += record.seconds;
            kind.timed += 1;
        }
        if !units.is_empty() && verbosity != Verbosity::Quiet && std::io::stderr().is_terminal() {
            let bar = ProgressBar::with_draw_target(
                Some(units.len() as u64),
                ProgressDrawTarget::stderr_with_hz(5),
            );
            let style = ProgressStyle::with_template("{prefix} {bar:24} {pos}/{len} {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_prefix(name);
            watch.bar = Some(bar);
        }
        watch
    }

    fn kind(&mut self, id: &UnitId) -> &mut Kind {
        let found = self.kinds.iter().position(|kind| kind.group == id.group && kind.case == id.case);
        let at = found.unwrap_or_else(|| {
            let (case, group) = (id.case.clone(), id.group);
            self.kinds.push(Kind { case, group, seconds: 0.0, timed: 0, left: 0 });
            self.kinds.len() - 1
        });
        &mut self.kinds[at]
    }

    /// A unit has ended.
    pub(super) fn finished(&mut self, id: &UnitId, seconds: f64) {
        let kind = self.kind(id);
        kind.seconds += seconds;
        kind.timed += 1;
        kind.left = kind.left.saturating_sub(1);
        self.done += 1;
        let message = self.message(id);
        if let Some(bar) = &self.bar {
            bar.set_position(self.done as u64);
            bar.set_message(message);
        } else if self.done == self.total || self.last.elapsed() >= PAUSE {
            self.last = Instant::now();
            let (name, done, total) = (self.name, self.done, self.total);
            self.verbosity.progress(&format!("{name}: {done} of {total} units, {message}"));
        }
    }

    /// Time passes.
    pub(super) fn tick(&self) {
        if let Some(bar) = &self.bar {
            bar.tick();
        }
    }

    pub(super) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn message(&self, id: &UnitId) -> String {
        let left = self.left().map_or(String::new(), |left| format!(", about {} left", duration(left)));
        format!("last: draw {}, {}, {}{left}", id.draw, id.case, id.group)
    }

    /// Seconds that are left: each kind at its own pace, unknown kinds at the average of all.
    fn left(&self) -> Option<f64> {
        let timed: usize = self.kinds.iter().map(|kind| kind.timed).sum();
        let average = self.kinds.iter().map(|kind| kind.seconds).sum::<f64>() / timed as f64;
        let pace = |kind: &Kind| if kind.timed > 0 { kind.seconds / kind.timed as f64 } else { average };
        let work: f64 = self.kinds.iter().map(|kind| kind.left as f64 * pace(kind)).sum();
        (timed > 0).then(|| work / self.threads.min(self.total).max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_counted_at_each_kinds_own_pace() {
        let id = |x: f64, draw| UnitId { case: Case::at("set", x), group: "nmf", draw };
        let units: Vec<UnitId> = (0..3).flat_map(|draw| [id(2.0, draw), id(9.0, draw)]).collect();
        let mut watch = Watch::new(Verbosity::Quiet, "test", &units, 2, &[]);
        assert_eq!(watch.left(), None);
        watch.finished(&units[0], 1.0);
        assert_eq!(watch.left(), Some((2.0 * 1.0 + 3.0 * 1.0) / 2.0));
        watch.finished(&units[1], 10.0);
        assert_eq!(watch.left(), Some((2.0 * 1.0 + 2.0 * 10.0) / 2.0));
    }
}
