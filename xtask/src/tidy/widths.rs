//! How wide lines of prose are: comments and docstrings, Markdown, and subjects of commits.

use std::path::Path;
use std::process::Command;

use super::python_source::PythonSource;
use super::source::Source;

/// No line of a comment or of Markdown is wider.
pub(super) const COLUMNS: usize = 110;

/// No subject of a commit is wider.
pub(super) const SUBJECT_COLUMNS: usize = 72;

/// Subjects of the commits after this one are checked.
const BASE_COMMIT: &str = "9bdfe5af97b690a43aba9b5abef7a100abfbe758";

/// The numbers (from 1) of the lines of prose in `text` that are too wide, for a file with this extension.
pub(super) fn wide_lines(extension: &str, text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.split('\n').collect();
    let prose: Vec<bool> = match extension {
        "rs" => Source::of(text).comments.iter().map(|comment| !comment.is_empty()).collect(),
        "py" | "pyi" => PythonSource::of(text).prose,
        "toml" => lines.iter().map(|line| has_toml_comment(line)).collect(),
        _ => vec![true; lines.len()],
    };
    let wide = lines
        .iter()
        .zip(&prose)
        .enumerate()
        .filter(|(_, (line, prose))| **prose && line.chars().count() > COLUMNS && !is_unbreakable(line));
    wide.map(|(number, _)| number + 1).collect()
}

/// Whether a line can't be broken: a row of a table, or one word (a link) after the marks of its comment or
/// list.
fn is_unbreakable(line: &str) -> bool {
    let marks = |character: char| character.is_whitespace() || "/!#>*-".contains(character);
    let text = line.trim_start_matches(marks).trim_end();
    // The target of a link definition may not stand on the next line of a comment: `[name]: https://…`.
    let word = match text.split_once("]: ") {
        Some((name, target)) if name.starts_with('[') => target,
        _ => text,
    };
    text.starts_with('|') || !word.contains(char::is_whitespace)
}

/// Whether a line of TOML has a comment: a `#` outside quotes. Text over several lines isn't followed.
fn has_toml_comment(line: &str) -> bool {
    let mut quote = None;
    for character in line.chars() {
        match (quote, character) {
            (None, '#') => return true,
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            _ => {}
        }
    }
    false
}

/// What is known of the commits' subjects.
pub(super) enum Subjects {
    /// So many were read; these are too wide.
    Read { count: usize, wide: Vec<String> },
    /// Why they can't be read.
    Skipped(String),
}

/// Reads the subjects of the commits since [`BASE_COMMIT`].
pub(super) fn subjects(root: &Path) -> Subjects {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(root).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let Some(shallow) = git(&["rev-parse", "--is-shallow-repository"]) else {
        return Subjects::Skipped("there is no git, or this is no repository".into());
    };
    if git(&["merge-base", "--is-ancestor", BASE_COMMIT, "HEAD"]).is_none() {
        let kind = if shallow.trim() == "true" { "the clone is shallow" } else { "the history lacks it" };
        return Subjects::Skipped(format!("the commit {BASE_COMMIT} isn't among the ancestors: {kind}"));
    }
    match git(&["log", "--format=%h %s", &format!("{BASE_COMMIT}..HEAD")]) {
        Some(log) => wide_subjects(&log),
        None => Subjects::Skipped("git log failed".into()),
    }
}

/// The subjects in lines `hash subject`.
fn wide_subjects(log: &str) -> Subjects {
    let is_wide = |line: &&str| {
        let subject = line.split_once(' ').map_or("", |(_, subject)| subject);
        subject.chars().count() > SUBJECT_COLUMNS
    };
    let wide = log.lines().filter(is_wide).map(String::from).collect();
    Subjects::Read { count: log.lines().count(), wide }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(columns: usize) -> String {
        "word ".repeat(columns / 5) + &"x".repeat(columns % 5)
    }

    #[test]
    fn comments_and_docstrings_are_measured_but_not_code() {
        let wide = words(COLUMNS + 1);
        assert_eq!(wide_lines("rs", &format!("// {wide}\nlet a = \"{wide}\";\n/// {}\n", words(100))), [1]);
        assert_eq!(wide_lines("py", &format!("'''Docs.\n{wide}'''\na = '{wide}'\n# {wide}\n")), [2, 4]);
        assert_eq!(wide_lines("toml", &format!("a = '# {wide}'\n# {wide}\n")), [2]);
        assert_eq!(wide_lines("md", &format!("{wide}\n{}\n", words(COLUMNS))), [1]);
    }

    #[test]
    fn rows_of_tables_and_lone_links_may_be_wider() {
        let link = format!("https://example.org/{}", "x".repeat(COLUMNS));
        for line in [&format!("| {} |", words(120)), &link, &format!("- {link}"), &format!("[a b]: {link}")] {
            assert!(wide_lines("md", line).is_empty(), "{line}");
            assert!(wide_lines("rs", &format!("//! {line}")).is_empty(), "{line}");
        }
        assert_eq!(wide_lines("md", &format!("see {link}")), [1]);
    }

    #[test]
    fn wide_subjects_are_named() {
        let log = format!("abc Do it\ndef {}\n", "x".repeat(SUBJECT_COLUMNS + 1));
        let Subjects::Read { count, wide } = wide_subjects(&log) else { panic!("the log is text") };
        assert_eq!((count, wide.len()), (2, 1));
        assert!(wide[0].starts_with("def"));
    }
}
