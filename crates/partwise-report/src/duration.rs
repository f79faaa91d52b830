//! Durations for people.

/// `0.5 s`, `42 s`, `3 min 20 s`, `2 h 5 min`.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.0995 => format!("{:.0} ms", s * 1e3),
        s if s < 9.95 => format!("{s:.1} s"),
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{} min {} s", s as u64 / 60, s as u64 % 60),
        s => format!("{} h {} min", s as u64 / 3600, s as u64 % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_have_a_fitting_unit() {
        let found: Vec<String> = [0.012, 0.5, 42.0, 200.0, 7500.0].map(duration).to_vec();
        assert_eq!(found, ["12 ms", "0.5 s", "42 s", "3 min 20 s", "2 h 5 min"]);
    }
}
