//! [`Clock`]: the CPU time of the thread where the system tells it, so that what else a machine does counts
//! as little as it can.

use std::time::Instant;

/// Seconds since it was started.
pub(super) struct Clock {
    wall: Instant,
    cpu: Option<f64>,
}

impl Clock {
    pub(super) fn start() -> Self {
        Clock { wall: Instant::now(), cpu: cpu_seconds() }
    }

    /// CPU seconds of this thread, or wall seconds where those are not to be had.
    pub(super) fn seconds(&self) -> f64 {
        match (self.cpu, cpu_seconds()) {
            (Some(from), Some(to)) => to - from,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }

    /// Which of the two it gives.
    pub(super) fn kind() -> &'static str {
        if cpu_seconds().is_some() { "CPU time of the thread" } else { "wall time" }
    }
}

/// What Linux has counted for this thread.
fn cpu_seconds() -> Option<f64> {
    // The count is brought up to date when the thread yields; without that it is one of the last timer tick.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_ascii_whitespace().next()?.parse().ok()?;
    (nanoseconds > 0.0).then_some(1e-9 * nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time_and_sleep_takes_no_cpu_time() {
        let clock = Clock::start();
        let mut sum = 0.0_f64;
        while clock.wall.elapsed().as_millis() < 30 {
            sum += sum.cos();
        }
        let worked = clock.seconds();
        assert!(
            sum.is_finite() && worked > 0.0 && worked <= clock.wall.elapsed().as_secs_f64() + 0.01,
            "{worked}"
        );
        let clock = Clock::start();
        std::thread::sleep(std::time::Duration::from_millis(60));
        if Clock::kind() == "wall time" {
            assert!(clock.seconds() >= 0.06);
        } else {
            assert!(clock.seconds() < 0.05, "{}", clock.seconds());
        }
    }
}
