//! The content of a table cell: a number, blank, a number in an unsupported notation, or text.

use crate::missing::is_missing;
use crate::text::number;

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    /// Blank, `NA`, `nan`, ….
    Missing,
    /// A finite number.
    Number(f64),
    /// A number that is written in a way that is not read.
    Odd(Odd),
    /// Anything else.
    Text,
}

/// Ways to write numbers that are refused, with advice, wherever they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Odd {
    DecimalComma,
    Thousands,
    Infinite,
    TooLarge,
    Minus,
    Percent,
    Hexadecimal,
    Underscore,
}

impl Odd {
    /// What is wrong, and what to write.
    pub(crate) fn advice(self) -> &'static str {
        match self {
            Odd::DecimalComma => {
                "is not a number here; decimal points are needed, not commas (decimal commas are read where semicolons, tabs or spaces separate the cells)"
            }
            Odd::Thousands => "is not a number; write it without separators of thousands, as in 1000000.5",
            Odd::Infinite => "is not finite; all entries must be finite numbers",
            Odd::TooLarge => "is larger than a 64-bit floating-point number can be (about 1.8e308)",
            Odd::Minus => "has a typographic minus sign; write a plain - (hyphen)",
            Odd::Percent => "is a percentage; write a plain number, as in 0.05 or 5",
            Odd::Hexadecimal => "is a hexadecimal number; write a decimal one",
            Odd::Underscore => "has underscores; write the number without them, as in 1000",
        }
    }
}

/// Looks at a cell (without the spaces around it). With `decimal_comma`, a comma stands for the decimal
/// point.
pub(crate) fn classify(bytes: &[u8], decimal_comma: bool) -> Cell {
    if let Some(value) = number(bytes) {
        return match value.is_finite() {
            true => Cell::Number(value),
            false if value.is_nan() => Cell::Missing,
            false if bytes.iter().any(u8::is_ascii_digit) => Cell::Odd(Odd::TooLarge),
            false => Cell::Odd(Odd::Infinite),
        };
    }
    if is_missing(&String::from_utf8_lossy(&bytes[..bytes.len().min(40)])) {
        return Cell::Missing;
    }
    match odd(bytes) {
        Some(Odd::DecimalComma | Odd::Thousands) if decimal_comma => {
            decimal_comma_number(bytes).map_or(Cell::Odd(Odd::Thousands), Cell::Number)
        }
        Some(odd) => Cell::Odd(odd),
        None => Cell::Text,
    }
}

/// A number with one comma in place of its point.
fn decimal_comma_number(bytes: &[u8]) -> Option<f64> {
    if bytes.iter().filter(|byte| **byte == b',').count() != 1 || bytes.contains(&b'.') {
        return None;
    }
    let dotted: Vec<u8> = bytes.iter().map(|byte| if *byte == b',' { b'.' } else { *byte }).collect();
    number(&dotted).filter(|value| value.is_finite())
}

/// Whether a number with one comma could be one with separators of thousands: `1,000`, not `0,125` or `1,5`.
pub(crate) fn could_be_thousands(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let mut groups = text.split(|byte| *byte == b',');
    let first = groups.next().unwrap_or_default();
    let digits = |group: &[u8]| group.iter().all(u8::is_ascii_digit);
    let rest: Vec<&[u8]> = groups.collect();
    (1..=3).contains(&first.len())
        && digits(first)
        && first[0] != b'0'
        && !rest.is_empty()
        && rest.iter().all(|group| group.len() == 3 && digits(group))
}

fn odd(bytes: &[u8]) -> Option<Odd> {
    // Only what begins as a number does can be one; this keeps text cheap.
    let first = *bytes.first()?;
    let begins = first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.' | b',') || first >= 0x80;
    if !begins || bytes.len() > 400 {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let parses = |text: &str| number(text.as_bytes()).is_some();
    if text.contains(['\u{2212}', '\u{2013}', '\u{2012}', '\u{fe63}', '\u{ff0d}']) {
        let plain = text.replace(['\u{2212}', '\u{2013}', '\u{2012}', '\u{fe63}', '\u{ff0d}'], "-");
        return (parses(&plain) || decimal_comma_number(plain.as_bytes()).is_some()).then_some(Odd::Minus);
    }
    if let Some(rest) = text.strip_suffix(['%', '\u{2030}']) {
        let rest = rest.trim_end();
        return (parses(rest) || decimal_comma_number(rest.as_bytes()).is_some()).then_some(Odd::Percent);
    }
    let unsigned = text.trim_start_matches(['+', '-']);
    if let Some(digits) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        let hexadecimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        return hexadecimal.then_some(Odd::Hexadecimal);
    }
    if text.contains('_') {
        return parses(&text.replace('_', "")).then_some(Odd::Underscore);
    }
    if could_be_thousands(bytes) {
        let one = bytes.iter().filter(|byte| **byte == b',').count() == 1;
        return Some(if one { Odd::DecimalComma } else { Odd::Thousands });
    }
    if decimal_comma_number(bytes).is_some() {
        return Some(Odd::DecimalComma);
    }
    let separators = [',', '\'', '\u{2019}', '.', ' ', '\u{a0}', '\u{202f}', '\u{2009}'];
    let without = text.replace(&separators[..], "");
    let digits = without.trim_start_matches(['+', '-']);
    let grouped =
        text.contains(&separators[..]) && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    (grouped && first.is_ascii_digit() | matches!(first, b'+' | b'-')).then_some(Odd::Thousands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_told_apart() {
        for (text, expected) in [
            ("", Cell::Missing),
            ("NA", Cell::Missing),
            ("NaN", Cell::Missing),
            ("<NA>", Cell::Missing),
            ("1.5e3", Cell::Number(1500.0)),
            ("-2", Cell::Number(-2.0)),
            ("inf", Cell::Odd(Odd::Infinite)),
            ("-Infinity", Cell::Odd(Odd::Infinite)),
            ("1e400", Cell::Odd(Odd::TooLarge)),
            ("\u{2212}1", Cell::Odd(Odd::Minus)),
            ("5 %", Cell::Odd(Odd::Percent)),
            ("0x1F", Cell::Odd(Odd::Hexadecimal)),
            ("1_000", Cell::Odd(Odd::Underscore)),
            ("1,5", Cell::Odd(Odd::DecimalComma)),
            ("1,000,000", Cell::Odd(Odd::Thousands)),
            ("1'000.5", Cell::Odd(Odd::Thousands)),
            ("1.000,5", Cell::Odd(Odd::Thousands)),
            ("1 000", Cell::Odd(Odd::Thousands)),
            ("cat", Cell::Text),
            ("1st", Cell::Text),
            ("-", Cell::Text),
            ("s_1", Cell::Text),
            ("AA-1", Cell::Text),
        ] {
            assert_eq!(classify(text.as_bytes(), false), expected, "{text:?}");
        }
        assert_eq!(classify(b"1,5", true), Cell::Number(1.5));
        assert_eq!(classify(b"1,000,000", true), Cell::Odd(Odd::Thousands));
        assert!(
            could_be_thousands(b"12,000") && !could_be_thousands(b"0,125") && !could_be_thousands(b"1,5")
        );
    }
}
