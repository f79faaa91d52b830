//! Parsing of numbers and lines, shared by the text formats.

pub use partwise::nearest;

/// A number as the text formats write it; `None` when the bytes aren't one. Short whole numbers, the usual
/// case, take a fast path.
pub(crate) fn number(bytes: &[u8]) -> Option<f64> {
    if bytes.len() <= 15 && !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit) {
        return Some(bytes.iter().fold(0u64, |sum, digit| sum * 10 + u64::from(digit - b'0')) as f64);
    }
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

/// A whole number of 0 or more; `None` when the bytes aren't one.
pub(crate) fn whole(bytes: &[u8]) -> Option<u64> {
    if bytes.is_empty() || bytes.len() > 19 || !bytes.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(bytes.iter().fold(0u64, |sum, digit| sum * 10 + u64::from(digit - b'0')))
}

/// The bytes for a message: cut after 40 characters, in quotes.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]);
    let short: String = text.chars().take(40).collect();
    if short.len() < bytes.len() && short.len() < text.len() {
        format!("\"{short}...\"")
    } else {
        format!("\"{short}\"")
    }
}

/// `, did you mean "goal"?` for the nearest of the valid names, or a semicolon.
pub(crate) fn did_you_mean(given: &str, valid: &[&str]) -> String {
    nearest(given, valid.iter().copied()).map_or(";".into(), |name| format!(", did you mean \"{name}\"?"))
}

/// Lines with their numbers, counted from 1, without `\n` or `\r\n`.
pub(crate) struct Lines<'a> {
    rest: &'a [u8],
    /// The number of the line that was taken last.
    pub(crate) number: u64,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Lines { rest: bytes, number: 0 }
    }

    /// Bytes not yet taken.
    pub(crate) fn remaining(&self) -> usize {
        self.rest.len()
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        self.number += 1;
        let end = self.rest.iter().position(|byte| *byte == b'\n');
        let (line, rest) = match end {
            Some(end) => (&self.rest[..end], &self.rest[end + 1..]),
            None => (self.rest, &self.rest[self.rest.len()..]),
        };
        self.rest = rest;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}
