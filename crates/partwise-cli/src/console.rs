//! All that is printed: results on standard output, progress, notes and errors on standard error, wrapped to the terminal.
#![allow(clippy::print_stdout, reason = "printing results is the purpose of this module")]

use std::io::{IsTerminal, Write};

/// What may be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// Progress, notes, a summary.
    Full,
    /// As `Full`, with everything on standard error, since standard output carries JSON.
    BesideJson,
    /// Errors only.
    Quiet,
}

impl Verbosity {
    /// From the two flags.
    pub(crate) fn of(quiet: bool, json: bool) -> Self {
        match (quiet, json) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::BesideJson,
            (false, false) => Verbosity::Full,
        }
    }

    /// A line for a person.
    pub(crate) fn say(self, line: &str) {
        match self {
            Verbosity::Full => print(line),
            Verbosity::BesideJson => eprint(line),
            Verbosity::Quiet => {}
        }
    }

    /// A line of progress.
    pub(crate) fn progress(self, line: &str) {
        if self != Verbosity::Quiet {
            eprint(line);
        }
    }

    /// Something to know about the input or the result.
    pub(crate) fn note(self, message: &str) {
        if self != Verbosity::Quiet {
            eprint(&format!("note: {message}"));
        }
    }
}

/// Prints on standard output. A reader that has gone away (`| head`) is no fault.
pub(crate) fn print(text: &str) {
    let width = if std::io::stdout().is_terminal() { terminal_width() } else { usize::MAX };
    let _ = writeln!(std::io::stdout(), "{}", wrapped(text, width));
}

/// Prints on standard output as it is, for JSON and completions.
pub(crate) fn print_raw(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

fn eprint(text: &str) {
    let width = if std::io::stderr().is_terminal() { terminal_width() } else { usize::MAX };
    let _ = writeln!(std::io::stderr(), "{}", wrapped(text, width));
}

/// A fault of the user, with its causes.
pub(crate) fn error(error: &anyhow::Error) {
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

/// A fault of Partwise itself.
pub(crate) fn own_fault(fault: &str) {
    eprint(&format!(
        "error: a fault of Partwise {} itself ({fault}); please report it with the command that led here",
        env!("CARGO_PKG_VERSION")
    ));
}

fn terminal_width() -> usize {
    terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0).clamp(30, 120))
}

/// Breaks lines at spaces. Lines that go on are indented as the line they belong to, and two more; lines of tables (with
/// several spaces in a row) stay as they are.
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
    fn long_lines_break_at_spaces_within_the_width() {
        let text =
            "note: one two three four five six seven\n  a   table   stays   as   it   is   however   wide";
        let lines: Vec<String> = wrapped(text, 20).lines().map(str::to_string).collect();
        assert_eq!(lines[..3], ["note: one two three", "  four five six", "  seven"]);
        assert_eq!(lines[3], "  a   table   stays   as   it   is   however   wide");
    }
}
