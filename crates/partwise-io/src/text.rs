//! Numbers and lines of text, shared by the text formats.

/// A number as the text formats write it; `None` when the bytes aren't one. Short whole numbers, the usual case,
/// take a fast path.
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

/// The name of `valid` that is most like `given`, if one is like it: at most a third of its letters differ (letters added, left out,
/// changed, or swapped with a neighbour), case aside.
pub fn nearest<'v>(given: &str, valid: &[&'v str]) -> Option<&'v str> {
    let given: Vec<char> = given.to_lowercase().chars().take(100).collect();
    let near = |name: &&'v str| {
        let other: Vec<char> = name.to_lowercase().chars().take(100).collect();
        let steps = edits(&given, &other);
        (steps <= given.len().max(other.len()).div_ceil(3)).then_some((steps, *name))
    };
    valid.iter().filter_map(near).min_by_key(|(steps, _)| *steps).map(|(_, name)| name)
}

/// How many edits lead from one word to the other.
fn edits(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut table = vec![0; (a.len() + 1) * width];
    for i in 0..=a.len() {
        for j in 0..width {
            table[i * width + j] = match (i, j) {
                (0, steps) | (steps, 0) => steps,
                _ => {
                    let change = usize::from(a[i - 1] != b[j - 1]);
                    let mut least = (table[(i - 1) * width + j] + 1)
                        .min(table[i * width + j - 1] + 1)
                        .min(table[(i - 1) * width + j - 1] + change);
                    if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        least = least.min(table[(i - 2) * width + j - 2] + 1);
                    }
                    least
                }
            };
        }
    }
    table[a.len() * width + b.len()]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_a_strange_one_has_none() {
        let valid = ["seeds", "strength", "name", "components"];
        for (given, expected) in [("seed", "seeds"), ("Strenght", "strength"), ("nmae", "name")] {
            assert_eq!(nearest(given, &valid), Some(expected));
        }
        assert_eq!((nearest("colour", &valid), nearest("", &valid)), (None, None));
    }
}
