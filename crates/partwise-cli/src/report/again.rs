//! What it takes to make a result again: the command line, and the date.

use std::time::{SystemTime, UNIX_EPOCH};

use partwise_report::program::arguments;

/// The command line of this process, as a shell takes it.
pub(super) fn command_line() -> String {
    let words = arguments().iter().map(|word| quoted(&word.to_string_lossy()));
    std::iter::once("partwise".to_string()).chain(words).collect::<Vec<_>>().join(" ")
}

/// A word in single quotes, if a shell would read it otherwise.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Today's date (UTC), as 2026-11-29.
pub(super) fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date_of(seconds / 86_400)
}

/// The date of a day after 1 January 1970.
fn date_of(day: u64) -> String {
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let (mut year, mut left) = (1970, day);
    while left >= 365 + u64::from(is_leap(year)) {
        left -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < days {
            break;
        }
        left -= days;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", left + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_words_are_what_people_and_shells_expect() {
        let dates = [0, 58, 59, 789, 11_016, 19_723, 20_786].map(date_of);
        let expected = [
            "1970-01-01",
            "1970-02-28",
            "1970-03-01",
            "1972-02-29",
            "2000-02-29",
            "2024-01-01",
            "2026-11-29",
        ];
        assert_eq!(dates, expected);
        assert_eq!(["a.npy", "it's", "", "a b"].map(quoted), ["a.npy", "'it'\\''s'", "''", "'a b'"]);
    }
}
