//! How a fit ended, and its numbers, in words.

use partwise::StopReason;

/// How a fit ended, in words.
pub(crate) fn ending(stop: StopReason) -> &'static str {
    match stop {
        StopReason::Observer => "stopped by Ctrl-C",
        StopReason::IterationLimit => "stopped",
        StopReason::TimeLimit => "stopped by the time limit",
        other => other.name(),
    }
}

/// By how much an iteration lowered the objective, as a fraction of it.
pub(crate) fn change(before: f64, after: f64) -> Option<f64> {
    (before != 0.0 && before.is_finite()).then(|| ((before - after) / before.abs()).max(0.0))
}

/// Two digits of a small number: 1.3, 0.0024.
pub(crate) fn short(value: f64) -> String {
    match value {
        v if v >= 0.095 || v == 0.0 => significant(v),
        v => format!("{v:.*}", (1.0 - v.log10().floor()).min(12.0) as usize),
    }
}

/// `1 iteration`, `20 iterations`.
pub(crate) fn iterations(count: usize) -> String {
    counted(count, "iteration", "iterations")
}

/// `1 sample`, `20 samples`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Two significant digits for factors: 1.3, 25, 1400.
pub(crate) fn significant(value: f64) -> String {
    if value < 9.95 { format!("{value:.1}") } else { format!("{value:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_two_digits() {
        assert_eq!([0.0, 0.0024, 0.036, 0.3, 25.2].map(short), ["0.0", "0.0024", "0.036", "0.3", "25"]);
        assert_eq!((change(4.0, 3.0), change(0.0, 3.0)), (Some(0.25), None));
    }
}
