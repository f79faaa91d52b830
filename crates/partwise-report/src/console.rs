//! Everything that is printed: results on standard output; progress, notices and errors on standard error,
//! wrapped to the terminal. Names come from files, so whatever could steer a terminal is printed as text
//! ([`harmless`]). A write to standard output that fails is remembered for the end ([`finish`]), so that it
//! doesn't take a fit with it.
#![allow(clippy::print_stdout, reason = "printing results is the purpose of this module")]

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

/// What may be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    /// Progress, notes, a summary.
    Full,
    /// As `Full`, with everything on standard error, since standard output carries JSON.
    BesideJson,
    /// Errors only.
    Quiet,
}

impl Verbosity {
    /// From the two flags.
    pub fn of(quiet: bool, json: bool) -> Self {
        match (quiet, json) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::BesideJson,
            (false, false) => Verbosity::Full,
        }
    }

    /// A line for a person.
    pub fn say(self, line: &str) {
        match self {
            Verbosity::Full => print(&harmless(line, false)),
            Verbosity::BesideJson => eprint(line),
            Verbosity::Quiet => {}
        }
    }

    /// A line of progress.
    pub fn progress(self, line: &str) {
        if self != Verbosity::Quiet {
            eprint(line);
        }
    }

    /// Something to know about the input or the result.
    pub fn note(self, message: &str) {
        if self != Verbosity::Quiet {
            eprint(&format!("note: {message}"));
        }
    }
}

/// The first write to standard output that failed.
static FAILED: Mutex<Option<io::Error>> = Mutex::new(None);

fn remember(result: io::Result<()>) {
    if let Err(error) = result {
        FAILED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// Whether everything reached standard output.
pub fn finish() -> io::Result<()> {
    remember(io::stdout().flush());
    FAILED.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
}

/// Prints lines on standard output.
pub fn print(text: &str) {
    let width = if io::stdout().is_terminal() { terminal_width() } else { usize::MAX };
    remember(writeln!(io::stdout(), "{}", wrapped(&harmless(text, true), width)));
}

/// Prints on standard output as it is, for completions.
pub fn print_raw(text: &str) {
    remember(writeln!(io::stdout(), "{text}"));
}

/// Prints JSON on standard output. What could steer a terminal is escaped as JSON does it, so that a program
/// reads the same.
pub fn print_json(value: &serde_json::Value) {
    let mut text = String::new();
    for c in format!("{value:#}").chars() {
        if c != '\n' && steers(c) {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| text.push_str(&format!("\\u{unit:04x}")));
        } else {
            text.push(c);
        }
    }
    print_raw(&text);
}

fn eprint(text: &str) {
    let width = if io::stderr().is_terminal() { terminal_width() } else { usize::MAX };
    // There is nobody to tell that this failed.
    let _ = writeln!(io::stderr(), "{}", wrapped(&harmless(text, false), width));
}

/// Text that a terminal shows and does not obey: control characters (escape sequences begin with one) and
/// those that turn the direction of what follows are written as `\u{1b}`. `lines`: line breaks are meant.
pub fn harmless(text: &str, lines: bool) -> Cow<'_, str> {
    let shown = |c: char| !steers(c) || (lines && c == '\n');
    if text.chars().all(shown) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if shown(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.extend(c.escape_unicode()),
        }
    }
    out.into()
}

fn steers(c: char) -> bool {
    let directions = '\u{202a}'..='\u{202e}';
    let isolates = '\u{2066}'..='\u{2069}';
    let marks = ['\u{200e}', '\u{200f}', '\u{61c}', '\u{2028}', '\u{2029}'];
    c.is_control() || directions.contains(&c) || isolates.contains(&c) || marks.contains(&c)
}

/// What a signal ended; `discarded`: a result was in the making.
pub fn interrupted(discarded: bool) {
    eprint(if discarded { "interrupted; nothing was written" } else { "interrupted" });
}

/// What is wrong with the arguments, or the help that they ask for.
pub fn usage(error: &clap::Error) {
    let plain = error.render().to_string();
    let result = match harmless(&plain, true) {
        // Arguments may come from elsewhere, too.
        Cow::Owned(shown) => writeln!(io::stderr(), "{}", shown.trim_end()),
        Cow::Borrowed(_) => error.print(),
    };
    if !error.use_stderr() {
        remember(result);
    }
}

/// A fault of the user, with its causes.
pub fn error(error: &anyhow::Error) {
    let mut message = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // Some errors tell their cause themselves.
        if !message.contains(&cause) {
            message.push_str(": ");
            message.push_str(&cause);
        }
    }
    eprint(&format!("error: {message}"));
}

/// An error in Partwise itself.
pub fn own_fault(fault: &str) {
    eprint(&format!(
        "error: internal error in Partwise {} ({fault}); please report it with the command that caused it",
        env!("CARGO_PKG_VERSION")
    ));
}

fn terminal_width() -> usize {
    terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0).clamp(30, 120))
}

/// Breaks lines at spaces. Lines that go on are indented as the line they belong to, and two more; lines of
/// tables (with several spaces in a row) stay as they are.
fn wrapped(text: &str, width: usize) -> String {
    let mut out = String::new();
    for (number, line) in text.lines().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        let body = line.trim_start();
        if line.chars().count() <= width || body.contains("   ") {
            out.push_str(line);
            continue;
        }
        let indent = line.len() - body.len();
        let mut column = indent;
        out.push_str(&line[..indent]);
        for (at, word) in body.split(' ').enumerate() {
            let length = word.chars().count();
            if at > 0 && column + 1 + length > width {
                out.push('\n');
                out.push_str(&" ".repeat(indent + 2));
                column = indent + 2;
            } else if at > 0 {
                out.push(' ');
                column += 1;
            }
            out.push_str(word);
            column += length;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_printed_can_steer_a_terminal() {
        let name = "a\u{1b}[2J\u{1b}]0;owned\u{7}\r\u{9b}31m\u{202e}b\tc\nd\u{7f}";
        let shown = harmless(name, false);
        assert!(!shown.chars().any(char::is_control) && !shown.contains('\u{202e}'), "{shown:?}");
        assert!(shown.starts_with("a\\u{1b}[2J\\u{1b}]0;owned\\u{7}\\r\\u{9b}31m"), "{shown}");
        assert_eq!(harmless("a\nb", true), "a\nb");
        for plain in ["müde", "数据", "a b", "×10³ – \"x\"", "👩\u{200d}🔬"] {
            assert_eq!(harmless(plain, false), plain);
        }
    }

    #[test]
    fn long_lines_break_at_spaces_within_the_width() {
        let text =
            "note: one two three four five six seven\n  a   table   stays   as   it   is   however   wide";
        let lines: Vec<String> = wrapped(text, 20).lines().map(str::to_string).collect();
        assert_eq!(lines[..3], ["note: one two three", "  four five six", "  seven"]);
        assert_eq!(lines[3], "  a   table   stays   as   it   is   however   wide");
    }
}
